"""Check of the play-off for the last seat of the semi-finals: ``options.play_off`` of the international Swiss.

4th and 5th play for it if they have the same points; the winner is the 4th, and meets the 1st.
"""

from __future__ import annotations

from verify.event_parsing import ParsedEvent, PlayedRound
from verify.problems import VerificationReport
from verify.ranking_check import Keys, league

RULE = "SWISS-PLAY-OFF"


def check_play_off(event: ParsedEvent, league_rounds: int, report: VerificationReport) -> None:
    after = league_rounds + 1
    if len(event.rounds) < after:
        return
    keys = league(event, league_rounds)
    known = {name for r in event.rounds[:league_rounds] for name in r.players}
    # a player who misses only the play-off keeps his seat; if only one of the 4th and the 5th is present, he has won it
    staying = (event.here(after) | event.here(after + 1)) & known
    order = sorted(staying, key=lambda name: keys[name], reverse=True)
    level = len(order) > 4 and keys[order[3]][0] == keys[order[4]][0]
    level = level and bool(event.here(after).intersection(order[3:5]))
    round_ = event.rounds[after - 1]
    games: list[tuple[str, ...]] = [g.players for g in round_.games if g.stage == "knockout"]
    games += [(b.player,) for b in round_.byes if b.stage == "knockout"]
    report.check(RULE, len(games) == int(level), after, (), f"{len(games)} play-off games for the 4th seat")
    if level and len(games) == 1:
        due = [name for name in order[3:5] if name in event.here(after) or len(games[0]) == 2]
        is_valid = sorted(keys[name] for name in games[0]) == sorted(keys[name] for name in due)
        report.check(RULE, is_valid, after, games[0], "the play-off is not of the 4th and the 5th")
    semi = after + int(level)
    if len(event.rounds) >= semi and (not level or len(games) == 1):
        won = [*(g.won_by for g in round_.games if g.stage == "knockout"), *(name for unit in games for name in unit)]
        _check_seats(event, event.rounds[semi - 1], keys, won[0] if level else None, report)


def _check_seats(
    event: ParsedEvent, round_: PlayedRound, keys: Keys, fourth: str | None, report: VerificationReport
) -> None:
    """Check that the semi-finals have the first three and the winner of the play-off, who meets the 1st; without one,
    the first four.
    """
    here = event.here(round_.number)
    known = {name for r in event.rounds[: round_.number - 1] for name in r.players}
    order = sorted(here & known, key=lambda name: keys[name], reverse=True)
    pairs = [g.players for g in round_.games if g.stage == "semi-final"]
    seated = {name for pair in pairs for name in pair}
    if len(pairs) != 2 or (fourth is not None and fourth not in here):
        return
    others = [name for name in order if name != fourth]
    wanted = sorted(keys[name] for name in others[: 4 - (fourth is not None)])
    is_valid = sorted(keys[name] for name in seated if name != fourth) == wanted and (
        fourth is None or fourth in seated
    )
    report.check(RULE, is_valid, round_.number, tuple(sorted(seated)), "the semi-finals are not of the first four")
    first_three = sorted((n for n in event.entries if n != fourth), key=lambda name: keys[name], reverse=True)[:3]
    if is_valid and fourth is not None and here.issuperset(first_three):  # else he may have become 3rd
        meets = next(name for pair in pairs if fourth in pair for name in pair if name != fourth)
        best = all(keys[meets] >= keys[name] for name in seated if name != fourth)
        report.check(RULE, best, round_.number, (meets, fourth), "the winner of the play-off meets the 1st")
