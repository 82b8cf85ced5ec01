"""Descriptions of formats: each is in the format's own module, and docs/ names all its options."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from engine.tournament.event_model import Stage
from engine.tournament.format_spec_and_options import COMMON
from engine.tournament.formats import FORMATS

ROOT = Path(__file__).parents[3]


def test_the_formats_are_those_of_the_contract():
    assert set(FORMATS) == {
        "m43-open", "m43-division", "m40-open", "m40-33-64", "m40-17-32", "m40-13-16", "m40-9-12", "m40-elementary",
        "team", "chouchou", "swiss", "round-robin", "knockout", "adjacent", "othello-pool",
    }  # fmt: skip
    for name, format_ in FORMATS.items():
        assert format_.facts.name == name and {kind.format for kind in format_.facts.kinds} == {name}


@pytest.mark.parametrize("name", [name for name in FORMATS if name.startswith("m40-") and name[4].isdecimal()])
def test_the_name_of_a_format_is_in_its_own_module(name: str):
    named = {
        path
        for top in ("engine", "kiosk")
        for path in (ROOT / top).rglob("*.py")
        if re.search(rf'"{name}"', path.read_text(encoding="utf-8"))
    }
    assert named == {Path(inspect.getfile(type(FORMATS[name])))}


@pytest.mark.parametrize("name", FORMATS)
def test_every_option_of_a_format_is_documented(name: str):
    pages = (ROOT / "docs/reference" / name for name in ("formats.md", "event-file.md"))
    page = "".join(path.read_text(encoding="utf-8") for path in pages)
    facts = FORMATS[name].facts
    assert f"| `{name}` |" in page
    for reading in (*facts.choices, *facts.readings):
        assert f"`{reading.name}`" in page, reading.name


@pytest.mark.parametrize("name", FORMATS)
def test_every_option_at_the_desk_has_a_label_in_both_languages(name: str):
    facts = FORMATS[name].facts
    for reading in facts.choices:
        assert reading.label is not None and reading.label.template and str(reading.label)
        assert len(getattr(reading, "words", ())) in (0, len(getattr(reading, "values", ())) or 2)
    assert set(COMMON) <= set(facts.readings)


def test_colours_are_designated_or_settled_by_the_players():
    for format_ in FORMATS.values():
        assert format_.facts.designates(Stage.LEAGUE) != format_.facts.settled_by_players
        assert not format_.facts.designates(Stage.FINAL)
