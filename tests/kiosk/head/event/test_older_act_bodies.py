"""Tests that act bodies written by earlier versions of the head are still read, with the same meaning."""

from __future__ import annotations

from typing import Any

from heads.world import event

from kiosk.head.event.act_types import SHAPES, read, write
from kiosk.head.event.tournament_state import event_name, game_id
from kiosk.head.event.tournament_state_from_events import fold
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.head.store.store_rows import RECORD_SET_ASIDE, ROWS_MISSING
from kiosk.records.event_file import to_dict

CREATED = {
    "event": event(6, "adjacent"),
    "table": {"rules": "m43", "main_s": 1200, "options": {}, "stages": {"final": {"main_s": 2400}}},
    "title": {"ja": "一般", "en": "Open"},
    "nonce": "a1b2c3d4",
}
ID = event_name(CREATED)
FIRST, SECOND = game_id(ID, 1, 1), game_id(ID, 1, 2)
#: colours as older formats wrote them; "designated" only where it is false
LINES = [
    {"table": 1, "black": "p1", "white": "p2", "stage": "league"},
    {"table": 2, "black": "p3", "white": "p4", "stage": "league", "designated": False},
    {"bye": "p5", "stage": "league"},
]
RESULT = {
    "game": FIRST, "black": "p1", "white": "p2", "winner": "black", "black_discs": 40, "white_discs": 24,
    "end": "normal", "rated": True, "reason": "",
}  # fmt: skip
WON = RESULT | {"game": SECOND, "black": "p3", "white": "p4", "black_discs": None, "white_discs": None}
STORED: list[tuple[str, dict[str, Any]]] = [
    ("gathering-named", {"name": "春の大会", "date": "2031-04-05"}),
    ("event-created", CREATED),
    ("division-changed", {"division": "main", "title": {"ja": "一般の部", "en": "Open"}, "auto": False}),
    ("division-changed", {"division": "main", "options": {"random_seed": 8, "pairing": None}, "tables": None}),
    ("division-changed", {"division": "main", "table": CREATED["table"], "tables": [1, 2, 3]}),
    ("division-changed", {"division": "main", "plan": {"first": 570, "rounds": 4, "slot": 50, "pause": 10}}),
    ("division-changed", {"division": "main", "plan": {"table": "M43T", "division": "open"}}),
    ("division-changed", {"division": "main", "spectators": {"boards": "delayed", "delay": 9, "names": {}}}),
    ("event-created", {**CREATED, "division": "gone", "tables": [7], "plan": {}}),
    ("division-removed", {"division": "gone"}),
    ("players-added", {"division": "main", "players": [{"id": "p7", "name": "Late", "sex": "F"}, {"id": "p8"}]}),
    ("player-changed", {"division": "main", "player": "p7", "fields": {"club": "A", "sex": None, "seed": None}}),
    ("player-removed", {"division": "main", "player": "p8"}),
    ("players-arrived", {"division": "main", "players": ["p1", "p2"], "arrived": True}),
    ("players-absent", {"division": "main", "players": ["p6", "p7"], "absent": True}),
    ("lots-drawn", {"division": "main", "lots": {"p1": 2, "p2": 1}, "method": "seed", "seed": 5,
                    "options": {"random_seed": 5}}),
    ("team-set", {"division": "main", "team": {"id": "t1", "name": "T", "players": ["p1", "p2"], "captain": "p1"}}),
    ("team-sheet", {"division": "main", "team": "t1", "round": 1, "players": ["p2", "p1"]}),
    ("team-removed", {"division": "main", "team": "t1"}),
    ("wishes-set", {"division": "main", "round": 1, "locked": [["p1", "p2"]], "forbidden": [], "byes": ["p1"],
                    "colours": {}}),  # they contradict each other, as the pairing reported
    ("wishes-set", {"division": "main", "round": 1}),
    ("round-made-by-hand", {"division": "main", "round": 1, "games": LINES, "swapped": ["p1", "p3"]}),
    ("round-made-by-hand", {"division": "main", "round": 1, "games": None}),
    ("round-published", {"division": "main", "round": 1, "games": LINES, "cost": {"penalty": 0}, "warnings": [],
                         "edition": 0}),
    ("game-seated", {"division": "main", "game": FIRST, "table": 1, "arrived": 0}),
    ("round-amended", {"division": "main", "round": 1, "removed": [game_id(ID, 1, 3)], "restored": [],
                       "games": [{"black": "p5", "white": "p6"}], "cost": {"before": 0, "after": 0, "best": 0}}),
    ("round-amended", {"division": "main", "round": 1, "removed": [game_id(ID, 1, 4)],
                       "restored": [game_id(ID, 1, 3)]}),
    ("result-entered", {"division": "main", **RESULT}),
    ("result-corrected", {"division": "main", **RESULT, "black_discs": 33, "white_discs": 31, "reason": "x",
                          "old": RESULT}),
    ("result-taken-back", {"division": "main", "game": FIRST, "reason": "x"}),
    ("result-entered", {"division": "main", **RESULT}),
    ("result-reported", {"division": "main", **WON, "by": "p3", "phone": "a"}),
    ("result-entered", {"division": "main", **WON}),
    ("player-withdrawn", {"player": "p3", "after_round": 1, "reason": "ill", "division": "main"}),
    ("players-paid", {"division": "main", "players": ["p1", "p2"], "paid": True}),
    ("organiser-named", {"organiser": "千代田オセロ会", "seal": "0" * 64}),
    ("hall-announced", {"text": "昼休み Lunch", "prizes": "16:00"}),
    ("slot-set", {"slot": "featured-1", "table": 3}),
    ("round-timed", {"division": "main", "round": 1, "starts": "2031-04-05T13:20:00+09:00", "minutes": 40}),
    ("player-returned", {"division": "main", "player": "p3"}),
    ("player-away", {"division": "main", "player": "p4", "round": 2, "away": True}),
    ("round-undone", {"division": "main", "round": 1, "reason": "wrong"}),
    ("round-restored", {"division": "main", "undone": 0}),
    ("players-arrived", {"division": "main", "players": ["p6"], "arrived": True}),
    ("notice-seen", {"key": "k"}),
    ("notices-told", {"keys": ["k"]}),
    (ROWS_MISSING, {"events": [7, 9], "at": "2031-04-05T00:00:00+00:00", "records": []}),
    (RECORD_SET_ASIDE, {"table": 1, "epoch": "e", "seq": 1, "type": "card", "reason": "x"}),
]  # fmt: skip


