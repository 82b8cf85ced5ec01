"""``kiosk head``: the head table."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option("--config", "config_file", required=True, type=click.Path(path_type=Path), help="TOML file of this head.")
def head(config_file: Path) -> None:
    """Runs the head table: collects results, pairs rounds, shows the hall in a browser.

    The first line on stdout is "listening URL"; the setup code that signs an operator in follows.
    """
    import faulthandler

    from kiosk.errors import UnusableInput
    from kiosk.head.config import load_config
    from kiosk.head.program import serve
    from kiosk.link.errors import KeyFileError
    from kiosk.link.keys import KeyRing
    from kiosk.logs import start_logging
    from kiosk.notify import Notifier

    faulthandler.enable()
    start_logging(program="head")
    config = load_config(config_file)
    try:
        keys = KeyRing(config.keys)
    except KeyFileError as error:
        raise UnusableInput(str(error)) from error
    notifier = Notifier()
    # echo flushes: whoever reads this through a pipe gets every line at once
    serve(config, keys, click.echo, lambda: notifier.alive("serving"))
