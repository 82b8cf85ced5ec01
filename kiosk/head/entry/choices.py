"""The options of a format in plain words: what a person at the desk can choose, and for which formats.

The law: every choice is an option of the event file (docs/formats.md); what is not chosen is the format's default.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.tournament.words import Words


@dataclass(frozen=True, slots=True)
class Choice:
    """``values``: the option's values with their words; none: a whole number from ``low`` to ``high``."""

    name: str
    formats: frozenset[str]
    label: Words
    values: tuple[tuple[str, Words], ...] = ()
    low: int = 1
    high: int = 30

    def read(self, typed: str) -> object | None:
        """The option's value; None is the default.

        :raises ValueError: the value is none of the choice.
        """
        if typed == "":
            return None
        if not self.values:
            if not (typed.isascii() and typed.isdigit() and self.low <= int(typed) <= self.high):
                raise ValueError(
                    f"{self.label.en}: '{typed[:20]}' must be a whole number from {self.low} to {self.high}"
                )
            return int(typed)
        if typed not in (value for value, _ in self.values):
            raise ValueError(f"{self.label.en}: '{typed[:20]}' is none of the choices")
        return {"yes": True, "no": False}.get(typed, int(typed) if typed.isdigit() else typed)


def _formats(names: str) -> frozenset[str]:
    return frozenset(names.split())


_YES_NO = (("yes", Words("する", "yes")), ("no", Words("しない", "no")))
_M40 = "m40-open m40-33-64 m40-17-32 m40-13-16 m40-9-12"

CHOICES: tuple[Choice, ...] = (
    Choice(
        "rounds", _formats("swiss adjacent chouchou team"), Words("回戦数(決勝の前まで)", "Rounds before the finals"),
    ),
    Choice(
        "finals", _formats("swiss adjacent chouchou"), Words("決勝", "Finals"),
        (("none", Words("なし", "none")), ("1-2", Words("1位と2位の決勝", "a final of the first two")),
         ("1-4", Words("4人で準決勝と決勝", "semi-finals and final of the first four"))),
    ),
    Choice(
        "play_off", _formats("swiss"), Words("4位決定戦(同点のとき)", "Play-off for the fourth seat if level"), _YES_NO,
    ),
    Choice("third_place", _formats("knockout"), Words("3位決定戦", "3rd-place game"), _YES_NO),
    Choice(
        "cycles", _formats("round-robin"), Words("何回りするか", "How often everybody meets"),
        (("1", Words("1回", "once")), ("2", Words("2回(手番を入れ替える)", "twice, colours reversed"))),
    ),
    Choice("target", _formats("chouchou"), Words("勝ちになる個数", "Pieces that win"), low=5, high=30),
    Choice("pair_play", _formats("chouchou"), Words("ペア戦", "Pairs"), _YES_NO),
    Choice(
        "direction", _formats("othello-pool"), Words("相手の選び方", "Who meets whom"),
        (("lowest", Words("上位は下位と", "the highest meets the lowest")),
         ("highest", Words("上位は上位と", "the highest meets the next"))),
    ),
    Choice(
        "profile", _formats(f"{_M40} othello-pool"), Words("勝数の差の減らし方", "Differences in wins"),
        (("worst_first", Words("大きい差から", "the largest first")),
         ("same_first", Words("同じ勝数を優先", "equal wins first"))),
    ),
    Choice(
        "no_shows", _formats(_M40), Words("来なかった人の場所", "Places of those who do not come"),
        (("keep_place", Words("残す", "are kept")), ("removed", Words("除く", "are removed before the draw"))),
    ),
    Choice("bye_discs", _formats("m43-open m43-division m40-elementary adjacent swiss team"),
           Words("不戦勝の石数", "Discs of a bye"), low=32, high=64),
)  # fmt: skip


def choices_of(format: str) -> tuple[Choice, ...]:
    return tuple(choice for choice in CHOICES if format in choice.formats)
