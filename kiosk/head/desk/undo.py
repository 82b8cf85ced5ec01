"""Undo of a person's last act at the desk.

The history is append-only: an act is undone by another act with the opposite effect, by the same person, and only if
nobody has changed the same fields in between. Results and whole rounds are taken back on their own pages. Kiosks are
told of a game that ends or returns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from msgspec import UNSET, Struct, structs

from engine.i18n import say
from kiosk.head.current_user import HEAD, acting
from kiosk.head.desk.act_commit_and_games_claimed_by_tables import CommittedAct, EventCore, Line, under_lock
from kiosk.head.desk.round_draft_publish_amend_undo import pairing_lines
from kiosk.head.desk.table_assignment import TableAssigner
from kiosk.head.errors import Conflict
from kiosk.head.event import act_types
from kiosk.head.event.act_reducers import apply
from kiosk.head.event.head_game_and_result_check import HeadGame
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.records.event_file import options_to_dict, player_to_dict, team_to_dict

_GONE = say("that cannot be taken back any more: something has changed since")
#: acts on the whole tournament: undone by setting the previous values again
_OF_THE_HALL = (act_types.TournamentRenamed, act_types.OrganiserNamed)
#: for these only the persons concerned are compared, so others may continue meanwhile
_ALONE = (act_types.PlayersArrived, act_types.PlayersPaid)


class UndoAct:
    def __init__(self, core: EventCore, seating: TableAssigner) -> None:
        self._core = core
        self._seating = seating

    def last(self, person: str) -> CommittedAct | None:
        """Return a person's last act, if it can be undone now."""
        done = self._core.last.get(person)
        return done if done is not None and self._opposites(done) else None

    @under_lock
    def take_back(self, number: int) -> None:
        """Undo the last act of the person who asks, which is number ``number`` of all.

        :raises Conflict: it is not the last act, or something has changed since.
        """
        done = None if acting() == HEAD else self.last(acting())
        if done is None or done.number != number:
            raise Conflict(_GONE)
        self._core.act_all(self._lines(self._opposites(done)))
        del self._core.last[acting()]

    def _lines(self, acts: Sequence[Struct]) -> list[Line]:
        """Return the acts with the orders to kiosks that follow from them."""
        lines: list[Line] = []
        moves: list[tuple[HeadGame, int]] = []
        for act in acts:
            if isinstance(act, act_types.RoundAmended):
                lines += self._seating.reseat_amended_round(act)
            elif isinstance(act, act_types.GameSeated):
                moves.append((self._core.game(act.game)[1], act.table))
            else:
                lines.append((act, ()))
        return lines + self._seating.seating_lines(moves)

    def _opposites(self, done: CommittedAct) -> list[Struct]:
        """Return the acts that undo it; empty: it cannot be undone here."""
        found: list[Struct] = []
        amended = isinstance(done.acts[0], act_types.RoundAmended)  # its games are seated by further acts
        for act in done.acts[:1] if amended else reversed(done.acts):
            opposite = _opposite(done.before, act)
            if not opposite or not _is_unchanged(done, act, self._core.state):
                return []
            found += opposite
        again = {act.division for act in found if isinstance(act, act_types.DivisionChanged)}  # these drop a draft too
        return [*found, *self._dropped_drafts(done, again)]

    def _dropped_drafts(self, done: CommittedAct, again: Collection[str]) -> Iterator[act_types.ManualDraftSaved]:
        """Yield the acts that save again the drafts made by hand that it dropped, or that undoing it drops (``again``:
        in these divisions)."""
        for slug, division in self._core.state.divisions.items():
            was = done.before.divisions.get(slug)
            dropped = division.hand_made is None or slug in again
            is_unchanged = division is done.after.divisions.get(slug)
            if was is not None and was.hand_made is not None and dropped and is_unchanged:
                games = pairing_lines(was, was.hand_made.games)
                yield act_types.ManualDraftSaved(slug, round=was.hand_made.round, games=games)


def _is_unchanged(done: CommittedAct, act: Struct, now: TournamentState) -> bool:
    """Check whether what an act has set is unchanged."""
    if isinstance(act, _ALONE):
        return act.division in now.divisions
    if isinstance(act, act_types.DivisionAct):
        return now.divisions.get(act.division) is done.after.divisions.get(act.division) is not None
    return all(getattr(now, name) == getattr(done.after, name) for name in _SET)


