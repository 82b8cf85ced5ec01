"""Tests that wrong guesses lock nobody else out: known devices, other addresses and the console can still sign in.

The simulated attack is a script on a few phones in the hall that guesses the chief's password continuously.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from heads.access import AccessWorld
from heads.staff import CHIEF, PASSWORD, first_chief, sign_in
from heads.world import running_head
from waiting import HANGS_S, until

from kiosk.head.access import passwords_and_codes
from kiosk.head.access.authentication import ClientInfo
from kiosk.head.access.login_rate_limits import PER_ADDRESS, QUIET
from kiosk.head.access.roles import Role
from kiosk.head.errors import Forbidden, HeadError, RateLimited

ENEMIES = [ClientInfo(f"192.0.2.{number}") for number in range(50, 55)]
HERE = ClientInfo("192.0.2.1", "Android")


class World(AccessWorld):
    """The authentication of a store with simulated attackers."""

    def attack(self, seconds: int = 0) -> None:
        """Let every attacker guess in every second, whatever wait was imposed."""
        for _ in range(seconds + 12):
            for enemy in ENEMIES:
                with pytest.raises(HeadError):
                    self.access.sign_in("Chief", "guess", enemy)
            self.clock.go(1)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.access.use_code(made.access.setup_code, "Chief", PASSWORD, HERE)
    yield made
    made.store.close()


@pytest.mark.fault(28, "others guess in his name: the right password from a quiet address")
def test_the_right_password_from_a_quiet_address_is_accepted_during_an_attack(world: World) -> None:
    """It has a few tries."""
    world.attack(70)
    with pytest.raises(RateLimited):
        world.access.sign_in("Chief", PASSWORD, ENEMIES[0])
    for _ in range(QUIET - 1):
        with pytest.raises(Forbidden):
            world.access.sign_in("Chief", "mistyped", HERE)
    assert world.access.sign_in("Chief", PASSWORD, HERE)


def test_guesses_from_many_quiet_addresses_are_limited(world: World) -> None:
    """After its few tries an address shares the account's wait."""
    world.attack()
    looked_at = 0
    for number in range(4):
        for _ in range(QUIET + 5):
            try:
                world.access.sign_in("Chief", "guess", ClientInfo(f"198.51.100.{number}"))
            except RateLimited:
                continue
            except Forbidden:
                looked_at += 1
    assert looked_at == 4 * QUIET


@pytest.mark.fault(28, "the same at a known device, behind the guesser's own address")
def test_a_known_device_can_sign_in_from_the_attackers_address(world: World) -> None:
    """Behind one router all devices of a hall have one address."""
    mark = world.access.device_mark("Chief")
    for _ in range(12):
        for enemy in ENEMIES:
            with pytest.raises(HeadError):
                world.access.sign_in("Chief", "guess", enemy)
    known = ClientInfo(ENEMIES[0].address, "Android", mark)
    assert world.access.sign_in("Chief", PASSWORD, known)


def test_a_stolen_known_device_has_its_own_count(world: World) -> None:
    stolen = ClientInfo(HERE.address, "Android", world.access.device_mark("Chief"))
    for _ in range(PER_ADDRESS.free + 1):
        with pytest.raises(Forbidden):
            world.access.sign_in("Chief", "guess", stolen)
    with pytest.raises(RateLimited):
        world.access.sign_in("Chief", "guess", stolen)
    assert world.access.sign_in("Chief", PASSWORD, HERE)


def test_an_invalid_device_cookie_is_ignored(world: World) -> None:
    """Also one of another account, and a changed one."""
    world.access.use_code(world.access.people.create("Lund", Role.DESK), "", PASSWORD, HERE)
    own = world.access.device_mark("Chief")
    changed = ("A" if own[0] != "A" else "B") + own[1:]
    world.attack()
    for mark in ("", "x", "a.b", "é.é", "\ud800", "." * 5000, world.access.device_mark("Lund"), changed):
        with pytest.raises(RateLimited):
            world.access.sign_in("Chief", PASSWORD, ClientInfo(ENEMIES[0].address, "x", mark))
    assert world.access.sign_in("Chief", PASSWORD, ClientInfo(ENEMIES[0].address, "x", own))


