"""The game at this table: the only place where the match takes a step or a command of the head is carried out.

- An event that the rules accept is journaled with its time. One that they refuse changes nothing and is logged.
- A command of the head is carried out once, and its outcome is a record.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from msgspec import structs

from engine.board.color import Color
from engine.board.variants import STANDARD
from engine.i18n import Text, say
from engine.match import IllegalEvent, MatchState, Phase, Seat, step
from engine.match import match_events_and_effects as match_events
from engine.match.arbiter_order_specs_and_parser import read_order
from engine.match.rule_sets_and_options import read_options
from hardware.reading_stability_filter import StableReading
from kiosk.link import link_messages as messages
from kiosk.link.errors import MessageError
from kiosk.link.game_replay_and_event_encoding import NO_GAME, ReplayedGame, event_to_dict, initial_state, replay_record
from kiosk.table.board_sources.board_source_interface_and_factory import BoardSource
from kiosk.table.board_sources.doubtful_board_readings import BoardLook, evaluate_match_reading, start_position_alarm
from kiosk.table.game import chouchou_capture_count_entry
from kiosk.table.game import journaled_state_changes_and_recovery as recovery
from kiosk.table.journal.segment_files_and_recovery import JournalEntry
from kiosk.table.state import SetupStep, TableState
from kiosk.table.state.recent_games import seconds_of_moves

#: request number that belongs to no press; presses count from 1
NO_PRESS = 0

_NAMELESS = messages.TroubleInfo(
    "card-nameless", say("The game ended before it was known who sits where. Enter its result at the head table.")
)

log = logging.getLogger(__name__)


class TableGame:
    """The game, with its state recovered from the journal. A running game comes back paused (promise 2)."""

    def __init__(self, table: recovery.JournaledTable, board: BoardSource | None) -> None:
        self._table = table
        self._board = board
        #: the press whose board is read again, and its earlier reading
        self._doubtful: tuple[int, BoardLook] | None = None
        #: the reading at the last press of this game
        self._earlier: str | None = None
        recovered = recovery.recover_state(table.state, table.journal.recovered.entries)
        table.state = recovered.state
        self._done, self._withdrawn = set(recovered.done), dict(recovered.withdrawn)
        self._first, self._card_seq = recovered.first, recovered.card_seq
        self._restore_game()

    @property
    def match(self) -> MatchState | None:
        return self._table.state.match

    @property
    def is_running(self) -> bool:
        return self.match is not None and self.match.clock.running is not None

    # --- the match -------------------------------------------------------------------------------------------------

    def notify_all(self, events: tuple[match_events.Event, ...]) -> bool:
        return all(self.notify(event) for event in events)

    def notify(self, event: match_events.Event) -> bool:
        """Apply one event to the match and journal it. Return False, with a line in the log, if the rules refuse it."""
        match, assignment = self.match, self._table.state.assignment
        if match is None or assignment is None:
            return False
        try:
            after, effects = step(match, event)
        except IllegalEvent as error:
            log.info("refused: %s", error)
            return False
        if after is not match:
            body = {"game": assignment.game, "revision": after.revision, "event": event_to_dict(event)}
            self._table.write("event", body, event.at_ns)
            self._table.state = recovery.after_step(self._table.state, event, after)
            if isinstance(event, match_events.CapturePenalty):
                self._table.change(
                    captures=chouchou_capture_count_entry.after_penalty(self._table.state.captures, match, after)
                )
            if Phase.READY in (match.phase, after.phase):
                self._check_start_position()
        for effect in effects:
            self._execute_effect(effect)
        self._settle_known_seats()
        return True

    def _settle_known_seats(self) -> None:
        if (seats := recovery.known_seats(self._table.state)) is not None:
            self._table.change(step=None)
            self.notify(seats)

    def _check_start_position(self) -> None:
        alarm = start_position_alarm(self.match)
        self._table.note_troubles("board-start", () if alarm is None else (alarm,))

    def _execute_effect(self, effect: match_events.Effect) -> None:
        match effect:
            case match_events.ReadBoard(number):
                if self._board is not None:
                    self._board.ask(number)
            case match_events.CardReady():
                self._submit_card()
            case match_events.CallArbiter(why):
                log.warning("the arbiter is called: %s", why)
            case match_events.ViolationRecorded(finding):
                log.info("finding filed at ply %d: %s", finding.ply, finding.kind)
            case _:
                assert_never(effect)

    def _submit_card(self) -> None:
        """Submit the card. A game that ended before it was known who sits where has a result but no names; the desk
        enters it.
        """
        if not self._table.state.player_at:
            self._table.note_troubles("card", (_NAMELESS,))
            return
        card = card_of(self._table.state, self._table.time.now_ns())
        self._card_seq = self._table.write("card", messages.to_dict(card))

    def read_board(self, reading: StableReading) -> None:
        """Handle a board reading. The rules need a complete board: a reading whose unreadable squares cannot be filled
        in for certain is dropped, and its turn counts as not read when the next one is read. A doubtful one waits for a
        second reading.
        """
        if self.match is None:
            return
        number, first = reading.answers, None
        if self._doubtful is not None and self._doubtful[0] == number:
            first, self._doubtful = self._doubtful[1], None
        answer = evaluate_match_reading(self.match, reading.cells, number, self._earlier, first)
        if number is not None and answer.needs_repeat and self._ask_again(number):
            self._doubtful = (number, answer)
            return
        if number is not None:
            self._earlier = answer.seen
        if answer.cells is None:
            log.info("a reading with blind squares could not be filled in")
            return
        if not answer.is_acceptable:
            log.info("two looks did not see all where something may have been done")
            return
        self.notify(match_events.BoardReported(max(reading.at_ns, self.match.clock.since_ns), answer.cells, number))

    def _ask_again(self, number: int) -> bool:
        return self._board is not None and self._board.ask_again(number)

    def _restore_game(self) -> None:
        """Restore the game after a start: a running game is paused at the last instant in the journal. If power failed
        while the record of a returned game was written again, the rest of it is written now."""
        last_ns, returned_ns = self._table.journal.recovered.in_play_ns, self._table.state.returned_ns
        if returned_ns is not None:
            assert self._table.state.assignment is not None
            written = len(recovery.of_game(self._table.journal.entries(self._first)))
            missing = self._write_again(self._record_of(self._table.state.assignment.game)[written:])
            recovered = recovery.recover_state(self._table.state, missing)
            self._table.state, self._card_seq = recovered.state, recovered.card_seq or self._card_seq
            if self.match is not None and self.match.clock.since_ns <= returned_ns:
                last_ns = returned_ns
        if last_ns is not None:
            self._pause(last_ns)

    def _pause(self, last_ns: int) -> None:
        match = self.match
        if match is not None and (match.phase not in recovery.AT_REST or match.pending):
            self.notify(match_events.Restart(max(last_ns, match.clock.since_ns)))
        self._settle_known_seats()

    # --- its beginning and its end ---------------------------------------------------------------------------------

    def begin(self, assignment: messages.Assignment) -> None:
        """Begin a new game, assigned by the head or, without one, by the table itself; or one that the head assigns
        again, which continues from its record, paused since it was withdrawn. That record is written again, so that
        a reader who begins at an ``assigned`` record has the whole game."""
        record = self._record_of(assignment.game)
        if record and recovery.may_go_on(record, assignment):
            began_ns, is_read = record[0].at_ns, bool(record[0].body["has_board_source"])
            returned_ns = self._withdrawn[assignment.game].at_ns
        else:
            began_ns, is_read, returned_ns = self._table.time.now_ns(), self._is_read(assignment), None
        assigned = messages.Assigned(assignment, is_read)
        game = ReplayedGame(assignment, match=initial_state(assigned, began_ns))
        self._doubtful = self._earlier = None
        self._table.note_troubles("card", ())
        self._first = self._table.write("assigned", messages.to_dict(assigned), began_ns)
        written = [] if returned_ns is None else self._write_again(record[1:])
        recovered = recovery.recover_state(recovery.with_game(self._table.state, game, returned_ns), written)
        self._table.state, self._card_seq = recovered.state, recovered.card_seq
        if returned_ns is not None:
            self._pause(returned_ns)
        self._check_start_position()
        if self._board is not None:
            self._board.ask(NO_PRESS)  # the reading left from the last game does not apply to this one

    def _record_of(self, game: str) -> list[JournalEntry]:
        """Return what the journal has of a game that the head took away."""
        place = self._withdrawn.get(game)
        return [] if place is None else recovery.of_game(self._table.journal.entries(place.first, place.last))

    def _write_again(self, record: Sequence[JournalEntry]) -> list[JournalEntry]:
        """Write the records of the present game from its earlier assignment again; return them as written."""
        return [structs.replace(entry, seq=self._table.write(entry.type, entry.body, entry.at_ns)) for entry in record]

    def seat_black(self, black: Seat) -> None:
        """Note on a free clock that Black sits at ``black``, as if Black had pressed there."""
        self.assign({black: 0, black.other: 1})
        if self._table.state.asks_draw_right:
            self._table.change(step=SetupStep.ASK_DRAW_RIGHT, black_seat=black)
        else:
            self.notify(match_events.SeatsAssigned(self._table.time.now_ns(), black, None))

    @property
    def seconds_of_moves(self) -> tuple[int, ...]:
        """The seconds that each move took, if all are known."""
        steps = list[tuple[MatchState, match_events.Event, MatchState]]()
        game = NO_GAME
        for entry in recovery.of_game(self._table.journal.entries(self._first)):
            before, game = game, replay_record(game, entry, entry.at_ns)
            if before.match is not None and game.match is not None and game.event is not None:
                steps.append((before.match, game.event, game.match))
        return () if self.match is None else seconds_of_moves(steps, self.match)

    def _is_read(self, assignment: messages.Assignment) -> bool:
        """Return whether the board of this game can be read: a transcriber taps on any board; sensors and camera have 8
        by 8 squares.
        """
        shape = read_options(assignment.options, assignment.rules).variant.geometry
        return self._table.state.sheet is not None or (self._board is not None and shape == STANDARD.geometry)

    def assign(self, at: dict[Seat, int]) -> None:
        """Note who sits where: seat -> index into the assignment's players."""
        assignment = self._table.state.assignment
        assert assignment is not None
        self._table.write("seated", {"game": assignment.game, "at": {str(seat): index for seat, index in at.items()}})
        self._table.state = recovery.with_seats(self._table.state, at)
        self._table.change(step=recovery.next_step(self._table.state))

    def _withdraw(self, game: str | None) -> None:
        assert self._table.state.assignment is not None
        now_ns = self._table.time.now_ns()
        seq = self._table.write("withdrawn", {"game": game}, now_ns)
        self._withdrawn[self._table.state.assignment.game] = recovery.WithdrawnGame(self._first, seq - 1, now_ns)
        self._table.state = recovery.with_game(self._table.state, NO_GAME)
        self._first, self._card_seq = 0, None

    def note_acknowledged(self, seq: int) -> None:
        """Note that the head has the records up to ``seq``; if the card is among them, it is submitted."""
        self._table.note_acknowledged(seq)
        delivered = self._card_seq is not None and seq >= self._card_seq
        if delivered and self.match is not None and self.match.phase is Phase.SIGNED:
            self.notify(match_events.Submitted(self._table.time.now_ns()))

    # --- the head --------------------------------------------------------------------------------------------------

    def execute(self, command: messages.Command) -> None:
        """Carry out a command once. Its outcome is a record, so that the head receives it even after a power cut."""
        if command.id in self._done:
            return
        done = messages.CommandDone(command.id, "applied")
        if command.expires_s is not None and command.expires_s <= 0:
            done = messages.CommandDone(command.id, "expired", say("it came too late"))
        elif refusal := command_refusal(self._table.state, command):
            done = messages.CommandDone(command.id, "refused", refusal)
        elif not self._carry_out(command):
            done = messages.CommandDone(command.id, "refused", say("the rules do not allow it at this moment"))
        self._done.add(command.id)
        self._table.write("command", messages.to_dict(done))

    def _carry_out(self, command: messages.Command) -> bool:
        """Carry out a command that ``command_refusal`` does not refuse. Return False if the rules do not allow it."""
        now_ns = self._table.time.now_ns()
        match command.kind:
            case "assign":
                self.begin(messages.from_dict(messages.Assignment, command.body))
            case "configure":
                configuration = messages.from_dict(messages.Configuration, command.body)
                self._table.write("configured", messages.to_dict(configuration))
                self._table.state = recovery.with_configuration(self._table.state, configuration)
            case "withdraw":
                self._withdraw(command.game)
            case "hold":
                reason = str(command.body.get("reason", ""))
                return self.notify(match_events.ArbiterOrder(now_ns, match_events.Action.HOLD, reason))
            case _:
                return self.notify(read_order(now_ns, command.body))
        return True


