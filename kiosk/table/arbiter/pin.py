"""The arbiter's PIN: kept as an argon2 hash, never as figures.

The law: checking takes a tenth of a second and 19 MB on purpose, so it is never done in the loop. The hash is no secret
of its own: four figures are soon tried by whoever has the file; what protects the table is that tries are counted.
"""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from engine.text import TextError, say

#: the least that OWASP recommends, because a Pi 3 has to do it as well
_HASHER = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)
SHORTEST, LONGEST = 4, 8


class PinError(TextError, ValueError):
    """Not a PIN."""


def hash_pin(pin: str) -> str:
    """What goes into a table's file, or from the head to the tables.

    :raises PinError: not 4 to 8 figures.
    """
    if not (pin.isascii() and pin.isdigit() and SHORTEST <= len(pin) <= LONGEST):
        raise PinError(say("a PIN has {shortest} to {longest} digits", shortest=SHORTEST, longest=LONGEST))
    return _HASHER.hash(pin)


def is_right(pin_hash: str, figures: tuple[int, ...]) -> bool:
    """Whether these are the figures; a hash that cannot be read fits none."""
    try:
        return _HASHER.verify(pin_hash, "".join(map(str, figures)))
    except (VerificationError, InvalidHashError):
        return False
