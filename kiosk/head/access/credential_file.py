"""The file of secrets: hashes of passwords, of open one-time codes, of session keys and of the PIN.

It lies beside the store and is never in it, so no backup, export or page contains it. It is written atomically, and
only its owner may read it. Everything in it is a hash and grants no access, except the key of the QR codes on slips,
which open a game and no account.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import msgspec

from engine.i18n import reason_of, say
from kiosk.head.errors import StoreError
from kiosk.json_validation import warm_up
from kiosk.platform_compat import sync_folder, write_secret

FILE = "secrets.json"
SCHEMA = "othello-secrets/1"


class StoredSession(msgspec.Struct, forbid_unknown_fields=True):
    """A signed-in device, by the hash of its key."""

    account: str
    since: str
    address: str
    device: str


class StoredPin(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The arbiters' PIN by its hash. ``version``: changes with every new PIN."""

    hash: str
    digits: int
    version: str
    since: str


class _Secrets(msgspec.Struct, forbid_unknown_fields=True):
    schema: str = SCHEMA
    passwords: dict[str, str] = msgspec.field(default_factory=dict)  # account: Argon2id hash
    codes: dict[str, str] = msgspec.field(default_factory=dict)  # hash of a one-time code: account
    sessions: dict[str, StoredSession] = msgspec.field(default_factory=dict)
    hall_pin: StoredPin | None = None
    codes_key: str = ""  # key of the QR codes on slips and badges


def fingerprint(secret: str) -> str:
    """Return a hash that stands for a random secret; the secret is long, so a fast hash is enough."""
    return hashlib.sha256(secret.encode()).hexdigest()


class SecretStore:
    """The secrets in memory; ``save`` writes them to disk."""

    def __init__(self, directory: Path) -> None:
        """Read the file of secrets.

        :raises StoreError: the file is damaged.
        """
        self.path = path = directory / FILE
        try:
            self.kept = msgspec.json.decode(path.read_bytes(), type=warm_up(_Secrets))
        except FileNotFoundError:
            self.kept = _Secrets()
        except (OSError, ValueError) as error:
            why = reason_of(error) if isinstance(error, OSError) else say("its content is damaged")
            text = say("{path} cannot be used ({error}); move it away, then the head shows a setup code")
            raise StoreError(text(path=path, error=why)) from error

    def save(self) -> None:
        write_durably(self.path, msgspec.json.format(msgspec.json.encode(self.kept)))


def write_durably(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read.

    :raises StoreError: it cannot be written.
    """
    try:
        write_secret(path, content)
        sync_folder(path.parent)
    except OSError as error:
        text = say("{path} cannot be written ({strerror}); check the disk of the head")
        raise StoreError(text(path=path, strerror=error.strerror)) from error
