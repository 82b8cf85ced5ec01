"""Reasons why a table has no connection to its head, for its arbiter. The game continues in any case (promise 4)."""

from __future__ import annotations

from engine.i18n import say
from kiosk.link.link_messages import TroubleInfo

UNREACHABLE = TroubleInfo(
    "link-unreachable", say("The head table cannot be reached. Play goes on; results are sent when it is back.")
)
SILENT = TroubleInfo(
    "link-silent", say("The head table does not answer. Play goes on; results are sent when it is back.")
)
REFUSED = TroubleInfo(
    "link-refused", say("The head table does not accept this table's key. Check the table number and the key file.")
)
REPLACED = TroubleInfo(
    "link-replaced",
    say("Another device with this table number has connected to the head table. Check the table numbers."),
)
DISAGREES = TroubleInfo(
    "link-disagrees", say("The messages of the head table cannot be accepted. Check the key and the program versions.")
)
VERSIONS = TroubleInfo(
    "link-versions",
    say(
        "The programs of the head table and of this table have different versions. Install the same "
        "version on both. Play goes on."
    ),
)


def key_refused(table: int) -> TroubleInfo:
    """Return the report for the desk: a device claims a table's number without its key."""
    text = say(
        "A device says that it is table {table}, but its key is not the one of table {table}. Give "
        "it a key again, or check its number."
    )
    return TroubleInfo("link-refused", text(table=table))


def versions_differ(table: int) -> TroubleInfo:
    """Return the report for the desk: table and head have no version in common."""
    text = say("Table {table} runs another version of the program than the head. Install the same version on both.")
    return TroubleInfo("link-versions", text(table=table))


def two_devices(table: int) -> TroubleInfo:
    """Return the report for the desk: two devices with the key of a table, and different journals, are connected."""
    text = say(
        "Two devices have the key of table {table} and keep replacing each other. Results may be missing. Switch off "
        "the one that does not belong there and register it anew."
    )
    return TroubleInfo("link-replaced", text(table=table))


#: close codes of the WebSocket (4000-4999 are for applications)
CODE_REFUSED = 4401
CODE_REPLACED = 4409
CODE_SILENT = 4408
CODE_VERSIONS = 4426
#: why the head closed a connection, the strongest reason first
BY_CODE = {CODE_REFUSED: REFUSED, CODE_VERSIONS: VERSIONS, CODE_REPLACED: REPLACED}
#: kinds of those that a person at the table must see: the head was reached, and waiting does not help
REJECTED = frozenset(why.kind for why in (*BY_CODE.values(), DISAGREES))
