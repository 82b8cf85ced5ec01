"""Undo of a person's last act at the desk.

The history is append-only: an act is undone by another act with the opposite effect, by the same person, and only if
nobody has changed the same fields in between. Results and rounds are taken back on their own pages, because tables and
players must be informed.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET, Struct, structs

from engine.text import say
from kiosk.head.acting import HEAD, acting
from kiosk.head.desk.core import Core, Done
from kiosk.head.desk.rounds import lines_of
from kiosk.head.errors import Conflict
from kiosk.head.event import bodies
from kiosk.head.event.state import DivisionState, HallState
from kiosk.records.event_file import options_to_dict, player_to_dict, team_to_dict

_GONE = say("that cannot be taken back any more: something has changed since")
#: acts on the whole tournament: undone by setting the previous values again
_OF_THE_HALL = (bodies.GatheringNamed, bodies.OrganiserNamed)
#: for these only the persons concerned are compared, so others may continue meanwhile
_ALONE = (bodies.PlayersArrived, bodies.PlayersPaid)


class Undo:
    def __init__(self, core: Core) -> None:
        self._core = core

    def last(self, person: str) -> Done | None:
        """Return a person's last act, if it can be undone now."""
        done = self._core.last.get(person)
        return done if done is not None and self._opposites(done) else None

    def take_back(self, number: int) -> None:
        """Undo the last act of the person who asks, which is number ``number`` of all.

        :raises Conflict: it is not the last any more, or something has changed since.
        """
        with self._core.lock:
            done = None if acting() == HEAD else self.last(acting())
            if done is None or done.number != number:
                raise Conflict(_GONE)
            self._core.act_all([(act, ()) for act in self._opposites(done)])
            del self._core.last[acting()]

    def _opposites(self, done: Done) -> list[Struct]:
        """Return the acts that undo it; empty: it cannot be undone here."""
        found: list[Struct] = []
        for act in reversed(done.acts):
            opposite = _opposite(done.before, act)
            if not opposite or not _still(done, act, self._core.state):
                return []
            found += opposite
        return found


def _still(done: Done, act: Struct, now: HallState) -> bool:
    """Check whether what an act has set is unchanged."""
    if isinstance(act, _ALONE):
        return act.division in now.divisions
    if isinstance(act, bodies.Act):
        return now.divisions.get(act.division) is done.after.divisions.get(act.division) is not None
    return all(getattr(now, name) == getattr(done.after, name) for name in ("announcement", "prizes", "slots", *_HALL))


_HALL = tuple(name for shape in _OF_THE_HALL for name in shape.__struct_fields__)


def _opposite(before: HallState, act: Struct) -> Sequence[Struct]:
    match act:
        case bodies.Announced():
            return [bodies.Announced(before.announcement, before.prizes)]
        case bodies.GatheringNamed() | bodies.OrganiserNamed():
            return [type(act)(**{name: getattr(before, name) for name in act.__struct_fields__})]
        case bodies.SlotSet(slot=slot):
            return [bodies.SlotSet(slot, before.slots.get(slot))]
        case bodies.Act() if act.division in before.divisions:
            return _of_division(before.divisions[act.division], act)
    return []


