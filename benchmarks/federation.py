"""A federation's database of ten years: the head's time to start, to accept a push and to render a page; and its size.

``python -m benchmarks.federation [--scale S] [--venues N] [--seconds S] [--keep FOLDER]`` prints JSON. Scale 1 is ten
years of 500 events of 100 players and 8 rounds: 2 million games; ``_federation_data`` describes how they are made. With
``--keep`` the database stays in that folder, and the next call with it only measures.

PostgreSQL is a separate server with Debian's settings; the head is the real program in its own process. The last event
of each venue is in play. Each venue pushes one row every two seconds, as a venue with news does, from this process: of
20 rows 18 are records of a game, one is its card, one is an entry of the audit trail. ``start_processor_s``,
``processor_ms``: processor time of the head's process until it served, for a page, and for a push with its
consequences; wall-clock times depend on other programs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from math import ceil
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psycopg
from heads.postgres import running_server
from heads.process import HeadProcess
from heads.staff import first_chief, sign_in

from benchmarks._federation_data import (
    FIRST,
    GAMES,
    PLAYERS,
    ROUNDS,
    SEED,
    TABLES,
    YEARS,
    FederationPlan,
    build,
    plan,
    verify_sample,
    winner,
)
from kiosk.head.event.tournament_state import game_id
from kiosk.head.federation import push_protocol
from kiosk.head.federation.push_protocol import (
    PATH,
    SEAL_HEADER,
    VENUE_HEADER,
    EventRow,
    Push,
    PushResponse,
    RecordRow,
    sign,
)
from kiosk.head.federation.venue_keys import load_venues, save_venues
from kiosk.head.store.hash_chain import OperatorEvent, append_link
from kiosk.head.store.store_rows import wall_clock

SMALLEST = (
    "--scale", "0.0001", "--opened", "1", "--venues", "1", "--seconds", "0.2", "--processes", "1", "--sample", "1",
    "--folded", "2",
)  # fmt: skip
PUSH_EVERY_S = 2.0
#: settings of the server while the data are made; it is measured with its own settings
BUILDING = ["wal_level=minimal", "max_wal_senders=0", "max_wal_size=8GB", "checkpoint_timeout=1h", "autovacuum=off"]
#: a record of play, as a table sends it
PRESS = {"event": {"type": "press", "at_ns": 1, "colour": "black"}}


def percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    shares = {"p50_ms": 0.5, "p95_ms": 0.95, "p99_ms": 0.99, "max_ms": 1.0}
    return {name: round(1000 * ordered[ceil(share * len(ordered)) - 1], 1) for name, share in shares.items()}


class VenueProgress:
    """The state of a venue's last event: its trail, and the name of its division at the venue."""

    def __init__(self, connection: psycopg.Connection[Any], venue: str) -> None:
        query = (
            "SELECT v.trail, v.number, v.hash, d.source FROM venue_events v JOIN federation.events e "
            "USING (venue, trail) JOIN federation.divisions d ON d.event_id = e.id WHERE venue = %s "
            "ORDER BY v.trail DESC, v.number DESC LIMIT 1"
        )
        row = connection.execute(query, (venue,)).fetchone()
        assert row is not None
        self.trail, number, hash, self._source = row
        self._last = OperatorEvent(number, "", "", {}, "", hash)
        self._begun = number > 1 + (ROUNDS - 1) * (1 + TABLES)

    def entry(self, kind: str, body: dict[str, Any]) -> EventRow:
        entry = self._last = append_link(self._last, wall_clock(), kind, body, "desk")
        return EventRow(
            entry.number,
            entry.at,
            entry.person,
            entry.kind,
            dict(entry.body),
            entry.previous,
            entry.hash,
        )

    def trail_head(self, both: push_protocol.TrailHead | None = None) -> push_protocol.TrailHead:
        """Return how far the trail goes; ``both``: as far as the federation has it, if it is behind."""
        here = push_protocol.TrailHead(self._last.number, self._last.number, self._last.hash)
        return here if both is None else push_protocol.TrailHead(here.last, both.number, both.hash)

    def entries(self) -> list[EventRow]:
        """Return the entries that begin the last round, if it has not begun."""
        if self._begun:
            return []
        games = [{"black": f"p{at}", "white": f"p{at + 1}"} for at in range(1, PLAYERS, 2)]
        rows = [self.entry("round-published", {"division": "main", "round": ROUNDS, "games": games})]
        for table in range(1, TABLES + 1):
            game = game_id(self._source, ROUNDS, table)
            rows.append(self.entry("game-seated", {"game": game, "table": table, "arrived": 0}))
        return rows

    def card(self, table: int) -> dict[str, Any]:
        discs = random.Random(f"{self.trail}-{table}").randint(10, 54)
        return {
            "game": game_id(self._source, ROUNDS, table), "winner": winner(discs), "black_id": f"p{2 * table - 1}",
            "white_id": f"p{2 * table}", "black_discs": discs, "white_discs": 64 - discs, "end": "normal",
            "rated": True,
        }  # fmt: skip


