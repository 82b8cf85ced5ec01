"""Joins what was published (the desk) with what the tables do (live) into what the pages show.

The law: a spectator's card has nothing but what he could see at the table. Findings, flags, messages for the arbiter
and troubles are on the arbiter's card only (promise 3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.text import Text, say
from engine.tournament.words import STAGE_NAMES
from kiosk.head.desk import Desk
from kiosk.head.event.games import HeadGame
from kiosk.head.event.spectators import Spectators, shown_board
from kiosk.head.event.state import DivisionState, HallState
from kiosk.head.tables.live import Live, Side, TableView


@dataclass(frozen=True, slots=True)
class Card:
    """One table on a page. ``view`` is what the table said about ``game``, if it knows of it."""

    number: int
    game: HeadGame | None
    view: TableView
    sides: tuple[Side, ...]
    phase: str | None
    score: tuple[int, int] | None
    division: str = ""
    title: tuple[str, str] = ("", "")
    label: Text | None = None

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
    rules = {slug: division.spectators for slug, division in desk.state.divisions.items()}
    return sorted((_public(card, rules.get(card.division)) for card in _cards(desk, live)), key=_urgency)


def arbiter_cards(desk: Desk, live: Live) -> list[Card]:
    """For the arbiter, in the same order of urgency."""
    return sorted(_cards(desk, live), key=_urgency)


def _urgency(card: Card) -> tuple[bool, int, int]:
    return card.view.called_ms is None, card.view.called_ms or 0, card.number


def _public(card: Card, rule: Spectators | None) -> Card:
    view = card.view
    called = view.called_ms if view.phase == "HOLD" else None
    sides = tuple(replace(side, left_ms=max(side.left_ms, 0)) for side in card.sides)
    finished = card.game is not None and card.game.outcome is not None
    board = shown_board(rule or Spectators(), view.board, view.boards, finished=finished)
    live = board is not None and board == view.board
    seen = TableView(
        view.number,
        view.game,
        view.phase,
        sides,
        view.heard_ms,
        view.move_number,
        board,
        called,
        view.link,
        view.unsynced,
        score=view.score,
        last_move=view.last_move if live else None,
    )
    return replace(card, view=seen, sides=sides)


def _cards(desk: Desk, live: Live) -> list[Card]:
    state = desk.state
    views = {view.number: view for view in live.views()}
    at = {number: found for number in _in_use(state) if (found := _latest_game(state, number))}
    numbers = sorted({*desk.tables, *views, *at})
    return [_card(at.get(number), number, views.get(number) or TableView(number)) for number in numbers]


def _in_use(state: HallState) -> set[int]:
    return {game.table for game in state.current if game.table is not None}


def _card(found: tuple[DivisionState, HeadGame] | None, number: int, view: TableView) -> Card:
    if found is None:
        return Card(number, None, TableView(number, link=view.link, unsynced=view.unsynced), (), None, None)
    division, game = found
    labels = division.slug, division.title, _label(game)
    outcome = game.outcome
    if outcome is not None:
        score = None if outcome.black_discs is None else (outcome.black_discs, outcome.white_discs or 0)
        sides = tuple(
            Side(division.called(id), color, 0, False)
            for id, color in ((outcome.black, "black"), (outcome.white, "white"))
        )
        known = view if view.game == game.id else TableView(number, link=view.link, unsynced=view.unsynced)
        return Card(number, game, replace(known, called_ms=None), sides, "SUBMITTED", score, *labels)
    if view.game == game.id:
        return Card(number, game, view, view.sides, view.phase, view.score, *labels)
    colors = ("black", "white") if game.designated else (None, None)
    main_ms = division.table_rules.at(game.stage).main_s * 1000
    waiting = tuple(
        Side(division.called(id), color, main_ms, False)
        for id, color in zip((game.black, str(game.white)), colors, strict=True)
    )
    bare = TableView(number, link=view.link, unsynced=view.unsynced)
    return Card(number, game, bare, waiting, "SETUP", None, *labels)


def _label(game: HeadGame) -> Text:
    return say("Round {round} · {stage}", round=game.round, stage=STAGE_NAMES.get(game.stage, STAGE_NAMES["league"]))


def _latest_game(state: HallState, table: int) -> tuple[DivisionState, HeadGame] | None:
    """The open game at the table, else the last one of a current round that was played there."""
    here = [
        (division, game) for division in state.divisions.values() for game in division.current if game.table == table
    ]
    return next((one for one in here if one[1].is_open), here[-1] if here else None)
