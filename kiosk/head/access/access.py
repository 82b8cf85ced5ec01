"""Who acts at the head: signing in, one-time codes, accounts, devices.

The law: there is no default password. The first chief arbiter is made with the setup code that the head shows where it
was started; every other account is made by a chief arbiter, and its owner chooses his password with a one-time code.
Whatever changes an account or begins or ends a session is in the audit trail with the person who did it.
"""

from __future__ import annotations

import hmac
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from kiosk.head.access import codes, passwords
from kiosk.head.access.accounts import Account, Accounts, clean_name
from kiosk.head.access.limits import NS_PER_S, PER_ACCOUNT, PER_ADDRESS, Failures
from kiosk.head.access.rights import Role
from kiosk.head.access.sessions import GRACE_S, Device, Session, Sessions, token_of
from kiosk.head.access.vault import Vault
from kiosk.head.acting import acting_as
from kiosk.head.errors import Conflict, Forbidden, TooMany
from kiosk.head.store import Store
from kiosk.head.store.trail import Trail

COOKIE = "kiosk_session"


@dataclass(frozen=True, slots=True)
class Caller:
    """Where a request comes from. ``device``: a word for people."""

    address: str
    device: str = "–"


@dataclass(frozen=True, slots=True)
class CodeFor:
    """What an open one-time code is for. ``account`` None: to make the first chief arbiter."""

    account: str | None


