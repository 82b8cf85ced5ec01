"""Checks that apply to every format: identities, results, draws, stages, operator constraints.

Rules without an id in the sources are named ``EVENT-…``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verify.event_parsing import ParsedEvent, PlayedGame, PlayedRound
from verify.problems import VerificationReport

#: formats whose players settle the colours, so that one of them holds the draw right
NO_DRAWS = frozenset(
    {"m40-open", "m40-33-64", "m40-17-32", "m40-13-16", "m40-9-12", "m40-elementary", "team", "chouchou",
     "othello-pool"}
)  # fmt: skip
#: stages in which colours are designated and 32-32 is a draw (M43-1)
DESIGNATED = ("league", "placement")
STAGES = {
    "m43-open": {"league", "placement", "semi-final", "final", "third-place", "womens-final"},
    "team": {"league", "placement", "final"},
}
ALL_STAGES = {"league", "placement", "semi-final", "final", "third-place", "knockout"}
#: formats where several byes in one round are correct, or checked elsewhere
OFTEN_FREE = frozenset({"m40-open", "m40-33-64", "m40-17-32", "m40-13-16", "m40-9-12", "knockout", "round-robin"})


def check_general(event: ParsedEvent, report: VerificationReport) -> None:
    for index, round_ in enumerate(event.rounds, start=1):
        report.check("EVENT-ROUNDS", round_.number == index, index, (), f"round {round_.number} stands as {index}")
        _check_players(event, round_, report)
        _check_everybody(event, round_, report)
        for game in round_.games:
            check_game(event, round_.number, game, report)
        if event.format not in OFTEN_FREE and event.format != "team":
            _check_byes(event, round_, report)


def _check_players(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> None:
    names = round_.players
    here = event.here(round_.number)
    for name in sorted(set(names)):
        times = names.count(name)
        report.check("EVENT-TWICE", times == 1, round_.number, (name,), f"{name} is there {times} times")
        known = name in event.entries
        report.check("EVENT-UNKNOWN", known, round_.number, (name,), f"{name} is no entry of the event")
        # a rest in the table of a round robin, or a board of a team's bye, is possible for an absent player
        rests = event.format in ("round-robin", "team") and any(name == b.player for b in round_.byes)
        is_away = known and name not in here and not rests and not _walkover(round_, name)
        report.check("EVENT-GONE", not is_away, round_.number, (name,), f"{name} is paired but absent or withdrawn")


#: the last round in which everybody present has a game or a bye; other formats let players wait
EVERYBODY_UNTIL = {
    "m43-open": 7, "m43-division": 6, "m40-elementary": 6, "m40-open": 7, "m40-33-64": 6, "swiss": 99, "adjacent": 99,
    "chouchou": 99, "othello-pool": 99, "m40-17-32": 6, "m40-13-16": 6, "m40-9-12": 6,
}  # fmt: skip
#: AMB-23: the round in which the unbeaten wait, with or without a bye
WAITING_ROUND = {"m40-17-32": 5, "m40-13-16": 4}


def _check_everybody(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> None:
    """Check that every player present has a game or a bye. A player who has not played before and plays later may be a
    late entry without recorded absences.
    """
    stages = round_.stages
    if round_.number > EVERYBODY_UNTIL.get(event.format, 0) or not stages & {"league", "placement"}:
        return
    waits = WAITING_ROUND.get(event.format) == round_.number and event.options.get("waiting") == "nothing"
    if waits or (event.format in ("m40-9-12", "m40-33-64") and round_.number == 6 and _one_lost(event)):
        return
    if event.format in ("swiss", "adjacent", "chouchou") and "league" not in stages:
        return
    later = {name for r in event.rounds[round_.number :] for name in r.players}
    later -= {name for r in event.rounds[: round_.number - 1] for name in r.players}
    later -= {name for names in event.away.values() for name in names}
    for name in sorted(event.here(round_.number) - set(round_.players) - later):
        text = f"{name} has neither a game nor a bye, and is neither absent nor withdrawn"
        report.check("EVENT-IDLE", False, round_.number, (name,), text)
    report.check("EVENT-IDLE", True, round_.number, (), "")


def _one_lost(event: ParsedEvent) -> bool:
    """M40F9-5: where one player alone lost a semi-final he is 3rd, and has finished."""
    return sum(g.stage == "semi-final" and not g.double_forfeit for r in event.rounds for g in r.games) == 1


def _walkover(round_: PlayedRound, name: str) -> bool:
    """Return whether a player due in a final, or on an order sheet, has left and loses by forfeit."""
    return any(name in game.players and game.end in ("forfeit", "late") for game in round_.games)


def check_game(
    event: ParsedEvent, number: int, game: PlayedGame, report: VerificationReport, *, drawable: bool | None = None
) -> None:
    """Check one game. ``drawable``: whether it can be a draw, where its stage does not say it."""
    players = game.players
    report.check("EVENT-SELF", game.black != game.white, number, players, f"{game.black} plays {game.black}")
    report.check("EVENT-RESULT", game.winner is not None, number, players, "the game has no result")
    stages = STAGES.get(event.format, ALL_STAGES)
    report.check("EVENT-STAGE", game.stage in stages, number, players, f"{event.format} has no stage {game.stage!r}")
    if drawable is None:
        drawable = event.format not in NO_DRAWS and game.stage in DESIGNATED
        drawable = drawable or (event.format, game.stage) == ("swiss", "knockout")  # matches of several games
    report.check(
        "M43-1", game.winner != "draw" or drawable, number, players, "a draw in a game in which one has the draw right"
    )
    black, white = game.black_discs, game.white_discs
    if game.double_forfeit or event.format == "chouchou" or black is None or white is None:
        return
    report.check(
        "M43-17", black + white == event.total, number, players, f"{black}-{white} discs do not total {event.total}"
    )
    if game.winner == "draw":
        report.check("OTH-16", black == white, number, players, f"a draw with {black}-{white} discs")
    elif game.end in ("normal", None):
        more = "black" if black > white else "white" if white > black else None
        level = more is None and (not drawable or game.stage not in DESIGNATED)
        is_valid = level or more == game.winner
        report.check("OTH-12", is_valid, number, players, f"{game.winner} won with {black}-{white} discs")
    if event.format != "m43-open":
        report.check("M43F-06", game.end != "not-played", number, players, "only m43-open leaves games unplayed")


def _check_byes(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> None:
    """Check that a round has at most one bye, besides those that rules or constraints give."""
    requested = set(event.options.get("byes", {}).get(str(round_.number), ()))
    requested |= set(event.options.get("byes", {}).get("*", ()))
    byes = [b.player for b in round_.byes if b.player not in requested and b.stage in DESIGNATED]
    limit = 5 if event.format == "m43-open" and round_.number == 6 else 1
    report.check("AMB-15", len(byes) <= limit, round_.number, tuple(byes), f"{len(byes)} byes in one round")


def check_constraints(event: ParsedEvent, report: VerificationReport) -> None:
    """Check that the operator's constraints were kept (PAIRING.md 4)."""
    for round_ in event.rounds:
        _check_apart(event, round_, report)
        for key in ("*", str(round_.number)):
            wishes = {name: event.options.get(name, {}).get(key, ()) for name in _WISHES}
            _check_constraints_of(event, round_, wishes, report)


