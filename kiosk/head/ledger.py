"""From the operator's events and the tables' cards to the state of the event.

The law: ``fold`` is a function. The same two lists always give the same state, so a head that starts again knows
exactly what it knew. What the operator says goes before a card, the first card goes before a later one, and a card
that does not fit its game is shown and never applied.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.match.rulesets import rule_set
from engine.tournament.model import Stage
from kiosk.head.errors import HeadError
from kiosk.head.games import HeadGame, Outcome, check, outcome_of_card, outcome_of_dict
from kiosk.head.store import StoredRecord
from kiosk.head.store.chain import OperatorEvent, canonical, makes_state
from kiosk.link.errors import MessageError
from kiosk.link.messages import Card, from_dict


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the operator should look at, in both languages."""

    kind: str
    ja: str
    en: str
    table: int | None = None
    game: str | None = None


@dataclass(frozen=True, slots=True)
class TableRules:
    """What every table is told about its games."""

    rules: str
    main_s: int
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class HeadState:
    """The event at one moment. ``rounds``: each one's games, round 1 first. ``event``: None before it is created."""

    event: Mapping[str, Any] | None = None
    event_id: str = ""
    table_rules: TableRules = TableRules("m43", 1200)
    rounds: tuple[tuple[HeadGame, ...], ...] = ()
    notices: tuple[Notice, ...] = ()
    withdrawn: Mapping[str, int] = field(default_factory=dict)

    def game(self, id: str) -> HeadGame | None:
        return next((game for games in self.rounds for game in games if game.id == id), None)

    @property
    def current(self) -> tuple[HeadGame, ...]:
        """The games of the last published round."""
        return self.rounds[-1] if self.rounds else ()

    @property
    def round_is_complete(self) -> bool:
        """Whether nothing of the last published round is still to be played; true before round 1."""
        return not any(game.is_open for game in self.current)

    def players(self) -> dict[str, Mapping[str, Any]]:
        return {player["id"]: player for player in (self.event or {}).get("players", ())}

    def event_file(self) -> dict[str, Any]:
        """The event as a file (CONTRACT.md, ``othello-event/1``).

        :raises HeadError: no event was created.
        """
        if self.event is None:
            raise HeadError("no event was created yet; enter one on the desk page, or name one in the configuration")
        players = [
            player | ({"withdrawn_after_round": self.withdrawn[player["id"]]} if player["id"] in self.withdrawn else {})
            for player in self.event["players"]
        ]
        rounds = [
            {"round": number, "games": [game.to_event() for game in games]}
            for number, games in enumerate(self.rounds, start=1)
        ]
        return dict(self.event) | {"players": players, "rounds": rounds}


def fold(events: Iterable[OperatorEvent], cards: Sequence[StoredRecord]) -> HeadState:
    """The state that these events and cards make. ``cards`` are the records of type "card" as they arrived."""
    state = HeadState()
    desk: dict[str, Outcome] = {}
    seats: dict[str, int] = {}
    for event in events:
        body = event.body
        match event.kind:
            case "event-created":
                rules = TableRules(**body["table"])
                state = replace(state, event=body["event"], event_id=event_name(body), table_rules=rules)
            case "round-published":
                state = replace(state, rounds=(*state.rounds, _games(state, body)))
            case "game-seated":
                seats[str(body["game"])] = int(body["table"])
            case "result-entered" | "result-corrected":
                desk[str(body["game"])] = outcome_of_dict(body)
            case "player-withdrawn":
                withdrawn = {**state.withdrawn, str(body["player"]): int(body["after_round"])}
                state = replace(state, withdrawn=withdrawn)
            case kind if not makes_state(kind):
                pass  # the audit trail tells it to people
            case unknown:
                raise HeadError(f"operator event {event.number} is '{unknown}', which this version does not know")
    applied, notices = _apply_cards(state, desk, cards)
    rounds = tuple(tuple(_settle(game, seats, desk, applied) for game in games) for games in state.rounds)
    return replace(state, rounds=rounds, notices=notices)


def event_name(body: Mapping[str, Any]) -> str:
    """A short name that the same event always gets, also on a head that starts again from an empty disk."""
    return hashlib.sha256(canonical(body).encode()).hexdigest()[:8]


def game_id(event_id: str, round: int, number: int) -> str:
    """Names a game. A head that was restored and pairs again gives the same name to the same place in the draw."""
    return f"{event_id}-{round}-{number}"