# --- the result card of a finished game (K-13) -----------------------------------------------------------------------

NS_PER_MS = 1_000_000


def card_of(state: TableState, at_ns: int) -> messages.ResultCard:
    """Return the card of a game whose result both players have signed, or the arbiter has ruled.

    :raises ValueError: there is no result yet, or it is not known who sits where.
    """
    match, assignment = state.match, state.assignment
    if match is None or assignment is None or match.result is None:
        raise ValueError("there is no result to write on a card")
    black_seat = match.seat_of(Color.BLACK)
    if black_seat is None or black_seat not in state.player_at:
        raise ValueError("nobody has said who has Black")
    black = assignment.players[state.player_at[black_seat]]
    white = assignment.players[state.player_at[black_seat.other]]
    result = match.result
    remaining: dict[messages.Side, int] = {
        "black": match.remaining_ns(Color.BLACK, at_ns) // NS_PER_MS,
        "white": match.remaining_ns(Color.WHITE, at_ns) // NS_PER_MS,
    }
    findings: list[dict[str, Any]] = [
        {"ply": finding.ply, "kind": finding.kind, "squares": list(finding.squares)} for finding in match.findings
    ]
    return messages.ResultCard(
        game=assignment.game,
        winner="draw" if result.winner is None else _side(result.winner),
        black_id=black.id,
        white_id=white.id,
        black_discs=result.black_discs,
        white_discs=result.white_discs,
        end=str(result.end),
        rated=result.rated,
        transcript=match.transcript,
        draw_right=None if match.draw_right is None else _side(match.draw_right),
        remaining_ms=remaining,
        findings=findings,
    )


