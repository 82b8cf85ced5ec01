"""The page of one table, and the forms of an arbiter's orders to it: their fields, their pages, the orders made from
them, and the sending.

When an order is possible, whether it needs a reason and whether it is grave is a row of
``engine.match.arbiter_order_specs_and_parser``. The table itself decides whether an order is carried out. An order
carries the revision of the game that the arbiter saw. Stopping, resuming and noting take one tap; any other order has
its own page; a grave one has a second page that shows its consequences, and only that page sends it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from starlette.responses import Response

from engine.board.color import Color
from engine.board.position import Position
from engine.board.variants import STANDARD, Variant
from engine.i18n import Text, say
from engine.match.arbiter_order_specs_and_parser import RULINGS
from engine.match.match_events_and_effects import Action
from engine.match.match_value_types import GameStage
from engine.match.rule_sets_and_options import RuleSet, ScoreRule, rule_set
from engine.tournament.event_and_result_validation import MOST_CAPTURED
from kiosk.head.access.roles import Role, has_role
from kiosk.head.errors import NotFound
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.pages.arbiter.table_list_and_stop_all_page import FloorTable, floor_table
from kiosk.head.tables.public_and_arbiter_table_cards import TableCard
from kiosk.head.tables.table_view_data import PlayerClock, TableView
from kiosk.head.web.bilingual_labels import LABELS
from kiosk.head.web.form_player_and_result_parsing import BadForm, parse_choice, parse_int, parse_optional_int
from kiosk.head.web.page_routes_and_password_reentry import PageRoute, form_route, live_route
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.link.link_messages import edge_source_name

Form = Mapping[str, str]

#: fields of the form of each order, besides the reason; the other orders have no page of their own
_ASKED: Mapping[Action, tuple[str, ...]] = {
    Action.CHALLENGE: ("upheld",),
    Action.LATE_READING: ("reading",),
    Action.LATE_START: ("seat",),
    Action.REOPEN: (),
    Action.SET_TIME: ("black_min", "black_sec", "white_min", "white_sec", "turn"),
    Action.DEDUCT: ("side", "seconds"),
    Action.FLAG: ("side",),
    Action.BOTH_FLAGS: (),
    Action.RESIGNATION: ("side",),
    Action.FORFEIT: ("side",),
    Action.RESULT: ("winner", "black_discs", "white_discs"),
    Action.UNRATED: (),
}
#: fields that name a player or show a player's clock: they need to know who sits where
_OF_PLAYERS = frozenset({"side", "black_min"})


@dataclass(frozen=True, slots=True)
class OrderForm:
    """An order with its own page. ``grave``: it is sent only from a second page that shows its consequences."""

    name: str
    fields: tuple[str, ...]
    needs_reason: bool
    grave: bool


#: in the order of the page
BY_NAME = {
    action.value: OrderForm(action.value, _ASKED[action], row.needs_reason, row.grave)
    for action, row in RULINGS.items()
    if action in _ASKED
}
#: every field that a form of an order may have
FIELDS = {"revision", "reason", "sure"}.union(*_ASKED.values())


def possible_orders(card: TableCard, view: TableView) -> list[OrderForm]:
    """Return the orders that are possible at a table now."""
    if card.game is None or view.game != card.game.id:
        return []
    named_players = any(side.order_as for side in view.sides)
    possible = [act for act in BY_NAME.values() if act.name in view.inside.orders]
    return [act for act in possible if named_players or not _OF_PLAYERS & {*act.fields}]


def order_body(
    act: OrderForm, form: Form, rules: RuleSet, total: int, stage: GameStage = GameStage.LEAGUE
) -> dict[str, object]:
    """Return the order as it is sent to the table (CONTRACT.md, arbiter fields). ``total``: the squares of its board.

    :raises BadForm: a field is missing or impossible.
    """
    body: dict[str, object] = {"action": act.name, "reason": form["reason"]}
    match act.name:
        case "challenge":
            body["upheld"] = parse_choice(form, "upheld", ("yes", "no")) == "yes"
        case "late_reading":
            body["reading"] = parse_choice(form, "reading", ("forfeit", "choice"))
        case "late_start":
            body["absent"] = parse_choice(form, "seat", ("left", "right"))
        case "set_time":
            body |= {f"{side}_s": _minutes(form, side) for side in ("black", "white")}
            if form["turn"]:
                body["turn"] = parse_choice(form, "turn", ("black", "white"))
        case "deduct":
            body |= {"from": _side(form), "seconds": parse_int(form, "seconds", 1, 24 * 3600)}
        case "forfeit" | "resignation" | "flag":
            body["loser"] = _side(form)
        case "result":
            body |= _result(form, rules, total, stage)
    if act.needs_reason and not form["reason"]:  # K-15
        raise BadForm.saying("this order needs a reason; it goes into the table's record")
    return body


def _side(form: Form) -> str:
    return parse_choice(form, "side", ("black", "white", "left", "right"))


def _minutes(form: Form, side: str) -> int:
    return 60 * parse_int(form, f"{side}_min", 0, 24 * 60) + parse_int(form, f"{side}_sec", 0, 59)


def _result(form: Form, rules: RuleSet, total: int, stage: GameStage) -> dict[str, object]:
    winner = parse_choice(form, "winner", ("black", "white", "draw") if rules.may_draw(stage) else ("black", "white"))
    if rules.score is ScoreRule.NONE:  # M40-15.1: the card counts no discs
        return {"winner": winner}
    discs = rules.score is ScoreRule.DISCS
    most = total if discs else MOST_CAPTURED
    black, white = parse_int(form, "black_discs", 0, most), parse_int(form, "white_discs", 0, most)
    if discs and black + white != total:  # K-14
        why = say("{black}-{white} is not {total} discs together; count again")
        raise BadForm(why(black=black, white=white, total=total))
    if (winner == "black" and black < white) or (winner == "white" and white < black):
        why = say("{black}-{white} is no win for {winner}; correct the discs or the winner")
        raise BadForm(why(black=black, white=white, winner=winner))
    return {"winner": winner, "black_discs": black, "white_discs": white}


def named_side(sides: tuple[PlayerClock, ...], value: str) -> PlayerClock | None:
    """Return the player that an order names."""
    return next((side for side in sides if value and value in (side.order_as, side.color)), None)


_REVISION = 0, 1_000_000


def _page(visit: RequestContext) -> Response:
    """Show the form of an order, on its own page so that no stray tap reaches a button of it."""
    act, table = _order_form(visit), floor_table(visit)
    possible = act in possible_orders(table.card, table.view)
    game = table.card.game
    rules, total = _rules(visit, game), variant_of(visit, game).total
    return visit.show(
        "arbiter/act.html", title="floor", table=table, act=act, possible=possible, score=rules.score, total=total,
        may_draw=game is not None and rules.may_draw(game.stage_at_table),
    )  # fmt: skip


def _send_order(visit: RequestContext) -> Response | None:
    """Send the order, or first show the consequences of a grave one."""
    act, table = _order_form(visit), floor_table(visit)
    game = table.card.game
    stage = game.stage_at_table if game else GameStage.LEAGUE
    body = order_body(act, visit.form, _rules(visit, game), variant_of(visit, game).total, stage)
    if act.grave and visit.form["sure"] != "yes":
        sent = {name: value for name, value in visit.form.items() if name in FIELDS and value and name != "sure"}
        sentence = _consequence(table, body, variant_of(visit, game).total)
        return visit.show("arbiter/confirm.html", title="floor", table=table, act=act, sent=sent, sentence=sentence)
    _send(visit, body)
    return None


def _consequence(table: FloorTable, body: dict[str, object], total: int) -> Text:
    """Return what the order will do, in words."""
    sides = table.view.sides
    loser = named_side(sides, str(body.get("loser", "")))
    winner = named_side(sides, str(body.get("winner", "")))
    counts = [str(body[name]) for name in ("black_discs", "white_discs") if name in body]
    discs = "–".join(reversed(counts) if body.get("winner") == "white" else counts)  # the winner's first
    drawn = body["action"] == "result" and body["winner"] == "draw"
    text = LABELS["confirm"]["draw" if drawn else str(body["action"])]
    return text(loser=loser.name if loser else "?", winner=winner.name if winner else "?", discs=discs, total=total)


def _hold(visit: RequestContext) -> None:
    visit.desk.orders.send(visit.path["table"], "hold", body={"reason": visit.form["reason"]})


def _resume(visit: RequestContext) -> None:
    _send(visit, {"action": "resume", "reason": visit.form["reason"]})


def _note(visit: RequestContext) -> None:
    visit.desk.orders.note(visit.path["table"], visit.form["text"][:1000])


def _send(visit: RequestContext, body: dict[str, object]) -> None:
    revision = parse_optional_int(visit.form, "revision", *_REVISION)
    if revision is None:
        raise BadForm.saying("the form does not say which state of the game was looked at; open the table's page again")
    visit.desk.orders.send(visit.path["table"], "arbiter", revision=revision, body=body)


def _rules(visit: RequestContext, game: HeadGame | None) -> RuleSet:
    """Return the rule set by which a game is played."""
    division = visit.desk.state.division_of(game.id) if game else None
    return rule_set(division.table_rules.at(game.stage).rules if division and game else "m43")


def variant_of(visit: RequestContext, game: HeadGame | None) -> Variant:
    """Return the board and set-up of a game."""
    division = visit.desk.state.division_of(game.id) if game else None
    return division.event.variant if division else STANDARD


def _order_form(visit: RequestContext) -> OrderForm:
    act = BY_NAME.get(visit.path["act"])
    if act is None:
        raise NotFound.saying("there is no such order; choose one from the table's page")
    return act


# The page of one table: clocks, board, the violations found, the state of the device, and the orders given.


def _table_items(visit: RequestContext) -> dict[str, str]:
    table = floor_table(visit)
    number = table.card.number
    rows, notes = visit.desk.orders.of_table(number), visit.desk.orders.notes(number)
    health = table.view.inside.health
    may_order = has_role(visit.session, Role.ARBITER)
    acts = possible_orders(table.card, table.view) if table.has_kiosk else []
    return {
        "game": visit.draw("arbiter/_game.html", table=table, challenge=_challenge(visit, table)),
        "acts": visit.draw("arbiter/_acts.html", table=table, acts=acts, may_order=may_order),
        "orders": visit.draw("arbiter/_orders.html", table=table, rows=rows[:12], notes=notes[:12]),
        "done": visit.draw("arbiter/_actions_at_tables.html", done=visit.head.tables.acts.of_table(number)[:8]),
        "health": visit.draw(
            "arbiter/_health.html", table=table, health=health,
            edge_source=edge_source_name(health.edge_source) if health and health.edge_source else None,
        ),
    }


def _challenge(visit: RequestContext, table: FloorTable) -> dict[str, object] | None:
    """Return what the arbiter needs for a ruling on a challenge: the turn in words and pictures, and the legal moves of
    the mover (K-11; always shown to the arbiter)."""
    challenge = table.view.inside.challenge
    if challenge is None:
        return None
    mover = Color(challenge.by).opponent
    legal_moves: tuple[str, ...] = ()
    if challenge.before is not None and "?" not in challenge.before:
        position = Position.from_cells(challenge.before, mover, variant_of(visit, table.card.game))
        legal_moves = position.geometry.names(position.legal_moves())
    return {"turn": challenge, "mover": mover.value, "legal_moves": legal_moves}


_TABLE = "/floor/{table:int}"

_order_route = partial(form_route, role=Role.ARBITER, back="/floor", then=_TABLE)

ADDRESSES = [
    live_route(_TABLE, _table_items, title="floor", template="arbiter/table.html", role=Role.SIGNED_IN, back="/floor"),
    _order_route(f"{_TABLE}/hold", _hold, {"reason"}),
    _order_route(f"{_TABLE}/resume", _resume, {"reason", "revision"}),
    _order_route(f"{_TABLE}/note", _note, {"text"}),
    PageRoute(_TABLE + "/{act}", _page, Role.ARBITER, back="/floor"),
    _order_route(_TABLE + "/{act}", _send_order, FIELDS),
]
