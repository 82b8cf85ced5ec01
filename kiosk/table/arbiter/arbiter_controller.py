"""The arbiter at this table: button, PIN, screen, countdown, and the records of them.

- While the screen is open, the players' buttons operate it. It therefore opens only where no player needs them: with
  the clocks stopped, or a late player's running.
- Opening, wrong PINs, countdowns and equipment switches are records. An order is a match event with its reason.
- The clock resumes exactly when the countdown ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from engine.i18n import LocalizedError, say
from engine.match.match_value_types import Phase
from hardware.reading_stability_filter import StableReading
from kiosk.link.link_messages import ArbiterScreenEvent, to_dict
from kiosk.table.arbiter import arbiter_input_handler, arbiter_screen_forms_to_orders
from kiosk.table.arbiter.two_button_form_input import BACK, NEXT, TAKE, TURN, ArbiterInput, is_turned
from kiosk.table.game.journaled_state_changes_and_recovery import JournaledTable, after_arbiter_action
from kiosk.table.game.match_steps_and_head_commands import TableGame, call_arbiter
from kiosk.table.input.gesture_recognition import BothPressed, Gesture, HoldRepeat, LongPress, ShortPress
from kiosk.table.state.arbiter_screen_state import SECOND_NS, ArbiterPage, ArbiterSession, Form
from kiosk.table.state.free_clock_presets_settings_games import Club

#: an unused arbiter's screen closes after this time, and the buttons are the players' again
FORGOTTEN_NS = 180 * SECOND_NS

What = Literal["opened", "wrong-pin", "closed", "countdown", "countdown-stopped", "equipment"]


@dataclass(eq=False)
class ArbiterController:
    """Controller of the arbiter's screen. ``_on_pin(right)`` is called in the thread that checks a PIN; ``_on_club``
    when the settings of a free clock change; ``_shut_down`` when both hold their buttons on the page that asks for it.
    """

    _table: JournaledTable
    _game: TableGame
    _on_pin: Callable[[bool], None]
    _on_club: Callable[[Club], None]
    _shut_down: Callable[[], None]
    _hold_turns: bool = False  # the current hold turned a figure, and continues to do so while it lasts
    _turned: bool = False  # orientation of the last session, as the arbiter usually stands at the same side again

    @property
    def is_open(self) -> bool:
        return self._table.state.arbiter is not None

    # --- input -----------------------------------------------------------------------------------------------------

    def button(self, at_ns: int) -> None:
        """Handle the arbiter's button: it first stops the clock, then opens the screen; there it goes back."""
        state = self._table.state
        if state.arbiter is not None:
            self.act(ArbiterInput(BACK, False, at_ns))
        elif state.countdown is not None:
            self._stop_countdown()
        elif events := call_arbiter(state, at_ns):
            self._game.notify_all(events)
        else:
            self._open(at_ns)

    def gesture(self, gesture: Gesture) -> None:
        """Handle a player's button while the screen is open."""
        before = self._table.state.arbiter
        match gesture:
            case HoldRepeat() if not self._hold_turns:
                return
            case ShortPress(seat, at_ns) | LongPress(seat, at_ns) | HoldRepeat(seat, at_ns):
                name = NEXT if seat == "left" else TAKE
                self.act(ArbiterInput(name, not isinstance(gesture, ShortPress), at_ns))
            case BothPressed(at_ns):
                self.act(ArbiterInput(TURN, True, at_ns))
            case _:
                pass
        held = isinstance(gesture, LongPress | HoldRepeat)
        self._hold_turns = held and is_turned(before, self._table.state.arbiter)

    def act(self, act: ArbiterInput) -> None:
        before = self._table.state.arbiter
        if before is None:
            return
        update = arbiter_input_handler.handle_input(self._table.state, act)
        if update.session is not None:
            self._turned = update.session.turned
        self._table.change(arbiter=self._mark_likely_choice(before, update.session, act.at_ns))
        if update.check:
            self._check(update.check)
        if update.equipment is not None:
            self._write("equipment", act.at_ns, sorted(update.equipment))
        if update.board:
            self._enter_board(update.board, act.at_ns)
        if update.seated:
            self._game.assign(dict(update.seated))
        if update.ruling is not None and not self._game.notify(update.ruling) and update.session is not None:
            self._table.change(arbiter=arbiter_input_handler.home(update.session, "refused"))
        if update.countdown is not None:
            self._table.change(countdown=update.countdown)
            self._write("countdown", act.at_ns)
        if update.session is None and before.is_open:
            self._write("closed", act.at_ns)
        if update.club is not None:
            self._on_club(update.club)
        if update.shut_down:
            self._shut_down()

    def open_page(self, page: ArbiterPage, *, form: Form = (), after_game: bool = False) -> None:
        """Open a page that needs no PIN. ``after_game``: from the menu of a game that is over."""
        now_ns, game = self._table.time.now_ns(), self._game_in_progress()
        self._table.change(arbiter=ArbiterSession(now_ns, game, page, form=form, after_game=after_game))

    def _mark_likely_choice(
        self, before: ArbiterSession, after: ArbiterSession | None, now_ns: int
    ) -> ArbiterSession | None:
        """Mark the most likely next choice when the home page opens."""
        if after is None or after.page is not ArbiterPage.HOME or before.page is ArbiterPage.HOME:
            return after
        return replace(after, cell=arbiter_screen_forms_to_orders.marked_first(self._table.state.match, now_ns))

    def _enter_board(self, cells: str, at_ns: int) -> None:
        """Enter the board as the update to the last press that waits for one; earlier presses count as not read."""
        match = self._table.state.match
        if match is not None:
            updates = match.pending[-1].number if match.pending else None
            self._game.read_board(StableReading(cells, updates, at_ns))

    # --- opening ---------------------------------------------------------------------------------------------------

    def _open(self, at_ns: int) -> None:
        session = ArbiterSession(at_ns, self._game_in_progress(), turned=self._turned)
        if not self._table.state.alone:
            self._table.change(arbiter=session)
            return
        self._table.change(arbiter=self._mark_likely_choice(session, arbiter_input_handler.home(session), at_ns))
        self._write("opened", at_ns)

    def _check(self, figures: tuple[int, ...]) -> None:
        pin_hash = self._table.state.pin.hash
        threading.Thread(
            target=lambda: self._on_pin(is_correct_pin(pin_hash, figures)), name="PIN", daemon=True
        ).start()

    def pin_checked(self, right: bool) -> None:
        session = self._table.state.arbiter
        if session is None or not session.checking:
            return
        now_ns = self._table.time.now_ns()
        self._write("opened" if right else "wrong-pin", now_ns)
        after = replace(session, entered=(), figure=0, checking=False, outcome="wrong")
        if right:
            after = arbiter_input_handler.home(session)
        self._table.change(arbiter=self._mark_likely_choice(session, after, now_ns))

    # --- time ------------------------------------------------------------------------------------------------------

    def next_deadline_ns(self) -> int | None:
        state = self._table.state
        if state.countdown is not None:
            return state.countdown.until_ns
        return None if state.arbiter is None else state.arbiter.used_ns + FORGOTTEN_NS

    def advance_time(self, now_ns: int) -> None:
        """End the countdown at its own instant, however late this is called, so that later edges find the clock
        running.
        """
        state = self._table.state
        if state.countdown is not None and now_ns >= state.countdown.until_ns:
            ruling = replace(state.countdown.ruling, at_ns=state.countdown.until_ns)
            self._table.change(countdown=None)
            self._game.notify(ruling)
        elif state.arbiter is not None and now_ns >= state.arbiter.used_ns + FORGOTTEN_NS:
            self._close(now_ns)

    def close_if_game_changed(self) -> None:
        """Close the screen because something else started the clock or changed the game; the buttons are the players'
        again.
        """
        state, match = self._table.state, self._table.state.match
        runs = match is not None and match.clock.running is not None and match.phase is not Phase.LATE
        if state.countdown is not None and (runs or match is None):
            self._stop_countdown()
        if state.arbiter is not None and (runs or state.arbiter.game != self._game_in_progress()):
            self._close(self._table.time.now_ns())

    def _stop_countdown(self) -> None:
        self._table.change(countdown=None)
        self._write("countdown-stopped", self._table.time.now_ns())

    def _close(self, at_ns: int) -> None:
        session = self._table.state.arbiter
        self._table.change(arbiter=None)
        if session is not None and session.is_open:
            self._write("closed", at_ns)

    def _game_in_progress(self) -> str:
        assignment = self._table.state.assignment
        return "" if assignment is None else assignment.game

    def _write(self, what: What, at_ns: int, on: list[str] | None = None) -> None:
        record = ArbiterScreenEvent(what, self._game_in_progress() or None, on or [], at_ns)
        self._table.write("arbiter", to_dict(record), at_ns)
        self._table.state = after_arbiter_action(self._table.state, record, at_ns)


# The arbiter's PIN, stored as an argon2 hash.
#
# - A check takes a tenth of a second and 19 MB on purpose, so it never runs in the main loop.
# - The hash does not protect the PIN of somebody's file: four digits are soon tried. The limit on attempts at the table
#   does.

#: OWASP's minimum, because a Pi 3 has to compute it as well
_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
SHORTEST, LONGEST = 4, 8


class PinFormatError(LocalizedError, ValueError):
    """A value that is not a valid PIN."""


def hash_pin(pin: str) -> str:
    """Return the hash for a table's file, or for the head to send to the tables.

    :raises PinFormatError: not 4 to 8 digits.
    """
    if not (pin.isascii() and pin.isdigit() and SHORTEST <= len(pin) <= LONGEST):
        raise PinFormatError(say("a PIN has {shortest} to {longest} digits", shortest=SHORTEST, longest=LONGEST))
    return _HASHER.hash(pin)


def is_correct_pin(pin_hash: str, figures: tuple[int, ...]) -> bool:
    """Return whether these are the digits of the PIN; an unreadable hash matches none."""
    try:
        return _HASHER.verify(pin_hash, "".join(map(str, figures)))
    except (VerificationError, InvalidHashError):
        return False
