"""The play-off for the last seat of the semi-finals: ``options.play_off`` of the international Swiss.

The law: 4th and 5th play for it if they have the same points; its winner is the 4th, and meets the 1st.
"""

from __future__ import annotations

from engine.text import say
from kiosk.verify.problems import Report
from kiosk.verify.ranks import Keys, brightwell
from kiosk.verify.reading import Held, PlayedRound

RULE = "SWISS-PLAY-OFF"


def check_play_off(held: Held, league_rounds: int, report: Report) -> None:
    after = league_rounds + 1
    if len(held.rounds) < after:
        return
    keys = brightwell(held, league_rounds, ("league",))
    known = {name for r in held.rounds[:league_rounds] for name in r.players}
    order = sorted(held.here(after) & known, key=lambda name: keys[name], reverse=True)
    level = len(order) > 4 and keys[order[3]][0] == keys[order[4]][0]
    games = [g for g in held.rounds[after - 1].games if g.stage == "knockout"]
    report.check(RULE, len(games) == int(level), after, (), say("{n} play-off games for the 4th seat", n=len(games)))
    if level and len(games) == 1:
        pair = games[0].players
        good = sorted(keys[name] for name in pair) == sorted(keys[name] for name in order[3:5])
        report.check(RULE, good, after, pair, say("the play-off is not of the 4th and the 5th"))
    semi = after + int(level)
    if len(held.rounds) >= semi and (not level or len(games) == 1):
        _check_seats(held, held.rounds[semi - 1], keys, games[0].won_by if level else None, report)


def _check_seats(held: Held, round_: PlayedRound, keys: Keys, fourth: str | None, report: Report) -> None:
    """The first three and the winner of the play-off, who meets the 1st; without one, the first four."""
    here = held.here(round_.number)
    known = {name for r in held.rounds[: round_.number - 1] for name in r.players}
    order = sorted(here & known, key=lambda name: keys[name], reverse=True)
    pairs = [g.players for g in round_.games if g.stage == "semi-final"]
    seated = {name for pair in pairs for name in pair}
    if len(pairs) != 2 or (fourth is not None and fourth not in here):
        return
    others = [name for name in order if name != fourth]
    wanted = sorted(keys[name] for name in others[: 4 - (fourth is not None)])
    good = sorted(keys[name] for name in seated if name != fourth) == wanted and (fourth is None or fourth in seated)
    report.check(RULE, good, round_.number, tuple(sorted(seated)), say("the semi-finals are not of the first four"))
    first_three = sorted((n for n in held.entries if n != fourth), key=lambda name: keys[name], reverse=True)[:3]
    if good and fourth is not None and here.issuperset(first_three):  # else he may have become 3rd
        meets = next(name for pair in pairs if fourth in pair for name in pair if name != fourth)
        best = all(keys[meets] >= keys[name] for name in seated if name != fourth)
        report.check(RULE, best, round_.number, (meets, fourth), say("the winner of the play-off meets the 1st"))
