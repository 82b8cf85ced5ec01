"""Relay of the broadcast to a remote target: one small JSON a game, pushed every few seconds, and a viewer that fetches
them; and the federation as such a target.

- Only what spectators may see is pushed, under the published names.
- After a broken connection the target is opened again, and what changed meanwhile is pushed in its current state.
- A game's file is sent before the index that names it.
- The head never waits for the relay, and any number of spectators load only the file server.
"""

from __future__ import annotations

import hashlib
import json
import logging
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from http.client import OK
from pathlib import Path

import httpx
import msgspec

from engine.board.errors import BoardError
from engine.i18n import Text, say, text_of
from kiosk.errors import InputError
from kiosk.head.desk import Desk
from kiosk.head.errors import HeadError
from kiosk.head.export.publish_targets import Opener, PublishTarget, PublishTargetError, check_place, open_place
from kiosk.head.federation.federation_push_thread_and_outbox import client_of
from kiosk.head.federation.omitted_and_anonymised_fields import reduced_game
from kiosk.head.federation.push_protocol import SEAL_HEADER, check_peer, read_refusal, read_sealed, sealed_by
from kiosk.head.federation.received_venue_broadcasts import PATH, BroadcastPush, BroadcastReply
from kiosk.head.federation.venue_keys import load_venue
from kiosk.head.head_config import TO_FEDERATION, FederationConfig, Relaying
from kiosk.head.tables.live_game_json_and_document_cache import (
    Broadcast,
    BroadcastView,
    GameIndexEntry,
    Index,
    game_record,
)
from kiosk.platform_compat import write_secret
from kiosk.records.game_file_formats import ggf_text, pgn_text
from kiosk.stoppable_thread import StoppableThread

log = logging.getLogger(__name__)

#: seconds before another attempt after an error
RETRY_S = 5.0
#: number of turns between files in other programs' formats
_RECORDS_EVERY = 10
INDEX = "live.json"
#: names of the pushed files, in the head's data directory: a restarted head removes those it no longer shows
FILE = "relayed.json"


@dataclass(frozen=True, slots=True)
class RelayStatus:
    """Status of the relay. ``games``: how many are pushed; ``trouble``: the error of the connection."""

    to: str
    games: int = 0
    trouble: Text | None = None


class Relay(StoppableThread):
    """A background relay. Call ``start`` and ``close``; ``status`` may be read from any thread."""

    def __init__(
        self,
        desk: Desk,
        broadcast: Broadcast,
        config: Relaying,
        data: Path,
        viewer: Callable[[], Mapping[str, bytes]],
        changed: Callable[[], None] = lambda: None,
        opener: Opener = open_place,
        *,
        forgets: bool = False,
    ) -> None:
        """``viewer``: the files of the viewer's page, made when the target is opened. ``forgets``: whether the target
        may have lost its files when it is opened again.
        """
        super().__init__("head-relay", 5.0)
        self._desk, self._broadcast, self._config, self._viewer = desk, broadcast, config, viewer
        self._changed, self._opener, self._forgets = changed, opener, forgets
        self._file = data / FILE
        self._up: dict[str, str] = dict.fromkeys(self._read(), "")
        self._place: PublishTarget | None = None
        self._turn = 0
        self.status = RelayStatus(config.to)

    def _run(self) -> None:
        while not self._stopping.wait(self._config.every_s if self.push() else RETRY_S):
            pass
        self._close_target()

    def push(self) -> bool:
        """Run one turn: push everything that differs from the last push. Return whether all is pushed."""
        try:
            if self._place is None:
                self._place = self._opener(self._config)
                if self._forgets:
                    self._up = dict.fromkeys(self._up, "")
            self._upload_changes(self._place)
        except (OSError, HeadError, InputError) as error:
            self._close_target()
            trouble = say("the current broadcast is not published: {why}", why=text_of(error))
            log.warning("%s", trouble)
            self._set_status(replace(self.status, trouble=trouble))
            return False
        self._set_status(RelayStatus(self._config.to, sum(name[0].isdigit() for name in self._up)))
        return True

    def _upload_changes(self, place: PublishTarget) -> None:
        shown = {table: one for table, one in self._broadcast.documents().items() if one.document.state != "free"}
        files = {f"{table}.json": one.text.encode() for table, one in shown.items()}
        for name in [name for name in self._up if name[0].isdigit() and name not in files]:
            place.remove(name)
            del self._up[name]
        noted_files = set(self._up)
        if not all(self._up.get(name) for name in ("index.html", INDEX)):
            files |= self._viewer()
        if self._turn % _RECORDS_EVERY == 0:
            files |= self._records(shown)
        self._turn += 1
        if not files.keys() <= noted_files:
            self._write({*noted_files, *files})
        for name, data in files.items():
            self._upload(place, name, data)
        self._upload(place, INDEX, self._index(shown))

    def _upload(self, place: PublishTarget, name: str, data: bytes) -> None:
        digest = hashlib.sha256(data).hexdigest()
        if self._up.get(name) != digest:
            self._up[name] = ""  # unknown until it is sent
            place.put(name, data)
            self._up[name] = digest

    def _index(self, shown: Mapping[int, BroadcastView]) -> bytes:
        games = [
            GameIndexEntry(
                table,
                hashlib.sha256(one.text.encode()).hexdigest()[:12],
                one.document.state,
                [side.name for side in one.document.sides],
            )
            for table, one in shown.items()
        ]
        index = Index(
            now_ms=self._broadcast.now_ms(),
            every_ms=round(self._config.every_s * 1000),
            slots=dict(self._broadcast.slots()),
            games=games,
        )
        return msgspec.json.encode(index)

    def _records(self, shown: Mapping[int, BroadcastView]) -> dict[str, bytes]:
        state = self._desk.state
        games = [game_record(one.document, state.title, state.date) for one in shown.values() if one.document.moves]
        try:
            return {"games.pgn": pgn_text(games).encode(), "games.ggf": ggf_text(games).encode()}
        except BoardError as error:
            log.warning("the games so far cannot be written as PGN and GGF: %s", error)
            return {}

    def _set_status(self, status: RelayStatus) -> None:
        if status != self.status:
            self.status = status
            self._changed()

    def _close_target(self) -> None:
        place, self._place = self._place, None
        if place is not None:
            place.close()

    def _read(self) -> list[str]:
        try:
            noted = json.loads(self._file.read_text(encoding="utf-8"))
            return [str(name) for name in noted["files"]] if noted["to"] == self._config.to else []
        except (OSError, ValueError, LookupError, TypeError):
            return []

    def _write(self, names: set[str]) -> None:
        write_secret(self._file, json.dumps({"to": self._config.to, "files": sorted(names)}).encode())


