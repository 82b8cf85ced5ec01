"""What each form of the desk page does: its fields, how long it may be, and the desk's method behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import asdict

from kiosk.head.config import TableRules
from kiosk.head.desk import Desk
from kiosk.head.errors import NotFound
from kiosk.head.games import HeadGame
from kiosk.head.pages.forms import LARGE, RESULT_FIELDS, SMALL, BadForm, choice, json_object, optional, outcome, whole

Form = dict[str, str]
Act = Callable[[Desk, TableRules, Form], None]

#: a table number as it can be on a form
_TABLES = 1, 100_000
_SECONDS = 0, 24 * 3600


def _create(desk: Desk, rules: TableRules, form: Form) -> None:
    desk.create(json_object(form["event"]), asdict(rules))
    desk.advance()


def _publish(desk: Desk, rules: TableRules, form: Form) -> None:
    desk.publish(form["digest"])


def _result(desk: Desk, rules: TableRules, form: Form) -> None:
    game = _game(desk, form)
    desk.enter_result(game.id, outcome(form, game), form["reason"])


def _correct(desk: Desk, rules: TableRules, form: Form) -> None:
    game = _game(desk, form)
    desk.correct_result(game.id, outcome(form, game), form["reason"])


def _withdraw(desk: Desk, rules: TableRules, form: Form) -> None:
    desk.withdraw_player(form["player"], form["reason"])


def _move(desk: Desk, rules: TableRules, form: Form) -> None:
    desk.move_game(form["game"], whole(form, "table", *_TABLES))


def _order(desk: Desk, rules: TableRules, form: Form) -> None:
    """An arbiter's order; its body is the arbiter line of a table script (CONTRACT.md)."""
    table = whole(form, "table", *_TABLES)
    action = choice(form, "action", ("hold", "resume", "set_time", "forfeit", "result"))
    if action == "hold":
        desk.order(table, "hold", body={})
        return
    body: dict[str, Any] = {"action": action, "reason": form["reason"]}
    match action:
        case "set_time":
            body |= {name: whole(form, name, *_SECONDS) for name in ("black_s", "white_s")}
        case "forfeit":
            body["loser"] = choice(form, "loser", ("black", "white"))
        case "result":
            body["winner"] = choice(form, "winner", ("black", "white", "draw"))
            body |= {name: whole(form, name, 0, 64) for name in ("black_discs", "white_discs")}
            if body["black_discs"] + body["white_discs"] != 64:  # K-14
                raise BadForm(f"{body['black_discs']}-{body['white_discs']} is not 64 discs together; count again")
    if action != "resume" and not form["reason"]:  # K-15
        raise BadForm("this order needs a reason; it goes into the table's record")
    desk.order(table, "arbiter", revision=optional(form, "revision", 0, 1_000_000), body=body)


def _game(desk: Desk, form: Form) -> HeadGame:
    game = desk.state.game(form["game"])
    if game is None or game.is_bye:
        raise NotFound("the form names no game of this event; choose one from the list")
    return game


ORDER_FIELDS = {
    "table", "revision", "action", "reason", "black_s", "white_s", "loser", "winner", "black_discs", "white_discs",
}  # fmt: skip

ACTIONS: dict[str, tuple[set[str], int, Act]] = {
    "create": ({"event"}, LARGE, _create),
    "publish": ({"digest"}, SMALL, _publish),
    "result": (RESULT_FIELDS, SMALL, _result),
    "correct": (RESULT_FIELDS, SMALL, _correct),
    "withdraw": ({"player", "reason"}, SMALL, _withdraw),
    "move": ({"game", "table"}, SMALL, _move),
    "order": (ORDER_FIELDS, SMALL, _order),
}
