"""Tests that namesakes can be distinguished in prints, and that one person in two divisions is recognised."""

from __future__ import annotations

import pytest

from engine.tournament.player_entry_fields import name_key
from kiosk.head.publish.print_sheets import seats_of
from kiosk.head.publish.published_event import PublishedDivision
from kiosk.head.registration import player_list_import
from kiosk.head.registration.player_list_import import ImportedPlayer, ListedDivision
from kiosk.records.event_file import from_dict

SAME = [
    {"id": "p1", "name": "山田 太郎", "club": "緑石会"},
    {"id": "p2", "name": "山田太郎", "club": "市立小"},
    {"id": "p3", "name": "山田\u3000太郎"},
    {"id": "p4", "name": "佐藤 花"},
]


def test_namesakes_are_distinguished_in_drafts_and_prints() -> None:
    games = [{"table": 1, "black": "p1", "white": "p2"}, {"table": 2, "black": "p3", "white": "p4"}]
    event = from_dict(
        {"schema": "othello-event/1", "format": "swiss", "players": SAME, "rounds": [{"round": 1, "games": games}]}
    )
    assert [event.called(f"p{at}") for at in (1, 2, 3, 4)] == [
        "山田 太郎 (緑石会)", "山田太郎 (市立小)", "山田\u3000太郎 (#3)", "佐藤 花",
    ]  # fmt: skip
    division = PublishedDivision("main", ("部門", "Division"), event)
    assert [division.distinct_name(f"p{at}") for at in (1, 2, 3, 4)] == [event.called(f"p{at}") for at in (1, 2, 3, 4)]
    seat = next(seat for seat in seats_of([division]) if seat.id == "p1")
    assert (seat.name, seat.opponent) == ("山田 太郎 (緑石会)", "山田太郎 (市立小)")
    assert division.name("p1") == "山田 太郎"  # certificates and tables of results


def test_each_name_of_a_list_is_compared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of two divisions takes time in proportion to its length, also where it is full of people entered twice."""
    keys: list[str] = []

    def counted(name: str) -> str:
        keys.append(name)
        return name_key(name)

    monkeypatch.setattr(player_list_import, "name_key", counted)
    entered = [ListedDivision(slug, (slug,), ()) for slug in ("open", "kids")]
    asked = {}
    for size in (50, 100):
        keys.clear()
        lines = [ImportedPlayer(line, {"name": f"N{line // 2}"}, ("open", "kids")[line % 2]) for line in range(size)]
        found, problems = player_list_import.match_entries(lines, entered)
        assert len(found) == size and not problems
        assert all(str(one.note).startswith("also entered in") for one in found)
        asked[size] = len(keys)
    assert asked[100] == 2 * asked[50]