def _games(state: HeadState, body: Mapping[str, Any]) -> tuple[HeadGame, ...]:
    games = []
    free_colours = not rule_set(state.table_rules.rules).draws  # M40-1, TEAM-5: a hidden disc decides in every game
    for number, line in enumerate(body["games"], start=1):
        stage = line.get("stage", "league")
        named = line.get("designated", Stage(stage).designated)  # the format knows best: M40-1, CC-SEAT
        designated = "bye" not in line and named and not free_colours
        played = outcome_of_dict(line) if line.get("winner") else None  # M43F-06: a draw that is not played
        games.append(
            HeadGame(
                id=game_id(state.event_id, body["round"], number),
                round=body["round"],
                number=number,
                stage=stage,
                black=line["bye"] if "bye" in line else line["black"],
                white=line.get("white"),
                designated=designated,
                must_have_winner="bye" not in line and not designated,
                outcome=played,
                source="pairing" if played or "bye" in line else "",
                league=line.get("league"),
                counts_captures=(state.event or {}).get("format") == "chouchou",
            )
        )
    return tuple(games)


def _settle(
    game: HeadGame, seats: Mapping[str, int], desk: Mapping[str, Outcome], cards: Mapping[str, tuple[Outcome, int]]
) -> HeadGame:
    card = cards.get(game.id)
    # A head that lost its disk gets cards of games that it has not seated: they were played where the card came from.
    game = replace(game, table=seats.get(game.id, card[1] if card else None))
    if game.id in desk:
        return replace(game, outcome=desk[game.id], source="desk")
    return replace(game, outcome=card[0], source="card") if card else game


def _apply_cards(
    state: HeadState, desk: Mapping[str, Outcome], cards: Sequence[StoredRecord]
) -> tuple[dict[str, tuple[Outcome, int]], tuple[Notice, ...]]:
    games = {game.id: game for round in state.rounds for game in round}
    applied: dict[str, tuple[Outcome, int]] = {}
    notices: list[Notice] = []
    known: set[tuple[int, str]] = set()
    for record in cards:
        # A table whose card lost records sends all it has again under another epoch: the same card is one card.
        card_key = record.table, canonical(record.body)
        if card_key in known:
            continue
        known.add(card_key)
        try:
            card = from_dict(Card, record.body)
            game = games.get(card.game)
            if game is None:
                notices.append(_unknown_game(record.table, card.game))
                continue
            outcome = outcome_of_card(card)
            check(game, outcome)
        except (MessageError, HeadError) as error:
            notices.append(_unusable(record, str(error)))
            continue
        standing = desk.get(game.id) or game.outcome or applied.setdefault(game.id, (outcome, record.table))[0]
        if not standing.same_score(outcome):
            notices.append(_differs(record.table, game.id, outcome))
        elif game.designated and outcome.black != game.black:
            notices.append(_colours(record.table, game.id))
    return applied, tuple(notices)


def _unknown_game(table: int, game: str) -> Notice:
    return Notice(
        "card-unknown-game",
        f"{table}番卓から、この大会にない対局 {game} の結果が届きました。保存しましたが、反映していません。",
        f"Table {table} sent a card for game {game}, which is not in this event. It is kept and not applied.",
        table,
        game,
    )


def _unusable(record: StoredRecord, problem: str) -> Notice:
    game = str(record.body.get("game", ""))
    return Notice(
        "card-unusable",
        f"{record.table}番卓の対局 {game} の結果は使えません({problem})。保存しましたが、反映していません。",
        f"The card of table {record.table} for game {game} cannot be used ({problem}). It is kept and not applied.",
        record.table,
        game,
    )


def _differs(table: int, game: str, outcome: Outcome) -> Notice:
    score = f"{outcome.black_discs}-{outcome.white_discs}"
    return Notice(
        "card-differs",
        f"{table}番卓の対局 {game} の結果({score})は、記録済みの結果と違います。反映していません。"
        "正しければ訂正してください。",
        f"Table {table} sent {score} for game {game}, which differs from the recorded result. It is not applied; "
        "correct the result if the card is right.",
        table,
        game,
    )


def _colours(table: int, game: str) -> Notice:
    return Notice(
        "card-colours",
        f"{table}番卓の対局 {game} は、指定と逆の手番で行われました。結果は反映しました。",
        f"Game {game} at table {table} was played with the colours the other way round. The result counts.",
        table,
        game,
    )
