"""Edits of a running event by the operator (PAIRING.md 4).

- Every edit takes an event and returns a new one; the old one is the snapshot.
- The past is never removed: a player who withdraws keeps his games, and a round with results is paired again only on
  request, which returns its results.
- An edit that would make the event contradict itself is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine.tournament.event_and_result_validation import check_entry_result, check_event
from engine.tournament.event_model import Bye, Event, EventOptions, Game, Player, Round, Team, event_error, round_of
from engine.tournament.explain_pairings import PairReason, cost_without, explain_round
from engine.tournament.format_spec_and_options import MATCH_COLOURS, MATCH_DRAWS, MATCH_LEVEL
from engine.tournament.formats import FORMATS, PairedRound, cost_of_round, format_of, next_round
from engine.tournament.multi_game_matches import best_of
from engine.tournament.pairing_history_and_constraints import (
    Constraints,
    set_for_round,
    stored_constraints,
    with_stored_constraints,
    without_constraints,
)


@dataclass(frozen=True, slots=True)
class DraftReview:
    """A drafted round pair by pair. ``played`` and ``optimum``: the cost of a round made by hand, and the best one's.
    ``dropped``: for each pair of the best round that was not kept, the cost of giving it up alone (None: the rules
    leave no alternative)."""

    reasons: tuple[PairReason, ...]
    played: object = None
    optimum: object = None
    dropped: tuple[tuple[tuple[str, ...], int | tuple[int, ...] | None], ...] = ()


# rounds


def publish(event: Event, round_: Round) -> Event:
    """Return the event with the round, which may now be played.

    :raises EventError: if it does not follow the last round, names an unknown player, or a player twice
    """
    return redo(event, (round_,))


def amend(event: Event, round_: Round) -> Event:
    """Return the event with its last round replaced, while it is played. Who is paired in it does not miss it.

    :raises EventError: if it names an unknown player, or a player twice
    """
    for name in round_.players:
        event = set_away(event, name, round_.number, away=False)
    return _validated(replace(event, rounds=(*event.rounds[:-1], round_)))


def undo_to(event: Event, round_: int) -> tuple[Event, tuple[Round, ...]]:
    """Return the event as it was after round ``round_`` (0: before the first), and the rounds removed, latest last. A
    withdrawal after a removed round becomes one before the next round.

    :raises EventError: if the event has no such round
    """
    if not 0 <= round_ <= len(event.rounds):
        raise event_error(
            "there is no round {round_} to go back to; the event has rounds 0 to {n}",
            round_=round_,
            n=len(event.rounds),
        )
    players = tuple(
        replace(p, withdrawn_after_round=round_)
        if p.withdrawn_after_round is not None and p.withdrawn_after_round > round_
        else p
        for p in event.players
    )
    return replace(event, players=players, rounds=event.rounds[:round_]), event.rounds[round_:]


def redo(event: Event, rounds: Sequence[Round], here: Collection[str] = ()) -> Event:
    """Return the event with the rounds that ``undo_to`` removed. ``here``: who had not withdrawn before these rounds;
    whoever of them has withdrawn by now did so after them.

    :raises EventError: if they do not follow the last round
    """
    if rounds and rounds[0].number != len(event.rounds) + 1:
        raise event_error(
            "round {number} does not follow round {n}; undo to the round before",
            number=rounds[0].number,
            n=len(event.rounds),
        )
    for player in event.players:
        if player.id in here and player.withdrawn_after_round is not None:
            event = withdraw(event, player.id, len(event.rounds) + len(rounds))
    return _validated(replace(event, rounds=(*event.rounds, *rounds)))


def swap_players(round_: Round, one: str, other: str) -> Round:
    """Return a drafted round in which two players have changed places.

    :raises EventError: if one is not in it or a game of theirs has a result
    """
    for name in (one, other):
        if name not in round_.players:
            raise event_error(
                "{name!r} has no game and no bye in round {number}, so cannot be swapped",
                name=name,
                number=round_.number,
            )
    for game in round_.games:
        if game.winner is not None and {one, other}.intersection(game.players):
            raise event_error(
                "round {number}, table {table}: the game has a result; undo it first",
                number=round_.number,
                table=game.table,
            )

    def place(name: str) -> str:
        return other if name == one else one if name == other else name

    games = tuple(replace(g, black=place(g.black), white=place(g.white)) for g in round_.games)
    return replace(round_, games=games, byes=tuple(replace(b, player=place(b.player)) for b in round_.byes))


def review_of_manual(event: Event, drafted: Round) -> DraftReview:
    """Return the cost of a manual round compared with the best one, before it is published.

    :param event: the event without that round
    """
    best = next_round(event)
    prices = cost_of_round(replace(event, rounds=(*event.rounds, drafted)), drafted.number)
    drafted_pairs = {frozenset(entry.players) for entry in drafted.entries}
    dropped = tuple(
        (game.players, cost_without(event, best, game.players))
        for game in best.games
        if frozenset(game.players) not in drafted_pairs
    )
    reasons = explain_round(event, PairedRound(drafted.number, drafted.entries, best.cost), priced=False)
    return DraftReview(reasons, prices["played"], prices["optimum"], dropped)


def enter_result(event: Event, round_: int, game: Game, match_game: int = 1) -> Event:
    """Return the event with a new or corrected result, as on the result card. Table, stage and league remain those of
    the pairing. ``match_game``: its number in a match of several games.

    :raises EventError: if its two players did not meet in that round, or the result is impossible
    """
    past = event.round(round_)
    old = _game_of_players(event, past, game, match_game)
    check_entry_result(event.total, game, event.game_called(round_, game))
    game = replace(game, table=old.table, stage=old.stage, league=old.league)
    games = tuple(game if g is old else g for g in past.games)
    return replace(event, rounds=tuple(replace(past, games=games) if r is past else r for r in event.rounds))


def _game_of_players(event: Event, past: Round, game: Game, match_game: int) -> Game:
    games = [one for one in past.games if set(one.players) == set(game.players)]
    if len(games) < match_game:
        raise event_error(
            "{one} and {other} did not meet in round {number}; name the two players of one game",
            one=event.called(game.black),
            other=event.called(game.white),
            number=past.number,
        )
    return games[match_game - 1]


# the division, its players and teams


def change_division(
    event: Event,
    *,
    format_: str | None = None,
    options: EventOptions | None = None,
    name: str | None = None,
    date: str | None = None,
) -> Event:
    """Return the event with another format, other options, name or date; None leaves the value.

    :raises EventError: if the options name an unknown player, or after a round was published another board or finals
        without a number of rounds
    """
    if event.rounds and options is not None:
        _check_options_of_published_rounds(event, replace(event, options=options))
    changed = replace(
        event,
        facts=FORMATS[format_].facts if format_ else event.facts,
        options=options or event.options,
        name=event.name if name is None else name,
        date=event.date if date is None else date,
    )
    if event.rounds:
        format_of(changed).planned_rounds(changed)  # refuses finals without a number of rounds
    return _validated(changed)


def _check_options_of_published_rounds(event: Event, changed: Event) -> None:
    """Check that changed options leave the board, and the matches that have been published."""
    if changed.variant != event.variant:
        raise event_error("rounds have been published, so the board cannot change; take them back first")
    stages = {game.stage for round_ in event.rounds for game in round_.games}
    played = [stage for stage in stages if best_of(event, stage) > 1 or best_of(changed, stage) > 1]
    rules = (MATCH_DRAWS, MATCH_LEVEL, MATCH_COLOURS)
    if any(best_of(event, stage) != best_of(changed, stage) for stage in played) or (
        played and any(rule.of(event) != rule.of(changed) for rule in rules)
    ):
        raise event_error(
            "a round with these matches has been published, so their rules cannot change; take it back first"
        )


def add_players(event: Event, players: Sequence[Player]) -> Event:
    """Return the event with new entries at the end of the list.

    :raises EventError: if an id is taken
    """
    ids = {player.id for player in event.players} | {team.id for team in event.teams}
    for player in players:
        if player.id in ids:
            raise event_error("the id {id!r} is already used; give the late entry another id", id=player.id)
        ids.add(player.id)
    return replace(event, players=(*event.players, *players))


def change_player(event: Event, player: Player) -> Event:
    """Return the event with the entry of this id replaced."""
    event.player(player.id)
    return _replace_player(event, player)


def set_absent(event: Event, names: Iterable[str], *, absent: bool) -> Event:
    """Return the event with players marked as absent or as present."""
    named = frozenset(names)
    return replace(event, players=tuple(replace(p, absent=absent) if p.id in named else p for p in event.players))


def withdraw(event: Event, player: str, after: int | None = None) -> Event:
    """Return the event in which the player withdraws after a round, by default the last; his games stay, and he is not
    paired again."""
    after = len(event.rounds) if after is None else after
    return _replace_player(event, replace(event.player(player), withdrawn_after_round=after))


def cancel_withdrawal(event: Event, player: str) -> Event:
    """Return the event with the player's withdrawal cancelled.

    :raises EventError: if he had not withdrawn
    """
    left = event.player(player)
    if left.withdrawn_after_round is None and not left.absent:
        raise event_error("{label} has not left; there is nothing to take back", label=event.called(left.id))
    return _replace_player(event, replace(left, withdrawn_after_round=None, absent=False))


def with_missed(event: Event, until: Mapping[str, int]) -> Event:
    """Return the event with absences for the rounds that late entries and returning players missed. ``until``: player
    -> how many rounds were published by then; those without him become absences."""
    for player, rounds in until.items():
        for round_ in event.rounds[:rounds]:
            known = event.options.absences.get(str(round_.number), ())
            if player not in round_.players and player not in known:
                event = set_away(event, player, round_.number, away=True)
    return event


def remove_player(event: Event, player: str) -> Event:
    """Return the event without a mistaken entry; only possible for a player who has never been paired.

    :raises EventError: if he has a game or a bye; he must be withdrawn instead, so that his history is kept
    """
    entry = event.player(player)
    for round_ in event.rounds:
        if player in round_.players:
            raise event_error(
                "{label} was paired in round {number}; withdraw the player, whose games must stay",
                label=event.called(entry.id),
                number=round_.number,
            )
    for number, names in event.options.absences.items():
        if player in names:
            event = set_away(event, player, number, away=False)
    event = _remove_from_constraints(event, player)
    teams = tuple(
        replace(
            team,
            players=tuple(name for name in team.players if name != player),
            captain=None if team.captain == player else team.captain,
            orders={number: sheet for number, sheet in team.orders.items() if player not in sheet},
        )
        if player in team.players
        else team
        for team in event.teams
    )
    return replace(event, players=tuple(p for p in event.players if p is not entry), teams=teams)


def set_away(event: Event, player: str, round_: int | str, *, away: bool) -> Event:
    """Return the event in which the player misses this round, with neither a game, a bye nor a point, or plays in it
    again.

    :raises EventError: if he has a game or a bye in it
    """
    for played in event.rounds:
        if away and played.number == round_ and player in played.players:
            raise event_error(
                "{label} was paired in round {round_}; correct the game instead",
                label=event.called(player),
                round_=round_,
            )
    absences = event.options.absences
    names = [name for name in absences.get(str(round_), ()) if name != player] + [player] * away
    return replace(event, options=replace(event.options, absences=set_for_round(absences, str(round_), tuple(names))))


def with_lots(event: Event, lots: Mapping[str, int], options: EventOptions | None = None) -> Event:
    """Return the event with the draw: everybody's lot, and ``options`` with how it was drawn."""
    players = tuple(replace(player, lot=lots.get(player.id)) for player in event.players)
    return replace(event, players=players, options=options or event.options)


