"""Value types of the tournament's state: its divisions, rounds, games, and notices to the operator.

The engine defines events; only ``fold`` creates these states, from what is stored.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Annotated

from msgspec import Meta, Struct

from engine.i18n import Text, say
from engine.match.rule_sets_and_options import rule_set
from engine.tournament.event_edits import with_missed
from engine.tournament.event_model import Bye, Event, Game, Player, Stage, Team, round_of
from engine.tournament.format_spec_and_options import MATCH_LEVEL
from engine.tournament.multi_game_matches import best_of, draws_count, match_of, most_games, next_game, parts_of
from engine.tournament.pairing_history_and_constraints import present_entries, remaining_players
from kiosk.errors import sanitized_text
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.event.head_game_and_result_check import HeadGame, outcome_key
from kiosk.head.event.spectator_visibility import VisibilityRules
from kiosk.head.store.hash_chain import canonical

#: the division of a store or a configuration that has only one
MAIN = "main"


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that the operator should check. ``key`` identifies it for dismissal; ``at``: when the head first had
    it, empty until that is recorded.
    """

    kind: str
    text: Text
    table: int | None = None
    game: str | None = None
    key: str = ""
    at: str = ""


@dataclass(frozen=True, slots=True)
class QuarantinedRecord:
    """Something kept and not folded, and ``why``: operator event ``number``, or record ``seq`` of a ``table``'s journal
    ``epoch``. ``kind``: of the event or the record; ``at``: of the event, or of the one that set the record aside.
    """

    kind: str
    why: Text
    number: int | None = None
    table: int | None = None
    epoch: str = ""
    seq: int = 0
    at: str = ""

    @property
    def key(self) -> str:
        return f"aside-{self.number}" if self.number is not None else f"aside-{self.table}-{self.epoch}-{self.seq}"

    def notice(self) -> Notice:
        if self.number is not None:
            what = say("Operator event {number} ({kind})", number=self.number, kind=sanitized_text(self.kind))
        else:
            what = say(
                "Record {seq} of table {table} ({kind})", seq=self.seq, table=self.table, kind=sanitized_text(self.kind)
            )
        text = say(
            "{what} cannot be used and is excluded ({why}). It stays in the store.",
            what=what,
            why=_reason_text(self.why),
        )
        return Notice("set-aside", text, self.table, key=self.key, at=self.at)


def _reason_text(why: Text) -> Text:
    return why(**{name: sanitized_text(value) for name, value in why.fields if isinstance(value, str)})


_Seconds = Annotated[int, Meta(ge=1, le=1_000_000)]


