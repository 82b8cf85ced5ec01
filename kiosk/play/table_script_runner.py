"""Runner of table scripts: the table's logic without a table.

- Actions of the script's players pass through the same debouncer, state machine and journal bodies as at a real table;
  after a power cut only the journal remains.
- A press uses the last reading before it, however often the reading is requested; unreadable squares are completed as
  at a table, or there is no reading.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import Any

from engine.board.color import Color
from engine.match import IllegalEvent, MatchState, ReadBoard, chouchou_multiplayer_and_score_board, new_match, step
from engine.match.match_events_and_effects import BoardReported, Event, Hold, Press, Restart, Retract, Tick
from engine.match.match_value_types import NS_PER_S, Phase, Seat
from engine.match.rule_sets_and_options import ScoreRule
from hardware.button_edges_and_time_accuracy import ButtonEdge
from hardware.debounce_and_button_faults import PROOF_NS, DebouncedPress, Debouncer, Glitch, Report
from kiosk.link.game_replay_and_event_encoding import event_from_dict, event_to_dict
from kiosk.locale import render_both
from kiosk.play.table_script_parser import Edge, PowerStep, Script, ScriptLine
from kiosk.table.board_sources.doubtful_board_readings import MOST_UNKNOWN, UNKNOWN, complete_reading

#: interval of the time entries that a real table writes to its journal while a clock runs
TICK_NS = NS_PER_S
_NS_PER_MS = 1_000_000


@dataclass(slots=True)
class ScriptedTable:
    """One simulated table with its journal, which survives power cuts."""

    script: Script
    state: MatchState = field(init=False)
    powered: bool = True
    journal: list[str] = field(default_factory=list)
    recorded_ns: int = 0
    recovered: bool = False
    board: str | None = None  # the latest reading of the script
    board_at: dict[int, str | None] = field(default_factory=dict)  # press -> the last reading before it
    switched_ns: int | None = None  # the last press of a button that the rules accepted
    rejected: list[dict[str, object]] = field(default_factory=list)
    pressed_level: int | None = None
    debouncer: Debouncer = field(default_factory=Debouncer)

    def __post_init__(self) -> None:
        self.state = new_match(self.script.setup)

    def run(self) -> int:
        """Play every line; return the time of the last."""
        at_ns = 0
        for line in self.script.lines:
            at_ns = line.what.at_ns
            if self.powered:
                self._pass_time(at_ns, line)
            self._play(line)
        if self.powered:
            last = ScriptLine(0, Tick(at_ns))
            self._pass_time(at_ns, last)
            for report in self.debouncer.poll(at_ns + PROOF_NS):  # an open contact is decided
                self._button(report, at_ns, last)
        else:
            self._recover()
        return at_ns

    def _play(self, line: ScriptLine) -> None:
        what = self._with_seats(line.what)
        if isinstance(what, PowerStep):
            self._power(what, line)
        elif not self.powered:
            self._reject(line, "the table is without power")
        elif isinstance(what, Edge):
            if self.pressed_level is None:  # a button at rest: its first edge is a press
                self.pressed_level = what.level
            edge = ButtonEdge(what.seat, what.level == self.pressed_level, what.at_ns)
            for report in self.debouncer.feed(edge):
                self._button(report, what.at_ns, line)
        elif isinstance(what, BoardReported):
            self._read(what, line)
        else:
            self._step(what, line)

    def _read(self, reading: BoardReported, line: ScriptLine) -> None:
        cells = complete_reading(self.state, reading.cells, None)
        if cells is None and reading.cells.count(UNKNOWN) <= MOST_UNKNOWN:
            self.board = reading.cells  # the squares of its turn may still be certain
        elif cells is None:
            self.board = None  # what stands on the table is not known until the next reading
            self._reject(line, "too many squares of this reading are unknown")
        elif self._step(replace(reading, cells=cells), line):
            self.board = reading.cells

    def _with_seats(self, what: Event | Edge | PowerStep) -> Event | Edge | PowerStep:
        """Replace the colours in a line by seats, which are known once colours are settled."""
        if isinstance(what, (Press, Hold, Edge)) and self.state.black_seat is Seat.RIGHT:
            return replace(what, seat=what.seat.other)
        return what

    def _step(self, event: Event, line: ScriptLine) -> bool:
        """Play an event, record it and read the board where an effect requests it."""
        if isinstance(event, Press):
            self.board_at.setdefault(event.at_ns, self.board)
        try:
            state, effects = step(self.state, event)
        except IllegalEvent as error:
            self._reject(line, str(error))
            return False
        if state is not self.state:
            self.journal.append(json.dumps(event_to_dict(event)))
            self.recorded_ns = event.at_ns
        self.state = state
        for effect in effects:
            if isinstance(effect, ReadBoard):
                self._answer(effect.number, event.at_ns, line)
        return True

    def _answer(self, number: int, at_ns: int, line: ScriptLine) -> None:
        press = next((press for press in self.state.pending if press.number == number), None)
        read = self.board if press is None else self.board_at.get(press.at_ns, self.board)
        cells = None if read is None else complete_reading(self.state, read, number)
        if cells is not None:
            self._step(BoardReported(at_ns, cells, number), line)

    def _button(self, report: Report, at_ns: int, line: ScriptLine) -> None:
        match report:
            case DebouncedPress() if self.state.phase in (Phase.TURN, Phase.CORR) and self._is_too_early(report.at_ns):
                self._reject(line, "both buttons were pressed at once: no hand replies so fast")
            case DebouncedPress():
                if self._step(Press(report.at_ns, Seat(report.line)), line):
                    self.switched_ns = report.at_ns
            case Glitch():
                retract = Retract(at_ns, report.at_ns)
                try:
                    step(self.state, retract)
                except IllegalEvent:
                    return  # the press to undo had no effect
                self._step(retract, line)
            case _:
                pass

    def _is_too_early(self, at_ns: int) -> bool:
        return self.switched_ns is not None and at_ns - self.switched_ns < self.debouncer.reply_ns

    def _pass_time(self, until_ns: int, line: ScriptLine) -> None:
        """Process all timed events up to ``until_ns``, in order."""
        done_ns = -1
        while True:
            due = [due for due in (self.state.next_deadline_ns(), self.debouncer.next_deadline_ns()) if due is not None]
            now_ns = min((ns for ns in due if ns > done_ns), default=until_ns + 1)
            if now_ns > until_ns:
                return
            for report in self.debouncer.poll(now_ns):
                self._button(report, now_ns, line)
            self._step(Tick(now_ns), line)
            done_ns = now_ns

    def _power(self, power: PowerStep, line: ScriptLine) -> None:
        if power.on is self.powered:
            self._reject(line, "the power is on already" if power.on else "the power is cut already")
        elif power.on:
            self._recover()
            self.powered = self.recovered = True
        else:
            self.powered = False
            if self.state.clock.running is not None:
                self.recorded_ns += (power.at_ns - self.recorded_ns) // TICK_NS * TICK_NS

    def _recover(self) -> None:
        """Rebuild the game from the journal alone; the clock is paused at the last recorded time."""
        state = new_match(self.script.setup)
        for body in self.journal:
            state, _ = step(state, event_from_dict(json.loads(body)))
        self.state = state
        self.debouncer = Debouncer()
        self._step(Restart(self.recorded_ns), ScriptLine(0, Tick(self.recorded_ns)))

    def _reject(self, line: ScriptLine, text: str) -> None:
        self.rejected.append({"line": line.number, "text": text})


def play_script(script: Script) -> dict[str, Any]:
    """Return the output of ``kiosk play --json`` (CONTRACT.md)."""
    table = ScriptedTable(script)
    at_ns = table.run()
    state = table.state
    return {
        "state": str(state.phase),
        "running": state.running(),
        "remaining_ms": {str(color): max(0, state.remaining_ns(color, at_ns)) // _NS_PER_MS for color in Color},
        "flags": {str(color): state.flag(color, at_ns) for color in Color},
        "shown_to_players": [render_both(message.text) for message in state.shown_to_players],
        "shown_to_arbiter": [render_both(message.text) for message in state.shown_to_arbiter],
        "result": _result(state),
        "findings": [{"ply": one.ply, "kind": one.kind, "squares": list(one.squares)} for one in state.findings],
        **_score_sheet(state, at_ns),
        "rejected": table.rejected,
        "transcript": state.transcript,
        "journal": {"records": len(table.journal), "recovered": table.recovered},
    }


def _score_sheet(state: MatchState, at_ns: int) -> dict[str, Any]:
    """Return ChouChou's score sheet, a row for each player in the order of turns (CC-SCO-1)."""
    if state.rules.score is not ScoreRule.CAPTURES:
        return {}
    rows = [
        {
            "player": player + 1,
            "side": str(chouchou_multiplayer_and_score_board.color_of(player)),
            "captured": pieces,
            "points": pieces - state.options.target,
            "remaining_ms": max(0, chouchou_multiplayer_and_score_board.remaining(state, player, at_ns)) // _NS_PER_MS,
            "out": state.company is not None and player in state.company.out,
        }
        for player, pieces in enumerate(chouchou_multiplayer_and_score_board.captured_by(state))
    ]
    turn = chouchou_multiplayer_and_score_board.player_at(state, state.side) + 1 if state.side else None
    return {"sheet": rows, "turn": turn}


def _result(state: MatchState) -> dict[str, Any] | None:
    result = state.result
    if result is None:
        return None
    return {
        "winner": result.winner or "draw",
        "black_discs": result.black_discs,
        "white_discs": result.white_discs,
        "end": str(result.end),
        "rated": result.rated,
    }
