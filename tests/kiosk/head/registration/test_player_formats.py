"""Tests that all data written about players keep their bytes: files, lists, public data, the federation's rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sqlalchemy.schema import CreateTable

from engine.tournament.event_model import Event
from kiosk.head.event.act_types import event_of
from kiosk.head.event.tournament_state_from_events import fold
from kiosk.head.federation.database import database_schema as db
from kiosk.head.federation.database.row_builder import rows_of
from kiosk.head.federation.omitted_and_anonymised_fields import AnonymisedPersons, digest_of, reduced_entry
from kiosk.head.federation.push_protocol import EventRow
from kiosk.head.publish.lists_for_national_federation import sheet_of
from kiosk.head.publish.published_event import PublishedDivision, book_of
from kiosk.head.registration.rating_and_member_lookup import PlayerList
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.records.event_file import from_dict, to_dict
from kiosk.records.event_file_formats_and_csv import read_csv, write_csv

GOLDEN = Path(__file__).with_name("player_formats.json")
PLAYERS: list[dict[str, Any]] = [
    {
        "id": "p1", "name": "青木 みどり", "grade": "3d", "birth_year": 1980, "sex": "F", "country": "JPN",
        "club": "東京", "rating": 1500, "seed": 1, "lot": 2, "number": 7, "national": "007", "wof": 5301,
        "kana": "あおき みどり", "latin": "AOKI Midori", "remark": "車椅子", "fee": 3000,
    },
    {
        "id": "p2", "name": "Beatrix Lund", "grade": "1k", "birth_year": 2015, "sex": "F", "country": "SWE",
        "club": "Lund", "rating": 900, "seed": 2, "lot": 1, "number": "A-2", "national": 12, "wof": "5302",
        "kana": "べあとりくす", "latin": "LUND Beatrix", "remark": "left-handed", "fee": "20 EUR",
    },
    {"id": "p3", "name": "Carl", "absent": True},
    {"id": "p4", "withdrawn_after_round": 1, "birth_year": 1990, "name": "Dana Eriksson", "club": "Lund"},
]  # fmt: skip
FILE: dict[str, Any] = {
    "schema": "othello-event/1", "format": "swiss", "name": "E", "date": "2026-11-27", "options": {"rounds": 3},
    "players": PLAYERS, "rounds": [{"round": 1, "games": [{"table": 1, "black": "p1", "white": "p2", "winner": "black",
                                                           "black_discs": 40, "white_discs": 24}, {"bye": "p4"}]}],
}  # fmt: skip
#: the organiser's settings: names of everybody and of minors, and whether details are published
CHOICES = [
    (everybody, minors, details)
    for everybody, minors in (("full", "full"), ("full", "initials"), ("ids", "full"))
    for details in (False, True)
]


def _trail(everybody: str, minors: str, details: bool) -> list[OperatorEvent]:
    spectators = {"names": {"everybody": everybody, "minors": minors}, "details": details}
    acts = (
        (
            "event-created",
            {"division": "main", "event": {**FILE, "rounds": []}, "table": {"rules": "m43", "main_s": 1200}},
        ),
        ("division-changed", {"division": "main", "spectators": spectators}),
    )
    return [OperatorEvent(at, "2026-11-27T09:00:00Z", kind, body, "", "") for at, (kind, body) in enumerate(acts, 1)]


def _rows(everybody: str, minors: str, details: bool) -> Any:
    division = fold(_trail(everybody, minors, details), ()).divisions["main"]
    made = rows_of(division)
    return {"players": made.players, "file": made.row["file"]}


def _lists(event: Event) -> dict[str, str]:
    book = book_of([PublishedDivision("main", ("部門", "Division"), event)], "E", "2026-11-27")
    return {
        f"{kind}-{lang}": sheet_of(book, kind, lang).csv() for kind in ("entries", "games") for lang in ("en", "ja")
    }


def written(folder: Path) -> dict[str, Any]:
    """Return all that is written about the players above."""
    event = from_dict(FILE)
    known = PlayerList(folder / "known.json")
    known.replace(PLAYERS)
    sent = EventRow(1, "", "", "players-added", {"division": "main", "players": PLAYERS}, "", "")
    parts = ["kana", "latin", "birth_year", "sex", "club", "country", "national", "wof", "rating", "remark", "fee"]
    nobody = AnonymisedPersons(frozenset({digest_of("Beatrix Lund")}))
    created = OperatorEvent(1, "", "event-created", {"division": "main", "event": FILE}, "", "")
    return {
        "json": json.dumps(to_dict(event), ensure_ascii=False),
        "csv": write_csv(to_dict(event)),
        "csv read": json.dumps(read_csv(write_csv(to_dict(event))), ensure_ascii=False),
        "known": (folder / "known.json").read_text(encoding="utf-8"),
        "lists": _lists(event_of(FILE)),
        "rows": {
            f"{everybody} {minors} {details}": _rows(everybody, minors, details)
            for everybody, minors, details in CHOICES
        },
        "reduced": {part: json.dumps(reduced_entry(sent, [part]).body, ensure_ascii=False) for part in parts},
        "anonymised": json.dumps([one.body for one in nobody.entries([created])], ensure_ascii=False),
        "tables": {table.name: str(CreateTable(table)) for table in (db.players, db.persons)},
        "comments": {
            f"{table.name}.{one.name}": one.comment for table in (db.players, db.persons) for one in table.columns
        },
        "views": {view.name: view.sql for view in db.VIEWS},
        "views now": db.VIEWS_NOW,
    }


def test_data_written_about_players_stay_byte_for_byte(tmp_path: Path) -> None:
    """Programs, stores and federations read these formats."""
    assert written(tmp_path) == json.loads(GOLDEN.read_text(encoding="utf-8"))
