"""Under which names people are published.

The law: names appear only as the event's data says, and an organiser may hide them: of everybody, or of minors. Who is
hidden is hidden everywhere, in the exported files too, and without year of birth, club and the numbers of lists.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from enum import StrEnum

from engine.tournament.model import Event, Player

#: whoever turns so old in the year of the event is no minor
ADULT = 18
#: divisions of pupils, whose players are minors unless their year of birth says otherwise
PUPILS = frozenset({"elementary", "junior-high", "high-school", "students"})


class NameStyle(StrEnum):
    FULL = "full"
    INITIALS = "initials"
    IDS = "ids"


@dataclass(frozen=True, slots=True)
class Naming:
    """``minors``: how players under 18 are named; ``everybody``: how all others are."""

    everybody: NameStyle = NameStyle.FULL
    minors: NameStyle = NameStyle.FULL


AS_ENTERED = Naming()


def public_event(event: Event, naming: Naming) -> Event:
    """The event with the names that may be published."""
    styles = [naming.minors if is_minor(player, event) else naming.everybody for player in event.players]
    short = [initials(player) for player in event.players]
    twice = Counter(name for name, style in zip(short, styles, strict=True) if style is NameStyle.INITIALS)
    players = []
    for player, style, name in zip(event.players, styles, short, strict=True):
        match style:
            case NameStyle.FULL:
                shown, said = player, player.name
            case NameStyle.INITIALS:
                shown, said = _hidden(player), f"{name} ({player.id})" if twice[name] > 1 else name
            case NameStyle.IDS:
                shown, said = _hidden(player), None
        players.append(replace(shown, name=said))
    return replace(event, players=tuple(players))


def _hidden(player: Player) -> Player:
    return replace(player, birth_year=None, club=None, kana=None, latin=None, national=None, wof=None)


def is_minor(player: Player, event: Event) -> bool:
    """Whether the player is under 18 in the year of the event; without a year of birth, whether the division or the
    format is one of pupils."""
    year = (event.date or "")[:4]
    if player.birth_year is not None and year.isdecimal():
        return int(year) - player.birth_year < ADULT
    return not PUPILS.isdisjoint((event.options.readings.get("division"), *(event.facts.certificate or ())))


def initials(player: Player) -> str:
    """``Beatrix Lund`` is ``B. L.``; of a name in kanji the first of each part."""
    words = (player.name or player.id).split()
    return " ".join(f"{word[0]}." for word in words)
