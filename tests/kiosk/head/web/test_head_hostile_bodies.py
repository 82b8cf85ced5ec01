"""Tests that no request body blocks the head's event loop or crashes it: the table link is answered meanwhile.

Each body can block a careless parser for seconds, or cause a status 500. The measured time is what the loop's own
thread computes without a pause, so other load of the machine does not count.
"""

from __future__ import annotations

import asyncio
import io
import threading
import time
import tracemalloc
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from heads.addresses import filled, targets
from heads.hostile_files import far_apart
from heads.staff import first_chief, token
from heads.world import running_head
from waiting import HANGS_S

from engine.board.errors import BadRecord
from engine.board.obf_positions import read_obf
from engine.i18n import LocalizedError
from kiosk import untrusted_file_sandbox
from kiosk.head.pages.http_app_and_security_headers import FORMS, UPLOADS
from kiosk.head.program import HeadApplication
from kiosk.head.registration.rating_and_member_lookup import PlayerList, read_file
from kiosk.records.elo_result_file_reader import EloError, read_elo
from kiosk.records.papp_files import PappError, read_players

#: bodies that blocked the loop for 0.6 to 52 s
HELD_S = 0.4


class Site:
    """A head, its chief arbiter's client, and the longest time for which its event loop was blocked."""

    def __init__(self, program: HeadApplication, web: httpx.Client) -> None:
        self.program, self.web = program, web
        first_chief(web, program.access.setup_code)
        self.csrf = token(web)
        loop = program.services.pages.changes._loop
        assert loop is not None
        self._loop, self.pauses = loop, [0.0]

    @contextmanager
    def watched(self) -> Iterator[None]:
        self.pauses = [0.0]
        watching = asyncio.run_coroutine_threadsafe(self._watch(), self._loop)
        try:
            yield
        finally:
            watching.cancel()
        assert max(self.pauses) < HELD_S

    async def _watch(self) -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.005)
            self.pauses.append(time.thread_time() - before)

    def upload(self, path: str, content: bytes, field: bytes = b"file") -> httpx.Response:
        parts = [(b"csrf", self.csrf.encode()), (field, content)]
        body = b"".join(b'--b\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % part for part in parts)
        return self.send(path, body + b"--b--\r\n", "multipart/form-data; boundary=b")

    def send(self, path: str, body: bytes, type: str) -> httpx.Response:
        with self.watched():
            return self.web.post(path, content=body, headers={"content-type": type})


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with (
        running_head(tmp_path_factory.mktemp("head")) as (program, url),
        httpx.Client(base_url=url, timeout=HANGS_S) as web,
    ):
        yield Site(program, web)


def _nested(depth: int, fill: bytes = b"") -> bytes:
    opened = b"".join(
        b"--b%d\r\nContent-Type: multipart/mixed; boundary=b%d\r\n\r\n" % (level, level + 1) for level in range(depth)
    )
    return opened + fill


MULTIPART = {
    "2 000 multiparts in each other": (_nested(2000), "b0"),
    "1 MB of multiparts in each other": (_nested(16_000), "b0"),
    "each line a boundary": (b"--b\r\n" * 200_000, "b"),
    "each part a header of 1 MB": (b"--b\r\n" + b'Content-Disposition: form-data; name="' + b"a" * 1_000_000, "b"),
    "1 MB of headers": (b"--b\r\n" + b"a: b\r\n" * 170_000 + b"\r\n\r\n--b--", "b"),
    "folded headers": (b"--b\r\nContent-Disposition: form-data;" + b"\r\n " * 300_000 + b"\r\n\r\n--b--", "b"),
    "no end": (b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nx', "b"),
    "half a character in a name": (b'--b\r\nContent-Disposition: form-data; name="\xff"\r\n\r\nx\r\n--b--', "b"),
    "nothing": (b"", "b"),
    "a boundary of 10 000 letters": (b"--" + b"b" * 10_000, "b" * 10_000),
    "no boundary": (b"--\r\n\r\n----", ""),
}


@pytest.mark.fault(27, "forms that no page sends: refused as fast as they came")
@pytest.mark.parametrize("which", MULTIPART)
def test_a_costly_form_is_refused_quickly(site: Site, which: str) -> None:
    body, boundary = MULTIPART[which]
    answer = site.send("/division/main/import", body, f"multipart/form-data; boundary={boundary}")
    assert answer.status_code == 400


def _workbook(declared: int | None) -> bytes:
    """Return a workbook of 100 kB with a sheet of 100 MB, which declares ``declared`` bytes; None: its true size."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("[Content_Types].xml", "_rels/.rels", "xl/workbook.xml", "xl/_rels/workbook.xml.rels"):
            archive.writestr(name, "<x/>")
        archive.writestr("xl/worksheets/sheet1.xml", b"x" * 100_000_000)
    said = (100_000_000).to_bytes(4, "little")
    return packed.getvalue().replace(said, said if declared is None else declared.to_bytes(4, "little"))


#: made on demand, because every test process imports this file
LISTS = {
    "a workbook that unpacks to 100 MB": lambda: _workbook(None),
    "a workbook that says it unpacks to 1 kB": lambda: _workbook(1000),
    "a quote that is never closed": lambda: b'name,grade\n"Lund,3d\n' + b"x\n" * 200_000,
    "a cell of 3.9 MB": lambda: b"name\n" + b"x" * 3_900_000,
    "3.9 million columns": lambda: b"name\n" + b"," * 3_900_000,
    "3.9 million columns in the header": lambda: b"name" + b"," * 3_900_000,
    "a PAPP list of 450 000 players": lambda: b"pays = SWE\n" + b"".join(b"%d A\n" % count for count in range(450_000)),
    "a list of 500 000 names": lambda: b"name\n" + b"".join(b"A%d\n" % number for number in range(500_000)),
    "1.9 million lines": lambda: b"name\n" + b"x\n" * 1_900_000,
    "half a character in UTF-16": lambda: b"\xff\xfe\x00\xd8\x00",
    "a lone surrogate in UTF-16": lambda: "name\nx".encode("utf-16") + b"\x00\xd8",
    "a zero": lambda: b"name\n\x00Lund",
    "an .ELO line of blanks": lambda: b"%_% 1" + b" " * 3_000_000,
    "an .ELO field of blanks": lambda: b"%_%\n%%Date:" + b" x" * 1_500_000 + b"!",
    "points that are no number": lambda: b"%_% 1, LUND, Beatrix, SWE, nan\n%Round 1",
    "points without end": lambda: b"%_% 1, LUND, Beatrix, SWE, inf\n%Round 1",
    "a PAPP line of blanks": lambda: b"pays = SWE\n1 LUND" + b" " * 3_000_000 + b"!",
    "a short PAPP line of blanks": lambda: b"pays = SWE\n1 LUND" + b" " * 1_500 + b"!",
    "a number of 5 000 digits": lambda: b"pays = SWE\n1 LUND <" + b"9" * 5_000 + b">",
}


@pytest.mark.parametrize(
    "which",
    [
        pytest.param(which, marks=pytest.mark.fault(31 if "workbook" in which else 27, f"as a list: {which}"))
        for which in LISTS
    ],
)
@pytest.mark.parametrize("path", ["/division/main/import", "/division/main/roster"])
def test_a_file_that_is_no_list_is_answered_with_a_message(site: Site, path: str, which: str) -> None:
    answer = site.upload(path, LISTS[which]())
    assert answer.status_code in (200, 303, 400)


@pytest.mark.fault(31, "a workbook that asks for any memory")
def test_an_oversized_workbook_is_answered_with_a_message(site: Site) -> None:
    """The head keeps running, its loop is not blocked, and the next form is answered."""
    answer = site.upload("/division/main/import", far_apart("XFD1048576"))
    assert answer.status_code == 400
    assert site.web.get("/").status_code == 200


def test_forms_are_answered_while_files_are_read(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many workbooks as there are reader processes are read without end; orders are answered meanwhile."""
    reading, ends = threading.Semaphore(0), threading.Event()

    def read(*_: object) -> list[tuple[str, str]]:
        reading.release()
        assert ends.wait(60)
        return [("S", "name\nLund")]

    monkeypatch.setattr(untrusted_file_sandbox, "run", read)
    sending = [threading.Thread(target=lambda: statuses.append(post())) for _ in range(2 * FORMS)]
    statuses: list[int] = []
    body = b'--b\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n%s\r\n' % site.csrf.encode()
    body += b'--b\r\nContent-Disposition: form-data; name="file"\r\n\r\nPK\x03\x04\r\n--b--\r\n'

    def post() -> int:
        kind = {"content-type": "multipart/form-data; boundary=b"}
        with httpx.Client(base_url=site.web.base_url, cookies=site.web.cookies, timeout=60) as web:
            return web.post("/division/main/import", content=body, headers=kind).status_code

    for thread in sending:
        thread.start()
    try:
        for _ in range(UPLOADS):
            assert reading.acquire(timeout=60)
        acted = site.web.post("/desk/create", data={"csrf": site.csrf, "event": "{}"}, timeout=20)
        assert acted.status_code == 400 and not statuses
    finally:
        ends.set()
        for thread in sending:
            thread.join(60)
    assert statuses == [200] * len(sending)


@pytest.mark.fault(27, "event files that cannot be written again")
@pytest.mark.parametrize(
    "event",
    [
        '{"name": "\\ud800"}', '{"a":' * 2000 + "1" + "}" * 2000, "[" * 100_000, '{"players": NaN}', '{"name": 1e999}',
        '{"format": "swiss", "players": [{"id": "\\udfff\\ud800"}]}', "9" * 5000, '{"a": ' + "9" * 5000 + "}",
    ],
)  # fmt: skip
def test_an_event_file_that_cannot_be_written_again_is_refused(site: Site, event: str) -> None:
    with site.watched():
        answer = site.web.post("/desk/create", data={"csrf": site.csrf, "event": event})
    assert answer.status_code == 400


@pytest.mark.fault(27, "5 000 digits, and 5 000 letters, as any part of a query at every page")
@pytest.mark.parametrize("said", ["9" * 5_000, "-" + "9" * 5_000, "²", "\x00", "a " * 2_500])
def test_an_invalid_query_is_answered_by_a_page(site: Site, said: str) -> None:
    """A round number of too many digits, which Python refuses to parse, causes no status 500."""
    names = dict.fromkeys(("round", "page", "table", "find", "known", "why", "at", "from", "show", "name"), said)
    places = defaultdict(lambda: "x", division="main", number="1", table="1", player="p1")
    tried = 0
    for door in targets(site.program.app.routes):
        path = None if door.method != "GET" or door.path.startswith("/stream") else filled(door.path, places)
        if path is not None:
            with site.watched():
                answer = site.web.get(path, params=names)
            tried += 1
            assert answer.status_code < 500, path
    assert tried > 40


def test_a_name_of_a_thousand_parts_is_searched_quickly(tmp_path: Path) -> None:
    """The search does not compare each part with each of 100 000 known names."""
    roster = PlayerList(tmp_path / "roster.json")
    roster.replace([{"name": "a b"}])
    assert len(roster.find("a " * 20 + "z " * 1_000)) == 0 and len(roster.find("a " * 30 + "z " * 1_000)) == 1


@pytest.mark.parametrize("kind", ["csv", "papp"])
def test_a_long_list_of_names_is_read_line_by_line(tmp_path: Path, kind: str) -> None:
    """The longest accepted list does not hold its text, rows and players in memory at the same time."""
    rows = [f"架空 太郎{n},かくう たろう,{n % 9 + 1}d,{1950 + n % 60},架空クラブ" for n in range(3_000)]
    if kind == "papp":
        rows = [f"{n + 1} 架空, 太郎{n} {{DEU}} <{500 + n % 2_000}>" for n in range(3_000)]
    content = "\n".join(["pays = JPN" if kind == "papp" else "name,kana,grade,birth_year,club", *rows]).encode()
    tracemalloc.start()
    try:
        roster = PlayerList(tmp_path / "roster.json")
        roster.replace(read_file(content))
        held, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(roster) == 3_000
    assert peak - held < 8 * len(content), (peak, held, len(content))


@pytest.mark.fault(27, "a cookie of 15 kB in quotes")
def test_a_long_cookie_is_read_quickly(site: Site) -> None:
    """The standard library takes 0.6 s for a quoted one of 15 kB, and any client may send it."""
    with site.watched():
        answer = site.web.get("/", headers={"cookie": 'kiosk_lang="' + '\\"' * 7_000 + '"'})
    assert answer.status_code == 200


@pytest.mark.fault(27, "a sign-in that waits for a slow disk")
def test_a_page_is_answered_while_a_sign_in_waits_for_a_slow_disk(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page identifies the user by the cookie without waiting for another user's write, and a table's next
    acknowledgement, with its pending orders, does not wait either."""
    begun, go_on = threading.Event(), threading.Event()
    save: Callable[[], None] = site.program.access._vault.save

    def slow(vault: object) -> None:
        begun.set()
        go_on.wait(HANGS_S)
        save()

    monkeypatch.setattr(type(site.program.access._vault), "save", slow)
    with httpx.Client(base_url=site.web.base_url, timeout=HANGS_S) as other:
        signing = threading.Thread(
            target=lambda: other.post("/sign-in", data={"name": "審判長 Chief", "password": "green discs rule"})
        )
        signing.start()
        assert begun.wait(HANGS_S)
        try:
            for path in ("/static/head.css", "/", "/desk"):
                assert site.web.get(path, timeout=10).status_code == 200, path
            told: list[object] = []
            asking = threading.Thread(
                target=lambda: told.append(site.program.devices.collection.pending(1)), daemon=True
            )
            asking.start()
            asking.join(HANGS_S)
            assert told, "a table's acknowledgement waits for the disk of a sign-in"
        finally:
            go_on.set()
            signing.join(HANGS_S)


@pytest.mark.fault(33, "10⁶ characters for the patterns that read files of games and players")
@pytest.mark.parametrize(
    ("read", "kind", "text"),
    [
        (read_elo, EloError, "%%Date:" + " x" * 10_000 + "!"),
        (read_elo, EloError, "%_% 1, A, B, SWE, " + "9" * 400),
        (lambda text: list(read_obf(text)), BadRecord, "-" * 64 + " X; " + " " * 1_000_000 + "!"),
        (lambda text: list(read_obf(text)), BadRecord, "-" * 64 + " X; " + "a " * 500_000 + "!"),
        (read_players, PappError, "1 LUND" + " " * 900 + "}\n"),
        (read_players, PappError, "1 LUND, " + "a " * 900 + "}\n"),
    ],
)  # fmt: skip
def test_a_line_is_matched_in_linear_time(read: Callable[[str], object], kind: type[LocalizedError], text: str) -> None:
    begun = time.process_time()
    with pytest.raises(kind):
        read(text)
    assert time.process_time() - begun < 5
