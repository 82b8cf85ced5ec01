"""User accounts with their passwords and one-time codes.

There is no default password. The first chief arbiter is created with the setup code, which the head prints where it
is started. Every other account is created by a chief arbiter, and its owner chooses the password with a one-time
code. Every change of an account is in the audit trail with the person who made it.
"""

from __future__ import annotations

import hmac
import logging
import threading
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from kiosk.head.access import passwords_and_codes
from kiosk.head.access.credential_file import SecretStore
from kiosk.head.access.roles import ACCOUNT_ROLES, Role
from kiosk.head.current_user import HEAD
from kiosk.head.errors import Conflict, HeadError, NotFound
from kiosk.head.store import Store
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
        raise HeadError.saying(
            "a name has 1 to {longest_name} letters; enter the name of one person", longest_name=LONGEST_NAME
        )
    return name


def role_of(value: str) -> Role:
    """Return the role.

    :raises HeadError: not a role that an account can have.
    """
    if value not in ACCOUNT_ROLES:
        raise HeadError.saying("there is no role '{value}'; choose one from the list", value=value[:20])
    return Role(value)


class Accounts:
    """Accounts, as the ``account-…`` events of the audit trail describe them; a password is in no event. A name is
    never given to another person, because it stands in the trail. Upper and lower case do not matter when signing in.
    """

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
            raise NotFound.saying("there is no account '{name}'", name=name[:LONGEST_NAME])
        return found


class UserStore(Accounts):
    """The accounts over a store and its secrets. May be called from any thread. ``setup_code``: creates the first chief
    arbiter; empty once there is one with a password.
    """

    def __init__(
        self, store: Store, vault: SecretStore, lock: threading.RLock, sign_out: Callable[[str, str], None]
    ) -> None:
        """``lock``: shared with everybody who uses the vault; ``sign_out``: ends all devices of an account but one."""
        self._store = store
        self._vault = vault
        self._lock = lock
        self._sign_out = sign_out
        self._directory: Path = store.place.directory
        super().__init__(store.operator_events())
        self.setup_code = "" if self._chiefs() else passwords_and_codes.new_code()

    def has_password(self, account: UserAccount) -> bool:
        return account.name in self._vault.kept.passwords

    def has_code(self, account: UserAccount) -> bool:
        return account.name in self._vault.kept.codes.values()

    # acts of a chief arbiter

    def create(self, name: str, role: Role) -> str:
        """Create an account; return the code with which its owner chooses a password."""
        with self._lock:
            name = clean_name(name)
            if self.find(name):
                raise Conflict.saying("there is an account '{name}' already; a name stays with its person", name=name)
            self.write("account-created", account=name, role=role.value)
            return self._new_code(name)

    def new_code(self, name: str) -> str:
        """Return a code for somebody who forgot the password; the old password works until the code is used."""
        with self._lock:
            account = self.named(name)
            if account.closed:
                raise Conflict.saying("the account is closed; open it again first")
            self.write("account-code", account=account.name)
            return self._new_code(account.name)

    def change_role(self, name: str, role: Role) -> None:
        with self._lock:
            account = self.named(name)
            if account.role is not role:
                self._keep_a_chief(account)
                self.write("account-role", account=account.name, role=role.value)

    def close(self, name: str) -> None:
        """Close an account: nobody can sign in with it, and its devices are signed out."""
        with self._lock:
            account = self.named(name)
            if not account.closed:
                self._keep_a_chief(account)
                self.write("account-closed", account=account.name)
                self._drop_codes(account.name)
                self._sign_out(account.name, "")
                self._vault.save()

    def reopen(self, name: str) -> None:
        with self._lock:
            account = self.named(name)
            if account.closed:
                self.write("account-reopened", account=account.name)

    # passwords and codes

    def set_password(self, account: UserAccount, hash: str, how: str, but: str = "") -> None:
        """Set a password and sign out every device of the account except ``but``."""
        with self._lock:
            self.write("account-password", account=account.name, how=how)
            self._vault.kept.passwords[account.name] = hash
            self._drop_codes(account.name)
            self._sign_out(account.name, but)
            self._vault.save()
            if self._chiefs():
                self.setup_code = ""

    def account_of_code(self, typed: str) -> str | None:
        """Return the account that a one-time code is for; empty: it creates the first chief arbiter; None: it is not an
        open code."""
        with self._lock:
            known = passwords_and_codes.code_fingerprint(typed)
            if self.setup_code and hmac.compare_digest(passwords_and_codes.code_fingerprint(self.setup_code), known):
                return ""
            name = self._vault.kept.codes.get(known) or passwords_and_codes.console_account(self._directory, typed)
            account = self.find(name) if name else None
            return account.name if account and not account.closed else None

    def owner(self, account: str, name: str) -> UserAccount:
        """Return the account whose password a code sets. The setup code makes a new one, ``name``, or uses one whose
        password was lost with the disk.
        """
        if account:
            return self.named(account)
        there = self.find(name)
        if there is None:
            self.write("account-created", account=name, role=Role.CHIEF.value)
        else:
            if there.closed:
                self.write("account-reopened", account=there.name)
            if there.role is not Role.CHIEF:
                self.write("account-role", account=there.name, role=Role.CHIEF.value)
        return self.named(name)

    def use_up(self, typed: str) -> None:
        """Delete the console's code; other codes are dropped when their password is set."""
        if passwords_and_codes.console_account(self._directory, typed) is not None:
            passwords_and_codes.delete_console_code(self._directory)

    def write(self, kind: str, **body: object) -> None:
        """Write to the audit trail."""
        self.apply(self._store.append(kind, body).result())

    # helpers

    def _chiefs(self) -> list[str]:
        chiefs = (one for one in self.all() if one.role is Role.CHIEF and not one.closed)
        return [account.name for account in chiefs if self.has_password(account)]

    def _keep_a_chief(self, account: UserAccount) -> None:
        if self._chiefs() == [account.name]:
            raise Conflict.saying("this is the only chief arbiter; make another one first")

    def _new_code(self, name: str) -> str:
        code = passwords_and_codes.new_code()
        self._drop_codes(name)
        self._vault.kept.codes[passwords_and_codes.code_fingerprint(code)] = name
        self._vault.save()
        return code

    def _drop_codes(self, name: str) -> None:
        secrets_file = self._vault.kept
        secrets_file.codes = {code: account for code, account in secrets_file.codes.items() if account != name}
