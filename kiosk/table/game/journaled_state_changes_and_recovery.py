"""The table's state with its journal, and its recovery from the journal at a start.

- The journal contains the whole game. The recovered state equals the loop's, except for unfinished set-up answers.
- A game in progress comes back paused (promise 2); its clock is charged up to the last instant in the journal.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.board.variants import STANDARD
from engine.copy_with_changes import replace
from engine.i18n import say
from engine.match import MatchState, Phase, Seat
from engine.match.chouchou_multiplayer_and_score_board import captured_by
from engine.match.match_events_and_effects import Event, SeatsAssigned
from hardware.reading_stability_filter import SquareFault
from hardware.real_and_simulated_time import TimeBase
from kiosk.link.errors import UnfollowableRecordError
from kiosk.link.game_replay_and_event_encoding import ReplayedGame, frees_seats, replay_record
from kiosk.link.link_messages import ArbiterScreenEvent, Assignment, Configuration, TroubleInfo, from_dict, to_dict
from kiosk.table.journal.journal_and_link_outbox import Journal
from kiosk.table.journal.segment_files_and_recovery import JournalEntry, RecoveredJournal
from kiosk.table.state import SetupStep, TableState, TableTrouble
from kiosk.table.state.arbiter_screen_state import Pin
from kiosk.table.state.display_languages import languages_between_games, languages_of_players

#: phases in which no clock runs and a restart changes nothing
AT_REST = frozenset({Phase.SETUP, Phase.READY, Phase.RESULT, Phase.SIGNED, Phase.SUBMITTED, Phase.HOLD})
#: types of the records of a game
_GAME_RECORDS = frozenset({"assigned", "seated", "event", "card"})


@dataclass(frozen=True, slots=True)
class WithdrawnGame:
    """Place in the journal of a game that the head took away at ``at_ns``: from the record ``first``, its ``assigned``,
    to ``last``.
    """

    first: int
    last: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class RecoveredState:
    """The table's state after its journal. ``done``: ids of the commands that have an outcome, carried out or not.
    ``first``: the record with which the present game begins; ``card_seq``: the one with its card. ``withdrawn``: by
    game, the last time that it was taken away.
    """

    state: TableState
    done: frozenset[str] = frozenset()
    first: int = 0
    card_seq: int | None = None
    withdrawn: Mapping[str, WithdrawnGame] = field(default_factory=dict)


def recover_state(state: TableState, entries: Sequence[JournalEntry]) -> RecoveredState:
    """Return ``state`` after everything in ``entries``. An event that this version refuses raises an error. Events of
    finished games are not replayed, as the next game does not depend on them.

    :raises UnfollowableRecordError: a record of this journal is not one of this version's.
    """
    done: set[str] = set()
    first, card_seq = 0, None
    withdrawn: dict[str, WithdrawnGame] = {}
    game = ReplayedGame(state.assignment, state.player_at, state.seated_early, state.match)
    present = max((n for n, entry in enumerate(entries) if entry.type in ("assigned", "withdrawn")), default=0)
    for n, entry in enumerate(entries):
        if entry.type == "event" and n < present:
            continue
        before, game = game, replay_record(game, entry, entry.at_ns)
        match entry.type:
            case "assigned":
                known = withdrawn.get(game.name)
                returned = known if known and entry.at_ns < known.at_ns else None  # one that begins anew begins later
                state = with_game(state, game, None if returned is None else returned.at_ns)
                first, card_seq = entry.seq, None
            case "withdrawn":
                withdrawn[before.name] = WithdrawnGame(first, entry.seq - 1, entry.at_ns)
                state = with_game(state, game)
                first, card_seq = 0, None
            case "seated":
                state = with_seats(state, dict(game.player_at))
            case "event" if game.match is not None:
                state = replace(
                    state, match=game.match, captures=captured_by(game.match), player_at=dict(game.player_at)
                )
            case "card":
                card_seq = entry.seq
            case "command":
                done.add(entry.body["id"])
            case "configured":
                state = with_configuration(state, from_dict(Configuration, entry.body))
            case "arbiter":
                state = after_arbiter_action(state, from_dict(ArbiterScreenEvent, entry.body), entry.at_ns)
            case _:
                pass
    return RecoveredState(replace(state, step=next_step(state)), frozenset(done), first, card_seq, withdrawn)


def of_game(entries: Sequence[JournalEntry]) -> list[JournalEntry]:
    """Return the game's records among ``entries``, which begin with its ``assigned``."""
    return [entry for entry in entries if entry.type in _GAME_RECORDS]


