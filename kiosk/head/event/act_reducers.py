"""The reducers: the effect of each act on its division.

An act is one call of ``engine.tournament.event_edits``, plus what only the head knows (who is present, which round was
taken back). History is append-only. The desk tries an act here before writing it, and the fold uses the same function,
so nothing is written that cannot be folded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar, cast

from msgspec import UNSET

from engine.board.variants import STANDARD
from engine.i18n import text_of
from engine.match.match_value_types import MatchError
from engine.match.rule_sets_and_options import read_options, rule_set
from engine.tournament import TournamentError, event_edits
from engine.tournament.event_and_result_validation import check_entry_result
from engine.tournament.event_model import Bye, Event, EventError, Game, round_of
from engine.tournament.formats import FORMATS
from engine.tournament.lots_and_leagues import initial_number
from engine.tournament.pairing_history_and_constraints import Constraints, has_withdrawn, present_entries
from kiosk.head.errors import HeadError
from kiosk.head.event import act_types, tournament_state
from kiosk.head.event.act_types import DivisionAct
from kiosk.head.event.head_game_and_result_check import HeadGame, outcome_of
from kiosk.head.event.round_timetable import plan_of
from kiosk.head.event.tournament_state import DivisionState
from kiosk.records.event_file import changed_options, changed_player, entry_of_line, player_of, team_of

A = TypeVar("A", bound=DivisionAct)
#: division, act, time of the act
Change = Callable[[DivisionState, A, str], DivisionState]


def apply(division: DivisionState, act: DivisionAct, at: str = "") -> DivisionState:
    """Return the division after an act.

    :raises HeadError: it names a player, a team or a round that does not exist, or the result is invalid for the
        engine.
    """
    try:
        return CHANGES[type(act)](division, act, at)
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


def new_division(act: act_types.DivisionCreated, body: act_types.Body) -> DivisionState:
    """Return a new division. ``body``: the act as it was written, from which the event's name is derived.

    :raises HeadError: the event, or the tables' rules, cannot be used.
    """
    event = act_types.event_of(act.event)
    if event.rounds:
        raise HeadError.saying("the event has rounds already; create it from a file with players only")
    check_rules(act.table)
    plan = act.plan or tournament_state.DayPlan()
    plan_of(plan)
    name, title, came_whole = tournament_state.event_name(body), (act.title.ja, act.title.en), bool(event.players)
    return DivisionState(
        act.division, event, name, act.table, title, tables=act.tables, plan=plan, came_whole=came_whole
    )


def check_rules(table: tournament_state.TableRules) -> None:
    """Check that the tables' rules exist.

    :raises HeadError: a rule set or an option that no table knows.
    """
    for stage in (tournament_state.StageRules(), *table.stages.values()):
        name = stage.rules or table.rules
        try:
            rule_set(name)
            if read_options({**table.options, **stage.options}, name).variant != STANDARD:
                raise HeadError.saying("the board is an option of the division, not of its tables' rules")
        except MatchError as error:
            raise HeadError.saying("the tables' rules cannot be used: {error}", error=error) from error


# the division itself


def _change_division(division: DivisionState, act: act_types.DivisionChanged, at: str) -> DivisionState:
    event = division.event
    if act.format is not None and act.format not in FORMATS:
        raise HeadError.saying(
            "'{format}' is not a format; choose one of {formats}", format=act.format[:40], formats=", ".join(FORMATS)
        )
    options = changed_options(event.options, act.options) if act.options else None
    event = event_edits.change_division(event, format_=act.format, options=options, name=act.name, date=act.date)
    set_now = {name: getattr(act, name) for name in ("tables", "auto", "plan", "spectators")}
    if act.title is not UNSET:
        set_now["title"] = act.title.ja, act.title.en
    if act.table is not UNSET:
        check_rules(act.table)
        set_now["table_rules"] = act.table
    if act.plan is not UNSET:
        plan_of(act.plan)
    set_now = {name: value for name, value in set_now.items() if value is not UNSET}
    # a draft made by hand may contradict the new options
    return replace(division, event=event, hand_made=None if options else division.hand_made, **set_now)


def _check_removal(division: DivisionState, act: act_types.DivisionRemoved, at: str) -> DivisionState:
    """Check whether removal is allowed; the fold removes the division."""
    if division.rounds:
        raise HeadError.saying("the division has a published round")
    return division


# players and teams


def _players_added(division: DivisionState, act: act_types.PlayersAdded, at: str) -> DivisionState:
    new = [player_of(one) for one in act.players]
    division = replace(division, event=event_edits.add_players(division.event, new))
    if division.event.facts.teams:  # a team's new member missed nothing: the team played
        return division
    return _note_absences(division, (player.id for player in new))


def _note_absences(division: DivisionState, names: Iterable[str]) -> DivisionState:
    """Note that they take part from now on: a draft made by hand lacks them, and earlier rounds without them are
    absences."""
    missed, rounds = division.missed_until, len(division.rounds)
    if rounds:
        missed = {**missed, **dict.fromkeys(names, rounds)}
    return replace(division, missed_until=missed, hand_made=None)


def _player_changed(division: DivisionState, act: act_types.PlayerChanged, at: str) -> DivisionState:
    player = changed_player(division.event.player(act.player), act.fields)
    return replace(division, event=event_edits.change_player(division.event, player))


def _player_removed(division: DivisionState, act: act_types.PlayerRemoved, at: str) -> DivisionState:
    until = {name: rounds for name, rounds in division.missed_until.items() if name != act.player}
    event = event_edits.remove_player(division.event, act.player)
    left = {act.player}
    division = replace(division, here=division.here - left, paid=division.paid - left, missed_until=until)
    made = division.hand_made
    if made is not None and any(act.player in entry.players for entry in made.games):
        made = None
    return replace(division, event=event, hand_made=made)


def _players_arrived(division: DivisionState, act: act_types.PlayersArrived, at: str) -> DivisionState:
    names = _known_ids(division, act.players)
    if not act.arrived:
        return replace(division, here=division.here - names)
    return _set_absent(replace(division, here=division.here | names), names, False)


def _players_absent(division: DivisionState, act: act_types.PlayersAbsent, at: str) -> DivisionState:
    names = _known_ids(division, act.players)
    if act.absent:
        division = replace(division, here=division.here - names)
    return _set_absent(division, names, act.absent)


def _players_paid(division: DivisionState, act: act_types.PlayersPaid, at: str) -> DivisionState:
    names = _known_ids(division, act.players)
    return replace(division, paid=division.paid | names if act.paid else division.paid - names)


def _set_absent(division: DivisionState, names: frozenset[str], absent: bool) -> DivisionState:
    came = [player.id for player in division.event.players if player.id in names and player.absent]
    event = event_edits.set_absent(division.event, names, absent=absent)
    division = replace(division, event=event, hand_made=None if absent else division.hand_made)
    if absent:  # a player checked in by mistake has missed nothing
        missed = {name: rounds for name, rounds in division.missed_until.items() if name not in names}
        return replace(division, missed_until=missed)
    return _note_absences(division, came) if came else division


def _withdraw(division: DivisionState, act: act_types.PlayerWithdrawn, at: str) -> DivisionState:
    event = event_edits.withdraw(division.event, act.player, act.after_round)
    missed = division.missed_until
    if act.player in missed:  # he had returned by mistake, so nothing was missed since he left
        missed = {**missed, act.player: min(missed[act.player], act.after_round)}
    return replace(division, event=event, missed_until=missed, hand_made=None)  # a draft may contain him


def _cancel_withdrawal(division: DivisionState, act: act_types.PlayerReturned, at: str) -> DivisionState:
    back = replace(division, event=event_edits.cancel_withdrawal(division.event, act.player))
    return _note_absences(back, [act.player])


def _set_away_rounds(division: DivisionState, act: act_types.PlayerAway, at: str) -> DivisionState:
    division.event.player(act.player)
    event = event_edits.set_away(division.event, act.player, act.round, away=act.away)
    return replace(division, event=event, hand_made=None)


def _lots_drawn(division: DivisionState, act: act_types.LotsDrawn, at: str) -> DivisionState:
    _known_ids(division, act.lots)
    if act.method == "ballots":
        initial_number(act.ballots)
    options = changed_options(division.event.options, act.options)
    event = event_edits.with_lots(division.event, act.lots, options)
    order = tuple(player.id for player in division.event.players if player.id in act.lots)
    drawn = tournament_state.LotsDrawnState(act.method, act.lots, act.ballots, act.seed, order) if act.lots else None
    return replace(division, event=event, drawn=drawn, hand_made=None)  # a draft may join players of two leagues


def _team_set(division: DivisionState, act: act_types.TeamSet, at: str) -> DivisionState:
    # a draft made by hand pairs the members of the teams as they were
    return replace(division, event=event_edits.set_team(division.event, team_of(act.team)), hand_made=None)


def _team_removed(division: DivisionState, act: act_types.TeamRemoved, at: str) -> DivisionState:
    if act.team not in division.teams():
        raise HeadError.saying("there is no team '{team}'; choose one of the division's teams", team=act.team[:40])
    return replace(division, event=event_edits.remove_team(division.event, act.team), hand_made=None)


def _order_sheet(division: DivisionState, act: act_types.TeamSheet, at: str) -> DivisionState:
    event = event_edits.submit_order_sheet(division.event, act.team, act.round, act.players)
    return replace(division, event=event, hand_made=None)


# rounds


def _wishes_set(division: DivisionState, act: act_types.WishesSet, at: str) -> DivisionState:
    wishes = Constraints(act.locked or (), act.forbidden or (), act.byes or (), act.colours or {})
    return replace(division, event=event_edits.set_constraints(division.event, act.round, wishes), hand_made=None)


def _made_by_hand(division: DivisionState, act: act_types.ManualDraftSaved, at: str) -> DivisionState:
    entries = tuple(entry_of_line(line) for line in act.games or ())
    if not entries:
        return replace(division, hand_made=None)
    if act.round != len(division.rounds) + 1:
        raise HeadError.saying(
            "round {round} does not follow round {rounds}", round=act.round, rounds=len(division.rounds)
        )
    _known_ids(division, (name for entry in entries for name in entry.players))
    return replace(division, hand_made=tournament_state.ManualDraft(act.round, entries))


def _publish_round(division: DivisionState, act: act_types.RoundPublished, at: str) -> DivisionState:
    if not act.games:
        raise HeadError.saying("the round has no game")
    paired = [_game(division, act.round, act.edition, number, line) for number, line in enumerate(act.games, start=1)]
    round_ = round_of(act.round, [game.entry() for game in paired])
    for game in round_.games:
        try:
            check_entry_result(division.event.total, game, "")
        except EventError:  # it gets its name only now, for which all players are read
            check_entry_result(division.event.total, game, division.event.game_called(act.round, game))
    games = tuple(
        game for first in paired for game in tournament_state.games_of_match(division, act.edition, len(paired), first)
    )
    return replace(
        division,
        event=event_edits.publish(division.event, round_),
        rounds=(*division.rounds, games),
        hand_made=None,
        by_hand=division.by_hand | {act.round} if _as_made_by_hand(division, paired) else division.by_hand,
        published_at={**division.published_at, act.round: at},
        editions={**division.editions, act.round: act.edition} if act.edition else division.editions,
    )


def _as_made_by_hand(division: DivisionState, games: Sequence[HeadGame]) -> bool:
    made = division.hand_made
    return made is not None and [entry.players for entry in made.games] == [game.paired.players for game in games]


def _change_round(division: DivisionState, act: act_types.RoundAmended, at: str) -> DivisionState:
    """Exchange games of the last round. New games get new ids, so that a late card of a removed one is never taken for
    theirs."""
    current = {game.id: game for game in division.current}
    former = {game.id: game for game in division.removed if game.round == act.round}
    known = current.keys() >= set(act.removed) and former.keys() >= set(act.restored)
    if act.round != len(division.rounds) or not known:
        raise HeadError.saying("round {round} has changed since; look at it again", round=act.round)
    first = 1 + max(game.number for game in (*division.current, *former.values()))
    edition = act.edition or division.editions.get(act.round, 0)
    new = [former[id] for id in act.restored]
    new += [_game(division, act.round, edition, number, line) for number, line in enumerate(act.games, start=first)]
    left = iter(new)
    games = [game if game.id not in act.removed else next(left, None) for game in division.current]
    amended = (*(game for game in games if game is not None), *left)
    if all(game.is_bye for game in amended):
        raise HeadError.saying("the round has no game")
    event = event_edits.amend(division.event, round_of(act.round, [game.entry() for game in amended]))
    removed = (game for game in division.removed if game.id not in act.restored)
    return replace(
        division,
        event=event,
        rounds=(*division.rounds[:-1], amended),
        removed=(*removed, *(current[id] for id in act.removed)),
        by_hand=division.by_hand | {act.round},
        hand_made=None,
    )


def _set_timetable(division: DivisionState, act: act_types.RoundTimed, at: str) -> DivisionState:
    if act.starts is None:
        timed = {number: timed for number, timed in division.timed.items() if number != act.round}
        return replace(division, timed=timed)
    starts = datetime.fromisoformat(act.starts)
    if starts.tzinfo is None:
        raise HeadError.saying("the start time of a round needs a time zone")
    return replace(division, timed={**division.timed, act.round: tournament_state.RoundTiming(starts, act.minutes)})


def _undone(division: DivisionState, act: act_types.RoundUndone, at: str) -> DivisionState:
    if act.round > len(division.rounds):
        raise HeadError.saying("there is no round {body} to take back", body=act.round)
    taken = [
        tournament_state.UndoneRound(
            number, games, act.reason, at, number in division.by_hand,
            here=frozenset(one.id for one in division.event.players if not has_withdrawn(one, number - 1)),
        )
        for number, games in enumerate(division.rounds, start=1)
        if number >= act.round
    ]  # fmt: skip
    event, _ = event_edits.undo_to(division.event, act.round - 1)
    entries = tuple(game.paired for game in taken[0].games if game.match_game == 1)
    stays = taken[0].by_hand and _has_everybody(division, event, act.round, entries)
    return replace(
        division,
        event=event,
        rounds=division.rounds[: act.round - 1],
        undone=(*division.undone, *taken),
        editions={**division.editions, **{one.round: division.editions.get(one.round, 0) + 1 for one in taken}},
        hand_made=tournament_state.ManualDraft(act.round, entries) if stays else None,
        by_hand=division.by_hand - {one.round for one in taken},
    )


def _restore_round(division: DivisionState, act: act_types.RoundRestored, at: str) -> DivisionState:
    if act.undone >= len(division.undone):
        raise HeadError.saying("there is no such round to put back")
    back = division.undone[act.undone]
    left = tuple(one for number, one in enumerate(division.undone) if number != act.undone)
    games = [game.entry() for game in back.games if game.match_game == 1]
    event = event_edits.redo(division.event, [round_of(back.round, games)], back.here)
    by_hand = division.by_hand | {back.round} if back.by_hand else division.by_hand
    return replace(
        division, event=event, rounds=(*division.rounds, back.games), undone=left, hand_made=None, by_hand=by_hand
    )


def _has_everybody(division: DivisionState, event: Event, round: int, entries: Sequence[Game | Bye]) -> bool:
    """Check whether a manual pairing still has all players of its round: nobody has left or entered since."""
    paired = {name for entry in entries for name in entry.players}
    here = {player.id for player in present_entries(event, round)}
    late = {name for name, rounds in division.missed_until.items() if rounds >= round}
    return paired <= here and not (here & late) - paired


def _game(division: DivisionState, round: int, edition: int, number: int, line: Any) -> HeadGame:
    entry = entry_of_line(line)
    # M40-1, TEAM-5: where the rules know no draws, a hidden disc decides every game
    free_colours = not rule_set(division.table_rules.at(entry.stage).rules).draws
    named = entry.stage.designated if line.designated is None else line.designated  # M40-1, CC-SEAT
    designated = isinstance(entry, Game) and named and not free_colours
    played = outcome_of(entry) if isinstance(entry, Game) else None
    return HeadGame(
        id=tournament_state.game_id(division.event_id, round, number, edition),
        round=round,
        number=number,
        paired=entry,
        designated=designated,
        must_have_winner=isinstance(entry, Game) and not designated,
        outcome=played,
        source="pairing" if played or isinstance(entry, Bye) else "",
        total=division.event.total,
    )


def _known_ids(division: DivisionState, names: Iterable[str]) -> frozenset[str]:
    players, named = division.players(), frozenset(names)
    for name in named:
        if name not in players:
            raise HeadError.saying("'{name}' is not in the division", name=name[:60])
    return named


_CHANGES: Mapping[type[DivisionAct], object] = {
    act_types.DivisionChanged: _change_division,
    act_types.DivisionRemoved: _check_removal,
    act_types.PlayersAdded: _players_added,
    act_types.PlayerChanged: _player_changed,
    act_types.PlayerRemoved: _player_removed,
    act_types.PlayersArrived: _players_arrived,
    act_types.PlayersAbsent: _players_absent,
    act_types.PlayersPaid: _players_paid,
    act_types.PlayerWithdrawn: _withdraw,
    act_types.PlayerReturned: _cancel_withdrawal,
    act_types.PlayerAway: _set_away_rounds,
    act_types.LotsDrawn: _lots_drawn,
    act_types.TeamSet: _team_set,
    act_types.TeamRemoved: _team_removed,
    act_types.TeamSheet: _order_sheet,
    act_types.WishesSet: _wishes_set,
    act_types.ManualDraftSaved: _made_by_hand,
    act_types.RoundPublished: _publish_round,
    act_types.RoundAmended: _change_round,
    act_types.RoundTimed: _set_timetable,
    act_types.RoundUndone: _undone,
    act_types.RoundRestored: _restore_round,
}
#: each function takes acts of its own type only
CHANGES = cast(Mapping[type[DivisionAct], Change[DivisionAct]], _CHANGES)
