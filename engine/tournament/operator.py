"""What an operator does to a running event: PAIRING.md 4.

The law: every act takes an event and gives a new one; the old one is the snapshot. Nothing is ever removed from the
past: who leaves keeps his games, a corrected result keeps its old value in the note that comes back with the event,
and a round that has results is paired again only on request, its results returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.tournament.constraints import Constraints
from engine.tournament.explain import PairReason, describe_round, price_without
from engine.tournament.formats import PairedRound, format_of
from engine.tournament.formats.base import entry_dicts
from engine.tournament.model import Bye, End, Event, EventError, Game, Player, Round, Winner
from engine.tournament.pairing import cost_of_round, next_round
from engine.tournament.results import check_captures, check_result
from engine.tournament.words import Words

#: what a late entry cannot have any more, once round 1 has been played
_LATE = (
    {
        "knockout": (Words("勝ち抜き表は決まっていて、対局はありません", "the bracket is drawn; he has no game"),),
        "round-robin": (Words("総当たり表は決まっていて、対局はありません", "the table is drawn; he has no game"),),
    }
    | dict.fromkeys(
        ("m40-17-32", "m40-13-16"),
        (Words("順位リーグだけで対局します", "he plays in the placement league only"),),
    )
    | dict.fromkeys(
        ("m40-open", "m40-33-64"),
        (Words("全勝ではないので、予選リーグの1位にはなれません", "not unbeaten, so he cannot win his league"),),
    )
)


@dataclass(frozen=True, slots=True)
class Note:
    """An entry for the audit trail: what was done, what it replaced, and why."""

    what: Words
    old: str
    new: str
    reason: str


@dataclass(frozen=True, slots=True)
class ManualPrice:
    """A pairing made by hand against the best one. ``reasons``: what each of its pairs is. ``missing``: for each pair
    of the best round that was not kept, what giving it up alone would cost (None: the rules leave no other)."""

    played: object
    optimum: object
    reasons: tuple[PairReason, ...]
    missing: tuple[tuple[tuple[str, ...], int | tuple[int, ...] | None], ...]


def undo_to(event: Event, round_: int) -> tuple[Event, tuple[Round, ...]]:
    """The event as it was after round ``round_`` (0: before the first), and the rounds taken off, latest last.

    :raises EventError: if the event has no such round
    """
    if not 0 <= round_ <= len(event.rounds):
        raise EventError(f"there is no round {round_} to go back to; the event has rounds 0 to {len(event.rounds)}")
    return replace(event, rounds=event.rounds[:round_]), event.rounds[round_:]


def redo(event: Event, rounds: Sequence[Round]) -> Event:
    """The rounds that ``undo_to`` took off, put back.

    :raises EventError: if they do not follow the last round
    """
    if rounds and rounds[0].number != len(event.rounds) + 1:
        raise EventError(
            f"round {rounds[0].number} does not follow round {len(event.rounds)}; undo to the round before"
        )
    return replace(event, rounds=(*event.rounds, *rounds))


def pair_again(event: Event, keep: Sequence[int] = (), *, discard_results: bool = False) -> PairedRound:
    """The last round paired again with the games on the tables ``keep`` locked.

    :raises EventError: if a game has a result, unless ``discard_results``; if a table is unknown
    """
    if not event.rounds:
        raise EventError("no round has been paired, so there is nothing to pair again")
    draft = event.rounds[-1]
    if not discard_results and any(game.winner is not None and game.end is not End.NOT_PLAYED for game in draft.games):
        raise EventError(f"round {draft.number} already has results; confirm that they are to be set aside")
    tables = {game.table: game for game in draft.games}
    if unknown := [table for table in keep if table not in tables]:
        raise EventError(f"round {draft.number} has no table {unknown[0]}; name tables of its pairing")
    locked = tuple(tables[table].players for table in keep)
    return next_round(undo_to(event, draft.number - 1)[0], Constraints(locked=locked))


def swap(round_: Round, one: str, other: str) -> Round:
    """A drafted round in which two players have changed places.

    :raises EventError: if one is not in it or a game of theirs has a result
    """
    for name in (one, other):
        if name not in round_.players:
            raise EventError(f"{name!r} has no game and no bye in round {round_.number}, so he cannot be swapped")
    for game in round_.games:
        if game.winner is not None and {one, other}.intersection(game.players):
            raise EventError(f"round {round_.number}, table {game.table}: the game has a result; undo it first")

    def place(name: str) -> str:
        return other if name == one else one if name == other else name

    games = tuple(replace(g, black=place(g.black), white=place(g.white)) for g in round_.games)
    return replace(round_, games=games, byes=tuple(replace(b, player=place(b.player)) for b in round_.byes))


def price_of_manual(event: Event, drafted: Round) -> ManualPrice:
    """What a round made by hand costs against the best one, before it is published.

    :param event: the event without that round
    """
    best = next_round(event)
    prices = cost_of_round(replace(event, rounds=(*event.rounds, drafted)), drafted.number)
    kept = {frozenset(game.players) for game in drafted.games} | {frozenset((bye.player,)) for bye in drafted.byes}
    missing = []
    for game in best.games:
        players = (str(game["bye"]),) if "bye" in game else (str(game["black"]), str(game["white"]))
        if frozenset(players) not in kept:
            missing.append((players, price_without(event, best, players)))
    entries = entry_dicts(event, (*drafted.games, *drafted.byes))
    reasons = describe_round(event, PairedRound(drafted.number, entries, best.cost))
    return ManualPrice(prices["played"], prices["optimum"], reasons, tuple(missing))


def correct(event: Event, round_: int, game: Game, reason: str) -> tuple[Event, Note]:
    """An old result set right; standings and prices follow from the new event by themselves.

    :param game: the game as it should stand, of two players who met in that round
    :raises EventError: without a reason, if they did not meet in it, or the result is impossible
    """
    if not reason.strip():
        raise EventError("a correction needs a reason; it is kept in the audit trail")
    past = event.round(round_)
    old = next((g for g in past.games if set(g.players) == set(game.players)), None)
    if old is None:
        names = f"{event.label(game.black)} and {event.label(game.white)}"
        raise EventError(f"{names} did not meet in round {round_}; name the two players of one game")
    where = f"round {round_}, {event.label(game.black)} - {event.label(game.white)}"
    (check_captures if event.format == "chouchou" else check_result)(game, where)
    game = replace(game, table=old.table, stage=old.stage, league=old.league)
    games = tuple(game if g is old else g for g in past.games)
    rounds = tuple(replace(past, games=games) if r is past else r for r in event.rounds)
    what = Words(f"第{round_}回戦の結果を訂正", f"result of round {round_} corrected")
    return replace(event, rounds=rounds), Note(what, result_text(old), result_text(game), reason)


def result_text(game: Game) -> str:
    """ "p1 40-24 p2 (black, normal)" for the audit trail."""
    score = f"{game.black_discs}-{game.white_discs}" if game.black_discs is not None else "?-?"
    winner = game.winner.value if game.winner else "no result"
    return f"{game.black} {score} {game.white} ({winner}{', ' + game.end.value if game.end else ''})"


def withdraw(event: Event, player: str) -> Event:
    """The player leaves after the last round; his games stay, and he is paired no more."""
    return _changed(event, replace(event.player(player), withdrawn_after_round=len(event.rounds)))


def come_back(event: Event, player: str) -> tuple[Event, tuple[int, ...]]:
    """The player is paired again; the rounds he missed are written down as absences and stay without a point (no free
    points for leaving).

    :returns: the event, and the rounds he missed
    :raises EventError: if he had not left
    """
    left = event.player(player)
    if left.withdrawn_after_round is None and not left.absent:
        raise EventError(f"{left.label} has not left; there is nothing to take back")
    missed = tuple(r.number for r in event.rounds if player not in r.players)
    back = _changed(event, replace(left, withdrawn_after_round=None, absent=False))
    return _with_absences(back, player, missed), missed


def enter_late(event: Event, player: Player) -> tuple[Event, tuple[Words, ...]]:
    """A new entry at the end of the list, and what it costs him and the others.

    :raises EventError: if the id is taken or the format is over or beyond its entries
    """
    if any(player.id == p.id for p in event.players) or player.id in (team.id for team in event.teams):
        raise EventError(f"the id {player.id!r} is already used; give the late entry an id of his own")
    missed = len(event.rounds)
    late = _with_absences(replace(event, players=(*event.players, player)), player.id, range(1, missed + 1))
    if format_of(late).is_over(late):
        raise EventError("the event is over; nobody can enter")
    costs = []
    if missed:
        costs.append(Words(f"{missed}回戦分の勝点はありません", f"no points for the {missed} round(s) missed"))
        costs += _LATE.get(event.format, ())
    before, after = _byes(event), _byes(late)
    if after > before:
        costs.append(Words("次の回戦に不戦勝が一つ増えます", "the next round gets one more bye"))
    elif after < before:
        costs.append(Words("次の回戦の不戦勝がなくなります", "the next round loses its bye"))
    return late, tuple(costs)


def remove(event: Event, player: str) -> Event:
    """An entry by mistake, deleted; only who has never been paired can be.

    :raises EventError: if he has a game or a bye; withdraw him instead, so that his history stays
    """
    entry = event.player(player)
    for round_ in event.rounds:
        if player in round_.players:
            raise EventError(f"{entry.label} was paired in round {round_.number}; withdraw him, his games must stay")
    absences = {number: tuple(n for n in names if n != player) for number, names in event.options.absences.items()}
    absences = {number: names for number, names in absences.items() if names}
    options = replace(event.options, absences=absences)
    return replace(event, players=tuple(p for p in event.players if p is not entry), options=options)


def next_entries(event: Event, paired: PairedRound) -> Round:
    """A paired round as a round of the event file, ready to be played, swapped or priced."""
    games: list[Game] = []
    byes: list[Bye] = []
    for data in paired.games:
        stage = next(s for s in format_of(event).stages if s.value == data["stage"])
        league = str(data["league"]) if data.get("league") is not None else None
        if "bye" in data:
            byes.append(Bye(str(data["bye"]), stage, league))
            continue
        game = Game(str(data["black"]), str(data["white"]), stage, int(str(data["table"])), league)
        if data.get("winner") is not None:
            game = replace(
                game,
                winner=Winner(str(data["winner"])),
                black_discs=int(str(data["black_discs"])),
                white_discs=int(str(data["white_discs"])),
                end=End(str(data["end"])),
                rated=bool(data.get("rated")),
            )
        games.append(game)
    return Round(paired.round, tuple(games), tuple(byes))


def miss_rounds(event: Event, player: str, rounds: Sequence[int]) -> Event:
    """The player is away in these rounds: neither a game nor a bye nor a point, and nobody is due to meet him.

    :raises EventError: if he has a game or a bye in one of them
    """
    entry = event.player(player)
    for round_ in event.rounds:
        if round_.number in rounds and player in round_.players:
            raise EventError(f"{entry.label} was paired in round {round_.number}; correct the game instead")
    return _with_absences(event, player, rounds)


def _with_absences(event: Event, player: str, rounds: Sequence[int]) -> Event:
    absences = dict(event.options.absences)
    for number in rounds:
        known = absences.get(str(number), ())
        absences[str(number)] = known if player in known else (*known, player)
    return replace(event, options=replace(event.options, absences=absences))


def _byes(event: Event) -> int:
    return sum("bye" in game for game in next_round(event).games)


def _changed(event: Event, player: Player) -> Event:
    return replace(event, players=tuple(player if p.id == player.id else p for p in event.players))
