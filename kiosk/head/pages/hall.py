"""Joins what was published (the desk) with what the tables do (live) into what the pages show.

The law: a spectator's card has nothing but what he could see at the table. Findings, flags, messages for the arbiter
and troubles are on the arbiter's card only (promise 3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from kiosk.head.desk import Desk
from kiosk.head.games import LABELS, HeadGame
from kiosk.head.ledger import HeadState
from kiosk.head.live import Live, Side, TableView


@dataclass(frozen=True, slots=True)
class Card:
    """One table on a page. ``view`` is what the table said about ``game``, if it knows of it."""

    number: int
    game: HeadGame | None
    view: TableView
    sides: tuple[Side, ...]
    phase: str | None
    score: tuple[int, int] | None
    label_ja: str = ""
    label_en: str = ""

    def as_dict(self) -> dict[str, object]:
        """The card as JSON: what a spectator may see, if it is a spectator's card."""
        return {
            "table": self.number,
            "game": None if self.game is None else self.game.id,
            "phase": self.phase,
            "move_number": self.view.move_number,
            "called_ms": self.view.called_ms,
            "link": self.view.link,
            "sides": [
                {"name": side.name, "color": side.color, "left_ms": side.left_ms, "running": side.running}
                for side in self.sides
            ],
        }


def public_cards(desk: Desk, live: Live) -> list[Card]:
    """For spectators: tables that wait for the arbiter first, the longest waiting on top; then by number."""
    return sorted((_public(card) for card in _cards(desk, live)), key=_urgency)


def arbiter_cards(desk: Desk, live: Live) -> list[Card]:
    """For the arbiter, in the same order of urgency."""
    return sorted(_cards(desk, live), key=_urgency)


def _urgency(card: Card) -> tuple[bool, int, int]:
    return card.view.called_ms is None, card.view.called_ms or 0, card.number


def _public(card: Card) -> Card:
    view = card.view
    called = view.called_ms if view.phase == "HOLD" else None
    sides = tuple(replace(side, left_ms=max(side.left_ms, 0)) for side in card.sides)
    seen = replace(
        view, sides=sides, called_ms=called, findings=(), messages=(), troubles=(), edge_source="", lost_sight=False
    )
    return replace(card, view=seen, sides=sides)


def _cards(desk: Desk, live: Live) -> list[Card]:
    state = desk.state
    views = {view.number: view for view in live.views()}
    numbers = sorted({*desk.tables, *views})
    return [_card(state, number, views.get(number) or TableView(number)) for number in numbers]


def _card(state: HeadState, number: int, view: TableView) -> Card:
    game = _latest_game(state, number)
    if game is None:
        return Card(number, None, TableView(number, link=view.link, unsynced=view.unsynced), (), None, None)
    ja, en = LABELS.get(game.stage, LABELS["league"])
    labels = f"第{game.round}回戦 {ja}", f"Round {game.round} · {en}"
    outcome = game.outcome
    if outcome is not None:
        score = None if outcome.black_discs is None else (outcome.black_discs, outcome.white_discs or 0)
        sides = tuple(
            Side(_name(state, id), color, 0, False)
            for id, color in ((outcome.black, "black"), (outcome.white, "white"))
        )
        known = view if view.game == game.id else TableView(number, link=view.link, unsynced=view.unsynced)
        return Card(number, game, replace(known, called_ms=None), sides, "SUBMITTED", score, *labels)
    if view.game == game.id:
        return Card(number, game, view, view.sides, view.phase, view.score, *labels)
    colors = ("black", "white") if game.designated else (None, None)
    waiting = tuple(
        Side(_name(state, id), color, state.table_rules.main_s * 1000, False)
        for id, color in zip((game.black, str(game.white)), colors, strict=True)
    )
    bare = TableView(number, link=view.link, unsynced=view.unsynced, troubles=view.troubles)
    return Card(number, game, bare, waiting, "SETUP", None, *labels)


def _latest_game(state: HeadState, table: int) -> HeadGame | None:
    """The open game at the table, else the last one of the current round that was played there."""
    here = [game for game in state.current if game.table == table]
    return next((game for game in here if game.is_open), here[-1] if here else None)


def _name(state: HeadState, id: str) -> str:
    return str(state.players().get(id, {}).get("name") or id)
