"""Errors that end a command, untrusted text in messages, and packages that are not installed (the extras of
pyproject.toml).
"""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager
from importlib.util import find_spec
from pathlib import Path

from engine.i18n import LocalizedError, raised_as, say

#: extra -> the modules that its packages bring, as far as the program imports them
EXTRAS: dict[str, tuple[str, ...]] = {
    "camera": ("cv2", "numpy"),
    "postgres": ("psycopg",),
    "publish": ("asyncssh",),
    "table": ("pygame", "argon2", "segno"),
    "head": (
        *("anyio", "argon2", "httpx", "jinja2", "markdown_it", "markupsafe", "networkx", "numpy"),
        *("python_calamine", "rustworkx", "segno", "sqlalchemy", "starlette", "uvicorn", "xlsxwriter"),
    ),
}
EXTRAS["demo"] = ("rich", *EXTRAS["table"], *EXTRAS["head"])


class InputError(LocalizedError, ValueError):
    """Error for input that a command cannot use. The message is one sentence: what, where, and what to do."""


class MissingExtraError(InputError):
    """Error for packages that are not installed; the message has the command that installs them."""

    def __init__(self, extra: str) -> None:
        parts = Path(sys.prefix).parts
        if parts[1:3] == ("opt", "othello-kiosk"):  # systemd/install.sh
            table, head = (Path("/etc/othello-kiosk", f"{role}.toml").exists() for role in ("table", "head"))
            command = f"sudo make install-{'head' if head and not table else 'table'} EXTRAS={extra}"
        elif "pipx" in parts:
            command = 'pipx install --force ".[all]"'
        elif "uv" in parts:
            command = 'uv tool install --force ".[all]"'
        else:
            command = f'{sys.executable} -m pip install ".[{extra}]"'
        text = say('the extra "{extra}" is needed and not installed; in the program\'s folder run: {command}')
        super().__init__(text(extra=extra, command=command))


UNREADABLE = say("cannot read {path}: {why}; check the path")


def unreadable(path: Path | str) -> AbstractContextManager[None]:
    """Raise an ``OSError`` of the block as ``InputError``: the file cannot be read."""
    return raised_as(InputError, UNREADABLE(path=path), OSError)


def sanitized_text(text: str, most: int = 200) -> str:
    """Return untrusted text for use in a message: no control characters, no lone surrogates, limited length."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text[:most])


def require_extra(extra: str) -> None:
    """Check that the packages of an extra are installed, before they are imported.

    :raises MissingExtraError: they are not.
    """
    if not all(map(find_spec, EXTRAS[extra])):
        raise MissingExtraError(extra)


def missing_extra(error: ModuleNotFoundError, *preferred: str) -> MissingExtraError | None:
    """Return the error that names the extra with the missing module; None if no extra has it.

    :param preferred: the extras named first if several have it
    """
    module = (error.name or "").partition(".")[0]
    for extra in (*preferred, *EXTRAS):
        if module in EXTRAS[extra]:
            return MissingExtraError(extra)
    return None
