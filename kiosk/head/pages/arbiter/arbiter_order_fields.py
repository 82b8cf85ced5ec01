"""The form fields of each arbiter order, and the order made from them.

When an order is possible, whether it needs a reason and whether it is grave is a row of
``engine.match.arbiter_order_specs_and_parser``. The table itself decides whether an order is carried out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.i18n import say
from engine.match.arbiter_order_specs_and_parser import RULINGS
from engine.match.match_events_and_effects import Action
from engine.match.rule_sets_and_options import ScoreRule, rule_set
from engine.tournament.event_and_result_validation import MOST_CAPTURED
from kiosk.head.tables.table_cards_for_pages import TableCard
from kiosk.head.tables.table_view_data import PlayerClock, TableView
from kiosk.head.web.form_parsing import BadForm, parse_choice, parse_int

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
ACTS: tuple[OrderForm, ...] = tuple(
    OrderForm(action.value, _ASKED[action], row.needs_reason, row.grave)
    for action, row in RULINGS.items()
    if action in _ASKED
)
BY_NAME = {act.name: act for act in ACTS}
#: every field that a form of an order may have
FIELDS = frozenset(field for act in ACTS for field in act.fields) | {"revision", "reason", "sure"}


def possible_orders(card: TableCard, view: TableView) -> list[OrderForm]:
    """Return the orders that are possible at a table now."""
    if card.game is None or view.game != card.game.id:
        return []
    named_players = any(side.order_as for side in view.sides)
    possible = [act for act in ACTS if act.name in view.inside.orders]
    return [act for act in possible if named_players or not _OF_PLAYERS & {*act.fields}]


def order_body(act: OrderForm, form: Form, rules: str, total: int) -> dict[str, object]:
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
            body |= _result(form, rules, total)
    if act.needs_reason and not form["reason"]:  # K-15
        raise BadForm(say("this order needs a reason; it goes into the table's record"))
    return body


def _side(form: Form) -> str:
    return parse_choice(form, "side", ("black", "white", "left", "right"))


def _minutes(form: Form, side: str) -> int:
    return 60 * parse_int(form, f"{side}_min", 0, 24 * 60) + parse_int(form, f"{side}_sec", 0, 59)


def _result(form: Form, rules: str, total: int) -> dict[str, object]:
    winner = parse_choice(form, "winner", ("black", "white", "draw"))
    if rule_set(rules).score is ScoreRule.NONE:  # M40-15.1: the card counts no discs
        return {"winner": winner}
    discs = rule_set(rules).score is ScoreRule.DISCS
    most = total if discs else MOST_CAPTURED
    black, white = parse_int(form, "black_discs", 0, most), parse_int(form, "white_discs", 0, most)
    if discs and black + white != total:  # K-14
        raise BadForm(
            say("{black}-{white} is not {total} discs together; count again", black=black, white=white, total=total)
        )
    if (winner == "black" and black < white) or (winner == "white" and white < black):
        raise BadForm(
            say("{black}-{white} is no win for {winner}; correct the discs or the winner",
                black=black, white=white, winner=winner)
        )  # fmt: skip
    return {"winner": winner, "black_discs": black, "white_discs": white}


def named_side(sides: tuple[PlayerClock, ...], value: str) -> PlayerClock | None:
    """Return the player that an order names."""
    return next((side for side in sides if value and value in (side.order_as, side.color)), None)
