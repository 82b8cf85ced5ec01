"""Configuration file of one table (TOML; docs/reference/configuration.md lists every field)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from engine.i18n import raised_as, say
from engine.match.rule_sets_and_options import RuleSetError, rule_set
from kiosk.errors import InputError
from kiosk.link.message_macs_versions_handshake import MAX_TABLE
from kiosk.locale import JAPANESE, Lang, languages, players_languages

_Line = Annotated[int, msgspec.Meta(ge=0, le=53)]
_Milliseconds = Annotated[int, msgspec.Meta(ge=0, le=10_000)]
_Pixels = Annotated[int, msgspec.Meta(ge=240, le=7680)]


class HeadAddress(msgspec.Struct, forbid_unknown_fields=True):
    """Address of the head: ``url`` on the network, ``serial`` for a cable, or both; the first that works is used.
    ``key_file`` holds this table's key.
    """

    key_file: Path  # the key of this table; mode 0600
    url: str = ""  # such as ws://192.168.10.1:8043/link
    serial: str = ""  # a serial cable to one of the head's ports
    baud: int = 115_200  # of the cable, 115200 or more

    def __post_init__(self) -> None:
        if not (self.url or self.serial):
            raise InputError(say("head needs a url, a serial device, or both"))
        if self.baud < 115_200:
            raise InputError(say("head.baud is {baud}, but a line to the head has 115200 baud or more", baud=self.baud))

    @property
    def name(self) -> str:
        """Return the address as it is shown."""
        return self.url.split("//")[-1].split("/")[0] or self.serial


class ButtonsConfig(msgspec.Struct, forbid_unknown_fields=True):
    """GPIO lines (BCM numbers) of the players' buttons and, where wired, of the arbiter's button, lamps and buzzer;
    durations that define a bounce, a press and a stuck button.
    """

    # library for the pins; none: the keys of a window only
    factory: Literal["lgpio", "rpigpio", "rpi-lgpio", "none"] = "lgpio"
    left: _Line = 17  # left button
    right: _Line = 27  # right button
    arbiter: _Line | None = None  # arbiter's button, if there is one
    lamp_left: _Line | None = None  # left lamp
    lamp_right: _Line | None = None  # right lamp
    buzzer: _Line | None = None  # buzzer
    lockout_ms: _Milliseconds = 30  # a press ends when the contact has been open so long
    # a contact rests when it has been closed so long without a break
    glitch_ms: Annotated[int, msgspec.Meta(ge=1, le=10_000)] = 2
    proof_ms: _Milliseconds = 50  # a press is real when the contact rests so long after its first edge, or later
    stuck_s: Annotated[int, msgspec.Meta(ge=1, le=3600)] = 10  # a button pressed so long is reported

    def __post_init__(self) -> None:
        if not (self.glitch_ms < self.lockout_ms < self.stuck_s * 1000 > self.proof_ms):
            raise InputError(
                say("buttons: glitch_ms must be below lockout_ms, and lockout_ms and proof_ms below stuck_s")
            )


def known_language(field: str, language: Lang) -> None:
    """Check that there is a catalogue for the language.

    :raises InputError: there is none.
    """
    known = players_languages() if field.startswith("screen.") else languages()
    if language not in known:
        text = say("{field} is {language!r}, but a table speaks {known}")
        raise InputError(text(field=field, language=language, known=", ".join(known)))


class BoardConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Board source: none, a sensor board on a serial line, a camera, or a transcriber who taps the moves on a separate
    display.

    ``display`` is the number of the transcriber's display (the players' is 0), ``language`` its language. A camera's
    ``device`` is ``pi``, /dev/video0, an address, or a film; ``quarter`` is the corner of its image where the first row
    begins, 0 the upper left, then clockwise.
    """

    source: Literal["none", "sensor", "camera", "transcriber"] = "none"  # who reports the board
    device: str = ""  # serial line of a sensor board; of a camera: pi, /dev/video0, an address, or a film
    # corner of a camera's picture that begins the first row; 0: upper left, then clockwise
    quarter: Literal[0, 1, 2, 3] = 0
    # a picture must rest so long, with sensor and camera
    settle_ms: Annotated[int, msgspec.Meta(ge=1, le=1999)] = 300
    display: Annotated[int, msgspec.Meta(ge=1, le=9)] = 1  # number of the transcriber's display; the players' is 0
    size: tuple[_Pixels, _Pixels] = (800, 480)  # of the transcriber's window
    language: Lang = JAPANESE  # of the transcriber's display

    def __post_init__(self) -> None:
        known_language("board.language", self.language)

    @property
    def device_name(self) -> str:
        """The device without the user and the password of an address, for screens and logs."""
        return re.sub(r"(?<=//)[^/]*@", "", self.device)


