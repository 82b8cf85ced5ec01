"""Configuration file of one table (TOML; docs/table.md shows one with every field)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from engine.text import say
from kiosk.errors import UnusableInput
from kiosk.locale import JAPANESE, Lang, languages, players_languages


class HeadAddress(msgspec.Struct, forbid_unknown_fields=True):
    """Address of the head: ``url`` on the network, ``serial`` for a cable, or both; the first that works is used.
    ``key_file`` holds this table's key.
    """

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
    """GPIO lines (BCM numbers) of the players' buttons and, where wired, of the arbiter's button, lamps and buzzer;
    durations that define a bounce, a press and a stuck button.
    """

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
    """Check that there is a catalogue for the language.

    :raises UnusableInput: there is none.
    """
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
    """Board source: none, a sensor board on a serial line, a camera, or a transcriber who taps the moves on a separate
    display.

    ``display`` is the number of the transcriber's display (the players' is 0), ``language`` its language. A camera's
    ``device`` is ``pi``, /dev/video0, an address, or a film; ``quarter`` is the corner of its image where the first row
    begins, 0 the upper left, then clockwise.
    """

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
    facing: Literal["opposite", "same"] | None = None  # None: set on the device
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
    """Power supply: the line on which a hold-up supply reports that its input has failed, if wired, and the temperature
    from which the table warns.
    """

    signal: int | None = None
    low_is_failing: bool = True
    hot_c: int = 75


class Access(msgspec.Struct, forbid_unknown_fields=True):
    """Accessibility settings at the start (K-17, M43-19): one person presses for both; the seats at which the clock is
    audible.
    """

    one_operates: bool = False
    audible: list[Literal["left", "right"]] = []


class Arbiter(msgspec.Struct, forbid_unknown_fields=True):
    """PIN of the arbiter's screen at this table: ``pin`` is a hash made by ``kiosk keys pin``. A head may send another
    one for all its tables.
    """

    pin: str = ""
    pin_digits: int = 4
    language: Lang = JAPANESE

    def __post_init__(self) -> None:
        known_language("arbiter.language", self.language)
        if self.pin and not self.pin.startswith("$argon2"):
            raise UnusableInput(say("arbiter.pin is the hash that `kiosk keys pin` prints, not the figures themselves"))
        if not 4 <= self.pin_digits <= 8:
            raise UnusableInput(say("arbiter.pin_digits is {n}, but a PIN has 4 to 8 figures", n=self.pin_digits))


class TableConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Configuration of one table. Without ``head`` it is a free Othello clock, which starts with ``main_s`` seconds
    each (None: the default of the rule set) under the rule set ``rules``.

    ``table`` 0: a spare, whose number is that of its key.
    """

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