class StageRules(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Rules sent to tables that differ in one stage."""

    rules: str | None = None
    main_s: Annotated[int, Meta(ge=0, le=1_000_000)] | None = None
    options: dict[str, object] = {}


class TableRules(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Rules sent to tables. ``stages``: differences by stage; "knockout" stands for every stage after the league.
    ``options``: as the rule set's own reader takes them (``engine.match.rule_sets_and_options``).
    """

    rules: str
    main_s: _Seconds
    options: dict[str, object] = {}
    stages: dict[str, StageRules] = {}

    def at(self, stage: str) -> TableRules:
        """Return the rules of one stage."""
        other = self.stages.get(stage)
        if other is None and not Stage(stage).designated:
            other = self.stages.get("knockout")
        if other is None:
            return self
        return TableRules(other.rules or self.rules, other.main_s or self.main_s, {**self.options, **other.options})


_Minutes = Annotated[int, Meta(ge=0, le=10_000)]


class DayPlan(Struct, frozen=True, omit_defaults=True):
    """The announced plan of the day: a printed plan (``table`` and ``division`` of RULES.md 7.3), or rounds of one
    length with breaks and a longer one for lunch. Times are minutes, ``first`` since midnight. Empty: no plan.
    """

    table: str = ""
    division: str = ""
    first: Annotated[int, Meta(ge=0, le=1440)] | None = None
    rounds: _Minutes | None = None
    slot: _Minutes | None = None
    pause: _Minutes | None = None
    lunch_after: _Minutes | None = None
    lunch: _Minutes = 0


class LotsDrawnState(Struct, frozen=True):
    """How the lots were drawn, so that it can be shown again. ``lots``: as they were drawn; ``order``: of their players
    in the list then.
    """

    method: str
    lots: dict[str, int]
    ballots: tuple[str, ...] = ()
    seed: int | None = None
    order: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UndoneRound:
    """A published round that was taken back: its games with the results they had, and the reason. ``by_hand``: its
    pairing was changed by hand. ``here``: who had not withdrawn before it.
    """

    round: int
    games: tuple[HeadGame, ...]
    reason: str
    at: str
    by_hand: bool = False
    here: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RoundTiming:
    """Announced start of a round, and the minutes allowed for its games; 0: not set."""

    starts: datetime
    minutes: int = 0


@dataclass(frozen=True, slots=True)
class ManualDraft:
    """A draft of a round that the operator changed by hand."""

    round: int
    games: tuple[Game | Bye, ...]


@dataclass(frozen=True, slots=True)
class DivisionState:
    """One division. ``event``: entries and pairings; ``whole`` includes the results. ``rounds``: each one's games,
    round 1 first. ``tables``: tables it may use; None: all that no other division has. ``editions``: by round, how
    often it was taken back, or a random number if a lost head may have begun it. ``here``: players who have checked in.
    """

    slug: str
    event: Event
    event_id: str
    table_rules: TableRules
    title: tuple[str, str] = ("", "")
    rounds: tuple[tuple[HeadGame, ...], ...] = ()
    here: frozenset[str] = frozenset()
    #: players whose entry fee was paid
    paid: frozenset[str] = frozenset()
    #: players who entered late or came back, with the number of rounds published by then; those without them were
    #: missed
    missed_until: Mapping[str, int] = field(default_factory=dict)
    tables: tuple[int, ...] | None = None
    auto: bool | None = None
    #: whether it was created with its players, so that round 1 waits for nothing else
    came_whole: bool = False
    editions: Mapping[int, int] = field(default_factory=dict)
    undone: tuple[UndoneRound, ...] = ()
    hand_made: ManualDraft | None = None
    #: published rounds whose pairing was changed by hand, before or after they were published
    by_hand: frozenset[int] = frozenset()
    #: games and byes that were removed from a published round
    removed: tuple[HeadGame, ...] = ()
    plan: DayPlan = field(default_factory=DayPlan)
    spectators: VisibilityRules = field(default_factory=VisibilityRules)
    #: when each round was published, and when its last result arrived
    published_at: Mapping[int, str] = field(default_factory=dict)
    drawn: LotsDrawnState | None = None
    #: by round, its time as set by the desk
    timed: Mapping[int, RoundTiming] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the division's name where only one language fits."""
        ja, en = self.title
        if ja and en and ja != en:
            return f"{ja} {en}"
        return ja or en or self.event.name or self.slug

    @property
    def format(self) -> str:
        return self.event.format

    @property
    def current(self) -> tuple[HeadGame, ...]:
        """Return the games of the last published round."""
        return self.rounds[-1] if self.rounds else ()

    @property
    def round_is_complete(self) -> bool:
        """Check whether every game of the last published round is finished; true before round 1."""
        return not any(game.is_open for game in self.current)

    @property
    def finished_rounds(self) -> int:
        """Return the number of complete rounds."""
        return len(self.rounds) if self.round_is_complete else len(self.rounds) - 1

    @property
    def edition(self) -> int:
        """Return the next round's edition: 0 unless it was taken back before."""
        return self.editions.get(len(self.rounds) + 1, 0)

    def players(self) -> dict[str, Player]:
        return {player.id: player for player in self.event.players}

    def teams(self) -> dict[str, Team]:
        return {team.id: team for team in self.event.teams}

    @property
    def withdrawn(self) -> frozenset[str]:
        """Return the players who have withdrawn."""
        return frozenset(player.id for player in self.event.players if player.withdrawn_after_round is not None)

    @property
    def present(self) -> list[Player]:
        """Return the players who are neither absent nor withdrawn."""
        return remaining_players(self.event)

    def called(self, entry: str) -> str:
        return self.event.called(entry)

    def scored(self, outcome: Game) -> str:
        """Return a result by its players' names, Black's first."""
        signs: dict[str | None, str] = {"black": "○–×", "white": "×–○", "draw": "△", "neither": "×–×"}
        discs = outcome.black_discs, outcome.white_discs
        score = signs[outcome.winner] if None in discs or outcome.winner == "neither" else f"{discs[0]}–{discs[1]}"
        return f"{self.called(outcome.black)} {score} {self.called(outcome.white)}"

    def whole(self) -> Event:
        """Return the event with the tables and results of its games; players who entered late or came back are absent
        in the rounds they missed.
        """
        rounds = tuple(
            round_of(number, [game.entry() for game in games]) for number, games in enumerate(self.rounds, start=1)
        )
        event = with_missed(replace(self.event, rounds=rounds), self.missed_until)
        away = event.options.absences
        if not away:
            return event
        in_order = {key: away[key] for key in sorted(away, key=lambda key: (len(key), key))}
        return replace(event, options=replace(event.options, absences=in_order))

    def without_game(self) -> list[Player]:
        """Return the players who are present and have neither a game nor a bye in the last published round."""
        paired = {name for game in self.current for name in game.players}
        return [player for player in self.present if player.id not in paired]

    def own_table(self, players: Collection[str]) -> int | None:
        """Return the table to which one of these players is fixed; None: any."""
        tables = (player.table for player in self.event.players if player.id in players)
        return next((table for table in tables if table is not None), None)

    def missing(self) -> list[tuple[HeadGame, str]]:
        """Return the open games of the last published round with each player in them who is absent, has withdrawn, or
        misses that round.
        """
        here = {player.id for player in present_entries(self.event, len(self.rounds))}
        absent = self.players().keys() - here
        due = [(game, name) for game in self.current if game.is_open for name in (game.black, game.white)]
        return [(game, name) for game, name in due if name in absent]

    def away_in(self, player: str) -> list[int]:
        """Return the rounds that the player will miss."""
        absences = self.event.options.absences
        return sorted(int(key) for key, names in absences.items() if key.isdigit() and player in names)


@dataclass(frozen=True, slots=True)
class PlayerReport:
    """A player's report of his game. ``times``: how often he has reported."""

    outcome: Game
    phone: str
    times: int

    @property
    def key(self) -> str:
        return outcome_key(self.outcome)


@dataclass(frozen=True, slots=True)
class TournamentState:
    """The tournament. ``divisions``: by slug, in the order of creation. ``aside``: what could not be folded."""

    divisions: Mapping[str, DivisionState] = field(default_factory=dict)
    name: str = ""
    name_en: str = ""
    date: str = ""
    #: venue; the country in English and who sends the games to the rating list
    place: str = ""
    country: str = ""
    sender: str = ""
    #: organiser, on papers, with the names of two pictures (``kiosk.head.tables.photograph_board_reading_and_storage``)
    organiser: str = ""
    seal: str = ""
    logo: str = ""
    #: the desk's announcement, and when and where prizes are given
    announcement: str = ""
    #: when the announcement ends; empty: never
    announced_until: str = ""
    prizes: str = ""
    #: by name, the table that an address of the broadcast shows
    slots: Mapping[str, int] = field(default_factory=dict)
    #: by game and player, the players' reports of games that have no result yet
    reports: Mapping[str, Mapping[str, PlayerReport]] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    aside: tuple[QuarantinedRecord, ...] = ()

    @property
    def title(self) -> str:
        """Return the tournament's name, or the one that all its divisions' events have; empty if they differ."""
        names = {division.event.name or "" for division in self.divisions.values()}
        return self.name or (names.pop() if len(names) == 1 else "")

    def named_event(self, division: DivisionState) -> Event:
        """Return a division's event with the day and the public names for files: the tournament's, with the division's
        where there are several.
        """
        event = division.whole()
        name = self.name or event.name or ""
        if len(self.divisions) > 1 or not name:
            name = " ".join(dict.fromkeys(part for part in (name, *division.title) if part))
        english, (_, title) = self.name_en or event.name_en or "", division.title
        if english and title not in english and len(self.divisions) > 1:
            english = f"{english} {title}"
        return replace(event, name=name or None, name_en=english or None, date=event.date or self.date or None)

    @property
    def english_title(self) -> str:
        """Return the tournament's name in English, if it has one; else as it is."""
        names = {division.event.name_en or "" for division in self.divisions.values()}
        return self.name_en or (names.pop() if len(names) == 1 else "") or self.title

    @property
    def first(self) -> DivisionState:
        """Return the first division.

        :raises HeadError: there is no division.
        """
        for division in self.divisions.values():
            return division
        raise HeadError.saying("no event was created yet; enter one on the desk page, or name one in the configuration")

    def division(self, slug: str | None = None) -> DivisionState:
        """Return a division by its slug, or the first one.

        :raises NotFound: there is no such division. :raises HeadError: there is none at all.
        """
        if not slug or not self.divisions:
            return self.first
        if slug not in self.divisions:
            raise NotFound.saying(
                "there is no division '{slug}'; choose one of {divisions}",
                slug=slug[:40],
                divisions=", ".join(self.divisions),
            )
        return self.divisions[slug]

    def all_games(self) -> Iterator[HeadGame]:
        return (game for division in self.divisions.values() for games in division.rounds for game in games)

    def game(self, id: str) -> HeadGame | None:
        return next((game for game in self.all_games() if game.id == id), None)

    def division_of(self, game: str) -> DivisionState | None:
        """Return the division that has a game in one of its rounds."""
        for division in self.divisions.values():
            if any(one.id == game for games in division.rounds for one in games):
                return division
        return None

    @property
    def current(self) -> tuple[HeadGame, ...]:
        """Return the games of every division's last published round."""
        return tuple(game for division in self.divisions.values() for game in division.current)

    def tables_of(self, slug: str, pool: tuple[int, ...]) -> tuple[int, ...]:
        """Return the tables that a division may use: its own, else all that no other division has. Without kiosks there
        are as many plain tables as it needs.
        """
        own = self.divisions[slug].tables
        if own is not None:
            return own
        claimed = {table for division in self.divisions.values() for table in division.tables or ()}
        if not pool:
            pool = tuple(range(1, len(self.current) + len(claimed) + 1))
        return tuple(table for table in pool if table not in claimed)


# Games of a round that are due: of a match of several games, the next one when the one before has its result.
#
# All games that a match can have get their ids when the round is published; those that are not due are not shown.


def match_number(number: int, entries: int, match_game: int) -> int:
    """Return the number of a game of a match in its round. ``number``: of the match, ``entries``: in the round."""
    return number + entries * (match_game - 1)


def games_of_match(division: DivisionState, edition: int, entries: int, first: HeadGame) -> list[HeadGame]:
    """Return all games that the match of a published game can have. The colours of later ones are not known yet."""
    event = division.event
    count = best_of(event, first.stage)
    if first.is_bye or count == 1:
        return [first]
    # M40-1, TEAM-5: where the rules of the tables know no draws, every game has a draw right
    may_draw = draws_count(event) and rule_set(division.table_rules.at(first.stage).rules).draws
    games = []
    for match_game in range(1, most_games(event, first.stage) + 1):
        number = match_number(first.number, entries, match_game)
        games.append(
            replace(
                first,
                id=game_id(division.event_id, first.round, number, edition),
                number=number,
                must_have_winner=not may_draw or match_game > count,
                outcome=first.outcome if match_game == 1 else None,
                source=first.source if match_game == 1 else "",
                match_game=match_game,
                best_of=count,
            )
        )
    return games


def due_games(event: Event, before: Callable[[], Event], games: tuple[HeadGame, ...]) -> tuple[HeadGame, ...]:
    """Return the games of a round that have a result or can be played now. ``before``: the event with the results of
    the rounds before, which only a level match may need."""
    if all(game.best_of == 1 for game in games):
        return games
    matches: dict[tuple[Stage, frozenset[str]], list[HeadGame]] = {}
    for game in games:
        matches.setdefault((game.stage, game.players), []).append(game)
    found: list[HeadGame] = []
    for match in matches.values():
        found += [match[0]] if match[0].best_of == 1 else _due(event, before, match)
    return tuple(found)


def games_not_due(division: DivisionState, changed: HeadGame) -> list[HeadGame]:
    """Return the open games of the last round that are not due any more once a game of it is changed."""
    games = tuple(changed if game.id == changed.id else game for game in division.current)
    due = {game.id for game in due_games(division.event, division.whole, games)}
    return [game for game in division.current if game.is_open and game.id not in due]


def _due(event: Event, before: Callable[[], Event], games: list[HeadGame]) -> list[HeadGame]:
    found = [games[0]]
    while found[-1].outcome is not None and len(found) < len(games):
        played = [entry for game in found if isinstance(entry := game.entry(), Game)]
        following = games[len(found)]
        decides = len(found) >= following.best_of and MATCH_LEVEL.of(event) == "rank"
        known = before() if decides else event
        due = next_game(known, match_of(known, played))
        if due is None:
            break
        paired = Game(*due.players, following.stage)
        found.append(replace(following, paired=paired, designated=due.designated and not following.must_have_winner))
    # a correction may have decided the match earlier; what was played stays
    found += [game for game in games[len(found) :] if game.outcome is not None]
    parts = parts_of(event, [entry for game in found if isinstance(entry := game.entry(), Game)])
    return [replace(game, match_part=part) for game, part in zip(found, parts, strict=True)]


# Deterministic ids of events and games.
#
# A head that starts again from an empty disk, or publishes a round as its tables have it, gives the same id to the same
# place in the same draw. A round that was taken back, or paired by a restored head, gets other ids, so that a late card
# of a former game is never taken for one of the new one.


def event_name(body: Mapping[str, object]) -> str:
    """Return a short name that the same event always gets."""
    return hashlib.sha256(canonical(body).encode()).hexdigest()[:8]


def game_id(event_id: str, round: int, number: int, edition: int = 0) -> str:
    """Return a game's id; ``edition``: as in ``DivisionState.editions``."""
    return f"{event_id}-{round}{f'.{edition}' if edition else ''}-{number}"
