"""Tests of the whole table program under random input: buttons, taps, touches, an arbiter, noise and kills.

After each step: time is conserved to the nanosecond; refused input changes nothing; the journal equals the live state;
and the players' halves do not show what promise 3 excludes.
"""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import replace

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tables.manual_time_table import ARBITER, LEFT, MS, RIGHT, SECOND, StillTable

from engine.board.color import Color
from engine.board.position import Position
from engine.match.game_clock import SideClock
from engine.match.match_state import MatchState
from engine.match.match_value_types import CompletedTurn, Phase, Seat
from kiosk.link.link_messages import Command
from kiosk.table.board_sources.transcriber_source import pending_turn
from kiosk.table.game.journaled_state_changes_and_recovery import recover_state
from kiosk.table.input.challenge_violation_menu import naming_state_of
from kiosk.table.journal.segment_files_and_recovery import JournalEntry, decode_entry
from kiosk.table.scene import Panel, SceneDisc, SceneText, Touch
from kiosk.table.state import TableState
from kiosk.table.table_config import BoardConfig
from kiosk.table.views import Facing, Layout, table_scene

SQUARE = re.compile(r"\b[a-h][1-8]\b")
ORDERS: tuple[dict[str, object], ...] = (
    {"action": "late_start", "absent": "right"},
    {"action": "unrated", "reason": "show"},
    {"action": "challenge", "upheld": True, "reason": "so it is"},
    {"action": "result", "winner": "white", "black_discs": 20, "white_discs": 44, "reason": "ruled"},
)
EDITS: tuple[dict[str, object], ...] = (
    {"action": "set_time", "black_s": 300, "white_s": 2, "turn": "white", "reason": "mended"},
    {"action": "deduct", "from": "black", "seconds": 20, "reason": "late"},
)
ON_HIS_PAGES = (
    "next", "take", "back", "done", "carry-out", "turn", "delete", "line-0", "line-1", "line-2", "cell-1", "cell-9",
    "key-5", "pick-0-1", "pick-8-2", "square-e4",
)  # fmt: skip
squares = st.builds(lambda column, row: f"{column}{row}", st.sampled_from("abcdefgh"), st.integers(1, 8))


