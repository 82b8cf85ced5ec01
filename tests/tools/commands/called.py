"""``kiosk`` called in this process, as by its entry point."""

from __future__ import annotations

import pytest

from kiosk.cli import main


def kiosk(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Return the exit code, and the output on stdout and stderr."""
    with pytest.raises(SystemExit) as end:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return int(end.value.code or 0), out, err
