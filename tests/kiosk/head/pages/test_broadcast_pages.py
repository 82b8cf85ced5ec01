"""Tests of the broadcast over HTTP: slots that the desk assigns to tables, the document, records and stream of a
game."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from heads.staff import first_chief, token
from heads.world import PlayedTable, running_head
from waiting import HANGS_S, until

from engine.board.ggf import read_ggf
from engine.board.pgn import read_pgn
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.spectator_visibility import Boards, NamePolicy, NameStyle, VisibilityRules
from kiosk.head.program import HeadApplication
from kiosk.head.tables.live_game_json_and_document_cache import Broadcast, board_changes

Hall = tuple[HeadApplication, httpx.Client, httpx.Client, list[PlayedTable]]


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    """Games in play at tables 1 and 2; the desk's browser and a spectator's."""
    with running_head(tmp_path, auto=True) as (program, url):
        until(lambda: any(game.table for game in program.desk.state.current))
        tables = [PlayedTable(number, program.devices.collection) for number in (1, 2)]
        for table in tables:
            table.execute_commands()
        tables[0].play(9, 7.3)
        with httpx.Client(base_url=url, timeout=60) as desk, httpx.Client(base_url=url, timeout=HANGS_S) as spectator:
            first_chief(desk, program.access.setup_code)
            yield program, desk, spectator, tables


def game(web: httpx.Client, name: str = "1") -> dict[str, Any]:
    found: dict[str, Any] = web.get(f"/live/{name}.json").raise_for_status().json()
    return found


def test_a_document_has_the_state_of_the_table(hall: Hall) -> None:
    """Board, clocks, moves with their times and flips, and the opening are in the document."""
    _, _, spectator, (table, _) = hall
    until(lambda: len(game(spectator)["moves"]) == 9)
    told, match = game(spectator), table.match
    assert told["board"] == match.board and told["state"] == "playing"
    assert [line["move"] for line in told["moves"]] == list(match.moves)
    assert {line["ms"] for line in told["moves"]} == {7300}
    assert [side["left_ms"] for side in told["sides"]] == [
        match.remaining_ns(color, table.at_ns) // 1_000_000 for color in (match.first, match.first.opponent)
    ]
    assert [side["running"] for side in told["sides"]].count(True) == 1
    assert [side["discs"] for side in told["sides"]] == [match.board.count("X"), match.board.count("O")]
    assert told["opening"]["ja"] and told["opening"]["en"]
    board = told["start"]
    for line, turn in zip(told["moves"], match.turns, strict=True):
        assert line["changes"] == board_changes(board, turn.after)
        board = turn.after
    assert (
        board_changes("-" * 64, "X" + "-" * 63) == "Xa1" and board_changes("XO" + "-" * 62, "OX" + "-" * 62) == "Oa1Xb1"
    )


def test_a_slot_keeps_its_address_when_its_table_changes(hall: Hall) -> None:
    program, desk, spectator, _ = hall
    assert spectator.get("/live/final.json").status_code == 404 and spectator.get("/live/final").status_code == 200
    for number in (1, 2):
        form = {"csrf": token(desk), "slot": "final", "table": str(number)}
        assert desk.post("/overlays", data=form).status_code == 303
        assert game(spectator, "final")["table"] == number
    acts = [event for event in program.store.operator_events() if event.kind == "slot-set"]
    assert [(event.person, event.body["table"]) for event in acts] == [("審判長 Chief", 1), ("審判長 Chief", 2)]
    assert "final" in desk.get("/audit").text
    assert desk.post("/overlays", data={"csrf": token(desk), "slot": "final", "table": ""}).status_code == 303
    assert spectator.get("/live/final.json").status_code == 404 and not program.desk.state.slots


def test_slots_need_permission_and_a_valid_name(hall: Hall) -> None:
    program, desk, spectator, _ = hall
    assert spectator.post("/overlays", data={"slot": "final", "table": "1"}).status_code in (303, 403)
    assert spectator.get("/overlays").status_code == 303
    for slot in ("", "7", "Final", "a/b", "x" * 32):
        assert desk.post("/overlays", data={"csrf": token(desk), "slot": slot, "table": "1"}).status_code == 400
    assert not program.desk.state.slots


def test_a_stream_has_changes_of_its_table_only(hall: Hall) -> None:
    program, _, spectator, tables = hall
    with spectator.stream("GET", "/stream/live/1") as stream:
        lines = (json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        assert [one["table"] for one in next(lines)["games"]] == [1]
        tables[1].play(2)
        tables[0].play(1)
        said = next(one for one in lines if one["games"])
        while len(said["games"][0]["moves"]) < 10:
            said = next(one for one in lines if one["games"])
        assert [one["table"] for one in said["games"]] == said["tables"] == [1]
    with spectator.stream("GET", "/stream/live") as stream:
        first = next(json.loads(line[6:]) for line in stream.iter_lines() if line.startswith("data: "))
        assert {1, 2} <= set(first["tables"])
    until(lambda: not program.outbound.stages._watchers)


def test_ggf_and_pgn_while_games_run(hall: Hall) -> None:
    """The records have the moves so far, delayed as the board is."""
    program, _, spectator, (table, _) = hall
    until(lambda: len(game(spectator)["moves"]) == 9)
    moves = tuple(turn.move for turn in table.match.turns)
    (ggf,) = read_ggf(spectator.get("/live/1.ggf").text)
    (pgn,) = read_pgn(spectator.get("/live.pgn").text)
    assert (
        (ggf.moves, pgn.moves) == (moves, moves)
        and pgn.tag("Result") == "*"
        and "青木" in ggf.tag("PB") + ggf.tag("PW")
    )
    program.desk.divisions.change(DivisionChanged("main", spectators=VisibilityRules(Boards.DELAYED, 4)))
    until(lambda: len(game(spectator)["moves"]) == 5)
    assert next(read_pgn(spectator.get("/live/1.pgn").text)).moves == moves[:5]
    assert spectator.get("/live/99.pgn").status_code == 404


def test_a_document_has_the_published_names(hall: Hall) -> None:
    program, _, _, _ = hall
    hidden = VisibilityRules(naming=NamePolicy(NameStyle.IDS, NameStyle.IDS))
    program.desk.divisions.change(DivisionChanged("main", spectators=hidden))
    for side in Broadcast(program.desk, program.live).documents()[1].document.sides:
        assert side.name == side.id


def test_a_finished_game_stays_with_its_result(hall: Hall) -> None:
    _, _, spectator, (table, _) = hall
    table.finish()
    until(lambda: game(spectator)["state"] == "over")
    told = game(spectator)
    assert told["score"] == [table.match.result.black_discs, table.match.result.white_discs]
    assert len(told["moves"]) == len(table.match.turns) and told["board"] == table.match.board
