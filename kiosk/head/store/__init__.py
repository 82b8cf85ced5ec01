"""What the head remembers: operator events in a hash chain, the tables' records, the orders to them."""

from kiosk.head.store.store import CommandRow, CommandStatus, Store, StoredRecord, TableRecord

__all__ = ["CommandRow", "CommandStatus", "Store", "StoredRecord", "TableRecord"]
