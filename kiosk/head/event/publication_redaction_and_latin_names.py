"""Rules of what is published of an event and its players, and their names in Latin letters. Pages, files, streams,
archives, articles and the federation's database use only these rules.

- Names appear as entered, unless the organiser hides them: everybody's, or minors'.
- Which other fields are published is declared with each field
  (``engine.tournament.player_entry_fields.PublicWhen``).
- Boards of games in progress are shown as ``kiosk.head.event.spectator_visibility`` says.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from engine.i18n import Text
from engine.tournament.event_model import Event
from engine.tournament.player_entry_fields import PLAYER_FIELDS, Player, PublicWhen, in_latin_letters
from kiosk.head.event.spectator_visibility import Boards, NamePolicy, NameStyle, VisibilityRules
from kiosk.head.event.tournament_state import DivisionState, TournamentState

#: age reached in the year of the event from which a player is no minor
ADULT = 18
_OLDEST = 120


def public_hall(state: TournamentState, *, latin: bool = False) -> TournamentState:
    """Return the tournament without what may not be public, for pages without sign-in, and without an announcement that
    is over. ``latin``: as in ``public_division``."""
    divisions = {slug: public_division(one, state.date, latin=latin) for slug, one in state.divisions.items()}
    over = state.announced_until and datetime.fromisoformat(state.announced_until) <= datetime.now(UTC)
    announcement = "" if over else state.announcement
    return replace(state, divisions=divisions, announcement=announcement, sender="", notices=(), aside=())


def latin_hall(state: TournamentState) -> TournamentState:
    """Return the tournament with names of other letters in Latin ones where they are known, for staff."""
    divisions = {slug: replace(one, event=_in_latin(_Same(one.event))) for slug, one in state.divisions.items()}
    return replace(state, divisions=divisions)


def in_latin_names(text: Text, state: TournamentState) -> Text:
    """Return a sentence with its names of players in Latin letters, as ``latin_hall`` shows them."""
    names = {raw: latin for one in state.divisions.values() for raw, latin in _latin_names(_Same(one.event)).items()}
    return _rename_players(text, names) if names else text


@lru_cache(maxsize=64)
def _latin_names(same: _Same) -> dict[str, str]:
    """Return the names of those players who are shown under another one, as sentences name them."""
    shown = _in_latin(same)
    pairs = zip(same.event.players, shown.players, strict=True)
    changed = [player.id for player, other in pairs if player.name != other.name]
    return {same.event.called(id): shown.called(id) for id in changed}


def _rename_players(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case Text():
            return replace(value, fields=tuple([(name, _rename_players(part, names)) for name, part in value.fields]))
        case tuple():
            return tuple([_rename_players(part, names) for part in value])
        case str():
            return _rename_in(value, names)
        case _:
            return value


def _rename_in(text: str, names: Mapping[str, str]) -> str:
    """Replace names in a text that may have several, such as a score."""
    for name in sorted((one for one in names if one in text), key=len, reverse=True):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", names[name].replace("\\", r"\\"), text)
    return text


def public_division(division: DivisionState, day: str = "", *, latin: bool = False) -> DivisionState:
    """Return the division without what may not be public. ``day``: the tournament's date; ``latin``: names in
    other letters are shown in Latin ones where they are known."""
    event = _players_shown(_Same(division.event), division.spectators, day, latin)
    return replace(division, event=event, paid=frozenset(), undone=(), hand_made=None)


@dataclass(frozen=True, slots=True, eq=False)
class _Same:
    """A cache key that compares events by identity, because comparing all players would take longer
    than hiding them.
    """

    event: Event

    def __hash__(self) -> int:
        return id(self.event)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.event is other.event


@lru_cache(maxsize=256)
def _players_shown(same: _Same, setting: VisibilityRules, day: str, latin: bool) -> Event:
    event = redact_event(same.event, setting, over=False, day=day)
    return _in_latin(_Same(event)) if latin else event


@lru_cache(maxsize=256)
def _in_latin(same: _Same) -> Event:
    return replace(same.event, players=tuple(map(in_latin_letters, same.event.players)))


def redact_event(event: Event, setting: VisibilityRules, *, over: bool, day: str = "") -> Event:
    """Return the event as anybody may have it. ``over``: no board is held back then. ``day``: the tournament's date,
    where the event itself has none.
    """
    event = _limit_to_day(event, day)
    styles = [_style(player, event, setting.naming) for player in event.players]
    short = [initials(player) for player in event.players]
    twice = Counter(name for name, style in zip(short, styles, strict=True) if style is NameStyle.INITIALS)
    players = []
    for player, style, name in zip(event.players, styles, short, strict=True):
        if style is NameStyle.FULL:
            players.append(replace(player, **(_UNLESS_ALLOWED if setting.details else _OF_NAMED)))
            continue
        label = f"{name} ({player.id})" if name and twice[name] > 1 else name
        players.append(replace(player, **{**_OF_HIDDEN, "name": label if style is NameStyle.INITIALS else None}))
    event = replace(event, players=tuple(players))
    if over or setting.boards is not Boards.OFF:
        return event
    rounds = tuple(
        replace(one, games=tuple(replace(game, transcript=None) for game in one.games)) for one in event.rounds
    )
    return replace(event, rounds=rounds)


def named_players(event: Event, naming: NamePolicy, day: str = "") -> dict[str, Player]:
    """Return the players who are published under their names, as entered, by id. ``day``: as in ``redact_event``."""
    event = _limit_to_day(event, day)
    return {one.id: one for one in event.players if _style(one, event, naming) is NameStyle.FULL}


def _left_out(*published: PublicWhen) -> dict[str, Any]:
    """Return the values of the fields that are not published."""
    return {key: one.default for key, one in PLAYER_FIELDS.items() if one.published not in published}


_OF_HIDDEN = _left_out(PublicWhen.ALWAYS)
_OF_NAMED = _left_out(PublicWhen.ALWAYS, PublicWhen.WITH_NAME)
_UNLESS_ALLOWED = _left_out(PublicWhen.ALWAYS, PublicWhen.WITH_NAME, PublicWhen.IF_ALLOWED)


def _limit_to_day(event: Event, day: str) -> Event:
    return replace(event, date=day) if day and not event.date else event


def _style(player: Player, event: Event, naming: NamePolicy) -> NameStyle:
    """Return how a player of the event is named; a possible minor never by more than everybody else."""
    if not is_minor(player, event):
        return naming.everybody
    return max(naming.minors, naming.everybody, key=list(NameStyle).index)


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
