"""The family of errors of the link."""

from __future__ import annotations

from engine.text import TextError, say


class LinkError(TextError):
    """Something between table and head went wrong."""


class LocalProtocolError(LinkError, RuntimeError):
    """This side asked a session for something its state does not allow. Nothing was sent."""


class RemoteProtocolError(LinkError, ValueError):
    """The other side sent something that the protocol does not allow. The session is closed."""


class ProofError(RemoteProtocolError):
    """Somebody claims a table's number and does not prove its key. ``table`` is only what he says."""

    def __init__(self, table: int) -> None:
        super().__init__(
            say("a hello for table {table} does not prove the key; both sides need the same key", table=table)
        )
        self.table = table


class VersionError(RemoteProtocolError):
    """A table proved its key but has no protocol version in common with this head."""

    def __init__(self, table: int, version: int, oldest: int, newest: int) -> None:
        older = say("the table") if version < oldest else say("the head")
        super().__init__(
            say(
                "table {table} speaks protocol version {version}, this head {oldest} to {newest}; update {older}",
                table=table,
                version=version,
                oldest=oldest,
                newest=newest,
                older=older,
            )
        )
        self.table = table


class MessageError(LinkError, ValueError):
    """A message body is not what its type says. The message names the field."""


class AddressError(LinkError, ValueError):
    """The address of the head cannot be used."""


class KeyFileError(LinkError, ValueError):
    """A key file cannot be used."""


class UnfollowableRecordError(LinkError, ValueError):
    """A table's record is of another version, or tells what the rules refuse. The message says of which game."""
