"""A federation's database of ten years: how long its head takes to start, to take a push and to draw a page; its size.

``python -m benchmarks.federation [--scale S] [--venues N] [--seconds S] [--keep FOLDER]`` prints JSON. Scale 1 is ten
years of 500 events of 100 players and 8 rounds: 2 million games. The people, their games and results are made up from
one seed. Of a game's records only the card is there, with its transcript: the rows of presses and boards would be a
hundred times as many and are looked at by nothing that is measured here but a push's own table. PostgreSQL is a server
of its own with fsync on; the head is the real program in a process of its own, and each of the venues pushes one row
every two seconds, as a venue with news does, from this process. ``fold``: the database made from the rows, in one
process, nothing else running.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import httpx
import msgspec
import psycopg

sys.path.append(str(Path(__file__).parents[1] / "tests" / "tools"))

from heads.postgres import running_server
from heads.process import HeadProcess

from engine.board.position import Position
from hardware.timebase import SystemTime
from kiosk.head.event.names import event_name, game_id
from kiosk.head.federation.database.place import open_database
from kiosk.head.federation.database.projection import Projection
from kiosk.head.federation.database.register import Register
from kiosk.head.federation.keys import save_venues
from kiosk.head.federation.venue import Heard, Venue
from kiosk.head.federation.wire import PATH, SEAL_HEADER, VENUE_HEADER, Answer, Push, RecordRow, seal
from kiosk.head.store import Store
from kiosk.head.store.chain import OperatorEvent, canonical, link
from kiosk.head.store.rows import wall_clock

YEARS, EVENTS, PLAYERS, ROUNDS, TABLES = 10, 500, 100, 8, 50
FIRST = 2031
PUSH_EVERY_S = 2.0
FAMILY = (
    "青木", "石田", "上野", "遠藤", "大野", "加藤", "木村", "工藤", "小川", "後藤", "佐野", "島田", "杉本", "関口",
    "千葉", "中西", "西田", "野口", "原田", "平野", "藤井", "前田", "山口", "吉川",
)  # fmt: skip
GIVEN = (
    "海斗", "結衣", "さくら", "大和", "拓海", "千尋", "隼人", "みどり", "陽菜", "蓮", "葵", "翔", "美咲", "健", "彩",
)  # fmt: skip


def percentiles(values: list[float]) -> dict[str, float]:
    ordered = sorted(values)
    shares = {"p50_ms": 0.5, "p99_ms": 0.99, "max_ms": 1.0}
    return {name: round(1000 * ordered[min(len(ordered) - 1, int(s * len(ordered)))], 1) for name, s in shares.items()}


def transcripts(dice: random.Random, count: int = 300) -> list[tuple[str, int]]:
    """Games of legal moves by lot, with Black's discs."""
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


def trail(
    number: int, day: date, dice: random.Random, games: list[tuple[str, int]], people: list[dict[str, Any]]
) -> tuple[list[OperatorEvent], list[dict[str, Any]]]:
    """An event as its venue would have sent it: entries of the trail, and the cards, each (table, card)."""
    entered = [{**one, "id": f"p{at}"} for at, one in enumerate(dice.sample(people, PLAYERS), start=1)]
    created = {
        "division": "main",
        "event": {
            "schema": "othello-event/1", "name": f"第{number}回大会", "date": day.isoformat(), "format": "swiss",
            "options": {"random_seed": number, "rounds": ROUNDS}, "players": entered,
        },
        "table": {"rules": "m43", "main_s": 1200, "options": {}},
        "title": {"ja": "無差別", "en": "Open"},
    }  # fmt: skip
    told: list[tuple[str, dict[str, Any]]] = [("event-created", created)]
    cards: list[dict[str, Any]] = []
    source = event_name(created)
    for round in range(1, ROUNDS + 1):
        order = dice.sample(range(1, PLAYERS + 1), PLAYERS)
        pairs = [(f"p{order[at]}", f"p{order[at + 1]}") for at in range(0, PLAYERS, 2)]
        lines = [{"black": black, "white": white} for black, white in pairs]
        told.append(("round-published", {"division": "main", "round": round, "games": lines}))
        for at, (black, white) in enumerate(pairs, start=1):
            moves, discs = dice.choice(games)
            game = game_id(source, round, at)
            told.append(("game-seated", {"game": game, "table": at, "arrived": 0}))
            winner = "black" if discs > 32 else "white" if discs < 32 else "draw"
            cards.append({
                "game": game, "winner": winner, "black_id": black, "white_id": white, "black_discs": discs,
                "white_discs": 64 - discs, "end": "normal", "rated": True, "transcript": moves,
            })  # fmt: skip
    events: list[OperatorEvent] = []
    for kind, body in told:
        events.append(link(events[-1] if events else None, f"{day}T09:00:00.000+00:00", kind, body, "desk"))
    return events, cards


