"""A hall for tests of the head: an invented event, and tables that play by the real rules and send records to it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from waiting import HANGS_S, until

from engine.board.board_geometry import scan
from engine.board.color import Color
from engine.board.position import Position
from engine.match import CallArbiter, CardReady, ReadBoard, Seat, step
from engine.match.match_events_and_effects import (
    BoardReported,
    Confirm,
    DeclareEnd,
    DiscCount,
    Event,
    Press,
    SeatsAssigned,
    Submitted,
)
from kiosk.head.head_config import HeadConfig
from kiosk.head.program import HeadApplication, build_head
from kiosk.head.program.garbage_collection_schedule import GcPolicy
from kiosk.head.program.listening_sockets_tls_and_server import listen
from kiosk.link.game_replay_and_event_encoding import event_to_dict
from kiosk.link.game_replay_and_event_encoding import initial_state as begin_match
from kiosk.link.link_messages import Assigned, Assignment, Command, Health, ResultCard, TableRecord, from_dict, to_dict
from kiosk.link.table_keys import new_keys

NAMES = (
    "青木 みどり", "Beatrix Lund", "千葉 海斗", "Dario Fenn", "遠藤 さくら", "Farid Oster", "後藤 大和", "Hanne Quill",
    "石田 結衣", "Jonas Marr", "加藤 隼人", "Lena Vogt", "森 千尋", "Nils Orre", "小川 拓海", "Petra Sund",
)  # fmt: skip

S = 1_000_000_000


def event(players: int = 16, format: str = "m43-open", **options: object) -> dict[str, Any]:
    """Return an event of invented people."""
    return {
        "schema": "othello-event/1",
        "name": "春のオセロ大会 Spring Open",
        "date": "2031-04-05",
        "format": format,
        "options": {"random_seed": 7, **options},
        "players": [
            {
                "id": f"p{number}",
                "name": NAMES[(number - 1) % 16],
                "grade": f"{number % 6 + 1}d",
                "country": "JPN" if number % 2 else "SWE",
                "sex": "F" if number in (1, 2, 5, 8, 9, 12) else "M",
            }
            for number in range(1, players + 1)
        ],
    }


@dataclass
class PlayedTable:
    """One table whose records go straight into a head's collection."""

    number: int
    collection: Any
    epoch: str = "epoch"
    seq: int = 0
    at_ns: int = 1_000 * S
    board_source: bool = True
    done: set[str] = field(default_factory=set)
    assignment: Assignment | None = None
    match: Any = None
    position: Position | None = None
    sent: list[TableRecord] = field(default_factory=list)

    def send(self, type: str, body: dict[str, Any]) -> None:
        self.seq += 1
        record = TableRecord(self.seq, type, body)  # type: ignore[arg-type]
        self.sent.append(record)
        assert self.collection.commit(self.number, self.epoch, [record]) == self.seq

    def live(self, **health: Any) -> None:
        """Send a sign of life."""
        self.collection.note_alive(self.number, Health(**health))

    def execute_commands(self) -> list[Command]:
        """Execute the commands for this table; an assigned game is begun."""
        commands = [command for command in self.collection.pending(self.number) if command.id not in self.done]
        for command in commands:
            self.done.add(command.id)
            if command.kind == "assign":
                self.begin(from_dict(Assignment, command.body))
            self.send("command", {"id": command.id, "status": "applied", "reason": ""})
        return commands

    def begin(self, assignment: Assignment) -> None:
        self.assignment = assignment
        assigned = Assigned(assignment, self.board_source)
        self.match = begin_match(assigned, self.at_ns)
        self.position = Position.start(self.match.variant)
        self.send("assigned", to_dict(assigned))
        self.send("seated", {"game": assignment.game, "at": {"left": 0, "right": 1}})
        self.apply_event(SeatsAssigned(self.at_ns, Seat.LEFT, None if assignment.designated else Color.BLACK))
        self.apply_event(Press(self.at_ns, Seat.RIGHT))

    def apply_event(self, event: Event) -> None:
        assert self.assignment is not None
        self.match, effects = step(self.match, event)
        body = {"game": self.assignment.game, "revision": self.match.revision, "event": event_to_dict(event)}
        self.send("event", body)
        for effect in effects:
            match effect:
                case ReadBoard(number):
                    assert self.position is not None
                    self.apply_event(BoardReported(self.at_ns, self.position.cells(), number))
                case CardReady():
                    self.send("card", to_dict(self.card()))
                case CallArbiter():
                    pass

    def play(self, moves: int, seconds: float = 7.0) -> None:
        """Play so many turns, each the first legal move; before the first game its assignment is executed."""
        if self.match is None:
            self.execute_commands()
        for _ in range(moves):
            assert self.position is not None
            self.at_ns += int(seconds * S)
            mover = self.position.to_move
            legal = scan(self.position.legal_moves())
            if not legal and self.position.is_over:
                return
            self.position = self.position.play(legal[self.number % len(legal)]) if legal else self.position.pass_turn()
            self.apply_event(Press(self.at_ns, self.match.seat_of(mover)))

    def slip(self) -> None:
        """Play a turn in which the mover forgets to flip one disc."""
        assert self.position is not None
        self.at_ns += 5 * S
        mover, before = self.position.to_move, self.position.cells()
        legal = scan(self.position.legal_moves())[0]
        after = self.position.play(legal).cells()
        turned = next(at for at in range(len(before)) if before[at] != "-" and before[at] != after[at])
        cells = after[:turned] + before[turned] + after[turned + 1 :]
        self.position = Position.from_cells(cells, mover.opponent, self.match.variant)
        self.apply_event(Press(self.at_ns, self.match.seat_of(mover)))

    def finish(self) -> None:
        """Play to the end and submit the card."""
        self.play(80)
        assert self.position is not None
        black, white = self.position.final_score()
        self.at_ns += S
        self.apply_event(DeclareEnd(self.at_ns, self.match.side.opponent))
        if self.match.count is None and not self.board_source:
            self.apply_event(DiscCount(self.at_ns, black, white))
        self.apply_event(Confirm(self.at_ns, Color.BLACK))
        self.apply_event(Confirm(self.at_ns, Color.WHITE))
        self.apply_event(Submitted(self.at_ns))

    def card(self) -> ResultCard:
        assert self.assignment is not None
        result, (black, white) = self.match.result, self.assignment.players
        return ResultCard(
            game=self.assignment.game,
            winner="draw" if result.winner is None else result.winner.value,
            black_id=black.id,
            white_id=white.id,
            black_discs=result.black_discs,
            white_discs=result.white_discs,
            end=str(result.end),
            rated=result.rated,
            transcript=self.match.transcript,
        )


