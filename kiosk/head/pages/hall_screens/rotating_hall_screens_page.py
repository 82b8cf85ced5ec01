"""The hall's screens: pairings, standings and boards, page after page, in one language or both in turn.

The address holds the whole state, and each page names its successor (``<meta http-equiv="refresh">``), so a screen
needs no JavaScript and nobody at its keyboard. Changes appear on the next page. While the head is not reachable,
Chromium retries by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from starlette.responses import Response

from kiosk.head.event.head_game_and_result_check import by_table
from kiosk.head.event.pairings_standings_and_correction_impact import ExplainedStandings
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.tables.public_and_arbiter_table_cards import public_cards
from kiosk.head.web.form_player_and_result_parsing import number_in
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.locale import ENGLISH, JAPANESE, Lang, languages

KINDS = ("pairings", "standings", "boards")
USUAL = ("pairings", "standings")
#: rows on a page: by default legible at 10 m on a 55 inch screen, with letters of 30 mm
ROWS, FEWEST_ROWS, MOST_ROWS = 10, 4, 30
SECONDS, SHORTEST, LONGEST = 12, 2, 120
BOARDS_A_PAGE = 8
#: all pairings are shown within this time
WITHIN_S = 60


@dataclass(frozen=True, slots=True)
class ScreenRequest:
    """The settings in the address of a screen. ``lang`` None: Japanese and English in turn. ``divisions`` empty: all of
    them."""

    kinds: tuple[str, ...] = USUAL
    divisions: tuple[str, ...] = ()
    lang: Lang | None = None
    rows: int = ROWS
    seconds: int = SECONDS
    at: int = 0
    turn: int = 0

    def address(self) -> str:
        values = {"show": ",".join(self.kinds), "lang": self.lang or "both", "rows": self.rows, "seconds": self.seconds}
        if self.divisions:
            values["divisions"] = ",".join(self.divisions)
        return "/wall?" + urlencode(values | {"at": self.at, "turn": self.turn}, safe=",")


@dataclass(frozen=True, slots=True)
class Slide:
    """One page of the rotation: part ``part`` of ``parts`` of a division's list."""

    kind: str
    division: DivisionState
    rows: tuple[object, ...]
    part: int
    parts: int
    extra: ExplainedStandings | None = None


def parse_screen_request(query: Mapping[str, str]) -> ScreenRequest:
    """Return the settings in the address. Invalid ones are ignored, because nobody is there to read an error."""
    kinds = tuple(kind for kind in query.get("show", "").split(",") if kind in KINDS)
    lang = next((lang for lang in languages() if lang == query.get("lang")), None)
    return ScreenRequest(
        kinds or USUAL,
        tuple(name for name in query.get("divisions", "").split(",") if name),
        lang,
        _number(query, "rows", ROWS, FEWEST_ROWS, MOST_ROWS),
        _number(query, "seconds", SECONDS, SHORTEST, LONGEST),
        _number(query, "at", 0, 0, 100_000),
        _number(query, "turn", 0, 0, 1_000_000),
    )


def _number(query: Mapping[str, str], name: str, otherwise: int, low: int, high: int) -> int:
    return min(max(number_in(query.get(name, ""), otherwise), low), high)


def slides_of(visit: RequestContext, show: ScreenRequest) -> list[Slide]:
    """Return all pages of the rotation for the current state."""
    every = visit.hall.divisions.values()
    divisions = [division for division in every if not show.divisions or division.slug in show.divisions]
    return [slide for kind in show.kinds for one in divisions for slide in _slides(visit, show, kind, one)]


def _slides(visit: RequestContext, show: ScreenRequest, kind: str, division: DivisionState) -> list[Slide]:
    extra, size = None, show.rows
    rows: Sequence[object] = ()
    match kind:
        case "pairings":
            rows = by_table(division.current)
            size *= 2 if len(rows) > size else 1  # in two columns
        case "standings" if len(show.kinds) > 1 and not division.finished_rounds:
            pass  # before the first round is over everybody is first: not worth a page
        case "standings":
            extra = visit.computed_ranking(division)
            rows = extra.standings.rows if extra else ()
        case _:
            cards = public_cards(visit.desk, visit.head.tables.live, hall=visit.hall)
            cards = [card for card in cards if card.division == division.slug and card.game and card.view.board]
            cards.sort(key=lambda card: card.number)
            rows, size = cards, BOARDS_A_PAGE
    parts = list(_parts(rows, size))
    return [Slide(kind, division, part, at, len(parts), extra) for at, part in enumerate(parts, start=1)]


def _parts(rows: Sequence[object], size: int) -> Iterator[tuple[object, ...]]:
    """Yield pages of nearly equal length: 11 rows at 10 a page are 6 and 5, not 10 and 1."""
    pages = -(-len(rows) // size)
    for page in range(pages):
        yield tuple(rows[len(rows) * page // pages : len(rows) * (page + 1) // pages])


def _screen(visit: RequestContext) -> Response:
    show = parse_screen_request(visit.query)
    lang: Lang = show.lang or (JAPANESE, ENGLISH)[show.turn % 2]
    in_language = replace(visit, lang=lang, query={})
    slides = slides_of(in_language, show)
    at = show.at % len(slides) if slides else 0
    slide, last = slides[at] if slides else None, at + 1 >= len(slides)
    following = replace(show, at=0 if last else at + 1, turn=(show.turn + 1) % 2 if last else show.turn)
    return in_language.show(
        "hall_screens/screen.html", title="wall", slide=slide, at=at, count=len(slides),
        following=following.address(), seconds=page_seconds(show, slides, at), rows=show.rows,
        columns=2 if slide and len(slide.rows) > show.rows else 1,
    )  # fmt: skip


def page_seconds(show: ScreenRequest, slides: Sequence[Slide], at: int) -> int:
    """Return how long a page stays: all pairings of all divisions are shown within ``WITHIN_S``, however many there
    are."""
    if not slides or slides[at].kind != "pairings":
        return show.seconds
    return max(SHORTEST, min(show.seconds, WITHIN_S // sum(slide.kind == "pairings" for slide in slides)))


def _choose(visit: RequestContext) -> Response:
    return visit.show("hall_screens/screen_setup.html", title="wall", rows=ROWS, seconds=SECONDS)


ADDRESSES = [PageRoute("/wall", _screen), PageRoute("/wall/choose", _choose)]
