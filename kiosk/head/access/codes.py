"""One-time codes: the setup code, codes for accounts, and the code that is made at the console.

The law: a code works once, for one purpose, and is kept as its hash. Whoever can write into the head's data directory
owns the head anyway, so the console leaves its code there.
"""

from __future__ import annotations

import secrets
import time
from pathlib import Path

import msgspec

from engine.text import say
from kiosk.errors import UnusableInput
from kiosk.head.access.vault import fingerprint
from kiosk.secret_files import write_secret
from kiosk.shapes import learned

#: no letters or digits that look alike on a terminal
_ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
_LENGTH = 12

CONSOLE_FILE = "console-code.json"
#: a console's code is good so long
CONSOLE_S = 30 * 60


class _Console(msgspec.Struct, forbid_unknown_fields=True):
    account: str
    code: str  # its fingerprint
    made_at: float


def new_code() -> str:
    """60 random bits, in groups for reading."""
    code = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
    return "-".join(code[at : at + 4] for at in range(0, _LENGTH, 4))


def code_print(typed: str) -> str:
    """The fingerprint of a code however it was typed: small letters, spaces, no dashes."""
    return fingerprint("".join(typed.upper().replace("-", " ").split())[:100])


def leave_code(directory: Path, account: str) -> str:
    """Makes a code for an account, beside a running head or before its start; an older one of the console is void.

    :raises UnusableInput: the directory is not there or cannot be written.
    """
    code, path = new_code(), directory / CONSOLE_FILE
    left = msgspec.json.encode(_Console(account, code_print(code), time.time()))
    try:
        write_secret(path, left, owner=directory.stat())  # the head runs as its own user and must read it
    except OSError as error:
        raise UnusableInput(
            say(
                "{directory}: {why}; name the configuration of a head that has started once",
                directory=directory,
                why=error.strerror,
            )
        ) from error
    return code


def console_account(directory: Path, typed: str) -> str | None:
    """The account that the console's code is for, if that is the code and it is not too old."""
    try:
        left = msgspec.json.decode((directory / CONSOLE_FILE).read_bytes(), type=learned(_Console))
    except (OSError, ValueError):
        return None
    fresh = 0 <= time.time() - left.made_at < CONSOLE_S
    return left.account if fresh and secrets.compare_digest(left.code, code_print(typed)) else None


def use_up_console_code(directory: Path) -> None:
    (directory / CONSOLE_FILE).unlink(missing_ok=True)
