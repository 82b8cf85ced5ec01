"""Check of the published penalties of the Brightwell Swiss (PAIRING.md 2), implemented a second time from the document.

No code is shared with the pairing program. A round is too expensive if a complete search, or for many players
rustworkx, finds a cheaper one over the same players.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from verify.event_parsing import ParsedEvent, PlayedRound
from verify.lots_check import PAIRS, RecordedLots, lots
from verify.plain_matching import EXACT, Cost, cheapest, cheapest_of_many, improvement
from verify.problems import VerificationReport

LEAGUE = ("league", "placement")
OTHER_LOTS = "the recorded seed draws other pairs, as good as these"
#: bits of a pair's lot, which decides between rounds of the same total
LOT_BITS = 40
_BALANCE = [0, 20, 105, 225, 530, 1075]
_GAP = [
    0, 20000, 40588, 62785, 87119, 114041, 143998, 177453, 214908, 256910, 304062, 357037, 416582, 483534, 558828,
    643514, 738767, 845906, 966413, 1101949, 1254381, 1425805, 1618578, 1835345, 2079081,
]  # fmt: skip


@dataclass(slots=True)
class PlayerTrack:
    """A player's past: points, blacks minus whites, last round, byes, opponents with colours."""

    points: int = 0
    balance: int = 0
    last_colour: str | None = None
    last_gap: int = 0  # own points minus the opponent's before the last round
    last_result: int | None = None
    byes: int = 0
    as_black: dict[str, list[int]] = field(default_factory=dict)


def tracks(event: ParsedEvent, before: int) -> dict[str, PlayerTrack]:
    found = {name: PlayerTrack() for name in event.entries}
    for round_ in event.rounds[: before - 1]:
        start = {name: track.points for name, track in found.items()}
        for track in found.values():
            track.last_colour, track.last_gap, track.last_result = None, 0, None
        for free in (b for b in round_.byes if b.stage in LEAGUE):
            track = found[free.player]
            track.points += 2
            track.byes += 1
            track.last_gap = 1
        for game in (g for g in round_.games if g.stage in LEAGUE):
            for name, colour, sign in ((game.black, "B", 1), (game.white, "W", -1)):
                track = found[name]
                track.last_result = game.points(name)
                track.points += track.last_result
                track.last_gap = start[name] - start[game.other(name)]
                if game.met:
                    track.balance += sign
                    track.last_colour = colour
            if game.met:
                found[game.black].as_black.setdefault(game.white, []).append(round_.number)
    return found


def _colour(track: PlayerTrack, colour: str) -> int:
    after = abs(track.balance + (1 if colour == "B" else -1))
    return _BALANCE[min(after, 5)] + (15 if track.last_colour == colour else 0)


def _habit(track: PlayerTrack, gap: int, round_: int) -> int:
    if gap * track.last_gap > 0:
        return 25
    if gap * track.last_gap < 0 and round_ >= 3:
        up_and_lost = track.last_gap < 0 and track.last_result == 0
        down_and_won = track.last_gap > 0 and track.last_result == 2
        return -10 if up_and_lost or down_and_won else 0
    return 0


def _elitism(one: int, other: int, round_: int) -> int:
    if min(one, other) < 0:
        return 0
    weight = 100 if round_ < 4 else 200 if round_ < 6 else 300 if round_ < 10 else 400
    return weight * (one + other) * abs(one - other) // 2


def pair_price(event: ParsedEvent, found: dict[str, PlayerTrack], round_: int, black: str, white: str) -> int:
    b, w = found[black], found[white]
    gap = b.points - w.points
    price = _colour(b, "B") + _colour(w, "W") + _GAP[min(abs(gap), 24)]
    price += _habit(b, gap, round_) + _habit(w, -gap, round_) + _elitism(b.points, w.points, round_)
    same, turned = b.as_black.get(white, []), w.as_black.get(black, [])
    price += 10_000_000 * len(same) + 5_000_000 * len(turned) + (same + turned).count(round_ - 1)
    one, other = event.entries[black].country, event.entries[white].country
    return price + (2 if one is not None and one == other else 0)


