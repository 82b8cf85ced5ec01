"""Scenario size of a seed: size of the hall, formats played, and number of faults."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from engine.tournament.formats import FORMATS
from engine.tournament.formats.team_matches_and_ranking import BOARDS

#: share of malicious tables
MALICIOUS_TABLES = 0.1
#: share of days on which some tables have a serial cable and no network
CABLES = 0.3
#: share of days with several divisions
SEVERAL = 0.2
#: share of days with a federation; and its possible numbers of halls
FEDERATED, VENUES = 0.1, (1, 1, 2, 3)
#: formats of the other divisions and halls, which are small
NEIGHBOURS = ("swiss", "knockout", "round-robin", "m43-open")
#: share of days with a hall of the largest size, and that size in tables
LARGE, LARGEST = 0.01, 60


@dataclass(frozen=True, slots=True)
class ScenarioSize:
    """The hall of a seed. The options of a shrunk day replace what the seed would give. ``fault_limit``: number of the
    day's faults that happen. ``malicious_tables``: number of additional devices that have keys of tables without games
    and send false records. ``cables``: number of tables, from the first on, with a serial cable and no network.
    ``players``: in each of the ``divisions``; those after the first have their own formats, for small fields.
    ``venues``: number of halls in one federation; those after the first are small.
    """

    format: str
    tables: int
    players: int
    fault_limit: int | None = None
    malicious_tables: int = 0
    cables: int = 0
    divisions: int = 1
    venues: int = 0

    @classmethod
    def of(
        cls,
        seed: int,
        tables: int | None = None,
        players: int | None = None,
        format: str | None = None,
        fault_limit: int | None = None,
        malicious_tables: int | None = None,
        cables: int | None = None,
        divisions: int | None = None,
        venues: int | None = None,
    ) -> ScenarioSize:
        chance = Random(f"shape/{seed}")
        some = chance.choice((2, 2, 3, 4, 4, 6, 8, 16))
        more = chance.choice((-1, 0, 0, 0, 1, 2))
        kind = chance.choice(tuple(FORMATS))
        part = chance.random()
        some = LARGEST if chance.random() < LARGE else some
        kind = format or kind
        fewest, most = fewest_and_most_players(kind)
        players = players or min(most, max(fewest, 2 * (tables or some) + more))
        tables = tables or max(some, fewest // 2)
        wired = chance.randrange(1, 1 + tables) if chance.random() < CABLES else 0
        several = min(tables, chance.choice((2, 2, 3, 4))) if chance.random() < SEVERAL else 1
        halls = chance.choice(VENUES) if chance.random() < FEDERATED else 0
        return cls(
            kind,
            tables,
            players,
            fault_limit,
            int(MALICIOUS_TABLES * tables + part) if malicious_tables is None else malicious_tables,
            wired if cables is None else cables,
            divisions or several,
            halls if venues is None else venues,
        )


def fewest_and_most_players(format: str) -> tuple[int, int]:
    facts = FORMATS[format].facts
    fewest, most = facts.sizes
    return max(4, fewest * (BOARDS if facts.teams else 1)), most


def is_possible(format: str, players: int) -> bool:
    """Return whether an event of this many players is possible."""
    fewest, most = fewest_and_most_players(format)
    return fewest <= players <= most


def small_hall(seed: int, number: int) -> ScenarioSize:
    """Return a small hall in the same federation."""
    chance = Random(f"neighbour/{seed}/{number}")
    return ScenarioSize(chance.choice(NEIGHBOURS), 2, 4, malicious_tables=chance.randrange(2))
