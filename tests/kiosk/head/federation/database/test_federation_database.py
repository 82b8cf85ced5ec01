"""Tests of the federation's database: the same events as at the venues, in whatever order rows arrive, in SQLite and
in PostgreSQL."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from heads.federation_in_process import Federated, day, federated
from heads.postgres import running_server
from heads.venue_pushes import KEY, STORY, posted, push_of, rows_of, served_federation
from sqlalchemy import inspect, text
from sqlalchemy.event import listen
from sqlalchemy.exc import SQLAlchemyError
from waiting import HANGS_S, until

from kiosk.cli import app
from kiosk.head.errors import StoreError
from kiosk.head.federation import live_venue_state_and_sender_checks as venue_module
from kiosk.head.federation.database import background_update as update_module
from kiosk.head.federation.database import database_schema as db
from kiosk.head.federation.database.background_update import empty
from kiosk.head.federation.database.connection_and_tables import open_database, set_setting, setting
from kiosk.head.federation.database.season_rankings import Points, SeasonRules
from kiosk.head.federation.push_receiver_and_venue_quarantine import QuarantineDecision
from kiosk.head.federation.venue_keys import save_venues

on_both_databases = pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def url(request: pytest.FixtureRequest) -> str:
    """Return the address of the store's database; empty: SQLite, for tests of what no database decides."""
    found: str = request.getfixturevalue("postgres").new() if getattr(request, "param", "") == "postgresql" else ""
    return found


@pytest.fixture
def head(tmp_path: Path, url: str) -> Iterator[Federated]:
    with federated(tmp_path / "federation", url) as made:
        yield made


def contents(head: Federated) -> dict[str, list[tuple[Any, ...]]]:
    """Return every view without the ids, which differ after a rebuild."""
    found = {}
    for view in db.VIEWS:
        names = ", ".join(name for name in view.columns if not name.endswith("_id"))
        found[view.name] = sorted(head.ask(f"SELECT {names} FROM {view.name}"), key=repr)
    return found


@on_both_databases
def test_a_venues_day_is_in_the_views(head: Federated) -> None:
    """A round of sixteen players is there: every game with its score, one with its moves and times, the standings."""
    one = day()
    head.ends.push("osaka", one.events, one.records)
    head.follow()
    assert head.ask("SELECT venue, trail, year, name FROM event") == [
        ("osaka", "trail", 2031, "春のオセロ大会 Spring Open")
    ]
    assert str(head.ask("SELECT day FROM event")[0][0]) == str(date(2031, 4, 5))
    assert head.ask("SELECT division, format, entrants, rounds, is_over FROM division") == [
        ("main", "m43-open", 16, 1, False)
    ]
    games = head.ask(
        "SELECT number, black, black_discs, white_discs, white, winner, table_no FROM game ORDER BY number"
    )
    assert len(games) == 8 and all(winner for *_, winner, _ in games)
    scores = {table: discs for _, _, discs, _, _, _, table in games}
    assert {table: scores[table] for table in range(2, 9)} == {table: 24 + 2 * table for table in range(2, 9)}
    moves = head.ask("SELECT ply, square, ms FROM move ORDER BY ply")
    assert len(moves) >= 58 and [ply for ply, _, _ in moves] == list(range(1, len(moves) + 1))
    assert all(ms == 7000 for _, _, ms in moves)
    assert head.ask("SELECT count(*) FROM standing") == [(16,)]
    assert head.ask("SELECT name, wins FROM standing WHERE rank = 1")[0][1] == 1.0


