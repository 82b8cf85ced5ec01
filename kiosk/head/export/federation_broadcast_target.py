"""The federation's head as a target of the broadcast: the relay's files over the connection of the rows.

A push is sent as one, with the index. The federation forgets its files when it restarts, so opening this target sends
everything again. The federation has its own viewer, and makes PGN and GGF of the games itself.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from http.client import OK

import httpx
import msgspec

from engine.i18n import say
from kiosk.errors import InputError
from kiosk.head.errors import HeadError
from kiosk.head.export.broadcast_relay import INDEX
from kiosk.head.export.publish_targets import Opener, PublishTargetError, check_place, open_place
from kiosk.head.federation.omitted_fields_and_anonymised_persons import reduced_game
from kiosk.head.federation.push_protocol import SEAL_HEADER, check_peer, read_sealed, sealed_by
from kiosk.head.federation.push_thread import client_of
from kiosk.head.federation.venue_broadcast import PATH, BroadcastPush, BroadcastReply
from kiosk.head.federation.venue_keys import load_venue
from kiosk.head.head_config import TO_FEDERATION, FederationConfig, Relaying


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
            self._games[int(name)] = self._reduced(data)

    def remove(self, path: str) -> None:
        """Do nothing: what the index does not name is removed by the federation."""

    def close(self) -> None:
        self._client.close()

    def _reduced(self, data: bytes) -> bytes:
        if not self._config.leave_out:
            return data
        return json.dumps(reduced_game(json.loads(data), self._config.leave_out), ensure_ascii=False).encode()

    def _ask(self, turn: BroadcastPush) -> BroadcastReply:
        body = msgspec.msgpack.encode(turn)
        try:
            answer = self._client.post(PATH, content=body, headers=sealed_by(self._config.venue, self._key, body))
        except httpx.HTTPError as error:
            raise PublishTargetError(
                say("{url} does not answer ({why})", url=self._config.url, why=str(error) or repr(error))
            ) from error
        if answer.status_code != OK:
            why = answer.json().get("error", "") if "json" in answer.headers.get("content-type", "") else ""
            raise PublishTargetError(
                say("{url} does not accept the broadcast ({why})", url=self._config.url, why=why or answer.status_code)
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
        raise InputError(say("relay.to is the federation, and there is none; write [federation] too"))
    if "moves" in federation.leave_out:
        raise InputError(
            say("relay.to is the federation, and federation.leave_out keeps the moves from it; take one of them away")
        )
    return lambda _: FederationTarget(federation), True
