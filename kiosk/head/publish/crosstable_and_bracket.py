"""The crosstable of a division (who met whom, with which colour and result), and the bracket of its finals.

Each format has its own form of crosstable: rounds as columns for leagues and Swiss events (``by_round``), everybody
against everybody for round robins and the leagues of M40 (``matrices``). The scores are discs, boards won by a team, or
plus and minus points at ChouChou (CC-SCO-1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.tournament.event_model import WIN, Game, Stage, Winner
from engine.tournament.formats.chouchou import points_of
from engine.tournament.formats.team_matches_and_ranking import byes_of, matches_of
from engine.tournament.standings_and_tie_breaks import StandingsRow
from kiosk.head.publish.published_event import PublishedDivision, PublishedGame


@dataclass(frozen=True, slots=True)
class Meeting:
    """One game from one side. ``colour`` empty: unknown. ``outcome``: win, draw, loss, open or bye. ``score``: own and
    the opponent's discs, or what the format counts instead; empty if nothing was counted. ``end``: why it was not
    played, if it was not.
    """

    opponent: str
    colour: str
    outcome: str
    score: str = ""
    stage: str = "league"
    key: str = ""
    end: str = ""


@dataclass(frozen=True, slots=True)
class CrosstableRow:
    """One row: a player or a team with its meetings of each column."""

    row: StandingsRow
    cells: tuple[tuple[Meeting, ...], ...]


@dataclass(frozen=True, slots=True)
class Crosstable:
    """A crosstable. ``columns``: numbers of rounds (``by_round``), or ids of opponents (``matrices``). ``league``: of
    the matrix.
    """

    columns: tuple[int | str, ...]
    lines: tuple[CrosstableRow, ...]
    league: str = ""

    @property
    def number(self) -> dict[str, int]:
        """Return everybody's row number. Ranks cannot be used, because they may be shared."""
        return {line.row.id: at for at, line in enumerate(self.lines, start=1)}


def by_round(division: PublishedDivision) -> Crosstable:
    """Return the crosstable with rounds as columns and players (or teams) as rows."""
    event = division.event
    meetings: dict[tuple[str, int], list[Meeting]] = {}
    for id, number, meeting in _team_meetings(division) if event.facts.teams else _player_meetings(division):
        meetings.setdefault((id, number), []).append(meeting)
    rounds = [round_.number for round_ in event.rounds]
    lines = [
        CrosstableRow(row, tuple(tuple(meetings.get((row.id, number), ())) for number in rounds))
        for row in division.standings.rows
    ]
    return Crosstable(tuple(rounds), tuple(lines))


def matrices(division: PublishedDivision) -> tuple[Crosstable, ...]:
    """Return tables of everybody against everybody: a round robin's, or one for each league; else none."""
    games = [game for round_ in division.event.rounds for game in round_.games if game.stage is Stage.LEAGUE]
    if division.event.facts.all_meet:
        return (_matrix(division, [row.id for row in division.standings.rows], games, ""),)
    tables = []
    for league in sorted({game.league for game in games if game.league}):
        inside = [game for game in games if game.league == league]
        members = {id for game in inside for id in game.players}
        order = [row.id for row in division.standings.rows if row.id in members]
        tables.append(_matrix(division, order, inside, league))
    return tuple(tables)


def _matrix(division: PublishedDivision, order: Sequence[str], games: Iterable[Game], league: str) -> Crosstable:
    cells: dict[tuple[str, str], list[Meeting]] = {}
    for game in games:
        for id in game.players:
            cells.setdefault((id, game.opponent(id)), []).append(_crosstable_meeting(game, id))
    rows = {row.id: row for row in division.standings.rows}
    lines = [CrosstableRow(rows[id], tuple(tuple(cells.get((id, other), ())) for other in order)) for id in order]
    return Crosstable(tuple(order), tuple(lines), league)


def _player_meetings(division: PublishedDivision) -> Iterator[tuple[str, int, Meeting]]:
    """Yield every player's meetings with their rounds."""
    event = division.event
    points = points_of(event, len(event.rounds)) if event.facts.captures else None
    for played in division.games:
        for id in played.game.players:
            score = None if points is None else _signed(points[id].get(played.round, 0))
            key = played.key if played in division.recorded else ""
            yield id, played.round, _crosstable_meeting(played.game, id, score, key)
    for round_ in event.rounds:
        for bye in round_.byes:
            yield bye.player, round_.number, Meeting("", "", "bye", "", bye.stage.value)