def quick_card(command: Command, black_discs: int) -> dict[str, Any]:
    """Return the card of a game that is not played; Black has ``black_discs``. 32 is a draw in the league, else a win
    for Black."""
    assignment = from_dict(Assignment, command.body)
    white_discs = 64 - black_discs
    drawn = black_discs == white_discs and assignment.stage == "league"
    winner = "draw" if drawn else "black" if black_discs >= white_discs else "white"
    return {
        "game": assignment.game,
        "winner": winner,
        "black_id": assignment.players[0].id,
        "white_id": assignment.players[1].id,
        "black_discs": black_discs,
        "white_discs": white_discs,
        "end": "normal",
        "rated": True,
    }


def playing_table(program: HeadApplication, number: int = 1, moves: int = 0) -> PlayedTable:
    """Return a table whose game was published, after so many moves of it."""
    until(lambda: any(game.table == number for game in program.desk.state.current))
    table = PlayedTable(number, program.devices.collection)
    table.execute_commands()
    table.play(moves)
    return table


@contextmanager
def running_head(
    directory: Path, tables: int = 8, data: dict[str, Any] | None = None, **options: Any
) -> Iterator[tuple[HeadApplication, str]]:
    """Yield a head that serves on a free port in a thread of this process, and its address. ``data``: its event;
    ``options``: of HeadConfig."""
    directory.mkdir(parents=True, exist_ok=True)
    options.setdefault("event", directory / "event.json")
    if options["event"] is not None:
        options["event"].write_text(json.dumps(data or event(), ensure_ascii=False), encoding="utf-8")
    options.setdefault("port", 0)
    config = HeadConfig(data=directory / "data", keys=directory / "keys.json", host="127.0.0.1", **options)
    listener = listen(config.host, config.port)
    program = build_head(config, new_keys(range(1, tables + 1))).start()
    thread = threading.Thread(target=program.run, args=(listener,))
    # The collector's schedule belongs to the process of the tests, which has frozen its objects.
    with patch.object(GcPolicy, "frozen", nullcontext), patch.object(GcPolicy, "collect_if_due"):
        thread.start()
        try:
            yield program, f"http://127.0.0.1:{listener.getsockname()[1]}"
        finally:
            program.stop()
            thread.join(HANGS_S)
            program.close()
            listener.close()
