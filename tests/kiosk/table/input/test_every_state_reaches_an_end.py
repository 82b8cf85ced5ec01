"""Tests that from every state that two players can reach, two buttons alone lead to a signed card or to the arbiter."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Literal

import pytest
from matches import games
from tables import state_search

from engine.match.match_value_types import Phase
from kiosk.table.state import LinkState

#: of each rule set's flags, draw right and clock one; a board source is an axis of its own
HALL = (("m43", "league", True), ("m43", "league", False), ("m43", "knockout", False), ("m40", "league", False),
        ("team", "league", True), ("wof", "league", False))  # fmt: skip


@cache
def found(rules: str, stage: Literal["league", "knockout"] = "league", read: bool = False) -> state_search.Nodes:
    return state_search.reachable(state_search.table(rules, stage, read=read, designated=stage == "league"))


def phases(nodes: Mapping[object, state_search.Node]) -> set[Phase]:
    return {node.state.match.phase for node in nodes.values() if node.state.match is not None}


def dead_ends(start: state_search.Node) -> set[tuple[Phase, Phase | None]]:
    nodes = state_search.without_way_out(state_search.reachable(start))
    return {(node.state.match.phase, node.state.match.resume_phase) for node in nodes if node.state.match is not None}


@pytest.mark.parametrize(("rules", "stage", "read"), HALL)
def test_at_a_table_of_a_hall(rules: str, stage: Literal["league", "knockout"], read: bool) -> None:
    """A table of a hall is explored with and without a board source."""
    assert not state_search.without_way_out(found(rules, stage, read))


def test_at_a_table_whose_board_never_answers() -> None:
    assert not dead_ends(state_search.table("m43", read=True, answers=False))


@pytest.mark.parametrize("rules", ["m43", "team"])
def test_at_the_end_of_a_game(rules: str) -> None:
    """With few moves left: the last one, its challenge, a pass, play after both flags."""
    nodes = state_search.reachable(state_search.played(state_search.table(rules, read=True), games.FULL[:-6]))
    assert not state_search.without_way_out(nodes)
    assert Phase.CHECK in phases(nodes)


@pytest.mark.parametrize(("rules", "stage"), [("m43", "knockout"), ("wof", "league"), ("casual", "league")])
def test_at_a_clock_without_an_arbiter(rules: str, stage: Literal["league", "knockout"]) -> None:
    """Without an arbiter every path ends at the card."""
    assert not dead_ends(state_search.table(rules, stage, link=LinkState.NONE, designated=stage == "league"))


@pytest.mark.parametrize(
    ("link", "players", "pairs"),
    [(LinkState.UP, 2, False), (LinkState.NONE, 2, False), (LinkState.NONE, 3, False), (LinkState.UP, 4, True)],
)
def test_at_chouchou(link: LinkState, players: int, pairs: bool) -> None:
    options: dict[str, object] = {"target": 1, "players": players, "pairs": pairs}
    assert not dead_ends(state_search.table("chouchou", link=link, options=options))


@pytest.mark.parametrize(("variant", "read"), [("88", False), ("original-32", True), ("handicap-1", True)])
def test_on_another_board(variant: str, read: bool) -> None:
    """VAR-01, VAR-04, VAR-07, VAR-08, OTH-HC: from the set-up, with free play."""
    nodes = state_search.reachable(state_search.table("m43", options={"variant": variant}, read=read))
    assert not state_search.without_way_out(nodes) and Phase.FREE in phases(nodes)


@pytest.mark.parametrize("variant", ["nip-octagon", "handicap-2"])
def test_at_the_end_of_a_game_on_another_board(variant: str) -> None:
    start = state_search.table("m43", options={"variant": variant}, read=True)
    nodes = state_search.reachable(state_search.nearly_over(start, 2))
    assert not state_search.without_way_out(nodes)
    assert Phase.CHECK in phases(nodes)


@pytest.mark.parametrize(
    ("options", "read"),
    [
        ({"flag_outcome": "choice", "control": "byo-yomi", "period_s": 5, "periods": 2}, False),
        ({"flag_outcome": "choice", "who_may_call": "clock", "free_play_floor": False}, False),
        ({"both_flags": "play-out", "play_out": "arbiter", "countdown_from_s": 20}, True),
        ({"late_never_came": "choice", "late_clock": "arbiter", "claimant_needs_time": False}, False),
        ({"turned_win": "arbiter", "last_move_flag": "press", "checking_flag_counts": True}, False),
    ],
)
def test_under_other_rule_options(options: dict[str, object], read: bool) -> None:
    assert not dead_ends(state_search.table("m43", options=options, read=read))


def test_the_search_reaches_every_other_phase() -> None:
    """The head accepts the card later; the last move's check is above."""
    nodes, read = found("m43"), found("m43", read=True)
    assert phases(nodes) | phases(read) == set(Phase) - {Phase.CHECK, Phase.SUBMITTED}
    matches = [node.state.match for node in nodes.values() if node.state.match is not None]
    assert any(match.phase is Phase.FREE and match.free_stopped for match in matches)
