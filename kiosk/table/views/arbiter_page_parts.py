"""Shared widgets of the arbiter's pages: the reader, lists, cells, figures, the state of the game in words."""

from __future__ import annotations

from dataclasses import dataclass

from engine.board.color import Color
from engine.i18n import Renderable
from engine.match import MatchState
from engine.match.match_events_and_effects import Action
from engine.match.match_value_types import Phase, RecordedViolation, Seat
from engine.match.screen_messages import COLORS
from kiosk.locale import Lang, render
from kiosk.table.scene import Align, Box, ColorRole, Icon, IconKind, Items, Rect, SceneText, Touch
from kiosk.table.state import TableState
from kiosk.table.state.arbiter_screen_state import CLUB_PAGES, ArbiterSession, HomeTask
from kiosk.table.state.recent_games import clock_text
from kiosk.table.strings import arbiter_strings as words
from kiosk.table.views.clock_time_text import SECOND_NS


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of the arbiter's screen, who may see everything the table knows."""

    state: TableState
    session: ArbiterSession
    now_ns: int
    touch: bool

    @property
    def language(self) -> Lang:
        """Return the arbiter's language; on a clock without one the players', as chosen on the open page."""
        chosen = next((field.option for field in self.session.form if field.name == "language"), "")
        if self.session.page in CLUB_PAGES or self.state.alone:
            return chosen or self.state.languages[Seat.LEFT]
        return self.state.arbiter_language

    def say(self, phrase: Renderable, **fields: object) -> str:
        return render(phrase, self.language, **fields)

    def side(self, color: Color | None) -> str:
        return "" if color is None else self.say(COLORS[color])

    def name(self, color: Color) -> str:
        """Return the colour and name of a player, as far as known."""
        match = self.state.match
        name = "" if match is None else self.state.name_at(match.seat_of(color))
        return f"{self.side(color)} {name}".rstrip()

    def task(self, task: HomeTask) -> str:
        """Return a line of the home page. The game to resume may not have begun."""
        phase = None if self.state.match is None else self.state.match.phase
        if task is Action.RESUME and phase in (Phase.LATE, Phase.READY):
            return self.say(words.LATE_IS_HERE if phase is Phase.LATE else words.START_GAME)
        return self.say(words.TASKS[task])

    def phase(self, match: MatchState) -> str:
        """Return the phase of the game in words; on HOLD the phase to resume."""
        side = match.side
        other = None if side is None else side.opponent
        return self.say(words.PHASES[match.active_phase], side=self.side(side), other=self.side(other))

    def finding(self, violation: RecordedViolation) -> str:
        return f"{violation.kind}: {self.say(violation.text)}"


def arbiter_face(left_ns: int) -> str:
    """Return a clock's time for the arbiter: to the second, and negative after a flag (K-03)."""
    seconds = -(-left_ns // SECOND_NS)
    return clock_text(seconds) if left_ns >= 0 else f"−{clock_text(-seconds)}"


def line(box: Rect, text: str, action: str, marked: bool) -> Items:
    """Return a line of a list; the marked one is filled and has a check mark."""
    inside = box.inset(box.h // 8, box.h // 40)
    ground, ink = (ColorRole.DAY, ColorRole.ON_DAY) if marked else (ColorRole.PANEL, ColorRole.ON_NIGHT)
    size = min(inside.h, inside.w // 10)
    mark: Items = (Icon(inside.left(size), IconKind.CHECK, ink, name="marked"),) if marked else ()
    words_box = inside.after(size * 5 // 4)
    label = SceneText(words_box, text, ink, bold=True, lines=2, most=inside.h // 2, name="marked" if marked else "line")
    return Box(box, ground, name="line"), *mark, label, Touch(box, action)


def line_list(
    box: Rect, texts: tuple[str, ...], marked: int, columns: int, action: str, *, rows: int = 0, first: int = 0
) -> Items:
    """Return lines one below the other, in that many columns. ``rows``: in a column; ``first``: number of the first
    line, for a part of a list."""
    rows = rows or max(5, -(-len(texts) // columns))
    gap = max(3, box.h // 60)
    cells = (
        cell for column in box.columns(*([1.0] * columns), gap=gap) for cell in column.rows(*([1.0] * rows), gap=gap)
    )
    lines = enumerate(zip(cells, texts, strict=False), start=first)
    return tuple(item for n, (cell, text) in lines for item in line(cell, text, f"{action}{n}", n == marked))


def game_summary(reader: Reader, match: MatchState, box: Rect) -> Items:
    """Return both clocks and the phase of the game."""
    rows = box.rows(1, 1, 1, gap=max(2, box.h // 30))
    state = reader.phase(match)
    if match.clock.running is None and match.phase is Phase.HOLD:
        state = f"{reader.say(words.STOPPED)}　{state}"
    return (
        *_clock(reader, match, Color.BLACK, rows[0]),
        *_clock(reader, match, Color.WHITE, rows[1]),
        SceneText(rows[2], state, lines=2, name="phase"),
    )


def _clock(reader: Reader, match: MatchState, color: Color, box: Rect) -> Items:
    """Return one clock. While colours are open it is named by its seat."""
    name, time = box.columns(0.58, 0.42, gap=box.h // 6)
    seat = match.seat_of(color) or (Seat.LEFT if color is Color.BLACK else Seat.RIGHT)
    label = reader.name(color) if match.black_seat is not None else reader.say(words.OPTIONS[str(seat)])
    return (
        SceneText(name.inset(0, box.h // 8), label, ColorRole.QUIET, lines=2, name="side"),
        SceneText(
            time,
            arbiter_face(match.remaining_ns(seat, reader.now_ns)),
            bold=True,
            align=Align.RIGHT,
            name=f"time-{color}",
        ),
    )


def warning_box(box: Rect, text: str, lines: int = 3) -> Items:
    """Return a warning that the arbiter must not miss."""
    inside = box.inset(box.h // 5, box.h // 10)
    size = min(inside.h, inside.w // 8)
    return (
        Box(box, ColorRole.ALERT, name="warned"),
        Icon(inside.left(size), IconKind.WARNING, ColorRole.ON_DAY, name="warned"),
        SceneText(inside.after(size * 5 // 4), text, ColorRole.ON_DAY, bold=True, lines=lines, name="warned"),
    )
