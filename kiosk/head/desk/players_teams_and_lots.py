"""Players and teams: entries, check-in, absence, withdrawal and return; lots and order sheets.

A player who was paired is never removed; he withdraws, and his games stay (PAIRING.md 4). Duplicate entries are
detected before they are added.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from engine.i18n import say
from engine.tournament.event_edits import remove_player
from engine.tournament.event_model import Game, Player, Team
from engine.tournament.formats.format_interface import forfeited
from engine.tournament.lots_and_leagues import lots_of_entries
from engine.tournament.player_entry_fields import may_be_same, name_key
from kiosk.head.desk.act_commit_and_games_claimed_by_tables import EventCore, Line, under_lock
from kiosk.head.desk.result_entry_and_correction import result_entered_act
from kiosk.head.desk.table_assignment import TableAssigner
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event import act_types
from kiosk.head.event.head_game_and_result_check import end_of
from kiosk.head.event.tournament_state import DivisionState
from kiosk.records.event_file import player_to_dict, team_to_dict
from kiosk.records.japanese_name_search_and_order import collation_key

#: fields that the draw of round 1 uses: they stay once it is published
FIXED_BY_ROUND_1 = frozenset({"lot", "seed"})
DRAW_STAYS = say("round 1 was published, so lots and seeds stay; take round 1 back to change them")


class Players:
    def __init__(self, core: EventCore, seating: TableAssigner) -> None:
        self._core = core
        self._seating = seating

    @under_lock
    def add(self, slug: str, players: Sequence[Player]) -> list[str]:
        """Add entries; those without an id get the next free one. Return the ids.

        :raises HeadError: an entry cannot be used, or he may be entered already; nobody is added then.
        """
        division = self._core.state.division(slug)
        for player in players:
            if _is_entered(player, division):
                why = say("{player} is entered already; for another person of that name give the birth year")
                raise HeadError(why(player=player.name))
        numbered = assign_ids(players, {*division.players(), *division.teams()})
        self._core.act(_players_added_act(division.slug, numbered))
        return [player.id for player in numbered]

    @under_lock
    def import_lists(
        self,
        lists: Mapping[str, tuple[Sequence[Player], Mapping[str, Mapping[str, object]]]],
        teams_of: Callable[[DivisionState], Sequence[Team]] = lambda division: (),
    ) -> None:
        """Apply an import, all or nothing: of each division the new entries, and changed fields of known ones. Whoever
        was entered since the list was read is left out. ``teams_of``: the teams to set in a division that has the new
        entries; one without an id is new."""
        lines: list[Line] = []
        for slug, (new, changed) in lists.items():
            division = self._core.state.division(slug)
            for id, fields in changed.items():
                _check_draw_stays(division, id, fields)
            lines += [
                (act_types.PlayerChanged(division.slug, player=id, fields=dict(fields)), ())
                for id, fields in changed.items()
            ]
            new = [one for one in new if not _is_entered(one, division)]
            if numbered := assign_ids(new, {*division.players(), *division.teams()}):
                added = _players_added_act(division.slug, numbered)
                lines.append((added, ()))
                division = self._core.state_after(added).division(slug)
            taken = {*division.players(), *division.teams()}
            for team in teams_of(division):
                taken.add(id := team.id or _free_id("t", taken))
                lines.append((act_types.TeamSet(division.slug, team=team_to_dict(replace(team, id=id))), ()))
        if lines:
            self._core.act_all(lines)

    @under_lock
    def change(self, slug: str, player: str, fields: Mapping[str, object]) -> None:
        """Change fields of an entry; None removes a field.

        :raises HeadError: the entry cannot be used that way.
        """
        division, _ = self._player(slug, player)
        _check_draw_stays(division, player, fields)
        self._core.act(act_types.PlayerChanged(division.slug, player=player, fields=dict(fields)))

    @under_lock
    def remove(self, slug: str, player: str) -> None:
        """Delete an entry made by mistake.

        :raises Conflict: the player was paired and can only withdraw, or others' lots would change.
        """
        division, _ = self._player(slug, player)
        if any(player in game.players for games in division.rounds for game in games):
            raise Conflict.saying(
                "{called} was paired already; enter that the player leaves instead, the games stay",
                called=division.called(player),
            )
        if _changes_lots(division, player):
            raise Conflict.saying(
                "{called} stays in the list, because the lots follow its order since round 1; mark the player absent",
                called=division.called(player),
            )
        self._core.act(act_types.PlayerRemoved(division.slug, player=player))

    @under_lock
    def move(self, slug: str, player: str, to: str, reason: str) -> str:
        """Move an entry to another division and return its id there. One who was paired leaves his division, with the
        reason: his games and results stay in it, and he enters the other without any.

        :raises Conflict: he has an open game, plays in a team, or is in that division already.
        """
        (division, entry), target = self._player(slug, player), self._core.state.division(to)
        called = division.called(player)
        if division.event.facts.teams or target.event.facts.teams:
            raise Conflict.saying("players of teams cannot move to or from another division")
        if _is_entered(entry, target):
            raise Conflict.saying("{called} is entered in {division} already", called=called, division=target.name)
        if any(game.is_open and player in game.players for game in division.current):
            raise Conflict.saying("{called} has an open game; enter its result first", called=called)
        taken = {*target.players(), *target.teams()}
        number = None if entry.number in [one.number for one in target.event.players] else entry.number
        moved = replace(entry, id="" if player in taken else player, number=number, seed=None, lot=None, league=None)
        (moved,) = assign_ids([replace(moved, absent=False, withdrawn_after_round=None)], taken)
        lines: list[Line] = [(_players_added_act(target.slug, [moved]), ())]
        if not any(player in game.players for games in division.rounds for game in games):
            absent = act_types.PlayersAbsent(division.slug, players=(player,), absent=True)
            removed = act_types.PlayerRemoved(division.slug, player=player)
            lines.append((absent if _changes_lots(division, player) else removed, ()))
        elif player not in division.withdrawn:
            after = len(division.rounds)
            left = act_types.PlayerWithdrawn(division.slug, player=player, after_round=after, reason=reason)
            lines.append((left, ()))
        if player in division.here:
            lines.append((act_types.PlayersArrived(target.slug, players=(moved.id,), arrived=True), ()))
        if player in division.paid:
            lines.append((act_types.PlayersPaid(target.slug, players=(moved.id,), paid=True), ()))
        self._core.act_all(lines)
        return moved.id

    @under_lock
    def check_in(self, slug: str, players: Iterable[str], *, arrived: bool) -> None:
        """Note who has arrived, or correct an arrival noted by mistake."""
        division = self._core.state.division(slug)
        self._core.act(
            act_types.PlayersArrived(division.slug, players=_entered_ids(division, players), arrived=arrived)
        )

    @under_lock
    def set_absent(self, slug: str, players: Iterable[str], *, absent: bool) -> None:
        """Mark players as absent, so that they are not paired; they can come later."""
        division = self._core.state.division(slug)
        self._core.act(act_types.PlayersAbsent(division.slug, players=_entered_ids(division, players), absent=absent))

    @under_lock
    def pay(self, slug: str, players: Iterable[str], *, paid: bool) -> None:
        """Note whose entry fee was paid, or that it was not."""
        division = self._core.state.division(slug)
        self._core.act(act_types.PlayersPaid(division.slug, players=_entered_ids(division, players), paid=paid))

    @under_lock
    def set_fees(self, slug: str, fee: int) -> None:
        """Set the entry fee of every player without a fee of his own."""
        division = self._core.state.division(slug)
        none = [player.id for player in division.event.players if player.fee is None]
        self.import_lists({slug: ((), {id: {"fee": fee} for id in none})})

    @under_lock
    def number(self, slug: str) -> None:
        """Give an entry number to every player without one, in the order of names, after the highest in use."""
        players = self._core.state.division(slug).event.players
        numbers = [str(one.number or "") for one in players]
        taken = [int(number) for number in numbers if number.isdecimal() and len(number) <= 9]
        none = sorted((one for one in players if one.number is None), key=collation_key)
        first = max(taken, default=0) + 1
        self.import_lists({slug: ((), {one.id: {"number": number} for number, one in enumerate(none, start=first)})})

    @under_lock
    def leave(self, slug: str | None, player: str, reason: str, open_game: str = "") -> None:
        """Withdraw a player from the next round on. ``open_game``: how his open game ends, if he has one (``forfeit``
        or ``late``: he loses it); empty: it is played to its end.

        :raises Conflict: he has withdrawn already.
        """
        division, _ = self._player(slug, player)
        if player in division.withdrawn:
            raise Conflict.saying("{called} has left already", called=division.called(player))
        after, why = len(division.rounds), reason.strip()
        left = act_types.PlayerWithdrawn(division.slug, player=player, after_round=after, reason=why)
        lines: list[Line] = [(left, ())]
        game = next((game for game in division.current if game.is_open and player in game.players), None)
        if game is not None and open_game:
            outcome = forfeited(division.event, Game(game.black, str(game.white)), player)
            if game.total is None:  # in ChouChou no pieces
                outcome = replace(outcome, black_discs=None, white_discs=None)
            outcome = replace(outcome, end=end_of(open_game))
            lost = result_entered_act(division.slug, game.id, outcome, reason)
            lines.insert(0, (lost, self._seating.withdrawals([game])))
        self._core.act_all(lines)

    @under_lock
    def cancel_withdrawal(self, slug: str, player: str) -> None:
        """Pair a withdrawn player again; the rounds missed are absences and stay without a point."""
        division, entry = self._player(slug, player)
        if player not in division.withdrawn and not entry.absent:
            raise Conflict.saying(
                "{called} has not left; there is nothing to take back", called=division.called(player)
            )
        self._core.act(act_types.PlayerReturned(division.slug, player=player))

    @under_lock
    def miss_round(self, slug: str, player: str, round: int, *, away: bool) -> None:
        """Note that the player is away in a coming round and is not paired in it, or cancel that.

        :raises Conflict: the round was published.
        """
        division, _ = self._player(slug, player)
        if round <= len(division.rounds):
            raise Conflict.saying(
                "round {round} was published, so nobody can be marked away in it any more", round=round
            )
        if (round in division.away_in(player)) != away:
            self._core.act(act_types.PlayerAway(division.slug, player=player, round=round, away=away))

    @under_lock
    def set_lots(self, draw: act_types.LotsDrawn) -> None:
        """Write the lots that were drawn.

        :raises HeadError: two have the same lot. :raises Conflict: round 1 was published.
        """
        division = self._core.before_round_1(draw.division, say("the draw"))
        if strangers := [name for name in draw.lots if name not in division.players()]:
            raise NotFound.saying(
                "there is no player '{strangers}'; choose one of the division's players", strangers=strangers[0]
            )
        holders: dict[int, str] = {}
        for name, lot in draw.lots.items():
            if lot in holders:
                both = f"{division.called(holders[lot])} and {division.called(name)}"
                raise HeadError.saying("{both} both have lot {lot}; lots are unique", both=both, lot=lot)
            holders[lot] = name
        self._core.act(draw)

    # teams

    @under_lock
    def set_team(self, slug: str, team: Team) -> str:
        """Add a team, or change the one with its id; return the id.

        :raises HeadError: it cannot be used.
        """
        division = self._core.state.division(slug)
        given = replace(team, id=team.id or _free_id("t", {*division.players(), *division.teams()}))
        old = division.teams().get(given.id)
        if old is not None and division.rounds and set(old.players) - set(given.players):
            raise Conflict.saying("round 1 was published, so nobody can be taken out of a team any more")
        others = {name_key(one.name or "") for one in division.event.teams if one.id != given.id}
        if given.name and (old is None or old.name != given.name) and name_key(given.name) in others:
            raise Conflict.saying("there is a team '{name}' already; give this one another name", name=given.name)
        given = replace(given, orders=(old.orders if old else {}) | given.orders)
        self._core.act(act_types.TeamSet(division.slug, team=team_to_dict(given)))
        return given.id

    @under_lock
    def remove_team(self, slug: str, team: str) -> None:
        division = self._core.before_round_1(slug, say("the teams"))
        if team not in division.teams():
            raise NotFound.saying("there is no team '{team}'; choose one of the division's teams", team=team[:40])
        self._core.act(act_types.TeamRemoved(division.slug, team=team))

    @under_lock
    def set_order(self, slug: str, team: str, round: int, players: Sequence[str]) -> None:
        """Set a team's order sheet for a round that is not published yet.

        :raises Conflict: the round was published.
        """
        division = self._core.state.division(slug)
        if team not in division.teams():
            raise NotFound.saying("there is no team '{team}'; choose one of the division's teams", team=team[:40])
        if round <= len(division.rounds):
            raise Conflict.saying("round {round} was published, so its order sheets are fixed", round=round)
        self._core.act(act_types.TeamSheet(division.slug, team=team, round=round, players=tuple(players)))

    def _player(self, slug: str | None, player: str) -> tuple[DivisionState, Player]:
        division = self._core.state.division(slug)
        found = division.players().get(player)
        if found is None:
            raise NotFound.saying(
                "there is no player '{player}'; choose one of the event's players", player=player[:40]
            )
        return division, found


def _check_draw_stays(division: DivisionState, player: str, fields: Mapping[str, object]) -> None:
    """Check that no lot and no seed changes once round 1 is published: every later round follows from them."""
    given = FIXED_BY_ROUND_1 & fields.keys() if division.rounds else ()
    if any(fields[name] != getattr(division.players().get(player), name, None) for name in given):
        raise Conflict(DRAW_STAYS)


def _changes_lots(division: DivisionState, player: str) -> bool:
    """Check whether the entry's removal would change lots that round 1 was paired by: they follow the order of the
    list, unless they were drawn on paper."""
    if not division.rounds or division.event.facts.teams:
        return False
    lots = lots_of_entries(division.event)
    return not lots_of_entries(remove_player(division.event, player)).items() <= lots.items()


def _entered_ids(division: DivisionState, players: Iterable[str]) -> tuple[str, ...]:
    known = division.players()
    return tuple(name for name in players if name in known)


def _is_entered(player: Player, division: DivisionState) -> bool:
    """Check whether an entry may be one of the division's players."""
    return any(may_be_same(one, player) for one in division.event.players)


def _players_added_act(slug: str, players: Iterable[Player]) -> act_types.PlayersAdded:
    return act_types.PlayersAdded(slug, players=[player_to_dict(player) for player in players])


def assign_ids(players: Sequence[Player], taken: set[str]) -> list[Player]:
    """Return the entries, each with an id: its own, else p1, p2 …"""
    taken = {*taken, *(player.id for player in players if player.id)}
    numbered = []
    for player in players:
        id = player.id or _free_id("p", taken)
        taken.add(id)
        numbered.append(replace(player, id=id))
    return numbered


def _free_id(letter: str, taken: set[str]) -> str:
    number = 1
    while f"{letter}{number}" in taken:
        number += 1
    return f"{letter}{number}"
