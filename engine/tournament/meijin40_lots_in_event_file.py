"""The draw of lots and leagues before round 1, as announced at the opening and written into the event file.

Once written, the file's lots and leagues are final; late entries cannot change them.
"""

from __future__ import annotations

from dataclasses import replace

from engine.tournament.event_model import Event, event_error
from engine.tournament.formats import FORMATS
from engine.tournament.formats.meijin40_13_to_32_players import bracket_units
from engine.tournament.lots_and_leagues import M40LotDraw, draw_lots, participating_players


def draw_into(event: Event) -> tuple[Event, M40LotDraw]:
    """Return the event with the drawn lots and leagues in it, and the draw. Absentees have no lot.

    :raises EventError: if the format draws no lots, or the numbers in the file contradict each other
    """
    if event.facts.lots is None:
        known = ", ".join(name for name, one in FORMATS.items() if one.facts.lots)
        raise event_error(
            "format {format!r} draws no lots; the formats with lots are {known}", format=event.format, known=known
        )
    draw = draw_lots(event, leagues=event.facts.lots.leagues)
    league = {name: letter for letter, names in draw.leagues.items() for name in names}
    lots = {player.id: draw.lots.get(player.id) for player in participating_players(event)}
    players = tuple(replace(one, lot=lots.get(one.id), league=league.get(one.id)) for one in event.players)
    return replace(event, players=players), draw


def as_dict(event: Event, draw: M40LotDraw) -> dict[str, object]:
    """Return the JSON object of ``kiosk draw``. ``event``: with the draw; only the generator gives a ``preliminary``
    number (M40L-3)."""
    data: dict[str, object] = {
        "players": [
            {"id": one.id, "lot": one.lot, "preliminary": draw.preliminary.get(one.id), "league": one.league}
            for one in event.players
        ],
        "initial": draw.initial,
        "leagues": {letter: list(names) for letter, names in draw.leagues.items()},
        "moves": [{"id": name, "from": from_, "to": to} for name, from_, to in draw.moves],
        "warnings": [str(warning) for warning in draw.warnings],
    }
    if event.facts.lots and event.facts.lots.bracket:
        data["bracket"] = [list(unit) for unit in bracket_units(event, draw.lots)]
    return data
