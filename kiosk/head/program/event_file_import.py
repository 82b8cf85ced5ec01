"""Import of the event files in the configuration: each is read at the first start only; afterwards the store is
authoritative."""

from __future__ import annotations

import json
import logging
from dataclasses import replace
from pathlib import Path

from msgspec.structs import asdict

from engine.i18n import say
from engine.tournament import Event
from kiosk.errors import InputError
from kiosk.head.desk import Desk
from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import event_of
from kiosk.head.event.tournament_state import MAIN, TableRules
from kiosk.head.head_config import HeadConfig, division_names
from kiosk.sandbox import check_size

log = logging.getLogger("kiosk.head")


def import_events(config: HeadConfig, desk: Desk) -> None:
    """Create a division from each event file from which none was created yet.

    :raises InputError: a file cannot be read. :raises HeadError: an event cannot be used.
    """
    created = {
        str(event.body.get("division", MAIN)): event_of(event.body["event"])
        for event in desk.core.events
        if event.kind == "event-created"
    }
    files = config.events
    names = [MAIN] if len(files) == 1 else division_names(files)
    for slug, path in zip(names, files, strict=True):
        event = read_event(path)
        if slug not in created:
            desk.divisions.create(event_of(event), TableRules(**asdict(config.table)), slug)
        elif not _is(created[slug], event):
            log.warning("%s differs from the event in %s; the one in the store goes on", path, config.data)


def _is(created: Event, data: object) -> bool:
    """Return whether a division was created from this file."""
    try:
        return created == replace(event_of(data), rounds=())
    except HeadError:
        return False


def read_event(path: Path) -> dict[str, object]:
    """Return the object in an event file.

    :raises InputError: it cannot be read, or is not a JSON object.
    """
    try:
        event = json.loads(check_size(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(
            say("{path}: {why}; name a readable event file", path=path, why=error.strerror or error)
        ) from error
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(say("{path}: not JSON ({why}); correct it there", path=path, why=error)) from error
    if not isinstance(event, dict):
        raise InputError(say("{path}: not a JSON object; name an event file", path=path))
    return event
