"""Players and teams: entries, check-in, who is absent, leaves or comes back; lots and order sheets.

The law: who has played is never removed; he leaves, and his games stay (PAIRING.md 4). What was entered twice is
recognised before it is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine.text import say
from kiosk.head.desk.core import Core, Line
from kiosk.head.desk.results import result_body
from kiosk.head.desk.seating import Seating
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event.games import Outcome
from kiosk.head.event.pairing import check_event
from kiosk.head.event.state import DivisionState

Player = Mapping[str, Any]


class Players:
    def __init__(self, core: Core, seating: Seating) -> None:
        self._core = core
        self._seating = seating

    def add(self, slug: str, players: Sequence[Player]) -> list[str]:
        """Adds entries; who has no id gets the next free one. Gives the ids.

        :raises HeadError: an entry cannot be used; nobody is added then.
        """
        core = self._core
        with core.lock:
            division = core.state.division(slug)
            numbered = with_ids(players, {*division.players(), *division.teams()})
            check_event(division.event_file() | {"players": [*division.event["players"], *numbered]})
            core.append("players-added", {"division": division.slug, "players": numbered})
            return [player["id"] for player in numbered]

    def take(self, slug: str, new: Sequence[Player], changed: Mapping[str, Mapping[str, Any]]) -> None:
        """Takes an import: new entries, and what it says differently about known ones, all or nothing."""
        core = self._core
        with core.lock:
            division = core.state.division(slug)
            numbered = with_ids(new, {*division.players(), *division.teams()})
            players = [{**player, **changed.get(player["id"], {})} for player in division.event["players"]]
            check_event(division.event_file() | {"players": [*players, *numbered]})
            lines: list[Line] = [
                ("player-changed", {"division": division.slug, "player": id, "fields": dict(fields)}, ())
                for id, fields in changed.items()
            ]
            if numbered:
                lines.append(("players-added", {"division": division.slug, "players": numbered}, ()))
            if lines:
                core.append_all(lines)

    def change(self, slug: str, player: str, fields: Mapping[str, Any]) -> None:
        """Changes fields of an entry; None removes a field.

        :raises HeadError: the entry cannot be used that way.
        """
        core = self._core
        with core.lock:
            division, old = self._player(slug, player)
            new = {name: value for name, value in {**old, **fields}.items() if value is not None}
            if "lot" in fields and division.rounds:
                raise Conflict(
                    say("round 1 was published, so lots cannot be changed any more; take round 1 back first")
                )
            players = [new if entry["id"] == player else entry for entry in division.event["players"]]
            check_event(division.event_file() | {"players": players})
            core.append("player-changed", {"division": division.slug, "player": player, "fields": dict(fields)})

    def remove(self, slug: str, player: str) -> None:
        """Deletes an entry by mistake.

        :raises Conflict: he was paired; he can leave instead.
        """
        core = self._core
        with core.lock:
            division, _ = self._player(slug, player)
            if any(player in game.players for games in division.rounds for game in games):
                raise Conflict(
                    say(
                        "{called} was paired already; let him leave instead, his games stay",
                        called=division.called(player),
                    )
                )
            core.append("player-removed", {"division": division.slug, "player": player})

    def check_in(self, slug: str, players: Iterable[str], *, arrived: bool) -> None:
        """Notes who has come, or that somebody was noted by mistake."""
        core = self._core
        with core.lock:
            division = core.state.division(slug)
            named = [name for name in players if name in division.players()]
            core.append("players-arrived", {"division": division.slug, "players": named, "arrived": arrived})

    def set_absent(self, slug: str, players: Iterable[str], *, absent: bool) -> None:
        """Absentees are not paired; they can come later."""
        core = self._core
        with core.lock:
            division = core.state.division(slug)
            named = [name for name in players if name in division.players()]
            core.append("players-absent", {"division": division.slug, "players": named, "absent": absent})

    def leave(self, slug: str | None, player: str, reason: str, open_game: str = "") -> None:
        """From the next round on the player is not paired. ``open_game``: how his open game ends, if he has one
        (``forfeit`` or ``late``: he loses it); empty: it is played to its end.

        :raises Conflict: he has left already.
        """
        core = self._core
        with core.lock:
            division, _ = self._player(slug, player)
            if player in division.withdrawn:
                raise Conflict(say("{called} has left already", called=division.called(player)))
            body = {"player": player, "after_round": len(division.rounds), "reason": reason.strip()}
            lines: list[Line] = [("player-withdrawn", body | {"division": division.slug}, ())]
            game = next((game for game in division.current if game.is_open and player in game.players), None)
            if game is not None and open_game:
                winner = "white" if game.black == player else "black"
                outcome = Outcome(game.black, str(game.white), winner, *_full(winner), open_game, False)
                body = result_body(game.id, outcome, reason) | {"division": division.slug}
                lines.insert(0, ("result-entered", body, self._seating.withdrawals([game])))
            core.append_all(lines)

    def come_back(self, slug: str, player: str) -> None:
        """He is paired again; the rounds that he missed are absences and stay without a point."""
        core = self._core
        with core.lock:
            division, entry = self._player(slug, player)
            if player not in division.withdrawn and not entry.get("absent"):
                raise Conflict(
                    say("{called} has not left; there is nothing to take back", called=division.called(player))
                )
            core.append("player-returned", {"division": division.slug, "player": player})

    def miss_round(self, slug: str, player: str, round: int, *, away: bool) -> None:
        """The player is away in a round to come, so he is not paired in it; or he plays in it after all.

        :raises Conflict: the round was published.
        """
        core = self._core
        with core.lock:
            division, _ = self._player(slug, player)
            if round <= len(division.rounds):
                raise Conflict(
                    say("round {round} was published, so nobody can be marked away in it any more", round=round)
                )
            if (round in division.away_in(player)) != away:
                body = {"division": division.slug, "player": player, "round": round, "away": away}
                core.append("player-away", body)

    def set_lots(self, slug: str, lots: Mapping[str, int], how: Mapping[str, Any]) -> None:
        """Writes the lots that were drawn. ``how``: the ``method`` and what shows it again, and ``options`` to keep.

        :raises HeadError: two have the same lot. :raises Conflict: round 1 was published.
        """
        core = self._core
        with core.lock:
            division = core.before_round_1(slug, "the draw")
            if strangers := [name for name in lots if name not in division.players()]:
                raise NotFound(
                    say(
                        "there is no player '{strangers}'; choose one of the division's players", strangers=strangers[0]
                    )
                )
            holders: dict[int, str] = {}
            for name, lot in lots.items():
                if lot in holders:
                    both = f"{division.called(holders[lot])} and {division.called(name)}"
                    raise HeadError(say("{both} both have lot {lot}; lots are unique", both=both, lot=lot))
                holders[lot] = name
            core.append("lots-drawn", {"division": division.slug, "lots": dict(lots), **how})

    # teams

    def set_team(self, slug: str, team: Mapping[str, Any]) -> str:
        """Adds or changes a team; gives its id.

        :raises HeadError: it cannot be used.
        """
        core = self._core
        with core.lock:
            division = core.state.division(slug)
            given = dict(team)
            given["id"] = given.get("id") or _free_id("t", {*division.players(), *division.teams()})
            old = division.teams().get(given["id"])
            if old is not None and division.rounds and set(old["players"]) - set(given["players"]):
                raise Conflict(say("round 1 was published, so nobody can be taken out of a team any more"))
            given = {**(old or {}), **given}
            teams = {**division.teams(), given["id"]: given}
            check_event(division.event_file() | {"teams": list(teams.values())})
            core.append("team-set", {"division": division.slug, "team": given})
            return str(given["id"])

    def remove_team(self, slug: str, team: str) -> None:
        core = self._core
        with core.lock:
            division = core.before_round_1(slug, "the teams")
            if team not in division.teams():
                raise NotFound(say("there is no team '{team}'; choose one of the division's teams", team=team[:40]))
            core.append("team-removed", {"division": division.slug, "team": team})

    def set_order(self, slug: str, team: str, round: int, players: Sequence[str]) -> None:
        """A team's order sheet for a round that is not published yet.

        :raises Conflict: the round was published.
        """
        core = self._core
        with core.lock:
            division = core.state.division(slug)
            if team not in division.teams():
                raise NotFound(say("there is no team '{team}'; choose one of the division's teams", team=team[:40]))
            if round <= len(division.rounds):
                raise Conflict(say("round {round} was published, so its order sheets are fixed", round=round))
            changed = dict(division.teams()[team])
            changed["orders"] = {**changed.get("orders", {}), str(round): list(players)}
            teams = {**division.teams(), team: changed}
            check_event(division.event_file() | {"teams": list(teams.values())})
            body = {"division": division.slug, "team": team, "round": round, "players": list(players)}
            core.append("team-sheet", body)

    def _player(self, slug: str | None, player: str) -> tuple[DivisionState, Player]:
        division = self._core.state.division(slug)
        found = division.players().get(player)
        if found is None:
            raise NotFound(say("there is no player '{player}'; choose one of the event's players", player=player[:40]))
        return division, found


def _full(winner: str) -> tuple[int, int]:
    """64-0: what a game that was not played is worth (RULES.md 3.4 S15)."""
    return (64, 0) if winner == "black" else (0, 64)


def with_ids(players: Sequence[Player], taken: set[str]) -> list[dict[str, Any]]:
    """The entries, each with an id: its own, else p1, p2 …"""
    taken = {*taken, *(str(player["id"]) for player in players if player.get("id"))}
    numbered = []
    for player in players:
        id = player.get("id") or _free_id("p", taken)
        taken.add(id)
        numbered.append({"id": id} | {name: value for name, value in player.items() if name != "id"})
    return numbered


def _free_id(letter: str, taken: set[str]) -> str:
    number = 1
    while f"{letter}{number}" in taken:
        number += 1
    return f"{letter}{number}"
