"""State of one table as values: the game, its set-up, the arbiter's screen, the languages.

Values only: the loop replaces them, views draw them, and nothing here does I/O.
"""

from kiosk.table.state.table_state import (
    HOLD_CHOICES,
    TIME_WIN_CHOICES,
    AfterChoice,
    Battery,
    Hint,
    HoldChoice,
    LinkState,
    NamingState,
    PendingAgreement,
    SetupStep,
    TableState,
    TableTrouble,
)

__all__ = [
    "HOLD_CHOICES",
    "TIME_WIN_CHOICES",
    "AfterChoice",
    "Battery",
    "Hint",
    "HoldChoice",
    "LinkState",
    "NamingState",
    "PendingAgreement",
    "SetupStep",
    "TableState",
    "TableTrouble",
]