_HALL = tuple(name for shape in _OF_THE_HALL for name in shape.__struct_fields__)
_SET = ("announcement", "announced_until", "prizes", "slots", *_HALL)


def _opposite(before: TournamentState, act: Struct) -> Sequence[Struct]:
    match act:
        case act_types.Announced():
            return [act_types.Announced(before.announcement, before.prizes, before.announced_until)]
        case act_types.TournamentRenamed() | act_types.OrganiserNamed():
            return [type(act)(**{name: getattr(before, name) for name in act.__struct_fields__})]
        case act_types.BroadcastSlotSet(slot=slot):
            return [act_types.BroadcastSlotSet(slot, before.slots.get(slot))]
        case act_types.DivisionAct() if act.division in before.divisions:
            return _of_division(before.divisions[act.division], act)
    return []


def _of_division(was: DivisionState, act: act_types.DivisionAct) -> Sequence[Struct]:
    """Return the acts that reverse one on a division; none if it cannot be reversed."""
    slug, players = was.slug, was.players()
    absent = {id for id, player in players.items() if player.absent}

    def those(names: Sequence[str], of: frozenset[str] | set[str], inside: bool) -> tuple[str, ...]:
        return tuple(name for name in names if (name in of) is inside)

    match act:
        case act_types.PlayersArrived(players=names, arrived=arrived):
            back = [act_types.PlayersArrived(slug, players=those(names, was.here, not arrived), arrived=not arrived)]
            absentees = those(names, absent, True) if arrived else ()
            return [*back, *([act_types.PlayersAbsent(slug, players=absentees, absent=True)] if absentees else [])]
        case act_types.PlayersAbsent(players=names, absent=away):
            here = those(names, was.here, True) if away else ()
            back_ = [act_types.PlayersAbsent(slug, players=those(names, absent, not away), absent=not away)]
            return [*back_, *([act_types.PlayersArrived(slug, players=here, arrived=True)] if here else [])]
        case act_types.PlayersPaid(players=names, paid=paid):
            return [act_types.PlayersPaid(slug, players=those(names, was.paid, not paid), paid=not paid)]
        case act_types.PlayersAdded(players=new):
            return [act_types.PlayerRemoved(slug, player=str(one["id"])) for one in new]
        case act_types.PlayerRemoved(player=name):
            of = (name,)
            return [
                act_types.PlayersAdded(slug, players=[player_to_dict(players[name])]),
                *([act_types.PlayersArrived(slug, players=of, arrived=True)] if name in was.here else []),
                *([act_types.PlayersPaid(slug, players=of, paid=True)] if name in was.paid else []),
                *(act_types.TeamSet(slug, team=team_to_dict(team)) for team in was.event.teams if name in team.players),
                *_previous_options(was, act),
            ]
        case act_types.PlayerChanged(player=name, fields=fields):
            values = player_to_dict(players[name])
            return [act_types.PlayerChanged(slug, player=name, fields={field: values.get(field) for field in fields})]
        case act_types.PlayerWithdrawn(player=name):
            away_too = [act_types.PlayersAbsent(slug, players=(name,), absent=True)] if name in absent else []
            return [act_types.PlayerReturned(slug, player=name), *away_too]
        case act_types.PlayerAway(player=name, round=number, away=away):
            return [act_types.PlayerAway(slug, player=name, round=number, away=not away)]
        case act_types.TeamSet(team=team):
            old = was.teams().get(str(team["id"]))
            return [
                act_types.TeamSet(slug, team=team_to_dict(old)) if old else act_types.TeamRemoved(slug, team=team["id"])
            ]
        case act_types.TeamRemoved(team=name):
            return [act_types.TeamSet(slug, team=team_to_dict(was.teams()[name])), *_previous_options(was, act)]
        case act_types.WishesSet(round=number):
            options, key = was.event.options, str(number)
            pairs = {name: getattr(options, name).get(key) for name in ("locked", "forbidden", "byes", "colours")}
            return [act_types.WishesSet(slug, round=number, **pairs)]
        case act_types.PlayerReturned(player=name):
            left = players[name].withdrawn_after_round
            gone = [] if left is None else [act_types.PlayerWithdrawn(slug, player=name, after_round=left)]
            return [*gone, *([act_types.PlayersAbsent(slug, players=(name,), absent=True)] if name in absent else [])]
        case _:
            return _of_round(was, act)


