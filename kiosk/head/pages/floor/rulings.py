"""What an arbiter may order at one table, as data: when it is possible, what it needs, and what follows from it.

The law: whatever ends a game, changes a clock or its worth is done in two steps, and the second says in words what will
happen to whom. The table itself decides whether an order is carried out (``engine.match.arbiter``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.match.rulesets import Callers, Score, read_options, rule_set
from engine.text import say
from kiosk.head.tables.hall import Card
from kiosk.head.tables.table_view import Side, TableView
from kiosk.head.web.forms import BadForm, choice, whole

Form = Mapping[str, str]

_IN_PLAY = frozenset({"TURN", "CORR", "HOLD", "CHECK"})
_BEFORE = frozenset({"SETUP", "READY"})
_CLOCK = frozenset({"SETUP", "LATE", "READY", "TURN", "CORR", "HOLD", "CHECK", "FINISH", "CHOICE", "FREE"})
_NOT_HANDED_IN = _CLOCK | {"ENDED", "RESULT", "SIGNED"}


@dataclass(frozen=True, slots=True)
class Act:
    """``phases``: where the order makes sense. ``fields``: what its form asks for, besides the reason. ``grave``:
    whether it ends the game or changes what it is worth."""

    name: str
    phases: frozenset[str]
    fields: tuple[str, ...] = ()
    grave: bool = False


#: in the order of the page: what is needed most often first
ACTS: tuple[Act, ...] = (
    Act("challenge", frozenset({"CORR", "HOLD"}), ("upheld",)),
    Act("late_start", _BEFORE, ("seat",)),
    Act("set_time", _CLOCK, ("black_min", "black_sec", "white_min", "white_sec", "turn")),
    Act("deduct", _CLOCK, ("side", "seconds")),
    Act("flag", _IN_PLAY, ("side",), grave=True),
    Act("both_flags", _IN_PLAY, grave=True),
    Act("resignation", _IN_PLAY, ("side",), grave=True),
    Act("forfeit", _NOT_HANDED_IN, ("side",), grave=True),
    Act("result", _NOT_HANDED_IN | {"SUBMITTED"}, ("winner", "black_discs", "white_discs"), grave=True),
    Act("unrated", _NOT_HANDED_IN, grave=True),
)
BY_NAME = {act.name: act for act in ACTS}
#: every field that a form of an act may have
FIELDS = frozenset(field for act in ACTS for field in act.fields) | {"revision", "reason", "sure"}


def possible_acts(card: Card, view: TableView, rules: str) -> list[Act]:
    """The orders that make sense at a table now."""
    if card.game is None or view.game != card.game.id or view.phase is None:
        return []
    phase, colours_known = view.phase, any(side.order_as in ("black", "white") for side in view.sides)
    acts = [act for act in ACTS if phase in act.phases]
    found = rule_set(rules)
    wrong = set()
    if view.inside.challenge is None:
        wrong.add("challenge")
    if not colours_known:
        wrong |= {"set_time", "resignation", "flag"}
    if read_options({}, rules).who_may_call is Callers.PLAYERS:
        wrong.add("flag")
    if not found.time_penalty:
        wrong.add("deduct")
    if not any(side.order_as for side in view.sides):
        wrong |= {"forfeit", "deduct"}
    return [act for act in acts if act.name not in wrong]


def body_of(act: Act, form: Form, rules: str) -> dict[str, object]:
    """The order as the table takes it (CONTRACT.md, arbiter fields).

    :raises BadForm: a field is missing or impossible.
    """
    body: dict[str, object] = {"action": act.name, "reason": form["reason"]}
    match act.name:
        case "challenge":
            body["upheld"] = choice(form, "upheld", ("yes", "no")) == "yes"
        case "late_start":
            body["absent"] = choice(form, "seat", ("left", "right"))
        case "set_time":
            body |= {f"{side}_s": _minutes(form, side) for side in ("black", "white")}
            if form["turn"]:
                body["turn"] = choice(form, "turn", ("black", "white"))
        case "deduct":
            body |= {"from": _side(form), "seconds": whole(form, "seconds", 1, 24 * 3600)}
        case "forfeit" | "resignation" | "flag":
            body["loser"] = _side(form)
        case "result":
            body |= _result(form, rules)
    if not form["reason"] and act.name not in ("challenge", "late_start"):  # K-15
        raise BadForm(say("this order needs a reason; it goes into the table's record"))
    return body


def _side(form: Form) -> str:
    return choice(form, "side", ("black", "white", "left", "right"))


def _minutes(form: Form, side: str) -> int:
    return 60 * whole(form, f"{side}_min", 0, 24 * 60) + whole(form, f"{side}_sec", 0, 59)


def _result(form: Form, rules: str) -> dict[str, object]:
    winner = choice(form, "winner", ("black", "white", "draw"))
    if rule_set(rules).score is Score.NONE:  # M40-15.1: the card counts no discs
        return {"winner": winner}
    black, white = whole(form, "black_discs", 0, 64), whole(form, "white_discs", 0, 64)
    if rule_set(rules).score is Score.DISCS and black + white != 64:  # K-14
        raise BadForm(say("{black}-{white} is not 64 discs together; count again", black=black, white=white))
    if (winner == "black" and black < white) or (winner == "white" and white < black):
        raise BadForm(
            say(
                "{black}-{white} is no win for {winner}; correct the discs or the winner",
                black=black,
                white=white,
                winner=winner,
            )
        )
    return {"winner": winner, "black_discs": black, "white_discs": white}


def named(sides: tuple[Side, ...], value: str) -> Side | None:
    """The player that an order names."""
    return next((side for side in sides if value and value in (side.order_as, side.color)), None)
