"""A head's key for signing backups, the keys of the heads that it trusts, and the fingerprint by which people identify
a head.

The private key never leaves the head's data directory and is in no backup; only its owner may read it. A machine knows
a head if it is that head, or if a person once accepted a backup of it on that machine. People see a key as its
fingerprint: 20 digits, shown alike on the head's page, by ``kiosk backup`` and by ``kiosk restore``.
"""

from __future__ import annotations

import hashlib
import platform
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgspec

from engine.i18n import raised_as, reason_of, say
from kiosk import platform_compat
from kiosk.errors import InputError
from kiosk.head.store.store_rows import wall_clock
from kiosk.head.store.untrusted_store_reader_and_digest import Signature
from kiosk.json_validation import warm_up

FILE = "signing.json"
SCHEMA = "othello-signing/1"

_KEY_BYTES = 32
_DIGITS, _GROUP = 20, 4


class _File(msgspec.Struct, forbid_unknown_fields=True):
    key: str
    known: list[str] = msgspec.field(default_factory=list)
    schema: str = SCHEMA


@dataclass(frozen=True, slots=True)
class Signer:
    """A head's key. ``known``: the public keys of other heads whose backups a person accepted here."""

    seed: bytes
    known: frozenset[bytes] = frozenset()

    @property
    def public(self) -> bytes:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        return Ed25519PrivateKey.from_private_bytes(self.seed).public_key().public_bytes_raw()

    @property
    def fingerprint(self) -> str:
        return fingerprint(self.public)

    def sign(self, digest: bytes) -> Signature:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        head, at, public = platform.node()[:64] or "?", wall_clock(), self.public
        signed = Ed25519PrivateKey.from_private_bytes(self.seed).sign(_signed_message(head, at, public, digest))
        return Signature(head, at, public, signed)


def fingerprint(public: bytes) -> str:
    """Return 20 digits in groups of four, 66 bits, by which a person compares two keys."""
    digits = f"{int.from_bytes(hashlib.sha256(b'othello-head ' + public).digest()) % 10**_DIGITS:0{_DIGITS}}"
    return "-".join(digits[at : at + _GROUP] for at in range(0, _DIGITS, _GROUP))


def is_signed(signature: Signature, digest: bytes) -> bool:
    """Check that the owner of the key signed exactly this."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    message = _signed_message(signature.head, signature.at, signature.key, digest)
    try:
        Ed25519PublicKey.from_public_bytes(signature.key).verify(signature.signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def known_heads(directory: Path) -> frozenset[bytes]:
    """Return the public keys that a machine knows, including its own; none where there was never a head.

    :raises InputError: the file exists and cannot be read.
    """
    found = _read(directory / FILE)
    return frozenset() if found is None else found.known | {found.public}


def own_signer(directory: Path) -> Signer:
    """Return the key of the head in a data directory; create it where there is none.

    :raises InputError: it cannot be read or written.
    """
    return _read(directory / FILE) or _change(directory, lambda own: own)


def trust_head(directory: Path, public: bytes) -> Signer:
    """Note that a person accepted a backup of this head; return this machine's own key.

    :raises InputError: as ``own_signer``.
    """
    return _change(directory, lambda own: Signer(own.seed, (own.known | {public}) - {own.public}))


def _signed_message(head: str, at: str, public: bytes, digest: bytes) -> bytes:
    return msgspec.json.encode(("othello-backup/1", head, at, public.hex(), digest.hex()))


def _read(path: Path) -> Signer | None:
    try:
        found = msgspec.json.decode(path.read_bytes(), type=warm_up(_File))
        keys = [bytes.fromhex(key) for key in (found.key, *found.known)]
        if found.schema != SCHEMA or any(len(key) != _KEY_BYTES for key in keys):
            raise ValueError("no key of 64 hexadecimal digits")
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        why = reason_of(error) if isinstance(error, OSError) else say("its content is damaged")
        raise InputError.saying(
            "{path} cannot be used ({why}); move it away, then a new key is made", path=path, why=why
        ) from error
    return Signer(keys[0], frozenset(keys[1:]))


def _change(directory: Path, change: Callable[[Signer], Signer]) -> Signer:
    """Change the file of a data directory, or create it, under a lock; return its content."""
    path = directory / FILE
    unwritable = say("{path} cannot be written ({why}); check the disk of the head", path=path)
    with raised_as(InputError, unwritable, OSError), platform_compat.locked_folder(directory):
        present = _read(path)
        signer = change(present or Signer(secrets.token_bytes(_KEY_BYTES)))
        if signer != present:
            content = _File(signer.seed.hex(), sorted(key.hex() for key in signer.known))
            platform_compat.write_secret(path, msgspec.json.format(msgspec.json.encode(content)) + b"\n")
            platform_compat.sync_folder(directory)
        return signer
