"""Passwords: what is taken, how they are kept.

The law: a password is kept as its Argon2id hash only, and the hash is in no backup, page or log. The cost is chosen so
that a Raspberry Pi bears it: 19 MiB and two passes (OWASP's least for Argon2id), one hash at a time, so that a crowd of
guesses takes no more memory than one; and only a few wait for their turn, so that pages are still answered.
"""

from __future__ import annotations

import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from engine.text import say
from kiosk.head.errors import HeadError, TooMany

MEMORY_KIB = 19 * 1024
PASSES = 2
LANES = 1

SHORTEST, LONGEST = 8, 200

#: what is guessed first in an Othello hall
_COMMON = frozenset({
    "password", "passw0rd", "password1", "12345678", "123456789", "1234567890", "87654321", "qwertyui", "qwertyuiop",
    "abcdefgh", "abcd1234", "iloveyou", "othello1", "othello8", "othello123", "reversi1", "reversi8", "tournament",
})  # fmt: skip

_hasher = PasswordHasher(time_cost=PASSES, memory_cost=MEMORY_KIB, parallelism=LANES)
_one_at_a_time = threading.Lock()
_waiting = threading.BoundedSemaphore(8)


def plain(password: str) -> str:
    """The same password whichever keyboard typed it (NFKC)."""
    return unicodedata.normalize("NFKC", password)


def check(password: str, account: str) -> None:
    """:raises HeadError: too short, too long, or the first thing anybody would try."""
    typed = plain(password)
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
        raise HeadError(
            say("that password is the first thing anybody would try; take three words in a row"),
        )


@contextmanager
def _turn() -> Iterator[None]:
    """:raises TooMany: too many wait for theirs."""
    if not _waiting.acquire(blocking=False):
        raise TooMany(
            say("many sign in at this moment; try again in 5 seconds"),
            5,
        )
    try:
        with _one_at_a_time:
            yield
    finally:
        _waiting.release()


def hashed(password: str) -> str:
    """:raises TooMany: too many wait for a hash."""
    with _turn():
        return _hasher.hash(plain(password))


def matches(hash: str | None, password: str) -> bool:
    """Whether it is the password. Without a hash it takes as long, so that nobody learns which accounts exist.

    :raises TooMany: too many wait for a hash.
    """
    with _turn():
        try:
            return _hasher.verify(hash or _nobodys(), plain(password[: 2 * LONGEST])) and hash is not None
        except (VerificationError, InvalidHashError):
            return False


def is_outdated(hash: str) -> bool:
    """Whether it was made with another cost."""
    return _hasher.check_needs_rehash(hash)


_nobody: list[str] = []


def _nobodys() -> str:
    if not _nobody:
        _nobody.append(_hasher.hash("nobody has this password"))
    return _nobody[0]
