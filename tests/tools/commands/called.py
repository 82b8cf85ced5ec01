"""``kiosk`` and the developers' commands called in this process, as by their entry points."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kiosk.cli import main

DEVELOPERS = ("random-event", "simulate", "verify")


def call(*arguments: str) -> None:
    """Run a command to its exit."""
    if arguments[0] in DEVELOPERS:
        from commands import developers  # loads head and table

        developers.main([*arguments])
    main([*arguments])


def kiosk(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Return the exit code, and the output on stdout and stderr."""
    with pytest.raises(SystemExit) as end:
        call(*map(str, arguments))
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err


class Cli:
    """``kiosk`` as a fixture: called, it returns the exit code and the output on stdout and stderr."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        return kiosk(self._capsys, *arguments)

    def json(self, *arguments: object) -> Any:
        """Return the JSON that a command prints alone."""
        code, out, err = self(*arguments, "--json")
        assert (code, err) == (0, ""), err
        return json.loads(out)

    def refused(self, *arguments: object) -> str:
        """Return the one sentence with which unusable input is refused."""
        code, out, err = self(*arguments)
        assert (code, out, err.count("\n")) == (2, "", 1), err
        return err
