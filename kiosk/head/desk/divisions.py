"""The gathering and its divisions: creating, changing, removing; which tables each has.

The law: what decides the pairing of a published round (the format, its options) is fixed from that round on; the rest
may change at any time and holds from then on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engine.text import say
from engine.tournament.formats import FORMATS
from kiosk.head.desk.core import Core, Line
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.event.bodies import SLUG, check_rules
from kiosk.head.event.pairing import check_event
from kiosk.head.event.state import MAIN


def rules_of_format(format: str) -> str:
    """The rule set that the games of a format are played by, unless somebody says otherwise."""
    return FORMATS[format].facts.rules


class Divisions:
    def __init__(self, core: Core) -> None:
        self._core = core

    def name_gathering(self, name: str, date: str) -> None:
        state = self._core.state
        if (state.name, state.date) != (name, date):
            self._core.append("gathering-named", {"name": name, "date": date})

    def create(self, event: Mapping[str, Any], rules: Mapping[str, Any], slug: str = MAIN, **more: Any) -> None:
        """Creates a division from an event file without rounds. ``rules``: what tables are told (``TableRules``);
        ``more``: ``title`` in both languages, ``tables``, ``plan``, ``nonce``.

        :raises HeadError: the event cannot be used. :raises Conflict: there is such a division already.
        """
        check_event(event)
        if event.get("rounds"):
            raise HeadError(say("the event has rounds already; create it from a file with players only"))
        if not SLUG.fullmatch(slug):
            raise HeadError(
                say("'{slug}' is no short name of a division; use small letters, digits and '-'", slug=slug[:40])
            )
        body: dict[str, Any] = {
            "event": {k: v for k, v in event.items() if k != "rounds"},
            "table": _table(event, rules),
        }
        body |= {name: value for name, value in more.items() if value is not None}
        if slug != MAIN:  # a store of one division reads as it always did
            body["division"] = slug
        core = self._core
        with core.lock:
            if slug in core.state.divisions and slug == MAIN:
                raise Conflict(
                    say("there is an event already; start a head with another data directory for another event")
                )
            if slug in core.state.divisions:
                raise Conflict(say("there is a division '{slug}' already; change that one", slug=slug))
            core.append("event-created", body)

    def change(self, slug: str, **changes: Any) -> None:
        """Changes ``title``, ``name``, ``format``, ``options`` (merged; None removes), ``table``, ``tables``, ``auto``
        or ``plan``.

        :raises Conflict: a round was published, and the format would change.
        """
        core = self._core
        with core.lock:
            division = core.state.division(slug)
            if changes.get("format", division.format) != division.format and division.rounds:
                raise Conflict(
                    say("round 1 was published, so the format cannot be changed any more; take round 1 back first")
                )
            event = division.event_file() | {k: v for k, v in changes.items() if k in ("name", "format")}
            if "options" in changes:
                merged = {**event.get("options", {}), **changes["options"]}
                event["options"] = {name: value for name, value in merged.items() if value is not None}
            check_event(event)
            if "table" in changes:
                changes["table"] = _table(event, changes["table"])
            core.append("division-changed", {"division": slug, **changes})

    def remove(self, slug: str) -> None:
        """:raises Conflict: it has a published round."""
        with self._core.lock:
            division = self._core.before_round_1(slug, "this division")
            self._core.append("division-removed", {"division": division.slug})

    def set_tables(self, slug: str, tables: Sequence[int] | None) -> None:
        """Gives a division its tables; None: all that no other division has. A table that another division has goes
        over to this one; a game that is being played there is played to its end."""
        core = self._core
        with core.lock:
            core.state.division(slug)
            lines: list[Line] = []
            for other in core.state.divisions.values():
                if other.slug != slug and other.tables and tables and set(other.tables) & set(tables):
                    left = [table for table in other.tables if table not in tables]
                    lines.append(("division-changed", {"division": other.slug, "tables": left}, ()))
            own = None if tables is None else sorted(set(tables))
            lines.append(("division-changed", {"division": slug, "tables": own}, ()))
            core.append_all(lines)

    def see_notice(self, key: str) -> None:
        """Puts a notice away."""
        with self._core.lock:
            if all(notice.key != key for notice in self._core.state.notices):
                raise NotFound(say("that notice is not there any more"))
            self._core.append("notice-seen", {"key": key})


def _table(event: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, Any]:
    """What tables are told, checked.

    :raises HeadError: a rule set or an option that no table knows.
    """
    table: dict[str, Any] = {"rules": rules.get("rules") or rules_of_format(str(event["format"]))}
    table |= {"main_s": rules["main_s"], "options": dict(rules.get("options", {}))}
    if rules.get("stages"):
        table["stages"] = {name: dict(stage) for name, stage in rules["stages"].items()}
    check_rules(table)
    return table
