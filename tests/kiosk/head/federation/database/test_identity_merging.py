"""Tests of identity matching: automatically by number, by name only by a person's decision, which can be undone
completely."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from heads.federation_in_process import Federated, day, federated
from heads.venue_pushes import rows_of
from sqlalchemy import text

from kiosk.head.component_signals import Signal
from kiosk.head.errors import HeadError
from kiosk.head.federation.database import database_schema as db
from kiosk.head.federation.database import page_queries
from kiosk.head.federation.database.background_update import empty
from kiosk.head.federation.database.person_registry_and_identity_decisions import UNDONE
from kiosk.head.federation.push_receiver_and_venue_quarantine import QuarantineDecision
from kiosk.head.store.hash_chain import first_break

on_both_databases = pytest.mark.parametrize("head", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture
def head(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Federated]:
    """Osaka's players have numbers (p15 and p16 have none); Sapporo's, of the same names, have none at all."""
    url = request.getfixturevalue("postgres").new() if getattr(request, "param", "") == "postgresql" else ""
    with federated(tmp_path / "federation", url) as made:
        for venue, one in (("osaka", day(numbered=True)), ("sapporo", day())):
            made.ends.push(venue, one.events, one.records)
        made.follow()
        yield made


def persons(head: Federated) -> list[tuple[object, ...]]:
    return sorted(head.ask("SELECT venue, name, person_id FROM player"), key=repr)


def id_of(head: Federated, name: str) -> int:
    ((found,),) = set(head.ask(f"SELECT person_id FROM player WHERE venue = 'osaka' AND name = '{name}'"))
    return int(found)


def key(head: Federated, venue: str, entry: str) -> str:
    ((source,),) = head.ask(
        f"SELECT d.source FROM divisions d JOIN events e ON e.id = d.event_id WHERE venue = '{venue}'"
    )
    return f"entry:{venue}/{source}/{entry}"


@on_both_databases
def test_a_number_identifies_a_person_and_a_name_is_a_question(head: Federated) -> None:
    """Fourteen people have numbers; of the eighteen other entries, those with a name of the fourteen are questions. p5
    to p12 have both numbers and are one person each; another event that has only one of them means the same."""
    assert head.ask("SELECT count(*) FROM person") == [(14,)]
    assert head.ask("SELECT count(*) FROM player WHERE person_id IS NULL") == [(18,)]
    assert head.ask("SELECT DISTINCT venue FROM player WHERE person_id IS NOT NULL") == [("osaka",)]
    with head.projection.engine.connect() as c:
        entries, pairs = page_queries.undecided_identities(c)
    assert len(entries) == 14 and {row.venue for row in entries} == {"sapporo"} and not pairs
    assert head.ask("SELECT national, wof FROM person WHERE name = '遠藤 さくら'") == [("505", 7005)]
    assert head.ask("SELECT count(*) FROM person WHERE national IS NOT NULL AND wof IS NOT NULL") == [(8,)]
    people = head.projection.register.people
    assert people.who(["entry:x/y/z", "wof:7005"]) == people.who(["national:505"]) == id_of(head, "遠藤 さくら")


@on_both_databases
def test_identity_decisions_are_applied_and_undone(head: Federated) -> None:
    """Joined, created, merged, marked as distinct, separated: each decision has its effect, and undoing it restores
    the state before."""
    register, engine = head.projection.register, head.projection.engine
    before = persons(head)
    aoki, lund = id_of(head, "青木 みどり"), id_of(head, "Beatrix Lund")
    register.join(engine, key(head, "sapporo", "p1"), aoki)
    assert ("sapporo", "青木 みどり", aoki) in persons(head)
    new = register.make(engine, key(head, "sapporo", "p2"))
    assert ("sapporo", "Beatrix Lund", new) in persons(head) and new == 15
    with head.projection.engine.connect() as c:
        assert [(row.one, row.two) for row in page_queries.undecided_identities(c)[1]] == [(lund, new)]
    register.mark_distinct(engine, lund, new)
    assert register.people.are_distinct(lund, new)
    register.merge(engine, lund, new, "the same face")
    assert {row for row in persons(head) if row[1] == "Beatrix Lund"} == {
        ("osaka", "Beatrix Lund", lund), ("sapporo", "Beatrix Lund", lund),
    }  # fmt: skip
    assert head.ask("SELECT count(*) FROM person") == [(14,)]
    other = register.separate(engine, aoki, ["national:501"], "his father's number")
    assert {row[2] for row in persons(head) if row[1] == "青木 みどり"} == {aoki, other}
    for decision in register.people.decisions():
        register.undo(engine, decision.event.number, "a mistake")
    assert persons(head) == before
    with pytest.raises(HeadError, match="no decision"):
        register.undo(engine, register.people.decisions()[0].event.number, "again")
    trail = head.ends.store.operator_events()
    assert first_break(trail) is None and sum(event.kind == UNDONE for event in trail) == 5
    again = register.make(engine, key(head, "sapporo", "p3"))
    assert again == other + 1  # a number is never assigned twice


def test_identities_are_kept_over_a_rebuild_and_a_restart(head: Federated, tmp_path: Path) -> None:
    register, engine = head.projection.register, head.projection.engine
    register.join(engine, key(head, "sapporo", "p1"), id_of(head, "青木 みどり"))
    register.merge(engine, id_of(head, "千葉 海斗"), id_of(head, "Dario Fenn"), "married")
    made, people = persons(head), head.ask("SELECT * FROM person ORDER BY person_id")
    empty(engine)
    assert head.projection.catch_up()
    assert persons(head) == made and head.ask("SELECT * FROM person ORDER BY person_id") == people


def test_unknown_numbers_and_entries_are_refused(head: Federated) -> None:
    register, engine = head.projection.register, head.projection.engine
    last = len(head.ends.store.operator_events())
    for wrong in (
        lambda: register.join(engine, key(head, "sapporo", "p1"), 999),
        lambda: register.join(engine, "national:501", 1),
        lambda: register.merge(engine, 1, 1, "x"),
        lambda: register.separate(engine, 1, ["national:777"], "x"),
        lambda: register.separate(engine, 1, [], "x"),
        lambda: register.undo(engine, 1, "x"),
    ):
        with pytest.raises(HeadError):
            wrong()
    assert len(head.ends.store.operator_events()) == last


def test_an_anonymised_person_is_in_no_table(head: Federated) -> None:
    """The chief of the federation anonymises a person: name and numbers are removed from every table; the games
    stay."""
    games = head.ask("SELECT count(*) FROM game")
    aoki = id_of(head, "青木 みどり")
    head.ends.collector.anonymise("青木 みどり", "asked for it")
    head.follow()
    everything = repr([head.ask(f"SELECT * FROM {table.name}") for table in db.metadata.sorted_tables])
    assert "青木" not in everything and "'501'" not in everything and "N.N. " in everything
    assert head.ask("SELECT count(*) FROM game") == games
    assert head.ask(f"SELECT name FROM person WHERE person_id = {aoki}") == [("",)]


@on_both_databases
def test_a_quarantined_venue_is_in_no_view_until_it_is_released(head: Federated) -> None:
    """At once, and before the thread has done anything. Whoever played at both venues is described as at the other."""
    collector, register, engine = head.ends.collector, head.projection.register, head.projection.engine
    aoki, lund = id_of(head, "青木 みどり"), id_of(head, "Beatrix Lund")
    register.join(engine, key(head, "sapporo", "p1"), aoki)
    persons = head.ask("SELECT * FROM person ORDER BY person_id")
    venue = collector.venue("osaka")
    assert venue is not None
    for decision, venues, found, number in (
        (QuarantineDecision.QUARANTINED, {"sapporo"}, [], None),
        (QuarantineDecision.RETURNED, {"osaka", "sapporo"}, [lund], "501"),
        (QuarantineDecision.REMOVED, {"sapporo"}, [], None),
        (QuarantineDecision.RETURNED, {"osaka", "sapporo"}, [lund], "501"),
    ):
        collector.decide(venue, decision, "a mistake")
        for view in ("event", "division", "player", "game", "standing"):
            assert {found for (found,) in head.ask(f"SELECT DISTINCT venue FROM {view}")} == venues, view
        with engine.connect() as c:
            assert [one.person_id for one in page_queries.search(c, "Lund")] == found
            assert [(one.person_id, one.national) for one in page_queries.search(c, "青木")] == [(aoki, number)]
        assert head.ask(f"SELECT name FROM person WHERE person_id = {lund}") == [("Beatrix Lund" if found else "",)]
        head.follow()
    assert head.ask("SELECT * FROM person ORDER BY person_id") == persons


def test_a_quarantine_that_the_database_missed_is_applied_at_the_start(head: Federated) -> None:
    """The head was killed after the decision was written to its audit trail."""
    collector = head.ends.collector
    venue = collector.venue("osaka")
    assert venue is not None
    collector.standing_decided = Signal()
    collector.decide(venue, QuarantineDecision.QUARANTINED, "a mistake")
    assert head.ask("SELECT count(*) FROM event") == [(2,)]
    assert head.projection.catch_up()
    assert head.ask("SELECT venue FROM event") == [("sapporo",)]
    assert head.ask("SELECT DISTINCT name FROM person") == [("",)]


def test_a_corrected_name_replaces_the_old_one_in_the_register(tmp_path: Path) -> None:
    """Of a person with a number too: the number stays the same, so the entry keeps its person."""
    one = day(numbered=True)
    renamed = ("player-changed", {"division": "main", "player": "p1", "fields": {"name": "架空 太郎"}})
    with federated(tmp_path / "federation") as head:
        head.ends.push("osaka", one.events, one.records)
        head.follow()
        aoki = id_of(head, "青木 みどり")
        (row,) = rows_of([renamed], one.events[-1].event())
        head.ends.push("osaka", [row])
        head.follow()
        assert head.ask(f"SELECT name FROM person WHERE person_id = {aoki}") == [("架空 太郎",)]
        with head.projection.engine.connect() as c:
            assert not page_queries.search(c, "青木")


@on_both_databases
def test_people_and_entries_are_found_by_reading_and_letters(head: Federated) -> None:
    """However the reading is typed or stored: either kana, with or without a blank, or a part of the Latin name."""
    engine = head.projection.engine
    with engine.begin() as c:
        c.execute(text("UPDATE persons SET kana = 'あおき みどり', latin = 'Aoki Midori' WHERE name = '青木 みどり'"))
        c.execute(text("UPDATE players SET kana = 'アオキ ミドリ', latin = 'Aoki Midori' WHERE name = '青木 みどり'"))
    with engine.connect() as c:
        for typed in ("青木", "あおき", "アオキ", "ｱｵｷ", "あおきみどり", "aoki m"):
            assert [one.name for one in page_queries.search(c, typed)] == ["青木 みどり"], typed
            assert [one.name for one in page_queries.unidentified_entries(c, typed)] == ["青木 みどり"], typed
        assert not page_queries.search(c, "いおき") and not page_queries.unidentified_entries(c, "いおき")


@on_both_databases
def test_an_address_with_a_zero_character_names_nothing(head: Federated) -> None:
    with head.projection.engine.connect() as c:
        assert page_queries.calendar(c, None, "osaka") and not page_queries.calendar(c, None, "osaka\0")
        assert page_queries.book(c, "osaka", "\0") is None
