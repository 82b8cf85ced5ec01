"""Tests that the head runs every format: its pages show teams, captured pieces and the ranking keys of each format."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from events.random_events import event_of, team_event
from heads.tournaments import RULES, DeskWorld, one_division, outcome
from heads.world import running_head
from waiting import HANGS_S

from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import event_of as act_event_of
from kiosk.head.event.head_game_and_result_check import check
from kiosk.head.event.pairings_standings_and_correction_impact import standings_of

#: the event of a format, the beginning of the names in its standings, and columns of these
FORMATS = (
    (team_event(4), "Name of t", ("チーム勝数", "個人勝数", "キャプテン", "直前の順位")),
    (event_of("chouchou", 6, rounds=3), "Name of p", ("プラス・マイナス", "最高プラス", "最低マイナス")),
    (event_of("m43-division", 8), "Name of p", ("石差",)),
    (event_of("round-robin", 5), "Name of p", ("石数",)),
    (event_of("knockout", 6), "Name of p", ("勝ち",)),
)


def test_pages_of_each_format(tmp_path: Path) -> None:
    with running_head(tmp_path, 16, None) as (program, url), httpx.Client(base_url=url, timeout=HANGS_S) as web:
        for data, name, columns in FORMATS:
            for entry in (*data["players"], *data.get("teams", ())):
                entry["name"] = f"Name of {entry['id']}"
            world, slug = DeskWorld(program.store, program.desk), data["format"]
            world.desk.divisions.create(act_event_of(data | {"rounds": []}), RULES, slug)
            world.publish(slug)
            free = {game.designated for game in world[slug].current if not game.is_bye}
            assert free == {slug in ("m43-division", "round-robin")}
            shown = {"lang": "ja", "division": slug}
            for page in ("/", "/pairings", "/standings"):
                assert web.get(page, params=shown).status_code == 200
            table = web.get("/standings", params=shown).text
            assert name in table and all(column in table for column in columns)


def test_captured_pieces_are_entered_at_the_desk(tmp_path: Path) -> None:
    """Their total is not fixed at 64, and a draw is refused."""
    with one_division(tmp_path, event_of("chouchou", 2, rounds=1)) as hall:
        hall.publish()
        (game,) = hall["main"].current
        with pytest.raises(HeadError):
            check(game, outcome(game, 9, 9))
        hall.desk.results.enter(game.id, outcome(game, 12, 7))
        row = standings_of(hall["main"].whole()).rows[0]
        assert (row.id, row.keys) == (game.black, (1, 2, 2, 0))


def test_an_assignment_has_the_pairs_and_the_target(tmp_path: Path) -> None:
    """CC-WIN-1, CC-WIN-4, CC-RANK-6: the table asks for every partner's pieces and ends the game at this event's
    target."""
    with one_division(tmp_path, event_of("chouchou", 2, rounds=1, pair_play=True, target=15)) as hall:
        hall.publish()
        (told,) = hall.waiting(1)
        assert told.body["options"] == {"players": 4, "pairs": True, "target": 15}
