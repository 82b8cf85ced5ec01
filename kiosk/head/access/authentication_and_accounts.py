"""Authentication: signing in with a password or a one-time code, and the signed-in devices.

- While somebody has to wait, a password is not checked. A wrong name and a wrong password get the same answer.
- A one-time code has 60 random bits and is always checked, so the console's code works whoever guesses.
- Beginning and end of a session are in the audit trail.
- The session of a cookie is looked up without a lock, because the event loop asks for it.
"""

from __future__ import annotations

import base64
import hmac
import logging
import secrets
import threading
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from engine.i18n import say
from kiosk.head.access import passwords_and_codes
from kiosk.head.access.credential_file import SecretStore, StoredPin
from kiosk.head.access.roles import ACCOUNT_ROLES, Role
from kiosk.head.access.sessions_and_csrf import (
    GRACE_S,
    NS_PER_S,
    PER_ACCOUNT,
    PER_ADDRESS,
    QUIET,
    FailureCounter,
    Sessions,
    StoredDevice,
    UserSession,
    csrf_token,
    has_device_mark,
    new_device_mark,
)
from kiosk.head.current_user import HEAD, as_user
from kiosk.head.errors import Conflict, Forbidden, HeadError, NotFound, RateLimited
from kiosk.head.store import Store
from kiosk.head.store.audit_trail_in_memory import AuditTrail
from kiosk.head.store.hash_chain import OperatorEvent

COOKIE = "kiosk_session"
#: cookie that marks a device as signed in before; it grants no access
DEVICE_COOKIE = "kiosk_device"


@dataclass(frozen=True, slots=True)
class ClientInfo:
    """Source of a request. ``device``: readable kind of device; ``mark``: cookie of a device that was signed in;
    ``phone``: cookie of a phone that reported a result.
    """

    address: str
    device: str = "–"
    mark: str = ""
    phone: str = ""


