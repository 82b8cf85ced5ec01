"""Sans-I/O protocol sessions of one connection between a table and the head.

- As in h11: bytes in, events out; bytes to send wait in ``outgoing``. No clock, socket, thread or storage.
- A session lives as long as one connection; lasting state is in the table's journal and the head's store.
- After ``RemoteProtocolError`` the session is closed, and the frame that raised it had no effect.
- A duplicate or late frame has no effect and is no error: carriers duplicate and delay.
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