def bye_price(found: dict[str, PlayerTrack], round_: int, name: str, lowest: int) -> int:
    track = found[name]
    gap = track.points - lowest + 1
    price = _BALANCE[min(abs(track.balance), 5)] + _GAP[min(gap, 24)] + _habit(track, gap, round_)
    return price + 10_000_000 * track.byes + _elitism(track.points, lowest - 1, round_)


def check_colours(event: ParsedEvent, round_: PlayedRound, report: VerificationReport) -> None:
    """Check that every pair has the cheaper colours, where only colours are chosen by penalties (M43F-12)."""
    found = tracks(event, round_.number)
    for game in (g for g in round_.games if g.stage in LEAGUE):
        black, white = game.players
        is_valid = pair_price(event, found, round_.number, black, white) <= pair_price(
            event, found, round_.number, white, black
        )
        report.check("M43F-12", is_valid, round_.number, game.players, "the pair has the dearer colours")


def check_penalties(
    event: ParsedEvent, round_: PlayedRound, bye: str | None, banned: Sequence[str], report: VerificationReport
) -> None:
    """Check PAIRING.md 2 over the league or placement games of a round and its bye. ``banned``: those who cannot have
    it.
    """
    games = [g for g in round_.games if g.stage in LEAGUE]
    playing = {n for g in games for n in g.players} | ({bye} if bye is not None else set())
    names = [name for name in event.entries if name in playing]
    if not games:
        return
    found = tracks(event, round_.number)
    lowest = min(found[n].points for n in names)
    size = len(names) + len(names) % 2
    never = 10**15
    seeds = {
        n for n in names if event.entries[n].seed is not None and event.format == "m43-open" and round_.number == 1
    }

    def cost(i: int, j: int) -> int:
        if j == len(names):
            price = bye_price(found, round_.number, names[i], lowest)
            return price + (never if names[i] in banned else 0)
        one, other = names[i], names[j]
        price = min(
            pair_price(event, found, round_.number, one, other), pair_price(event, found, round_.number, other, one)
        )
        return price + (never if one in seeds and other in seeds else 0)

    place = {name: index for index, name in enumerate(names)}
    pairs = [(place[g.black], place[g.white]) for g in games] + ([(place[bye], len(names))] if bye is not None else [])
    coloured = sum(pair_price(event, found, round_.number, g.black, g.white) for g in games)
    best_coloured = sum(cost(min(p), max(p)) for p in pairs[: len(games)]) % never
    report.check(
        "M43F-03", coloured == best_coloured, round_.number, (), "a pair has the dearer colours (PAIRING.md 2)"
    )
    drawn = lots(event, PAIRS, round_.number)
    bits = 0 if drawn is None else LOT_BITS + len(names).bit_length()
    whole = cost if drawn is None else _with_lots(cost, drawn, size, bits)
    spent = sum(whole(min(p), max(p)) for p in pairs)
    least = cheapest(size, whole) if size <= EXACT else cheapest_of_many(size, whole)[1]
    played, best = spent >> bits, least >> bits
    better = improvement(pairs, cost) if played > best else None
    text = f"the round costs {played}; {best} is possible"
    if better is not None:
        shown = [" - ".join(names[i] if i < len(names) else "bye" for i in pair) for pair in better]
        text = f"two pairs are cheaper exchanged: {shown}"
    report.check("PAIRING-2", played == best, round_.number, (), text)
    if drawn is not None and played == best:
        report.check("LOTS", spent == least, round_.number, (), OTHER_LOTS)


def _with_lots(cost: Cost, drawn: RecordedLots, size: int, bits: int) -> Cost:
    """Return the cost with each pair's lot added in its low bits, row by row."""

    def whole(i: int, j: int) -> int:
        return (cost(i, j) << bits) + (drawn[i * size - i * (i + 1) // 2 + j - i - 1] >> (64 - LOT_BITS))

    return whole