def set_team(event: Event, team: Team) -> Event:
    """Return the event with a new team, or with the team of this id replaced.

    :raises EventError: if one of its players is unknown or in another team
    """
    teams = {other.id: other for other in event.teams} | {team.id: team}
    return _validated(replace(event, teams=tuple(teams.values())))


def remove_team(event: Event, team: str) -> Event:
    return _remove_from_constraints(
        replace(event, teams=tuple(other for other in event.teams if other.id != team)), team
    )


def _remove_from_constraints(event: Event, name: str) -> Event:
    options = event.options
    left = (replace(wish, players=tuple(one for one in wish.players if one != name)) for wish in options.apart)
    for key in {**options.locked, **options.forbidden, **options.byes, **options.colours}:
        wishes = stored_constraints(event, key)
        others = Constraints(
            tuple(pair for pair in wishes.locked if name not in pair),
            tuple(pair for pair in wishes.forbidden if name not in pair),
            tuple(one for one in wishes.byes if one != name),
            {one: colour for one, colour in wishes.colours.items() if one != name},
        )
        event = with_stored_constraints(event, key, others)
    apart = tuple(wish for wish in left if wish.by or len(wish.players) > 1)
    return replace(event, options=replace(event.options, apart=apart))


def submit_order_sheet(event: Event, team: str, round_: int, order: Sequence[str]) -> Event:
    """Return the event with a team's order sheet for a round; without names the sheet is removed.

    :raises EventError: if there is no such team, or the sheet names a player who is not in it, or one twice
    """
    own = next((one for one in event.teams if one.id == team), None)
    if own is None:
        raise event_error("no team has the id {team!r}; use an id of the list 'teams'", team=team)
    return set_team(event, replace(own, orders=set_for_round(own.orders, str(round_), tuple(order))))