def _of_round(was: DivisionState, act: act_types.DivisionAct) -> Sequence[Struct]:
    """Return the acts that reverse one on a round, its draft, the draw, or the division's settings."""
    slug = was.slug
    match act:
        case act_types.TeamSheet(team=team, round=number):
            sheet = was.teams()[team].orders.get(str(number), ())
            return [act_types.TeamSheet(slug, team=team, round=number, players=sheet)]
        case act_types.LotsDrawn():
            return _undrawn(was, act)
        case act_types.ManualDraftSaved(round=number):
            games = None if was.hand_made is None else pairing_lines(was, was.hand_made.games)
            return [act_types.ManualDraftSaved(slug, round=number, games=games)]
        case act_types.RoundAmended(round=number, removed=removed):
            current_ids = {game.id for game in was.current}
            now = apply(was, act).current
            paired = [game for game in now if game.id not in current_ids]
            missed = {name for game in paired for name in game.players if number in was.away_in(name)}
            ids = tuple(game.id for game in paired)
            return [
                act_types.RoundAmended(slug, round=number, removed=ids, restored=removed),
                *(act_types.PlayerAway(slug, player=name, round=number, away=True) for name in sorted(missed)),
            ]
        case act_types.GameSeated(game=id, told=False):
            seats = {game.id: game.table for game in was.current}
            table = seats.get(id)
            return [] if table is None else [act_types.GameSeated(slug, game=id, table=table)]
        case act_types.RoundTimed(round=number):
            old_time = was.timed.get(number)
            starts = None if old_time is None else old_time.starts.isoformat(timespec="seconds")
            return [
                act_types.RoundTimed(slug, round=number, starts=starts, minutes=old_time.minutes if old_time else 0)
            ]
        case act_types.DivisionChanged():
            return [_previous_values(was, act)]
    return []


def _undrawn(was: DivisionState, act: act_types.LotsDrawn) -> Sequence[Struct]:
    """Return the lots before the draw; nothing if some were changed by hand since, or the order of the list, because a
    draw is shown as it was made.
    """
    options = options_to_dict(was.event.options)
    values = {name: options.get(name) for name in act.options}
    lots = {player.id: player.lot for player in was.event.players if player.lot is not None}
    old = was.drawn
    if old is None:
        return [act_types.LotsDrawn(was.slug, lots=lots, options=values)]
    if (old.lots, old.order) != (lots, tuple(lots)):
        return []
    return [structs.replace(act, lots=lots, method=old.method, ballots=old.ballots, seed=old.seed, options=values)]


def _previous_options(was: DivisionState, act: act_types.DivisionAct) -> Sequence[Struct]:
    """Return the act that restores the options which removing a player or a team changed; none if it changed none."""
    old, new = (options_to_dict(division.event.options) for division in (was, apply(was, act)))
    values = {name: old.get(name) for name in {**old, **new} if old.get(name) != new.get(name)}
    return [act_types.DivisionChanged(was.slug, options=values)] if values else []


def _previous_values(was: DivisionState, act: act_types.DivisionChanged) -> act_types.DivisionChanged:
    """Return the previous values of what an act changed of a division."""
    options = options_to_dict(was.event.options)
    old: dict[str, object] = {
        "title": act_types.Title(*was.title),
        "table": was.table_rules,
        "tables": was.tables,
        "auto": was.auto,
        "plan": was.plan,
        "spectators": was.spectators,
    }
    set_now = {name: value for name, value in old.items() if getattr(act, name) is not UNSET}
    fixed_fields = {"name": was.event.name, "date": was.event.date, "format": was.format}
    set_now |= {name: value for name, value in fixed_fields.items() if getattr(act, name) is not None}
    values = {name: options.get(name) for name in act.options}
    return structs.replace(act_types.DivisionChanged(was.slug, options=values), **set_now)