def _crosstable_meeting(game: Game, id: str, score: str | None = None, key: str = "") -> Meeting:
    mine, his = game.discs(id), game.discs(game.opponent(id))
    counted = "" if mine is None or his is None else f"{mine}–{his}"
    colour = "black" if id == game.black else "white"
    if score is not None:  # in ChouChou nobody has a colour
        colour, counted = "", counted if game.winner is None else score
    end = game.end.value if game.end is not None and game.winner is not None and not game.over_the_board else ""
    return Meeting(game.opponent(id), colour, _outcome(game, id), counted, game.stage.value, key, end)


def _signed(points: int) -> str:
    return f"{points:+d}".replace("-", "−") if points else "±0"


def _outcome(game: Game, id: str) -> str:
    if game.winner is None:
        return "open"
    if game.winner is Winner.DRAW:
        return "draw"
    return "win" if game.half_points(id) == WIN else "loss"


def _team_meetings(division: PublishedDivision) -> Iterator[tuple[str, int, Meeting]]:
    """Yield every team's meetings with their rounds."""
    event = division.event
    for round_ in event.rounds:
        for match in matches_of(event, round_):
            winner = match.winner(event)
            first = match.games[0]
            end = first.end.value if first.end and not any(game.over_the_board for game in match.games) else ""
            open_ = any(game.winner is None for game in match.games)
            for team, other in (match.teams, match.teams[::-1]):
                outcome = "open" if open_ else "draw" if winner is None else "win" if winner == team else "loss"
                score = f"{match.board_wins(event, team)}–{match.board_wins(event, other)}"
                yield team, round_.number, Meeting(other, "", outcome, score, match.stage.value, end=end)
        for team in byes_of(event, round_):
            yield team, round_.number, Meeting("", "", "bye")


# The bracket of a division: the final and the games that led to it, as a tree.
#
# It is derived backwards from the last games: the latest bracket game that a player won before leads to a game. This
# draws any knock-out, whatever its seeding; where it gives no tree, the rounds are shown side by side.

_TREE = frozenset({Stage.KNOCKOUT, Stage.SEMI_FINAL, Stage.FINAL})
_BESIDE = frozenset({Stage.THIRD_PLACE, Stage.WOMENS_FINAL})


@dataclass(frozen=True, slots=True)
class BracketSlot:
    """One slot of a column: a game, or a player without a game there (a bye), or nothing."""

    played: PublishedGame | None = None
    waiting: str | None = None

    @property
    def game(self) -> Game | None:
        return self.played.game if self.played else None


@dataclass(frozen=True, slots=True)
class Bracket:
    """The bracket of a division. ``columns``: the slots of each step, the first one first. ``tree``: whether two slots
    lead to each of the next column; else a column is a round, because losers continue (M40F17, M40F13). ``beside``:
    games for 3rd place and the like.
    """

    columns: tuple[tuple[BracketSlot, ...], ...]
    beside: tuple[PublishedGame, ...]
    tree: bool = True


def bracket_of(division: PublishedDivision) -> Bracket | None:
    """Return the bracket; None if nothing of it has been paired, or where teams meet."""
    if division.event.facts.teams:
        return None
    games = [played for played in division.matches if played.game.stage in _TREE]
    if not games:
        return None
    beside = tuple(played for played in division.matches if played.game.stage in _BESIDE)
    columns = _tree(games)
    shown = [place.played.key for column in columns for place in column if place.played]
    if len(shown) == len(games) == len(set(shown)):
        return Bracket(columns, beside)
    rounds = sorted({played.round for played in games})
    by_round = tuple(tuple(BracketSlot(played) for played in games if played.round == number) for number in rounds)
    return Bracket(by_round, beside, tree=False)


def _tree(games: Sequence[PublishedGame]) -> tuple[tuple[BracketSlot, ...], ...]:
    last = max(played.round for played in games)
    columns = [tuple(BracketSlot(played) for played in games if played.round == last)]
    while True:
        before = tuple(source for place in columns[0] for source in _sources(games, place))
        if not any(place.played for place in before):
            return tuple(columns)
        columns.insert(0, before)


def _sources(games: Sequence[PublishedGame], place: BracketSlot) -> tuple[BracketSlot, BracketSlot]:
    """Return the slots from which the two players of a slot came."""
    if place.played is None:
        return BracketSlot(), BracketSlot()
    first, second = (_slot_won_before(games, id, place.played.round) for id in place.played.game.players)
    return first, second


def _slot_won_before(games: Sequence[PublishedGame], id: str, round_: int) -> BracketSlot:
    won = [
        played
        for played in games
        if played.round < round_ and id in played.game.players and played.game.half_points(id) == WIN
    ]
    return BracketSlot(max(won, key=lambda played: played.round)) if won else BracketSlot(waiting=id)
