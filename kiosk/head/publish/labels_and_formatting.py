"""Labels of published and printed pages for values that are looked up, and the formatting of grades, days and columns.

Names of a rule or a format come from ``engine.tournament.standings_and_tie_breaks``. A text used by one template only
is in that template.
"""

from __future__ import annotations

from engine.i18n import Text, say, say_in
from engine.tournament.event_model import Event
from engine.tournament.standings_and_tie_breaks import ENDINGS, KEYS, STAGES

PRINTS: dict[str, Text] = {
    "checkin": say("Check-in list"),
    "cards": say("Pairing cards"),
    "seats": say("Seat list"),
    "slips": say("Result slips"),
    "standings": say("Standings"),
    "prizes": say("Prizes and grades, with fees"),
    "certificates": say("Certificates"),
    "badges": say("Badges, with each player's own page"),
    "numbers": say("Table numbers"),
    "poster": say("Poster with the hall's pages"),
    "register": say("Poster for registration by phone"),
    "entry": say("Sign-up form"),
    "receipts": say("Receipts for entry fees"),
}
HALL: dict[str, Text] = {
    "/where": say("Where do I play?"),
    "/pairings": say("Pairings"),
    "/standings": say("Standings"),
    "/": say("Tables"),
}
COLORS: dict[str, Text] = {
    "black": say("Black"),
    "white": say("White"),
}
#: how a value of the standings is computed
EXPLAINED: dict[str, Text] = {
    "wins": say("Games won; a draw is a half, a bye is a win."),
    "points": say("Games won; a draw is a half, a bye is a win."),
    "brightwell": say(
        "The sum over all games of own discs + {c} × the opponent's final wins. A bye, or a game against somebody who "
        "withdrew, counts half the discs and the player's own wins."
    ),
    "discs": say("The player's own discs of all games together."),
    "disc_difference": say("Own discs less the opponents' discs."),
    "opponents": say(
        "The final points of all opponents together. A bye, or a game against somebody who withdrew, counts the "
        "player's own points."
    ),
    "direct": say(
        "Points from the games among the players who are level in everything before it, where all of them have met."
    ),
    "lot": say("The lot drawn before the event."),
    "wins_before_last_game": say("Games won before the latest one."),
    "previous_rank": say("The rank after the round before; smaller is better."),
    "match_wins": say("Team matches won."),
    "individual_wins": say("Games won by all players of the team."),
    "captain_wins": say("Games won by the captain."),
    "rounds_survived": say("Rounds won before being knocked out."),
    "plus_minus": say("Pieces taken above (+) or short of (−) the target, all rounds."),
    "highest_plus": say("The largest plus of one game."),
    "worst_minus": say("The worst minus of one game."),
}
#: group -> key -> label
_GROUPS: dict[str, dict[str, Text]] = {
    "page": {
        "overview": say("Event"),
        "article": say("Announcement"),
        "standings": say("Standings"),
        "rounds": say("All rounds"),
        "crosstable": say("Crosstable"),
        "bracket": say("Bracket"),
        "prizes": say("Prizes and grades"),
        "games": say_in("records of games", "Games"),
        "files": say("Files"),
    },
    "print": PRINTS,
    "hall": HALL,
    "file": {
        "json": say("Event file (everything)"),
        "csv": say("CSV for spreadsheets"),
        "elo": say(".ELO for rating lists"),
        "sheet": say("Score sheet (.xlsx)"),
        "papp": say("PAPP work file"),
        "players": say("PAPP players, joueurs.txt"),
        "txt": say("Transcripts, one game a line"),
        "ggf": say("Games as GGF"),
        "pgn": say("Games as PGN"),
        "wtb": say("Games as WTHOR (.wtb, .jou, .trn)"),
        "zip": say("All pages of the event (zip)"),
    },
    "certificate": {
        "place": say("Certificate"),
        "title": say("Certificate of title"),
        "grade": say("Certificate of grade"),
        "oza": say("Certificate of qualification"),
    },
    "certificate_text": {
        "place": say("for the place won in {where}."),
        "place-team": say_in("to a team", "for the place won in {where}."),
        "title": say("for the title won in {where}."),
        "grade": say("for a result in {where}, that meets the requirements of the grade of {grade}."),
        "oza": say("for a result in {where}, that qualifies for the Oza tournament."),
    },
    "slip": {
        "normal": say("normally"),
        "time": say("on time"),
        "forfeit": say("by forfeit"),
    },
    "colour": COLORS,
    "short": {
        "black": say_in("a colour, short", "B"),
        "white": say_in("a colour, short", "W"),
    },
    "mark": {
        "win": say_in("a mark in a crosstable", "+"),
        "draw": say_in("a mark in a crosstable", "="),
        "loss": say_in("a mark in a crosstable", "−"),
        "open": say_in("a mark in a crosstable", "…"),
    },
    "end": ENDINGS,
    "stage": STAGES | {"league": say("League"), "placement": say("Placement game")},
}
_MONTHS = (
    say_in("the month of a date", "January"), say_in("the month of a date", "February"),
    say_in("the month of a date", "March"), say_in("the month of a date", "April"),
    say_in("the month of a date", "May"), say_in("the month of a date", "June"),
    say_in("the month of a date", "July"), say_in("the month of a date", "August"),
    say_in("the month of a date", "September"), say_in("the month of a date", "October"),
    say_in("the month of a date", "November"), say_in("the month of a date", "December"),
)  # fmt: skip
_DAN = (
    say("1 dan"), say("2 dan"), say("3 dan"), say("4 dan"), say("5 dan"),
    say("6 dan"), say("7 dan"), say("8 dan"), say("9 dan"), say("10 dan"),
)  # fmt: skip


def bye_of(event: Event) -> Text:
    """Return what a round without an opponent is called: a bye is a win, but not where everybody meets everybody."""
    return say_in("of a round robin", "Bye") if event.facts.all_meet else say("Bye")


def label(group: str, key: str) -> Text | str:
    """Return the label of a key."""
    return _GROUPS[group].get(key, key)


def key_name(key: str) -> Text | str:
    """Return the name of a column of the standings."""
    return KEYS[key][0] if key in KEYS else key.replace("_", " ")


def key_short(key: str) -> Text | str:
    """Return the name for a narrow column: the sums of M40 by their symbols in the rules."""
    return key.replace("_", "") if key.startswith("S_") else key_name(key)


def key_explained(key: str, brightwell_c: object) -> Text | str:
    """Return how the value of a column is computed, in words."""
    return EXPLAINED[key](c=brightwell_c) if key in EXPLAINED else KEYS[key][0] if key in KEYS else ""


def day_name(date: str) -> Text | str:
    """Format ``2031-04-05`` as 5 April 2031; another text is unchanged."""
    parts = date.split("-")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts) or not 1 <= int(parts[1]) <= 12:
        return date
    year, month, day = map(int, parts)
    return say("{day} {month} {year}", day=day, month=_MONTHS[month - 1], year=str(year))


def grade_name(grade: str | None) -> Text | str:
    """Format ``7d`` as 7 dan, ``1k`` as 1 kyu; anything else is unchanged."""
    if not grade:
        return ""
    number, scale = grade[:-1], grade[-1:]
    if not (number.isdecimal() and scale in ("d", "k")):
        return grade
    value = int(number)
    if scale == "k":
        return say("{n} kyu", n=value)
    return _DAN[value - 1] if 1 <= value <= len(_DAN) else say("{n} dan", n=value)
