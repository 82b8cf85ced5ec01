"""Generator of ten years of federation data, written directly into the database tables as the product would have done.

Every row is as a venue would have sent it, every chain with its hashes. A few events are folded by the product; the
others are copies with other people, another venue and another day, for none of these changes who won.
``verify_sample`` lets the product fold a sample again from its rows: it must find nothing to change.
"""

from __future__ import annotations

import json
import multiprocessing
import random
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import text

from engine.board.position import Position
from hardware.real_and_simulated_time import SystemTime
from kiosk.head.event.tournament_state import event_name, game_id
from kiosk.head.event.tournament_state_from_events import Projector
from kiosk.head.federation import venue_trail_and_game_index
from kiosk.head.federation.database import row_builder, tournament_writer
from kiosk.head.federation.database.background_update import Projection
from kiosk.head.federation.database.connection_and_tables import lock, open_database
from kiosk.head.federation.database.person_registry_and_identity_decisions import PersonRegistry
from kiosk.head.federation.database.row_builder import DivisionRows
from kiosk.head.federation.live_venue_state_and_sender_checks import LastContact, Venue
from kiosk.head.store import Store, StoredRecord
from kiosk.head.store.hash_chain import OperatorEvent, append_link, canonical
from kiosk.head.store.store_rows import wall_clock
from kiosk.records.japanese_name_search_and_order import search_key

YEARS, EVENTS, PLAYERS, ROUNDS, TABLES = 10, 500, 100, 8, 50
GAMES = ROUNDS * PLAYERS // 2
FIRST = date.today().year - YEARS + 1
SEED = 2031
FAMILY = (
    "青木", "石田", "上野", "遠藤", "大野", "加藤", "木村", "工藤", "小川", "後藤", "佐野", "島田", "杉本", "関口",
    "千葉", "中西", "西田", "野口", "原田", "平野", "藤井", "前田", "山口", "吉川",
)  # fmt: skip
GIVEN = (
    "海斗", "結衣", "さくら", "大和", "拓海", "千尋", "隼人", "みどり", "陽菜", "蓮", "葵", "翔", "美咲", "健", "彩",
)  # fmt: skip
Person = dict[str, Any]


def transcripts(dice: random.Random, count: int) -> list[tuple[str, int]]:
    """Return games of random legal moves, with Black's discs."""
    found = []
    for _ in range(count):
        position, moves = Position.start(), []
        while not position.is_over:
            legal = [square for square in range(81) if position.legal_moves() >> square & 1]
            if legal:
                square = dice.choice(legal)
                moves.append(position.geometry.name(square))
                position = position.play(square)
            else:
                position = position.pass_turn()
        found.append(("".join(moves), position.final_score()[0]))
    return found


@dataclass(frozen=True)
class EventTemplate:
    """An event without its people: who meets whom, and how it ends. ``rounds``: pairs of entries with transcript and
    Black's discs; ``made``: its rows, as the product folds them.
    """

    seed: int
    in_play: bool
    grades: tuple[str, ...]
    rounds: tuple[tuple[tuple[str, str, str, int], ...], ...]
    title: str = ""
    made: DivisionRows | None = None


@dataclass(frozen=True)
class GeneratedEvent:
    """One event of one venue."""

    number: int
    venue: str
    day: date
    shape: EventTemplate
    people: Sequence[Person]

    @property
    def name(self) -> str:
        return f"第{self.number}回大会"

    @property
    def trail(self) -> str:
        return f"{self.number:016x}-0"