@on_both_databases
def test_the_database_is_the_same_for_any_order_of_rows(head: Federated, tmp_path: Path) -> None:
    """The rows are pushed at once, in three parts with the cards before the seats of their games, and rebuilt by the
    command."""
    one = day(rounds=2)
    middle = len(one.events) // 2
    for events, records in (
        (one.events[:middle], [row for row in one.records if row.table < 3]),
        ((), [row for row in one.records if row.table >= 3]),
        (one.events[middle:], ()),
    ):
        head.ends.push("osaka", events, records)
        head.follow()
    head.ends.push("sapporo", one.events, one.records)
    head.follow()
    made = contents(head)
    assert len(made["event"]) == 2 and len(made["game"]) == 32
    by_venue = {name: [row[1:] for row in made["game"] if row[0] == name] for name in ("osaka", "sapporo")}
    assert by_venue["osaka"] == by_venue["sapporo"]
    empty(head.projection.engine)
    assert contents(head)["game"] == []
    assert head.projection.catch_up()
    assert contents(head) == made


def test_records_wait_for_the_entries_they_refer_to_also_over_a_crash(tmp_path: Path) -> None:
    one = day()
    with federated(tmp_path / "federation") as head:
        head.ends.push("osaka", (), one.records[:1])
        head.follow()
        assert head.ask("SELECT * FROM event") == []
        head.ends.push("osaka", one.events, ())
        head.follow()
        head.ends.push("osaka", (), one.records[1:])  # the head is killed here
        assert head.ask("SELECT count(*) FROM game WHERE winner IS NULL") == [(8,)]
    with federated(tmp_path / "federation") as head:
        assert head.projection.catch_up()
        assert head.ask("SELECT count(*) FROM game WHERE winner IS NULL") == [(0,)]


def test_processing_the_same_rows_again_writes_nothing(head: Federated) -> None:
    one = day()
    head.ends.push("osaka", one.events, one.records)
    head.follow()
    before = {table.name: head.ask(f"SELECT * FROM {table.name}") for table in db.metadata.sorted_tables}
    head.ends.push("osaka", one.events, one.records)
    head.follow()
    assert {name: sorted(head.ask(f"SELECT * FROM {name}"), key=repr) for name in before} == {
        name: sorted(rows, key=repr) for name, rows in before.items()
    }


@on_both_databases
def test_a_season_is_available_while_events_are_processed(head: Federated) -> None:
    """While the head processes all events, a request gets the season computed before, without waiting."""
    one, projection = day(rounds=0, numbered=True), head.projection
    head.ends.push("osaka", one.events, one.records)
    head.follow()
    rules = SeasonRules("s", "年間", "Year", date(2031, 1, 1), date(2031, 12, 31), points=Points(win=1))
    projection.rankings = (rules,)
    looks, goes_on = threading.Event(), threading.Event()
    asked: list[str] = []

    def wait_in_lookup(name: str) -> None:
        looks.set()
        goes_on.wait()

    projection._venue_of = wait_in_lookup
    projection.start()
    try:
        assert looks.wait(HANGS_S)
        listen(projection.engine, "before_cursor_execute", lambda _c, _r, statement, *_: asked.append(statement))
        assert len(projection.season(rules).lines) == 14
        assert asked == []
    finally:
        goes_on.set()


