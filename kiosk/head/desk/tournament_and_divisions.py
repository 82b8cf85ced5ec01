"""The tournament and its divisions: creating divisions, also from event files, changing and removing them, and the
tables of each.

What decides the pairing of a published round (the format and its options) is fixed from that round on; the rest may
change at any time and holds from then on.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import secrets
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from msgspec import UNSET
from msgspec.structs import asdict, replace

from engine.i18n import reason_of, say
from engine.tournament.event_model import Event
from engine.tournament.formats import FORMATS
from kiosk.errors import InputError
from kiosk.head.desk.act_commit_and_games_claimed_by_tables import EventCore, Line, under_lock
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event import act_types
from kiosk.head.event.act_reducers import check_rules
from kiosk.head.event.tournament_state import MAIN, DayPlan, TableRules, event_name
from kiosk.head.head_config import HeadConfig, division_names
from kiosk.json_validation import without_duplicates
from kiosk.records.event_file import to_dict
from kiosk.untrusted_file_sandbox import read_limited

log = logging.getLogger("kiosk.head")


def rules_of_format(format: str) -> str:
    """Return the rule set of a format's games, used where no other is chosen."""
    return FORMATS[format].facts.rules


class Divisions:
    def __init__(self, core: EventCore) -> None:
        self._core = core

    def rename_tournament(self, name: str, date: str, name_en: str = "") -> None:
        state = self._core.state
        if (state.name, state.date, state.name_en) != (name, date, name_en):
            self._core.act(act_types.TournamentRenamed(name, date, state.place, state.country, state.sender, name_en))

    def set_venue(self, place: str, country: str, sender: str) -> None:
        """Set the place, country and sender used by the announcement and the rating list."""
        state = self._core.state
        if (state.place, state.country, state.sender) != (place, country, sender):
            self._core.act(act_types.TournamentRenamed(state.name, state.date, place, country, sender, state.name_en))

    def set_organiser(self, organiser: str, seal: str, logo: str) -> None:
        """Set the organiser that papers name. ``seal``, ``logo``: names of stored pictures, empty for none."""
        state = self._core.state
        if (state.organiser, state.seal, state.logo) != (organiser, seal, logo):
            self._core.act(act_types.OrganiserNamed(organiser, seal, logo))

    def announce(self, text: str, prizes: str, until: str = "") -> None:
        """Set the desk's announcement to everybody, until a time or the next one."""
        state = self._core.state
        if (state.announcement, state.prizes, state.announced_until) != (text, prizes, until):
            self._core.act(act_types.Announced(text, prizes, until))

    @under_lock
    def set_slot(self, slot: str, table: int | None) -> None:
        """Set what the broadcast shows under a name; None: nothing, and the name is free again.

        :raises HeadError: the name is not valid.
        """
        if not act_types.SLOT.fullmatch(slot):
            raise HeadError.saying(
                "'{slot}' is not a slot name; use lower-case letters, digits and '-', starting with a letter",
                slot=slot[:40],
            )
        if self._core.state.slots.get(slot) != table:
            self._core.act(act_types.BroadcastSlotSet(slot, table))

    @under_lock
    def time_round(self, slug: str, starts: datetime, minutes: int) -> None:
        """Set when the current round, or the next one once the current is complete, starts, and how long it takes."""
        division = self._core.state.division(slug)
        number = len(division.rounds) + division.round_is_complete
        self._core.act(
            act_types.RoundTimed(slug, round=number, starts=starts.isoformat(timespec="seconds"), minutes=minutes)
        )

    def create(
        self,
        event: Event,
        rules: TableRules,
        slug: str = MAIN,
        *,
        title: act_types.Title | None = None,
        tables: Sequence[int] | None = None,
        plan: DayPlan | None = None,
        nonce: str = "",
    ) -> None:
        """Create a division from an event without rounds. ``rules``: sent to the tables; without a rule set, that of
        the event's format. ``tables``: those of another division move to this one. ``nonce``: makes two events of the
        same settings distinct.

        :raises HeadError: the event cannot be used. :raises Conflict: there is such a division already.
        """
        if event.rounds:
            raise HeadError.saying("the event has rounds already; create it from a file with players only")
        if not act_types.SLUG.fullmatch(slug):
            raise HeadError.saying(
                "'{slug}' is not a short name of a division; use lower-case letters, digits and '-'", slug=slug[:40]
            )
        rules = _with_named_rules(rules, event.format)
        act = act_types.DivisionCreated(
            slug,
            event={name: part for name, part in to_dict(event).items() if name != "rounds"},
            table=rules,
            title=act_types.LegacyTitle() if title is None else act_types.LegacyTitle(title.ja, title.en),
            tables=None if tables is None else tuple(tables),
            plan=plan,
            nonce=nonce or UNSET,
        )
        core = self._core
        with core.lock:
            if slug in core.state.divisions and slug == MAIN:
                raise Conflict.saying(
                    "there is an event already; start a head with another data directory for another event"
                )
            if slug in core.state.divisions:
                raise Conflict.saying("there is a division '{slug}' already; change that one", slug=slug)
            created = (event_name(event.body) for event in core.events if event.kind == "event-created")
            if event_name(act_types.write(act)[1]) in created:  # removed since: its games' ids are not given twice
                act = replace(act, nonce=secrets.token_hex(4))
            core.act_all([*self._tables_given_up(slug, tables), (act, ())])

    def import_event_files(self, config: HeadConfig) -> None:
        """Create a division from each event file of the configuration from which none was created yet. Each file is
        read at the first start only; afterwards the store is authoritative.

        :raises InputError: a file cannot be read. :raises HeadError: an event cannot be used.
        """
        created = {
            str(event.body.get("division", MAIN)): act_types.event_of(event.body["event"])
            for event in self._core.events
            if event.kind == "event-created"
        }
        files = config.events
        names = [MAIN] if len(files) == 1 else division_names(files)
        for slug, path in zip(names, files, strict=True):
            event = read_event(path)
            if slug not in created:
                self.create(act_types.event_of(event), TableRules(**asdict(config.table)), slug)
            elif not _is_created_from(created[slug], event):
                log.warning("%s differs from the event in %s; the one in the store goes on", path, config.data)

    @under_lock
    def change(self, change: act_types.DivisionChanged) -> None:
        """Change the fields that ``change`` names of its division.

        :raises Conflict: a round was published, and the format would change.
        """
        division = self._core.state.division(change.division)
        format = change.format or division.format
        if format != division.format and division.rounds:
            raise Conflict.saying(
                "round 1 was published, so the format cannot be changed any more; take round 1 back first"
            )
        if change.table is not UNSET:
            change = replace(change, table=_with_named_rules(change.table, format))
        self._core.act(change)

    @under_lock
    def end(self, slug: str, *, ended: bool) -> None:
        """End a division after its last published round, though the format has more; or let it go on.

        :raises Conflict: no round was published, or one is being played.
        """
        division = self._core.state.division(slug)
        if ended and not (division.rounds and division.round_is_complete):
            raise Conflict.saying("a division can be ended when the games of its last round are finished")
        self._core.act(
            act_types.DivisionChanged(slug, options={"ended_after": len(division.rounds) if ended else None})
        )

    @under_lock
    def remove(self, slug: str) -> None:
        """Remove a division.

        :raises Conflict: it has a published round.
        """
        division = self._core.before_round_1(slug, say("this division"))
        self._core.act(act_types.DivisionRemoved(division.slug))

    @under_lock
    def set_tables(self, slug: str, tables: Sequence[int] | None) -> None:
        """Set a division's tables; None: all that no other division has. A table of another division moves to this one;
        a game in progress there is finished.
        """
        self._core.state.division(slug)
        own = None if tables is None else tuple(sorted(set(tables)))
        self._core.act_all([*self._tables_given_up(slug, tables), (act_types.DivisionChanged(slug, tables=own), ())])

    def _tables_given_up(self, slug: str, tables: Sequence[int] | None) -> list[Line]:
        """Return the acts by which other divisions give up the tables that a division takes."""
        lines: list[Line] = []
        for other in self._core.state.divisions.values():
            if other.slug != slug and other.tables and tables and set(other.tables) & set(tables):
                left = tuple(table for table in other.tables if table not in tables)
                lines.append((act_types.DivisionChanged(other.slug, tables=left), ()))
        return lines

    @under_lock
    def dismiss_notice(self, key: str) -> None:
        """Dismiss a notice."""
        if all(notice.key != key for notice in self._core.state.notices):
            raise NotFound.saying("that notice no longer exists")
        self._core.act(act_types.NoticeDismissed(key=key))


def _with_named_rules(rules: TableRules, format: str) -> TableRules:
    """Return the rules with the format's rule set where none is named, checked.

    :raises HeadError: a rule set or an option that no table knows.
    """
    rules = rules if rules.rules else replace(rules, rules=rules_of_format(format))
    check_rules(rules)
    return rules


def _is_created_from(created: Event, data: object) -> bool:
    """Return whether a division was created from this file."""
    try:
        return created == dataclasses.replace(act_types.event_of(data), rounds=())
    except HeadError:
        return False


def read_event(path: Path) -> dict[str, object]:
    """Return the object in an event file.

    :raises InputError: it cannot be read, or is not a JSON object.
    """
    try:
        event = json.loads(read_limited(path), object_pairs_hook=without_duplicates)
    except OSError as error:
        raise InputError.saying(
            "{path}: {why}; name a readable event file", path=path, why=reason_of(error)
        ) from error
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        text = say("{path}: not JSON ({why}); correct it there")
        raise InputError(text(path=path, why=reason_of(error))) from error
    if not isinstance(event, dict):
        raise InputError.saying("{path}: not a JSON object; name an event file", path=path)
    return event