class TableUnderRandomHands(RuleBasedStateMachine):
    @initialize(late=st.integers(0, 3))
    def begins(self, late: int) -> None:
        self.table = StillTable()
        self.orders = 0
        self.edited = False
        if late == 0:
            self._order({"action": "late_start", "absent": "right"})
        else:
            self.table.press(LEFT)  # Black sits left
            self.table.press(RIGHT)  # and White starts the clock
        self._look()

    def teardown(self) -> None:
        self.table.close()

    # --- rules
    # ---------------------------------------------------------------------------------------------------------

    @rule(gpio=st.sampled_from((LEFT, RIGHT)), hold_ms=st.sampled_from((40, 90, 250, 1_300)))
    def somebody_presses(self, gpio: int, hold_ms: int) -> None:
        self.table.press(gpio, hold_ms * MS)

    @rule(hold_ms=st.sampled_from((50, 1_200)))
    def both_press(self, hold_ms: int) -> None:
        self.table.both(hold_ms * MS)

    @rule()
    def the_player_in_turn_moves_and_presses(self) -> None:
        """Tap a legal move as the helper, if there is one, and press."""
        now = pending_turn(self.table.match)
        if now is not None and now.before is not None:
            position = Position.from_cells(now.before, now.by)
            for name in position.geometry.names(position.legal_moves())[:1]:
                self.table.touch("transcriber", f"square-{name}")
        running = self.table.match.clock.running
        if running is not None:
            self.table.press(LEFT if running is Seat.LEFT else RIGHT)

    @rule()
    def the_player_in_turn_challenges(self) -> None:
        """Press without a move, which the helper enters as a challenge."""
        running = self.table.match.clock.running
        if running is not None:
            self.table.press(LEFT if running is Seat.LEFT else RIGHT)
            self.table.touch("transcriber", "unchanged")

    @precondition(lambda self: self.table.match.phase is Phase.HOLD)
    @rule()
    def the_head_lets_go_on(self) -> None:
        self._order({"action": "resume", "reason": "go on"})

    @rule(gpio=st.sampled_from((LEFT, RIGHT)))
    def a_button_sticks_for_a_while(self, gpio: int) -> None:
        self.table.press(gpio, 15 * SECOND)

    @rule(square=squares)
    def the_helper_taps(self, square: str) -> None:
        self.table.touch("transcriber", f"square-{square}")

    @rule(action=st.sampled_from(("unchanged", "edit", "done", "undo", "again")))
    def the_helper_says(self, action: str) -> None:
        self.table.touch("transcriber", action)

    @rule(gpio=st.sampled_from((LEFT, RIGHT, ARBITER)))
    def a_disturbance(self, gpio: int) -> None:
        self.table.spike(gpio)

    @rule(held=st.booleans())
    def the_arbiters_button(self, held: bool) -> None:
        self.table.press(ARBITER, (1_300 if held else 100) * MS)

    @precondition(lambda self: self.table.state.arbiter is not None)
    @rule(action=st.sampled_from(ON_HIS_PAGES), held=st.booleans())
    def his_finger_on_the_display(self, action: str, held: bool) -> None:
        self.edited = True
        self.table.touch("arbiter", action, (1_200 if held else 100) * MS)

    @rule(
        panel=st.sampled_from(("left", "right")),
        action=st.sampled_from(("button", "long", "choice-1", "choice-3", "count+1", "count-10", "done", "captured+1")),
        held=st.booleans(),
    )
    def a_finger_on_a_half(self, panel: str, action: str, held: bool) -> None:
        self.table.touch(panel, action, (1_200 if held else 100) * MS)

    @rule(order=st.sampled_from(ORDERS))
    def the_head_orders(self, order: dict[str, object]) -> None:
        self._order(order)

    @rule(order=st.sampled_from(EDITS))
    def the_head_edits_a_clock(self, order: dict[str, object]) -> None:
        self.edited = True
        self._order(order)

    @rule(seconds=st.sampled_from((0.004, 0.8, 7, 200, 1_500)))
    def time_passes(self, seconds: float) -> None:
        self.table.wait(round(seconds * SECOND))

    @rule(gap_s=st.integers(0, 90))
    def it_is_killed(self, gap_s: int) -> None:
        self._restart(self.table.killed(gap_s * SECOND))

    def _order(self, order: dict[str, object]) -> None:
        self.orders += 1
        self.table.table.program.inbox.put(Command(f"c{self.orders}", "arbiter", body=order))
        self.table.settle()

    def _restart(self, again: StillTable) -> None:
        before, self.table = self.before, again
        live, at_ns = before.match, self.at_ns
        assert live is not None
        assert again.match.revision >= live.revision
        assert again.match.clock.running is None
        for seat in Seat:
            generous_ns = again.match.remaining_ns(seat, at_ns) - live.remaining_ns(seat, at_ns)
            assert 0 <= generous_ns <= SECOND, "at most one second out, and never to a player's disadvantage"
        self._look()

    # --- invariants
    # ----------------------------------------------------------------------------------------------------

    def _look(self) -> None:
        self.table.save()
        self.before, self.at_ns = self.table.state, self.table.time.now_ns()

    @invariant()
    def time_is_conserved(self) -> None:
        before, after = self.before.match, self.table.state.match
        assert before is not None and after is not None
        same_game = self.before.assignment == self.table.state.assignment
        if same_game and not self.edited:
            now_ns = self.table.time.now_ns()
            spent_ns = _total(before, self.at_ns) - _total(after, now_ns)
            assert spent_ns == _ran_ns(before, after, self.at_ns, now_ns), (before.phase, after.phase)
        self.edited = False

    @invariant()
    def what_is_refused_changes_nothing(self) -> None:
        before, after = self.before.match, self.table.state.match
        assert before is not None and after is not None
        if before.revision == after.revision and self.before.assignment == self.table.state.assignment:
            assert before == after

    @invariant()
    def the_journal_is_the_live_state(self) -> None:
        self._look()
        live = self.table.state
        rebuilt = recover_state(TableState(table=1, sheet=live.sheet), self._entries()).state
        assert rebuilt.match == live.match
        assert (rebuilt.assignment, rebuilt.player_at) == (live.assignment, live.player_at)
        assert (rebuilt.touch_ordered, rebuilt.silenced) == (live.touch_ordered, live.silenced)

    @invariant()
    def the_players_see_no_more_than_they_may(self) -> None:
        state, now_ns = self.table.state, self.table.time.now_ns()
        for facing in Facing:
            layout = Layout(facing=facing, touch=True)
            seen = table_scene(state, now_ns, layout)
            if state.arbiter is not None:
                assert [panel.name for panel in seen.panels] == ["arbiter"]
                continue
            assert seen == table_scene(_without_secrets(state), now_ns, layout)
            naming = any((named := naming_state_of(state, seat)) and named.kind is not None for seat in Seat)
            for panel in seen.panels:
                _is_fit_for_players(panel, {"trouble", "message"} if naming else {"trouble"})

    def _entries(self) -> list[JournalEntry]:
        return [decode_entry(payload) for payload in self.table.table.journal._payloads]


