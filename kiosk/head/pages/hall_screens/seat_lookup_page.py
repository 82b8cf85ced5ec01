"""The page "Where do I play?": a player types a name, or a part of it, and sees table, colour and opponent.

Only published pairings are searched. The page updates itself, so it can stay open from round to round.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.i18n import Text
from engine.tournament.event_model import Player
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.web.page_routes_and_password_reentry import live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.records.japanese_name_search_and_order import collation_key, matches_search, search_key

#: maximum number of names listed
MOST = 40


@dataclass(frozen=True, slots=True)
class FoundSeat:
    """A player's place in the last published round. ``game`` None: no game in it. ``past``: the earlier games."""

    division: DivisionState
    id: str
    name: str
    game: HeadGame | None
    past: tuple[HeadGame, ...]

    @property
    def player(self) -> Player:
        return self.division.event.player(self.id)

    @property
    def color(self) -> str:
        """Return the colour; empty while the players settle it, or if there is no game."""
        game = self.game
        if game is None or game.is_bye or not (game.designated or game.outcome):
            return ""
        black = game.outcome.black if game.outcome else game.black
        return "black" if black == self.id else "white"

    @property
    def match_part(self) -> Text | None:
        """Return which game of a match it is, with the player's own score first."""
        part = self.game.match_part if self.game else None
        score = dict(part.fields).get("score") if part else None
        if part is None or not isinstance(score, str) or self.color != "white":
            return part
        return part(score="–".join(reversed(score.split("–"))))

    @property
    def called(self) -> str:
        """Return the round and the table to go to; empty if there is none now. A phone rings when this changes."""
        game = self.game
        if game is None or game.outcome or not (game.table or game.is_bye):
            return ""
        return f"{game.round} {game.table or 'bye'}"

    @property
    def is_over(self) -> bool:
        """Return whether only others still play: in a final, or in a knock-out that the player has left."""
        return self.game is None and any(game.stage != "league" for game in self.division.current)

    @property
    def opponent(self) -> str:
        game = self.game
        if game is None or game.is_bye:
            return ""
        opponent = game.white if game.black == self.id else game.black
        return "" if opponent is None else self.division.called(opponent)


def find_seats(visit: RequestContext, typed: str) -> list[FoundSeat]:
    """Return the players whose name contains what was typed, in the order of their names."""
    wanted = search_key(typed)
    if not wanted:
        return []
    everybody = (seat_of(division, id) for division in visit.hall.divisions.values() for id in division.players())
    seats = [seat for seat in everybody if matches_search(seat.player, typed) or wanted in search_key(seat.name)]
    seats.sort(key=lambda seat: (not search_key(seat.name).startswith(wanted), collation_key(seat.player)))
    return seats[:MOST]


def seat_of(division: DivisionState, id: str) -> FoundSeat:
    own = [game for games in division.rounds for game in games if id in game.players]
    now = own[-1] if own and own[-1] in division.current else None  # of a match the latest game
    return FoundSeat(division, id, division.called(id), now, tuple(own[:-1] if now else own))


def _items(visit: RequestContext) -> dict[str, str]:
    typed = visit.query.get("name", "")[:60]
    form = visit.draw("hall_screens/_name_search.html", typed=typed)
    found = find_seats(visit, typed)
    hidden = any(one.spectators.naming.hides for one in visit.hall.divisions.values())
    items = {"announcement": visit.announcement(), "ask": form, "seats": draw_seats(visit, found, typed, hidden)}
    return items | (draw_notify(visit) if len(found) == 1 else {})


def draw_notify(visit: RequestContext) -> dict[str, str]:
    """Return the button after which the phone rings for the seats that the page shows."""
    return {"notify": visit.draw("hall_screens/_notify.html")}


def draw_seats(visit: RequestContext, seats: Sequence[FoundSeat], typed: str = "", hidden: bool = False) -> str:
    """Draw seats. ``typed``: the name by which they were found; ``hidden``: whether the organiser hides names."""
    over = ended_divisions(visit, seats)
    return visit.draw("hall_screens/_seats.html", typed=typed, seats=seats, most=MOST, hidden=hidden, over=over)


def ended_divisions(visit: RequestContext, seats: Sequence[FoundSeat]) -> set[str]:
    """Return the divisions of the seats in which no round follows, as far as that is computed already."""
    complete = {seat.division.slug: seat.division for seat in seats if seat.division.round_is_complete}
    return {slug for slug, division in complete.items() if (found := visit.computed_ranking(division)) and found.over}


ADDRESSES = [live_route("/where", _items, title="where", template="hall_screens/seat.html")]
