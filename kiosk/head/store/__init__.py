"""The head's database: operator events in a hash chain, the tables' records, the commands to them."""

from kiosk.head.store.event_and_record_store import Store
from kiosk.head.store.store_schema import CommandRow, CommandStatus, StoredRecord

__all__ = ["CommandRow", "CommandStatus", "Store", "StoredRecord"]
