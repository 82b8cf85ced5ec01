"""Labels of ranking keys, stages and game endings."""

from __future__ import annotations

from engine.i18n import Text, say, say_in

#: the keys of every ranking: (label, whether a smaller value is better)
KEYS: dict[str, tuple[Text, bool]] = {
    "wins": (say("wins"), False),
    "points": (say("points"), False),
    "brightwell": (say("Brightwell points"), False),
    "discs": (say("discs"), False),
    "disc_difference": (say("disc difference"), False),
    "opponents": (say("sum of the opponents' points"), False),
    "direct": (say("head-to-head points"), False),
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

#: stages whose games the rules name
STAGES: dict[str, Text] = {
    "semi-final": say("semi-final"),
    "final": say("final"),
    "third-place": say("3rd-place game"),
    "womens-final": say("women's final"),
    "knockout": say("knock-out"),
}

#: stage labels for a card, a list or a wall
STAGE_NAMES = {
    "league": say("League"),
    "semi-final": say("Semi-final"),
    "final": say("Final"),
    "third-place": say("3rd-place game"),
    "placement": say("Placement game"),
    "womens-final": say("Women's final"),
    "knockout": say("Knock-out"),
}

#: how a game ended (``EndReason``)
ENDINGS = {
    "normal": say("normal"),
    "time": say("on time"),
    "free-play": say("free play"),
    "both-flags": say("both flags"),
    "forfeit": say("forfeit"),
    "late": say("late"),
    "arbiter": say("arbiter"),
    "bye": say_in("how a game ended", "bye"),
    "not-played": say("not played"),
}


def key_words(name: str) -> Text:
    return KEYS[name][0] if name in KEYS else Text(name.replace("_", " "))


def short_key_words(name: str) -> Text:
    """Return the short label for a list of equal keys: "S3" instead of what it sums."""
    return say("S{k}", k=name[2:]) if name.startswith("S_") else key_words(name)


def number_of_wins(half_points: int) -> str:
    """Return a number of wins: 5 -> "2.5"."""
    return f"{half_points // 2}.5" if half_points % 2 else str(half_points // 2)
