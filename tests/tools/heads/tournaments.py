"""A tournament of several divisions over a store, without pages or network: acts of the desk, cards of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from heads.world import event, quick_card

from engine.end_reason import EndReason
from engine.tournament.event_model import Game, Winner
from kiosk.head.desk import Desk
from kiosk.head.event.act_types import Title, event_of
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.tournament_state import DivisionState, TableRules
from kiosk.head.event.tournament_state_from_events import fold
from kiosk.head.program import HeadApplication
from kiosk.head.store import CommandStatus, Store
from kiosk.link.link_messages import Command, TableRecord

RULES = TableRules("", 1200)


@dataclass
class DeskWorld:
    store: Store
    desk: Desk

    def __getitem__(self, slug: str) -> DivisionState:
        return self.desk.state.division(slug)

    def publish(self, slug: str = "main") -> None:
        self.desk.rounds.publish(self.desk.rounds.draft(slug).digest, slug)

    def waiting(self, table: int) -> list[Command]:
        rows = self.store.commands(table, status=CommandStatus.SENT)
        return [Command(row.id, row.kind, row.game, body=row.body or {}) for row in rows if row.kind == "assign"]

    def hand_in(self, table: int, black_discs: int = 40) -> dict[str, Any]:
        command = self.waiting(table)[-1]
        card = quick_card(command, black_discs)
        self.send(table, ("command", {"id": command.id, "status": "applied", "reason": ""}), ("card", card))
        return card

    def send(self, table: int, *lines: tuple[str, dict[str, Any]]) -> None:
        have = self.store.last_committed_seq(table, "e")
        records = [TableRecord(have + number, type, body) for number, (type, body) in enumerate(lines, 1)]  # type: ignore[arg-type]
        _, new = self.store.commit_records(table, "e", records).result()
        self.desk.collect(new)
        self.desk.process_pending()

    def finish(self, slug: str, black_discs: int = 40) -> None:
        for game in self[slug].current:
            if game.is_open:
                self.desk.results.enter(game.id, outcome(game, black_discs))

    def check_rebuilt(self) -> None:
        """Check that a head that starts now has the same state."""
        assert fold(self.store.operator_events(), list(self.store.records(type="card"))) == self.desk.state


def outcome(
    game: HeadGame, black_discs: int, white_discs: int | None = None, winner: str = "", end: str = "normal"
) -> Game:
    """Return a result of a game; by default the discs total 64 and decide who won."""
    white_discs = 64 - black_discs if white_discs is None else white_discs
    winner = winner or ("black" if black_discs > white_discs else "white" if black_discs < white_discs else "draw")
    return Game(
        game.black,
        str(game.white),
        black_discs=black_discs,
        white_discs=white_discs,
        winner=Winner(winner),
        end=EndReason(end),
        rated=winner != "neither",
    )


def publish_round(program: HeadApplication, slug: str = "main") -> None:
    program.desk.rounds.publish(program.desk.rounds.draft(slug).digest, slug)


def finish_round(program: HeadApplication) -> None:
    """Enter the results of all open games of the first division."""
    for game in program.desk.state.division().current:
        if game.is_open:
            program.desk.results.enter(game.id, outcome(game, 40))


@contextmanager
def one_division(
    directory: Path, data: dict[str, Any] | None = None, tables: Iterable[int] = range(1, 9), **options: Any
) -> Iterator[DeskWorld]:
    """Yield a tournament with one division of these kiosks. ``data``: its event; ``options``: of the desk. Nothing is
    computed in another process."""
    store = Store(directory)
    desk = Desk(store, tables, quick=inf, **options)
    desk.divisions.create(event_of(data or event()), RULES)
    yield DeskWorld(store, desk)
    desk.calculations.close()
    store.close()


@contextmanager
def two_divisions(directory: Path) -> Iterator[DeskWorld]:
    """Yield a tournament with tables 1 to 6 for the open division, and 7 and 8 for divisions without their own
    tables."""
    store = Store(directory)
    desk = Desk(store, range(1, 9), quick=inf)
    desk.divisions.create(event_of(event(12, "adjacent", rounds=3)), RULES, "open", title=Title("無差別", "Open"))
    desk.divisions.create(event_of(event(4, "adjacent", rounds=3)), TableRules("", 600), "juniors")
    desk.divisions.set_tables("open", range(1, 7))
    yield DeskWorld(store, desk)
    store.close()
