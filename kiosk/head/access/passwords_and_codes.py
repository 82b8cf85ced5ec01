"""Password rules and hashing; one-time codes, and the files of the setup code and the console's code.

- A password is kept as its Argon2id hash only, and the hash is in no backup, page or log.
- The cost suits a Raspberry Pi: 19 MiB and two passes (OWASP's minimum for Argon2id).
- One thread computes one hash at a time, so a flood of guesses needs no more memory than one (each thread would keep
  its own 19 MiB).
- Only a few requests wait in the queue, so that pages are still served. Known devices have places of their own.
"""

from __future__ import annotations

import re
import secrets
import threading
import time
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TypeVar

import msgspec
from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from engine.i18n import raised_as, say
from kiosk.errors import InputError
from kiosk.head.access.credential_file import fingerprint
from kiosk.head.errors import HeadError, RateLimited
from kiosk.json_validation import warm_up
from kiosk.platform_compat import write_secret

MEMORY_KIB = 19 * 1024
PASSES = 2
LANES = 1

SHORTEST, LONGEST = 8, 200

#: common guesses at an Othello tournament
_COMMON = frozenset({
    "password", "passw0rd", "password1", "12345678", "123456789", "1234567890", "87654321", "qwertyui", "qwertyuiop",
    "abcdefgh", "abcd1234", "iloveyou", "othello1", "othello8", "othello123", "reversi1", "reversi8", "tournament",
})  # fmt: skip

_hasher = PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=LANES)
_one_at_a_time = ThreadPoolExecutor(1, thread_name_prefix="passwords")
#: queue lengths for unknown and for known devices; known ones never wait behind unknown ones
STRANGERS, KNOWN = 8, 4
_places = {False: threading.BoundedSemaphore(STRANGERS), True: threading.BoundedSemaphore(KNOWN)}

T = TypeVar("T")


def normalized(password: str) -> str:
    """Normalise a password, so that it does not depend on the keyboard (NFKC)."""
    return unicodedata.normalize("NFKC", password)


def check_password_rules(password: str, account: str) -> None:
    """Check a new password.

    :raises HeadError: too short, too long, or a common guess.
    """
    typed = normalized(password)
    if not SHORTEST <= len(typed) <= LONGEST:
        text = say("a password has {shortest} to {longest} characters; three words in a row are good")
        raise HeadError(text(shortest=SHORTEST, longest=LONGEST))
    low = typed.casefold()
    if low in _COMMON or len(set(low)) < 4 or (len(account) > 2 and account.casefold() in low):
        raise HeadError.saying("that password is too easy to guess; use three words in a row")


def _in_turn(known: bool, call: Callable[[], T]) -> T:
    """Run ``call`` in the hashing thread.

    :raises RateLimited: the queue is full.
    """
    places = _places[known]
    if not places.acquire(blocking=False):
        raise RateLimited(say("too many people are signing in at once; try again in 5 seconds"), 5)
    try:
        return _one_at_a_time.submit(call).result()
    finally:
        places.release()


def hash_password(password: str) -> str:
    """Return the hash of a password.

    :raises RateLimited: too many wait for a hash.
    """
    return _in_turn(True, lambda: _hasher.hash(normalized(password)))


def verify_password(hash: str | None, password: str, known: bool = False) -> bool:
    """Check a password. Without a hash it takes equally long, so that timing does not reveal which accounts exist.
    ``known``: asked by a device that was signed in before.

    :raises RateLimited: too many wait for a hash.
    """
    return _in_turn(known, lambda: _verify_hash(hash, password))


def _verify_hash(hash: str | None, password: str) -> bool:
    try:
        return _hasher.verify(hash or _nobodys(), normalized(password[: 2 * LONGEST])) and hash is not None
    except (VerificationError, InvalidHashError):
        return False


def needs_rehash(hash: str) -> bool:
    """Check whether it was made with another cost."""
    return _hasher.check_needs_rehash(hash)


@cache
def _nobodys() -> str:
    return _hasher.hash("nobody has this password")


# One-time codes: the setup code, codes for accounts, and the code made at the console.
#
# A code works once, for one purpose, and is kept as its hash. Whoever can write to the head's data directory controls
# the head anyway, so the console's code is left there.

#: without letters and digits that look alike on a terminal
_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_LENGTH = 12

CONSOLE_FILE = "console-code.json"
#: seconds for which a console code is valid
CONSOLE_S = 30 * 60


class _Console(msgspec.Struct, forbid_unknown_fields=True):
    account: str
    code: str  # its fingerprint
    made_at: float


def new_code() -> str:
    """Return 60 random bits as text, in groups for reading."""
    code = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
    return "-".join(code[at : at + 4] for at in range(0, _LENGTH, 4))


def bare_code(typed: str) -> str:
    """Return the letters and digits of a code, whatever its case, width, spaces and dashes."""
    return re.sub(r"[^0-9A-Z]", "", normalized(typed).upper())


def code_fingerprint(typed: str) -> str:
    """Return the fingerprint of a typed code."""
    return fingerprint(bare_code(typed)[:100])


def write_setup_code(path: Path, code: str) -> None:
    """Write the setup code to a file that only the head's user can read; delete an old file if there is no code.

    :raises InputError: the file cannot be written.
    """
    with raised_as(InputError, say("{path}: {why}; choose a place that can be written", path=path), OSError):
        if code:
            write_secret(path, f"{code}\n".encode())
        else:
            path.unlink(missing_ok=True)


def write_console_code(directory: Path, account: str) -> str:
    """Make a console code for an account, beside a running head or before its start; an older console code becomes
    void.

    :raises InputError: the directory does not exist or is not writable.
    """
    code, path = new_code(), directory / CONSOLE_FILE
    left = msgspec.json.encode(_Console(account, code_fingerprint(code), time.time()))
    with raised_as(
        InputError,
        say("{directory}: {why}; name the configuration of a head that has started once", directory=directory),
        OSError,
    ):
        write_secret(path, left)
    return code


def console_account(directory: Path, typed: str) -> str | None:
    """Return the account of the console's code, if ``typed`` is that code and it is not too old."""
    try:
        left = msgspec.json.decode((directory / CONSOLE_FILE).read_bytes(), type=warm_up(_Console))
    except (OSError, ValueError):
        return None
    fresh = 0 <= time.time() - left.made_at < CONSOLE_S
    return left.account if fresh and secrets.compare_digest(left.code, code_fingerprint(typed)) else None


def delete_console_code(directory: Path) -> None:
    (directory / CONSOLE_FILE).unlink(missing_ok=True)
