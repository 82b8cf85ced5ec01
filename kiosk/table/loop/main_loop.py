"""The table program: main loop and only writer of the table's state.

- Every event comes through the inbox and is handled here, one after the other.
- A press switches the clock before anything else is done with it.
- The loop never waits for the disk, the board, the head or the screen (promise 4).
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from queue import Empty
from typing import Protocol, assert_never

from engine.i18n import say, text_of
from engine.match import GameResult, MatchState, Phase, Seat
from engine.match.match_events_and_effects import Action, ArbiterOrder, Tick
from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.debounce_and_button_faults import Debouncer
from hardware.power_failure_pin_and_supply_status import PowerEdge
from hardware.reading_stability_filter import SquareFault, StableReading
from hardware.real_and_simulated_time import NS_PER_S, OffsetTime
from kiosk.link.link_messages import POWER_FAILED, Command, TroubleInfo
from kiosk.link.no_connection_reasons import REJECTED
from kiosk.table.arbiter.arbiter_controller import ArbiterController
from kiosk.table.arbiter.presets_settings_last_games_input import display_form
from kiosk.table.board_sources.board_source_interface_and_factory import BoardSource
from kiosk.table.board_sources.transcriber_source import PANEL as TRANSCRIBER
from kiosk.table.game.journaled_state_changes_and_recovery import JournaledTable
from kiosk.table.game.match_steps_and_head_commands import TableGame, card_of
from kiosk.table.journal.journal_and_link_outbox import Journal
from kiosk.table.loop import button_processing_and_inbox as items
from kiosk.table.loop.gc_control import collect_if_idle
from kiosk.table.loop.transcriber_touch_input import TranscriberInput
from kiosk.table.signals.beep_schedule_and_player import BuzzerPlayer, BuzzerPort
from kiosk.table.signals.button_lamp_selection import lit_seats
from kiosk.table.state import AfterChoice, LinkState, TableState
from kiosk.table.state.arbiter_screen_state import ArbiterPage
from kiosk.table.state.free_clock_presets_settings_games import Club, club_game, rematch_of
from kiosk.table.state.recent_games import KeptGame, with_game

log = logging.getLogger(__name__)

#: hold-up supplies last for seconds; a discharge on the line is over after microseconds
GLITCH_NS = 5_000_000
SOURCE = "power"
FAILING = TroubleInfo(
    "power-failing", say("The power is off. The clock was stopped and the game saved. Check the power supply.")
)


class PowerFailHandler:
    """Handler of the power-fail signal, which stops the clock at the signal's edge. Whatever is appended to the journal
    is on disk before the hold-up supply is empty. Play resumes only on a person's command.

    ``offset_ns`` converts the time of an edge to the table's time. A signal shorter than ``GLITCH_NS`` is noise.
    """

    def __init__(self, table: JournaledTable, game: TableGame, offset_ns: int) -> None:
        self._table, self._game, self._offset_ns = table, game, offset_ns
        self._failed_ns: int | None = None  # time of a failure not acted on yet

    def edge(self, edge: PowerEdge) -> None:
        at_ns = edge.at_ns + self._offset_ns
        if edge.failing:
            self._failed_ns = at_ns if self._failed_ns is None else self._failed_ns
            return
        if self._failed_ns is not None and at_ns >= self._failed_ns + GLITCH_NS:
            self._stop(self._failed_ns)
        self._failed_ns = None
        self._table.note_troubles(SOURCE, ())

    def next_deadline_ns(self) -> int | None:
        return None if self._failed_ns is None else self._failed_ns + GLITCH_NS + items.MAX_EDGE_DELAY_NS

    def advance_time(self, now_ns: int) -> None:
        failed_ns = self._failed_ns
        if failed_ns is not None and now_ns >= failed_ns + GLITCH_NS + items.MAX_EDGE_DELAY_NS:
            self._failed_ns = None
            self._stop(failed_ns)
            self._table.note_troubles(SOURCE, (FAILING,))
            self._table.journal.tick(now_ns)

    def _stop(self, failed_ns: int) -> None:
        log.warning("the power fails: the clock is stopped")
        match = self._game.match
        if match is not None and match.clock.running is not None:
            self._game.notify(ArbiterOrder(max(failed_ns, match.clock.since_ns), Action.HOLD, POWER_FAILED))


#: largest error of a restored clock, plus the duration of one sync
TICK_NS = 500_000_000
#: with a scaled clock, least real time between ticks
TICK_REAL_S = 0.25
#: real time between two checks of the board source's health
CHECK_S = 1.0
#: real time between two heartbeats of the loop
BEAT_S = 1.0


class LampPort(Protocol):
    def show(self, lit: Collection[str]) -> None: ...


@dataclass(eq=False, kw_only=True)
class TableProgram:
    """Main loop of one table. ``state`` is the latest published value; ``wait_for_change`` lets another thread follow
    it without polling. ``on_beat`` is called once a second, only by the loop, so that its absence shows a hang.

    ``save_club`` saves the settings of a free clock for its next start, ``save_games`` the last games.
    ``page_of(game)`` is the address at the head of the game with that id, empty if no phone can open one. ``shut_down``
    switches the device off. ``recheck(now_ns, believed)`` reads the lines that are assumed stuck: a burst of bounces
    may have swallowed the edge of their release. ``on_saved`` is called when records are on disk and may go to the
    head.
    """

    initial: TableState
    inbox: items.Inbox
    time_base: OffsetTime
    debouncer: Debouncer
    journal: Journal
    board: BoardSource | None
    lamps: LampPort | None
    buzzers: tuple[BuzzerPort, ...]
    save_club: Callable[[Club], None]
    save_games: Callable[[tuple[KeptGame, ...]], None]
    page_of: Callable[[str], str]
    shut_down: Callable[[], None]
    wall_ns: Callable[[], int]
    recheck: Callable[[int, Mapping[str, bool]], None]
    on_saved: Callable[[], None]
    monotonic_s: Callable[[], float]
    on_beat: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        offset_ns = self.time_base.offset_ns
        self._table = JournaledTable(self.initial, self.journal, self.time_base)
        self._game = TableGame(self._table, self.board)
        self._buzzer = BuzzerPlayer(*self.buzzers)
        self._power_fail = PowerFailHandler(self._table, self._game, offset_ns)
        self._transcriber = TranscriberInput(self._table, self._game, self.journal.directory.parent)
        self._arbiter = ArbiterController(
            self._table, self._game, self.inbox.pin_checked, self._set_club, self.shut_down
        )
        self._buttons = items.ButtonPipeline(
            self._table, self._game, self._arbiter, self.debouncer, offset_ns, self._after_game
        )
        self._stored_result: GameResult | None = None  # the result of the present game as it is kept
        self._store_game()  # power may have failed between the card and its copy
        self._tick_due_ns = 0
        self._tick_ns = max(TICK_NS, round(TICK_NS * TICK_REAL_S / (self.time_base.real_s(TICK_NS) or TICK_REAL_S)))
        self._deadline_of: MatchState | None = None
        self._deadline_ns: int | None = None
        self._check_due_s = 0.0
        self._beat_due_s = 0.0

    @property
    def state(self) -> TableState:
        return self._table.state

    @property
    def version(self) -> int:
        return self._table.version

    def wait_for_change(self, seen: int, timeout_s: float | None) -> int:
        """Wait until the state has changed since version ``seen``, or the timeout; return the present version."""
        return self._table.wait_for_change(seen, timeout_s)

    def next_game(self) -> None:
        """Start the next game of a free clock; also its first, before the loop runs."""
        self._game.begin(club_game(self.state.table, self.state.club.preset, self.journal.appended))

    def _after_game(self, chosen: AfterChoice) -> None:
        """Do what a player chose when the game was over."""
        match, last = self.state.match, self.state.assignment
        match chosen:
            case AfterChoice.NEW_GAME:
                self.next_game()
            case AfterChoice.REMATCH if match is not None and last is not None and match.black_seat is not None:
                swaps = not match.variant.name.startswith("handicap")  # corners stay the same player's
                self._game.begin(rematch_of(last, self.journal.appended, swaps))
                self._game.seat_black(match.black_seat.other if swaps else match.black_seat)
            case AfterChoice.PHONE:
                self._arbiter.open_page(ArbiterPage.CLUB_PHONE, after_game=True)
            case AfterChoice.GAMES:
                self._arbiter.open_page(ArbiterPage.CLUB_GAMES, after_game=True)
            case _:
                pass

    def _store_game(self) -> None:
        """Keep the game once its card is signed, and again when an arbiter changes the result after that."""
        state = self.state
        match, game = state.match, state.assignment
        if match is None or match.phase not in (Phase.SIGNED, Phase.SUBMITTED):
            self._stored_result = None
            return
        if match.result is self._stored_result or game is None or match.black_seat is None or not state.player_at:
            return
        self._stored_result, now_ns = match.result, self.time_base.now_ns()
        card = card_of(state, now_ns)
        key = f"{self.journal.epoch}/{game.game}"
        known = (key, card.winner, card.black_discs, card.white_discs)
        if known in ((one.key, one.winner or "draw", one.black_discs, one.white_discs) for one in state.games):
            return
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(self.wall_ns() // NS_PER_S))
        black = state.player_at[match.black_seat]
        moves = tuple(move for move in match.moves if move != "--")
        game_record = KeptGame(
            key,
            when,
            match.setup.rules,
            game.players[black].name,
            game.players[1 - black].name,
            None if match.result is None else match.result.winner,
            card.black_discs,
            card.white_discs,
            (card.remaining_ms["black"] // 1000, card.remaining_ms["white"] // 1000),
            match.black_seat,
            game.round,
            moves,
            self._game.seconds_of_moves if moves else (),
            match.variant.name,
            self.page_of(game.game),
        )
        self._table.change(games=with_game(state.games, game_record))
        self.save_games(self.state.games)

    def _set_club(self, club: Club) -> None:
        plays = club.preset != self.state.club.preset
        if club != self.state.club:
            if club.languages and club.languages != self.state.club.languages:
                languages = dict(zip((Seat.LEFT, Seat.RIGHT), club.languages, strict=True))
                self._table.change(languages=languages, home_languages=languages)
            self._table.change(club=club)
            self.save_club(club)
        if not self.state.has_head and plays:
            self.next_game()

    def _save_languages(self) -> None:
        """Keep the languages that the players of a free clock have chosen, for its next start."""
        languages = (self.state.languages[Seat.LEFT], self.state.languages[Seat.RIGHT])
        if not self.state.has_head and languages != self.state.club.languages:
            self._table.change(club=replace(self.state.club, languages=languages))
            self.save_club(self.state.club)

    def ask_display(self) -> None:
        """Ask for the display's orientation, if it is not set and no game has begun."""
        match = self.state.match
        if self.state.club.stand is None and (match is None or match.phase is Phase.SETUP):
            self._arbiter.open_page(ArbiterPage.CLUB_DISPLAY, form=display_form(self.state.club))

    def run(self) -> None:
        """Run until ``StopProgram`` arrives."""
        self._show_lamps()
        while True:
            self._beat()
            item = self._next()
            if isinstance(item, items.StopProgram):
                return
            self.work(item)

    def work(self, item: items.Item | None) -> None:
        """Handle one item, or None, and whatever has become due meanwhile."""
        before = self.state
        if item is not None:
            self._handle(item)
        if self.inbox.empty():
            # A gesture or a deadline is decided by edge times, so waiting edges and lost ones are handled first.
            for edge in self._buttons.missing_edges(self.time_base.now_ns()):
                self.recheck(edge.at_ns, {edge.line: not edge.pressed})
        if self.inbox.empty():
            self._pass_time(self.time_base.now_ns())
        self._transcriber.answer()
        self._arbiter.close_if_game_changed()
        if self.state is not before:
            if self.state.languages != before.languages:
                self._save_languages()
            self._show_lamps()
            self._buzzer.play_transition(before, self.state)
            if self.state.match is not before.match:
                self._store_game()
            self._table.publish()

    def _show_lamps(self) -> None:
        if self.lamps is not None:
            self.lamps.show(lit_seats(self.state))

    def _beat(self) -> None:
        if self.monotonic_s() >= self._beat_due_s:
            self._beat_due_s = self.monotonic_s() + BEAT_S
            self.on_beat()

    def _next(self) -> items.Item | None:
        try:
            return self.inbox.get(timeout=self.wait_s())
        except Empty:
            return None

    def wait_s(self) -> float:
        """Return the real seconds until time alone causes something."""
        due = (
            self._buttons.next_deadline_ns(),
            self._arbiter.next_deadline_ns(),
            self._match_deadline_ns(),
            self._buzzer.next_deadline_ns(self.state),
            self._power_fail.next_deadline_ns(),
            self._tick_due_ns if self._game.is_running else None,
        )
        first_ns = min((due_ns for due_ns in due if due_ns is not None), default=None)
        wait_s = min(BEAT_S, CHECK_S)
        return wait_s if first_ns is None else min(wait_s, self.time_base.real_s(first_ns - self.time_base.now_ns()))

    def _handle(self, item: items.Item) -> None:
        match item:
            case ButtonEdge():
                self._buttons.edge(item)
            case PowerEdge():
                self._power_fail.edge(item)
            case items.TouchEvent(panel, action, down, _) if panel == TRANSCRIBER:
                if not down:
                    self._transcriber.touch(action)
            case items.TouchEvent():
                self._buttons.touch(item)
            case items.PinChecked(right):
                self._arbiter.pin_checked(right)
            case StableReading():
                self._game.read_board(item)
            case SquareFault():
                self._table.note_squares(item)
            case Command():
                self._game.execute(item)
            case items.LinkChanged(up, why):
                if why is not None:
                    log.info("the head is out of reach: %s", why.text)
                if up or (why is not None and why.kind in REJECTED):  # a head not reached may still reject this table
                    self._table.note_troubles("link", () if why is None else (why,))
                self._table.change(link=LinkState.UP if up else LinkState.DOWN)
            case items.RecordsSaved(seq):
                self._table.note_saved(seq)
                self.on_saved()
            case items.CardAcknowledged(seq):
                self._game.note_acknowledged(seq)
            case items.AlarmsChanged(source, troubles):
                self._table.note_troubles(source, troubles)
            case items.BatteryStatus(battery):
                self._table.change(battery=battery)
            case items.StopProgram():
                pass
            case _:
                assert_never(item)

    def _pass_time(self, now_ns: int) -> None:
        self._buttons.advance_time(now_ns)
        self._arbiter.advance_time(now_ns)
        self._power_fail.advance_time(now_ns)
        self._buzzer.advance_time(self.state, now_ns)
        deadline_ns = self._match_deadline_ns()
        if deadline_ns is not None and now_ns >= deadline_ns:
            self._game.notify(Tick(now_ns))
        if self._game.is_running and now_ns >= self._tick_due_ns:
            self.journal.tick(now_ns)
            self._tick_due_ns = now_ns + self._tick_ns
        if self.monotonic_s() >= self._check_due_s:
            self._check_due_s = self.monotonic_s() + CHECK_S
            self._check(now_ns)

    def _check(self, now_ns: int) -> None:
        if not self._game.is_running:
            collect_if_idle()
        if stuck := self._buttons.stuck_lines():
            self.recheck(now_ns - self.time_base.offset_ns, stuck)
        if self.board is not None:
            alarm = self.board.trouble()
            self._table.note_troubles("board", () if alarm is None else (TroubleInfo("board", text_of(alarm)),))

    def _match_deadline_ns(self) -> int | None:
        """Return when the match is to be told of its deadline: once no press from before it can still arrive."""
        match = self.state.match
        if match is not self._deadline_of:
            self._deadline_of, self._deadline_ns = match, None if match is None else match.next_deadline_ns()
        return None if self._deadline_ns is None else self._deadline_ns + items.MAX_EDGE_DELAY_NS