def may_go_on(record: Sequence[JournalEntry], assignment: Assignment) -> bool:
    """Return whether ``assignment`` continues the game of ``record``: with the same players and set-up, and not
    submitted. A submitted game is assigned again only to be played again.
    """
    try:
        state = recover_state(TableState(table=assignment.table), record).state
    except UnfollowableRecordError:  # of an older version, and therefore over
        return False
    had, match = state.assignment, state.match
    is_same = had is not None and _set_up(had) == _set_up(assignment)
    return is_same and match is not None and match.phase is not Phase.SUBMITTED


def _set_up(game: Assignment) -> tuple[object, ...]:
    players = [player.id for player in game.players]
    return game.game, players, game.rules, game.stage, game.main_s, game.designated, game.options


def is_over(recovered: RecoveredJournal, has_head: bool) -> bool:
    """Return whether nothing in a journal is needed: the head has everything, and no game is in progress."""
    known = not has_head or recovered.acknowledged == len(recovered.entries)
    match = recover_state(TableState(table=0), recovered.entries).state.match
    return known and (match is None or match.phase in (Phase.SIGNED, Phase.SUBMITTED))


def with_game(state: TableState, game: ReplayedGame, returned_ns: int | None = None) -> TableState:
    """Return the state with another game, its seats still open, or with none. ``returned_ns``: when the game was taken
    away from this table before.
    """
    fresh = replace(
        state,
        assignment=game.assignment,
        match=game.match,
        step=None,
        player_at={},
        seated_early=False,
        returned_ns=returned_ns,
        black_seat=None,
        menu={},
        black_count=32 if game.match is None else game.match.squares // 2,
        captures=(0, 0) if game.match is None else captured_by(game.match),
        counting=False,
        languages=languages_between_games(state),
    )
    return replace(fresh, step=next_step(fresh))


def with_seats(state: TableState, at: dict[Seat, int]) -> TableState:
    """Return the state with the seating: seat -> index into the assignment's players; empty if it is not known any
    more.
    """
    early = state.match is None or state.match.late is None
    return replace(state, player_at=at, seated_early=early, languages=languages_of_players(state, at))


def after_step(state: TableState, event: Event, match: MatchState) -> TableState:
    """Return the state after a step of the match: a new phase starts a new menu, and a reopened set-up its first
    question.
    """
    assert state.match is not None
    same, freed = match.phase is state.match.phase, frees_seats(event, match, state.seated_early)
    state = replace(state, match=match, menu=state.menu if same else {}, player_at={} if freed else state.player_at)
    if match.phase is not Phase.SETUP or (same and not freed):
        return state
    return replace(state, step=next_step(state), black_seat=None)


def known_seats(state: TableState) -> SeatsAssigned | None:
    """Return the seats that are already known: M43-12.1 before M43-4, where a player was late, the seats are fixed from
    the start of that player's clock. If the colours are given (M43-1), nothing is left to ask on the arrival.
    """
    match = state.match
    if match is None or match.phase is not Phase.SETUP or not state.designated or not state.seats_stand:
        return None
    black = next(seat for seat, player in state.player_at.items() if player == 0)
    return SeatsAssigned(match.clock.since_ns, black, None)


def with_configuration(state: TableState, configuration: Configuration) -> TableState:
    """Return the state with the head's settings for its tables. Without a PIN from the head, the table's own stays."""
    if not configuration.arbiter_pin:
        return state
    return replace(state, pin=Pin(configuration.arbiter_pin, configuration.pin_digits))


