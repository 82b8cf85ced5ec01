"""Tests of divisions on other boards (RULES.md 1.2, 1.4): every total is that of the division's board."""

from __future__ import annotations

from typing import Any

import pytest
from events.random_events import event_of

from engine.board.variants import PLAYABLE, VARIANTS
from engine.tournament import TournamentError, event_edits, next_round, standings
from engine.tournament.format_spec_and_options import VARIANT
from engine.tournament.formats import FORMATS
from kiosk.records.event_file import changed_options, from_dict, to_dict

FREE = tuple(name for name, one in FORMATS.items() if VARIANT in one.facts.choices)


def result(black: int, white: int, **more: Any) -> dict[str, Any]:
    winner = "black" if black > white else "white" if white > black else "draw"
    return {"black": "p1", "white": "p2", "black_discs": black, "white_discs": white, "winner": winner, **more}


@pytest.mark.parametrize("variant", PLAYABLE)
@pytest.mark.parametrize("format_", FREE)
def test_a_division_can_use_every_board_that_its_rules_allow(format_: str, variant: str) -> None:
    total = VARIANTS[variant].total
    data = event_of(format_, 4, variant=variant)
    data["rounds"] = [{"round": 1, "games": [result(total // 2 + 1, total // 2 - 1), {"bye": "p3"}]}]
    event = from_dict(data)
    assert from_dict(to_dict(event)) == event and event.variant is VARIANTS[variant]
    data["rounds"][0]["games"][0] = result(total - 2, 1)
    with pytest.raises(TournamentError, match=f"must total {total}"):
        from_dict(data)


@pytest.mark.parametrize("format_", [name for name in FORMATS if name not in FREE])
def test_rules_that_fix_the_board_refuse_another(format_: str) -> None:
    with pytest.raises(TournamentError, match="8x8 only"):
        from_dict(event_of(format_, 16, variant="6x6"))
    assert from_dict(event_of(format_, 16, variant="8x8")).variant.name == "8x8"


def test_forfeits_byes_and_unknown_discs_scale_with_the_board() -> None:
    """AMB-09: 36-0. AMB-48: a bye of 40-24 is 23-13 on 6x6. BW-4: a bye counts half the board, 18."""
    data = event_of("round-robin", 4, variant="6x6")
    data["options"]["absences"] = {"1": ["p1"]}
    forfeit = next(game for game in next_round(from_dict(data)).games if "p1" in game.players)
    assert {forfeit.black_discs, forfeit.white_discs} == {36, 0} and forfeit.rated is False

    data = event_of("swiss", 3, variant="6x6")
    data["rounds"] = [{"round": 1, "games": [result(20, 16), {"bye": "p3"}]}]
    rows = {row.id: row for row in standings(from_dict(data)).rows}
    assert (rows["p3"].discs, rows["p3"].keys[1]) == (23, 18 + 6)
    del data["rounds"][0]["games"][0]["black_discs"], data["rounds"][0]["games"][0]["white_discs"]
    assert {row.id: row.discs for row in standings(from_dict(data)).rows} == {"p1": 18, "p2": 18, "p3": 23}
    assert standings(from_dict({**data, "format": "adjacent"})).rows[0].keys == (1, 10)


@pytest.mark.parametrize(("option", "wrong"), [("bye_discs", 40), ("bye_discs", 17), ("forfeit_discs", 18)])
def test_options_of_discs_fit_the_board(option: str, wrong: int) -> None:
    with pytest.raises(TournamentError, match=r"on this board|between 1[89]|1[89]"):
        from_dict(event_of("swiss", 4, variant="6x6", **{option: wrong}))


@pytest.mark.parametrize(("option", "discs"), [("bye_discs", 18), ("bye_discs", 36), ("forfeit_discs", 19)])
def test_the_first_and_last_numbers_of_discs_are_allowed(option: str, discs: int) -> None:
    assert to_dict(from_dict(event_of("swiss", 4, variant="6x6", **{option: discs})))["options"][option] == discs


def test_the_board_cannot_change_after_publication() -> None:
    data = event_of("swiss", 4)
    data["rounds"] = [{"round": 1, "games": [result(40, 24)]}]
    event = from_dict(data)
    with pytest.raises(TournamentError, match="take them back first"):
        event_edits.change_division(event, options=changed_options(event.options, {"variant": "6x6"}))
    unpublished, _ = event_edits.undo_to(event, 0)
    changed = event_edits.change_division(unpublished, options=changed_options(event.options, {"variant": "6x6"}))
    assert changed.total == 36


@pytest.mark.parametrize(
    ("first", "second", "warned"),
    [
        ({"grade": "2d"}, {"grade": "5k"}, True),
        ({"grade": "5k"}, {"grade": "2d"}, False),
        ({"grade": "2d", "rating": 1500}, {"grade": "2d", "rating": 1400}, True),
        ({"rating": 1400}, {"rating": 1500}, False),
        ({}, {"grade": "2d"}, False),
    ],
)
def test_a_stronger_player_with_the_handicap_is_reported(
    first: dict[str, Any], second: dict[str, Any], warned: bool
) -> None:
    """OTH-HC-2: the weaker player takes Black."""
    data = event_of("round-robin", 2, variant="handicap-2")
    for player, known in zip(data["players"], (first, second), strict=True):
        for name in ("grade", "rating"):
            player.pop(name, None)
        player |= known
    event = from_dict(data)
    assert [str(one) for one in next_round(event).warnings if "handicap" in str(one)] == [
        f"handicap: {event.called('p1')} has Black but is stronger than {event.called('p2')}; "
        f"give {event.called('p2')} Black by hand"
    ] * warned
