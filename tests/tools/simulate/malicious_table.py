"""A malicious table: an attacker with the key of one device and all published information.

Whatever it sends under its key, with valid signatures and in the right order, must not affect the games of other
tables.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random
from typing import Any

from simulate.simulated_head import SimulatedHead

from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.program.head_application import HeadApplication
from kiosk.link.endpoints.table_link import TableLink
from kiosk.link.link_messages import TableRecord
from kiosk.link.transport_interfaces import Transport

#: seconds between two false records
PAUSE_S = (2.0, 30.0)
#: the reason in a false outcome of a command
FALSE_REASON = "a lie"


class _FalseRecords:
    """Outbox of a device that writes arbitrary records."""

    def __init__(self, epoch: str) -> None:
        self.epoch = epoch
        self.records: list[TableRecord] = []

    def last_seq(self) -> int:
        return len(self.records)

    def records_after(self, seq: int, limit: int) -> list[TableRecord]:
        return self.records[seq : seq + limit]

    def acknowledged(self, seq: int) -> None:
        pass

    def append(self, type: Any, body: dict[str, Any]) -> None:
        self.records.append(TableRecord(len(self.records) + 1, type, body))


class MaliciousTable:
    """The malicious table. ``number``: of the table whose key it has; ``epoch``: of its journal. ``is_thief``: that
    table is in play. Since the key's holder is trusted for the games it has or may get, no false records about those
    are sent.
    """

    def __init__(
        self, number: int, key: bytes, wire: Transport, head: SimulatedHead, chance: Random, is_thief: bool = False
    ) -> None:
        self._number, self._head, self._chance, self._is_thief = number, head, chance, is_thief
        self._outbox = _FalseRecords(chance.randbytes(8).hex())
        self.epoch = self._outbox.epoch
        self._link = TableLink(
            [wire],
            number,
            key,
            self._outbox,
            on_command=lambda *_: None,
            on_status=lambda *_: None,
            uniform=chance.uniform,
        )
        self.sent = 0
        self._of_another: TableRecord | None = None

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._link.keep_connected())
            tasks.create_task(self._send_false_record())

    def needs_report(self, program: HeadApplication) -> bool:
        """Return whether the head has received a record that must be reported to the desk: a card for another table's
        game.
        """
        record = self._of_another
        there = () if record is None else program.store.records(table=self._number, type="card")
        return record is not None and any((one.epoch, one.seq) == (self.epoch, record.seq) for one in there)

    async def _send_false_record(self) -> None:
        kinds: tuple[Callable[[HeadGame], None], ...] = (
            self._a_card,
            self._a_card_that_is_no_card,
            self._a_game_that_it_has,
            self._an_answer_for_another,
        )
        if not self._is_thief:
            kinds = (*kinds, self._a_card_of_the_next_round, self._a_game_of_the_next_round)
        while True:
            await asyncio.sleep(self._chance.uniform(*PAUSE_S))
            program = self._head.program
            if program is None:
                continue
            # for the table's own game, if there is one, its key is trusted
            games = [
                game for game in program.desk.state.current if game.white is not None and game.table != self._number
            ]
            if not games:
                continue
            self._chance.choice(kinds)(self._chance.choice(games))
            self.sent += 1
            self._link.wake()

    def _a_card(self, game: HeadGame, name: str | None = None) -> None:
        winner, discs = self._chance.choice((("black", (64, 0)), ("white", (0, 64)), ("draw", (32, 32))))
        self._outbox.append(
            "card",
            {
                "game": name or game.id,
                "winner": winner,
                "black_id": game.black,
                "white_id": game.white,
                "black_discs": discs[0],
                "white_discs": discs[1],
                "end": "normal",
                "rated": True,
            },
        )
        if name is None and game.table is not None and self._of_another is None:
            self._of_another = self._outbox.records[-1]

    def _a_card_of_the_next_round(self, game: HeadGame) -> None:
        self._a_card(game, _next(game))

    def _a_card_that_is_no_card(self, game: HeadGame) -> None:
        body: dict[str, Any] = {"game": game.id, "v": float("nan")}
        self._outbox.append("card", self._chance.choice((body, {}, {"game": game.id, "winner": 7})))

    def _a_game_that_it_has(self, game: HeadGame, name: str | None = None) -> None:
        players = [{"id": player, "name": player} for player in (game.black, game.white)]
        self._outbox.append(
            "assigned",
            {
                "assignment": {
                    "game": name or game.id, "event": "", "division": "", "round": game.round + (name is not None),
                    "table": self._number, "rules": "m43", "stage": "league", "label_ja": "", "label_en": "",
                    "main_s": 1200, "designated": True, "players": players,
                },
                "has_board_source": True,
            },
        )  # fmt: skip
        self._a_card(game, name)

    def _a_game_of_the_next_round(self, game: HeadGame) -> None:
        self._a_game_that_it_has(game, _next(game))

    def _an_answer_for_another(self, game: HeadGame) -> None:
        status = self._chance.choice(("applied", "refused", "expired"))
        self._outbox.append("command", {"id": f"{game.id}-assign-0", "status": status, "reason": FALSE_REASON})


def _next(game: HeadGame) -> str:
    """Return the name of the same game one round later."""
    event, round, number = game.id.rsplit("-", 2)
    return f"{event}-{int(round.partition('.')[0]) + 1}-{number}"
