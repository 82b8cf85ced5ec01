"""One table's game as JSON (``othello-live/1``), for the broadcast's pages, overlays, streams and the relay;
and the cache of all tables' documents.

It is made from a spectator's card only, so it contains only what the division shows to spectators. A running clock
comes with the instant it counts from, and with what a viewer needs to count as the table does.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Literal, cast

import msgspec

from engine.board.color import Color
from engine.board.errors import BoardError
from engine.board.opening_recognition import recognise
from engine.board.position import Position
from engine.board.transcript import plies
from engine.board.variants import PLAYABLE, STANDARD, VARIANTS, shape_of
from engine.end_reason import EndReason
from engine.i18n import Text
from engine.match.game_clock import Clock
from engine.match.match_value_types import CompletedTurn, TurnKind
from engine.tournament.event_model import Player
from engine.tournament.player_entry_fields import in_latin_letters
from engine.tournament.standings_and_tie_breaks import ENDINGS
from kiosk.head.desk import Desk
from kiosk.head.event.publication_redaction_and_latin_names import public_division
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.head.tables.public_and_arbiter_table_cards import HIDDEN, Seen, TableCard, public_cards
from kiosk.head.tables.table_view_data import NS_PER_MS, ColorName, PlayerClock
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.records.game_file_formats import GameRecord

SCHEMA: Literal["othello-live/1"] = "othello-live/1"
WinnerName = Literal["black", "white", "draw"]
Table = Annotated[int, msgspec.Meta(ge=1, le=65_535)]
State = Literal["free", "waiting", "hidden", "playing", "over"]
Cells = Annotated[str, msgspec.Meta(pattern=r"^[XO-]{16,100}$")]
#: the variant of a game by its start; a game from the empty board has no limit of discs here
_VARIANT_OF = {VARIANTS[name].start: VARIANTS[name] for name in reversed(PLAYABLE)}
_PASSES = frozenset({TurnKind.PASS, TurnKind.FALSE_PASS})


class BilingualText(msgspec.Struct, frozen=True):
    ja: str
    en: str


class PlayerSide(msgspec.Struct, frozen=True, kw_only=True):
    """A player at the table. ``left_ms``: at ``heard_ms`` of the game; ``latin``: the name on English pages, where that
    is another one.
    """

    id: str
    name: str
    latin: str | msgspec.UnsetType = msgspec.UNSET
    # fields that a venue may leave out
    club: str = ""
    grade: str = ""
    country: str = ""
    color: ColorName | None
    left_ms: Annotated[int, msgspec.Meta(ge=0)] | None
    running: bool
    periods: Annotated[int, msgspec.Meta(ge=0)]
    draw_right: bool
    discs: Annotated[int, msgspec.Meta(ge=0, le=100)] | None


class ClockControl(msgspec.Struct, frozen=True):
    kind: str
    step_ms: int
    free_ms: int


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn. ``move``: the square as on a transcript, ``--`` for a pass, ``?`` for an unknown turn."""

    by: ColorName
    move: Annotated[str, msgspec.Meta(pattern=r"^([a-j]([1-9]|10)|--|\?)$")]
    ms: int | msgspec.UnsetType = msgspec.UNSET
    changes: Annotated[str, msgspec.Meta(pattern=r"^([XO-]([a-j]([1-9]|10))+)*$")] | msgspec.UnsetType = msgspec.UNSET


class PositionEvaluation(msgspec.Struct, frozen=True):
    """An evaluation: discs that Black is ahead by; ``by``: the program that computed it."""

    black: float
    exact: bool
    by: str


class LiveGame(msgspec.Struct, frozen=True, kw_only=True):
    """One table's document."""

    schema: Literal["othello-live/1"] = SCHEMA
    table: Table
    game: str | None
    division: str
    title: BilingualText
    round: int | None
    label: BilingualText | None
    state: State
    phase: str | None
    sides: Annotated[list[PlayerSide], msgspec.Meta(max_length=2)]
    control: ClockControl | None
    heard_ms: int
    start: Cells | None
    board: Cells | None
    moves: Annotated[list[Move], msgspec.Meta(max_length=300)]
    opening: BilingualText | None
    score: Annotated[list[int], msgspec.Meta(min_length=2, max_length=2)] | None
    winner: WinnerName | None
    end: BilingualText | None
    worth: PositionEvaluation | None