class Access:
    """May be called from any thread."""

    def __init__(self, store: Store, now_ns: Callable[[], int]) -> None:
        """:raises StoreError: the file of secrets is damaged."""
        self.trail = Trail(store)
        self._store = store
        self._directory: Path = store.place.directory
        self._now_ns = now_ns
        self._vault = Vault.open(self._directory)
        self._accounts = Accounts(event for event in store.operator_events() if event.kind.startswith("account-"))
        self._sessions = Sessions(self._vault, now_ns)
        self._by_address = Failures(PER_ADDRESS, now_ns)
        self._by_account = Failures(PER_ACCOUNT, now_ns)
        self._by_session = Failures(PER_ADDRESS, now_ns)
        self._lock = threading.RLock()
        self._setup_code = "" if self._chiefs() else codes.new_code()

    @property
    def setup_code(self) -> str:
        """The code that makes the first chief arbiter; empty once there is one with a password."""
        return self._setup_code

    # signing in

    def sign_in(self, typed: str, password: str, caller: Caller) -> str:
        """Gives the key for the cookie.

        :raises Forbidden: wrong name or password. :raises TooMany: nothing is looked at for a while.
        """
        account = self._accounts.find(typed)
        counted = account.name if account else ""
        self._refuse_if_waiting(counted, caller)
        hash = self._vault.kept.passwords.get(account.name) if account and not account.closed else None
        if not passwords.matches(hash, password) or account is None or hash is None:
            self._count(counted, caller, password)
            raise Forbidden("the name or the password is wrong", "名前かパスワードが違います。")
        with self._lock:
            self._by_account.forget(account.name)
            if passwords.is_outdated(hash):
                self._vault.kept.passwords[account.name] = passwords.hashed(password)
            return self._begin(account, caller)

    def code_is_for(self, typed: str, caller: Caller) -> CodeFor:
        """:raises Forbidden: no open code. :raises TooMany: nothing is looked at for a while."""
        self._refuse_if_waiting("", caller)
        with self._lock:
            found = self._purpose(typed)
        if found is None:
            self._count("", caller, typed)
            raise Forbidden(
                "that code is wrong or was used before; read it again, or ask for another one",
                "コードが違うか、すでに使われています。もう一度確かめるか、新しいコードをもらってください。",
            )
        return found

    def use_code(self, typed: str, name: str, password: str, caller: Caller) -> str:
        """Sets a password with a one-time code, and signs in. The setup code makes the chief arbiter ``name``.

        :raises HeadError: the code, the name or the password cannot be used.
        """
        found = self.code_is_for(typed, caller)
        chosen = clean_name(name) if found.account is None else found.account
        passwords.check(password, chosen)
        hash = passwords.hashed(password)
        with self._lock:
            if self._purpose(typed) != found:
                raise Forbidden("that code was used a moment ago", "そのコードはたった今使われました。")
            with acting_as(chosen):
                account = self._first_chief(chosen) if found.account is None else self._accounts.named(chosen)
                self._set_password(account, hash, "setup-code" if found.account is None else "code")
                self._use_up(typed)
                return self._begin(account, caller)

    # sessions

    def session(self, key: str | None) -> Session | None:
        """The person of a cookie."""
        with self._lock:
            device = self._sessions.find(key)
            account = self._accounts.find(device.account) if device else None
            if device is None or account is None or account.closed:
                return None
            return Session(device.id, account.name, account.role, token_of(str(key)))

    def require(self, key: str | None, token: str | None) -> Session:
        """The session of an action.

        :raises Forbidden: not signed in, or the form is not from our page.
        """
        session = self.session(key)
        if session is None:
            raise Forbidden("sign in first", "先にサインインしてください。")
        if not hmac.compare_digest(session.token.encode(), (token or "").encode()):
            raise Forbidden(
                "the form is too old or did not come from this head; open the page again",
                "この画面は古いか、本部の画面ではありません。開き直してください。",
            )
        return session

    def gave_password(self, session: Session) -> bool:
        """Whether this device gave its password a short time ago."""
        with self._lock:
            device = self._device(session)
            since = device.password_ns if device else None
            return since is not None and self._now_ns() - since < GRACE_S * NS_PER_S

    def give_password(self, session: Session, password: str) -> None:
        """The password again, before something that matters.

        :raises Forbidden: it is wrong. :raises TooMany: nothing is looked at for a while.
        """
        _refuse_wait(self._by_session.wait_s(session.id))
        if not passwords.matches(self._vault.kept.passwords.get(session.name), password):
            self._by_session.add(session.id)
            raise Forbidden("the password is wrong", "パスワードが違います。")
        with self._lock:
            if device := self._device(session):
                device.password_ns = self._now_ns()

    def devices(self, session: Session) -> list[Device]:
        """A chief arbiter's list holds everybody's, others' their own."""
        with self._lock:
            every = self._sessions.listed()
        return [device for device in every if session.role is Role.CHIEF or device.account == session.name]

    def end(self, session: Session, id: str) -> None:
        """Signs a device out."""
        with self._lock:
            mine = {device.id for device in self.devices(session)}
            self._end(lambda device: device.id == id and id in mine)

    # accounts

    def accounts(self) -> list[Account]:
        return self._accounts.all()

    def has_password(self, account: Account) -> bool:
        return account.name in self._vault.kept.passwords

    def has_code(self, account: Account) -> bool:
        return account.name in self._vault.kept.codes.values()

    def create(self, name: str, role: Role) -> str:
        """Makes an account; gives the code with which its owner chooses a password."""
        with self._lock:
            name = clean_name(name)
            if self._accounts.find(name):
                raise Conflict(
                    f"there is an account '{name}' already; a name stays with its person",
                    f"「{name}」はもう登録されています。名前は一人に一つです。",
                )
            self._write("account-created", account=name, role=role.value)
            return self._new_code(name)

    def new_code(self, name: str) -> str:
        """A code for somebody who forgot his password; the old password works until the code is used."""
        with self._lock:
            account = self._accounts.named(name)
            if account.closed:
                raise Conflict(
                    "the account is closed; open it again first", "この登録は止められています。先に再開してください。"
                )
            self._write("account-code", account=account.name)
            return self._new_code(account.name)

    def change_role(self, name: str, role: Role) -> None:
        with self._lock:
            account = self._accounts.named(name)
            if account.role is not role:
                self._keep_a_chief(account)
                self._write("account-role", account=account.name, role=role.value)

    def close(self, name: str) -> None:
        """Nobody signs in with the account any more; its devices are signed out."""
        with self._lock:
            account = self._accounts.named(name)
            if not account.closed:
                self._keep_a_chief(account)
                self._write("account-closed", account=account.name)
                self._drop_codes(account.name)
                self._end(lambda device: device.account == account.name)
                self._vault.save()

    def reopen(self, name: str) -> None:
        with self._lock:
            account = self._accounts.named(name)
            if account.closed:
                self._write("account-reopened", account=account.name)

    def change_password(self, session: Session, old: str, new: str) -> None:
        """One's own; every other device of the account is signed out."""
        self.give_password(session, old)
        passwords.check(new, session.name)
        hash = passwords.hashed(new)
        with self._lock:
            self._set_password(self._accounts.named(session.name), hash, "own", but=session.id)

    # inside

    def _chiefs(self) -> list[str]:
        return [
            account.name
            for account in self._accounts.all()
            if account.role is Role.CHIEF and not account.closed and account.name in self._vault.kept.passwords
        ]

    def _keep_a_chief(self, account: Account) -> None:
        if self._chiefs() == [account.name]:
            raise Conflict(
                "this is the only chief arbiter; make another one first",
                "審判長が一人もいなくなります。先に別の人を審判長にしてください。",
            )

    def _first_chief(self, name: str) -> Account:
        """The account of the setup code: a new one, or one that lost its password with the disk."""
        there = self._accounts.find(name)
        if there is None:
            self._write("account-created", account=name, role=Role.CHIEF.value)
        else:
            if there.closed:
                self._write("account-reopened", account=there.name)
            if there.role is not Role.CHIEF:
                self._write("account-role", account=there.name, role=Role.CHIEF.value)
        return self._accounts.named(name)

    def _set_password(self, account: Account, hash: str, how: str, but: str = "") -> None:
        self._write("account-password", account=account.name, how=how)
        self._vault.kept.passwords[account.name] = hash
        self._drop_codes(account.name)
        self._end(lambda device: device.account == account.name and device.id != but)
        self._vault.save()
        if self._chiefs():
            self._setup_code = ""

    def _begin(self, account: Account, caller: Caller) -> str:
        key, begun = self._sessions.begin(account.name, caller.address, caller.device)
        self._vault.save()
        with acting_as(account.name):
            self._write("session-started", account=account.name, device=begun.id, address=caller.address)
        return key

    def _end(self, which: Callable[[Device], bool]) -> None:
        for device in self._sessions.end(which):
            self._write("session-ended", account=device.account, device=device.id)
        self._vault.save()

    def _device(self, session: Session) -> Device | None:
        return next((device for device in self._sessions.listed() if device.id == session.id), None)

    def _new_code(self, name: str) -> str:
        code = codes.new_code()
        self._drop_codes(name)
        self._vault.kept.codes[codes.code_print(code)] = name
        self._vault.save()
        return code

    def _drop_codes(self, name: str) -> None:
        kept = self._vault.kept
        kept.codes = {code: account for code, account in kept.codes.items() if account != name}

    def _purpose(self, typed: str) -> CodeFor | None:
        known = codes.code_print(typed)
        if self._setup_code and hmac.compare_digest(codes.code_print(self._setup_code), known):
            return CodeFor(None)
        name = self._vault.kept.codes.get(known) or codes.console_account(self._directory, typed)
        account = self._accounts.find(name) if name else None
        return CodeFor(account.name) if account and not account.closed else None

    def _use_up(self, typed: str) -> None:
        if codes.console_account(self._directory, typed) is not None:
            codes.use_up_console_code(self._directory)

    def _refuse_if_waiting(self, account: str, caller: Caller) -> None:
        _refuse_wait(max(self._by_address.wait_s(caller.address), self._by_account.wait_s(account) if account else 0))

    def _count(self, account: str, caller: Caller, guess: str) -> None:
        if not guess:  # a form that was sent empty
            return
        waits = [self._by_address.add(caller.address), self._by_account.add(account) if account else 0]
        if any(waits):
            self._write("session-refused", account=account, address=caller.address, wait_s=max(waits))

    def _write(self, kind: str, **body: object) -> None:
        self._accounts.take(self._store.append(kind, body).result())


def _refuse_wait(wait_s: int) -> None:
    if wait_s:
        raise TooMany(
            f"too many wrong attempts; wait {wait_s} seconds, then try again",
            f"まちがいが続いたため、{wait_s}秒待ってからやり直してください。",
            wait_s,
        )
