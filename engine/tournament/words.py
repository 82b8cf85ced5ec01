"""Sentences for people, always in Japanese and in English."""

from __future__ import annotations

from dataclasses import dataclass

from engine.text import say


@dataclass(frozen=True, slots=True)
class Words:
    """One statement in both languages."""

    ja: str
    en: str

    def as_dict(self) -> dict[str, str]:
        return {"ja": self.ja, "en": self.en}


#: the keys of every ranking: (name in words, whether a smaller value is better)
KEYS: dict[str, tuple[Words, bool]] = {
    "wins": (say("wins"), False),
    "points": (say("points"), False),
    "brightwell": (say("Brightwell points"), False),
    "discs": (say("discs"), False),
    "disc_difference": (say("disc difference"), False),
    "lot": (say("lot number"), False),
    "wins_before_last_game": (say("wins before the latest game"), False),
    "previous_rank": (say("rank before the latest round"), True),
    "match_wins": (say("match wins"), False),
    "individual_wins": (say("individual wins"), False),
    "captain_wins": (say("wins of the captain"), False),
    "rounds_survived": (say("rounds survived"), False),
    "plus_minus": (say("sum of plus and minus points"), False),
    "highest_plus": (say("highest plus"), False),
    "worst_minus": (say("worst minus"), False),
} | {
    f"S_{k}": (
        say("criterion S{k} (wins of the best {k} beaten plus those of the worst {k} lost to)", k=k),
        False,
    )
    for k in range(1, 7)
}

#: stages whose games the rules themselves name
STAGES: dict[str, Words] = {
    "semi-final": say("semi-final"),
    "final": say("final"),
    "third-place": say("3rd-place game"),
    "womens-final": say("women's final"),
    "knockout": say("knock-out"),
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