def test_every_act_kind_of_an_earlier_version_is_applied() -> None:
    assert {kind for kind, _ in STORED} == set(SHAPES)
    trail = [OperatorEvent(n, "2031-04-05T00:00:00+00:00", kind, body, "", "") for n, (kind, body) in enumerate(STORED)]
    state = fold(trail, [])
    assert [one for one in state.aside if one.number is not None] == [] and list(state.divisions) == ["main"]
    file = to_dict(state.first.whole())
    assert file["options"] == {"random_seed": 5, "absences": {"1": ["p6"], "2": ["p4"]}}
    assert file["rounds"] == [
        {
            "round": 1,
            "games": [
                {"black": "p1", "white": "p2", "black_discs": 40, "white_discs": 24, "winner": "black",
                 "end": "normal", "rated": True, "stage": "league"},
                {"black": "p3", "white": "p4", "winner": "black", "end": "normal", "rated": True, "stage": "league"},
                {"bye": "p5", "stage": "league"},
            ],
        }
    ]  # fmt: skip
    assert [game.designated for game in state.first.current] == [True, False, False]


def test_games_keep_their_ids() -> None:
    """Journals of tables and other stores have them."""
    assert (ID, FIRST, game_id(ID, 2, 3, edition=1)) == ("04e14609", "04e14609-1-1", "04e14609-2.1-3")


def test_a_written_act_is_read_back_equal() -> None:
    for kind, body in STORED:
        act = read(kind, body)
        assert write(act)[0] == kind and read(*write(act)) == act
        assert write(act)[1].get("division", "main") == body.get("division", "main")
    assert write(read("event-created", CREATED))[1]["table"]["options"] == {}, "its bytes give the event its name"
    assert write(read("player-returned", {"player": "p3"}))[1] == {"division": "main", "player": "p3"}
