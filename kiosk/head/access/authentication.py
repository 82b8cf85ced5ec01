"""Authentication: signing in with a password or a one-time code, and the signed-in devices.

- While somebody has to wait, a password is not checked. A wrong name and a wrong password get the same answer.
- A one-time code has 60 random bits and is always checked, so the console's code works whoever guesses.
- Beginning and end of a session are in the audit trail.
- The session of a cookie is looked up without a lock, because the event loop asks for it.
"""

from __future__ import annotations

import base64
import hmac
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from engine.i18n import say
from kiosk.head.access import passwords_and_codes
from kiosk.head.access.credential_file import SecretStore, StoredPin
from kiosk.head.access.login_rate_limits import NS_PER_S, PER_ACCOUNT, PER_ADDRESS, QUIET, FailureCounter
from kiosk.head.access.roles import Role, UserSession
from kiosk.head.access.sessions_and_device_marks import (
    GRACE_S,
    Sessions,
    StoredDevice,
    csrf_token,
    has_device_mark,
    new_device_mark,
)
from kiosk.head.access.user_accounts_and_codes import LONGEST_NAME, UserAccount, UserStore, clean_name
from kiosk.head.current_user import as_user
from kiosk.head.errors import Forbidden, RateLimited
from kiosk.head.store import Store
from kiosk.head.store.audit_trail_in_memory import AuditTrail

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
        self._vault = SecretStore(store.place.directory)
        #: the arbiters' PIN at the tables, if one was set; every table asks for it before it is acknowledged, so it is
        #: read without the lock that a sign-in holds while it writes
        self.hall_pin = self._vault.kept.hall_pin
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

    def keep_hall_pin(self, pin: StoredPin) -> None:
        with self._lock:
            self._vault.kept.hall_pin = pin
            self._vault.save()
            self.hall_pin = pin

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
                raise Forbidden.saying("the name or the password is wrong")
        with self._lock:
            self._by_account.forget(account.name)
            if passwords_and_codes.needs_rehash(hash):
                self._vault.kept.passwords[account.name] = passwords_and_codes.hash_password(password)
            return self._begin(account, caller)

    def code_is_for(self, typed: str, caller: ClientInfo) -> str:
        """Return the account that an open one-time code is for; empty: it creates the first chief arbiter.

        :raises Forbidden: no open code. :raises RateLimited: no open code, and too many wrong ones before it.
        """
        found = self.people.account_of_code(typed)
        if found is None:
            _refuse_wait(self._by_address.wait_s(caller.address))
            if typed:
                self._log_wait(self._by_address.add(caller.address), 0, "", caller)
            raise Forbidden.saying("that code is wrong or was used before; read it again, or ask for another one")
        return found

    def use_code(self, typed: str, name: str, password: str, caller: ClientInfo) -> str:
        """Set a password with a one-time code, and sign in. The setup code creates the chief arbiter ``name``.

        :raises HeadError: the code, the name or the password cannot be used.
        """
        found = self.code_is_for(typed, caller)
        chosen = found or clean_name(name)
        passwords_and_codes.check_password_rules(password, chosen)
        hash = passwords_and_codes.hash_password(password)
        with self._lock, as_user(chosen):
            if self.people.account_of_code(typed) != found:
                raise Forbidden.saying("that code was used a moment ago")
            account = self.people.owner(found, chosen)
            self.people.set_password(account, hash, "code" if found else "setup-code")
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
            raise Forbidden.saying("the password is wrong")
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
        raise RateLimited(say("too many wrong attempts; wait {wait_s} seconds, then try again", wait_s=wait_s), wait_s)


@lru_cache(maxsize=4096)  # finding one player's page compares all players' codes, on every change and for every phone
def _code(key: str, what: str) -> str:
    made = hmac.digest(bytes.fromhex(key), what.encode(), "sha256")
    return base64.b32encode(made[:10]).decode().lower()


# Subjects of the QR codes on paper; ``Authenticator.token`` turns them into codes that cannot be guessed.


def game_subject(game: str) -> str:
    """Return the subject of the code on a slip."""
    return f"game {game}"


def player_subject(division: str, player: str) -> str:
    """Return the subject of the code on a badge."""
    return f"player {division} {player}"