def fill(url: str, venues: list[str], scale: float, dice: random.Random) -> dict[str, Any]:
    """Puts the venues' rows into the store's tables, as the head would have."""
    games = transcripts(dice)
    count = max(len(venues), round(YEARS * EVENTS * scale))
    people = [
        {"name": f"{dice.choice(FAMILY)} {dice.choice(GIVEN)}", "grade": f"{dice.randint(1, 6)}d", "national": str(at)}
        for at in range(1, max(2 * PLAYERS, round(20_000 * scale)))
    ]
    for person in people[::5]:  # every fifth has no number: nobody knows who he is
        del person["national"]
    arrivals = dict.fromkeys(venues, 0)
    last: dict[str, str] = {}
    with psycopg.connect(url) as connection, connection.cursor() as cursor:
        for number in range(count):
            venue = venues[number % len(venues)]
            day = date(FIRST, 1, 1) + timedelta(days=number * 365 * YEARS // count)
            events, cards = trail(number + 1, day, dice, games, people)
            name = last[venue] = f"{number:016x}-0"
            with cursor.copy("COPY venue_events FROM STDIN") as copy:
                for e in events:
                    body = canonical(e.body)
                    copy.write_row((venue, name, e.number, e.at, e.person, e.kind, body, e.previous, e.hash))
            with cursor.copy("COPY venue_records FROM STDIN") as copy:
                for at, card in enumerate(cards):
                    table, seq = at % TABLES + 1, at // TABLES + 1
                    arrivals[venue] += 1
                    copy.write_row((venue, table, name, seq, "card", canonical(card), arrivals[venue]))
        for venue, name in last.items():
            heard = json.dumps(asdict(Heard(wall_clock(), name, 0)))
            cursor.execute("INSERT INTO meta VALUES (%s, %s)", (f"venue:{venue}", heard))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("ANALYZE")
    return {"events": count, "games": count * PLAYERS // 2 * ROUNDS, "people": len(people), "last": last}


def fold(url: str, folder: Path, last: dict[str, str]) -> float:
    """Makes the database from the rows; gives the seconds."""
    store = Store(folder / "data", url)
    venues = {name: Venue(name, store.reading, SystemTime()) for name in last}
    for name, venue in venues.items():
        venue.heard = Heard(wall_clock(), last[name], 0)
    register = Register(store, store.operator_events())
    projection = Projection(store.reading, open_database(folder / "data", url), register, venues.get)
    began = time.perf_counter()
    projection.catch_up()
    took = time.perf_counter() - began
    with projection.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("ANALYZE")
    projection.close()
    store.close()
    return took


class Pusher:
    """A venue that sends one row every two seconds."""

    def __init__(self, url: str, venue: str, key: bytes, seconds: float, after: float) -> None:
        self._venue, self._key, self._until, self._after = venue, key, time.monotonic() + seconds, after
        self._web = httpx.Client(base_url=url, timeout=60)
        self.took: list[float] = []

    def _send(self, ticket: str, records: list[RecordRow]) -> Answer:
        push = Push(self._venue, "bench-0", "nonce", wall_clock(), 0, [], records, f"bench-{self._venue}", ticket)
        body = msgspec.msgpack.encode(push)
        headers = {VENUE_HEADER: self._venue, SEAL_HEADER: seal(self._key, "", body)}
        answer = self._web.post(PATH, content=body, headers=headers)
        answer.raise_for_status()
        return msgspec.msgpack.decode(answer.content, type=Answer)

    def run(self) -> None:
        ticket = self._send("", []).ticket
        time.sleep(self._after)
        number = 0
        while time.monotonic() < self._until:
            number += 1
            began = time.perf_counter()
            answer = self._send(ticket, [RecordRow(1, "bench", number, "trouble", {"n": number}, 10**8 + number)])
            self.took.append(time.perf_counter() - began)
            assert answer.counted and answer.refused is None, answer
            ticket = answer.ticket
            time.sleep(max(0.0, PUSH_EVERY_S - self.took[-1]))


def pages(url: str, last: dict[str, str]) -> Iterator[tuple[str, str]]:
    venue, trail = next(iter(last.items()))
    record = f"/record/{venue}/{trail}"
    yield "venues", "/venues"
    yield "calendar", f"/calendar?year={FIRST + YEARS - 1}"
    yield "calendar of a venue", f"/calendar?venue={venue}"
    yield "record, standings", f"{record}/ja/main/standings.html"
    yield "record, rounds", f"{record}/ja/main/rounds.html"
    yield "event file", f"{record}/files/main.json"
    yield "search", "/people?name=青木"
    yield "person", "/people/1"
    yield "venues.json", "/venues.json"
    yield "events.json", f"/venues/{venue}/events.json"
    yield "ranking", "/rankings/all"


def timed(web: httpx.Client, path: str, times: int = 20) -> list[float]:
    found = []
    for _ in range(times):
        began = time.perf_counter()
        answer = web.get(path)
        found.append(time.perf_counter() - began)
        assert answer.status_code == 200, (path, answer.status_code)
    return found


def sizes(url: str) -> dict[str, int]:
    """Megabytes of the tables with their indices, the partitions of the moves together."""
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT CASE WHEN relname LIKE 'moves_2%' THEN 'moves' ELSE relname END, sum(pg_total_relation_size(oid)) "
            "FROM pg_class WHERE relkind = 'r' AND relnamespace::regnamespace::text IN ('public', 'federation') "
            "GROUP BY 1 HAVING sum(pg_total_relation_size(oid)) > 1000000 ORDER BY 2 DESC"
        ).fetchall()
        whole = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    return {name: round(int(size) / 1e6) for name, size in found} | {"database": round(whole[0] / 1e6) if whole else 0}


def measured(scale: float, count: int, seconds: float) -> dict[str, Any]:
    dice = random.Random(2031)
    venues = [f"venue-{number}" for number in range(1, count + 1)]
    with running_server() as server, tempfile.TemporaryDirectory() as directory:
        folder, url = Path(directory), server.new()
        keys = {venue: dice.randbytes(32) for venue in venues}
        save_venues(folder / "venues.json", keys)
        (folder / "seasons.toml").write_text(
            f'[[ranking]]\nkey = "all"\ntitle_ja = "年間"\ntitle_en = "Year"\n'
            f"from = {FIRST}-01-01\nto = {FIRST}-12-31\n"
            "points = { place = [10, 8, 6, 5, 4, 3, 2, 1], win = 1 }\n"
        )
        (folder / "head.toml").write_text(
            f'data = "data"\nstore = "{url}"\nvenues = "venues.json"\nseasons = "seasons.toml"\n'
            'host = "127.0.0.1"\nport = 0\n'
        )
        Store(folder / "data", url).close()
        made = fill(url, venues, scale, dice)
        answer: dict[str, Any] = {name: made[name] for name in ("events", "games", "people")} | {"venues": count}
        answer["fold_s"] = round(fold(url, folder, made["last"]), 1)
        began = time.perf_counter()
        head = HeadProcess(folder / "head.toml")
        answer["start_s"] = round(time.perf_counter() - began, 1)
        try:
            with httpx.Client(base_url=head.url, timeout=60) as web:
                answer["pages"] = {name: percentiles(timed(web, path)) for name, path in pages(head.url, made["last"])}
            senders = [
                Pusher(head.url, venue, key, seconds, PUSH_EVERY_S * at / count)
                for at, (venue, key) in enumerate(keys.items())
            ]
            threads = [threading.Thread(target=sender.run) for sender in senders]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            took = [one for sender in senders for one in sender.took]
            answer["push"] = percentiles(took) | {"pushes": len(took)}
        finally:
            head.stop()
        answer["megabytes"] = sizes(url)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description="A federation's database of ten years")
    parser.add_argument("--scale", type=float, default=0.01, help="1: ten years of 500 events, 2 million games")
    parser.add_argument("--venues", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=20.0, help="of pushes")
    asked = parser.parse_args()
    load: Callable[[], tuple[float, float, float]] = os.getloadavg
    before = load()[0]
    found = {"scale": asked.scale, **measured(asked.scale, asked.venues, asked.seconds)}
    machine = {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    print(json.dumps(found | machine | {"load": [round(before, 1), round(load()[0], 1)]}, ensure_ascii=False))


if __name__ == "__main__":
    main()
