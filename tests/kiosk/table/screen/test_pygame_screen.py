"""Tests of the screen: it draws a scene's items in their places, and only what changed.

``KIOSK_PICTURES=folder`` saves pictures of every phase.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pygame
import pytest
from tables.states import BLACK, LEFT, SECOND, WHITE, all_states, match, table

from engine.match.match_value_types import Phase
from kiosk.locale import JAPANESE, Lang, players_languages
from kiosk.table.scene import Align, Box, ColorRole, Digits, Panel, Rect, Scene, SceneDisc, SceneText, Theme, Touch
from kiosk.table.screen import Output, PygameScreen, ScreenError
from kiosk.table.screen.pygame_screen import differences
from kiosk.table.screen.scene_item_renderer import DISC_BLACK, DISC_WHITE, PALETTES, on_screen
from kiosk.table.screen.text_layout_and_font_fallback import BOLD, ELLIPSIS, Typeface
from kiosk.table.views import Facing, Layout, table_scene

TURN = all_states()["turn"]
RGB = tuple[int, int, int]
DARK = PALETTES[Theme.DARK]


def scene(layout: Layout | None = None, now_ns: int = 0) -> Scene:
    return table_scene(TURN, now_ns, layout or Layout())


def one(
    item: SceneText | Box | SceneDisc | Digits, *, ground: ColorRole = ColorRole.NIGHT, turned: bool = False
) -> Scene:
    return Scene((400, 240), (Panel(Rect(0, 0, 400, 240), turned, ground, (item,)),))


def shown(picture: Scene) -> pygame.Surface:
    screen = PygameScreen(picture.size)
    screen.draw(picture)
    return screen._surface


def pixels(screen: PygameScreen) -> bytes:
    return pygame.image.tobytes(screen._surface, "RGB")


def ink_box(surface: pygame.Surface, area: Rect, ground: RGB) -> Rect:
    """Return the part of ``area`` that is not background."""
    cut = surface.subsurface((area.x, area.y, area.w, area.h))
    differs = pygame.mask.from_threshold(cut, ground, (12, 12, 12, 255))
    differs.invert()
    boxes = differs.get_bounding_rects()
    assert boxes, "nothing is drawn there"
    found = boxes[0].unionall(boxes[1:])
    return Rect(area.x + found.x, area.y + found.y, found.w, found.h)


#: a folder for the pictures; only a person can judge them
KEPT = os.environ.get("KIOSK_PICTURES")


@pytest.mark.parametrize(
    ("size", "facing", "language"),
    [
        (size, facing, language)
        for size, facing in (
            ((800, 480), Facing.OPPOSITE),
            ((800, 480), Facing.SAME),
            ((480, 800), Facing.OPPOSITE),
            ((480, 800), Facing.SAME),
        )
        for language in (
            players_languages() if KEPT or (size, facing) == ((800, 480), Facing.OPPOSITE) else (JAPANESE,)
        )
    ],
    ids=str,
)
def test_pictures_of_every_phase(size: tuple[int, int], facing: Facing, language: Lang) -> None:
    """Every phase can be drawn, at every size and in every language, and no two pictures are the same."""
    screen, pictures = PygameScreen(size), {}
    for name, state in all_states(language).items():
        assert screen.draw(table_scene(state, 0, Layout(*size, facing)))
        pictures[hashlib.sha256(pixels(screen)).digest()] = name
        if KEPT:
            folder = Path(KEPT) / f"{size[0]}x{size[1]}-{facing}"
            folder.mkdir(parents=True, exist_ok=True)
            pygame.image.save(screen._surface, str(folder / f"{name}-{language}.png"))
    assert len(pictures) == len(all_states(language))


SIZES = [(800, 480), (1024, 600), (480, 800), (800, 1280)]


@pytest.mark.parametrize("facing", Facing)
@pytest.mark.parametrize("size", SIZES, ids=str)
def test_the_time_can_be_read_at_three_metres(size: tuple[int, int], facing: Facing) -> None:
    """On a 7-inch display digits are 14 mm high or more: 16 minutes of arc at 3 m, the minimum of ISO 9241-303; in
    play 19 mm or more, the 22 minutes that it recommends. A stopped time beside the other half may be smaller, but
    never below 14 mm. On the usual display they are at least 35 per cent of the half."""
    pixel_mm = 7 * 25.4 / (size[0] ** 2 + size[1] ** 2) ** 0.5
    for name in ("turn", "turn-tenths", "challenge", "check", "hold", "free-play", "chouchou"):
        picture = table_scene(all_states()[name], 0, Layout(*size, facing))
        surface = shown(picture)
        for panel in (picture.panels[0], picture.panels[2]):
            (time,) = panel.named("time")
            figures = ink_box(surface, on_screen(panel, time.box), DARK[panel.ground])
            least_mm = 19 if name == "turn" and facing is Facing.OPPOSITE else 14
            assert figures.h * pixel_mm >= least_mm, (name, panel.name, figures.h * pixel_mm)
            usual = size == (800, 480) and facing is Facing.OPPOSITE and name not in ("turn-tenths", "chouchou")
            assert not usual or figures.h >= 0.35 * panel.box.h, name


def linear(rgb: RGB) -> list[float]:
    return [(c / 255 / 12.92) if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb]


#: Viénot, Brettel and Mollon 1999, and for the rare third kind Brettel 1997 in one plane: linear RGB as seen
VISIONS = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.1124, 0.8876, 0), (0.1124, 0.8876, 0), (0.004, -0.004, 1)),
    "deuteranopia": ((0.2928, 0.7072, 0), (0.2928, 0.7072, 0), (-0.0223, 0.0223, 1)),
    "tritanopia": ((1, 0.1274, -0.1274), (0, 0.8739, 0.1261), (0, 0.8739, 0.1261)),
    "no colours": ((0.2126, 0.7152, 0.0722),) * 3,
}


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme", Theme)
def test_contrast_suffices_for_every_kind_of_colour_vision(theme: Theme, vision: str) -> None:
    """The running half can be distinguished at 10 m, and text from its background, by luminance alone."""

    def luminance(ink: ColorRole) -> float:
        seen = [sum(a * b for a, b in zip(row, linear(PALETTES[theme][ink]), strict=True)) for row in VISIONS[vision]]
        return max(0.0, 0.2126 * seen[0] + 0.7152 * seen[1] + 0.0722 * seen[2])

    def contrast(a: ColorRole, b: ColorRole) -> float:
        lighter, darker = sorted((luminance(a), luminance(b)), reverse=True)
        return (lighter + 0.05) / (darker + 0.05)

    assert contrast(ColorRole.DAY, ColorRole.NIGHT) > 10
    words = [(ColorRole.ON_DAY, ColorRole.DAY), (ColorRole.ON_DAY, ColorRole.ALERT), (ColorRole.QUIET, ColorRole.NIGHT)]
    for ink, ground in [*words, (ColorRole.ON_NIGHT, ColorRole.NIGHT), (ColorRole.ON_NIGHT, ColorRole.PANEL)]:
        assert contrast(ink, ground) > 7, (ink, ground)


def test_a_turned_half_is_the_upright_one_rotated() -> None:
    for item in (
        SceneText(Rect(20, 30, 300, 60), "相手の手番 Ann", ColorRole.ON_NIGHT),
        Digits(Rect(20, 30, 300, 60), "12:04", "00:00", ColorRole.ON_NIGHT),
        SceneDisc(Rect(20, 30, 60, 60), BLACK),
    ):
        upright, turned = shown(one(item)), shown(one(item, turned=True))
        rotated = pygame.transform.rotate(upright, 180)
        assert pygame.image.tobytes(rotated, "RGB") == pygame.image.tobytes(turned, "RGB")


def test_discs_have_contrast_on_both_backgrounds() -> None:
    """Not by colour alone: on every background a disc has a contrasting rim and its own face."""
    for ground in (ColorRole.DAY, ColorRole.NIGHT):
        for color, face in ((BLACK, DISC_BLACK), (WHITE, DISC_WHITE)):
            surface = shown(one(SceneDisc(Rect(100, 100, 80, 80), color), ground=ground))
            row = {tuple(surface.get_at((x, 140))[:3]) for x in range(100, 140)}
            assert tuple(surface.get_at((140, 140))[:3]) == face
            assert DISC_BLACK in row and DISC_WHITE in row


# --- nothing is drawn without a change -------------------------------------------------------------------------------


def test_an_equal_scene_is_not_drawn_again() -> None:
    screen = PygameScreen()
    assert screen.draw(scene()) == (Rect(0, 0, 800, 480),)
    assert screen.draw(scene()) == ()
    assert screen.draw(scene(now_ns=SECOND // 10)) == ()


def test_a_dimmed_picture_is_darker_in_every_colour() -> None:
    """For a display whose backlight cannot be dimmed."""
    scene = table_scene(all_states(JAPANESE)["turn"], 0, Layout())
    screen = PygameScreen((800, 480))
    screen.draw(scene)
    bright = [screen._surface.get_at((x, y))[:3] for x, y in ((5, 470), (400, 300), (5, 5))]
    screen.dim(40)
    assert screen.draw(scene), "the same scene is drawn again"
    dark = [screen._surface.get_at((x, y))[:3] for x, y in ((5, 470), (400, 300), (5, 5))]
    assert dark == [tuple(channel * 40 // 100 for channel in color) for color in bright]


def test_a_tick_repaints_the_figures_only() -> None:
    screen = PygameScreen()
    screen.draw(scene())
    later = scene(now_ns=SECOND)
    dirty = screen.draw(later)
    expected = {on_screen(panel, item.box) for panel in later.panels for item in panel.items if item.name == "time"}
    assert dirty and sum(area.w * area.h for area in dirty) < 800 * 480 / 3
    assert all(any(area == box for box in expected) or area.h < 60 for area in dirty)


def test_partial_drawing_equals_drawing_anew() -> None:
    """Through every change from one state to the next the screen shows what a new screen would show."""
    screen, anew, layout = PygameScreen(), PygameScreen(), Layout()
    blank = Scene(layout.size, ())
    states = all_states(JAPANESE)
    for name in states:
        for now_ns in (0, 61 * SECOND):
            picture = table_scene(states[name], now_ns, layout)
            screen.draw(picture)
            anew.draw(blank)
            anew.draw(picture)
            assert pixels(screen) == pixels(anew), (name, now_ns)


def test_a_new_background_redraws_the_whole_picture() -> None:
    other = table_scene(table(match(Phase.TURN, LEFT.other, side=WHITE)), 0, Layout())
    assert differences(scene(), other) == (Rect(0, 0, 800, 480),)
    assert differences(None, other) == (Rect(0, 0, 800, 480),)
    assert differences(other, replace(other)) == ()


# --- setting text -------------------------------------------------------------------------------------------------


@pytest.fixture
def face() -> Typeface:
    return Typeface(BOLD)


@pytest.mark.parametrize("text", ["Ann", "Alexander Montgomery", "長谷部 みどり", "W" * 200, "", "漢" * 90])
@pytest.mark.parametrize("align", Align)
def test_text_stays_in_its_box(text: str, align: Align) -> None:
    box = Rect(60, 50, 200, 40)
    surface = shown(one(SceneText(box, text, ColorRole.ON_NIGHT, bold=True, align=align, lines=2)))
    if text:
        assert box.contains(ink_box(surface, Rect(0, 0, 400, 240), DARK[ColorRole.NIGHT]))


def test_a_long_name_is_first_set_smaller_then_cut(face: Typeface) -> None:
    full = face.fit("Ann Lee", 300, 40, 1)
    smaller = face.fit("Alexander Montgomery", 300, 40, 1)
    cut = face.fit("Alexander Bartholomew Montgomery-Featherstone of Great Yarmouth", 300, 40, 1)
    assert full.lines == ("Ann Lee",) and smaller.lines == ("Alexander Montgomery",)
    assert full.size > smaller.size > cut.size
    assert cut.lines[0].startswith("Alexander B") and cut.lines[0].endswith(ELLIPSIS)
    assert face.width(cut.lines[0], cut.size) <= 300


def test_sentences_break_between_phrases_and_never_end_in_an_ellipsis(face: Typeface) -> None:
    japanese = face.fit("黒になった方は、ボタンを押してください", 300, 90, 2)
    assert japanese.lines == ("黒になった方は、", "ボタンを押してください")
    english = face.fit("Who has Black? Press your button", 220, 100, 3)
    assert " ".join(english.lines) == "Who has Black? Press your button"


# --- the window ---------------------------------------------------------------------------------------------------


def key(kind: int, name: str) -> None:
    pygame.event.post(pygame.event.Event(kind, key=pygame.key.key_code(name)))


@pytest.mark.usefixtures("dummy")
def test_keys_of_the_window_are_the_buttons() -> None:
    heard: list[tuple[str, bool]] = []
    closed: list[bool] = []
    window = PygameScreen(
        (320, 200), Output.WINDOW, on_key=lambda *k: heard.append(k), on_close=lambda: closed.append(True)
    )
    for name in ("f", "j", "left shift", "right shift", "a", "x"):
        key(pygame.KEYDOWN, name)
        key(pygame.KEYUP, name)
    window.pump()
    lines = ("left", "right", "left", "right", "arbiter")
    assert heard == [(line, pressed) for line in lines for pressed in (True, False)] and not closed
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    window.pump()
    assert closed == [True]
    window.close()


@pytest.mark.usefixtures("dummy")
def test_a_touch_belongs_to_the_item_where_it_began() -> None:
    """Also in a turned half; of two overlapping items the upper one; outside of items none."""
    felt: list[tuple[str, str, bool]] = []
    window = PygameScreen((400, 240), Output.WINDOW, on_touch=lambda *t: felt.append(t))
    places = (Touch(Rect(0, 0, 200, 120), "big"), Touch(Rect(10, 10, 20, 20), "small"))
    lower = Panel(Rect(0, 120, 400, 120), False, ColorRole.NIGHT, places, name="lower")
    upper = Panel(Rect(0, 0, 400, 120), True, ColorRole.NIGHT, places, name="upper")
    window.draw(Scene((400, 240), (lower, upper)))

    def mouse(kind: int, x: int, y: int) -> None:
        pygame.event.post(pygame.event.Event(kind, pos=(x, y), button=1, touch=False))

    def finger(kind: int, number: int, x: float, y: float) -> None:
        pygame.event.post(pygame.event.Event(kind, finger_id=number, touch_id=1, x=x / 400, y=y / 240))

    mouse(pygame.MOUSEBUTTONDOWN, 15, 135)
    mouse(pygame.MOUSEBUTTONUP, 399, 0)
    finger(pygame.FINGERDOWN, 7, 399, 119)
    finger(pygame.FINGERDOWN, 8, 380, 100)
    finger(pygame.FINGERUP, 7, 0, 0)
    finger(pygame.FINGERUP, 8, 0, 0)
    finger(pygame.FINGERDOWN, 9, 10, 10)
    finger(pygame.FINGERUP, 9, 10, 10)
    window.pump()
    assert felt == [
        ("lower", "small", True),
        ("lower", "small", False),
        ("upper", "big", True),
        ("upper", "small", True),
        ("upper", "big", False),
        ("upper", "small", False),
    ]
    window.close()


@pytest.mark.usefixtures("dummy")
@pytest.mark.parametrize("quarters", range(4))
def test_a_rotated_display_has_the_same_picture_and_touches(quarters: int) -> None:
    """Also if only the digits are redrawn."""
    upright_size = (480, 800) if quarters % 2 else (800, 480)
    layout = Layout(*upright_size)
    upright, felt = PygameScreen(upright_size), []
    turned = PygameScreen((800, 480), Output.WINDOW, quarters=quarters, on_touch=lambda *t: felt.append(t))
    assert turned.size == upright_size
    for now_ns in (0, SECOND):
        upright.draw(scene(layout, now_ns))
        turned.draw(scene(layout, now_ns))
        rotated = pygame.transform.rotate(upright._surface, -90 * quarters)
        assert pygame.image.tobytes(rotated, "RGB") == pygame.image.tobytes(turned._display, "RGB")
    place = Touch(Rect(10, 20, 5, 7), "here")
    turned.draw(Scene(upright_size, (Panel(Rect(0, 0, *upright_size), False, ColorRole.NIGHT, (place,)),)))
    x, y = {0: (12, 23), 1: (799 - 23, 12), 2: (799 - 12, 479 - 23), 3: (23, 479 - 12)}[quarters]
    for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        pygame.event.post(pygame.event.Event(kind, pos=(x, y), button=1, touch=False))
    turned.pump()
    assert [action for _, action, _ in felt] == ["here", "here"]
    turned.close()


@pytest.mark.usefixtures("dummy")
def test_a_full_screen_draws_on_its_display() -> None:
    screen = PygameScreen((800, 480), Output.FULL_SCREEN)
    assert screen.draw(scene(Layout(*screen.size)))
    screen.close()


@pytest.mark.parametrize(("driver", "renderer"), [("KMSDRM", "opengles2"), ("dummy", None)])
def test_without_a_desktop_opengl_es_is_used(
    dummy: None, monkeypatch: pytest.MonkeyPatch, driver: str, renderer: str | None
) -> None:
    """An emulated card without libGL.so.1 would stay black for minutes (docs/setup/install.md)."""
    monkeypatch.setenv("SDL_RENDER_DRIVER", "")  # restored at the end
    monkeypatch.delenv("SDL_RENDER_DRIVER")
    monkeypatch.setattr(pygame.display, "get_driver", lambda: driver)
    PygameScreen((800, 480), Output.FULL_SCREEN).close()
    assert os.environ.get("SDL_RENDER_DRIVER") == renderer


def test_without_a_display_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "nosuchdriver")
    with pytest.raises(ScreenError, match="SDL_VIDEODRIVER"):
        PygameScreen((320, 200), Output.WINDOW)


def test_opening_a_screen_prints_nothing_and_starts_no_sound() -> None:
    """With ``--json`` stdout has JSON alone; the mixer would open the sound card."""
    code = (
        "from kiosk.table.screen import PygameScreen; PygameScreen(); import pygame;"
        "import sys; sys.exit(pygame.mixer.get_init() is not None or pygame.display.get_init())"
    )
    plain = {name: value for name, value in os.environ.items() if name != "PYGAME_HIDE_SUPPORT_PROMPT"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=plain)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_an_offscreen_display_is_an_error(tmp_path: Path) -> None:
    """Without a display SDL uses its driver "offscreen" without an error."""
    seen = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER", "SDL_VIDEO_DRIVER")
    environment = {name: value for name, value in os.environ.items() if name not in seen} | {"LC_ALL": "C.UTF-8"}
    config = tmp_path / "table.toml"
    config.write_text(f'table = 1\ndata = "{tmp_path}"\n[buttons]\nfactory = "none"\n', encoding="utf-8")
    ended = subprocess.run(
        [sys.executable, "-m", "kiosk", "table", "--config", str(config), "--window"],
        env=environment, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 2 and "kiosk: no display for a window of 800x480" in ended.stderr, ended.stderr
    assert "the table starts" not in ended.stderr and "Traceback" not in ended.stderr
