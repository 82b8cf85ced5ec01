"""Which of the players' data may be published, and under which names.

Names appear as the event's data says, and an organiser may hide them: of everybody, or of minors. Who is hidden has no
name in any script, no year of birth, club, rating and numbers of lists. Years of birth and the numbers of lists are
published of nobody unless the organiser says so, remarks and fees never.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

from engine.tournament.model import Event, Player

#: whoever turns so old in the year of the event is no minor
ADULT = 18
_OLDEST = 120


class NameStyle(StrEnum):
    """By how much of a name somebody is published, the most first."""

    FULL = "full"
    INITIALS = "initials"
    IDS = "ids"


@dataclass(frozen=True, slots=True)
class Naming:
    """``minors``: how players under 18 are named; ``everybody``: how all others are."""

    everybody: NameStyle = NameStyle.FULL
    minors: NameStyle = NameStyle.FULL


AS_ENTERED = Naming()


def public_event(event: Event, naming: Naming, *, details: bool = False) -> Event:
    """Return the event with the names and data of its players that may be published. ``details``: years of birth and
    the numbers of lists too, of players who are not hidden. Pages ask ``spectators.shown_event``, not this."""
    styles = [style_of(player, event, naming) for player in event.players]
    short = [initials(player) for player in event.players]
    twice = Counter(name for name, style in zip(short, styles, strict=True) if style is NameStyle.INITIALS)
    players = []
    for player, style, name in zip(event.players, styles, short, strict=True):
        player = replace(player, remark=None, fee=None)
        if not details:
            player = replace(player, birth_year=None, national=None, wof=None)
        match style:
            case NameStyle.FULL:
                shown, said = player, player.name
            case NameStyle.INITIALS:
                shown, said = _hidden(player), f"{name} ({player.id})" if name and twice[name] > 1 else name
            case NameStyle.IDS:
                shown, said = _hidden(player), None
        players.append(replace(shown, name=said))
    return replace(event, players=tuple(players))


def style_of(player: Player, event: Event, naming: Naming) -> NameStyle:
    """Return how a player of the event is named: who is taken for a minor never by more than everybody else."""
    if not is_minor(player, event):
        return naming.everybody
    return max(naming.minors, naming.everybody, key=list(NameStyle).index)


def _hidden(player: Player) -> Player:
    return replace(player, birth_year=None, club=None, rating=None, kana=None, latin=None, national=None, wof=None)


def is_minor(player: Player, event: Event) -> bool:
    """Return whether the player must be taken for a minor: he is under 18 in the year of the event, or his age is not
    known. Without a date of the event nobody's age is known; an age that nobody has is none."""
    year = (event.date or "")[:4]
    if player.birth_year is None or not (year.isascii() and year.isdecimal()):
        return True
    return not ADULT <= int(year) - player.birth_year <= _OLDEST


def initials(player: Player) -> str | None:
    """Return ``B. L.`` of ``Beatrix Lund``; of a name in kanji the first of each part. A part of one letter would be
    told whole: the name in another script is taken then, and None if there is none."""
    for name in (player.name, player.latin, player.kana):
        words = (name or "").split()
        if words and all(len(word) > 1 for word in words):
            return " ".join(f"{word[0]}." for word in words)
    return None
