"""Screen of a table: draws scenes with pygame, and only what differs from the scene before.

- It initialises only pygame's display and fonts (no mixer, as most tables make no sound).
- It draws only when something changes.
- All calls come from one thread.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

import pygame
import pygame.display
import pygame.event
import pygame.image
import pygame.key
import pygame.mouse
import pygame.transform
from pygame._sdl2 import touch

from engine.i18n import raised_as, say
from kiosk.errors import InputError
from kiosk.table.scene import Panel, Rect, Scene, Theme
from kiosk.table.screen.scene_item_renderer import ItemRenderer, on_screen

#: keys of a window, by pygame's key name -> the button line they stand for
KEYS: Mapping[str, str] = MappingProxyType(
    {"left shift": "left", "f": "left", "right shift": "right", "j": "right", "a": "arbiter"}
)
MOUSE = -1  # no finger has this number


class ScreenError(InputError):
    """The screen cannot be opened. The message says what to do."""


class Output(StrEnum):
    """Where the picture is shown."""

    OFFSCREEN = "offscreen"  # memory only: tests, pictures, tables without a display
    WINDOW = "window"  # a desktop, with keys for the buttons
    FULL_SCREEN = "full-screen"  # the table's display, with or without X


class PygameScreen:
    """A screen that shows one scene at a time.

    ``on_key(line, pressed)`` receives the keys of a window, ``on_close`` its closing, ``on_touch(panel, action, down)``
    a finger or the mouse on a ``Touch`` of the scene; all are called from :meth:`pump`. ``display`` is the number of
    the display; any but the first is a second screen of the same program, whose input the first one's :meth:`pump`
    receives. ``size`` is the display's, in pixels; on a full screen its own size is used. ``quarters``: it is mounted
    on its side (``DisplayRotation``). Lay scenes out for :attr:`size`.

    :raises ScreenError: there is no display of that kind.
    """

    def __init__(
        self,
        size: tuple[int, int] = (800, 480),
        output: Output = Output.OFFSCREEN,
        *,
        on_key: Callable[[str, bool], None] | None = None,
        on_close: Callable[[], None] | None = None,
        on_touch: Callable[[str, str, bool], None] | None = None,
        theme: Theme = Theme.DARK,
        display: int = 0,
        quarters: int = 0,
        title: str = "Othello",
    ) -> None:
        self.output = output
        self._on_key = on_key or (lambda line, pressed: None)
        self._on_close = on_close or (lambda: None)
        self._on_touch = on_touch or (lambda panel, action, down: None)
        self._touching: dict[int, tuple[str, str]] = {}  # finger -> what it touched first
        self._window = (
            None if display == 0 or output is Output.OFFSCREEN else _open_second(size, output, display, title)
        )
        self._display = _open(size, output, title) if self._window is None else self._window.get_surface()
        self._rotation = DisplayRotation(self._display.get_size(), quarters)
        self._surface = self._display if quarters == 0 else pygame.Surface(self._rotation.size, 0, 32)
        self._lines = (
            {} if output is Output.OFFSCREEN else {pygame.key.key_code(name): line for name, line in KEYS.items()}
        )
        self._theme = theme
        self._renderer = ItemRenderer(theme)
        self._shown: Scene | None = None

    @property
    def size(self) -> tuple[int, int]:
        return self._surface.get_size()

    @property
    def can_be_touched(self) -> bool:
        """Whether there is a touch display, or a window with a mouse."""
        return self.output is Output.WINDOW or (self.output is Output.FULL_SCREEN and touch.get_num_devices() > 0)

    def dim(self, percent: int) -> None:
        """Draw everything from now on at ``percent`` of its brightness."""
        self._renderer, self._shown = ItemRenderer(self._theme, percent), None

    def draw(self, scene: Scene) -> tuple[Rect, ...]:
        """Draw ``scene`` and return the rectangles that were painted; none if it is already shown."""
        if scene == self._shown:
            return ()
        dirty = differences(self._shown, scene)
        for area in dirty:
            self._repaint(scene, area)
        self._surface.set_clip(None)
        self._shown = scene
        self._update(dirty)
        return dirty

    def _update(self, dirty: tuple[Rect, ...]) -> None:
        if self._surface is not self._display:
            dirty = self._rotation.copy(self._surface, self._display, dirty)
        if self._window is not None:
            self._window.flip()
        elif self.output is not Output.OFFSCREEN:
            pygame.display.update([(area.x, area.y, area.w, area.h) for area in dirty])

    def _repaint(self, scene: Scene, area: Rect) -> None:
        self._surface.set_clip((area.x, area.y, area.w, area.h))
        for panel in scene.panels:
            if not panel.box.overlaps(area):
                continue
            self._surface.fill(
                self._renderer.palette[panel.ground], (panel.box.x, panel.box.y, panel.box.w, panel.box.h)
            )
            for item in panel.items:
                if on_screen(panel, item.box).overlaps(area):
                    self._renderer.paint(self._surface, panel, item)

    def pump(self, second: PygameScreen | None = None) -> None:
        """Pass waiting keys, touches and the closing to the callbacks, those of ``second`` to its own. Keys are always
        this screen's, whichever window has the focus. Call it from the loop; it never waits.
        """
        if self.output is Output.OFFSCREEN:
            return
        for event in pygame.event.get():
            window = getattr(event, "window", None)
            is_second = second is not None and window is not None and window is second._window
            is_second = is_second and event.type not in (pygame.KEYDOWN, pygame.KEYUP)
            (second if second is not None and is_second else self)._handle_event(event)

    def _handle_event(self, event: pygame.event.Event) -> None:
        match event.type:
            case pygame.QUIT | pygame.WINDOWCLOSE:
                self._on_close()
            case pygame.KEYDOWN | pygame.KEYUP:
                line = self._lines.get(event.key)
                if line is not None:
                    self._on_key(line, event.type == pygame.KEYDOWN)
            case pygame.FINGERDOWN | pygame.FINGERUP:
                width, height = self._rotation.panel
                place = min(width - 1, round(event.x * width)), min(height - 1, round(event.y * height))
                self._finger(event.finger_id, place, event.type == pygame.FINGERDOWN)
            case pygame.MOUSEBUTTONDOWN | pygame.MOUSEBUTTONUP if not event.touch:
                self._finger(MOUSE, event.pos, event.type == pygame.MOUSEBUTTONDOWN)
            case pygame.WINDOWEXPOSED | pygame.WINDOWRESTORED if self._window is None:
                pygame.display.flip()
            case pygame.WINDOWEXPOSED | pygame.WINDOWRESTORED:
                self._update(())
            case _:
                pass

    def _finger(self, finger: int, place: tuple[int, int], down: bool) -> None:
        """Handle a finger. It is lifted from what it touched first, wherever it has slid."""
        if down:
            touched = None if self._shown is None else self._shown.touched(*self._rotation.in_picture(*place))
            if touched is not None:
                self._touching[finger] = touched
                self._on_touch(*touched, True)
        elif finger in self._touching:
            self._on_touch(*self._touching.pop(finger), False)

    def close(self) -> None:
        if self._window is not None:
            self._window.destroy()
        elif self.output is not Output.OFFSCREEN:
            pygame.display.quit()


def differences(old: Scene | None, new: Scene) -> tuple[Rect, ...]:
    """Return the rectangles, on the screen, in which ``new`` may look different from ``old``."""
    if old is None or old.size != new.size or [_frame(p) for p in old.panels] != [_frame(p) for p in new.panels]:
        return (Rect(0, 0, *new.size),)
    dirty: dict[Rect, None] = {}
    for before, after in zip(old.panels, new.panels, strict=True):
        if before.items == after.items:
            continue
        changed = set(before.items) ^ set(after.items)
        if not changed:  # the same items in another order: which one is on top may differ
            dirty[after.box] = None
        # In the scene's order, so that the same change always paints in the same order.
        for item in (*before.items, *after.items):
            if item in changed:
                dirty[on_screen(after, item.box)] = None
    return tuple(dirty)


def _frame(panel: Panel) -> tuple[object, ...]:
    return panel.box, panel.turned, panel.ground


#: drivers that draw into memory; SDL takes one without an error where no other works
_MEMORY_DRIVERS = ("offscreen", "dummy")


def _open(size: tuple[int, int], output: Output, title: str) -> pygame.Surface:
    if output is Output.OFFSCREEN:
        return pygame.Surface(size, 0, 32)
    with raised_as(
        ScreenError,
        say(
            "no display for a {output} of {width}x{height} ({why}): connect one, set SDL_VIDEODRIVER, or run "
            "the table without a screen",
            output=output,
            width=size[0],
            height=size[1],
        ),
        pygame.error,
    ):
        pygame.display.init()
        driver = pygame.display.get_driver()
        if driver in _MEMORY_DRIVERS and os.environ.get("SDL_VIDEODRIVER") != driver:
            raise pygame.error(driver)
        if driver == "KMSDRM":
            # Without a desktop SDL uses OpenGL where it was built for it, and where libGL.so.1 is not installed every
            # picture stays black, without an error. A Pi supports OpenGL ES.
            os.environ.setdefault("SDL_RENDER_DRIVER", "opengles2")
        if output is Output.WINDOW:
            surface = pygame.display.set_mode(size)
        else:
            surface = pygame.display.set_mode(size, pygame.FULLSCREEN)
            pygame.mouse.set_visible(False)
    pygame.display.set_caption(title)
    return surface


#: SDL's code for "in the middle of display N"
_MIDDLE_OF = 0x2FFF0000


def _open_second(size: tuple[int, int], output: Output, display: int, title: str) -> pygame.Window:
    """Open another window of the same program. The first screen is open already."""
    if output is Output.WINDOW:
        return pygame.Window(title, size)
    sizes = pygame.display.get_desktop_sizes()
    if display >= len(sizes):
        text = say("display {display} is not connected ({n} found): connect it and start again")
        raise ScreenError(text(display=display, n=len(sizes)))
    window = pygame.Window(title, sizes[display], position=(_MIDDLE_OF | display, _MIDDLE_OF | display))
    window.set_fullscreen(desktop=True)
    return window


@dataclass(frozen=True, slots=True)
class DisplayRotation:
    """Rotation for a display that is mounted on its side or upside down. The picture is drawn upright; only what has
    changed is rotated and copied. ``panel``: the display's own size in pixels; ``quarters``: clockwise quarter turns
    of the picture on the display.
    """

    panel: tuple[int, int]
    quarters: int = 0

    @property
    def size(self) -> tuple[int, int]:
        """Size of the picture."""
        width, height = self.panel
        return (height, width) if self.quarters % 2 else (width, height)

    def on_panel(self, area: Rect) -> Rect:
        """Return where an area of the picture lies on the display."""
        width, height = self.size
        match self.quarters % 4:
            case 1:
                return Rect(height - area.bottom, area.x, area.h, area.w)
            case 2:
                return Rect(width - area.right, height - area.bottom, area.w, area.h)
            case 3:
                return Rect(area.y, width - area.right, area.h, area.w)
            case _:
                return area

    def in_picture(self, x: int, y: int) -> tuple[int, int]:
        """Return the pixel of the picture that lies at a pixel of the display."""
        back = DisplayRotation(self.size, -self.quarters).on_panel(Rect(x, y, 1, 1))
        return back.x, back.y

    def copy(self, picture: pygame.Surface, display: pygame.Surface, areas: tuple[Rect, ...]) -> tuple[Rect, ...]:
        """Copy those areas of the picture, rotated, to the display; return where they lie there."""
        whole = Rect(0, 0, *self.size)
        inside = tuple(_common(area, whole) for area in areas)
        for area in inside:
            part = picture.subsurface((area.x, area.y, area.w, area.h))
            place = self.on_panel(area)
            display.blit(pygame.transform.rotate(part, -90 * self.quarters), (place.x, place.y))
        return tuple(map(self.on_panel, inside))


def _common(area: Rect, whole: Rect) -> Rect:
    x, y = max(area.x, whole.x), max(area.y, whole.y)
    return Rect(x, y, max(0, min(area.right, whole.right) - x), max(0, min(area.bottom, whole.bottom) - y))
