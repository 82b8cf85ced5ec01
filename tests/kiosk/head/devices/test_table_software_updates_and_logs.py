"""Tests of table updates from a real head over HTTP: which tables get one, when not, and how results are reported."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from heads.staff import PASSWORD, add_person, first_chief, token, use_code
from heads.world import running_head
from updates.signed_updates import Maker
from updates.updating_table import UpdatedTable

from kiosk.head.devices.table_software_updates_and_logs import FOLDER, SUFFIX, Updates
from kiosk.head.errors import Conflict, HeadError
from kiosk.head.program import HeadApplication
from kiosk.link.errors import RemoteProtocolError
from kiosk.link.link_messages import Assignment, PlayerInfo
from kiosk.table.device.update_and_diagnostics_client import HELPER_TIMEOUT_S, HttpRequester, is_idle
from kiosk.table.state import TableState
from kiosk.update import table_update_and_diagnostics_messages as update_messages
from kiosk.update.archive_and_install_requests import REQUEST
from kiosk.update.table_update_and_diagnostics_messages import TableReport, UpdateStage

PIECES = 3 * update_messages.PIECE + 1000


@dataclass
class Hall:
    head: HeadApplication
    url: str
    folder: Path
    maker: Maker
    keys: dict[int, bytes]
    tables: dict[int, UpdatedTable] = field(default_factory=dict)

    @property
    def updates(self) -> Updates:
        return self.head.devices.updates

    def table(self, number: int, **how: object) -> UpdatedTable:
        ask = HttpRequester(self.url.replace("http", "ws") + "/link")
        made = UpdatedTable(number, self.keys[number], self.folder / f"t{number}", self.maker.key, ask, **how)  # type: ignore[arg-type]
        self.tables[number] = made
        return made

    def give(self, version: str = "1.1.0") -> str:
        """Put an update onto the head; return its hash."""
        place = self.folder / "head/data" / FOLDER
        place.mkdir(exist_ok=True)
        made = self.maker.archive(version, place / f"othello-{version}{SUFFIX}", PIECES)
        return next(one.sha256 for one in self.updates.archives() if one.path == made)

    def seen(self, number: int) -> TableReport:
        return next(at.latest for at in self.updates.tables() if at.table == number)


@pytest.fixture
def hall(tmp_path: Path) -> Iterator[Hall]:
    maker = Maker(tmp_path / "maker")
    with running_head(tmp_path / "head", tables=6, update_key=maker.key) as (head, url):
        head.devices.updates._pace = 10**10
        yield Hall(head, url, tmp_path, maker, {n: head.devices.link.collector.key(n) or b"" for n in range(1, 7)})


def test_tables_are_updated_and_a_failed_one_returns_to_its_version(hall: Hall) -> None:
    sha256 = hall.give()
    tables = [hall.table(n, works=lambda version, n=n: not (n == 3 and version == "1.1.0")) for n in range(1, 5)]
    for table in tables:
        assert table.step() >= 0 and table.stage == "none"
        table.step()
    hall.updates.offer(sha256, range(1, 5))
    ended = [table.until("done", "failed") for table in tables]
    assert ended == ["done", "done", "failed", "done"]
    assert [table.machine.now for table in tables] == ["1.1.0", "1.1.0", "1.0.0", "1.1.0"]
    for table in tables:
        table.step()
    assert [hall.seen(n).version for n in range(1, 5)] == ["1.1.0", "1.1.0", "1.0.0", "1.1.0"]
    assert hall.seen(3).stage is UpdateStage.FAILED and "did not open its journal" in str(hall.seen(3).why)
    assert not any(at.offered for at in hall.updates.tables())
    trail = [event.body for event in hall.head.store.operator_events() if event.kind == "device-update-ended"]
    ends = {body["table"]: body["how"] for body in trail}
    assert len(trail) == 4 and ends == {1: "done", 2: "done", 3: "failed", 4: "done"}
    table = tables[2]
    for _ in range(5):
        table.step()
    assert table.stage == "failed", "it is not tried again by itself"
    table.works = lambda version: True
    hall.updates.offer(sha256, [3])
    assert table.until("done") == "done"


def test_an_unsigned_update_is_not_offered(hall: Hall, tmp_path: Path) -> None:
    hall.give()
    place = hall.folder / "head/data" / FOLDER
    other = Maker(tmp_path / "other").archive("9.0.0", place / f"forged{SUFFIX}")
    (place / f"cut{SUFFIX}").write_bytes((place / f"othello-1.1.0{SUFFIX}").read_bytes()[:-10])
    found = {one.path.name: one.problem is None for one in hall.updates.archives()}
    assert found == {"othello-1.1.0.update": True, "forged.update": False, "cut.update": False}
    with pytest.raises(HeadError, match="no longer available"):
        hall.updates.offer(_hash(other), [1])
    with pytest.raises(HeadError, match="choose tables"):
        hall.updates.offer(hall.give(), [99])


def _hash(path: Path) -> str:
    import hashlib

    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_dishonest_head_updates_no_table(hall: Hall, tmp_path: Path) -> None:
    """A table installs only a newer archive signed by the maker; an archive by another, an older one, and one that
    changes during the transfer are refused."""
    other = Maker(tmp_path / "other")
    place = hall.folder / "head/data" / FOLDER
    place.mkdir()
    made = other.archive("1.1.0", place / f"forged{SUFFIX}")
    hall.updates._maker = other.key  # an attacker controls the head
    one, two, three = hall.table(1), hall.table(2), hall.table(3)
    hall.updates.offer(_hash(made), [1])
    assert one.until("failed") and "somebody else" in str(one.program and one.program.kept.why)
    hall.updates._maker = hall.maker.key
    hall.updates.offer(hall.give("0.9.0"), [2])
    assert two.until("failed") and "not newer" in str(two.program and two.program.kept.why)
    sha256 = hall.give("1.2.0")
    hall.updates.offer(sha256, [3])
    three.until("fetching")
    archive = next(one for one in hall.updates.archives() if one.sha256 == sha256)
    data = bytearray(archive.path.read_bytes())
    data[-5] ^= 1
    archive.path.write_bytes(data)
    hall.updates._looked[archive.path] = ((archive.path.stat().st_mtime_ns, len(data)), archive)
    assert three.until("failed") and "not the one that was offered" in str(three.program and three.program.kept.why)
    assert {table.machine.now for table in (one, two, three)} == {"1.0.0"}
    assert all(table.machine.used == [] for table in (one, two, three))


def test_no_update_happens_while_an_event_runs(hall: Hall) -> None:
    sha256 = hall.give()
    one, two = hall.table(1), hall.table(2)
    hall.updates.offer(sha256, [1, 2])
    one.until("staging")
    two.until("fetching")
    two.step()
    here = hall.seen(2).done
    (slug,) = hall.head.desk.state.divisions
    hall.head.desk.rounds.publish(hall.head.desk.rounds.draft(slug).digest, slug)
    with pytest.raises(Conflict, match="an event runs"):
        hall.updates.offer(sha256, [3])
    for _ in range(6):
        one.step(), two.step()
    assert (one.stage, one.machine.used, hall.seen(2).done <= here + update_messages.PIECE) == ("staged", [], True)
    assert two.stage == "fetching"


def test_a_table_with_a_game_waits_and_resumes_the_download(hall: Hall) -> None:
    table = hall.table(1)
    hall.updates.offer(hall.give(), [1])
    table.until("fetching")
    table.step(), table.step()
    players = [PlayerInfo("a", "A"), PlayerInfo("b", "B")]
    game = Assignment("g", "e", "d", 1, 1, "m43", "league", "", "", 1200, False, players)
    table.state = TableState(1, assignment=game)
    table.step()
    here = (table.folders.theirs / "archive").stat().st_size
    assert 0 < here < PIECES
    for _ in range(4):
        table.step()
    assert (table.folders.theirs / "archive").stat().st_size == here and not hall.seen(1).rests
    table._start("1.0.0")  # its machine was switched off meanwhile
    table.state = TableState(1)
    assert table.until("done") == "done"


def test_a_full_memory_card_is_reported_and_harms_no_game(hall: Hall) -> None:
    table = hall.table(1)
    table.room = 10_000_000
    hall.updates.offer(hall.give(), [1])
    assert table.until("failed") and "not enough room" in str(hall_why(hall, table))
    assert not (table.folders.theirs / "archive").exists()


def hall_why(hall: Hall, table: UpdatedTable) -> object:
    table.step()
    return hall.seen(table.number).why


def test_an_update_offer_survives_a_restart_and_can_be_withdrawn(hall: Hall) -> None:
    sha256 = hall.give()
    one = hall.table(1)
    hall.updates.offer(sha256, [1, 2])
    one.until("done")
    again = Updates(hall.head.store, hall.keys, hall.updates._folder, hall.maker.key, lambda: hall.head.desk.state)
    assert {at.table for at in again.tables() if at.offered} == {2}
    two = hall.table(2)
    two.until("fetching")
    hall.updates.take_back()
    two.step(), two.step()
    assert two.stage == "none" and not (two.folders.theirs / "archive").exists()
    again = Updates(hall.head.store, hall.keys, hall.updates._folder, hall.maker.key, lambda: hall.head.desk.state)
    assert not any(at.offered for at in again.tables())


def test_an_interrupted_switch_is_requested_again_and_given_up_in_the_end(hall: Hall) -> None:
    """The power failed after the table's request, before root's helper began: a restart alone starts no helper."""
    table = hall.table(1)
    hall.updates.offer(hall.give(), [1])
    table.until("staging")
    assert table.program is not None
    while table.stage != "switching":
        table.program.step()
    request = table.folders.theirs / REQUEST
    request.unlink()
    table._start("1.0.0")
    table.program.step()
    assert table.stage == "switching" and request.exists()
    table.now_s += HELPER_TIMEOUT_S + 1
    table.program.step()
    assert table.stage == "failed"


def test_a_request_counts_once_and_only_with_the_key(hall: Hall) -> None:
    ask = HttpRequester(hall.url.replace("http", "ws") + "/link")
    question = update_messages.SignedRequest(1, hall.keys[1], b"", TableReport("1.0.0"))
    answer = question.verify_reply(ask(question.frame))
    assert not answer.counted
    question = update_messages.SignedRequest(1, hall.keys[1], answer.ticket, TableReport("1.0.0"))
    assert question.verify_reply(ask(question.frame)).counted
    replayed = question.verify_reply(ask(question.frame))
    assert not replayed.counted, "the same words again"
    for key, number in ((bytes(32), 1), (hall.keys[1], 2), (hall.keys[1], 77)):
        forged = update_messages.SignedRequest(number, key, b"", TableReport("9.9.9"))
        with pytest.raises(OSError, match="403"):
            ask(forged.frame)
    other = update_messages.SignedRequest(1, hall.keys[1], b"", TableReport("1.0.0"))
    with pytest.raises(RemoteProtocolError):
        other.verify_reply(ask(update_messages.SignedRequest(1, hall.keys[1], b"", TableReport("1.0.0")).frame))
    for body in (b"", b"x" * 10, b"OTHs" + bytes(100), b"x" * 300_000):
        assert httpx.post(hall.url + update_messages.PATH, content=body).status_code in (403, 413)
    assert hall.seen(1).version == "1.0.0"


def test_log_and_diagnosis_are_for_arbiters_and_bounded(hall: Hall, tmp_path: Path) -> None:
    chief = httpx.Client(base_url=hall.url, headers={"accept-language": "en"})
    first_chief(chief, hall.head.access.setup_code)
    table = hall.table(1, look=lambda what: "ü" * update_messages.REPORT + f"<b>{what}</b> ends")
    table.step(), table.step()
    stranger = httpx.Client(base_url=hall.url)
    assert stranger.get("/devices/table/1").status_code in (303, 403)
    chief.post("/devices/table/1", data={"csrf": token(chief), "what": "log"})
    for _ in range(4):
        table.step()
    page = chief.get("/devices/table/1").text
    assert "&lt;b&gt;log&lt;/b&gt; ends" in page and len(page) < 2 * update_messages.REPORT
    kept = hall.updates.report(1, "log")
    assert kept is not None and len(kept.text.encode()) <= update_messages.REPORT
    table.look = None  # type: ignore[assignment]
    for _ in range(3):
        table.step()  # it is not requested twice
    assert chief.post("/devices/table/1", data={"csrf": token(chief), "what": "keys"}).status_code == 400
    assert chief.get("/devices/table/99").status_code == 404


def test_only_the_chief_updates_and_the_page_shows_the_progress(hall: Hall) -> None:
    chief = httpx.Client(base_url=hall.url, headers={"accept-language": "en"})
    first_chief(chief, hall.head.access.setup_code)
    hall.give()
    one = hall.table(1, works=lambda version: version == "1.0.0")
    one.step(), one.step()
    assert "Update all (1)" in chief.get("/devices").text
    arbiter = httpx.Client(base_url=hall.url, headers={"accept-language": "en"})
    use_code(arbiter, add_person(chief, "arbi", "arbiter"))
    assert arbiter.post("/devices/update", data={"csrf": token(arbiter), "tables": "all"}).status_code == 403
    chief.post("/devices/update", data={"csrf": token(chief), "tables": "1", "password": PASSWORD})
    assert "1 tables" in chief.get("/devices").text or "being updated" in chief.get("/devices").text
    one.until("failed")
    one.step()
    assert "did not open its journal" in chief.get("/devices").text


def test_a_table_is_idle_only_without_a_game_played_or_due() -> None:
    players = [PlayerInfo("a", "A"), PlayerInfo("b", "B")]
    game = Assignment("g", "e", "d", 1, 1, "m43", "league", "", "", 1200, False, players)
    assert is_idle(TableState(1)) and not is_idle(TableState(1, assignment=game))
