"""User accounts, as the audit trail describes them.

An account is the result of its ``account-…`` events; its password is in no event (``vault.py``). A name is never given
to another person, because it stands in the trail.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.i18n import say
from kiosk.head.access.roles import ACCOUNT_ROLES, Role
from kiosk.head.current_user import HEAD
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.store.hash_chain import OperatorEvent

log = logging.getLogger(__name__)

LONGEST_NAME = 30


@dataclass(frozen=True, slots=True)
class UserAccount:
    name: str
    role: Role
    since: str
    closed: bool = False


def clean_name(typed: str) -> str:
    """Return a name in the form in which the trail holds it.

    :raises HeadError: empty, too long, or not printable.
    """
    name = " ".join(unicodedata.normalize("NFKC", typed).split())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable() or name == HEAD:
        raise HeadError(
            say("a name has 1 to {longest_name} letters; enter the name of one person", longest_name=LONGEST_NAME),
        )
    return name


def role_of(value: str) -> Role:
    """Return the role.

    :raises HeadError: not a role that an account can have.
    """
    if value not in ACCOUNT_ROLES:
        raise HeadError(say("there is no role '{value}'; choose one from the list", value=value[:20]))
    return Role(value)


class Accounts:
    """Accounts by name; upper and lower case do not matter when signing in."""

    def __init__(self, events: Iterable[OperatorEvent]) -> None:
        self._by_key: dict[str, UserAccount] = {}
        for event in events:
            try:
                self.apply(event)
            except (LookupError, ValueError) as error:  # another installation's backup may contain anything
                log.warning("entry %d of the audit trail (%s) cannot be used: %r", event.number, event.kind, error)

    def apply(self, event: OperatorEvent) -> None:
        name = str(event.body.get("account", ""))
        key = name.casefold()
        match event.kind:
            case "account-created":
                self._by_key[key] = UserAccount(name, Role(event.body["role"]), event.at)
            case "account-role":
                self._by_key[key] = replace(self._by_key[key], role=Role(event.body["role"]))
            case "account-closed":
                self._by_key[key] = replace(self._by_key[key], closed=True)
            case "account-reopened":
                self._by_key[key] = replace(self._by_key[key], closed=False)

    def all(self) -> list[UserAccount]:
        return sorted(self._by_key.values(), key=lambda account: (account.closed, account.name.casefold()))

    def find(self, typed: str) -> UserAccount | None:
        return self._by_key.get(" ".join(unicodedata.normalize("NFKC", typed).split()).casefold())

    def named(self, name: str) -> UserAccount:
        """Return the account with this name.

        :raises NotFound: there is none.
        """
        found = self.find(name)
        if found is None:
            raise NotFound(say("there is no account '{name}'", name=name[:LONGEST_NAME]))
        return found
