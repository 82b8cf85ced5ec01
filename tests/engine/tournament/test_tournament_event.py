"""Reading of event files: accepted completely or refused with the path of the wrong field."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from engine.end_reason import EndReason
from engine.tournament import EventError
from engine.tournament.event_model import Stage, Winner
from engine.tournament.player_entry_fields import ASKED, ENTRIES, KNOWN
from kiosk.records.event_file import from_dict, to_dict


def valid_event() -> dict[str, Any]:
    return {
        "schema": "othello-event/1",
        "name": "Spring open",
        "date": "2019-03-24",
        "format": "m43-open",
        "options": {"brightwell_c": 6, "random_seed": 7, "lot_ballots": ["12345", "67890", "00042"]},
        "players": [
            {"id": "p1", "name": "One", "grade": "6d", "birth_year": 1990, "sex": "F", "country": "JPN", "seed": 1},
            {"id": "p2", "lot": 13, "league": "A", "withdrawn_after_round": 2},
            {"id": "p3", "absent": True},
        ],
        "teams": [{"id": "t1", "name": "T", "players": ["p1", "p2"], "captain": "p1", "orders": {"1": ["p2", "p1"]}}],
        "rounds": [
            {
                "round": 1,
                "games": [
                    {
                        "table": 1, "black": "p1", "white": "p2", "black_discs": 40, "white_discs": 24,
                        "winner": "black", "end": "normal", "rated": True, "stage": "league", "transcript": "f5d6",
                    },
                    {"bye": "p3", "stage": "league"},
                ],
            },
            {"round": 2, "games": [{"black": "p2", "white": "p1"}]},
        ],
    }  # fmt: skip


def test_a_valid_file_round_trips():
    event = from_dict(valid_event())
    game = event.rounds[0].games[0]
    assert (game.winner, game.end, game.stage, game.black_discs) == (Winner.BLACK, EndReason.NORMAL, Stage.LEAGUE, 40)
    assert event.rounds[0].byes[0].player == "p3"
    assert event.rounds[1].games[0].winner is None
    assert event.last_finished_round == 1
    assert from_dict(to_dict(event)) == event
    assert to_dict(from_dict(to_dict(event))) == to_dict(event)


def test_only_schema_format_and_players_are_needed():
    assert from_dict({"schema": "othello-event/1", "format": "swiss", "players": []}).rounds == ()


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        (("schema",), "othello-event/2", ["schema", "othello-event/1"]),
        (("format",), "chess", ["format", "m43-open"]),
        (("colour",), 1, ["unknown field 'colour'"]),
        (("players", 0, "nmae"), "x", ["players[0]", "unknown field 'nmae'"]),
        (("players", 0, "id"), "", ["players[0].id"]),
        (("players", 1, "id"), "p1", ["players[1].id", "'p1'", "players[0]"]),
        (("players", 0, "sex"), "X", ["players[0].sex"]),
        (("players", 0, "seed"), True, ["players[0].seed", "whole number"]),
        (("players", 0, "lot"), 0, ["players[0].lot", "1 or more"]),
        (("players", 1, "withdrawn_after_round"), -1, ["players[1].withdrawn_after_round", "0 or more"]),
        (("options", "randon_seed"), 1, ["options", "'randon_seed'"]),
        (("options", "brightwell_c"), 6.5, ["options.brightwell_c"]),
        (("options", "floater"), "upwards", ["options.floater", "top_down"]),
        (("teams", 0, "players", 0), "p9", ["teams[0]", "'p9'"]),
        (("teams", 0, "orders", "1", 0), 3, ["teams[0].orders.1[0]"]),
        (("rounds", 1, "round"), 3, ["rounds[1].round", "1, 2, 3"]),
        (("rounds", 0, "games", 0, "winner"), "nobody", ["rounds[0].games[0].winner", "black, white, draw"]),
        (("rounds", 0, "games", 0, "end"), "resigned", ["rounds[0].games[0].end", "forfeit"]),
        (("rounds", 0, "games", 0, "stage"), "pool", ["rounds[0].games[0].stage"]),
        (("rounds", 0, "games", 0, "black"), "p9", ["rounds[0]", "'p9'", "players"]),
        (("rounds", 0, "games", 0, "black"), "p2", ["rounds[0].games[0]", "pairs 'p2' with 'p2'"]),
        (("rounds", 0, "games", 1, "bye"), "p1", ["rounds[0]", "'p1'", "twice"]),
        (("rounds", 0, "games", 1, "winner"), "black", ["rounds[0].games[1]", "unknown field 'winner'"]),
        (("rounds", 0, "games", 1, "end"), "normal", ["rounds[0].games[1].end"]),
        (("rounds", 0, "games", 0, "white_discs"), 23, ["rounds[0].games[0]", "64"]),
        (("rounds", 0, "games", 0, "white_discs"), None, ["rounds[0].games[0].white_discs", "missing"]),
        (("rounds", 0, "games", 0, "black_discs"), 65, ["rounds[0].games[0].black_discs", "0 to 64"]),
        (("rounds", 0, "games", 0, "black_discs"), 40.0, ["rounds[0].games[0].black_discs", "whole number"]),
        (("rounds", 0, "games", 0, "winner"), "white", ["rounds[0].games[0].winner", "40-24"]),
        (("rounds", 0, "games", 0, "winner"), "draw", ["rounds[0].games[0].winner", "32-32"]),
        (("rounds", 0, "games", 0, "winner"), None, ["rounds[0].games[0].winner", "result"]),
        (("rounds", 0, "games", 0, "designated"), False, ["rounds[0].games[0].designated", "league"]),
        (("rounds", 0, "games", 0), 7, ["rounds[0].games[0]", "object"]),
        (("rounds", 0, "games"), {}, ["rounds[0].games", "list"]),
        (("players",), "p1 p2", ["players", "list"]),
    ],
)
def test_an_error_is_reported_with_its_path(path: tuple[str | int, ...], value: object, words: list[str]):
    data: Any = valid_event()
    place = data
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    with pytest.raises(EventError) as refusal:
        from_dict(data)
    for word in words:
        assert word in str(refusal.value)


def test_players_are_required():
    with pytest.raises(EventError, match="players is missing"):
        from_dict({"schema": "othello-event/1", "format": "swiss"})


@pytest.mark.parametrize("data", [None, [], "x", 3])
def test_an_event_is_an_object(data: object):
    with pytest.raises(EventError, match="object"):
        from_dict(data)


@pytest.mark.parametrize(
    ("result", "why"),
    [
        ({"winner": "black", "black_discs": 33, "white_discs": 31, "end": "time"}, "S5: a flag, choice a"),
        ({"winner": "black", "black_discs": 9, "white_discs": 55, "end": "free-play"}, "S6: free play stopped early"),
        ({"winner": "black", "black_discs": 12, "white_discs": 52, "end": "arbiter"}, "a ruling"),
        ({"winner": "white", "black_discs": 0, "white_discs": 64, "end": "late"}, "S11: late, chooses forfeit"),
        ({"winner": "draw", "black_discs": 32, "white_discs": 32, "end": "both-flags", "rated": False}, "S9"),
        ({"winner": "draw", "black_discs": 32, "white_discs": 32, "end": "not-played", "rated": False}, "S15"),
        ({"winner": "white", "black_discs": 32, "white_discs": 32, "stage": "final"}, "S4: the right-holder wins"),
        ({"winner": "white"}, "M40-15.1: discs are not recorded"),
        ({"winner": "black", "black_discs": 63, "white_discs": 1}, "no end given"),
    ],
)
def test_every_result_of_the_rule_books_is_accepted(result: dict[str, object], why: str):
    data = copy.deepcopy(valid_event())
    data["rounds"][1]["games"][0].update(result)
    game = from_dict(data).rounds[1].games[0]
    assert game.winner is not None and game.winner.value == result["winner"], why


def test_namesakes_are_distinguished_by_values_equal_in_every_language() -> None:
    """A grade is not used, because a Japanese page shows "1d" as 初段."""
    players = [{"id": f"p{number}", "name": "佐藤 太郎", "grade": f"{number}d"} for number in (1, 2)]
    event = from_dict({"schema": "othello-event/1", "format": "swiss", "players": players})
    assert [event.called(id) for id in ("p1", "p2")] == ["佐藤 太郎 (#1)", "佐藤 太郎 (#2)"]
    players[0]["club"] = "渋谷"
    event = from_dict({"schema": "othello-event/1", "format": "swiss", "players": players})
    assert event.called("p1") == "佐藤 太郎 (渋谷)"


def test_the_columns_of_stored_and_sent_lists():
    """Other programs read these lists, so their columns and the order stay."""
    fields = {"asked": [one.key for one in ASKED], "known": list(KNOWN), "entries": list(ENTRIES)}
    assert {name: " ".join(keys) for name, keys in fields.items()} == {
        "asked": "name kana latin grade birth_year sex club country team national wof remark",
        "known": "name kana latin grade birth_year sex country club rating national wof fee",
        "entries": "number name kana latin national wof grade birth_year club country fee",
    }