# The federation's head as a target of the broadcast: the relay's files over the connection of the rows.
#
# A push is sent as one, with the index. The federation forgets its files when it restarts, so opening this target sends
# everything again. The federation has its own viewer, and makes PGN and GGF of the games itself.


class FederationTarget:
    """An open target (``publish_targets.PublishTarget``)."""

    def __init__(
        self, config: FederationConfig, client: Callable[[FederationConfig], httpx.Client] = client_of
    ) -> None:
        """Connect to the federation's head.

        :raises PublishTargetError: the federation does not answer. :raises HeadError: it refuses.
        """
        self._config, self._key = config, load_venue(config.key, config.venue)
        self._client = client(config)
        self._games: dict[int, bytes] = {}
        try:
            self._answer = self._ask(BroadcastPush(config.venue, secrets.token_hex(16)))
        except (OSError, HeadError):
            self._client.close()
            raise

    def put(self, path: str, data: bytes) -> None:
        """Store a file for the next push; a game waits for its index."""
        name, _, kind = path.rpartition(".")
        if path == INDEX:
            number = self._answer.number + 1
            games, self._games = self._games, {}
            self._answer = self._ask(
                BroadcastPush(self._config.venue, secrets.token_hex(16), self._answer.ticket, number, data, games)
            )
        elif name.isdigit() and kind == "json":
            self._games[int(name)] = self._reduce(data)

    def remove(self, path: str) -> None:
        """Do nothing: what the index does not name is removed by the federation."""

    def close(self) -> None:
        self._client.close()

    def _reduce(self, data: bytes) -> bytes:
        if not self._config.leave_out:
            return data
        return json.dumps(reduced_game(json.loads(data), self._config.leave_out), ensure_ascii=False).encode()

    def _ask(self, turn: BroadcastPush) -> BroadcastReply:
        body = msgspec.msgpack.encode(turn)
        try:
            answer = self._client.post(PATH, content=body, headers=sealed_by(self._config.venue, self._key, body))
        except httpx.HTTPError as error:
            raise PublishTargetError.saying(
                "{url} does not answer ({why})", url=self._config.url, why=str(error) or repr(error)
            ) from error
        if answer.status_code != OK:
            why = read_refusal(answer.content) or answer.status_code
            raise PublishTargetError.saying(
                "{url} does not accept the broadcast ({why})", url=self._config.url, why=why
            )
        check_peer(answer.headers)
        return read_sealed(self._key, turn.nonce, answer.content, answer.headers.get(SEAL_HEADER, ""), BroadcastReply)


def opener_of(config: Relaying, federation: FederationConfig | None) -> tuple[Opener, bool]:
    """Return what opens the target of the broadcast, and whether the target may have lost its files.

    :raises InputError: the broadcast cannot go there; the message says what to write instead.
    """
    if config.to != TO_FEDERATION:
        check_place(config, "relay")
        return open_place, False
    if federation is None:
        raise InputError.saying("relay.to is the federation, and there is none; write [federation] too")
    if "moves" in federation.leave_out:
        raise InputError.saying(
            "relay.to is the federation, and federation.leave_out keeps the moves from it; take one of them away"
        )
    return lambda _: FederationTarget(federation), True
