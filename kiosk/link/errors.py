"""The family of errors of the link."""

from __future__ import annotations


class LinkError(Exception):
    """Something between table and head went wrong."""


class LocalProtocolError(LinkError, RuntimeError):
    """This side asked a session for something its state does not allow. Nothing was sent."""


class RemoteProtocolError(LinkError, ValueError):
    """The other side sent something that the protocol does not allow. The session is closed."""


class MessageError(LinkError, ValueError):
    """A message body is not what its type says. The message names the field."""


class AddressError(LinkError, ValueError):
    """The address of the head cannot be used."""


class KeyFileError(LinkError, ValueError):
    """A key file cannot be used."""