def _check_apart(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> None:
    """Check that players to be kept apart did not meet; in a team event a team is of a club if all its players are."""
    for wish in event.kept_apart(round_.number):
        for one, other in (game.players for game in round_.games):
            teams = [event.teams.get(one, one), event.teams.get(other, other)]
            met = {frozenset((one, other)), frozenset(teams)}
            if wish.by is None:
                is_valid = not any(len(pair & set(wish.players)) == 2 for pair in met)
            else:
                sides = teams if event.format == "team" else [one, other]
                of = [{getattr(event.entries[name], wish.by) for name in _members(event, side)} for side in sides]
                is_valid = of[0] != of[1] or len(of[0]) != 1 or not any(of[0])
            text = f"{one} and {other} were to be kept apart"
            report.check("WISH-APART", is_valid, round_.number, (one, other), text)


def _members(event: ParsedEvent, name: str) -> list[str]:
    return [player for player, team in event.teams.items() if team == name] or [name]


_WISHES = ("locked", "forbidden", "byes", "colours")


def _check_constraints_of(
    event: ParsedEvent, round_: PlayedRound, wishes: Mapping[str, Any], report: VerificationReport
) -> None:
    number = round_.number
    met = {frozenset(game.players) for game in round_.games}
    met |= {frozenset(event.teams.get(name, name) for name in game.players) for game in round_.games}
    free = {name for b in round_.byes for name in (b.player, event.teams.get(b.player, b.player))}
    for one, other in wishes["locked"]:
        is_valid = frozenset((one, other)) in met
        report.check("WISH-LOCKED", is_valid, number, (one, other), f"{one} and {other} were locked")
    for one, other in wishes["forbidden"]:
        is_valid = one not in free if one == other else frozenset((one, other)) not in met
        report.check("WISH-FORBIDDEN", is_valid, number, (one, other), f"{one} and {other} were forbidden")
    for name in wishes["byes"]:
        report.check("WISH-BYE", name in free, number, (name,), f"{name} had asked for a bye")
    for name, colour in dict(wishes["colours"]).items():
        wrong = [g for g in round_.games if name in g.players and (g.black == name) != (colour == "black")]
        report.check("WISH-COLOUR", not wrong, number, (name,), f"{name} was to have {colour}")
