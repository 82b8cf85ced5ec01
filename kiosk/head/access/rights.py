"""Who may do what at the head: the one table.

The law: every address of the head declares a right (``guard.allow``), and this table says who has it. A spectator is
everybody who is not signed in. The chief arbiter may do everything, so a small event needs one account only.
"""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    SPECTATOR = "spectator"
    DESK = "desk"
    ARBITER = "arbiter"
    CHIEF = "chief"


class Right(StrEnum):
    """What an address lets a person do."""

    WATCH = "watch"  # pages and files for everybody in the hall
    SIGN_IN = "sign-in"  # become somebody
    OWN = "own"  # one's own password and devices, signing out
    FOLLOW = "follow"  # the staff's view: findings, troubles, orders and their answers
    PREPARE = "prepare"  # events, divisions, players, check-in, lots, timetable, prints of personal data
    PAIR = "pair"  # drafts and their changes, publishing, which table plays which game
    ENTER = "enter"  # results of games that have none yet
    CORRECT = "correct"  # recorded results: correcting, undoing a round
    RULE = "rule"  # orders to tables: stop, resume, times, forfeits, rulings
    AUDIT = "audit"  # reading the audit trail
    MANAGE = "manage"  # accounts, roles, one-time codes, other people's devices


_ALL = frozenset(Role)
_STAFF = frozenset({Role.DESK, Role.ARBITER, Role.CHIEF})
_DESK = frozenset({Role.DESK, Role.CHIEF})
_ARBITER = frozenset({Role.ARBITER, Role.CHIEF})
_CHIEF = frozenset({Role.CHIEF})

#                          spectator  desk  arbiter  chief
WHO: dict[Right, frozenset[Role]] = {
    Right.WATCH: _ALL,  #      x        x      x       x
    Right.SIGN_IN: _ALL,  #    x        x      x       x
    Right.OWN: _STAFF,  #               x      x       x
    Right.FOLLOW: _STAFF,  #            x      x       x
    Right.PREPARE: _DESK,  #            x              x
    Right.PAIR: _DESK,  #               x              x
    Right.ENTER: _STAFF,  #             x      x       x
    Right.CORRECT: _STAFF,  #           x      x       x   with the password again
    Right.RULE: _ARBITER,  #                   x       x
    Right.AUDIT: _STAFF,  #             x      x       x
    Right.MANAGE: _CHIEF,  #                           x   with the password again
}

#: what asks for the password again, unless it was given a short time ago
AGAIN = frozenset({Right.CORRECT, Right.MANAGE})


def may(role: Role, right: Right) -> bool:
    return role in WHO[right]