def set_constraints(event: Event, round_: int, wishes: Constraints) -> Event:
    """Return the event with all constraints of one round replaced. Constraints may contradict each other temporarily;
    the pairing reports that.

    :raises EventError: if they name an unknown player
    """
    return _validated(with_stored_constraints(event, round_, wishes))


def _validated(event: Event) -> Event:
    check_event(event)
    return event


def _replace_player(event: Event, player: Player) -> Event:
    return replace(event, players=tuple(player if p.id == player.id else p for p in event.players))


# Amendment of a round that is being played: two players get a game together, and nobody else's game changes.
#
# - Games with a result stay. The opponents that the two players had meet each other; one who is left alone has the bye.
# - The colours are those that the format gives the pairs. A pair that its rules do not allow is refused.
# - Only league and placement games can be paired otherwise: brackets, finals, Berger tables and team matches follow
#   from the rules.

Entry = Game | Bye


@dataclass(frozen=True, slots=True)
class Amendment:
    """A changed round. ``removed``: games and byes that end; ``added``: those that replace them, each with its
    ``reasons``. ``before`` and ``after``: the cost of the round as it was and as it is changed; ``optimum``: that of
    the best round of its players."""

    round: Round
    removed: tuple[Entry, ...]
    added: tuple[Entry, ...]
    reasons: tuple[PairReason, ...]
    before: object
    after: object
    optimum: object


