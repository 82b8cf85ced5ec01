"""The draw of lots and leagues before round 1, as announced at the opening and written into the event file.

Once written, the file's lots and leagues are final; late entries cannot change them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.tournament.event_model import Event, event_error
from engine.tournament.formats import FORMATS
from engine.tournament.formats.meijin40_13_to_32_players import bracket_units
from engine.tournament.meijin40_lots_and_leagues import M40LotDraw, draw_lots, participating_players


@dataclass(frozen=True, slots=True)
class DrawnPlayer:
    """One entry of the player list. ``lot`` is None for absentees; only the generator gives a ``preliminary``
    (M40L-3)."""

    id: str
    lot: int | None
    preliminary: int | None
    league: str | None

    def as_dict(self) -> dict[str, object]:
        return {"id": self.id, "lot": self.lot, "preliminary": self.preliminary, "league": self.league}


def drawn_players(event: Event) -> tuple[list[DrawnPlayer], M40LotDraw]:
    """Return the player list with lots and leagues, in the order of the event file.

    :raises EventError: if the format draws no lots, or the numbers in the file contradict each other
    """
    if event.facts.lots is None:
        known = ", ".join(name for name, one in FORMATS.items() if one.facts.lots)
        raise event_error(
            "format {format!r} draws no lots; the formats with lots are {known}", format=event.format, known=known
        )
    draw = draw_lots(event, leagues=event.facts.lots.leagues)
    league = {name: letter for letter, names in draw.leagues.items() for name in names}
    here = {player.id for player in participating_players(event)}
    players = [
        DrawnPlayer(
            player.id,
            draw.lots.get(player.id) if player.id in here else None,
            draw.preliminary.get(player.id),
            league.get(player.id),
        )
        for player in event.players
    ]
    return players, draw


def as_dict(event: Event, players: Sequence[DrawnPlayer], draw: M40LotDraw) -> dict[str, object]:
    """Return the JSON object of ``kiosk draw``."""
    data: dict[str, object] = {
        "players": [player.as_dict() for player in players],
        "initial": draw.initial,
        "leagues": {letter: list(names) for letter, names in draw.leagues.items()},
        "moves": [{"id": name, "from": from_, "to": to} for name, from_, to in draw.moves],
        "warnings": [str(warning) for warning in draw.warnings],
    }
    if event.facts.lots and event.facts.lots.bracket:
        data["bracket"] = [list(unit) for unit in bracket_units(event, draw.lots)]
    return data


def with_draw(event: Event, players: Sequence[DrawnPlayer]) -> Event:
    """Return the event with the drawn lots and leagues in it."""
    drawn = {player.id: player for player in players}
    return replace(
        event, players=tuple(replace(p, lot=drawn[p.id].lot, league=drawn[p.id].league) for p in event.players)
    )
