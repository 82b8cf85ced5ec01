"""Roles, and which accounts may use addresses that need them.

Every address of the head declares the role it needs; ``WHO`` lists the accounts that have it. Everybody who is not
signed in is a spectator. The chief arbiter may do everything, so a small event needs one account only.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """Role that an address needs. An account has one of ``ACCOUNT_ROLES``."""

    ANYBODY = "anybody"
    SIGNED_IN = "signed-in"
    DESK = "desk"
    ARBITER = "arbiter"
    CHIEF = "chief"


@dataclass(frozen=True, slots=True)
class UserSession:
    """A signed-in person at a device, as pages see it."""

    id: str
    name: str
    role: Role
    token: str


ACCOUNT_ROLES = (Role.DESK, Role.ARBITER, Role.CHIEF)
_CHIEF = frozenset({Role.CHIEF})
_STAFF = frozenset(ACCOUNT_ROLES)

#: role that an address needs → roles of the accounts that may use it; ``None``: spectators too
WHO: dict[Role, frozenset[Role] | None] = {
    # public pages and files; signing in
    Role.ANYBODY: None,
    # the staff's view (findings, alerts, orders), prints, the audit trail, one's own password and devices
    Role.SIGNED_IN: _STAFF,
    # events, divisions, players, check-in, lots, drafts, publishing, timetable, results and their corrections
    Role.DESK: frozenset({Role.DESK}) | _CHIEF,
    # orders to tables (stop, resume, times, forfeits, rulings), the tables' devices
    Role.ARBITER: frozenset({Role.ARBITER}) | _CHIEF,
    # accounts, roles, one-time codes, other people's devices
    Role.CHIEF: _CHIEF,
}


def has_role(session: UserSession | None, role: Role) -> bool:
    """Check whether this session may use an address that needs ``role``."""
    who = WHO[role]
    return who is None or (session is not None and session.role in who)
