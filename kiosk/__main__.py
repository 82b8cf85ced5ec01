"""Entry point of ``python -m kiosk``, the same as the ``kiosk`` command."""

from kiosk.cli import main

main()