def _side(color: Color) -> messages.Side:
    return "black" if color is Color.BLACK else "white"


#: phases whose clock a player may stop to call the arbiter; in the others it is stopped by an arbiter's order
PLAYERS_MAY_HOLD = frozenset({Phase.TURN, Phase.CORR, Phase.CHECK, Phase.FINISH, Phase.FREE})


def call_arbiter(state: TableState, at_ns: int) -> tuple[match_events.Event, ...]:
    """Return the events of the arbiter button, or of both players' buttons: stop the clock for the side whose turn it
    is (M43-11). A late player's time runs on.
    """
    match = state.match
    if match is None or match.clock.running is None or match.phase is Phase.LATE:
        return ()
    if match.phase in PLAYERS_MAY_HOLD:
        return (match_events.Hold(at_ns, match.clock.running),)
    return (match_events.ArbiterOrder(at_ns, match_events.Action.HOLD, messages.CALLED_AT_TABLE),)


# --- checks of the head's commands: one is carried out only for the game and the revision it was issued for ----------


#: phases in which a table may receive another game
BETWEEN_GAMES = frozenset({Phase.SETUP, Phase.READY, Phase.SUBMITTED})


def command_refusal(state: TableState, command: messages.Command) -> Text | None:
    """Return why a command is refused; None if it can be read, and is for this game and revision."""
    match, playing = state.match, None if state.assignment is None else state.assignment.game
    if command.kind == "assign":
        return _assignment_refusal(state, command.body, playing)
    if command.kind == "configure":
        try:
            messages.from_dict(messages.Configuration, command.body)
        except MessageError as error:
            return say("the configuration cannot be read: {error}", error=error)
        return None
    if command.game is not None and command.game != playing:
        if playing is None:
            return say("it is for game {asked}, and this table has no game", asked=command.game)
        return say("it is for game {asked}, and this table has {playing}", asked=command.game, playing=playing)
    if match is None:
        return say("this table has no game")
    if command.revision is not None and command.revision != match.revision:
        return say("the game has moved on: revision {now}, not {then}", now=match.revision, then=command.revision)
    try:
        if command.kind == "arbiter":
            read_order(0, command.body)
    except match_events.MatchEventError as error:
        return say("the order cannot be read: {error}", error=error)
    return None


def _assignment_refusal(state: TableState, body: Mapping[str, Any], playing: str | None) -> Text | None:
    try:
        assignment = messages.from_dict(messages.Assignment, body)
    except MessageError as error:
        return say("the assignment cannot be read: {error}", error=error)
    if assignment.game == playing:
        return say("game {game} is at this table already", game=playing)
    if state.match is not None and state.match.phase not in BETWEEN_GAMES:
        return say("game {game} is still being played", game=playing or "")
    return None
