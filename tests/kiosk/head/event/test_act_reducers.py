"""Tests of the effect of acts on a division, and of acts that do not apply."""

from __future__ import annotations

from typing import Any

import pytest
from heads.world import event

from engine.end_reason import EndReason
from kiosk.head.errors import HeadError
from kiosk.head.event.act_reducers import apply, new_division
from kiosk.head.event.act_types import Body, DivisionCreated, read
from kiosk.head.event.tournament_state import DivisionState, TableRules
from kiosk.records.event_file import from_dict

FIRST: list[dict[str, Any]] = [{"black": f"p{n}", "white": f"p{n + 1}", "stage": "league"} for n in (1, 3, 5)]
PUBLISHED = ("round-published", {"round": 1, "games": FIRST})
BY_HAND = ("round-made-by-hand", {"round": 1, "games": FIRST})
Act = tuple[str, Body]


def after(*acts: Act) -> DivisionState:
    """Return a division of six players after these acts."""
    division = DivisionState("main", from_dict(event(6, "adjacent")), "e", TableRules("m43", 1200))
    for kind, body in acts:
        division = apply(division, read(kind, body))  # type: ignore[arg-type]
    return division


@pytest.mark.parametrize(
    ("before", "kind", "body", "sentence"),
    [
        ([], "team-removed", {"team": "t9"}, "no team 't9'"),
        ([], "round-made-by-hand", {"round": 2, "games": FIRST}, "round 2 does not follow round 0"),
        ([], "round-made-by-hand", {"round": 1, "games": [{"black": "p1", "white": "p9"}]}, "'p9' is not"),
        ([], "round-published", {"round": 1, "games": []}, "no game"),
        ([], "round-published", {"round": 1, "games": [FIRST[0] | {"winner": "black", "black_discs": 9,
                                                                   "white_discs": 55}]}, "White has more discs"),
        ([PUBLISHED], "division-removed", {}, "has a published round"),
        ([PUBLISHED], "round-amended", {"round": 2, "removed": ["e-1-1"]}, "has changed since"),
        ([PUBLISHED], "round-amended", {"round": 1, "removed": ["e-1-9"]}, "has changed since"),
        ([PUBLISHED], "round-amended", {"round": 1, "removed": ["e-1-1"], "restored": ["e-1-2"]}, "has changed since"),
        ([PUBLISHED], "round-amended", {"round": 1, "removed": ["e-1-1", "e-1-2", "e-1-3"],
                                        "games": [{"bye": f"p{n}"} for n in range(1, 7)]}, "no game"),
        ([], "round-timed", {"round": 1, "starts": "2031-04-05T13:20:00"}, "time zone"),
    ],
)  # fmt: skip
def test_an_act_that_does_not_apply_is_refused(before: list[Act], kind: str, body: Body, sentence: str) -> None:
    with pytest.raises(HeadError, match=sentence):
        after(*before, (kind, body))


def test_a_division_is_not_created_with_rounds() -> None:
    played = event(6, "adjacent") | {"rounds": [{"round": 1, "games": FIRST}]}
    body = {"event": played, "table": {"rules": "m43", "main_s": 9}}
    act = read("event-created", body)
    assert isinstance(act, DivisionCreated)
    with pytest.raises(HeadError, match="has rounds already"):
        new_division(act, body)


def test_a_draw_that_is_not_played_has_its_result_when_published() -> None:
    """M43F-06."""
    draw = FIRST[0] | {"winner": "draw", "black_discs": 32, "white_discs": 32, "end": "not-played", "rated": False}
    drawn, bye, played = after(("round-published", {"round": 1, "games": [draw, {"bye": "p3"}, FIRST[2]]})).current
    assert drawn.outcome is not None and (drawn.outcome.end, drawn.outcome.rated) == (EndReason.NOT_PLAYED, False)
    assert [game.is_open for game in (drawn, bye, played)] == [False, False, True]
    assert [game.source for game in (drawn, bye, played)] == ["pairing", "pairing", ""]


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_round_remains_marked_as_paired_by_hand(by_hand: bool) -> None:
    """When it is published, taken back, and restored. Taken back, its pairing is the draft again."""
    marked = frozenset({1} if by_hand else ())
    before = [BY_HAND, PUBLISHED] if by_hand else [PUBLISHED]
    assert after(*before).by_hand == marked
    undone = after(*before, ("round-undone", {"round": 1}))
    assert (undone.undone[0].by_hand, undone.by_hand) == (by_hand, frozenset())
    assert (undone.hand_made is not None and undone.hand_made.round == 1) == by_hand
    assert after(*before, ("round-undone", {"round": 1}), ("round-restored", {"undone": 0})).by_hand == marked
