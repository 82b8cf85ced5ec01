"""Who may see or do what: one role for each address, declared where the address is declared.

The law: an address without a role is for everybody; every other one asks ``admits`` before anything is read or done.
"""

from __future__ import annotations

from enum import StrEnum

from kiosk.head.pages.access import Session


class Role(StrEnum):
    """What an address needs. A chief arbiter may do what an arbiter may."""

    ANYBODY = "anybody"
    SIGNED_IN = "signed-in"
    DESK = "desk"
    ARBITER = "arbiter"
    CHIEF = "chief"


def admits(session: Session | None, role: Role) -> bool:
    """Whether an address that needs ``role`` answers this session."""
    return role is Role.ANYBODY or session is not None
