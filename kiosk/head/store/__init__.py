"""The head's database: operator events in a hash chain, the tables' records, the commands to them."""

from kiosk.head.store.rows import CommandRow, CommandStatus, StoredRecord, TableRecord
from kiosk.head.store.store import Store

__all__ = ["CommandRow", "CommandStatus", "Store", "StoredRecord", "TableRecord"]
