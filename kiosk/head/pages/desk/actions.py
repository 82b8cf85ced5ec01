"""What each form of the desk page does: its fields, how long it may be, and the desk's method behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec.structs import asdict

from kiosk.head.desk import Desk
from kiosk.head.errors import NotFound
from kiosk.head.games import HeadGame
from kiosk.head.pages.address import Address, action
from kiosk.head.pages.forms import LARGE, RESULT_FIELDS, BadForm, choice, json_object, optional, outcome, whole
from kiosk.head.pages.visit import Visit

#: a table number as it can be on a form
_TABLES = 1, 100_000
_SECONDS = 0, 24 * 3600


def _create(visit: Visit) -> None:
    desk, form = visit.desk, visit.form
    desk.divisions.create(json_object(form["event"]), asdict(visit.parts.table_rules))


def _publish(visit: Visit) -> None:
    desk, form = visit.desk, visit.form
    desk.rounds.publish(form["digest"], form["division"])


def _result(visit: Visit) -> None:
    desk, form = visit.desk, visit.form
    game = _game(desk, form)
    desk.results.enter(game.id, outcome(form, game), form["reason"])


def _correct(visit: Visit) -> None:
    desk, form = visit.desk, visit.form
    game = _game(desk, form)
    desk.results.correct(game.id, outcome(form, game), form["reason"])


def _withdraw(visit: Visit) -> None:
    desk, form = visit.desk, visit.form
    desk.players.leave(form["division"], form["player"], form["reason"])


def _move(visit: Visit) -> None:
    desk, form = visit.desk, visit.form
    desk.seating.move(form["game"], whole(form, "table", *_TABLES))


def _order(visit: Visit) -> None:
    """An arbiter's order; its body is the arbiter line of a table script (CONTRACT.md)."""
    desk, form = visit.desk, visit.form
    table = whole(form, "table", *_TABLES)
    action = choice(form, "action", ("hold", "resume", "set_time", "forfeit", "result"))
    if action == "hold":
        desk.orders.send(table, "hold", body={})
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
    desk.orders.send(table, "arbiter", revision=optional(form, "revision", 0, 1_000_000), body=body)


def _game(desk: Desk, form: Mapping[str, str]) -> HeadGame:
    game = desk.state.game(form["game"])
    if game is None or game.is_bye:
        raise NotFound("the form names no game of this event; choose one from the list")
    return game


ORDER_FIELDS = {
    "table", "revision", "action", "reason", "black_s", "white_s", "loser", "winner", "black_discs", "white_discs",
}  # fmt: skip

ADDRESSES: list[Address] = [
    action("/desk/create", _create, {"event"}, limit=LARGE),
    action("/desk/publish", _publish, {"division", "digest"}),
    action("/desk/result", _result, RESULT_FIELDS),
    action("/desk/correct", _correct, RESULT_FIELDS, again=True),
    action("/desk/withdraw", _withdraw, {"division", "player", "reason"}),
    action("/desk/move", _move, {"game", "table"}),
    action("/desk/order", _order, ORDER_FIELDS),
]
