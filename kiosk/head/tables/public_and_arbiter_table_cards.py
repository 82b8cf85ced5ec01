"""Table cards for spectators and arbiters: they join the desk's published games with the tables' live state.

- A spectator's card contains only what is visible at the table, and of a game in progress nothing earlier than its
  division allows. ``_public`` is the only function that makes one; pages, streams, files, overlays and the relay all
  use its result.
- Findings, flags, messages for the arbiter and faults are on the arbiter's card only (promise 3).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from engine.copy_with_changes import replace
from engine.i18n import Text, say
from engine.tournament.standings_and_tie_breaks import STAGE_NAMES
from kiosk.head.desk import Desk
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.publication_redaction_and_latin_names import public_hall
from kiosk.head.event.spectator_visibility import Boards, VisibilityRules, shown_moment
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.head.tables.table_view_data import NS_PER_MS, ColorName, GameSnapshot, PlayerClock, TableView, score_of

#: the phase of a game of which spectators may see nothing yet
HIDDEN = "HIDDEN"
_USUAL = VisibilityRules()
#: fields of a table's report that spectators see as they stand where their division has no delay
_SEEN_AT_ONCE = (
    "phase", "heard_ms", "move_number", "board", "unsynced", "score", "turns", "times", "start_board", "clock",
    "draw_right",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class TableCard:
    """One table on a page. ``view``: the table's report about ``game``, if it has that game. ``rule``: on a spectator's
    card, the visibility rules applied.
    """

    number: int
    game: HeadGame | None
    view: TableView
    sides: tuple[PlayerClock, ...]
    phase: str | None
    score: tuple[int, int] | None
    division: str = ""
    title: tuple[str, str] = ("", "")
    label: Text | None = None
    rule: VisibilityRules = _USUAL

    def as_dict(self) -> dict[str, object]:
        """Return the card as JSON; a spectator's card contains only what a spectator may see."""
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


#: by table, its card, the visibility rules, and the spectator's card made from both
Seen: TypeAlias = dict[int, tuple[TableCard, VisibilityRules, TableCard]]


def public_cards(
    desk: Desk, live: LiveTables, seen: Seen | None = None, hall: TournamentState | None = None
) -> list[TableCard]:
    """Return the cards for spectators: tables that wait for the arbiter first, the longest waiting on top; then by
    number.

    ``seen``: a cache for repeated callers; a card without a delay whose content is unchanged is then the same value.
    ``hall``: the tournament with the names as the reader has them.
    """
    hall = hall or public_hall(desk.state)
    seen, now_ms, cards = {} if seen is None else seen, live.now_ms(), []
    for card in _cards(hall, desk.tables, live.views_without_health()):
        division = hall.divisions.get(card.division)
        rule = _USUAL if division is None else division.spectators
        card = _with_public_names(card, division)
        known = seen.get(card.number)
        if known is None or rule.boards is not Boards.LIVE or known[:2] != (card, rule):
            known = seen[card.number] = card, rule, _public(card, rule, now_ms)
        cards.append(known[2])
    return sorted(cards, key=_urgency)


def arbiter_cards(hall: TournamentState, desk: Desk, live: LiveTables) -> list[TableCard]:
    """Return the cards for the arbiter, in the same order of urgency; ``hall``: with the names to show."""
    cards = _cards(hall, desk.tables, live.views())
    named = (
        _with_public_names(one, hall.divisions[one.division]) if one.division in hall.divisions else one
        for one in cards
    )
    return sorted(named, key=_urgency)


def _with_public_names(card: TableCard, division: DivisionState | None) -> TableCard:
    """Return the card with the names that may be public, as a table reports those of its assignment. A player unknown
    to the division has no name.
    """
    players = set() if division is None else division.players().keys()

    def renamed(sides: tuple[PlayerClock, ...]) -> tuple[PlayerClock, ...]:
        return tuple(
            replace(side, name=division.called(side.id) if division and side.id in players else side.id)
            for side in sides
        )

    view = replace(card.view, sides=renamed(card.view.sides)) if card.view.sides else card.view
    return replace(card, view=view, sides=renamed(card.sides))


def _urgency(card: TableCard) -> tuple[bool, int, int]:
    return card.view.called_ms is None, card.view.called_ms or 0, card.number


