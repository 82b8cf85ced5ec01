"""One-time codes: the setup code, codes for accounts, and the code made at the console.

A code works once, for one purpose, and is kept as its hash. Whoever can write to the head's data directory controls the
head anyway, so the console's code is left there.
"""

from __future__ import annotations

import secrets
import time
from pathlib import Path

import msgspec

from engine.i18n import say
from kiosk.errors import InputError
from kiosk.head.access.secret_store import fingerprint
from kiosk.msgspec_thread_preparation import warm_up
from kiosk.secret_files import write_secret

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


def code_fingerprint(typed: str) -> str:
    """Return the fingerprint of a code, whatever its case, spaces and dashes."""
    return fingerprint("".join(typed.upper().replace("-", " ").split())[:100])


def write_console_code(directory: Path, account: str) -> str:
    """Make a console code for an account, beside a running head or before its start; an older console code becomes
    void.

    :raises InputError: the directory does not exist or is not writable.
    """
    code, path = new_code(), directory / CONSOLE_FILE
    left = msgspec.json.encode(_Console(account, code_fingerprint(code), time.time()))
    try:
        write_secret(path, left)
    except OSError as error:
        raise InputError(
            say(
                "{directory}: {why}; name the configuration of a head that has started once",
                directory=directory,
                why=error.strerror,
            )
        ) from error
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