class GameIndexEntry(msgspec.Struct, frozen=True):
    table: Table
    number: str
    state: str
    names: Annotated[list[str], msgspec.Meta(max_length=2)]


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """List of the games at a broadcast target, by the venue's game time."""

    schema: Literal["othello-live/1"] = SCHEMA
    now_ms: int
    every_ms: Annotated[int, msgspec.Meta(ge=500, le=60_000)]
    slots: dict[str, Table]
    games: list[GameIndexEntry]


def document(card: TableCard, people: Mapping[str, Player], worth: PositionEvaluation | None = None) -> LiveGame:
    """Return the document of a card. ``people``: the division's players by id, as they may be public. ``worth``: the
    evaluation, if known.
    """
    view, game, outcome = card.view, card.game, card.game.outcome if card.game else None
    moves = _moves(view.turns)
    opening = _opening(moves) if view.start_board in (None, STANDARD.start) else None
    return LiveGame(
        table=card.number,
        game=None if game is None else game.id,
        division=card.division,
        title=BilingualText(card.title[0] or card.title[1], card.title[1] or card.title[0]),
        round=None if game is None else game.round,
        label=None if card.label is None else _bilingual(card.label),
        state=_state(card),
        phase=card.phase,
        sides=[_player_side(side, card, people.get(side.id)) for side in card.sides],
        control=_control(view.clock),
        heard_ms=view.heard_ms,
        start=view.start_board,
        board=view.board,
        moves=list(_lines(view.turns, moves, view.times, view.start_board)),
        opening=None if opening is None else _bilingual(opening),
        score=None if card.score is None else list(card.score),
        winner=None
        if outcome is None or outcome.winner == "neither"
        else cast(WinnerName, outcome.winner),  # validated when the result was accepted
        end=None if outcome is None or outcome.end in (None, EndReason.NORMAL) else _bilingual(ENDINGS[outcome.end]),
        worth=worth,
    )


def _bilingual(text: Text) -> BilingualText:
    return BilingualText(render(text, JAPANESE), render(text, ENGLISH))


def _state(card: TableCard) -> State:
    if card.game is None:
        return "free"
    if card.game.outcome is not None:
        return "over"
    if card.phase == HIDDEN:
        return "hidden"
    return "waiting" if card.view.clock is None else "playing"


def _player_side(side: PlayerClock, card: TableCard, player: Player | None) -> PlayerSide:
    view = card.view
    found = None if view.clock is None or side.seat is None else view.clock.side(side.seat)
    latin = None if player is None else in_latin_letters(player).name
    return PlayerSide(
        id=side.id,
        name=side.name,
        latin=msgspec.UNSET if player is None or latin in (None, player.name) else latin,
        club="" if player is None else player.club or "",
        grade="" if player is None else player.grade or "",
        country="" if player is None else player.country or "",
        color=side.color,
        left_ms=side.left_ms,
        running=side.running,
        periods=0 if found is None else found.periods_not_begun,
        draw_right=view.draw_right is not None and view.draw_right.value == side.color,
        discs=None if view.board is None or side.color is None else view.board.count(_CELL[side.color]),
    )


_CELL = {"black": Color.BLACK.symbol, "white": Color.WHITE.symbol}