class Authenticator:
    """Authentication over a store. May be called from any thread. ``people``: the accounts; ``trail``:
    the audit trail.
    """

    def __init__(self, store: Store, now_ns: Callable[[], int]) -> None:
        """Open the secrets and accounts of a store.

        :raises StoreError: the file of secrets is damaged.
        """
        self.trail = AuditTrail(store)
        self._now_ns = now_ns
        self._lock = threading.RLock()
        self._vault = SecretStore.open(store.place.directory)
        self._hall_pin = self._vault.kept.hall_pin
        self._sessions = Sessions(self._vault, now_ns)
        self._by_address = FailureCounter(PER_ADDRESS, now_ns)
        self._by_account = FailureCounter(PER_ACCOUNT, now_ns)
        self._by_session = FailureCounter(PER_ADDRESS, now_ns)
        self._by_device = FailureCounter(PER_ADDRESS, now_ns)
        self.people = UserStore(store, self._vault, self._lock, self._sign_out)

    @property
    def setup_code(self) -> str:
        """Return the code that creates the first chief arbiter; empty once there is one with a password."""
        return self.people.setup_code

    def token(self, what: str) -> str:
        """Return the token in the QR code of a slip or badge: 80 bits, made with a key that only this head has.

        The key is in no backup, so a restored head accepts only codes that it printed itself.
        """
        if not self._vault.kept.codes_key:
            with self._lock:
                self._vault.kept.codes_key = self._vault.kept.codes_key or secrets.token_hex(32)
                self._vault.save()
        return _code(self._vault.kept.codes_key, what)

    @property
    def hall_pin(self) -> StoredPin | None:
        """Return the arbiters' PIN at the tables, if one was set. Every table asks for it before it is acknowledged, so
        no lock is taken that a sign-in holds while it writes.
        """
        return self._hall_pin

    def keep_hall_pin(self, pin: StoredPin) -> None:
        with self._lock:
            self._vault.kept.hall_pin = pin
            self._vault.save()
            self._hall_pin = pin

    # signing in

    def sign_in(self, typed: str, password: str, caller: ClientInfo) -> str:
        """Check a name and a password, and return the key for the cookie.

        :raises Forbidden: wrong name or password. :raises RateLimited: nothing is checked for a while.
        """
        account = self.people.find(typed)
        name = account.name if account else typed.strip().casefold()[:LONGEST_NAME]
        hash = self._vault.kept.passwords.get(account.name) if account and not account.closed else None
        known = account is not None and hash is not None and has_device_mark(caller.mark, account.name, hash)
        failures, who = (self._by_device, caller.mark) if known else (self._by_address, caller.address)
        with failures.guess(who) as wait_s:
            shared = 0 if known or failures.count(who) < QUIET else self._by_account.wait_s(name)
            _refuse_wait(max(wait_s, failures.wait_s(who), shared))
            if not passwords_and_codes.verify_password(hash, password, known) or account is None or hash is None:
                if password:  # an empty form is no attempt
                    for_account = account.name if account else ""
                    self._log_wait(failures.add(who), self._by_account.add(name), for_account, caller)
                raise Forbidden(say("the name or the password is wrong"))
        with self._lock:
            self._by_account.forget(account.name)
            if passwords_and_codes.needs_rehash(hash):
                self._vault.kept.passwords[account.name] = passwords_and_codes.hash_password(password)
            return self._begin(account, caller)

    def code_is_for(self, typed: str, caller: ClientInfo) -> CodePurpose:
        """Return what an open one-time code is for.

        :raises Forbidden: no open code. :raises RateLimited: no open code, and too many wrong ones before it.
        """
        found = self.people.purpose(typed)
        if found is None:
            _refuse_wait(self._by_address.wait_s(caller.address))
            if typed:
                self._log_wait(self._by_address.add(caller.address), 0, "", caller)
            raise Forbidden(say("that code is wrong or was used before; read it again, or ask for another one"))
        return found

    def use_code(self, typed: str, name: str, password: str, caller: ClientInfo) -> str:
        """Set a password with a one-time code, and sign in. The setup code creates the chief arbiter ``name``.

        :raises HeadError: the code, the name or the password cannot be used.
        """
        found = self.code_is_for(typed, caller)
        chosen = clean_name(name) if found.account is None else found.account
        passwords_and_codes.check_password_rules(password, chosen)
        hash = passwords_and_codes.hash_password(password)
        with self._lock, as_user(chosen):
            if self.people.purpose(typed) != found:
                raise Forbidden(say("that code was used a moment ago"))
            account = self.people.owner(found, chosen)
            self.people.set_password(account, hash, "setup-code" if found.account is None else "code")
            self.people.use_up(typed)
            return self._begin(account, caller)

    # sessions

    def session(self, key: str | None) -> UserSession | None:
        """Return the session of a cookie. Takes no lock, because a lock may be held while a disk is slow."""
        device = self._sessions.find(key)
        account = self.people.find(device.account) if device else None
        if device is None or account is None or account.closed:
            return None
        return UserSession(device.id, account.name, account.role, csrf_token(str(key)))

    def device_mark(self, name: str) -> str:
        """Return the mark of a device on which ``name`` signed in; valid until the account gets another password."""
        return new_device_mark(name, self._vault.kept.passwords[name])

    def is_own_form(self, key: str | None, token: str) -> bool:
        """Check whether a form is from a page that this head made for this session."""
        session = self.session(key)
        return session is not None and hmac.compare_digest(session.token.encode(), token.encode())

    def gave_password(self, session: UserSession) -> bool:
        """Check whether this device gave its password a short time ago."""
        with self._lock:
            device = self._device(session)
            since = device.password_ns if device else None
            return since is not None and self._now_ns() - since < GRACE_S * NS_PER_S

    def give_password(self, session: UserSession, password: str) -> None:
        """Check the password again before an important action.

        :raises Forbidden: it is wrong. :raises RateLimited: nothing is checked for a while.
        """
        _refuse_wait(self._by_session.wait_s(session.id))
        if not passwords_and_codes.verify_password(self._vault.kept.passwords.get(session.name), password, known=True):
            self._by_session.add(session.id)
            raise Forbidden(say("the password is wrong"))
        with self._lock:
            if device := self._device(session):
                device.password_ns = self._now_ns()

    def change_password(self, session: UserSession, old: str, new: str) -> None:
        """Change the user's own password; every other device of the account is signed out."""
        self.give_password(session, old)
        passwords_and_codes.check_password_rules(new, session.name)
        account = self.people.find(session.name)
        if account is not None:
            self.people.set_password(account, passwords_and_codes.hash_password(new), "own", but=session.id)

    def devices(self, session: UserSession) -> list[StoredDevice]:
        """List the signed-in devices: everybody's for a chief arbiter, otherwise the user's own."""
        with self._lock:
            every = self._sessions.listed()
        return [device for device in every if session.role is Role.CHIEF or device.account == session.name]

    def end(self, session: UserSession, id: str) -> None:
        """Sign a device out."""
        with self._lock:
            mine = {device.id for device in self.devices(session)}
            self._end(lambda device: device.id == id and id in mine)

    # helpers

    def _begin(self, account: UserAccount, caller: ClientInfo) -> str:
        key, begun = self._sessions.begin(account.name, caller.address, caller.device)
        self._vault.save()
        with as_user(account.name):
            self.people.write("session-started", account=account.name, device=begun.id, address=caller.address)
        return key

    def _sign_out(self, account: str, but: str) -> None:
        self._end(lambda device: device.account == account and device.id != but)

    def _end(self, which: Callable[[StoredDevice], bool]) -> None:
        for device in self._sessions.end(which):
            self.people.write("session-ended", account=device.account, device=device.id)
        self._vault.save()

    def _device(self, session: UserSession) -> StoredDevice | None:
        return next((device for device in self._sessions.listed() if device.id == session.id), None)

    def _log_wait(self, wait_s: int, shared_s: int, account: str, caller: ClientInfo) -> None:
        """Write a guess that causes a wait to the audit trail."""
        if longest_s := max(wait_s, shared_s):
            self.people.write("session-refused", account=account, address=caller.address, wait_s=longest_s)


