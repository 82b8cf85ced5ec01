"""A free clock at a club: its built-in presets and the club's own, the settings made on the device, and its games, one
after the other.

A preset is all that a game without a head needs. The choice and the own presets are stored on the device.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from msgspec import structs

from engine.board.variants import STANDARD
from engine.i18n import say
from engine.match.time_controls import COUNT_OPTION, STEP_OPTION, ControlKind
from kiosk.link.link_messages import Assignment, PlayerInfo
from kiosk.locale import ENGLISH, JAPANESE, Lang, render

Players = Literal["two", "pairs", "three", "four"]
PLAYERS: Mapping[Players, int] = {"two": 2, "pairs": 4, "three": 3, "four": 4}


@dataclass(frozen=True, slots=True)
class Preset:
    """A preset of a free clock.

    ``black_s`` and ``white_s``: main times, unequal for a handicap. ``step_s``: the increment, delay, period or limit.
    ``periods``: how many, or the moves in each period of Canadian byo-yomi. ``sound``: only where the rule set allows
    it. ``names``: Black's and White's, empty if not given. ``players`` and ``target`` apply to ChouChou, ``board``, a
    name of ``engine.board.variants``, to all other games.
    """

    rules: str = "casual"
    black_s: int = 600
    white_s: int = 600
    control: ControlKind = ControlKind.SUDDEN_DEATH
    step_s: int = 0
    periods: int = 1
    sound: bool = True
    names: tuple[str, str] = ("", "")
    players: Players = "two"
    target: int = 10
    board: str = STANDARD.name

    @property
    def options(self) -> dict[str, object]:
        """Options of the rule set for this preset."""
        values: dict[str, object] = {"control": ControlKind.SUDDEN_DEATH.value}
        if self.control not in STEP_OPTION:
            values = {"control": self.control.value}
        elif self.step_s > 0:
            values = {"control": self.control.value, STEP_OPTION[self.control]: self.step_s}
            if self.control in COUNT_OPTION:
                values[COUNT_OPTION[self.control]] = max(1, self.periods)
        if self.rules == "chouchou":
            values |= {"players": PLAYERS[self.players], "pairs": self.players == "pairs", "target": self.target}
        elif self.board != STANDARD.name:
            values |= {"variant": self.board}
        return values if self.black_s == self.white_s else {**values, "white_s": self.white_s}

    @property
    def with_swapped_colors(self) -> Preset:
        return replace(self, black_s=self.white_s, white_s=self.black_s, names=(self.names[1], self.names[0]))


def _equal_times(
    rules: str, minutes: int, control: ControlKind = ControlKind.SUDDEN_DEATH, step_s: int = 0, periods: int = 1
) -> Preset:
    return Preset(rules, minutes * 60, minutes * 60, control, step_s, periods)


PRESETS = (
    _equal_times("casual", 10),
    _equal_times("casual", 5),
    _equal_times("casual", 3),
    _equal_times("casual", 20),
    _equal_times("casual", 5, ControlKind.FISCHER, 3),
    _equal_times("casual", 10, ControlKind.FISCHER, 5),
    _equal_times("casual", 5, ControlKind.SIMPLE_DELAY, 5),
    _equal_times("casual", 5, ControlKind.BRONSTEIN, 5),
    _equal_times("casual", 10, ControlKind.BYO_YOMI, 30, 3),
    _equal_times("casual", 10, ControlKind.CANADIAN, 300, 10),
    _equal_times("casual", 3, ControlKind.HOURGLASS),
    _equal_times("casual", 10, ControlKind.PER_MOVE, 30),
    _equal_times("casual", 10, ControlKind.UP_COUNT),
    replace(_equal_times("casual", 10), white_s=300),
    _equal_times("m43", 20),
    _equal_times("team", 20),
    _equal_times("wof", 25),
    _equal_times("chouchou", 10, ControlKind.BYO_YOMI, 60),
)
#: the number of each preset of the first version, which had twelve, among those of now
FIRST_PRESETS = (0, 1, 2, 3, 4, 5, 6, 8, 13, 14, 16, 17)
#: number of presets that a club can define
OWN = 4


@dataclass(frozen=True, slots=True)
class Club:
    """Settings of the device. ``chosen`` counts the built-in presets first, then the own ones. ``stand``: the display
    stands upright and both players look at it from one side; ``large``: larger digits. None: as in the table's file.
    ``languages``: of the left and the right half; empty: as in the table's file. ``brightness`` and ``volume``: per
    cent. ``builtin``: the number of built-in presets when it was stored.
    """

    own: tuple[Preset, ...] = (Preset(),) * OWN
    chosen: int = 0
    stand: bool | None = None
    large: bool | None = None
    languages: tuple[Lang, ...] = ()
    brightness: int | None = None
    volume: int | None = None
    builtin: int = len(PRESETS)

    @property
    def every(self) -> tuple[Preset, ...]:
        return (*PRESETS, *self.own)

    @property
    def preset(self) -> Preset:
        return self.every[self.chosen]

    def slot_of(self, number: int) -> int:
        """Return the own preset that a changed preset is stored as, unless another is chosen: itself, or for a built-in
        one the first that is still free.
        """
        if number >= len(PRESETS):
            return number - len(PRESETS)
        return self.own.index(Preset()) if Preset() in self.own else 0

    def with_own(self, slot: int, preset: Preset) -> Club:
        """Return the settings with that own preset, chosen. Built-in presets stay as they are."""
        own = (*self.own[:slot], preset, *self.own[slot + 1 :])
        return replace(self, own=own, chosen=len(PRESETS) + slot)


def club_from_config(rules: str, main_s: int) -> Club:
    """Return the settings for a table's file: a built-in preset that matches, or else the first own one."""
    wanted = Preset(rules, main_s, main_s)
    plain = [replace(preset, control=ControlKind.SUDDEN_DEATH, step_s=0, periods=1) for preset in PRESETS]
    if wanted in plain:
        return Club(chosen=plain.index(wanted))
    return Club().with_own(0, wanted)


GAME_CLOCK = say("Game clock")


def club_game(table: int, preset: Preset, number: int) -> Assignment:
    """Return the assignment of game ``number`` of this table."""
    return Assignment(
        game=f"club-{number}",
        event="",
        division="",
        round=1,
        table=table,
        rules=preset.rules,
        stage="league",
        label_ja=render(GAME_CLOCK, JAPANESE),
        label_en=render(GAME_CLOCK, ENGLISH),
        main_s=preset.black_s,
        designated=True,
        players=_players(preset.names),
        options=preset.options,
    )


def rematch_of(last: Assignment, number: int, swaps: bool) -> Assignment:
    """Return the assignment of the same game again. With swapped colours, names and times go with the players."""
    again = structs.replace(last, game=f"club-{number}", round=last.round + 1)
    if not swaps:
        return again
    black, white = (player.name for player in last.players)
    options = {name: value for name, value in last.options.items() if name != "white_s"}
    main_s = last.options.get("white_s", last.main_s)
    if main_s != last.main_s:
        options["white_s"] = last.main_s
    return structs.replace(again, players=_players((white, black)), main_s=main_s, options=options)


def _players(names: tuple[str, str]) -> list[PlayerInfo]:
    return [PlayerInfo(side, name) for side, name in zip(("black", "white"), names, strict=True)]