def _total(match: MatchState, at_ns: int) -> int:
    return sum(match.remaining_ns(seat, at_ns) for seat in Seat)


def _ran_ns(before: MatchState, after: MatchState, from_ns: int, to_ns: int) -> int:
    """Return how long the clock ran by its own times: it was started, stopped, both or neither."""
    if before.clock.running is None and after.clock.running is None:
        return 0 if before.clock.since_ns == after.clock.since_ns else _total(before, 0) - _total(after, 0)
    start_ns = from_ns if before.clock.running is not None else after.clock.since_ns
    stop_ns = to_ns if after.clock.running is not None else after.clock.since_ns
    assert from_ns <= start_ns <= to_ns and stop_ns <= to_ns
    return stop_ns - start_ns


def _without_secrets(state: TableState) -> TableState:
    """Return the same table without latched flags, findings and messages to the arbiter."""
    match = state.match
    assert match is not None

    def side(clock: SideClock) -> SideClock:
        return replace(clock, flag_at_ns=None)

    def turn(played: CompletedTurn) -> CompletedTurn:
        return replace(played, findings=())

    bare = replace(
        match,
        findings=(),
        shown_to_arbiter=(),
        turns=tuple(map(turn, match.turns)),
        clock=replace(match.clock, left=side(match.clock.left), right=side(match.clock.right)),
        arbiter_log=(),
        undo=None,
    )
    return replace(state, match=bare)


def _is_fit_for_players(panel: Panel, squares: Set[str]) -> None:
    """Check that a text has no board, and no square outside of ``squares``: texts of a table without a board source,
    and the menu in which a player names a violation, which has all squares that it may be."""
    assert panel.name in ("left", "right", "seam", "phone")
    for item in panel.items:
        assert not (isinstance(item, SceneDisc) and item.name == "square")
        assert not (isinstance(item, Touch) and item.action.startswith("square-"))
        if isinstance(item, SceneText) and item.name not in squares:
            assert not SQUARE.search(item.text), item
            assert "IM-" not in item.text, item


TestTableUnderRandomHands = TableUnderRandomHands.TestCase
TestTableUnderRandomHands.settings = settings(
    max_examples=40,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],  # the journal is a real thread, which may be late on a busy machine
)


def test_the_invariants_notice_running_time() -> None:
    """The invariants above can fail: a clock that runs is charged, and a hold stops it after its second."""
    table = StillTable()
    table.press(LEFT)
    started_ns = table.press(RIGHT)
    assert table.match.running() is Color.BLACK
    table.wait(5 * SECOND)
    assert table.match.remaining_ns(Color.BLACK, table.time.now_ns()) == 1200 * SECOND - (
        table.time.now_ns() - started_ns
    )
    held_ns = table.both()
    assert table.match.phase is Phase.HOLD
    assert table.match.clock.since_ns == held_ns
    table.close()


def test_a_spike_that_is_read_late_is_ignored() -> None:
    """On a busy machine the edge that ends it has the right time but arrives 15 ms later."""
    table = StillTable()
    table.press(LEFT)
    started_ns = table.press(RIGHT)
    button = table.factory.button(LEFT)
    at_ns = button.press(release=False)
    table.settle()
    assert table.match.running() is Color.WHITE, "the first edge counts at once"
    table.wait(15 * MS)
    button.release(at_ns + 300_000)
    table.wait(100 * MS)
    assert table.match.running() is Color.BLACK
    assert table.match.remaining_ns(Color.BLACK, table.time.now_ns()) == 1200 * SECOND - (
        table.time.now_ns() - started_ns
    )
    table.close()


def test_a_press_just_before_the_time_is_over_counts_though_it_is_read_after() -> None:
    """Promise 1, CC-WIN-5: on a busy machine the edge has the right time but arrives 15 ms later."""
    table = StillTable(rules="chouchou", board=BoardConfig())
    table.press(LEFT)
    table.press(RIGHT)
    over_ns = table.match.next_deadline_ns()
    assert over_ns is not None
    table.wait(over_ns + 10 * MS - table.time.now_ns())
    table.press(LEFT, at_ns=over_ns - 5 * MS)
    assert (table.match.phase, table.match.running()) == (Phase.TURN, Color.WHITE)
    over_ns = table.match.next_deadline_ns()
    assert over_ns is not None
    table.wait(over_ns + 20 * MS - table.time.now_ns())
    assert table.match.phase is Phase.RESULT
    assert table.match.clock.since_ns == over_ns, "the time was over before the tick"
    table.close()
