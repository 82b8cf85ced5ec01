"""FAULTS.md 20: the head answers every request with a sentence, and no request crashes it.

Every route is tried, signed in and not, with the content of its own form altered in every way: the body, the fields,
the address, the headers, the token. The head's log must hold no error afterwards.
"""

from __future__ import annotations

import html
import json
import logging
import re
import socket
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random
from urllib.parse import quote, urlencode

import httpx
import pytest
import schemathesis
from events.random_events import team_event
from faults.hostile_values import TYPED
from faults.mutations import mutated_bytes
from heads.addresses import Target, filled, targets
from heads.random_operator import RandomOperator
from heads.staff import first_chief, token
from heads.tournaments import RULES
from heads.world import PlayedTable, event, quick_card, running_head
from hypothesis import given, settings
from hypothesis import strategies as st
from waiting import HANGS_S, until

from engine.tournament.formats import FORMATS
from kiosk.head.event.act_types import event_of
from kiosk.head.event.table_result_cards_and_notices import READ
from kiosk.head.event.tournament_state_from_events import fold

#: requests to one head; some are valid and change it, so that a fresh one follows
BLOCK = 400
SENTENCE = re.compile(r"[A-Za-z][a-z]+ [a-z].* [a-z]|[ぁ-ん][^ ]{4,}", re.DOTALL)


class PathValues(dict[str, str]):
    """Values for the variables of an address, most of which exist."""

    def __init__(self, random: Random, game: str) -> None:
        super().__init__(
            division="main", game=game, player="p1", table="1", number="1", act="forfeit", kind="cards", path="x.html"
        )
        if random.random() < 0.3:
            strange = quote(random.choice(TYPED), safe="") or "x"
            if random.random() < 0.2:
                strange = random.choice(("%ff", "%00", "%2e%2e%2f", "..", "%", "9" * 400))
            self[random.choice(list(self))] = strange

    def __missing__(self, name: str) -> str:
        return "x"

    def __contains__(self, name: object) -> bool:
        return True


def form_of(target: Target, csrf: str, random: Random) -> list[tuple[str, str]]:
    fields = [(name, random.choice(TYPED)) for name in sorted(target.fields)]
    fields = [field for field in fields if random.random() < 0.8]
    if random.random() < 0.9:
        fields.append(("csrf", csrf if random.random() < 0.9 else random.choice(TYPED)))
    match random.randrange(8):
        case 0 if fields:
            fields.append(random.choice(fields))
        case 1:
            fields.append((random.choice(("x", "", "csrf[]", "__proto__", "é")), "1"))
        case 2:
            fields += [(f"f{number}", "") for number in range(700)]
    return fields


def body_of(target: Target, csrf: str, random: Random) -> tuple[bytes, dict[str, bytes]]:
    """Return a body and its headers."""
    fields = form_of(target, csrf, random)
    urlencoded = urlencode(fields).encode()
    types = {"content-type": b"application/x-www-form-urlencoded"}
    if target.uploads or random.random() < 0.1:
        parts = "".join(
            f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n' for name, text in fields
        )
        for name in sorted(target.uploads) or ["file"]:
            parts += (
                f'--b\r\nContent-Disposition: form-data; name="{name}"; filename="f"\r\n\r\nid,name\r\n1,あ\r\n\r\n'
            )
        urlencoded, types = (parts + "--b--\r\n").encode(), {"content-type": b"multipart/form-data; boundary=b"}
    match random.randrange(10):
        case 0 | 1:
            return mutated_bytes(urlencoded, b"%ff%00&&==;", random), types
        case 2:
            wrong = random.choice(("application/json", "text/plain", "", "multipart/form-data", "x", "é"))
            return urlencoded, {"content-type": wrong.encode()}
        case 3:
            return json.dumps(dict(fields)).encode(), {"content-type": b"application/json"}
        case 4 if random.random() < 0.1:
            return b"a=" + b"x" * 5_000_000, types
        case 5:
            return b"", types
        case _:
            return urlencoded, types


def check(answer: httpx.Response, what: str) -> None:
    assert answer.status_code < 500, f"{what}: {answer.status_code} {answer.text[:300]}"
    if answer.status_code >= 400:
        text = html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"(?s)<(style|script).*?</\1>", " ", answer.text)))
        assert SENTENCE.search(text), f"{what}: {answer.status_code} says nothing: {answer.text[:300]}"
        assert "Traceback" not in text and "kiosk/head" not in text, what


def raw(address: tuple[str, int], data: bytes) -> bytes:
    """Return the server's answer to bytes that no client would send."""
    with socket.create_connection(address, timeout=HANGS_S) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while block := connection.recv(65536):
            answer += block
        return answer


