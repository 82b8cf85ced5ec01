"""The configuration file of one table (TOML; docs/table.md shows one with every field)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from engine.text import say
from kiosk.errors import UnusableInput
from kiosk.locale import JAPANESE, Lang, languages, players_languages


class HeadAddress(msgspec.Struct, forbid_unknown_fields=True):
    """Where the head is: ``url`` on the network, ``serial`` at the end of a cable, or both; the first that works is
    used. ``key_file`` holds this table's key."""

    key_file: Path
    url: str = ""
    serial: str = ""
    baud: int = 115_200

    def __post_init__(self) -> None:
        if not (self.url or self.serial):
            raise UnusableInput(say("head needs a url, a serial device, or both"))
        if self.baud < 115_200:
            raise UnusableInput(
                say("head.baud is {baud}, but a line to the head has 115200 baud or more", baud=self.baud)
            )


class Buttons(msgspec.Struct, forbid_unknown_fields=True):
    """BCM numbers of the players' buttons, and of the arbiter's, lamps and buzzer if there are any; what counts as a
    bounce, a press, a stuck button."""

    factory: Literal["lgpio", "rpigpio", "rpi-lgpio", "none"] = "lgpio"
    left: int = 17
    right: int = 27
    arbiter: int | None = None
    lamp_left: int | None = None
    lamp_right: int | None = None
    buzzer: int | None = None
    lockout_ms: int = 30
    glitch_ms: int = 2
    proof_ms: int = 50
    stuck_s: int = 10


def known_language(field: str, language: Lang) -> None:
    """:raises UnusableInput: no catalogue speaks it."""
    known = players_languages() if field.startswith("screen.") else languages()
    if language not in known:
        raise UnusableInput(
            say(
                "{field} is {language!r}, but a table speaks {known}",
                field=field,
                language=language,
                known=", ".join(known),
            )
        )


class Board(msgspec.Struct, forbid_unknown_fields=True):
    """Who reports the physical board: nobody, a sensor board on a serial line, a camera, or a transcriber, who taps
    what is played on a display of his own: ``display`` is its number, the players' is 0; ``language`` is his. A
    camera's ``device`` is ``pi``, /dev/video0, an address, or a film; ``quarter`` the corner of its picture that begins
    the first row, 0 the upper left, then clockwise."""

    source: Literal["none", "sensor", "camera", "transcriber"] = "none"
    device: str = ""
    quarter: Literal[0, 1, 2, 3] = 0
    settle_ms: int = 300
    display: int = 1
    size: tuple[int, int] = (800, 480)
    language: Lang = JAPANESE

    def __post_init__(self) -> None:
        known_language("board.language", self.language)


class Screen(msgspec.Struct, forbid_unknown_fields=True):
    enabled: bool = True
    window: bool = False
    size: tuple[int, int] = (800, 480)
    facing: Literal["opposite", "same"] | None = None  # None: asked on the device
    rotate: Literal[0, 90, 180, 270] = 0
    figures: Literal["normal", "large"] = "normal"
    theme: Literal["dark", "light", "contrast"] = "dark"
    touch: Literal["auto", "yes", "no"] = "auto"
    left_language: Lang = JAPANESE
    right_language: Lang = JAPANESE

    def __post_init__(self) -> None:
        known_language("screen.left_language", self.left_language)
        known_language("screen.right_language", self.right_language)


class Power(msgspec.Struct, forbid_unknown_fields=True):
    """A hold-up supply's signal that its input is gone, if one is wired, and from how hot on the table says so."""

    signal: int | None = None
    low_is_failing: bool = True
    hot_c: int = 75


class Access(msgspec.Struct, forbid_unknown_fields=True):
    """For players who need it (K-17, M43-19), as this table starts: one person presses for both; at which seats the
    clock is heard."""

    one_operates: bool = False
    audible: list[Literal["left", "right"]] = []


class Arbiter(msgspec.Struct, forbid_unknown_fields=True):
    """What opens the arbiter's screen at this table: ``pin`` is a hash that ``kiosk keys pin`` made. A head may send
    another one for its whole hall."""

    pin: str = ""
    pin_digits: int = 4
    language: Lang = JAPANESE

    def __post_init__(self) -> None:
        known_language("arbiter.language", self.language)
        if self.pin and not self.pin.startswith("$argon2"):
            raise UnusableInput(say("arbiter.pin is the hash that `kiosk keys pin` prints, not the figures themselves"))
        if not 4 <= self.pin_digits <= 8:
            raise UnusableInput(say("arbiter.pin_digits is {n}, but a PIN has 4 to 8 digits", n=self.pin_digits))


class TableConfig(msgspec.Struct, forbid_unknown_fields=True):
    """One table. Without ``head`` it is a free Othello clock, which begins with ``main_s`` each (None: as the rule
    set has it) under the rule set ``rules``.
    ``table`` 0: a spare, whose number is that of its key."""

    table: int
    data: Path
    head: HeadAddress | None = None
    buttons: Buttons = msgspec.field(default_factory=Buttons)
    board: Board = msgspec.field(default_factory=Board)
    screen: Screen = msgspec.field(default_factory=Screen)
    arbiter: Arbiter = msgspec.field(default_factory=Arbiter)
    power: Power = msgspec.field(default_factory=Power)
    access: Access = msgspec.field(default_factory=Access)
    rules: str = "casual"
    main_s: int | None = None