def after_arbiter_action(state: TableState, what: ArbiterScreenEvent, at_ns: int) -> TableState:
    """Return the state after an action on the arbiter's screen, as far as it concerns the table and not the game."""
    match what.act:
        case "wrong-pin":
            return replace(state, pin=state.pin.after_wrong(at_ns))
        case "opened":
            return replace(state, pin=state.pin.after_right())
        case "equipment":
            touch = frozenset(seat for seat in Seat if f"touch-{seat}" in what.on)
            return replace(
                state,
                touch_ordered=touch,
                by_touch=touch,
                audible=frozenset(seat for seat in Seat if f"audible-{seat}" in what.on),
                silenced="silenced" in what.on,
                one_operates="one-operates" in what.on,
            )
        case _:
            return state


def next_step(state: TableState) -> SetupStep | None:
    """Return the step of the set-up that follows from what is settled."""
    match: MatchState | None = state.match
    if match is None or match.phase is not Phase.SETUP:
        return None
    return SetupStep.ASK_BLACK if state.designated or state.player_at else SetupStep.ASK_PLAYER_A


class JournaledTable:
    """The table's state with its journal. ``state`` is the latest value; other threads read it, or wait for the next.

    Every event is in the journal before it is in the state, and "saved" on the screen means that the journal has it on
    disk (promise 2). The table's own state (a menu, a countdown) is not journaled.
    """

    def __init__(self, state: TableState, journal: Journal, time_base: TimeBase) -> None:
        self.state = state
        self.journal = journal
        self.time = time_base
        self.version = 0
        self._last_seq = 0
        self._changed = threading.Condition()

    def change(self, **fields: Any) -> None:
        self.state = replace(self.state, **fields)

    def write(self, kind: str, body: dict[str, object], at_ns: int | None = None) -> int:
        """Queue a record for the disk and the head; never waits for either."""
        seq = self.journal.append(kind, body, self.time.now_ns() if at_ns is None else at_ns)
        self._last_seq = seq
        self.change(saved=False, unsynced=self.state.unsynced + 1)
        return seq

    # --- marks -----------------------------------------------------------------------------------------------------

    def note_saved(self, seq: int) -> None:
        if seq >= self._last_seq and not self.state.saved:
            self.change(saved=True)

    def note_acknowledged(self, seq: int) -> None:
        unsynced = max(0, self.journal.appended - seq)
        if unsynced != self.state.unsynced:  # each ping of a table without new records is answered with the same number
            self.change(unsynced=unsynced)

    def note_troubles(self, source: str, troubles: tuple[TroubleInfo, ...]) -> None:
        """Set all present alarms of one source. A new one is recorded, so that the head receives it; one of the link
        would arrive when it is over.
        """
        others = tuple(trouble for trouble in self.state.troubles if trouble.source != source)
        mine = tuple(TableTrouble(trouble.kind, trouble.text, source) for trouble in troubles)
        if others + mine == self.state.troubles:
            return
        for trouble in mine:
            if trouble not in self.state.troubles and source != "link":
                self.write("trouble", to_dict(TroubleInfo(trouble.kind, trouble.text)))
        self.change(troubles=others + mine)

    def note_squares(self, trouble: SquareFault) -> None:
        bad = sorted({*trouble.flickering, *trouble.dead})
        names = " ".join(STANDARD.geometry.square_names[square] for square in bad)
        alarm = TroubleInfo("board-squares", say("Squares {names} of the board cannot be read.", names=names))
        self.note_troubles("board-squares", (alarm,) if bad else ())

    # --- watching --------------------------------------------------------------------------------------------------

    def publish(self) -> None:
        with self._changed:
            self.version += 1
            self._changed.notify_all()

    def wait_for_change(self, seen: int, timeout_s: float | None) -> int:
        """Wait until the state has changed since version ``seen``, or the timeout; return the present version."""
        with self._changed:
            self._changed.wait_for(lambda: self.version != seen, timeout_s)
            return self.version