def _refuse_wait(wait_s: int) -> None:
    if wait_s:
        raise RateLimited(
            say("too many wrong attempts; wait {wait_s} seconds, then try again", wait_s=wait_s),
            wait_s,
        )


@lru_cache(maxsize=4096)  # finding one player's page compares all players' codes, on every change and for every phone
def _code(key: str, what: str) -> str:
    made = hmac.digest(bytes.fromhex(key), what.encode(), "sha256")
    return base64.b32encode(made[:10]).decode().lower()


# User accounts with their passwords and one-time codes.
#
# There is no default password. The first chief arbiter is created with the setup code, which the head prints where it
# is started. Every other account is created by a chief arbiter, and its owner chooses the password with a one-time
# code. Every change of an account is in the audit trail with the person who made it.


@dataclass(frozen=True, slots=True)
class CodePurpose:
    """Purpose of an open one-time code. ``account`` None: to create the first chief arbiter."""

    account: str | None


class UserStore:
    """The accounts over a store and its secrets. May be called from any thread."""

    def __init__(
        self, store: Store, vault: SecretStore, lock: threading.RLock, sign_out: Callable[[str, str], None]
    ) -> None:
        """``lock``: shared with everybody who uses the vault; ``sign_out``: ends all devices of an account but one."""
        self._store = store
        self._vault = vault
        self._lock = lock
        self._sign_out = sign_out
        self._directory: Path = store.place.directory
        self._accounts = Accounts(event for event in store.operator_events() if event.kind.startswith("account-"))
        self._setup_code = "" if self._chiefs() else passwords_and_codes.new_code()

    @property
    def setup_code(self) -> str:
        """Return the code that creates the first chief arbiter; empty once there is one with a password."""
        return self._setup_code

    def all(self) -> list[UserAccount]:
        return self._accounts.all()

    def find(self, name: str) -> UserAccount | None:
        return self._accounts.find(name)

    def has_password(self, account: UserAccount) -> bool:
        return account.name in self._vault.kept.passwords

    def has_code(self, account: UserAccount) -> bool:
        return account.name in self._vault.kept.codes.values()

    # acts of a chief arbiter

    def create(self, name: str, role: Role) -> str:
        """Create an account; return the code with which its owner chooses a password."""
        with self._lock:
            name = clean_name(name)
            if self._accounts.find(name):
                raise Conflict(say("there is an account '{name}' already; a name stays with its person", name=name))
            self.write("account-created", account=name, role=role.value)
            return self._new_code(name)

    def new_code(self, name: str) -> str:
        """Return a code for somebody who forgot the password; the old password works until the code is used."""
        with self._lock:
            account = self._accounts.named(name)
            if account.closed:
                raise Conflict(say("the account is closed; open it again first"))
            self.write("account-code", account=account.name)
            return self._new_code(account.name)

    def change_role(self, name: str, role: Role) -> None:
        with self._lock:
            account = self._accounts.named(name)
            if account.role is not role:
                self._keep_a_chief(account)
                self.write("account-role", account=account.name, role=role.value)

    def close(self, name: str) -> None:
        """Close an account: nobody can sign in with it, and its devices are signed out."""
        with self._lock:
            account = self._accounts.named(name)
            if not account.closed:
                self._keep_a_chief(account)
                self.write("account-closed", account=account.name)
                self._drop_codes(account.name)
                self._sign_out(account.name, "")
                self._vault.save()

    def reopen(self, name: str) -> None:
        with self._lock:
            account = self._accounts.named(name)
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
                self._setup_code = ""

    def purpose(self, typed: str) -> CodePurpose | None:
        """Return what a code is for; None: it is not an open code."""
        with self._lock:
            known = passwords_and_codes.code_fingerprint(typed)
            if self._setup_code and hmac.compare_digest(passwords_and_codes.code_fingerprint(self._setup_code), known):
                return CodePurpose(None)
            name = self._vault.kept.codes.get(known) or passwords_and_codes.console_account(self._directory, typed)
            account = self._accounts.find(name) if name else None
            return CodePurpose(account.name) if account and not account.closed else None

    def owner(self, code: CodePurpose, name: str) -> UserAccount:
        """Return the account whose password a code sets. The setup code makes a new one, or uses one whose password was
        lost with the disk.
        """
        if code.account is not None:
            return self._accounts.named(code.account)
        there = self._accounts.find(name)
        if there is None:
            self.write("account-created", account=name, role=Role.CHIEF.value)
        else:
            if there.closed:
                self.write("account-reopened", account=there.name)
            if there.role is not Role.CHIEF:
                self.write("account-role", account=there.name, role=Role.CHIEF.value)
        return self._accounts.named(name)

    def use_up(self, typed: str) -> None:
        """Delete the console's code; other codes are dropped when their password is set."""
        if passwords_and_codes.console_account(self._directory, typed) is not None:
            passwords_and_codes.delete_console_code(self._directory)

    def write(self, kind: str, **body: object) -> None:
        """Write to the audit trail."""
        self._accounts.apply(self._store.append(kind, body).result())

    # helpers

    def _chiefs(self) -> list[str]:
        return [
            account.name
            for account in self._accounts.all()
            if account.role is Role.CHIEF and not account.closed and account.name in self._vault.kept.passwords
        ]

    def _keep_a_chief(self, account: UserAccount) -> None:
        if self._chiefs() == [account.name]:
            raise Conflict(say("this is the only chief arbiter; make another one first"))

    def _new_code(self, name: str) -> str:
        code = passwords_and_codes.new_code()
        self._drop_codes(name)
        self._vault.kept.codes[passwords_and_codes.code_fingerprint(code)] = name
        self._vault.save()
        return code

    def _drop_codes(self, name: str) -> None:
        secrets_file = self._vault.kept
        secrets_file.codes = {code: account for code, account in secrets_file.codes.items() if account != name}


# User accounts, as the audit trail describes them.
#
# An account is the result of its ``account-…`` events; its password is in no event (``credential_file``). A name is
# never given to another person, because it stands in the trail.

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
