"""Tests of drafts with their costs, of a player's explanations, and of the effects of a corrected result."""

from __future__ import annotations

from dataclasses import replace

import pytest
from events.recorded_events import recorded_event

from engine.tournament.event_edits import enter_result
from engine.tournament.event_model import Winner, round_of
from kiosk.head.event.pairings_standings_and_correction_impact import (
    correction_impact,
    draft_of,
    draft_review,
    player_explanation,
    swap_draft_players,
)
from kiosk.records.event_file import from_dict

EVENT = from_dict(recorded_event("swiss", players=6, rounds=2))


def test_a_draft_by_hand_is_reviewed_with_its_cost_against_the_optimum() -> None:
    draft = draft_of(EVENT)
    (first, second, _) = draft.games
    swapped = swap_draft_players(draft, first.players[0], second.players[0])
    manual = draft_of(EVENT, swapped)
    assert (draft.round, draft.by_hand, draft.cost["repetition"]) == (3, False, 0)
    assert (manual.round, manual.by_hand, manual.digest != draft.digest) == (3, True, True)
    assert [game.players for game in manual.games] == [game.players for game in swapped]
    assert draft_of(EVENT, draft.games) == draft  # a swap that was reverted is none
    review, computed = draft_review(EVENT, manual, True), draft_review(EVENT, draft, False)
    assert isinstance(review.played, int) and isinstance(review.optimum, int) and review.played > review.optimum
    assert [pair for pair, _ in review.dropped] == [first.players, second.players]
    assert (computed.played, computed.optimum, computed.dropped) == (None, None, ())
    assert [one.players for one in computed.reasons] == [game.players for game in draft.games]


@pytest.mark.parametrize(
    ("player", "other", "compared"),
    [("p1", None, ("p4", "p1")), ("p1", "p2", ("p2", "p1")), ("p1", "p1", None), ("p1", "p9", None)],
)
def test_a_player_sees_why_he_met_his_opponent_and_who_is_above_him(
    player: str, other: str | None, compared: tuple[str, str] | None
) -> None:
    shown = player_explanation(EVENT, player, other)
    assert shown.round == 2 and shown.game is not None and set(shown.game.players) == {"p1", "p2"}
    assert (shown.place and shown.place[:2]) == compared
    before = player_explanation(replace(EVENT, rounds=()), player, other)
    assert (before.round, before.game, before.place) == (0, None, None)


def test_a_correction_shows_changed_rows_and_pairs_that_would_be_others() -> None:
    """In round 1, p5 has beaten p2, so they would meet others in round 2."""
    first, second, third = EVENT.rounds[0].games
    won = replace(second, winner=Winner.BLACK, black_discs=40, white_discs=24, transcript=None)
    event = replace(EVENT, rounds=(round_of(1, [first, won, third]), EVENT.rounds[1]))
    impact = correction_impact(event, second, 1)
    rows = {id: (before and before.wins, after and after.wins) for id, before, after in impact.rows}
    assert (rows["p2"], rows["p5"]) == ((2, 1), (1, 2))
    (later,) = impact.rounds
    played = {entry.players for entry in EVENT.rounds[1].entries}
    assert later.round == 2 and later.problem is None
    assert later.gone and set(later.gone) <= played and later.new and not set(later.new) & played
    paired = {frozenset(pair) for pair in (played - set(later.gone)) | set(later.new)}
    assert len(paired) == 3 and frozenset().union(*paired) == {player.id for player in EVENT.players}


def test_a_correction_of_the_last_round_changes_no_later_round() -> None:
    first, last = (round_.games[0] for round_ in EVENT.rounds)
    assert correction_impact(EVENT, last, 2).rows == () == correction_impact(EVENT, last, 2).rounds
    assert correction_impact(EVENT, first, 1).rounds[0].new == ()


def test_a_result_that_the_format_refuses_is_corrected() -> None:
    """Equal discs are a draw (M43-1). A stored win with equal discs has no standings before its correction; while
    another one is left, there are none after it."""
    event = from_dict(recorded_event("adjacent", players=6, rounds=2))
    first, second, _ = event.rounds[0].games
    refused, left = (replace(one, winner=Winner.BLACK, black_discs=32, white_discs=32) for one in (first, second))
    impact = correction_impact(event, refused, 1)
    assert {id for id, _, _ in impact.rows} == {player.id for player in event.players} and impact.problem is None
    assert {before for _, before, _ in impact.rows} == {None} and len(impact.rounds) == 1
    blocked = correction_impact(enter_result(event, 1, left), refused, 1)
    assert (blocked.rows, bool(blocked.problem), len(blocked.rounds)) == ((), True, 1)
