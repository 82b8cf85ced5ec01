"""``kiosk head``: runs the head table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from engine.i18n import say
from kiosk.commands.command_helpers import PATH, as_input_error, print_answer


@click.command()
@click.option("--config", "config_file", type=PATH, help="TOML file of this head; head.toml.")
@click.option("--code", "account", metavar="NAME", help="Only print a one-time code for NAME, who forgot the password.")
@click.option("--install", "act", flag_value="install", help="Make an icon that starts the head, without a terminal.")
@click.option("--uninstall", "act", flag_value="uninstall", help="Remove the icon; the folder stays as it is.")
@click.option("--open", "act", flag_value="open", help="Open the desk in the browser, and start the head if needed.")
@click.option("--setup-code", type=PATH, help="Write the setup code to this file.")
def head(config_file: Path | None, account: str | None, act: str | None, setup_code: Path | None) -> None:
    """Run the head table: collect results, pair rounds, show the hall in a browser.

    The first line on stdout is "listening URL". On the first start "setup code CODE" follows: it creates the first
    chief arbiter at /sign-in. Without --config the current folder is the head's; an empty one becomes a head without
    kiosks.

    With --code nothing is started: the command prints a code with which NAME chooses a new password at /sign-in/code
    within 30 minutes. The head may run.

    --install puts an icon on the desktop (Linux, Windows). The head then starts when its user signs in, is restarted
    when it fails, and opens the desk in the browser.
    """
    import faulthandler
    import gc

    import msgspec

    from kiosk.head import desktop_icon_and_browser_launch
    from kiosk.head.head_config import load_config
    from kiosk.link.errors import KeyFileError
    from kiosk.link.table_keys import KeyRing
    from kiosk.logs import start_logging
    from kiosk.platform_compat import Notifier

    if act == "uninstall":
        for message in desktop_icon_and_browser_launch.uninstall():
            print_answer(message)
        return
    if account is not None:
        _print_code(config_file or Path("head.toml"), account)
        return
    config_file = _own_config(Path("head.toml")) if config_file is None else config_file
    faulthandler.enable()
    start_logging(program="head")
    config = load_config(config_file)
    if act == "install":
        for message in desktop_icon_and_browser_launch.install(config_file, config):
            print_answer(message)
        return
    if setup_code is not None:
        config = msgspec.structs.replace(config, setup_code=setup_code)
    with as_input_error(KeyFileError):
        keys: Mapping[int, bytes] = KeyRing(config.keys) if config.keys else {}
    if act == "open" and desktop_icon_and_browser_launch.open_desk(config):
        return

    def print_line(line: str) -> None:
        click.echo(line)  # it flushes, so that a reader of a pipe gets every line at once
        if act == "open" and line.startswith(("setup code ", "sign in at ")):
            code = line.removeprefix("setup code ") if line.startswith("setup") else ""
            desktop_icon_and_browser_launch.show_desk(desktop_icon_and_browser_launch.address(config), code)

    notifier = Notifier()
    # The thousand modules loaded here are permanent; collecting them would take a sixth of the start time.
    gc.disable()
    from kiosk.head.program import serve

    gc.enable()
    serve(config, keys, print_line, lambda: notifier.alive("serving"))


def _own_config(config_file: Path) -> Path:
    """Return the configuration in its folder; an empty folder gets one without an event and without table keys."""
    from kiosk.link.table_keys import save_keys

    keys = config_file.with_name("keys.json")
    if not config_file.exists() and not keys.exists():
        save_keys(keys, {})
        config_file.write_text('data = "data"\nkeys = "keys.json"\n', encoding="utf-8")
    return config_file


def _print_code(config_file: Path, name: str) -> None:
    from kiosk.errors import InputError
    from kiosk.head.access.passwords_and_codes import write_console_code
    from kiosk.head.access.user_accounts_and_codes import Accounts
    from kiosk.head.backup.signed_backup_creation import store_of
    from kiosk.head.errors import HeadError
    from kiosk.head.head_config import load_config
    from kiosk.head.store.store_backup_check_and_restore import reading
    from kiosk.head.store.store_rows import read_events
    from kiosk.platform_compat import as_owner_of

    if not config_file.exists():
        text = say("there is no {file} here; change to the folder of the event")
        raise InputError(text(file=config_file))
    config = load_config(config_file)
    with as_input_error(HeadError):
        with reading(store_of(config)) as connection:
            accounts = Accounts(read_events(connection))
        account = accounts.named(name)
    if account.closed:
        text = say("the account '{name}' is closed; a chief arbiter opens it again at /accounts")
        raise InputError(text(name=account.name))
    with as_owner_of(config.data):
        code = write_console_code(config.data, account.name)
    print_answer(say("one-time code for {name}: {code}", name=account.name, code=code))
    print_answer(say("enter it at /sign-in/code within 30 minutes"))
