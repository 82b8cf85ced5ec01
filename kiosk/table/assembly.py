"""Puts one table together from its configuration: pins, board, journal, link, loop and screen.

The law: real or simulated is decided by what is passed in (``time_base``, ``factory``, ``storage``), never by a
question in the code.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from engine.match.model import Phase, Seat
from engine.match.rulesets import rule_set
from engine.text import say
from hardware.debounce import Debouncer
from hardware.edges import ButtonEdge
from hardware.factory import open_factory
from hardware.power import Firmware, Vcgencmd
from hardware.settler import Reading, SquareTrouble
from hardware.timebase import NS_PER_MS, NS_PER_S, SystemTime, TimeBase
from kiosk.errors import UnusableInput
from kiosk.link.carriers import Carrier
from kiosk.link.ends.table_link import TableLink
from kiosk.link.errors import LinkError
from kiosk.link.keys import load_key
from kiosk.link.messages import Assignment, PlayerInfo, Record, TroubleInfo
from kiosk.link.network import NetworkCarrier
from kiosk.link.serial import SerialCarrier
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.boards.port import BoardSource, open_source
from kiosk.table.boards.transcriber import NO_SECOND_DISPLAY, Sheet
from kiosk.table.config import Board, HeadAddress, TableConfig
from kiosk.table.game.recovery import rebuild
from kiosk.table.journal import Journal, JournalError, Recovered, Storage, Writer
from kiosk.table.loop.inbox import Acknowledged, Durable, Item, LinkChanged, Stop, Touched, Troubles
from kiosk.table.loop.program import TableProgram
from kiosk.table.machine.gametime import ShiftedTime
from kiosk.table.machine.health import HealthTeller
from kiosk.table.machine.identity import forget_notice, notice
from kiosk.table.machine.pins import Pins, edges_of
from kiosk.table.machine.supply import SupplyWatch
from kiosk.table.state import LinkState, TableState
from kiosk.table.state.arbiter_session import Pin

log = logging.getLogger(__name__)


def open_carriers(head: HeadAddress) -> list[Carrier]:
    """The ways to the head, the network first."""
    ways: list[Carrier] = [NetworkCarrier(head.url)] if head.url else []
    return [*ways, SerialCarrier(head.serial, head.baud)] if head.serial else ways


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a table takes from its machine and from the wires at it, besides its time, pins and disk. ``writer``: who
    writes the journal (None: a thread)."""

    inbox: Callable[[], SimpleQueue[Item]] = SimpleQueue
    monotonic_s: Callable[[], float] = time.monotonic
    wall_ns: Callable[[], int] = time.time_ns
    uniform: Callable[[float, float], float] = random.uniform
    writer: Callable[[Journal], Writer] | None = None
    board: Callable[[Board, TimeBase, Callable[[Reading | SquareTrouble], None]], BoardSource | None] = open_source
    carriers: Callable[[HeadAddress], list[Carrier]] = open_carriers