@pytest.mark.fault(28, "the console's code at an address that has to wait")
def test_a_right_code_is_accepted_from_an_address_that_has_to_wait(world: World, tmp_path: Path) -> None:
    """Codes of the console and printed codes always work: 60 bits cannot be guessed."""
    for _ in range(20):
        with pytest.raises(HeadError):
            world.access.code_is_for("AAAA-AAAA-AAAA", ENEMIES[0])
    with pytest.raises(RateLimited):
        world.access.code_is_for("AAAA-AAAA-AAAB", ENEMIES[0])
    console = passwords_and_codes.write_console_code(tmp_path, "Chief")
    assert world.access.use_code(console, "", "quite another one", ENEMIES[0])


@pytest.mark.fault(29, "the wall clock ten years on and back: sessions, waits and codes")
@pytest.mark.parametrize("years", [10, -10])
def test_wall_clock_jumps_change_no_session(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, years: int
) -> None:
    """Sessions and waits use the monotonic clock; a console code is invalid outside its half hour on either side, and
    a new one works."""
    key = world.access.sign_in("Chief", PASSWORD, HERE)
    world.attack()
    console, real = passwords_and_codes.write_console_code(tmp_path, "Chief"), passwords_and_codes.time.time
    monkeypatch.setattr(passwords_and_codes.time, "time", lambda: real() + years * 365 * 24 * 3600)
    assert world.access.session(key)
    with pytest.raises(RateLimited):
        world.access.sign_in("Chief", PASSWORD, ENEMIES[0])
    with pytest.raises(Forbidden):
        world.access.code_is_for(console, HERE)
    assert world.access.code_is_for(passwords_and_codes.write_console_code(tmp_path, "Chief"), HERE) == "Chief"


def test_waits_do_not_reveal_which_accounts_exist(world: World) -> None:
    said = []
    for name in ("Chief", "nobody"):
        for number in range(4):
            for _ in range(QUIET):
                with pytest.raises(Forbidden):
                    world.access.sign_in(name, "guess", ClientInfo(f"{name}-{number}"))
        with pytest.raises(RateLimited) as refused:
            world.access.sign_in(name, "guess", ClientInfo(f"{name}-0"))
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_simultaneous_guesses_are_all_counted(world: World) -> None:
    """Guesses that arrive together are counted before their passwords are checked."""
    begun = threading.Barrier(8)

    def guess(_: int) -> str:
        begun.wait(HANGS_S)
        try:
            return world.access.sign_in("nobody", "guess", ENEMIES[0])
        except HeadError as error:
            return type(error).__name__

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(guess, range(8)))
    assert answers.count("Forbidden") <= PER_ADDRESS.free + 1


def test_a_known_device_does_not_queue_behind_unknown_clients(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many unknown clients wait for a password hash, a known device gets a place."""
    mark, running, go_on = world.access.device_mark("Chief"), threading.Semaphore(0), threading.Event()
    real = passwords_and_codes._verify_hash

    def slow(hash: str | None, password: str) -> bool:
        running.release()
        if password == "guess":
            go_on.wait(HANGS_S)
        return real(hash, password)

    monkeypatch.setattr(passwords_and_codes, "_verify_hash", slow)

    def guess(number: int) -> str:
        try:
            return world.access.sign_in("nobody", "guess", ClientInfo(f"198.51.100.{number}"))
        except HeadError as error:
            return type(error).__name__

    with ThreadPoolExecutor(20) as pool:
        crowd = [pool.submit(guess, number) for number in range(passwords_and_codes.STRANGERS + 8)]
        assert running.acquire(timeout=HANGS_S)
        known = pool.submit(world.access.sign_in, "Chief", PASSWORD, ClientInfo(ENEMIES[0].address, "", mark))
        until(lambda: sum(future.done() for future in crowd) == 8)  # a client without a place is refused at once
        go_on.set()
        assert known.result(20)
        assert sorted(future.result(20) for future in crowd).count("RateLimited") == 8


def test_a_browser_is_known_after_it_signed_in_once(tmp_path: Path) -> None:
    """Tested over HTTP, with attackers at the same address."""
    with (
        running_head(tmp_path) as (program, url),
        httpx.Client(base_url=url) as chief,
        httpx.Client(base_url=url) as enemy,
    ):
        first_chief(chief, program.access.setup_code)
        cookie = next(cookie for cookie in chief.cookies.jar if cookie.name == "kiosk_device")
        assert cookie.has_nonstandard_attr("HttpOnly") and cookie.path == "/sign-in"
        chief.cookies.delete("kiosk_session")
        answers = [enemy.post("/sign-in", data={"name": CHIEF, "password": "guess"}).status_code for _ in range(9)]
        assert answers[-1] == 429
        sign_in(chief)
