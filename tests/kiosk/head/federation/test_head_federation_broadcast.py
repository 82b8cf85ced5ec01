"""Tests of the venues' broadcasts at their federation: which documents are valid, refused or shown; and the
transport."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import msgspec
import pytest
from heads.venue_pushes import Federation, mock_client, rows_in
from heads.world import playing_table, running_head
from waiting import until

from kiosk.errors import InputError
from kiosk.head.errors import Conflict, Forbidden, HeadError
from kiosk.head.export.broadcast_relay_sender_and_federation_target import FederationTarget, Relay, opener_of
from kiosk.head.export.publish_targets import PublishTargetError
from kiosk.head.federation.push_protocol import sign
from kiosk.head.federation.push_receiver_and_venue_quarantine import QuarantineDecision
from kiosk.head.federation.received_venue_broadcasts import (
    KEPT_S,
    MAX_GAME,
    BroadcastPush,
    BroadcastReply,
    VenueBroadcasts,
)
from kiosk.head.federation.venue_keys import save_venues
from kiosk.head.head_config import TO_FEDERATION, Relaying, load_config
from kiosk.head.head_config import FederationConfig as Config
from kiosk.head.tables.live_game_json_and_document_cache import Broadcast


@functools.cache
def document() -> str:
    """Return the broadcast document of a game of five moves at table 1, as a head sends it."""
    with TemporaryDirectory() as folder, running_head(Path(folder), auto=True) as (program, _):
        playing_table(program, moves=5)
        outside = Broadcast(program.desk, program.live)
        until(lambda: 1 in outside.documents() and len(outside.documents()[1].document.moves) == 5)
        return outside.documents()[1].text


def game(table: int = 1, **other: Any) -> bytes:
    return json.dumps(json.loads(document()) | {"table": table} | other).encode()


def index(*tables: int, now_ms: int = 1000) -> bytes:
    games = [{"table": table, "number": "n", "state": "playing", "names": ["選手1", "選手2"]} for table in tables]
    content = {"schema": "othello-live/1", "now_ms": now_ms, "every_ms": 3000, "slots": {}, "games": games}
    return json.dumps(content).encode()


class Clock:
    now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Ends:
    """The federation's receiver, and what venues send to it."""

    def __init__(self, folder: Path) -> None:
        self.federation, self.clock = Federation.open(folder), Clock()
        self.broadcasts = VenueBroadcasts(self.federation.collector, self.clock)
        self.federation.collector.person_anonymised.connect(self.broadcasts.anonymise_again)

    def send(self, turn: BroadcastPush, venue: str = "", key: bytes | None = None) -> BroadcastReply:
        venue, body = venue or turn.venue, msgspec.msgpack.encode(turn)
        key = key or self.federation.keys[venue]
        return msgspec.msgpack.decode(self.broadcasts.accept(venue, sign(key, "", body), body)[0], type=BroadcastReply)

    def push(self, venue: str, *tables: int, **other: Any) -> BroadcastPush:
        """Request a ticket and send documents, as a venue does; return the accepted push."""
        asked = self.send(BroadcastPush(venue, "nonce"))
        fields = {"index": index(*tables), "games": {table: game(table) for table in tables}} | other
        turn = BroadcastPush(venue, "nonce", asked.ticket, asked.number + 1, **fields)
        assert self.send(turn).number == turn.number
        return turn

    def tables(self, venue: str) -> list[int]:
        found = self.broadcasts.files(venue).get(None)
        return [] if found is None else [one["table"] for one in json.loads(found)["games"]]


@pytest.fixture
def ends(tmp_path: Path) -> Iterator[Ends]:
    ends = Ends(tmp_path / "federation")
    yield ends
    ends.federation.close()


