"""Sentences for people, always in Japanese and in English."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Words:
    """One statement in both languages."""

    ja: str
    en: str

    def as_dict(self) -> dict[str, str]:
        return {"ja": self.ja, "en": self.en}


#: the keys of every ranking: (name in words, whether a smaller value is better)
KEYS: dict[str, tuple[Words, bool]] = {
    "wins": (Words("勝数", "wins"), False),
    "points": (Words("得点", "points"), False),
    "brightwell": (Words("ブライトウェル点", "Brightwell points"), False),
    "discs": (Words("石数", "discs"), False),
    "disc_difference": (Words("石差", "disc difference"), False),
    "lot": (Words("抽選番号", "lot number"), False),
    "wins_before_last_game": (Words("直前の対局より前の勝数", "wins before the latest game"), False),
    "previous_rank": (Words("直前の順位", "rank before the latest round"), True),
    "match_wins": (Words("チームの勝数", "match wins"), False),
    "individual_wins": (Words("個人の勝数の合計", "individual wins"), False),
    "captain_wins": (Words("主将の勝数", "wins of the captain"), False),
    "rounds_survived": (Words("勝ち残った回戦数", "rounds survived"), False),
    "plus_minus": (Words("プラス・マイナス点の合計", "sum of plus and minus points"), False),
    "highest_plus": (Words("最高のプラス点", "highest plus"), False),
    "worst_minus": (Words("最低のマイナス点", "worst minus"), False),
} | {
    f"S_{k}": (
        Words(
            f"比較{k}(勝った相手の上位{k}人と負けた相手の下位{k}人の勝数の和)",
            f"criterion S{k} (wins of the best {k} beaten plus those of the worst {k} lost to)",
        ),
        False,
    )
    for k in range(1, 7)
}

#: stages whose games the rules themselves name
STAGES: dict[str, Words] = {
    "semi-final": Words("準決勝", "semi-final"),
    "final": Words("決勝", "final"),
    "third-place": Words("3位決定戦", "3rd-place game"),
    "womens-final": Words("女子決勝", "women's final"),
    "knockout": Words("勝ち抜き戦", "knock-out"),
}


def key_words(name: str) -> Words:
    return KEYS[name][0] if name in KEYS else Words(name, name.replace("_", " "))


def short_key_words(name: str) -> Words:
    """For a list of what was equal: "S3" instead of what it sums."""
    return Words(f"比較{name[2:]}", name.replace("_", "")) if name.startswith("S_") else key_words(name)


def number_of_wins(half_points: int) -> str:
    """5 -> "2.5"."""
    return f"{half_points // 2}.5" if half_points % 2 else str(half_points // 2)


def ordinal(place: int) -> str:
    """1 -> "1st"."""
    ending = "th" if place % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{ending}"
