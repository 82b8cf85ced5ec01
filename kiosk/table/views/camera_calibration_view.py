"""View of the camera set-up: the image with the grid, the board as read, and instructions.

Pure, like every view. Both languages are shown, because the readers' language is not known.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.board.variants import STANDARD
from engine.i18n import Renderable, say
from kiosk.locale import ENGLISH, JAPANESE, render
from kiosk.table.scene import ColorRole, Items, Panel, Picture, Rect, Scene, SceneText
from kiosk.table.views.board_drawing import board

#: with more unreadable squares than this, an arm may cover them, or the board is elsewhere
MOST_UNREAD = 8


@dataclass(frozen=True, slots=True)
class CameraView:
    """Content of the view. ``cells``: the reading, empty while no board is found; ``trouble``: why not. ``pixels``: RGB
    of ``size``. ``marking``: the step of marking the corners by hand (two a corner), None if they are not marked.
    """

    size: tuple[int, int] = (0, 0)
    pixels: bytes = b""
    cells: str = ""
    trouble: Renderable | None = None
    marking: int | None = None

    @property
    def contradicted(self) -> tuple[str, ...]:
        """The squares that differ from the start position; ``?`` does not count."""
        seen = zip(STANDARD.geometry.square_names, self.cells, STANDARD.start, strict=True) if self.cells else ()
        return tuple(name for name, read, right in seen if read not in ("?", right))

    @property
    def crossed(self) -> bool:
        """Whether it is the start position with black and white exchanged: the grid is turned by a quarter, or the
        discs are laid wrongly.
        """
        start = dict(zip(STANDARD.geometry.square_names, STANDARD.start, strict=True))
        return bool(self.contradicted) and all(
            start[name] != "-" and read != "-"
            for name, read in zip(start, self.cells, strict=True)
            if name in self.contradicted
        )

    @property
    def unread(self) -> str:
        """The colour (X or O) of which no disc of the start position is read, as it would not be read in a game either.
        Empty if both are read.
        """
        seen = set(zip(self.cells, STANDARD.start, strict=True)) if self.cells else {("X", "X"), ("O", "O")}
        return next((colour for colour in "XO" if (colour, colour) not in seen), "")

    @property
    def can_be_learnt(self) -> bool:
        few = self.cells.count("?") <= MOST_UNREAD
        return bool(self.cells) and not self.contradicted and few and not self.unread


def camera_scene(view: CameraView, size: tuple[int, int]) -> Scene:
    screen = Rect(0, 0, *size)
    pad = max(4, min(size) // 40)
    above, below = screen.inset(pad).rows(0.62, 0.38, gap=pad)
    if size[0] >= size[1]:
        picture, read = above.columns(0.6, 0.4, gap=pad)
    else:
        picture, read = above.rows(0.5, 0.5, gap=pad)
    seen: Items = (Picture(picture, view.size, view.pixels),) if view.pixels else ()
    items = (*seen, *board(read, view.cells or "?" * 64, framed=view.contradicted), *_words(view, below, pad))
    return Scene(size, (Panel(screen, False, ColorRole.NIGHT, items, name="camera"),))


def _words(view: CameraView, box: Rect, pad: int) -> Items:
    rows = box.rows(0.26, 0.26, 0.24, 0.24, gap=pad // 2)
    texts = [(text, language) for text in (_instruction(view), _keys(view)) for language in (JAPANESE, ENGLISH)]
    return tuple(
        SceneText(row, render(text, language), bold=number < 2, lines=3, name="message" if number < 2 else "keys")
        for number, (row, (text, language)) in enumerate(zip(rows, texts, strict=True))
    )


def _instruction(view: CameraView) -> Renderable:
    if view.marking is not None:
        corner = view.marking // 2 + 1
        if view.marking % 2 == 0:
            return say("Corner {number} of the 8×8 squares: move the red vertical line onto it", number=corner)
        return say("Corner {number} of the 8×8 squares: move the red horizontal line onto it", number=corner)
    if view.trouble is not None:
        return view.trouble
    if not view.cells:
        return say("The camera looks for the board. Lay the start position and take your hands away")
    if view.crossed:
        return say("Black and white are crossed: press the left button to move a1, or lay the discs anew")
    if wrong := view.contradicted:
        return say("This is not the start position: {squares}", squares=" ".join(wrong[:8]))
    if view.cells.count("?") > MOST_UNREAD:
        return say("Too many squares are not read (?): take your hands away, and look at the light")
    if view.unread == "X":
        return say("No black disc is read (?): make more light, or move the lamp that shines on them")
    if view.unread == "O":
        return say("No white disc is read (?): make less light, or move the lamp that shines on them")
    if "?" in view.cells:
        return say("The start position. What is not read yet (?) will be learnt from it")
    return say("The start position, and every square is read")


def _keys(view: CameraView) -> Renderable:
    if not view.pixels:
        return say("Hold both buttons for 5 s: go on without the camera")
    if view.marking is not None:
        if view.marking % 2 == 0:
            return say("Left button: move left. Right button: move right. Hold both: go on")
        return say("Left button: move up. Right button: move down. Hold both: go on")
    if view.can_be_learnt:
        return say("Is the grid on the lines, and a1 at the dot? Hold both. Left: move a1. Right: mark the corners")
    return say("Left: move a1. Right: mark the corners. Hold both for 5 s: go on without the camera")