class ScreenConfig(msgspec.Struct, forbid_unknown_fields=True):
    enabled: bool = True  # false: no display
    window: bool = False  # a window; F, J and A are the buttons
    size: tuple[_Pixels, _Pixels] = (800, 480)  # of a window
    # flat between the players, or on a stand; left out: asked on the device
    facing: Literal["opposite", "same"] | None = None
    rotate: Literal[0, 90, 180, 270] = 0  # turns the picture clockwise by so many degrees
    figures: Literal["normal", "large"] = "normal"  # large: the time as large as possible
    theme: Literal["dark", "light", "contrast"] = "dark"  # colours
    touch: Literal["auto", "yes", "no"] = "auto"  # whether keys to touch are drawn
    left_language: Lang = JAPANESE  # of the left half
    right_language: Lang = JAPANESE  # of the right half

    def __post_init__(self) -> None:
        known_language("screen.left_language", self.left_language)
        known_language("screen.right_language", self.right_language)


class SoundConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Loudspeaker of HDMI, headphones or a computer, beside the buzzer of ``buttons``. Its volume is also set on the
    device.
    """

    loudspeaker: bool = True  # false: the buzzer only
    volume: Annotated[int, msgspec.Meta(ge=0, le=100)] = 60  # per cent, until it is set on the device; 0: silent


class PowerConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Power supply: the line on which a hold-up supply reports that its input has failed, if wired, and the temperature
    from which the table warns.
    """

    signal: _Line | None = None  # line that signals that the input of a hold-up supply has failed
    low_is_failing: bool = True  # whether a low level means failure
    hot_c: Annotated[int, msgspec.Meta(ge=30, le=120)] = 75  # temperature from which the table warns


class AccessConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Accessibility settings at the start (K-17, M43-19): one person presses for both; the seats at which the clock is
    audible.
    """

    one_operates: bool = False  # one person presses for both players
    audible: list[Literal["left", "right"]] = []  # seats whose clock is audible


class ArbiterConfig(msgspec.Struct, forbid_unknown_fields=True):
    """PIN of the arbiter's screen at this table: ``pin`` is a hash made by ``kiosk keys pin``. A head may send another
    one for all its tables.
    """

    pin: str = ""  # hash that kiosk keys pin prints
    pin_digits: Annotated[int, msgspec.Meta(ge=4, le=8)] = 4  # of the PIN
    language: Lang = JAPANESE  # of the arbiter's screen

    def __post_init__(self) -> None:
        known_language("arbiter.language", self.language)
        if self.pin and not self.pin.startswith("$argon2"):
            raise InputError(say("arbiter.pin is the hash that `kiosk keys pin` prints, not the figures themselves"))


class TableConfig(msgspec.Struct, forbid_unknown_fields=True):
    """Configuration of one table. Without ``head`` it is a free Othello clock, which starts with ``main_s`` seconds
    each (None: the default of the rule set) under the rule set ``rules``.

    ``table`` 0: a spare, whose number is that of its key.
    """

    table: Annotated[
        int, msgspec.Meta(ge=0, le=MAX_TABLE)
    ]  # number of this table; 0: a spare, which gets its number with its key
    data: Path  # folder of the journal
    head: HeadAddress | None = None  # left out: a club clock without a head
    buttons: ButtonsConfig = msgspec.field(default_factory=ButtonsConfig)
    board: BoardConfig = msgspec.field(default_factory=BoardConfig)
    screen: ScreenConfig = msgspec.field(default_factory=ScreenConfig)
    arbiter: ArbiterConfig = msgspec.field(default_factory=ArbiterConfig)
    power: PowerConfig = msgspec.field(default_factory=PowerConfig)
    sound: SoundConfig = msgspec.field(default_factory=SoundConfig)
    access: AccessConfig = msgspec.field(default_factory=AccessConfig)
    rules: str = "casual"  # rule set without a head
    # seconds of main time without a head; left out: as the rule set has it
    main_s: Annotated[int, msgspec.Meta(ge=1, le=5999)] | None = None

    def __post_init__(self) -> None:
        with raised_as(InputError, say("rules: {why}"), RuleSetError):
            rule_set(self.rules)
