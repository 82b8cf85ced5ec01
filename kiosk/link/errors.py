"""Errors of the link."""

from __future__ import annotations

from engine.i18n import LocalizedError, say


class LinkError(LocalizedError):
    """Base class of link errors."""


class LocalProtocolError(LinkError, RuntimeError):
    """Error for a call that the session's state does not allow. Nothing was sent."""


class RemoteProtocolError(LinkError, ValueError):
    """Error for a message of the other side that the protocol does not allow. The session is closed."""


class ProofError(RemoteProtocolError):
    """Error for a peer that claims a table's number without proving its key. ``table`` is only a claim."""

    def __init__(self, table: int) -> None:
        super().__init__(
            say("a hello for table {table} does not prove the key; both sides need the same key", table=table)
        )
        self.table = table


class VersionError(RemoteProtocolError):
    """Error for a table that proved its key but has no protocol version in common with this head."""

    def __init__(self, table: int, version: int, oldest: int, newest: int) -> None:
        older = say("the table") if version < oldest else say("the head")
        text = say("table {table} speaks protocol version {version}, this head {oldest} to {newest}; update {older}")
        super().__init__(text(table=table, version=version, oldest=oldest, newest=newest, older=older))
        self.table = table


class MessageError(LinkError, ValueError):
    """Error for a message body that does not fit its type. The message names the field."""


class AddressError(LinkError, ValueError):
    """Error for an unusable address of the head."""


class KeyFileError(LinkError, ValueError):
    """Error for an unusable key file."""


class UnfollowableRecordError(LinkError, ValueError):
    """Error for a table's record of another version, or with an event that the rules reject. The message names the
    game.
    """
