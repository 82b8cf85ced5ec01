"""Tests that the known answers in the checkout are what the script makes from named sources, without names of
persons."""

from __future__ import annotations

import re
import runpy

from known_answers import DATA, known_text

from kiosk.records.elo_result_file_reader import read_elo

MAKE = runpy.run_path(str(DATA / "make.py"))


def test_the_files_equal_the_output_of_the_script():
    """If the sources are beside the checkout; in any case each file is listed in the README with its source."""
    here = {str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file()} - {"make.py", "README.md"}
    here = {name for name in here if "__pycache__" not in name}
    readme = known_text("README.md")
    assert [name for name in sorted(here) if f"`{name}`" not in readme] == []
    if MAKE["SOURCES"].exists():
        made = MAKE["made"](MAKE["SOURCES"])
        assert here == set(made)
        assert [name for name, data in made.items() if (DATA / name).read_bytes() != data] == []


def test_persons_are_numbers():
    for path in DATA.glob("events/*.ELO"):
        text = path.read_text(encoding="utf-8")
        for player in read_elo(text)["players"]:  # type: ignore[attr-defined]
            assert re.fullmatch(rf"(VAN )*PLAYER Nr{player['id']}( X\.)*", player["name"]), path.name
        assert "Sender" not in text
    for path in DATA.glob("events/*.json"):
        words = set(re.findall(r"[A-Za-z]{4,}", path.read_text(encoding="utf-8")))
        assert words <= {"lots", "byes", "round", "pools", "name", "wins", "keys", "class", "cost", "worst", "first",
                         "ranked", "final", "leagues", "moved", "placement", "players", "rounds", "black", "white",
                         "discs", "winner", "draw", "unbeaten", "published"}, path.name  # fmt: skip


def test_a_new_line_of_a_source_stops_the_script():
    """A new line may contain a person's name."""
    for line in ("%%Arbiter: Somebody", "% played at Somebody's", " 101 (33)>(31) 102 B Somebody"):
        try:
            MAKE["elo"](line)
        except ValueError as error:
            assert line in str(error)
        else:
            raise AssertionError(line)