@dataclass(frozen=True)
class FederationPlan:
    """The whole data set. ``people``: those with a number first, person k + 1 at k; then those without."""

    scale: float
    venues: tuple[str, ...]
    people: tuple[Person, ...]
    numbered: int
    shapes: tuple[EventTemplate, ...]
    first_moves: int

    @property
    def count(self) -> int:
        return max(len(self.venues), round(YEARS * EVENTS * self.scale))

    def event(self, number: int) -> GeneratedEvent:
        """Return an event; ``number``: from 1, in the order of their days."""
        dice = random.Random(f"{SEED}-{number}")
        in_play = number > self.count - len(self.venues)
        shapes = [shape for shape in self.shapes if shape.in_play == in_play]
        with_number = dice.sample(range(self.numbered), PLAYERS * 4 // 5)
        without = dice.sample(range(self.numbered, len(self.people)), PLAYERS // 5)
        chosen = [without.pop() if at % 5 == 4 else with_number.pop() for at in range(PLAYERS)]
        day = date(FIRST, 1, 1) + timedelta(days=(number - 1) * 365 * YEARS // self.count)
        venue = self.venues[number % len(self.venues)]
        return GeneratedEvent(number, venue, day, dice.choice(shapes), [self.people[one] for one in chosen])


def plan(scale: float, venues: Sequence[str], move_years: int, folded: int) -> FederationPlan:
    """Return the plan, which depends only on the arguments. ``move_years``: years for which moves are kept; 0: all.
    ``folded``: events folded by the product; a sixth of them is in play, as the last event of each venue.
    """
    dice = random.Random(SEED)
    count = max(5 * PLAYERS, round(20_000 * scale))
    people: list[Person] = [
        {"name": f"{dice.choice(FAMILY)} {dice.choice(GIVEN)}", "number": at} for at in range(1, count + 1)
    ]
    numbered = count * 4 // 5
    for at, person in enumerate(people):
        person["national"] = str(at + 1) if at < numbered else None  # the others have no number
    games = transcripts(dice, 25 * folded // 2)
    shapes = [_shape(dice, at, games, in_play=at < max(1, folded // 6)) for at in range(folded)]
    first = FIRST + YEARS - move_years if move_years else 0
    result = FederationPlan(scale, tuple(venues), tuple(people), numbered, (), first)
    return replace(result, shapes=tuple(_folded(shape, people) for shape in shapes))


def _shape(dice: random.Random, seed: int, games: Sequence[tuple[str, int]], *, in_play: bool) -> EventTemplate:
    grades = tuple(f"{dice.randint(1, 6)}d" for _ in range(PLAYERS))
    rounds = []
    for _ in range(ROUNDS - in_play):
        order = dice.sample(range(1, PLAYERS + 1), PLAYERS)
        pairs = ((f"p{order[at]}", f"p{order[at + 1]}") for at in range(0, PLAYERS, 2))
        rounds.append(tuple((black, white, *dice.choice(games)) for black, white in pairs))
    return EventTemplate(seed, in_play, grades, tuple(rounds))


def _folded(shape: EventTemplate, people: Sequence[Person]) -> EventTemplate:
    held = GeneratedEvent(0, "", date(FIRST, 1, 1), shape, people[:PLAYERS])
    events, cards = rows_of(held)
    ledger = Projector()
    for event in events:
        ledger.apply(event)
    for card in cards:
        ledger.take_card(card)
    state = ledger.state()
    (division,) = state.divisions.values()
    assert not state.aside and not state.notices, (state.aside, state.notices)
    return replace(
        shape, title=state.title, made=row_builder.rows_of(division, row_builder.standings_or_none(division))
    )


def rows_of(event: GeneratedEvent) -> tuple[list[OperatorEvent], list[StoredRecord]]:
    """Return an event's rows as its venue would have sent them: the trail, and the cards of its tables."""
    entered = [
        {"name": one["name"], "grade": grade, "id": f"p{at}"}
        | ({"national": one["national"]} if at % 5 else {})
        for at, (one, grade) in enumerate(zip(event.people, event.shape.grades, strict=True), start=1)
    ]  # fmt: skip
    created = {
        "division": "main",
        "event": {
            "schema": "othello-event/1", "name": event.name, "date": event.day.isoformat(), "format": "swiss",
            "options": {"random_seed": event.shape.seed, "rounds": ROUNDS}, "players": entered,
        },
        "table": {"rules": "m43", "main_s": 1200, "options": {}},
        "title": {"ja": "無差別", "en": "Open"},
    }  # fmt: skip
    acts: list[tuple[str, dict[str, Any]]] = [("event-created", created)]
    cards: list[StoredRecord] = []
    source = event_name(created)
    for round, pairs in enumerate(event.shape.rounds, start=1):
        lines = [{"black": black, "white": white} for black, white, _, _ in pairs]
        acts.append(("round-published", {"division": "main", "round": round, "games": lines}))
        for table, (black, white, moves, discs) in enumerate(pairs, start=1):
            game = game_id(source, round, table)
            acts.append(("game-seated", {"game": game, "table": table, "arrived": 0}))
            card = {
                "game": game, "winner": winner(discs), "black_id": black, "white_id": white, "black_discs": discs,
                "white_discs": 64 - discs, "end": "normal", "rated": True, "transcript": moves,
            }  # fmt: skip
            cards.append(StoredRecord(len(cards) + 1, table, event.trail, round, "card", card))
    events: list[OperatorEvent] = []
    for kind, body in acts:
        events.append(
            append_link(events[-1] if events else None, f"{event.day}T09:00:00.000+00:00", kind, body, "desk")
        )
    return events, cards


def winner(discs: int) -> str:
    """Return the winner from Black's discs."""
    return "black" if discs > 32 else "white" if discs < 32 else "draw"


# into the tables

_TABLES = (
    "venue_events", "venue_records", "venue_places", "federation.events", "federation.divisions",
    "federation.players", "federation.games", "federation.standings", "federation.certificates",
)  # fmt: skip


def _write(plan: FederationPlan, url: str, numbers: Sequence[int]) -> None:
    """Write some of the events, in one of several processes."""
    with psycopg.connect(url) as connection:
        connection.execute("SET session_replication_role = replica")  # referenced rows come from another process
        connection.execute("SET synchronous_commit = off")
        for at in range(0, len(numbers), 10):
            lines: dict[str, list[Sequence[Any]]] = {name: [] for name in _TABLES}
            for number in numbers[at : at + 10]:
                for name, row in _rows(plan, plan.event(number)):
                    lines[name].append(row)
            for name, rows in lines.items():
                columns = _COLUMNS.get(name, "")
                with connection.cursor() as cursor, cursor.copy(f"COPY {name} {columns} FROM STDIN") as copy:
                    for row in rows:
                        copy.write_row(row)
            connection.commit()


_COLUMNS = {
    "federation.events": "(id, venue, trail, entries, name, day, year, place, country, superseded)",
    "federation.divisions": "(id, event_id, slug, source, title_ja, title_en, format, entrants, rounds, over, file)",
    "federation.players": "(id, division_id, entry, name, sought, kana, latin, national, wof, grade, country, is_team, "
    "person_id)",
    "federation.games": "(id, division_id, round, number, stage, table_no, black_id, white_id, black_discs, "
    "white_discs, winner, ending, rated, transcript, card)",
    "federation.standings": "(division_id, player_id, rank, wins, discs, keys)",
    "federation.certificates": "(division_id, player_id, kind, rank, grade, rule, fee)",
}


def _rows(plan: FederationPlan, event: GeneratedEvent) -> Iterator[tuple[str, Sequence[Any]]]:
    events, cards = rows_of(event)
    place, template_rows = (event.venue, event.trail), event.shape.made
    assert template_rows is not None
    for e in events:
        yield "venue_events", (*place, e.number, e.at, e.person, e.kind, canonical(e.body), e.previous, e.hash)
    for one in cards:
        game, body = one.body["game"], canonical(one.body)
        yield "venue_records", (event.venue, one.table, one.epoch, one.seq, one.type, body, one.arrival)
        yield "venue_places", (event.venue, game, one.type, one.table, one.epoch, one.seq)
    id, year = event.number, event.day.year
    name = event.name if event.shape.title else ""
    yield "federation.events", (id, *place, events[-1].number, name, event.day, year, "", "", False)
    row = template_rows.row | {"source": event_name(events[0].body), "file": _file(template_rows.row["file"], event)}
    columns = ("slug", "source", "title_ja", "title_en", "format", "entrants", "rounds", "over", "file")
    yield "federation.divisions", (id, id, *(row[name] for name in columns))
    of = {player["entry"]: id * PLAYERS + at for at, player in enumerate(template_rows.players)}
    person_of = {f"p{at}": person for at, person in enumerate(event.people, start=1)}
    for player in template_rows.players:
        person = person_of[player["entry"]]
        national = person["national"]
        number = person["number"] if national else None
        yield "federation.players", (
            of[player["entry"]], id, player["entry"], person["name"], search_key(person["name"]), player["kana"],
            player["latin"], national, player["wof"], player["grade"], player["country"], False, number,
        )  # fmt: skip
    for at, game_row in enumerate(template_rows.games):
        seat, round = game_row["number"], game_row["round"]
        card = f"{seat}/{event.trail}/{round}" if year >= plan.first_moves else None
        yield "federation.games", (
            id * GAMES + at, id, round, seat, game_row["stage"], game_row["table_no"], of[game_row["black"]],
            of[game_row["white"]], game_row["black_discs"], game_row["white_discs"], game_row["winner"],
            game_row["ending"], game_row["rated"], game_row["transcript"], card,
        )  # fmt: skip
    for row in template_rows.standings:
        yield "federation.standings", (id, of[row["player"]], row["rank"], row["wins"], row["discs"], row["keys"])
    for row in template_rows.certificates:
        granted = (row["kind"], row["rank"], row["grade"], row["rule"], row["fee"])
        yield "federation.certificates", (id, of[row["player"]], *granted)


def _file(file: str, event: GeneratedEvent) -> str:
    text = json.loads(file)
    text["name"], text["date"] = event.name, event.day.isoformat()
    person_of = {f"p{at}": person for at, person in enumerate(event.people, start=1)}
    for player in text["players"]:
        player["name"] = person_of[player["id"]]["name"]
        if "national" in player:
            player["national"] = person_of[player["id"]]["national"]
    return json.dumps(text, ensure_ascii=False, separators=(",", ":"))


def build(plan: FederationPlan, url: str, folder: Path, processes: int) -> None:
    """Fill an empty database; a run interrupted between its two halves continues with the second."""
    store, marker = Store(folder / "data", url), folder / "rows-written"
    with store.reading() as connection:
        venue_trail_and_game_index.build_index(connection.engine)
    database = open_database(folder / "data", url)
    register = PersonRegistry(store, store.operator_events())
    if not marker.exists():
        people = [[f"national:{one['national']}"] for one in plan.people[: plan.numbered]]
        for at in range(0, len(people), PLAYERS):
            register._number(people[at : at + PLAYERS])
        parts = [range(1 + first, plan.count + 1, processes) for first in range(processes)]
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            pool.starmap(_write, [(plan, url, part) for part in parts])
        marker.touch()
    with psycopg.connect(url, autocommit=True) as server:
        for statement in ("SET session_replication_role = replica", *_ANEW):
            server.execute(statement)
        for number, venue in enumerate(plan.venues):
            last = plan.count - (plan.count - number) % len(plan.venues)
            contact = json.dumps(asdict(LastContact(wall_clock(), f"{last:016x}-0", 0)))
            server.execute("INSERT INTO meta VALUES (%s, %s)", (f"venue:{venue}", contact))
        scripts = _scripts(server, plan)
        for year in scripts:
            server.execute(f"CREATE TABLE federation.moves_{year} PARTITION OF federation.moves FOR VALUES IN ({year})")
    with database.begin() as c:
        lock(c)
        if plan.first_moves:
            tournament_writer.keep_moves(c, YEARS + FIRST - plan.first_moves, FIRST + YEARS - 1)

    def run(statements: Sequence[str]) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            for statement in ("SET session_replication_role = replica", "SET work_mem = '128MB'", *statements):
                connection.execute(statement)

    def describe() -> None:
        with database.begin() as c:
            known = set(c.execute(text("SELECT DISTINCT person_id FROM players WHERE person_id IS NOT NULL")).scalars())
            register._add_missing_persons(c, known)
            register._describe(c, known)

    with ThreadPoolExecutor() as threads:
        parts_left = [threads.submit(run, some) for some in (*_NOTES, *scripts.values())] + [threads.submit(describe)]
        for part in parts_left:
            part.result()
    run(["DROP TABLE script", "VACUUM ANALYZE"])
    database.dispose()
    store.close()


_ANEW = (
    "TRUNCATE venue_trails, venue_journals",
    "DELETE FROM meta WHERE key LIKE 'venue:%'",
    "DELETE FROM federation.venues",
    "DROP TABLE IF EXISTS script",
    "DO $$ DECLARE one text; BEGIN FOR one IN SELECT inhrelid::regclass FROM pg_inherits "
    "WHERE inhparent = 'federation.moves'::regclass LOOP EXECUTE 'DROP TABLE ' || one; END LOOP; END $$",
    *(
        f"SELECT setval(pg_get_serial_sequence('federation.{name}', 'id'), (SELECT max(id) FROM federation.{name}))"
        for name in ("events", "divisions", "players", "games")
    ),
)
_NOTES = (
    (
        "INSERT INTO venue_trails SELECT e.venue, e.trail, e.entries, min(v.at), max(v.at), max(e.name), "
        "max(e.day::text) FROM federation.events e JOIN venue_events v USING (venue, trail) GROUP BY 1, 2, 3",
    ),
    (
        "INSERT INTO venue_journals SELECT venue, table_no, epoch, max(seq) FROM venue_records GROUP BY 1, 2, 3",
        "INSERT INTO federation.venues (name, shown, records) SELECT venue, true, sum(seq) FROM venue_journals "
        "GROUP BY 1",
    ),
)


def _scripts(connection: psycopg.Connection[Any], plan: FederationPlan) -> dict[int, tuple[str, ...]]:
    """Return each transcript's moves, as the product reads them; and for each year the statement that adds them to its
    games.
    """
    scripts = sorted({moves for shape in plan.shapes for round in shape.rounds for _, _, moves, _ in round})
    connection.execute("CREATE UNLOGGED TABLE script (transcript text, ply int, square text)")
    with connection.cursor() as cursor, cursor.copy("COPY script FROM STDIN") as copy:
        for script in scripts:
            for move in row_builder.moves_of(script):
                copy.write_row((script, move["ply"], move["square"]))
    connection.execute("ANALYZE script")
    return {
        year: (
            f"INSERT INTO federation.moves_{year} (year, game_id, ply, square) "
            f"SELECT {year}, g.id, s.ply, s.square FROM federation.games g "
            "JOIN federation.divisions d ON d.id = g.division_id JOIN federation.events e ON e.id = d.event_id "
            f"JOIN script s ON s.transcript = g.transcript WHERE e.year = {year}",
        )
        for year in range(max(FIRST, plan.first_moves), FIRST + YEARS)
    }


# comparison with the rows that the product makes


def verify_sample(url: str, folder: Path, plan: FederationPlan, sample: int) -> int:
    """Fold some events again from their rows with the product; return how many were unchanged, which is all of them.

    :raises AssertionError: one was changed.
    """
    store = Store(folder / "data", url)
    venues = {name: Venue(name, store.reading, SystemTime()) for name in plan.venues}
    with store.reading() as connection:
        for row in connection.execute(text("SELECT key, value FROM meta WHERE key LIKE 'venue:%'")):
            venues[row.key.removeprefix("venue:")].last_contact = LastContact(**json.loads(row.value))
    register = PersonRegistry(store, store.operator_events())
    projection = Projection(store.reading, open_database(folder / "data", url), register, venues.get)
    try:
        for number in random.Random(SEED).sample(range(1, plan.count + 1), min(sample, plan.count)):
            event = plan.event(number)
            with projection.engine.connect() as c:
                before = _digests(c, number)
            with projection._open_both(event.venue) as (rows, c):
                projection._fold(rows, c, event.venue, event.trail)
            with projection.engine.connect() as c:
                assert _digests(c, number) == before, (number, before, _digests(c, number))
        with store.reading() as connection:
            noted = connection.execute(text("SELECT count(*) FROM venue_places")).scalar_one()
            assert noted == connection.execute(text("SELECT count(*) FROM venue_records")).scalar_one()
        return min(sample, plan.count)
    finally:
        projection.close()
        store.close()


def _digests(c: Any, event: int) -> list[tuple[Any, ...]]:
    """Return digests of all rows of an event, with their physical position, which changes when a row is rewritten."""
    within = f"division_id IN (SELECT id FROM divisions WHERE event_id = {event})"
    wheres: Iterable[tuple[str, str]] = (
        ("events", f"id = {event}"), ("divisions", f"event_id = {event}"), ("players", within), ("games", within),
        ("standings", within), ("certificates", within),
        ("moves", f"game_id IN (SELECT id FROM games WHERE {within})"),
    )  # fmt: skip
    queries = (
        f"SELECT '{name}', count(*), md5(string_agg(t.ctid::text || t::text, ',' ORDER BY t::text)) "
        f"FROM {name} t WHERE {where}"
        for name, where in wheres
    )
    return [tuple(row) for query in queries for row in c.execute(text(query)).all()]
