"""Pages for the venues of a federation: their events, standings and tables, how much of their data has arrived, what
the federation decides about them and its list of players; and what this head sends as a venue.

Spectators see of a venue only what its own division lets spectators see. Clocks are not shown, because the records
arrive here with a delay.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

from starlette.responses import Response

from kiosk.head.access.roles import Role
from kiosk.head.desk import Desk
from kiosk.head.errors import Conflict, NotFound
from kiosk.head.event.pairings_standings_and_correction_impact import ExplainedStandings
from kiosk.head.event.publication_redaction_and_latin_names import public_hall
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.federation.live_venue_state_and_sender_checks import Venue
from kiosk.head.federation.push_receiver_and_venue_quarantine import FederationCollector, QuarantineDecision
from kiosk.head.registration.player_list_columns_and_cells import to_half_width
from kiosk.head.registration.rating_and_member_lookup import read_file
from kiosk.head.tables.public_and_arbiter_table_cards import TableCard, public_cards
from kiosk.head.web.form_player_and_result_parsing import LARGE, BadForm, parse_choice
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext

#: a venue from which nothing was received for this long is shown as late
LATE_S = 120
_LEADERS = 5
#: maximum length of a reason, of a name
_REASON, _NAME = 500, 60
#: number of quarantined rows that are named
_SHOWN = 3


def _divisions(venue: Venue) -> list[tuple[DivisionState, ExplainedStandings | None]]:
    """Return the divisions of a venue, each with its ranking; None: there is none yet."""
    return [(division, venue.ranking(slug)) for slug, division in public_hall(venue.state).divisions.items()]


def _boards(venue: Venue) -> list[TableCard]:
    cards = public_cards(cast(Desk, venue), venue.live)
    return [card for card in cards if card.game is not None and card.game.is_open and card.view.board]


def _is_late(venue: Venue) -> bool:
    if venue.last_contact is None:
        return False
    return (datetime.now(UTC) - datetime.fromisoformat(venue.last_contact.at)).total_seconds() > LATE_S


def _progress(collector: FederationCollector, venue: Venue) -> dict[str, object]:
    return {"late": _is_late(venue), "shown": _SHOWN, "several": collector.has_two_senders(venue),
            "ban": collector.ban_of(venue)}  # fmt: skip


def _venue_list(visit: RequestContext) -> dict[str, str]:
    pusher, services = visit.head.remote.pusher, visit.head.remote.venues
    items = {} if pusher is None else {"sending": visit.draw("venues/_sending.html", sent=pusher.status)}
    if services is not None:
        venues = services.collector.venues()
        items |= {f"venue-{venue.name}": html for venue in venues if (html := _in_list(visit, venue))}
    return items or {"none": visit.draw("venues/_none.html")}


def _in_list(visit: RequestContext, venue: Venue) -> str:
    """Draw a venue in the list; spectators do not see one that was removed."""
    collector = visit.head.remote.federation.collector
    ban = collector.ban_of(venue)
    if ban and not visit.session:
        quarantined = ban.decision is QuarantineDecision.QUARANTINED
        return visit.draw("venues/_quarantine.html", venue=venue) if quarantined else ""
    rows = [(one, venue.last_ranking(slug)) for slug, one in public_hall(venue.state).divisions.items()]
    return visit.draw("venues/_venue.html", venue=venue, rows=rows, leaders=_LEADERS, **_progress(collector, venue))


def _venue_of_address(visit: RequestContext) -> tuple[FederationCollector, Venue]:
    services, venue = visit.head.remote.venue(visit.path["venue"], also_banned=visit.session is not None)
    return services.collector, venue


def _venue_page(visit: RequestContext) -> dict[str, str]:
    collector, venue = _venue_of_address(visit)
    live_one = venue.last_contact.trail if venue.last_contact else ""
    summaries = collector.trail_summaries(venue)
    lives = visit.draw("venues/_venue_events.html", venue=venue, lives=summaries, live_one=live_one)
    heading = visit.draw("venues/_venue_heading.html", venue=venue, **_progress(collector, venue))
    divisions = {
        f"division-{division.slug}": visit.draw("venues/_division.html", division=division, ranking=ranking)
        for division, ranking in _divisions(venue)
    }
    boards = visit.draw("venues/_boards.html", cards=_boards(venue))
    return {"head": heading, **divisions, "boards": boards, "lives": lives}


def _has_boards(visit: RequestContext) -> bool:
    """Return whether the venue sends its broadcast now."""
    services = visit.head.remote.venues
    return services is not None and None in services.broadcasts.files(str(visit.path["venue"]))


def _past_trail(visit: RequestContext) -> Response:
    """Show an earlier history of a venue's store, as far as it was received."""
    collector, venue = _venue_of_address(visit)
    if (life := collector.venue_after_trail(venue, visit.path["trail"])) is None:
        raise NotFound.saying("the venue has no such history; choose one from its page")
    return visit.show("venues/life.html", title="venues", venue=life, divisions=_divisions(life))


