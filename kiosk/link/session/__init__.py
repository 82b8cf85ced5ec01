"""Sans-I/O protocol sessions of one connection between a table and the head.

- As in h11: bytes in, events out; bytes to send wait in ``outgoing``. No clock, socket, thread or storage.
- A session lives as long as one connection; lasting state is in the table's journal and the head's store.
- After ``RemoteProtocolError`` the session is closed, and the frame that raised it had no effect.
- A duplicate or late frame has no effect and is no error: carriers duplicate and delay.
"""

from kiosk.link.session.head_session import HeadSession
from kiosk.link.session.session_events import (
    CommandReceived,
    HeadEvent,
    Opened,
    PingReceived,
    RecordRepeated,
    RecordsAcknowledged,
    RecordsReceived,
    TableEvent,
    TableProven,
    VersionsDiffer,
)
from kiosk.link.session.table_session import TableSession

__all__ = [
    "CommandReceived",
    "HeadEvent",
    "HeadSession",
    "Opened",
    "PingReceived",
    "RecordRepeated",
    "RecordsAcknowledged",
    "RecordsReceived",
    "TableEvent",
    "TableProven",
    "TableSession",
    "VersionsDiffer",
]