def _of_division(was: DivisionState, act: bodies.Act) -> Sequence[Struct]:
    slug, players = was.slug, was.players()
    absent = {id for id, player in players.items() if player.absent}

    def those(names: Sequence[str], of: frozenset[str] | set[str], inside: bool) -> tuple[str, ...]:
        return tuple(name for name in names if (name in of) is inside)

    match act:
        case bodies.PlayersArrived(players=names, arrived=arrived):
            back = [bodies.PlayersArrived(slug, players=those(names, was.here, not arrived), arrived=not arrived)]
            gone = those(names, absent, True) if arrived else ()
            return [*back, *([bodies.PlayersAbsent(slug, players=gone, absent=True)] if gone else [])]
        case bodies.PlayersAbsent(players=names, absent=away):
            here = those(names, was.here, True) if away else ()
            back_ = [bodies.PlayersAbsent(slug, players=those(names, absent, not away), absent=not away)]
            return [*back_, *([bodies.PlayersArrived(slug, players=here, arrived=True)] if here else [])]
        case bodies.PlayersPaid(players=names, paid=paid):
            return [bodies.PlayersPaid(slug, players=those(names, was.paid, not paid), paid=not paid)]
        case bodies.PlayersAdded(players=new):
            return [bodies.PlayerRemoved(slug, player=str(one["id"])) for one in new]
        case bodies.PlayerRemoved(player=name):
            return [bodies.PlayersAdded(slug, players=[player_to_dict(players[name])])]
        case bodies.PlayerChanged(player=name, fields=fields):
            said = player_to_dict(players[name])
            return [bodies.PlayerChanged(slug, player=name, fields={field: said.get(field) for field in fields})]
        case bodies.PlayerWithdrawn(player=name):
            return [bodies.PlayerReturned(slug, player=name)]
        case bodies.PlayerAway(player=name, round=number, away=away):
            return [bodies.PlayerAway(slug, player=name, round=number, away=not away)]
        case bodies.TeamSet(team=team):
            old = was.teams().get(str(team["id"]))
            return [bodies.TeamSet(slug, team=team_to_dict(old)) if old else bodies.TeamRemoved(slug, team=team["id"])]
        case bodies.TeamRemoved(team=name):
            return [bodies.TeamSet(slug, team=team_to_dict(was.teams()[name]))]
        case bodies.WishesSet(round=number):
            options, key = was.event.options, str(number)
            pairs = {name: getattr(options, name).get(key) for name in ("locked", "forbidden", "byes", "colours")}
            return [bodies.WishesSet(slug, round=number, **pairs)]
        case bodies.PlayerReturned(player=name):
            left = players[name].withdrawn_after_round
            if left is None:
                return [bodies.PlayersAbsent(slug, players=(name,), absent=True)]
            return [bodies.PlayerWithdrawn(slug, player=name, after_round=left)]
        case bodies.TeamSheet(team=team, round=number):
            sheet = was.teams()[team].orders.get(str(number), ())
            return [bodies.TeamSheet(slug, team=team, round=number, players=sheet)]
        case bodies.LotsDrawn():
            return _undrawn(was, act)
        case bodies.MadeByHand(round=number):
            games = None if was.hand_made is None else lines_of(was, was.hand_made.games)
            return [bodies.MadeByHand(slug, round=number, games=games)]
        case bodies.RoundTimed(round=number):
            old_time = was.timed.get(number)
            starts = None if old_time is None else old_time.starts.isoformat(timespec="seconds")
            return [bodies.RoundTimed(slug, round=number, starts=starts, minutes=old_time.minutes if old_time else 0)]
        case bodies.Changed():
            return [_unchanged(was, act)]
    return []


def _undrawn(was: DivisionState, act: bodies.LotsDrawn) -> Sequence[Struct]:
    """Return the lots before the draw; nothing if some were changed by hand since, because a draw is shown as it was
    made.
    """
    options = options_to_dict(was.event.options)
    given = {name: options.get(name) for name in act.options}
    lots = {player.id: player.lot for player in was.event.players if player.lot is not None}
    old = was.drawn
    if old is None:
        return [bodies.LotsDrawn(was.slug, lots=lots, options=given)]
    if old.lots != lots:
        return []
    return [structs.replace(act, lots=lots, method=old.method, ballots=old.ballots, seed=old.seed, options=given)]


def _unchanged(was: DivisionState, act: bodies.Changed) -> bodies.Changed:
    """Return the previous values of what an act changed of a division."""
    options = options_to_dict(was.event.options)
    old: dict[str, object] = {
        "title": bodies.Title(*was.title),
        "table": was.table_rules,
        "tables": was.tables,
        "auto": was.auto,
        "plan": was.plan,
        "spectators": was.spectators.line(),
    }
    set_now = {name: value for name, value in old.items() if getattr(act, name) is not UNSET}
    whole = {"name": was.event.name, "date": was.event.date, "format": was.format}
    set_now |= {name: value for name, value in whole.items() if getattr(act, name) is not None}
    given = {name: options.get(name) for name in act.options}
    return structs.replace(bodies.Changed(was.slug, options=given), **set_now)
