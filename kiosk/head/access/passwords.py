"""Password rules and hashing.

- A password is kept as its Argon2id hash only, and the hash is in no backup, page or log.
- The cost suits a Raspberry Pi: 19 MiB and two passes (OWASP's minimum for Argon2id).
- One thread computes one hash at a time, so a flood of guesses needs no more memory than one (each thread would keep
  its own 19 MiB).
- Only a few requests wait in the queue, so that pages are still served. Known devices have places of their own.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from engine.i18n import say
from kiosk.head.errors import HeadError, RateLimited

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
        raise HeadError(
            say(
                "a password has {shortest} to {longest} characters; three words in a row are good",
                shortest=SHORTEST,
                longest=LONGEST,
            ),
        )
    low = typed.casefold()
    if low in _COMMON or len(set(low)) < 4 or (len(account) > 2 and account.casefold() in low):
        raise HeadError(say("that password is too easy to guess; use three words in a row"))


def _in_turn(known: bool, call: Callable[[], T]) -> T:
    """Run ``call`` in the hashing thread.

    :raises RateLimited: the queue is full.
    """
    places = _places[known]
    if not places.acquire(blocking=False):
        raise RateLimited(
            say("too many people are signing in at once; try again in 5 seconds"),
            5,
        )
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
    return _in_turn(known, lambda: _verified(hash, password))


def _verified(hash: str | None, password: str) -> bool:
    try:
        return _hasher.verify(hash or _nobodys(), normalized(password[: 2 * LONGEST])) and hash is not None
    except (VerificationError, InvalidHashError):
        return False


def needs_rehash(hash: str) -> bool:
    """Check whether it was made with another cost."""
    return _hasher.check_needs_rehash(hash)


_nobody: list[str] = []


def _nobodys() -> str:
    if not _nobody:
        _nobody.append(_hasher.hash("nobody has this password"))
    return _nobody[0]
