"""Anonymisation of published events: which of the players' data may be published, and under which names.

- Names appear as entered, unless the organiser hides them: everybody's, or minors'.
- A hidden player has no name in any script, no year of birth, club, rating and list numbers.
- Years of birth and list numbers are published only if the organiser allows it, remarks and fees never.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

from engine.tournament.event_model import Event, Player

#: age reached in the year of the event from which a player is no minor
ADULT = 18
_OLDEST = 120


class NameStyle(StrEnum):
    """How much of a name is published, from most to least."""

    FULL = "full"
    INITIALS = "initials"
    IDS = "ids"


@dataclass(frozen=True, slots=True)
class NamePolicy:
    """Naming policy. ``minors``: how players under 18 are named; ``everybody``: how all others are."""

    everybody: NameStyle = NameStyle.FULL
    minors: NameStyle = NameStyle.FULL


AS_ENTERED = NamePolicy()


def public_event(event: Event, naming: NamePolicy, *, details: bool = False) -> Event:
    """Return the event with the names and data of its players that may be published. ``details``: also years of birth
    and list numbers of players who are not hidden. Pages use ``spectators.shown_event``, not this.
    """
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


def style_of(player: Player, event: Event, naming: NamePolicy) -> NameStyle:
    """Return how a player of the event is named; a possible minor never by more than everybody else."""
    if not is_minor(player, event):
        return naming.everybody
    return max(naming.minors, naming.everybody, key=list(NameStyle).index)


def _hidden(player: Player) -> Player:
    return replace(player, birth_year=None, club=None, rating=None, kana=None, latin=None, national=None, wof=None)


def is_minor(player: Player, event: Event) -> bool:
    """Check whether the player must be treated as a minor: he is under 18 in the year of the event, or his age is
    unknown. Without a date of the event every age is unknown; so is an impossible one.
    """
    year = (event.date or "")[:4]
    if player.birth_year is None or not (year.isascii() and year.isdecimal()):
        return True
    return not ADULT <= int(year) - player.birth_year <= _OLDEST


def initials(player: Player) -> str | None:
    """Return initials: ``B. L.`` for ``Beatrix Lund``; for a name in kanji the first character of each part. If a part
    has only one character, which would reveal it, the name in another script is used, and None if there is none.
    """
    for name in (player.name, player.latin, player.kana):
        words = (name or "").split()
        if words and all(len(word) > 1 for word in words):
            return " ".join(f"{word[0]}." for word in words)
    return None