def test_a_venue_s_broadcast_is_shown_and_changed_by_itself_only(ends: Ends) -> None:
    """Nothing of the broadcast is in the store or in the audit trail."""
    ends.push("osaka", 1, 2)
    ends.push("sapporo", 1, games={1: game(1, division="北")})
    assert json.loads(ends.broadcasts.files("osaka")[1]) == json.loads(game(1))
    assert ends.tables("osaka") == [1, 2] and ends.tables("sapporo") == [1]
    assert [one.division for one in ends.broadcasts.games("sapporo")] == ["北"]
    ends.push("osaka", 2, games={})  # table 1 is hidden now, table 2 has nothing new
    assert ends.tables("osaka") == [2] and ends.broadcasts.files("osaka").get(1) is None
    assert ends.broadcasts.files("sapporo").get(1) is not None
    assert not list(ends.federation.store.operator_events()) and not rows_in(ends.federation.store, "osaka")


def test_documents_of_other_venues_are_refused(ends: Ends) -> None:
    ends.push("osaka", 1)
    asked = ends.send(BroadcastPush("osaka", "nonce"))
    mine = BroadcastPush("osaka", "nonce", asked.ticket, asked.number + 1, index(), {})
    with pytest.raises(Forbidden):
        ends.send(mine, key=ends.federation.keys["sapporo"])
    with pytest.raises(Forbidden, match="not its own"):
        ends.send(mine, venue="sapporo")
    with pytest.raises(Forbidden, match="not its own"):
        ends.send(msgspec.structs.replace(mine, index=index(2), games={2: game(1)}))
    assert ends.tables("osaka") == [1]


def test_a_replayed_document_changes_nothing(ends: Ends) -> None:
    """It is refused after newer turns and after the federation has deleted them."""
    old = ends.push("osaka", 1)
    ends.push("osaka", 1, 2)
    with pytest.raises(Conflict):
        ends.send(old)
    assert ends.tables("osaka") == [1, 2]
    ends.clock.now_s += KEPT_S + 1
    assert ends.tables("osaka") == [] and ends.broadcasts.files("osaka").get(1) is None
    with pytest.raises(Conflict):
        ends.send(old)
    assert ends.tables("osaka") == []


@pytest.mark.parametrize(
    "bent",
    [
        lambda: {"games": {1: game(1, division="x" * MAX_GAME)}},
        lambda: {"games": {table: game(table, division="x" * 30_000) for table in range(1, 290)}},
        lambda: {"index": index(*range(1, 9000))},
        lambda: {"games": {1: game(1, board="X")}},
        lambda: {"games": {1: game(1, moves=[{"by": "black", "move": "<b>"}])}},
        lambda: {"games": {1: b"[" * 20_000}},
        lambda: {"index": b"{}"},
    ],
    ids=["game", "all", "index", "board", "move", "nested", "no index"],
)
def test_an_invalid_or_oversized_document_is_refused(ends: Ends, bent: Callable[[], dict[str, Any]]) -> None:
    ends.push("osaka", 1)
    with pytest.raises(HeadError):
        ends.push("osaka", 1, **bent())
    assert ends.tables("osaka") == [1]
    assert json.loads(ends.broadcasts.files("osaka")[1]) == json.loads(game(1))


def test_unknown_fields_of_a_game_are_not_published(ends: Ends) -> None:
    """A later version of a venue may send more fields; only those that this version knows are published."""
    ends.push("osaka", 1, games={1: game(1, findings=["flag"])})
    assert json.loads(ends.broadcasts.files("osaka")[1]) == json.loads(game(1))


