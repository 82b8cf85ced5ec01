"""The arbiter's PIN, stored as an argon2 hash.

- A check takes a tenth of a second and 19 MB on purpose, so it never runs in the main loop.
- The hash does not protect the PIN of somebody's file: four digits are soon tried. The limit on attempts at the table
  does.
"""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from engine.i18n import LocalizedError, say

#: OWASP's minimum, because a Pi 3 has to compute it as well
_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
SHORTEST, LONGEST = 4, 8


class PinFormatError(LocalizedError, ValueError):
    """A value that is not a valid PIN."""


def hash_pin(pin: str) -> str:
    """Return the hash for a table's file, or for the head to send to the tables.

    :raises PinFormatError: not 4 to 8 digits.
    """
    if not (pin.isascii() and pin.isdigit() and SHORTEST <= len(pin) <= LONGEST):
        raise PinFormatError(say("a PIN has {shortest} to {longest} digits", shortest=SHORTEST, longest=LONGEST))
    return _HASHER.hash(pin)


def is_correct_pin(pin_hash: str, figures: tuple[int, ...]) -> bool:
    """Return whether these are the digits of the PIN; an unreadable hash matches none."""
    try:
        return _HASHER.verify(pin_hash, "".join(map(str, figures)))
    except (VerificationError, InvalidHashError):
        return False
