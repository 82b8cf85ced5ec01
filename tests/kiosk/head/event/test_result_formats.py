"""Tests that rounds and results are written byte for byte as earlier versions wrote them, and read back equal."""

from __future__ import annotations

import json

import pytest
from heads.world import event

from engine.end_reason import EndReason
from kiosk.head.event.act_reducers import apply
from kiosk.head.event.act_types import ResultEntered, RoundPublished, read, write
from kiosk.head.event.head_game_and_result_check import outcome_of_card
from kiosk.head.event.tournament_state import DivisionState, TableRules
from kiosk.head.store.hash_chain import canonical
from kiosk.link.link_messages import ResultCard
from kiosk.records.event_file import from_dict, to_dict

ROUND = (
    '{"division":"main","games":['
    '{"black":"p1","stage":"league","white":"p2"},'
    '{"black":"p3","designated":false,"stage":"final","white":"p4"},'
    '{"black":"p5","black_discs":32,"end":"not-played","league":"A","rated":false,"stage":"placement",'
    '"white":"p6","white_discs":32,"winner":"draw"},'
    '{"black":"p7","black_discs":0,"end":"forfeit","rated":false,"stage":"league","white":"p8","white_discs":0,'
    '"winner":"neither"},'
    '{"black":"p9","stage":"league","table":3,"transcript":"F5D6","white":"p10","winner":"black"},'
    '{"bye":"p11","stage":"league"}],"round":2}'
)
RESULT = (
    '{"black":"p1","black_discs":null,"division":"main","end":"normal","game":"g","rated":true,"reason":"",'
    '"transcript":"","white":"p2","white_discs":null,"winner":"black"}'
)
FILE_ROUND = (
    '{"round": 1, "games": [{"table": 4, "black": "p1", "white": "p2", "black_discs": 40, "white_discs": 24, '
    '"winner": "black", "end": "time", "rated": false, "stage": "league", "transcript": "F5"}, '
    '{"black": "p3", "white": "p4", "black_discs": 0, "white_discs": 0, "end": "forfeit", "rated": false, '
    '"stage": "league"}, {"bye": "p5", "stage": "league"}]}'
)


def test_a_published_round_keeps_its_bytes() -> None:
    act = read("round-published", json.loads(ROUND))
    kind, body = write(act)
    assert (kind, canonical(body)) == ("round-published", ROUND)
    assert read(kind, body) == act


def test_a_result_that_a_pairing_has_is_the_game_s() -> None:
    """M43F-06: a draw that is not played; a double forfeit; a bye."""
    act = read("round-published", json.loads(ROUND) | {"round": 1})
    assert isinstance(act, RoundPublished)
    division = DivisionState("main", from_dict(event(11, "adjacent")), "e", TableRules("m43", 1200))
    games = apply(division, act).current
    assert [game.is_open for game in games] == [True, True, False, False, False, False]
    assert [game.source for game in games] == ["", "", "pairing", "pairing", "pairing", "pairing"]
    ends = [(game.outcome.end, game.outcome.rated) for game in games if game.outcome]
    assert ends == [(EndReason.NOT_PLAYED, False), (EndReason.FORFEIT, False), (EndReason.NORMAL, True)]


def test_unknown_fields_of_a_published_line_are_ignored() -> None:
    act = read("round-published", {"round": 1, "games": [{"bye": "p1", "of a later version": 1}]})
    assert isinstance(act, RoundPublished) and act.games[0].bye == "p1"


def test_a_result_keeps_its_bytes() -> None:
    kind, body = write(read("result-entered", json.loads(RESULT)))
    assert (kind, canonical(body)) == ("result-entered", RESULT)


def test_a_result_without_more_is_a_rated_game() -> None:
    act = read("result-entered", {"game": "g", "black": "p1", "white": "p2", "winner": "black"})
    assert isinstance(act, ResultEntered) and act.outcome.rated and act.outcome.end is EndReason.NORMAL


@pytest.mark.parametrize(("transcript", "kept"), [("F5D6", "F5D6"), ("", None)])
def test_a_card_keeps_its_transcript(transcript: str, kept: str | None) -> None:
    card = ResultCard("g", "black", "p1", "p2", 40, 24, "normal", rated=True, transcript=transcript)
    assert outcome_of_card(card).transcript == kept


def test_a_round_of_an_event_file_keeps_its_bytes() -> None:
    file = event(5, "adjacent") | {"rounds": [json.loads(FILE_ROUND)]}
    assert json.dumps(to_dict(from_dict(file))["rounds"], ensure_ascii=False) == f"[{FILE_ROUND}]"
