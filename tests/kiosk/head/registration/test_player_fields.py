"""Tests that a field of a player is declared once, and all uses follow the declaration."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[4]
#: modules that may decide what is published: the declaration, its only reader, and the setting with its form
PUBLIC = {
    "engine/tournament/player_entry_fields.py",
    "kiosk/head/event/publication_redaction_and_latin_names.py",
    "kiosk/head/event/spectator_visibility.py",
    "kiosk/head/pages/publishing/__init__.py",
}
#: module that knows the field which CONTRIBUTING.md adds
CHILD = """
import json, pathlib, sys
import msgspec
from engine.tournament.player_entry_fields import FORM
from kiosk.head.head_config import LeaveOut
from kiosk.head.event.publication_redaction_and_latin_names import redact_event
from kiosk.head.event.spectator_visibility import NamePolicy, NameStyle, VisibilityRules
from kiosk.head.federation.omitted_and_anonymised_fields import AnonymisedPersons, digest_of, reduced_game
from kiosk.head.publish.published_event import PublishedDivision, book_of
from kiosk.head.publish.lists_for_national_federation import sheet_of
from kiosk.head.registration.player_list_import import parse_list
from kiosk.head.registration.rating_and_member_lookup import PlayerList
from kiosk.records.event_file_formats_and_csv import read_csv, write_csv
from kiosk.records.event_file import entry_of, from_dict, to_dict

(entry,) = parse_list("氏名,クラブのロゴ\\nBea,lund.png\\n").entries
known = PlayerList(pathlib.Path("known.json"))
known.replace([entry.player])
player = {"id": "p1", **entry.player}
file = {"schema": "othello-event/1", "format": "swiss", "date": "2026-11-27", "players": [player], "rounds": []}
event = from_dict(file)
book = book_of([PublishedDivision("main", ("部門", "Division"), event)], "E", "2026-11-27")
def public(minors):
    rules = VisibilityRules(naming=NamePolicy(NameStyle.FULL, minors))
    return redact_event(event, rules, over=False).players[0].club_logo
print(json.dumps({
    "import": entry.player, "entered": entry_of(entry.player).club_logo, "known": known.find("Bea"),
    "form": "club_logo" in FORM, "event file": to_dict(event)["players"],
    "csv": read_csv(write_csv(to_dict(event)))["players"],
    "entries": sheet_of(book, "entries", "en").csv(), "named": public(NameStyle.FULL), "hidden": public(NameStyle.IDS),
    "left out": msgspec.convert("club_logo", LeaveOut), "sent": reduced_game({"players": [player]}, ["club_logo"]),
    "anonymised": AnonymisedPersons(frozenset({digest_of("Bea")})).body({"players": [player]}),
}))
"""


@pytest.mark.slow
def test_the_field_of_the_worked_example_is_known_everywhere(tmp_path: Path) -> None:
    """The declaration that CONTRIBUTING.md shows is sufficient for import, forms, files, exports and privacy."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (declared,) = re.findall(r"```python\n( +club_logo: .*?)```", text, re.DOTALL)
    shutil.copytree(ROOT / "engine", tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "kiosk").symlink_to(ROOT / "kiosk")
    file = tmp_path / "engine" / "tournament" / "player_entry_fields.py"
    source = file.read_text(encoding="utf-8")
    assert source.count("    # fmt: on\n") == 1
    file.write_text(source.replace("    # fmt: on\n", f"{declared}    # fmt: on\n"), encoding="utf-8")
    run = subprocess.run([sys.executable, "-c", CHILD], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    found: dict[str, Any] = json.loads(run.stdout)
    logo = {"name": "Bea", "club_logo": "lund.png"}
    assert found["import"] == logo and found["entered"] == "lund.png" and found["known"] == [logo] and found["form"]
    assert found["event file"] == found["csv"] == [{"id": "p1", **logo}]
    assert "Club logo" in found["entries"] and "lund.png" in found["entries"]
    assert (found["named"], found["hidden"], found["left out"]) == ("lund.png", None, "club_logo")
    for kind in ("sent", "anonymised"):
        assert "lund.png" not in json.dumps(found[kind]), kind


#: names of what decides whether a field is published
DECLARED = {"PublicWhen", "NamePolicy", "NameStyle", "is_minor"}


def test_published_fields_are_decided_in_one_place() -> None:
    """Pages, files, streams, archives and the federation call it; none reads a policy or a declaration itself."""
    deciding = set()
    for package in ("engine", "hardware", "kiosk"):
        for path in (ROOT / package).rglob("*.py"):
            source = path.read_text(encoding="utf-8")
            if not any(name in source for name in DECLARED):
                continue
            tree = ast.parse(source)
            names = {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}
            names |= {one.attr for one in ast.walk(tree) if isinstance(one, ast.Attribute)}
            if names & DECLARED:
                deciding.add(path.relative_to(ROOT).as_posix())
    assert deciding == PUBLIC
