"""One connection between a table and the head, without the connection.

The law (h11's manner): bytes in, events out; bytes to send wait in ``outgoing``. No clock, no socket, no thread, no
storage. A session lives as long as one connection; what must outlive it is in the table's journal and the head's store.
After ``RemoteProtocolError`` the session is closed, and nothing of the frame that raised it had an effect. A frame that
was heard before, or comes after a later one, has no effect either, and is no error: carriers double and delay.
"""

from kiosk.link.session.events import (
    Acknowledged,
    CommandReceived,
    HeadEvent,
    Opened,
    PingReceived,
    RecordsReceived,
    TableEvent,
    TableProven,
    VersionsDiffer,
)
from kiosk.link.session.head import HeadSession
from kiosk.link.session.table import TableSession

__all__ = [
    "Acknowledged",
    "CommandReceived",
    "HeadEvent",
    "HeadSession",
    "Opened",
    "PingReceived",
    "RecordsReceived",
    "TableEvent",
    "TableProven",
    "TableSession",
    "VersionsDiffer",
]