def test_standings_are_computed_at_the_start(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = day()
    with federated(tmp_path / "federation", url) as head:
        head.ends.push("osaka", one.events, one.records)
    with federated(tmp_path / "federation", url) as head:
        monkeypatch.setattr(venue_module, "explained_standings", lambda event: pytest.fail("made now"))
        osaka = head.ends.collector.venue("osaka")
        assert osaka is not None and osaka.last_ranking("main") is not None


def test_data_that_a_division_hides_are_not_in_the_database(head: Federated) -> None:
    """With boards hidden, no transcript and no move until the division is over; with ids for names, no name and no
    number."""
    one = day(hidden=True)
    head.ends.push("osaka", one.events, one.records)
    head.follow()
    assert head.ask("SELECT count(*) FROM move") == [(0,)]
    assert head.ask("SELECT count(*) FROM game WHERE transcript IS NOT NULL") == [(0,)]
    assert {name for (name,) in head.ask("SELECT name FROM player")} == {f"p{number}" for number in range(1, 17)}
    everything = repr([head.ask(f"SELECT * FROM {table.name}") for table in db.metadata.sorted_tables])
    assert "青木" not in everything and "Beatrix" not in everything


def test_two_trails_of_a_restored_head_are_one_event(head: Federated) -> None:
    """The event has the content of the trail in use."""
    one = day()
    head.ends.push("osaka", one.events[:-3], one.records, trail="first-0")
    head.follow()
    head.ends.push("osaka", one.events, (), trail="second-5")
    head.follow()
    assert head.ask("SELECT trail FROM event") == [("second-5",)]
    assert head.ask("SELECT count(*) FROM game WHERE winner IS NOT NULL") == [(8,)]
    empty(head.projection.engine)
    assert head.projection.catch_up()
    assert head.ask("SELECT trail FROM event") == [("second-5",)]


@pytest.mark.parametrize("url", ["postgresql"], indirect=True)
def test_a_name_that_the_database_cannot_store_affects_no_other_venue(head: Federated) -> None:
    """PostgreSQL refuses to index a long one; the venue's event is left out, and the next venue's is processed, also if
    PostgreSQL does not store a character of its name."""
    dice = Random(1)
    name = "".join(chr(dice.randrange(0x4E00, 0x9FFF)) for _ in range(20_000))
    (kind, created), *_ = STORY
    long = {**created, "event": {**created["event"], "players": [{"id": "p1", "name": name}]}}
    assert head.ends.push("sapporo", rows_of([(kind, long)])).events == 1
    one, named = day(), ("gathering-named", {"name": "春\0の会", "date": "2031-04-05"})
    head.ends.push("osaka", [*one.events, *rows_of([named], after=one.events[-1].event())], one.records)
    head.follow()
    assert head.ask("SELECT count(*) FROM game WHERE venue = 'osaka'") == [(8,)]
    assert head.ask("SELECT name FROM event") == [("春\ufffdの会",)]


def test_a_database_failure_does_not_count_as_an_unusable_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server fails in the middle of an event, and again at the next attempt."""
    with running_server() as server, federated(tmp_path / "federation", server.new()) as head:
        one = day()
        head.ends.push("osaka", one.events, one.records)

        def stop_server_and_write(*_: object) -> Any:
            server.stop()
            return writer(*_)  # type: ignore[arg-type]

        writer = head.projection._tournament_writer
        with monkeypatch.context() as patch:
            patch.setattr(head.projection, "_tournament_writer", stop_server_and_write)
            for _ in range(2):
                with pytest.raises((SQLAlchemyError, StoreError)):
                    head.follow()
        server.start()
        head.follow()
        assert head.ask("SELECT count(*) FROM game WHERE venue = 'osaka'") == [(8,)]


def test_rows_and_decisions_reach_the_database_of_a_running_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(update_module, "GATHER_S", 0.01)
    monkeypatch.setattr(update_module, "REST", 0)
    one = day()
    with served_federation(tmp_path / "f") as (head, url):
        collector, projection = head.remote.federation.collector, head.remote.federation.projection

        def ask(query: str) -> Any:
            with projection.engine.connect() as connection:
                return connection.execute(text(query)).scalar()

        posted(url, KEY, push_of("osaka", one.events, one.records))
        venue = collector.venue("osaka")
        assert venue is not None
        until(lambda: ask("SELECT count(*) FROM game") == 8)
        collector.anonymise("青木 みどり", "asked")
        until(lambda: ask("SELECT count(*) FROM player WHERE name LIKE 'N.N. %'") == 1)
        collector.decide(venue, QuarantineDecision.QUARANTINED, "its clock")
        until(lambda: ask("SELECT count(*) FROM game") == 0)


@on_both_databases
def test_moves_are_kept_for_the_configured_time(tmp_path: Path, url: str, capsys: pytest.CaptureFixture[str]) -> None:
    """``kiosk federation keep-moves`` removes old years, and a rebuild does not bring them back."""
    one, folder = day(), tmp_path / "federation"
    with federated(folder, url) as head:
        head.ends.push("osaka", one.events, one.records)
        head.follow()
    (folder / "keys.json").write_text('{"schema": "othello-keys/1", "keys": {}}')
    (folder / "keys.json").chmod(0o600)
    store = f'store = "{url}"\n' if url else ""
    (folder / "head.toml").write_text(f'data = "data"\nkeys = "keys.json"\nvenues = "venues.json"\n{store}')
    save_venues(folder / "venues.json", {"osaka": b"k" * 32})

    def kiosk(*args: object) -> str:
        app.main(["federation", *map(str, args)], standalone_mode=False)
        return capsys.readouterr().out

    kiosk("keep-moves", folder / "head.toml", "--years", 1000)
    with federated(folder, url) as head:
        assert head.ask("SELECT count(*) FROM move WHERE year = 2031")[0][0] > 50
        with head.projection.engine.begin() as connection:
            connection.execute(text("UPDATE settings SET value = '-10' WHERE name = 'move_years'"))  # 2037 and later
    assert "1\tosaka\ttrail" in kiosk("rebuild", folder / "head.toml")
    with federated(folder, url) as head:
        assert head.ask("SELECT count(*) FROM move") == [(0,)]
        assert head.ask("SELECT count(*) FROM game WHERE transcript IS NOT NULL") == [(1,)]
    assert kiosk("keep-moves", folder / "head.toml", "--years", 0) == ""
    kiosk("rebuild", folder / "head.toml")
    with federated(folder, url) as head:
        assert head.ask("SELECT count(*) FROM move")[0][0] > 50


@on_both_databases
def test_a_database_of_another_version_is_made_anew_and_keeps_its_settings(
    head: Federated, tmp_path: Path, url: str
) -> None:
    """Also if less is public than before: the version of the tables says so. A second start changes nothing."""
    head.ends.push("osaka", day().events, day().records)
    head.follow()
    made = contents(head)
    with head.projection.engine.begin() as connection:
        for view in reversed(db.VIEWS):
            connection.execute(text(f"DROP VIEW {view.name}"))
        connection.execute(text("ALTER TABLE games DROP COLUMN stage"))
        connection.execute(text("CREATE TABLE cards (game_id INTEGER REFERENCES games (id))"))
        connection.execute(text("INSERT INTO cards SELECT id FROM games"))
        set_setting(connection, "tables", "0001")
        set_setting(connection, "move_years", "1000")
    open_database(tmp_path / "federation/data", url).dispose()
    with head.projection.engine.connect() as connection:
        assert setting(connection, "move_years") == "1000"
        assert {*inspect(connection).get_table_names()} - {"moves_2031"} == db.metadata.tables.keys()
    assert contents(head)["game"] == []
    assert head.projection.catch_up() and contents(head) == made
    open_database(tmp_path / "federation/data", url).dispose()
    assert contents(head) == made


def test_the_page_names_every_table_view_and_column_as_the_database_does(tmp_path: Path, postgres: Any) -> None:
    """docs/reference/federation-database.md has the same comments as PostgreSQL, word for word."""
    page = (Path(__file__).parents[5] / "docs/reference/federation-database.md").read_text(encoding="utf-8")
    said = {tuple(found) for found in re.findall(r"^\| `(\w+\.\w+)` \| (.+?) \|$", page, re.MULTILINE)}
    headings = dict(re.findall(r"^### `(\w+)`\n\n(.+)$", page, re.MULTILINE))
    engine = open_database(tmp_path, postgres.new())
    try:
        with engine.connect() as connection:
            columns = connection.execute(
                text(
                    "SELECT c.relname, a.attname, col_description(c.oid, a.attnum) FROM pg_class c "
                    "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 "
                    "WHERE c.relnamespace = 'federation'::regnamespace AND c.relkind IN ('r', 'p', 'v')"
                )
            ).all()
            tables = connection.execute(
                text(
                    "SELECT relname, obj_description(oid) FROM pg_class "
                    "WHERE relnamespace = 'federation'::regnamespace AND relkind IN ('r', 'p', 'v')"
                )
            ).all()
    finally:
        engine.dispose()
    assert headings == {name: f"{comment}." for name, comment in tables}
    assert {(f"{table}.{name}", comment) for table, name, comment in columns} == said
