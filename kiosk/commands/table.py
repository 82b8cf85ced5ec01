"""``kiosk table``: one table's program."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--config",
    "config_file",
    required=True,
    type=click.Path(path_type=Path),
    help="The table's TOML file (docs/table.md).",
)
@click.option("--window", is_flag=True, help="Show the screen in a window; two keys (F and J) are the buttons.")
def table(config_file: Path, window: bool) -> None:
    """Run one table: clock, board check, journal, link and screen."""
    import logging
    import signal

    from hardware.errors import HardwareError
    from kiosk.errors import UnusableInput
    from kiosk.table.assembly import Table
    from kiosk.table.config import TableConfig
    from kiosk.toml import read_toml

    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    config = read_toml(config_file, TableConfig)
    if window:
        config.screen.window = config.screen.enabled = True
    try:
        made = Table(config)
    except HardwareError as error:
        raise UnusableInput(str(error)) from error
    signal.signal(signal.SIGTERM, lambda *_: made.stop())
    made.run()
