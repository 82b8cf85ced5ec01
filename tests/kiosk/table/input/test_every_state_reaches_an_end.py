"""Tests that from every state that two players can reach, two buttons alone lead to a signed card or to the arbiter."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from matches import games
from tables import state_search

from engine.match.match_value_types import Phase
from kiosk.table.state import LinkState

RULES = (("m43", "league"), ("m43", "knockout"), ("m40", "league"), ("team", "league"), ("wof", "league"),
         ("casual", "league"))  # fmt: skip


def phases(nodes: Mapping[object, state_search.Node]) -> set[Phase]:
    return {node.state.match.phase for node in nodes.values() if node.state.match is not None}


def dead_ends(start: state_search.Node) -> set[tuple[Phase, Phase | None]]:
    nodes = state_search.without_way_out(state_search.reachable(start))
    return {(node.state.match.phase, node.state.match.resume_phase) for node in nodes if node.state.match is not None}


@pytest.mark.parametrize(("rules", "stage"), RULES)
@pytest.mark.parametrize("read", [False, True])
def test_at_a_table_of_a_hall(rules: str, stage: str, read: bool) -> None:
    """A table of a hall is explored with and without a board source."""
    assert not dead_ends(state_search.table(rules, stage, read=read, designated=stage == "league"))


@pytest.mark.parametrize("rules", ["m43", "team", "wof"])
def test_at_a_table_whose_board_never_answers(rules: str) -> None:
    assert not dead_ends(state_search.table(rules, read=True, answers=False))


@pytest.mark.parametrize("rules", ["m43", "team"])
def test_at_the_end_of_a_game(rules: str) -> None:
    """With few moves left: the last one, its challenge, a pass, play after both flags."""
    nodes = state_search.reachable(state_search.played(state_search.table(rules, read=True), games.FULL[:-6]))
    assert not state_search.without_way_out(nodes)
    assert Phase.CHECK in phases(nodes)


@pytest.mark.parametrize(("rules", "stage"), RULES)
def test_at_a_clock_without_an_arbiter(rules: str, stage: str) -> None:
    """Without an arbiter every path ends at the card."""
    assert not dead_ends(state_search.table(rules, stage, link=LinkState.NONE, designated=stage == "league"))


@pytest.mark.parametrize("link", [LinkState.UP, LinkState.NONE])
@pytest.mark.parametrize(("players", "pairs"), [(2, False), (3, False), (4, False), (4, True)])
def test_at_chouchou(link: LinkState, players: int, pairs: bool) -> None:
    options: dict[str, object] = {"target": 1, "players": players, "pairs": pairs}
    assert not dead_ends(state_search.table("chouchou", link=link, options=options))


@pytest.mark.parametrize(
    ("variant", "read"),
    [("88", False), ("nip-octagon", True), ("original-32", True), ("handicap-1", True), ("handicap-4", False)],
)
def test_on_another_board(variant: str, read: bool) -> None:
    """VAR-01, VAR-04, VAR-07, VAR-08, OTH-HC: from the set-up, with free play."""
    nodes = state_search.reachable(state_search.table("m43", options={"variant": variant}, read=read))
    assert not state_search.without_way_out(nodes) and Phase.FREE in phases(nodes)


@pytest.mark.parametrize(
    ("rules", "variant"), [("m43", "6x6"), ("m43", "nip-octagon"), ("m43", "handicap-2"), ("team", "88")]
)
def test_at_the_end_of_a_game_on_another_board(rules: str, variant: str) -> None:
    start = state_search.table(rules, options={"variant": variant}, read=True)
    nodes = state_search.reachable(state_search.nearly_over(start, 2))
    assert not state_search.without_way_out(nodes)
    assert Phase.CHECK in phases(nodes)


@pytest.mark.parametrize(
    ("options", "read"),
    [
        ({"flag_outcome": "choice", "control": "byo-yomi", "period_s": 5, "periods": 2}, False),
        ({"flag_outcome": "play-on", "overtime_s": 5}, False),
        ({"flag_outcome": "choice", "who_may_call": "clock", "free_play_floor": False}, False),
        ({"both_flags": "play-out", "play_out": "arbiter", "countdown_from_s": 20}, True),
        ({"late_never_came": "choice", "late_clock": "arbiter", "claimant_needs_time": False}, False),
        ({"turned_win": "arbiter", "last_move_flag": "press", "checking_flag_counts": True}, False),
        ({"handicap": 2, "white_s": 20}, False),
        ({"variant": "6x6"}, False),
    ],
)
def test_under_other_rule_options(options: dict[str, object], read: bool) -> None:
    assert not dead_ends(state_search.table("m43", options=options, read=read))


def test_the_search_reaches_every_other_phase() -> None:
    """The head accepts the card later; the last move's check is above."""
    nodes = state_search.reachable(state_search.table("m43"))
    read = state_search.reachable(state_search.table("m43", read=True))
    assert phases(nodes) | phases(read) == set(Phase) - {Phase.CHECK, Phase.SUBMITTED}
    matches = [node.state.match for node in nodes.values() if node.state.match is not None]
    assert any(match.phase is Phase.FREE and match.free_stopped for match in matches)