class Table:
    """One table, ready to ``run``. ``stop`` may be called from any thread or signal handler.

    :raises UnusableInput: the configuration, the key file or the journal cannot be used.
    :raises hardware.errors.HardwareError: pins or serial line cannot be used.
    """

    def __init__(
        self,
        config: TableConfig,
        *,
        time_base: TimeBase | None = None,
        factory: Any = None,
        firmware: Firmware | None = None,
        storage: Storage | None = None,
        surroundings: Surroundings | None = None,
    ) -> None:
        around = surroundings or Surroundings()
        base = time_base or SystemTime()
        rule_set(config.rules)
        self._config = config
        self._inbox: SimpleQueue[Item] = around.inbox()
        self._stopped = threading.Event()
        self._key_down_ns = 0
        self.link: TableLink | None = None
        self._spare: TroubleInfo | None = None
        factory = self._open_factory(base) if factory is None else factory
        journal_dir = config.data / "journal"
        try:
            self.journal = Journal.open(
                journal_dir,
                storage=storage,
                on_durable=self._durable,
                on_trouble=lambda troubles: self._inbox.put(Troubles("journal", troubles)),
                now_ns=base.now_ns,
                may_begin_afresh=self._is_over,
                about=edges_of(factory),
                wall_ns=around.wall_ns,
                writer=around.writer,
            )
        except (OSError, JournalError) as error:
            raise UnusableInput(f"the journal in {journal_dir} cannot be used: {error}") from error
        self._time = ShiftedTime(base, self.journal.offset_ns)
        self._board = around.board(config.board, self._time, self._inbox.put)
        factory = self._open_factory(base) if factory is None else factory
        self._pins = Pins(config.buttons, config.power, factory, base, self._inbox.put_nowait)
        self._supply = SupplyWatch(
            firmware or Vcgencmd(), config.power.hot_c, lambda troubles: self._inbox.put(Troubles("supply", troubles))
        )
        self.program = TableProgram(
            self._start_state(),
            self._inbox,
            self._time,
            self._time.offset_ns,
            self._debouncer(),
            self.journal,
            self._board,
            self._pins.lamps,
            self._pins.buzzer,
            self._club_game,
            self._pins.recheck,
            around.monotonic_s,
        )
        self._spare = notice(config.data)
        if self._spare is not None:
            self._inbox.put(Troubles("spare", (self._spare,)))
        self._open_link(around)
        if config.head is None and self.program.state.match is None:
            self.program.begin(self._club_game(0))

    # --- running ---------------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Works until ``stop``. The screen, if there is one, takes the calling thread."""
        if self.link is not None:
            self.link.start()
        self._supply.start()
        loop = threading.Thread(target=self._loop, name="table loop", daemon=True)
        loop.start()
        try:
            if self._config.screen.enabled:
                from kiosk.table.machine.display import Display  # pygame only where there is a screen

                board = self._config.board if self._config.board.source == "transcriber" else None
                display = Display(
                    self._config.screen, self.program, self._time, self._key, self.stop, self._touch, board
                )
                if not display.is_whole:
                    self._inbox.put(Troubles("transcriber", (NO_SECOND_DISPLAY,)))
                display.run(self._stopped.is_set)
            while loop.is_alive():
                loop.join(1.0)  # a signal that another thread took is handled here only when this thread wakes
        finally:
            self.stop()
            loop.join(10)
            self._close()

    def stop(self) -> None:
        """Ends ``run``."""
        self._stopped.set()
        self._inbox.put(Stop())

    def _loop(self) -> None:
        try:
            self.program.run()
        finally:
            self._stopped.set()

    def _close(self) -> None:
        if self.link is not None:
            self.link.stop()
        self._supply.close()
        self._pins.close()
        if self._board is not None:
            self._board.close()
        self.journal.close()

    # --- the parts -------------------------------------------------------------------------------------------------

    def _start_state(self) -> TableState:
        screen, head = self._config.screen, self._config.head
        languages = {Seat.LEFT: screen.left_language, Seat.RIGHT: screen.right_language}
        return TableState(
            table=self._config.table,
            languages=languages,
            home_languages=languages,
            link=LinkState.NONE if head is None else LinkState.DOWN,
            head="" if head is None else head.url.split("//")[-1].split("/")[0] or head.serial,
            edge_source=self._pins.edge_source,
            edge_accuracy_ns=self._pins.edge_accuracy_ns,
            arbiter_language=self._config.arbiter.language,
            pin=Pin(self._config.arbiter.pin, self._config.arbiter.pin_digits),
            sheet=Sheet() if self._config.board.source == "transcriber" else None,
            audible=frozenset(map(Seat, self._config.access.audible)),
            one_operates=self._config.access.one_operates,
        )

    def _is_over(self, found: Recovered) -> bool:
        """Whether nothing in the journal is needed: the head has it all, and no game is in progress."""
        known = self._config.head is None or found.acknowledged == len(found.entries)
        match = rebuild(TableState(self._config.table), found.entries).state.match
        return known and (match is None or match.phase in (Phase.SIGNED, Phase.SUBMITTED))

    def _open_factory(self, base: TimeBase) -> Any:
        kind = self._config.buttons.factory
        return None if kind == "none" else open_factory(kind, base)

    def _debouncer(self) -> Debouncer:
        pins = self._config.buttons
        debouncer = Debouncer(pins.lockout_ms * NS_PER_MS, pins.glitch_ms * NS_PER_MS, stuck_ns=pins.stuck_s * NS_PER_S)
        for line in self._pins.buttons.pressed_at_start if self._pins.buttons is not None else ():
            debouncer.held_at_start(line, self._time.now_ns())
        return debouncer

    def _open_link(self, around: Surroundings) -> None:
        head = self._config.head
        if head is None:
            return
        try:
            key = load_key(head.key_file, self._config.table)
            self.link = TableLink(
                around.carriers(head),
                self._config.table,
                key,
                _Outbox(self.journal, self._inbox.put),
                on_command=self._inbox.put,
                on_status=self._link_status,
                health=HealthTeller(
                    self.journal,
                    self._config.data,
                    lambda: self.program.state,
                    self._time.now_ns,
                    self._via,
                    lambda: self._supply.supply,
                    around.wall_ns,
                ),
                uniform=around.uniform,
            )
        except LinkError as error:
            raise UnusableInput(str(error)) from error

    def _link_status(self, up: bool, why: TroubleInfo | None) -> None:
        self._inbox.put(LinkChanged(up))
        if why is not None:
            log.info("the head is out of reach: %s", why.text)

    def _via(self) -> str:
        carrier = None if self.link is None else self.link.via
        return "" if carrier is None else "serial" if isinstance(carrier, SerialCarrier) else "network"

    def _durable(self, seq: int) -> None:
        self._inbox.put(Durable(seq))
        if self._spare is not None and self._goes_on():
            self._spare = None
            forget_notice(self._config.data)
            self._inbox.put(Troubles("spare", ()))
        if self.link is not None:
            self.link.wake()

    def _goes_on(self) -> bool:
        """Whether an arbiter has let the game of a spare go on."""
        match = self.program.state.match
        return match is None or match.phase is not Phase.HOLD

    def _key(self, line: str, pressed: bool) -> None:
        """A key of a window stands for a button; its time is when it was seen. A key does not bounce: however late
        both its edges are seen, the press lasts longer than a disturbance."""
        at_ns = self._time.now_ns() - self._time.offset_ns
        if pressed:
            self._key_down_ns = at_ns
        else:
            at_ns = max(at_ns, self._key_down_ns + 2 * self._config.buttons.glitch_ms * NS_PER_MS)
        self._inbox.put(ButtonEdge(line, pressed, at_ns))

    def _touch(self, panel: str, action: str, down: bool) -> None:
        """A finger on the display; its time is when it was seen."""
        self._inbox.put(Touched(panel, action, down, self._time.now_ns()))

    def _club_game(self, number: int) -> Assignment:
        """Without a head the table is a free Othello clock: one game after the other, nobody named."""
        return Assignment(
            game=f"club-{number}",
            event="",
            division="",
            round=1,
            table=self._config.table,
            rules=self._config.rules,
            stage="league",
            label_ja=render(_LABEL, JAPANESE),
            label_en=render(_LABEL, ENGLISH),
            main_s=self._config.main_s,
            designated=True,
            players=[PlayerInfo("black", ""), PlayerInfo("white", "")],
        )


_LABEL = say("Game clock")


class _Outbox:
    """The journal as the link sees it; what the head acknowledges is also told to the loop."""

    def __init__(self, journal: Journal, tell: Callable[[Item], None]) -> None:
        self._journal = journal
        self._tell = tell

    @property
    def epoch(self) -> str:
        return self._journal.epoch

    def last_seq(self) -> int:
        return self._journal.last_seq()

    def records_after(self, seq: int, limit: int) -> list[Record]:
        return self._journal.records_after(seq, limit)

    def acknowledged(self, seq: int) -> None:
        self._journal.acknowledged(seq)
        self._tell(Acknowledged(seq))
