"""Tests of season rankings: points from a rules file, best results, qualification, shared places."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from kiosk.errors import InputError
from kiosk.head.backup.restore import restore
from kiosk.head.backup.signed_backup_creation import back_up
from kiosk.head.federation.database.season_rankings import (
    PersonResult,
    SeasonRow,
    SeasonRules,
    load_seasons,
    ranking_of,
)
from kiosk.head.head_config import HeadConfig, load_config
from kiosk.head.store import Store
from kiosk.link.table_keys import save_keys

PAGE = Path(__file__).parents[4] / "docs/reference/federation-database.md"


def rules(folder: Path, text: str) -> SeasonRules:
    file = folder / "seasons.toml"
    file.write_text(
        f'[[ranking]]\nkey = "s"\ntitle_ja = "王座"\ntitle_en = "Oza"\nfrom = 2031-01-01\nto = 2031-12-31\n{text}',
        encoding="utf-8",
    )
    (found,) = load_seasons(file)
    return found


def reached(
    person: int, rank: int, wins: float = 0.0, entrants: int = 20, granted: str = "", month: int = 1
) -> PersonResult:
    return PersonResult(person, f"P{person}", rank, wins, entrants, frozenset(granted.split()), date(2031, month, 1))


def main_columns(lines: list[SeasonRow]) -> list[tuple[int, int, str, bool]]:
    return [(line.rank, line.person, line.points, line.qualified) for line in lines]


def test_places_and_wins_give_points_and_the_best_results_count(tmp_path: Path) -> None:
    one = rules(tmp_path, "best = 2\nplayers = 1\n[ranking.points]\nplace = [10, 6]\nwin = 1\n")
    first = reached(1, 1, 5.5), reached(1, 3, 4), reached(1, 2, 1, month=3)
    found = ranking_of(one, [*first, reached(2, 2, 6), reached(2, 1, 4), reached(3, 9)])
    assert main_columns(found) == [(1, 2, "26", True), (2, 1, "22.5", False), (3, 3, "0", False)]
    assert [(line.results, line.entered, line.best_rank) for line in found] == [(2, 2, 1), (2, 3, 1), (1, 1, 9)]


def test_a_shared_last_place_and_a_granted_place_qualify(tmp_path: Path) -> None:
    one = rules(tmp_path, 'players = 1\nqualify = ["oza"]\nentrants = 10\n[ranking.points]\nplace = [10]\n')
    found = ranking_of(one, [reached(1, 1), reached(2, 1), reached(3, 4, granted="oza"), reached(4, 1, entrants=9)])
    assert main_columns(found) == [(1, 1, "10", True), (1, 2, "10", True), (3, 3, "0", True)]


def test_the_example_in_the_documentation_is_valid(tmp_path: Path) -> None:
    text = PAGE.read_text(encoding="utf-8").partition("```toml\n[[ranking]]")[2].partition("```")[0]
    file = tmp_path / "seasons.toml"
    file.write_text("[[ranking]]" + text, encoding="utf-8")
    assert [one.key for one in load_seasons(file)] == ["oza-2031", "meijin-2031"]


@pytest.mark.parametrize("wrong", ["best = -1.5", "from = 1", 'qualify = ["king"]', "[ranking.points]\nplace = [-1]"])
def test_invalid_rules_are_refused_with_the_file_name(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(InputError, match=r"seasons\.toml"):
        rules(tmp_path, wrong)


def test_the_rules_are_in_a_backup(tmp_path: Path) -> None:
    rules(tmp_path, "best = 1\n")
    config = HeadConfig(data=tmp_path / "data", keys=tmp_path / "keys.json", seasons=tmp_path / "seasons.toml")
    save_keys(tmp_path / "keys.json", {})
    Store(tmp_path / "data").close()
    back_up(config, tmp_path / "stick")
    (tmp_path / "seasons.toml").unlink()
    restore(tmp_path / "stick", tmp_path / "spare")
    restored = load_config(tmp_path / "spare/head.toml")
    assert restored.seasons and [one.best for one in load_seasons(restored.seasons)] == [1]