class Pusher:
    """A venue whose last event is in play: it sends one row every two seconds."""

    def __init__(self, url: str, venue: str, key: bytes, stand: VenueProgress, seconds: float, after: float) -> None:
        self._venue, self._key, self._seconds, self._after = venue, key, seconds, after
        self._web = httpx.Client(base_url=url, timeout=60)
        self._stand = stand
        #: the last entry that both sides have
        self._there = stand.trail_head()
        self.took: dict[str, list[float]] = {"record": [], "card": [], "entry": []}

    def _send(self, ticket: str, events: list[EventRow], records: list[RecordRow]) -> PushResponse:
        push = Push(
            self._venue, self._stand.trail, "nonce", wall_clock(), 0, events, records, "bench", ticket,
            self._stand.trail_head(self._there), not ticket,
        )  # fmt: skip
        body = msgspec.msgpack.encode(push)
        headers = {VENUE_HEADER: self._venue, SEAL_HEADER: sign(self._key, "", body)}
        answer = self._web.post(PATH, content=body, headers=headers)
        answer.raise_for_status()
        found = msgspec.msgpack.decode(answer.content, type=PushResponse)
        assert found.other is None, found
        self._there = self._stand.trail_head()
        return found

    def run(self) -> None:
        known = self._send("", [], [])
        seqs = {(table, epoch): seq for table, epoch, seq in known.records}
        arrival = 10**6 + sum(seqs.values())  # the venue's own count of all its records
        story = self._stand.entries()
        ticket = self._send(known.ticket, story, []).ticket
        dice = random.Random(self._venue)
        time.sleep(self._after)
        number = dice.randrange(20)
        end_s = time.monotonic() + self._seconds
        while (rest_s := end_s - time.monotonic()) > 0:
            number += 1
            kind = {0: "card", 10: "entry"}.get(number % 20, "record")
            table = dice.randint(1, TABLES)
            place = table, f"bench-{self._stand.trail}"
            seqs[place] = seqs.get(place, 0) + 1
            body = self._stand.card(table) if kind == "card" else PRESS
            type = "card" if kind == "card" else "event"
            arrival += kind != "entry"
            record = RecordRow(*place, seqs[place], type, body, arrival)
            began = time.perf_counter()
            if kind == "entry":
                seqs[place] -= 1
                entry = self._stand.entry("players-arrived", {"players": ["p1"], "arrived": True})
                answer = self._send(ticket, [entry], [])
            else:
                answer = self._send(ticket, [], [record])
            took = time.perf_counter() - began
            self.took[kind].append(took)
            assert answer.counted and answer.refused is None, answer
            ticket = answer.ticket
            time.sleep(max(0.0, min(PUSH_EVERY_S, rest_s) - took))


def pages(connection: psycopg.Connection[Any]) -> Iterator[tuple[str, str]]:
    event = connection.execute("SELECT venue, trail FROM federation.events ORDER BY id LIMIT 1").fetchone()
    query = "SELECT person_id FROM federation.players WHERE person_id IS NOT NULL GROUP BY 1 ORDER BY count(*) DESC, 1"
    most, second = connection.execute(f"{query} LIMIT 2").fetchall()
    assert event is not None
    venue, trail = event
    record = f"/record/{venue}/{trail}"
    yield "venues", "/venues"
    yield "a venue", f"/venues/{venue}"
    yield "a venue's past event", f"/venues/{venue}/life/{trail}"
    yield "calendar of a year", f"/calendar?year={FIRST + YEARS - 2}"
    yield "calendar of a venue", f"/calendar?venue={venue}"
    yield "record, standings", f"{record}/ja/main/standings.html"
    yield "record, rounds", f"{record}/ja/main/rounds.html"
    yield "event file", f"{record}/files/main.json"
    yield "search by name", "/people?name=青木"
    yield "person with most events", f"/people/{most[0]}"
    yield "two persons", f"/people/{most[0]}/against/{second[0]}"
    yield "season's ranking", "/rankings/all"
    yield "who is who", "/who"
    yield "venues.json", "/venues.json"
    yield "events.json", f"/venues/{venue}/events.json"


def timed(web: httpx.Client, path: str, times: int) -> list[float]:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        answer = web.get(path)
        found.append(time.perf_counter() - began)
        assert answer.status_code == 200, (path, answer.status_code)
    return found


def sizes(connection: psycopg.Connection[Any]) -> dict[str, list[int]]:
    """Return megabytes of tables, and of their indices."""
    found = connection.execute(
        "SELECT relname, pg_table_size(oid), pg_indexes_size(oid) FROM pg_class WHERE relkind = 'r' "
        "AND relnamespace::regnamespace::text IN ('public', 'federation') AND pg_total_relation_size(oid) > 1000000 "
        "ORDER BY pg_total_relation_size(oid) DESC"
    ).fetchall()
    whole = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    assert whole is not None
    return {name: [round(size / 1e6), round(indices / 1e6)] for name, size, indices in found} | {
        "database": [round(whole[0] / 1e6)]
    }


