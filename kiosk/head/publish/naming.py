"""Under which names people are published.

The law: names appear only as the event's data says, and an organiser may hide them: of everybody, or of minors. Who is
hidden is hidden everywhere, in the exported files too, and without year of birth and club.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

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


def public_event(event: Mapping[str, Any], naming: Naming) -> dict[str, Any]:
    """The event file with the names that may be published."""
    styles = [naming.minors if is_minor(player, event) else naming.everybody for player in event["players"]]
    short = [initials(player) for player in event["players"]]
    twice = Counter(name for name, style in zip(short, styles, strict=True) if style is NameStyle.INITIALS)
    players = []
    for player, style, name in zip(event["players"], styles, short, strict=True):
        if style is NameStyle.FULL:
            players.append(dict(player))
            continue
        hidden = {key: value for key, value in player.items() if key not in ("name", "birth_year", "club")}
        if style is NameStyle.INITIALS:
            hidden["name"] = f"{name} ({player['id']})" if twice[name] > 1 else name
        players.append(hidden)
    return dict(event) | {"players": players}


def is_minor(player: Mapping[str, Any], event: Mapping[str, Any]) -> bool:
    """Whether the player is under 18 in the year of the event; without a year of birth, whether the division or the
    format is one of pupils."""
    born, date = player.get("birth_year"), str(event.get("date") or "")
    if born is not None and date[:4].isdecimal():
        return int(date[:4]) - int(born) < ADULT
    division = (event.get("options") or {}).get("division")
    return division in PUPILS or event.get("format") == "m40-elementary"


def initials(player: Mapping[str, Any]) -> str:
    """``Beatrix Lund`` is ``B. L.``; of a name in kanji the first of each part."""
    words = str(player.get("name") or player["id"]).split()
    return " ".join(f"{word[0]}." for word in words)
