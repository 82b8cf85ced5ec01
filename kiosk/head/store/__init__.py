"""The head's database: operator events in a hash chain, the tables' records, the commands to them."""

from kiosk.head.store.acts_records_and_commands_store import Store
from kiosk.head.store.store_rows import CommandRow, CommandStatus, StoredRecord

__all__ = ["CommandRow", "CommandStatus", "Store", "StoredRecord"]