# pages on which the federation decides


def _decision_page(visit: RequestContext) -> Response:
    collector, venue = _venue_of_address(visit)
    ban = collector.ban_of(venue)
    return visit.show("venues/venue_decision.html", title="venues", venue=venue, ban=ban, decisions=QuarantineDecision)


def _decide(visit: RequestContext) -> None:
    collector, venue = _venue_of_address(visit)
    decision = QuarantineDecision(parse_choice(visit.form, "decision", tuple(QuarantineDecision)))
    collector.decide(venue, decision, _reason(visit))


def _reason(visit: RequestContext) -> str:
    """Return the reason in the form.

    :raises BadForm: there is none.
    """
    if not (reason := visit.form["reason"]):
        raise BadForm.saying("say what happened; it stands in the audit trail")
    return reason[:_REASON]


def _players(visit: RequestContext) -> Response:
    """Show the list of players that every venue gets."""
    _ = visit.head.remote.federation
    return visit.show("venues/players.html", title="venues", count=len(visit.head.remote.roster.own))


def _load_players(visit: RequestContext) -> None:
    collector, roster = visit.head.remote.federation.collector, visit.head.remote.roster
    roster.own.replace(read_file(visit.files.get("file", b"")))
    collector.note_player_list(len(roster.own))


def _anonymise(visit: RequestContext) -> None:
    collector, name = visit.head.remote.federation.collector, to_half_width(visit.form["name"])
    if not 1 <= len(name) <= _NAME:
        raise BadForm.saying("write the name as the venues have it, at most {most} letters", most=_NAME)
    collector.anonymise(name, _reason(visit))


def _players_file(visit: RequestContext) -> Response:
    """Send the list of players as a file, for a USB stick."""
    collector, venue = _venue_of_address(visit)
    named = {"content-disposition": f'attachment; filename="players-{venue.name}.othello"'}
    return Response(collector.player_list_file(venue), media_type="application/octet-stream", headers=named)


# pages of a venue


def _own_venue_page(visit: RequestContext) -> Response:
    """Show what this venue sends, and what to do if the federation has another history of its store."""
    pusher = _pusher(visit)
    given = pusher.players.header if pusher.players else None
    listed = len(visit.head.remote.roster.federation)
    return visit.show("venues/own_venue.html", title="venues", sent=pusher.status, given=given, listed=listed)


def _take_players(visit: RequestContext) -> None:
    """Load the list of players from a file, for a venue without a connection."""
    _pusher(visit).take_players(visit.files.get("file", b""))


def _pusher(visit: RequestContext) -> Pusher:
    """Return the sender of this head's rows.

    :raises NotFound: this head does not send to a federation.
    """
    if (pusher := visit.head.remote.pusher) is None:
        raise NotFound.saying("this head does not send to a federation; see docs/setup/federation.md")
    return pusher


def _begin_life(visit: RequestContext) -> None:
    pusher = visit.head.remote.pusher
    if pusher is None or pusher.status.other is None:
        raise Conflict.saying("the federation has no other history of this head now; reload the page")
    pusher.begin_life(_reason(visit))


ADDRESSES = [
    live_route("/venues", _venue_list, title="venues", template="venues/venues.html",
         values=lambda visit: {"collects": visit.head.remote.venues, "sends": visit.head.remote.pusher}),
    live_route("/venues/{venue}", _venue_page, title="venues", template="venues/venue.html", back="/venues",
         values=lambda visit: {"name": visit.path["venue"], "live_boards": _has_boards(visit)}),
    PageRoute("/venues/{venue}/life/{trail}", _past_trail, back="/venues"),
    PageRoute("/venues/{venue}/standing", _decision_page, Role.CHIEF, back="/venues/{venue}"),
    form_route("/venues/{venue}/standing", _decide, {"decision", "reason"}, role=Role.CHIEF,
           back="/venues/{venue}/standing", again=True),
    PageRoute("/venues/{venue}/players.file", _players_file, Role.CHIEF, back="/venues/{venue}"),
    PageRoute("/venue/players", _players, Role.DESK, back="/venues"),
    form_route("/venue/players", _load_players, uploads={"file"}, limit=4 * LARGE, back="/venue/players"),
    form_route("/venue/anonymous", _anonymise, {"name", "reason"}, role=Role.CHIEF, back="/venue/players", again=True),
    form_route("/venue/list", _take_players, uploads={"file"}, limit=4 * LARGE, back="/venue"),
    PageRoute("/venue", _own_venue_page, Role.DESK, back="/venues"),
    form_route("/venue/life", _begin_life, {"reason"}, role=Role.CHIEF, back="/venue", again=True),
]  # fmt: skip