def processor_s(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return round((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), 2)


def build_data(folder: Path, url: str, what: FederationPlan, sample: int, processes: int) -> dict[str, Any]:
    """Build all that the head needs; return its size and the time taken."""
    dice = random.Random(SEED)
    save_venues(folder / "venues.json", {venue: dice.randbytes(32) for venue in what.venues})
    (folder / "seasons.toml").write_text(
        f'[[ranking]]\nkey = "all"\ntitle_ja = "年間"\ntitle_en = "Year"\n'
        f"from = {FIRST}-01-01\nto = {FIRST}-12-31\n"
        "points = { place = [10, 8, 6, 5, 4, 3, 2, 1], win = 1 }\n"
    )
    began = time.perf_counter()
    build(what, url, folder, processes)
    built = time.perf_counter()
    same = verify_sample(url, folder, what, sample)
    return {
        "events": what.count, "games": what.count * GAMES, "people": len(what.people), "venues": len(what.venues),
        "build_s": round(built - began), "folded_again_and_the_same": same,
        "check_s": round(time.perf_counter() - built),
    }  # fmt: skip


def measured(folder: Path, url: str, opened: int, seconds: float) -> dict[str, Any]:
    (folder / "head.toml").write_text(
        f'data = "data"\nstore = "{url}"\nvenues = "venues.json"\nseasons = "seasons.toml"\n'
        'host = "127.0.0.1"\nport = 0\n'
    )
    keys, signed = load_venues(folder / "venues.json"), folder / "signed"
    answer: dict[str, Any] = {}
    began = time.perf_counter()
    head = HeadProcess(folder / "head.toml", fresh=True)
    answer["start_s"] = round(time.perf_counter() - began, 1)
    answer["start_processor_s"] = processor_s(head.process.pid)
    try:
        with httpx.Client(base_url=head.url, timeout=60) as web, psycopg.connect(url, autocommit=True) as connection:
            if signed.exists():
                sign_in(web)
            else:
                first_chief(web, head.code)
                signed.touch()
            paths = list(pages(connection))
            answer["pages"] = {}
            for name, path in paths:
                before = processor_s(head.process.pid)
                answer["pages"][name] = percentiles(timed(web, path, opened))
                spent = processor_s(head.process.pid) - before
                answer["pages"][name]["processor_ms"] = round(1000 * spent / opened, 1)
            before = processor_s(head.process.pid)
            senders = [
                Pusher(head.url, venue, key, VenueProgress(connection, venue), seconds, PUSH_EVERY_S * at / len(keys))
                for at, (venue, key) in enumerate(keys.items())
            ]
            threads = [threading.Thread(target=sender.run) for sender in senders]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            kinds = {kind: [one for sender in senders for one in sender.took[kind]] for kind in senders[0].took}
            answer["push"] = {
                kind: percentiles(took) | {"pushes": len(took)}
                for kind, took in {"all": [one for took in kinds.values() for one in took], **kinds}.items()
                if took
            }
            spent = processor_s(head.process.pid) - before
            answer["push"]["all"]["processor_ms"] = round(1000 * spent / answer["push"]["all"]["pushes"], 1)
            answer["head_mb"] = round(head.rss_mb())
            answer["megabytes_of_tables_and_indices"] = sizes(connection)
    finally:
        head.stop()
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description="A federation's database of ten years")
    parser.add_argument("--scale", type=float, default=0.01, help="1: ten years of 500 events, 2 million games")
    parser.add_argument("--venues", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0, help="of pushes")
    parser.add_argument("--opened", type=int, default=20, help="how often each page is opened")
    parser.add_argument("--move-years", type=int, default=2, help="so many years' moves are kept; 0: of all")
    parser.add_argument("--folded", type=int, default=24, help="events folded by the product; the others are copies")
    parser.add_argument("--sample", type=int, default=5, help="events that the product folds again to compare")
    parser.add_argument("--processes", type=int, default=2, help="that make the data")
    parser.add_argument("--keep", type=Path, help="a folder whose database stays, and is measured again the next time")
    asked = parser.parse_args()
    load: Callable[[], tuple[float, float, float]] = os.getloadavg
    before = load()[0]
    with ExitStack() as undo:
        folder = (asked.keep or Path(undo.enter_context(tempfile.TemporaryDirectory()))).absolute()
        facts = folder / "built.json"
        settings = [] if facts.exists() else BUILDING
        server = undo.enter_context(running_server(folder / "pg" if asked.keep else None, *settings))
        if facts.exists():
            url = server.url("test1")
        else:
            url = server.url("test1") if (folder / "rows-written").exists() else server.new()
            venues = [f"venue-{number}" for number in range(1, asked.venues + 1)]
            what = plan(asked.scale, venues, asked.move_years, asked.folded)
            built = {"scale": asked.scale, "move_years": asked.move_years, "build_load": round(before, 1)}
            built |= build_data(folder, url, what, asked.sample, asked.processes)
            facts.write_text(json.dumps(built))
            server.stop("fast")
            server.start()
        found = json.loads(facts.read_text()) | measured(folder, url, asked.opened, asked.seconds)
    machine = {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    print(json.dumps(found | machine | {"load": [round(before, 1), round(load()[0], 1)]}, ensure_ascii=False))


if __name__ == "__main__":
    main()
