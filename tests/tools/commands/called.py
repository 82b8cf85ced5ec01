"""``kiosk`` and the developers' commands called in this process, as by their entry points."""

from __future__ import annotations

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