@pytest.mark.fault(20, "bad requests to every route, signed in and not: {answers}")
def test_no_request_crashes_the_head(
    tmp_path: Path,
    times: Callable[[int, int], int],
    record_property: Callable[[str, object], None],
    caplog: pytest.LogCaptureFixture,
) -> None:
    random, wanted, tried = Random(20), times(300, 10_000), 0
    answers: Counter[int] = Counter()
    seen: set[tuple[str, str]] = set()
    everything: set[tuple[str, str]] = set()
    while tried < wanted:
        with (
            running_head(tmp_path / str(tried), auto=True) as (program, url),
            httpx.Client(base_url=url, timeout=HANGS_S) as web,
        ):
            open_doors = [target for target in targets(program.app.routes) if not target.path.startswith("/stream")]
            everything |= {(target.method, target.path) for target in open_doors}
            first_chief(web, program.access.setup_code)
            until(lambda program=program: program.desk.state.current)  # type: ignore[misc]
            game = program.desk.state.current[0].id
            csrf, anonymous = token(web), httpx.Client(base_url=url, timeout=HANGS_S)
            for number in range(BLOCK):
                fresh = [target for target in open_doors if (target.method, target.path) not in seen]
                target = random.choice(fresh or open_doors)
                path = filled(target.path, PathValues(random, game))
                assert path is not None
                seen.add((target.method, target.path))
                client = anonymous if random.random() < 0.2 else web
                if random.random() < 0.3:
                    path += "?" + urlencode(
                        {random.choice(("lang", "round", "page", "x", "next")): random.choice(TYPED)}
                    )
                others = ("PUT", "DELETE", "PATCH", "POST", "GET")
                method = target.method if random.random() < 0.95 else random.choice(others)
                body, headers = body_of(target, csrf, random) if method == "POST" else (b"", {})
                answer = client.request(method, path, content=body, headers=headers)
                check(answer, f"{method} {path} {headers} {body[:500]!r}")
                answers[answer.status_code] += 1
                tried += 1
                if number % 20 == 19 and web.get("/accounts").status_code != 200:
                    break  # a valid request signed this account out, or closed it
            anonymous.close()
            host = ("127.0.0.1", int(url.rsplit(":", 1)[1]))
            for _ in range(times(5, 20)):
                request = b"POST /desk/new HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na=b"
                answer_bytes = raw(host, mutated_bytes(request, b"Transfer-Encoding: chunked\r\n\r\nZZ\r\n", random))
                assert not re.match(rb"HTTP/1\.1 5", answer_bytes), answer_bytes[:200]
                tried += 1
    assert seen >= everything or wanted < 2 * len(everything)
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
    record_property("tried", tried)
    record_property("answers", ", ".join(f"{count} × {status}" for status, count in sorted(answers.items())))


@pytest.mark.fault(20, "schemathesis on the documented API: {operations} operations")
def test_schemathesis_finds_no_undocumented_answer(
    tmp_path: Path, times: Callable[[int, int], int], record_property: Callable[[str, object], None]
) -> None:
    tried, operations, modes = 0, 0, tuple(schemathesis.GenerationMode)
    with running_head(tmp_path, auto=True) as (program, url):
        until(lambda: program.desk.state.current and all(game.table for game in program.desk.state.current))
        for table in [PlayedTable(number, program.devices.collection) for number in range(1, 9)]:
            (command,) = table.execute_commands()
            table.send("card", quick_card(command, 20 + 3 * table.number))
        until(lambda: len(program.desk.state.first.rounds) == 2)
        schema = schemathesis.openapi.from_url(f"{url}/openapi.json")
        for found in schema.get_all_operations():
            operation = found.ok()
            operations += 1

            @settings(max_examples=times(5, 300), deadline=None, database=None, derandomize=True)
            @given(case=st.one_of([operation.as_strategy(generation_mode=mode) for mode in modes]))
            def call(case: schemathesis.Case) -> None:
                nonlocal tried
                tried += 1
                case.validate_response(case.call())

            call()
    assert operations > 0
    record_property("tried", tried)
    record_property("operations", operations)


@pytest.mark.fault(20, "random forms of the staff's pages, in tournaments of every format")
@pytest.mark.parametrize("format_", FORMATS)
def test_staff_pages_answer_whatever_operators_enter(
    format_: str,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    times: Callable[[int, int], int],
    record_property: Callable[[str, object], None],
) -> None:
    """No page ends with a server error, and a head that starts with the same store has the same tournament."""
    with running_head(tmp_path, tables=4, auto=False, event=None) as (program, url), httpx.Client(base_url=url) as web:
        tournament = event(9, format_)
        if format_ == "team":
            tournament["teams"] = team_event(3)["teams"]
        program.desk.divisions.create(event_of(tournament), RULES, "main")
        first_chief(web, program.access.setup_code)
        web.follow_redirects = True
        steps = times(40, 2_000)
        for response in RandomOperator(program, web, Random(format_)).responses(steps):
            assert response.status_code < 500, (str(response.request.url), response.request.content[:2_000])
        assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
        assert fold(program.store.operator_events(), program.store.records(type=READ)) == program.desk.state
    record_property("tried", steps)