def _public(card: TableCard, rule: VisibilityRules, now_ms: int) -> TableCard:
    """Return a spectator's card, with the delay applied. Requests without sign-in get nothing of a game in any other
    way.
    """
    view, game = card.view, card.game
    known = game is not None and view.game == game.id and view.clock is not None
    finished = game is not None and game.outcome is not None
    story = view.story if known else ()
    at = shown_moment(rule, story, now_ms, finished=finished)
    bare = TableView(view.number, view.game, link=view.link)
    if not known or rule.boards is Boards.LIVE or (finished and at == len(story) - 1):
        return _at_once(card, rule, bare)
    if finished and at is None:
        return replace(card, view=bare, sides=_without_times(card.sides), rule=rule)
    assert game is not None, "it is known"
    game = replace(game, outcome=None)
    if at is None:
        sides = _without_times(view.sides or card.sides)
        return replace(card, game=game, view=bare, sides=sides, phase=HIDDEN, score=None, rule=rule)
    moment = story[at]
    turns = view.turns[: moment.turns]
    runs = rule.boards is Boards.SECONDS
    sides = tuple(_clock_at(side, moment, runs) for side in view.sides)
    heard_ms = moment.heard_ms + (1000 * rule.seconds if runs else 0)
    seen = replace(
        bare,
        phase=moment.phase.value,
        sides=sides,
        heard_ms=heard_ms,
        move_number=moment.turns + 1,
        board=turns[-1].after if turns else view.start_board,
        score=score_of(moment.result),
        turns=turns,
        times=view.times[: moment.turns],
        start_board=view.start_board,
        clock=moment.clock,
        draw_right=view.draw_right,
    )
    return replace(card, game=game, view=seen, sides=sides, phase=seen.phase, score=seen.score, rule=rule)


def _without_times(sides: Iterable[PlayerClock]) -> tuple[PlayerClock, ...]:
    return tuple(replace(side, left_ms=None, running=False) for side in sides)


def _clock_at(side: PlayerClock, moment: GameSnapshot, runs: bool) -> PlayerClock:
    """Return a player's clock at a moment; with a delay in moves it is stopped, because it is unknown since when it
    ran.
    """
    if side.seat is None:
        return side
    left_ms = moment.clock.remaining_ns(side.seat, moment.at_ns) // NS_PER_MS
    return replace(side, left_ms=max(left_ms, 0), running=runs and moment.clock.running is side.seat)


def _at_once(card: TableCard, rule: VisibilityRules, bare: TableView) -> TableCard:
    view = card.view
    sides = tuple(replace(side, left_ms=None if side.left_ms is None else max(side.left_ms, 0)) for side in card.sides)
    called_ms = view.called_ms if view.phase == "HOLD" else None
    shown = {name: getattr(view, name) for name in _SEEN_AT_ONCE}
    seen = replace(bare, sides=sides, called_ms=called_ms, **shown)
    return replace(card, view=seen, sides=sides, rule=rule)


def _cards(state: TournamentState, tables: Iterable[int], seen_now: Iterable[TableView]) -> list[TableCard]:
    views = {view.number: view for view in seen_now}
    at = _latest_games(state)
    numbers = sorted({*tables, *views, *at})
    return [_card(at.get(number), number, views.get(number) or TableView(number)) for number in numbers]


def _card(found: tuple[DivisionState, HeadGame] | None, number: int, view: TableView) -> TableCard:
    bare = TableView(number, link=view.link, unsynced=view.unsynced)
    if found is None:
        return TableCard(number, None, bare, (), None, None)
    division, game = found
    labels = division.slug, division.title, _label(game)
    outcome = game.outcome
    if outcome is not None:
        score = None if outcome.black_discs is None else (outcome.black_discs, outcome.white_discs or 0)
        known = view if view.game == game.id else bare
        left_ms = {side.id: side.left_ms for side in known.sides}
        sides = (
            PlayerClock(division.called(outcome.black), "black", left_ms.get(outcome.black), False, id=outcome.black),
            PlayerClock(division.called(outcome.white), "white", left_ms.get(outcome.white), False, id=outcome.white),
        )
        return TableCard(number, game, replace(known, called_ms=None), sides, "SUBMITTED", score, *labels)
    if view.game == game.id:
        return TableCard(number, game, view, view.sides, view.phase, view.score, *labels)
    colors: tuple[ColorName | None, ...] = ("black", "white") if game.designated else (None, None)
    main_ms = division.table_rules.at(game.stage).main_s * 1000
    waiting = tuple(
        PlayerClock(division.called(id), color, main_ms, False, id=id)
        for id, color in zip((game.black, str(game.white)), colors, strict=True)
    )
    return TableCard(number, game, bare, waiting, "SETUP", None, *labels)


def _label(game: HeadGame) -> Text:
    label = say("Round {round} · {stage}", round=game.round, stage=STAGE_NAMES.get(game.stage, STAGE_NAMES["league"]))
    return label if game.match_part is None else say("{label}, {part}", label=label, part=game.match_part)


def _latest_games(state: TournamentState) -> dict[int, tuple[DivisionState, HeadGame]]:
    """Return by table the open game there, else the last game of a current round that was played there."""
    found: dict[int, tuple[DivisionState, HeadGame]] = {}
    for division in state.divisions.values():
        for game in division.current:
            if game.table is not None and not (game.table in found and found[game.table][1].is_open):
                found[game.table] = division, game
    return found
