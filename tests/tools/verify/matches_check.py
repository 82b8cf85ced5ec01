"""Check of matches of several games (AMB-50), and the event with one game for each, which the other checks read.

More than half of the points wins, a draw is half a point; a level match is decided as ``options.match_level`` says, at
last by one more game without a draw. Colours are exchanged, but not for the last of an odd number of games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verify.event_parsing import ParsedEvent, PlayedGame, PlayedRound
from verify.general import check_game
from verify.lots_check import lots_of_entries
from verify.problems import VerificationReport
from verify.ranking_check import league

RULE = "AMB-50"
#: by stage, the option with the number of games
OPTIONS = {
    "knockout": "knockout_games",
    "semi-final": "semi_final_games",
    "final": "final_games",
    "third-place": "third_place_games",
}


def with_single_games(event: ParsedEvent, report: VerificationReport) -> ParsedEvent:
    """Check the matches of several games; return the event with one game for each, without discs."""
    if event.format not in ("swiss", "knockout") or all(
        (event.options.get(name) or 1) == 1 for name in OPTIONS.values()
    ):
        return event
    return replace(event, rounds=tuple(_single(event, round_, report) for round_ in event.rounds))


def _single(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> PlayedRound:
    found: list[PlayedGame] = []
    of: dict[tuple[str, frozenset[str]], list[PlayedGame]] = {}
    for game in round_.games:
        count = int(event.options.get(OPTIONS.get(game.stage, "")) or 1)
        match = of.setdefault((game.stage, frozenset(game.players)), [])
        match.append(game)
        if count == 1 or len(match) == 1:
            found.append(game)
    for match in of.values():
        count = int(event.options.get(OPTIONS.get(match[0].stage, "")) or 1)
        if count > 1:
            found[found.index(match[0])] = _checked(event, round_.number, count, match, report)
    return replace(round_, games=tuple(found))


def _checked(
    event: ParsedEvent, number: int, count: int, match: Sequence[PlayedGame], report: VerificationReport
) -> PlayedGame:
    first = match[0]
    half = (event.options.get("match_draws") or "half") == "half"
    won: str | None = None
    for played, game in enumerate(match, start=1):
        report.check(RULE, won is None, number, game.players, "a game after the match was decided")
        extra = played > count
        check_game(event, number, game, report, drawable=half and not extra)
        exchanged = played > 1 and half and not extra
        if played == count and count % 2 and event.options.get("match_colours") != "exchanged":
            exchanged = False
        is_valid = not exchanged or game.black == match[played - 2].white or not game.met
        report.check(RULE, is_valid, number, game.players, "the colours were to be exchanged")
        won = _decided(event, count, match[:played])
    report.check(RULE, won is not None, number, first.players, "the match has no winner")
    winner = {first.black: "black", first.white: "white"}.get(won or "", won)
    end = next((game.end for game in match if game.met), first.end)
    return replace(first, winner=winner, black_discs=None, white_discs=None, end=end)


def _decided(event: ParsedEvent, count: int, games: Sequence[PlayedGame]) -> str | None:
    """Return who has won, "neither" after a double forfeit, None as long as another game is due."""
    one, other = games[0].players
    mine, his = (sum(g.points(name) for g in games if g.winner) for name in (one, other))
    if mine > count and mine > his:
        return one
    if his > count and his > mine:
        return other
    if any(g.double_forfeit for g in games):
        return "neither"
    if len(games) < count:
        return None
    rule = event.options.get("match_level")
    if rule == "discs":
        more = sum(g.discs(one) - g.discs(other) for g in games)
        return one if more > 0 else other if more < 0 else None
    if rule == "rank":
        return _higher(event, one, other)
    return None


def _higher(event: ParsedEvent, one: str, other: str) -> str | None:
    if event.format == "knockout":
        seeds = sorted((e.seed, e.id) for e in event.entries.values() if e.id in (one, other) and e.seed is not None)
        return seeds[0][1] if seeds else None
    keys, lots = league(event, int(event.options.get("rounds") or 0)), lots_of_entries(event)
    return max((one, other), key=lambda name: (*keys[name], lots.get(name, 0)))
