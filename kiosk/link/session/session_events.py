"""Events that a session reports to its own side."""

from __future__ import annotations

from dataclasses import dataclass

from kiosk.link.link_messages import Command, Health, TableRecord


@dataclass(frozen=True, slots=True)
class Opened:
    """At the table: both sides are authenticated; the head has 1..have committed."""

    have: int


@dataclass(frozen=True, slots=True)
class RecordsAcknowledged:
    """At the table: the head has 1..have committed."""

    have: int


@dataclass(frozen=True, slots=True)
class CommandReceived:
    """At the table: a command, perhaps repeated; its id identifies it."""

    command: Command


@dataclass(frozen=True, slots=True)
class VersionsDiffer:
    """At the table: it has no version in common with the head. The answer in ``outgoing`` reports this to the head,
    which then ends the connection.
    """

    head_oldest: int
    head_newest: int


@dataclass(frozen=True, slots=True)
class TableProven:
    """At the head: answer with ``welcome``. ``retired``: the device was replaced at its table, and its records no
    longer count for the table.
    """

    table: int
    epoch: str
    retired: bool = False


@dataclass(frozen=True, slots=True)
class RecordsReceived:
    """At the head: the next records without a gap. Commit them, then call ``committed``."""

    records: list[TableRecord]


@dataclass(frozen=True, slots=True)
class RecordRepeated:
    """At the head: a record that it has already. Another content means that two devices write one journal."""

    record: TableRecord


@dataclass(frozen=True, slots=True)
class PingReceived:
    """At the head: a ping. The pong is already in ``outgoing``."""

    health: Health


TableEvent = Opened | RecordsAcknowledged | CommandReceived | VersionsDiffer
HeadEvent = TableProven | RecordsReceived | RecordRepeated | PingReceived