def test_an_anonymised_person_is_not_in_the_broadcast(ends: Ends) -> None:
    """This holds for games already there and for later ones, also with the club that is added for a namesake; a
    quarantined venue shows nothing."""
    sides = json.loads(document())["sides"]
    sides[0] |= {"name": "選手1", "club": "大阪"}
    told = game(1, sides=sides)
    ends.push("osaka", 1, games={1: told})

    def broadcast_text() -> str:
        return "".join(file.decode() for file in ends.broadcasts.files("osaka").values())

    assert "選手1" in broadcast_text() and "大阪" in broadcast_text()
    ends.federation.collector.anonymise("選手1", "asked for")
    assert "選手1" not in broadcast_text() and "大阪" not in broadcast_text() and "N.N." in broadcast_text()
    sides[0] |= {"name": "選手1 (大阪)"}
    for again in (told, game(1, sides=sides)):
        ends.push("osaka", 1, games={1: again})
        assert "選手1" not in broadcast_text() and "大阪" not in broadcast_text() and "N.N." in broadcast_text()
    ends.federation.collector.decide(ends.federation.venue(), QuarantineDecision.QUARANTINED, "checked")
    assert broadcast_text() == ""
    with pytest.raises(Forbidden):
        ends.send(BroadcastPush("osaka", "nonce"))


def test_a_restarted_federation_gets_all_documents_again(ends: Ends, tmp_path: Path) -> None:
    """Fields that a venue omits from its rows are not in its broadcast either."""
    save_venues(tmp_path / "osaka.json", {"osaka": ends.federation.keys["osaka"]})
    config = Config("http://federation.example", "osaka", tmp_path / "osaka.json", leave_out=["country"])

    def answer_push(request: httpx.Request) -> httpx.Response:
        try:
            answer, own = ends.broadcasts.accept("osaka", request.headers["x-seal"], request.content)
        except HeadError as error:
            return httpx.Response(error.status, json={"error": str(error)})
        return httpx.Response(200, content=answer, headers={"x-seal": own})

    def opened(_: object, line: Callable[[httpx.Request], httpx.Response] = answer_push) -> FederationTarget:
        return FederationTarget(config, lambda _: mock_client(line))

    with running_head(tmp_path / "head", auto=True) as (program, _):
        playing_table(program, moves=5)
        outside = Broadcast(program.desk, program.live)
        one = Relay(program.desk, outside, Relaying(TO_FEDERATION), tmp_path, dict, opener=opened, forgets=True)
        until(lambda: one.push() and len(ends.broadcasts.games("osaka")[0].moves) == 5)
        shown = ends.tables("osaka")
        assert {side.country for told in ends.broadcasts.games("osaka") for side in told.sides} == {""}
        ends.broadcasts = VenueBroadcasts(ends.federation.collector, ends.clock)
        up_ms = outside.now_ms()
        until(lambda: outside.now_ms() > up_ms)  # an unchanged index is not sent again
        assert not one.push() and "another broadcast" in str(one.status.trouble) and ends.tables("osaka") == []
        assert one.push() and one.status.trouble is None and ends.tables("osaka") == shown
        one._close_target()
    with (
        pytest.raises(HeadError, match="not from the federation"),
        closing(opened(None, lambda _: httpx.Response(200, content=b"", headers={"x-seal": "0"}))),
    ):
        pass
    for stranger in (b"", b"[]", b"null", b"{"):
        answer = httpx.Response(502, content=stranger, headers={"content-type": "application/json"})
        with pytest.raises(PublishTargetError, match=r"the broadcast \(502\)"):
            opened(None, lambda _, answer=answer: answer)  # type: ignore[misc]


def test_a_relay_to_an_unset_federation_or_without_moves_is_refused(tmp_path: Path) -> None:
    relay = Relaying(TO_FEDERATION)
    with pytest.raises(InputError, match=r"\[federation\]"):
        opener_of(relay, None)
    with pytest.raises(InputError, match="leave_out"):
        opener_of(relay, Config("http://x", "osaka", tmp_path / "key", leave_out=["moves"]))
    save_venues(tmp_path / "osaka.json", {"osaka": bytes(32)})
    (tmp_path / "head.toml").write_text(
        'data = "data"\n[relay]\nto = "federation"\n'
        '[federation]\nurl = "http://x"\nvenue = "osaka"\nkey = "osaka.json"\n'
    )
    found = load_config(tmp_path / "head.toml")
    assert found.relay is not None and found.relay.to == TO_FEDERATION