def _control(clock: Clock | None) -> ClockControl | None:
    if clock is None:
        return None
    return ClockControl(clock.control.kind.value, clock.control.step_ns // NS_PER_MS, clock.free_ns // NS_PER_MS)


def _moves(turns: tuple[CompletedTurn, ...]) -> tuple[str, ...]:
    """Return the squares as on a transcript, ``--`` for a pass, ``?`` for an unknown turn."""
    return tuple(turn.move or ("--" if turn.kind in _PASSES else "?") for turn in turns)


def _lines(
    turns: tuple[CompletedTurn, ...], moves: tuple[str, ...], times: tuple[int, ...], start: str | None
) -> Iterator[Move]:
    before = start
    for at, (turn, move) in enumerate(zip(turns, moves, strict=True)):
        changed = msgspec.UNSET if turn.after is None else board_changes(before, turn.after)
        yield Move(turn.by.value, move, times[at] if at < len(times) else msgspec.UNSET, changed)
        before = turn.after or before


def board_changes(before: str | None, after: str) -> str:
    """Return the changed squares: ``Xf5e5`` turned black, ``O…`` white, ``-…`` empty."""
    found: dict[str, str] = {}
    for square, (name, cell) in enumerate(zip(shape_of(after).square_names, after, strict=True)):
        if before is None or before[square] != cell:
            found[cell] = found.get(cell, "") + name
    return "".join(cell + squares for cell, squares in sorted(found.items()))


def game_record(shown: LiveGame, event: str, date: str) -> GameRecord:
    """Return a document as a game record: the moves as far as they are legal, with their times."""
    moves, spent = [], []
    start = Position.start(_VARIANT_OF.get(shown.start or "", STANDARD))
    try:
        for move, _ in plies((None if line.move == "--" else line.move for line in shown.moves), start):
            moves.append(move)
    except BoardError:
        pass  # moves that are not legal have no record
    if len(moves) == len(shown.moves):
        spent = [line.ms for line in shown.moves if line.ms is not msgspec.UNSET]
    names = {side.color: side.name for side in shown.sides}
    black, white = names.get("black", ""), names.get("white", "")
    discs = None if shown.score is None else shown.score[0]
    round_ = "" if shown.round is None else str(shown.round)
    return GameRecord(start, tuple(moves), event, date, black, white, discs, round_, tuple(spent))


@lru_cache(maxsize=1024)
def _opening(moves: tuple[str, ...]) -> Text | None:
    found = recognise(None if move == "--" else move for move in moves)
    return None if found is None else found.name


# All games as JSON documents, computed once for all viewers.
#
# A document is made from a spectator's card (``public_cards``), so nothing is published before its time. It is
# made again, with a new number, only when its content changes. However many viewers there are, the tables are read
# once.

#: requests within this time, in seconds, or within this many times the last duration share one reading: a busy head
#: reads less often, so that no acknowledgement waits for spectators
LOOK_S, SHARE = 0.2, 4

#: evaluation of the position on a spectator's card, or None
Worthy = Callable[[TableCard], PositionEvaluation | None]


@dataclass(frozen=True, slots=True)
class BroadcastView:
    """One table's document. ``text``: as JSON; ``number``: changes with the content."""

    number: int
    text: str
    document: LiveGame


class Broadcast:
    """The documents of all tables. May be called from any thread."""

    def __init__(self, desk: Desk, live: LiveTables, worth: Worthy = lambda card: None) -> None:
        self._desk, self._live, self._worth = desk, live, worth
        self._lock = threading.Lock()
        self._not_before_s = 0.0
        self._shown: dict[int, BroadcastView] = {}
        self._made: dict[int, tuple[TableCard, object, object]] = {}
        self._seen: Seen = {}
        self._people: dict[str, tuple[DivisionState, Mapping[str, Player]]] = {}

    def now_ms(self) -> int:
        """Return the game time to which documents refer."""
        return self._live.now_ms()

    def slots(self) -> Mapping[str, int]:
        """Return the tables of the desk's addresses, by name."""
        return self._desk.state.slots

    def table_of(self, name: str) -> int | None:
        """Return the table of an address: a slot's, or its number."""
        if name.isascii() and name.isdigit() and len(name) < 6:
            return int(name)
        return self.slots().get(name)

    def documents(self) -> Mapping[int, BroadcastView]:
        """Return the current documents, by table."""
        with self._lock:
            began_s = time.monotonic()
            if began_s < self._not_before_s:
                return self._shown
            now: dict[int, BroadcastView] = {}
            for card in public_cards(self._desk, self._live, self._seen):
                now[card.number] = self._document(card)
            ended_s = time.monotonic()
            self._shown, self._not_before_s = now, ended_s + max(LOOK_S, SHARE * (ended_s - began_s))
            return now

    def _document(self, card: TableCard) -> BroadcastView:
        people, worth, number = self._players_by_side(card), self._worth(card), card.number
        before, made = self._shown.get(number), self._made.get(number)
        if before is not None and made is not None and made[1] is people and made[2] == worth and made[0] == card:
            return before
        self._made[number] = card, people, worth
        body = document(card, people, worth)
        text = msgspec.json.encode(body).decode()
        if before is not None and before.text == text:
            return before
        return BroadcastView(1 if before is None else before.number + 1, text, body)

    def _players_by_side(self, card: TableCard) -> Mapping[str, Player]:
        state = self._desk.state
        division = state.divisions.get(card.division)
        if division is None:
            return {}
        shown, known = public_division(division, state.date), self._people.get(division.slug)
        if known is None or known[0].event is not shown.event:
            known = self._people[division.slug] = shown, shown.players()
        return known[1]