def amend_pair(event: Event, one: str, other: str) -> Amendment:
    """Return the last round with a game of these two players.

    :raises EventError: if one of their games has a result, or the rules do not allow it
    """
    played = event.rounds[-1]
    removed = tuple(entry for entry in played.entries if {one, other} & set(entry.players))
    _check_amendment(event, played, removed, (one, other))
    model = next((entry for entry in (*removed, *played.entries) if entry.stage.designated), None)
    if model is None:
        raise event_error("this round has finals only, so no game can be added")
    left = [name for entry in removed for name in entry.players if name not in (one, other)]
    added: list[Entry] = [Game(one, other, model.stage, league=model.league)]
    if len(left) == 2:
        added.append(Game(left[0], left[1], model.stage, league=model.league))
    elif left:
        added.append(Bye(left[0], model.stage, model.league))
    others = [entry for entry in played.entries if entry not in removed]
    before = _event_before(event, [*others, *added])
    paired = next_round(before, _lock_all_pairs([*others, *added]))
    drawn = {frozenset(entry.players): entry for entry in paired.games if isinstance(entry, Game)}
    added = [replace(drawn[frozenset(one.players)], table=None) if isinstance(one, Game) else one for one in added]
    entries = (*others, *added)
    amended = round_of(played.number, entries)
    amended_round = PairedRound(played.number, entries, paired.cost)
    price = cost_of_round(replace(before, rounds=(*before.rounds, amended)), played.number)
    return Amendment(
        amended,
        removed,
        tuple(added),
        tuple(reason for one in added for reason in explain_round(before, amended_round, one.players[0], priced=False)),
        cost_of_round(event, played.number)["played"],
        price["played"],
        price["optimum"],
    )


def _check_amendment(event: Event, played: Round, removed: Sequence[Entry], players: Sequence[str]) -> None:
    if event.facts.teams or event.facts.all_meet:
        raise event_error("in this format the rules give every pair, so only tables can be changed")
    if len(set(players)) < 2 or any(len(set(players) & set(entry.players)) == 2 for entry in removed):
        raise event_error("choose two players who do not meet in this round")
    for entry in removed:
        if not entry.stage.designated:
            raise event_error("the rules give the games of finals and brackets, so only tables can be changed")
        if isinstance(entry, Game) and entry.winner is not None:
            raise event_error("{game} has a result, so it stays", game=event.game_called(played.number, entry))
    if len({(entry.stage, entry.league) for entry in removed}) > 1:
        raise event_error("the two play in different leagues or stages, so they cannot meet in this round")


def _event_before(event: Event, entries: Sequence[Entry]) -> Event:
    """Return the event before its last round, in which exactly the players of these entries are present."""
    paired = {name for entry in entries for name in entry.players}
    number = str(event.rounds[-1].number)
    away = tuple(player.id for player in event.players if player.id not in paired)
    players = tuple(
        replace(player, absent=False, withdrawn_after_round=None) if player.id in paired else player
        for player in event.players
    )
    absences = {**event.options.absences, number: away}
    options = replace(without_constraints(event).options, absences=absences)
    return replace(event, players=players, options=options, rounds=event.rounds[:-1])


def _lock_all_pairs(entries: Sequence[Entry]) -> Constraints:
    """Return the constraints that leave the colours alone open."""
    league = [entry for entry in entries if entry.stage.designated]
    return Constraints(
        locked=tuple(entry.players for entry in league if isinstance(entry, Game)),
        byes=tuple(entry.player for entry in league if isinstance(entry, Bye)),
    )
