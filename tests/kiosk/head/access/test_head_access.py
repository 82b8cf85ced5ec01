"""Tests of access to the head: accounts, roles, one-time codes, limits, devices, and their audit trail."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from commands.called import Cli
from heads.access import AccessWorld as World
from heads.access import Clock
from heads.forms import forms_of
from heads.process import kiosk
from heads.staff import CHIEF, PASSWORD, add_person, first_chief, sign_in, token, use_code
from heads.world import running_head
from starlette.routing import Mount, Route, WebSocketRoute
from waiting import HANGS_S

from kiosk.errors import InputError
from kiosk.head.access import login_rate_limits, passwords_and_codes
from kiosk.head.access.authentication import COOKIE, Authenticator, ClientInfo
from kiosk.head.access.login_rate_limits import PER_ACCOUNT, PER_ADDRESS, QUIET
from kiosk.head.access.roles import ACCOUNT_ROLES, WHO, Role
from kiosk.head.access.sessions_and_device_marks import GRACE_S, LASTS_S
from kiosk.head.backup.restore import restore
from kiosk.head.backup.signed_backup_creation import BACKUP_FILE, back_up
from kiosk.head.current_user import HEAD, as_user
from kiosk.head.errors import Conflict, Forbidden, HeadError, RateLimited
from kiosk.head.program import HeadApplication
from kiosk.head.store import CommandRow, Store
from kiosk.head.store.audit_trail_in_memory import VERIFY_S, AuditTrail
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.locale import JAPANESE, render
from kiosk.update import table_update_and_diagnostics_messages as update_messages

PEOPLE = {"デスク Aoki": Role.DESK, "審判 Lund": Role.ARBITER, CHIEF: Role.CHIEF}


HERE = ClientInfo("192.0.2.1", "Android")
THERE = ClientInfo("192.0.2.2", "iPhone")


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    yield made
    made.store.close()


def _chief(world: World) -> str:
    return world.access.use_code(world.access.setup_code, "Chief", PASSWORD, HERE)


# passwords and waits


def _in_japanese(refusal: HeadError) -> str:
    """Return the Japanese text; empty if it has none."""
    said = render(refusal.text, JAPANESE)
    return "" if said == str(refusal) else said


@pytest.mark.parametrize("bad", ["", "short", "password", "12345678", "aaaaaaaaaaaa", "lund lund", "x" * 201])
def test_common_passwords_are_refused(bad: str) -> None:
    with pytest.raises(HeadError) as refused:
        passwords_and_codes.check_password_rules(bad, "Lund")
    assert _in_japanese(refused.value)


@pytest.mark.usefixtures("passwords_at_full_cost")
def test_a_password_is_kept_as_argon2id_at_a_cost_that_a_pi_bears() -> None:
    hash = passwords_and_codes.hash_password("green discs rule")
    assert hash.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert passwords_and_codes.verify_password(hash, "ｇｒｅｅｎ discs rule")  # in another Unicode form
    assert not passwords_and_codes.verify_password(hash, "green discs rules")
    assert not passwords_and_codes.verify_password(None, "nobody has this password")


@pytest.mark.usefixtures("passwords_at_full_cost")
def test_many_simultaneous_sign_ins_leave_threads_free() -> None:
    def attempt(_: int) -> str:
        try:
            return str(passwords_and_codes.verify_password(None, "x"))
        except RateLimited as error:
            return f"wait {error.wait_s}"

    with ThreadPoolExecutor(40) as pool:
        answers = list(pool.map(attempt, range(40)))
    assert set(answers) == {"False", "wait 5"}
    assert passwords_and_codes.verify_password(passwords_and_codes.hash_password(PASSWORD), PASSWORD)


def test_waits_double_up_to_a_limit_and_expire() -> None:
    clock = Clock()
    failures = login_rate_limits.FailureCounter(login_rate_limits.BackoffPolicy(free=2, first_s=5, longest_s=60), clock)
    assert [failures.add("a") for _ in range(9)] == [0, 0, 5, 10, 20, 40, 60, 60, 60]
    assert failures.wait_s("a") == 60 and failures.wait_s("b") == 0
    clock.go(59.5)
    assert failures.wait_s("a") == 1
    clock.go(login_rate_limits.FORGET_S)
    assert failures.wait_s("a") == 0 and failures.add("a") == 0


# signing in


def test_the_setup_code_works_once_for_the_chief_arbiter(world: World) -> None:
    code = world.access.setup_code
    assert re.fullmatch(r"[2-9A-HJ-NP-Z]{4}(-[2-9A-HJ-NP-Z]{4}){2}", code)
    with pytest.raises(HeadError, match="password"):
        world.access.use_code(code, "Chief", "short", HERE)
    full_width = "".join(chr(ord(letter) + 0xFEE0) for letter in code.lower().replace("-", ""))
    assert world.access.code_is_for(f"{full_width[:4]}ー{full_width[4:8]}－{full_width[8:]}", HERE) == ""
    key = world.access.use_code(code.lower().replace("-", " "), "  Chief ", PASSWORD, HERE)
    session = world.access.session(key)
    assert session and (session.name, session.role) == ("Chief", Role.CHIEF)
    assert world.access.setup_code == ""
    with pytest.raises(Forbidden, match="used before"):
        world.access.use_code(code, "Second", PASSWORD, HERE)
    assert world.kinds() == ["account-created", "account-password", "session-started"]
    assert {event.person for event in world.store.operator_events()} == {"Chief"}
    world.again()
    session = world.access.session(key)  # devices stay signed in over a restart, which asks for the password again
    assert world.access.setup_code == "" and session and not world.access.gave_password(session)


def test_wrong_names_and_wrong_passwords_have_the_same_answer(world: World) -> None:
    _chief(world)
    said = []
    for name, password in (("Chief", "wrong password"), ("nobody", PASSWORD), ("", "")):
        with pytest.raises(Forbidden) as refused:
            world.access.sign_in(name, password, THERE)
        said.append((str(refused.value), _in_japanese(refused.value)))
    assert len(set(said)) == 1 and world.access.sign_in(" ｃｈｉｅｆ ", PASSWORD, THERE)


def test_guessing_from_one_address_is_delayed_and_recorded(world: World) -> None:
    _chief(world)
    for _ in range(PER_ADDRESS.free + 1):
        with pytest.raises(Forbidden):
            world.access.sign_in("nobody", "guess", THERE)
    with pytest.raises(RateLimited, match="wait 5 seconds") as refused:
        world.access.sign_in("Chief", PASSWORD, THERE)  # refused without checking the password
    assert refused.value.wait_s == 5 and "5秒" in render(refused.value.text, JAPANESE)
    assert world.access.sign_in("Chief", PASSWORD, HERE)  # from another address
    told = [event.body for event in world.store.operator_events() if event.kind == "session-refused"]
    assert told[0] == {"account": "", "address": THERE.address, "wait_s": 5}
    world.clock.go(5)
    assert world.access.sign_in("Chief", PASSWORD, THERE)


def test_guessing_one_account_from_many_addresses_is_delayed(world: World) -> None:
    _chief(world)
    for number in range(PER_ACCOUNT.free + 1):
        with pytest.raises(Forbidden):
            world.access.sign_in("Chief", "guess", ClientInfo(f"192.0.2.{number // QUIET + 10}"))
    guesser = ClientInfo("192.0.2.10")  # with more wrong guesses than an unused address may have
    with pytest.raises(RateLimited):
        world.access.sign_in("Chief", PASSWORD, guesser)
    world.clock.go(60)
    assert world.access.sign_in("Chief", PASSWORD, guesser)


# accounts


def test_a_new_person_chooses_the_password_with_a_code(world: World) -> None:
    _chief(world)
    code = world.access.people.create("Lund", Role.ARBITER)
    with pytest.raises(Forbidden):
        world.access.sign_in("Lund", PASSWORD, THERE)
    assert world.access.code_is_for(code, THERE) == "Lund"
    world.again()  # printed codes work after a restart
    session = world.access.session(world.access.use_code(code, "another name", "three other words", THERE))
    assert session and (session.name, session.role) == ("Lund", Role.ARBITER)
    with pytest.raises(Forbidden):
        world.access.use_code(code, "", "yet another one", THERE)
    with pytest.raises(Conflict):
        world.access.people.create(" ＬＵＮＤ", Role.DESK)


def test_a_newer_code_and_a_password_make_older_codes_void(world: World) -> None:
    _chief(world)
    old = world.access.people.create("Lund", Role.DESK)
    new = world.access.people.new_code("Lund")
    with pytest.raises(Forbidden):
        world.access.code_is_for(old, THERE)
    assert world.access.code_is_for(new, THERE) == "Lund"


def test_a_forgotten_password_is_replaced_and_other_devices_are_signed_out(world: World) -> None:
    _chief(world)
    key = world.access.use_code(world.access.people.create("Lund", Role.DESK), "", PASSWORD, THERE)
    code = world.access.people.new_code("Lund")
    assert world.access.session(key) and world.access.sign_in("Lund", PASSWORD, THERE)
    fresh = world.access.use_code(code, "", "quite another one", THERE)
    assert world.access.session(key) is None and world.access.session(fresh)
    with pytest.raises(Forbidden):
        world.access.sign_in("Lund", PASSWORD, THERE)


def test_the_last_chief_arbiter_cannot_be_removed(world: World) -> None:
    _chief(world)
    for act in (world.access.people.close, lambda name: world.access.people.change_role(name, Role.DESK)):
        with pytest.raises(Conflict, match="only chief"):
            act("Chief")
    world.access.people.create("Other", Role.CHIEF)
    with pytest.raises(Conflict):  # an account without a password does not count
        world.access.people.close("Chief")


def test_a_changed_role_and_a_closed_account_apply_from_the_next_request(world: World) -> None:
    _chief(world)
    key = world.access.use_code(world.access.people.create("Lund", Role.DESK), "", PASSWORD, THERE)
    world.access.people.change_role("Lund", Role.ARBITER)
    session = world.access.session(key)
    assert session and session.role is Role.ARBITER
    world.access.people.close("Lund")
    assert world.access.session(key) is None
    with pytest.raises(Forbidden):
        world.access.sign_in("Lund", PASSWORD, THERE)
    world.access.people.reopen("Lund")
    assert world.access.sign_in("Lund", PASSWORD, THERE)


def test_a_session_lasts_a_day_and_the_password_five_minutes(world: World) -> None:
    key = _chief(world)
    session = world.access.session(key)
    assert session and world.access.gave_password(session)
    world.clock.go(GRACE_S)
    assert not world.access.gave_password(session)
    with pytest.raises(Forbidden):
        world.access.give_password(session, "wrong password")
    world.access.give_password(session, PASSWORD)
    assert world.access.gave_password(session)
    world.clock.go(LASTS_S)
    assert world.access.session(key) is None


@pytest.mark.parametrize(
    ("days", "ends"), [(-30, True), (-1.01, True), (-0.99, False), (0.01, False), (2, True), (None, True)]
)
def test_a_session_ends_after_a_day_also_over_restarts(world: World, days: float | None, ends: bool) -> None:
    """A restart does not prolong a session. A session that begins in the future or has no date has expired; a slightly
    wrong clock ends none."""
    key = _chief(world)
    (kept,) = world.access._vault.kept.sessions.values()
    kept.since = "" if days is None else (datetime.now(UTC) + timedelta(days=days)).isoformat(timespec="milliseconds")
    world.access._vault.save()
    world.again()
    assert (world.access.session(key) is None) == ends == (not world.access._vault.kept.sessions)


def test_users_sign_out_their_own_devices_and_the_chief_any(world: World) -> None:
    chief = world.access.session(_chief(world))
    keys = [world.access.use_code(world.access.people.create("Lund", Role.DESK), "", PASSWORD, THERE)]
    keys.append(world.access.sign_in("Lund", PASSWORD, HERE))
    lund = world.access.session(keys[0])
    assert chief and lund and {device.account for device in world.access.devices(lund)} == {"Lund"}
    world.access.end(lund, chief.id)
    assert len(world.access.devices(chief)) == 3
    world.access.end(chief, lund.id)
    assert world.access.session(keys[0]) is None and world.access.session(keys[1])


def test_a_console_code_works_once_within_half_an_hour(world: World, monkeypatch) -> None:
    _chief(world)
    code = passwords_and_codes.write_console_code(world.directory, "Chief")
    file = world.directory / passwords_and_codes.CONSOLE_FILE
    assert file.stat().st_mode & 0o777 == 0o600 and code not in file.read_text()
    assert world.access.code_is_for(code, THERE) == "Chief"
    made_at = passwords_and_codes.time.time()
    monkeypatch.setattr(passwords_and_codes.time, "time", lambda: made_at + passwords_and_codes.CONSOLE_S + 1)
    with pytest.raises(Forbidden):
        world.access.code_is_for(code, THERE)
    monkeypatch.undo()
    assert world.access.use_code(code, "", "quite another one", THERE)
    with pytest.raises(Forbidden):
        world.access.code_is_for(code, THERE)
    with pytest.raises(InputError):
        passwords_and_codes.write_console_code(world.directory / "nowhere", "Chief")


def test_secrets_are_in_no_trail_and_no_backup(world: World, tmp_path: Path) -> None:
    """No session of a restored backup is valid; the restored head knows the accounts and shows a setup code."""
    key = _chief(world)
    world.access.people.create("Lund", Role.ARBITER)
    vault = (world.directory / "secrets.json").read_text()
    assert (world.directory / "secrets.json").stat().st_mode & 0o777 == 0o600 and key not in vault
    made = back_up(world.directory, tmp_path / "stick")
    content = made.file.read_bytes()
    hidden = re.findall(r'"([^"]{30,})"', vault)
    assert len(hidden) >= 3 and all(text.encode() not in content for text in [*hidden, PASSWORD, "$argon2"])
    restore(tmp_path / "stick", tmp_path / "spare")
    store = Store(tmp_path / "spare")
    spare = Authenticator(store, world.clock)
    assert [account.name for account in spare.people.all()] == ["Chief", "Lund"] and spare.session(key) is None
    assert spare.use_code(spare.setup_code, "chief", "a new password", HERE) and spare.setup_code == ""
    store.close()


def test_a_damaged_secrets_file_is_reported_and_ends_all_sessions(world: World) -> None:
    _chief(world)
    (world.directory / "secrets.json").write_text("{")
    with pytest.raises(HeadError, match=r"secrets\.json cannot be used .*; move it away"):
        Authenticator(world.store, world.clock)


# pages


@dataclass
class Site:
    program: HeadApplication
    url: str
    people: dict[Role, httpx.Client]

    @property
    def chief(self) -> httpx.Client:
        return self.people[Role.CHIEF]

    def persons(self, kind: str) -> list[str]:
        return [event.person for event in self.program.store.operator_events() if event.kind == kind]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A head with one person of each role, signed in."""
    with running_head(tmp_path_factory.mktemp("head"), address="http://10.42.0.1:8043") as (program, url):
        people = {
            role: httpx.Client(base_url=url, headers={"accept-language": "en"}, timeout=HANGS_S)
            for role in (Role.ANYBODY, *ACCOUNT_ROLES)
        }
        first_chief(people[Role.CHIEF], program.access.setup_code)
        for name, role in PEOPLE.items():
            if role is not Role.CHIEF:
                use_code(people[role], add_person(people[Role.CHIEF], name, role))
        yield Site(program, url, people)
        for client in people.values():
            client.close()


@pytest.fixture
def web(site: Site) -> Iterator[httpx.Client]:
    """A browser that is not signed in."""
    with httpx.Client(base_url=site.url, headers={"accept-language": "en"}, timeout=HANGS_S) as web:
        yield web


def _addresses(program: HeadApplication) -> list[tuple[str, PageRoute, str]]:
    """Return every route of the app with the address that declares it."""
    found = []
    for route in program.app.routes:
        match route:
            case Route(path=update_messages.PATH):
                pass  # tables authenticate with their keys there
            case Route():
                address = getattr(route.endpoint, "__self__", None)
                assert isinstance(address, PageRoute), f"{route.path} is in the app without an Address"
                found.append((route.path, address, "POST" if "POST" in (route.methods or ()) else "GET"))
            case Mount(path="/static") | WebSocketRoute(path="/link" | "/enrol"):
                pass  # static files; and addresses at which tables authenticate with their keys
            case other:
                pytest.fail(f"{other} is in the app without a role")
    return found


def test_every_address_answers_only_its_role(site: Site) -> None:
    """Every route of the app is requested in each role."""
    for path, address, method in _addresses(site.program):
        path = re.sub(r"\{[^}]*\}", "1", path)
        for role, client in site.people.items():
            who = WHO[address.role]
            admitted = who is None or role in who
            if method == "POST":  # without the form's token, so that no act is done
                kind = "multipart/form-data; boundary=x" if address.uploads else "application/x-www-form-urlencoded"
                answer = client.post(path, content=b"", headers={"content-type": kind})
            elif path.startswith("/stream"):
                with client.stream("GET", path) as answer:
                    assert (answer.status_code != 403) is admitted, (path, role)
                continue
            else:
                answer = client.get(path)
            turned_away = "sign in first" in answer.text or "this needs the role" in answer.text
            turned_away |= answer.headers.get("location", "").startswith("/sign-in?next=")
            if address.stranger is not None and role is Role.ANYBODY:
                turned_away |= 'action="/sign-in' in answer.text or answer.headers.get("location") == "/sign-in"
            assert turned_away is not admitted, (method, path, role, answer.status_code)


def test_only_sign_in_and_players_forms_are_accepted_without_a_session(site: Site) -> None:
    """What a player's form may do depends on the token in its path, or registration is open."""
    sign_in = {"/sign-in", "/sign-in/code", "/sign-in/password"}
    players = {"/g/{token}", "/p/{token}", "/register", "/register/{code}/correct"}
    posted = [(path, address) for path, address, method in _addresses(site.program) if method == "POST"]
    assert {path for path, address in posted if address.role is Role.ANYBODY} == sign_in | players


def test_no_form_with_files_asks_for_the_password(site: Site) -> None:
    """The page that asks for the password repeats the form's fields, but it cannot repeat a file."""
    assert not [path for path, address, _ in _addresses(site.program) if address.again and address.uploads]


def test_corrections_and_accounts_ask_for_the_password(site: Site) -> None:
    forms = [(path, address) for path, address, method in _addresses(site.program) if method == "POST"]
    asking = {path for path, address in forms if address.again}
    assert {path for path in asking if "correct" in path}, asking
    managing = {path for path, address in forms if address.role is Role.CHIEF}
    assert managing and managing <= asking


def test_a_cross_site_form_is_refused(site: Site, web: httpx.Client) -> None:
    """Also at sign-in: another site must not sign a user in under another account."""
    form = {"name": CHIEF, "password": PASSWORD}
    for origin in ("http://evil.example", "null", "http://192.0.2.1:1"):
        assert web.post("/sign-in", data=form, headers={"origin": origin}).status_code == 403
    assert web.post("/sign-in", data=form, headers={"origin": site.url}).status_code == 303
    for csrf in ("", "forged", token(site.people[Role.DESK])):
        answer = site.chief.post("/accounts/close?lang=en", data={"name": "デスク Aoki", "csrf": csrf})
        assert answer.status_code == 403 and "open the page again" in answer.text


def test_the_cookie_is_for_this_head_only(web: httpx.Client) -> None:
    assert web.get("/audit").headers["location"] == "/sign-in?next=/audit"
    for wanted, page in (("//evil.example/x", "/desk"), ("/audit", "/audit")):
        answer = web.post("/sign-in", data={"name": CHIEF, "password": PASSWORD, "next": wanted})
        cookie = answer.headers["set-cookie"].lower()
        assert cookie.startswith(COOKIE) and "httponly" in cookie and "samesite=strict" in cookie
        assert answer.headers["location"] == page


def test_each_role_has_its_own_first_page(web: httpx.Client) -> None:
    for name, role in PEOPLE.items():
        answer = web.post("/sign-in", data={"name": name, "password": PASSWORD})
        assert answer.headers["location"] == ("/floor" if role is Role.ARBITER else "/desk")
        assert web.get(answer.headers["location"]).status_code == 200


def test_a_refused_sign_in_shows_the_wait_in_both_languages(site: Site, web: httpx.Client) -> None:
    form = {"name": "nobody", "password": "x"}
    try:
        answer = web.post("/sign-in?lang=ja", data=form)
        assert answer.status_code == 403 and "名前かパスワードが違います" in answer.text
        for _ in range(PER_ADDRESS.free + 1):
            answer = web.post("/sign-in?lang=en", data=form)
        assert answer.status_code == 429 and re.search(r"wait \d+ seconds", answer.text)
    finally:
        site.program.access._by_address.forget("127.0.0.1")


def test_asking_for_the_password_again_keeps_the_form(site: Site) -> None:
    csrf = token(site.chief)
    for device in site.program.access._sessions.listed():
        device.password_ns = None
    form = {"csrf": csrf, "name": "試し <Test>", "role": "desk"}
    asked = site.chief.post("/accounts/new", data=form)
    assert asked.status_code == 200 and 'name="password"' in asked.text
    kept = re.findall(r'<textarea name="(\w+)" hidden>\n(.*?)</textarea>', asked.text)
    assert sorted(kept) == [("name", "試し &lt;Test&gt;"), ("role", "desk")]
    assert "試し <Test>" not in {account.name for account in site.program.access.people.all()}
    wrong = site.chief.post("/accounts/new?lang=ja", data=form | {"password": "wrong"})
    assert wrong.status_code == 403 and "パスワードが違います" in wrong.text
    done = site.chief.post("/accounts/new", data=form | {"password": PASSWORD})
    assert 'class="bigcode"' in done.text and "<svg" in done.text
    site.chief.post("/accounts/close", data={"csrf": csrf, "name": "試し <Test>"})
    closed = {account.name for account in site.program.access.people.all() if account.closed}
    assert "試し <Test>" in closed


def test_changing_a_password_needs_the_present_one(site: Site, web: httpx.Client) -> None:
    other, web = web, site.people[Role.DESK]
    form = {"csrf": token(web), "old": PASSWORD, "new": "three new words", "again": "three new words"}
    assert web.post("/accounts/password", data=form | {"old": "x"}).status_code == 403
    assert web.post("/accounts/password", data=form | {"again": "y"}).status_code == 400
    assert web.post("/accounts/password", data=form).status_code == 303
    sign_in(other, "デスク Aoki", "three new words")
    back = {"csrf": token(web), "old": "three new words", "new": PASSWORD, "again": PASSWORD}
    assert web.post("/accounts/password", data=back).status_code == 303


def test_the_audit_page_shows_persons_and_can_be_searched(site: Site) -> None:
    desk = site.people[Role.DESK]
    page = site.chief.get("/audit", params={"lang": "en"}).text
    assert "The audit trail is intact" in page
    assert "$argon2" not in page and PASSWORD not in page
    mine = site.chief.get("/audit", params={"person": "デスク Aoki"}).text
    rows = re.findall(r'<span class="who">([^<]+)</span>', mine)
    assert rows and set(rows) == {"デスク Aoki"}
    kinds = site.chief.get("/audit", params={"kind": "account-created", "lang": "en"}).text
    assert set(re.findall(r'<span class="kind">([^<]+)</span>', kinds)) == {"account made"}
    roles = {role.strip() for role in re.findall(r">role</span> ([^·<]+)", kinds)}
    assert roles and roles <= {"Desk", "Arbiter", "Chief arbiter"}, "in words, not by their keys"
    assert "No matching entry" in desk.get("/audit", params={"kind": "nonsense", "lang": "en"}).text
    assert site.persons("account-created")[0] == CHIEF and HEAD not in site.persons("account-password")


def test_the_audit_page_is_searched_by_table_and_division(site: Site) -> None:
    web = site.people[Role.DESK]
    page = web.get("/division/main/round").text
    digest = re.search(r'name="digest" value="([^"]+)"', page)
    assert digest
    form = {"csrf": token(web), "digest": digest[1]}
    assert web.post("/division/main/publish", data=form).status_code == 303
    assert site.persons("round-published") == ["デスク Aoki"]
    arbiter = site.people[Role.ARBITER]
    form = {"csrf": token(arbiter), "reason": "noise"}
    assert arbiter.post("/floor/3/note", data=form | {"text": "x"}).status_code in (303, 400)
    with as_user("審判 Lund"):
        site.program.store.give([CommandRow("c1", 3, "hold", site.program.desk.state.current[2].id)]).result(5)
    rows = arbiter.get("/audit", params={"table": "3", "lang": "en"}).text
    places = set(re.findall(r'<span class="place">([^<]+)</span>', rows))
    assert places <= {"春のオセロ大会 Spring Open · Table 3", "Table 3"}
    assert {"table given", "order to a table"} <= set(re.findall(r'<span class="kind">([^<]+)</span>', rows))
    rows = arbiter.get("/audit", params={"division": "main", "person": "デスク Aoki", "lang": "en"}).text
    assert "round published" in re.findall(r'<span class="kind">([^<]+)</span>', rows)


def test_an_external_change_of_the_store_is_shown_within_a_minute(world: World) -> None:
    _chief(world)
    now = [0.0]
    trail = AuditTrail(world.store, lambda: now[0])
    assert trail.view().broken is None
    world.store.append("note", {"n": 1}).result(5)
    seen = trail.view()
    assert (len(seen.events), seen.broken) == (4, None)
    with world.store.reading() as connection:
        connection.exec_driver_sql("DROP TRIGGER operator_events_no_update")
        connection.exec_driver_sql("UPDATE operator_events SET person = 'x' WHERE number = 2")
        connection.commit()
    now[0] = VERIFY_S
    broken = trail.view().broken
    assert broken and broken.number == 2


def test_accounts_are_in_no_public_file(site: Site, web: httpx.Client) -> None:
    public = [
        path for path, address, method in _addresses(site.program)
        if method == "GET" and address.role is Role.ANYBODY and "{" not in path and not path.startswith("/stream")
    ]  # fmt: skip
    for path in public:
        text = web.get(path, follow_redirects=True).text
        assert not any(name in text for name in PEOPLE), path
    archive = zipfile.ZipFile(io.BytesIO(site.chief.get("/publish/event.zip").content))
    for name in archive.namelist():
        content = archive.read(name).decode("utf-8", errors="replace")
        assert not any(person in content for person in PEOPLE) and "account" not in content, name


# commands


def test_a_console_code_replaces_a_forgotten_password(world: World, tmp_path: Path) -> None:
    _chief(world)
    (tmp_path / "keys.json").write_text(json.dumps({"schema": "othello-keys/1", "keys": {}}))
    (tmp_path / "head.toml").write_text('data = "."\nkeys = "keys.json"\n')
    made = kiosk("head", "--config", tmp_path / "head.toml", "--code", "chief")
    assert made.returncode == 0, made.stderr
    found = re.match(r"one-time code for Chief: ([2-9A-Z-]{14})\n", made.stdout)
    assert found and world.access.use_code(found[1], "", "quite another one", HERE)
    missing = kiosk("head", "--config", tmp_path / "head.toml", "--code", "nobody")
    assert (missing.returncode, missing.stdout) == (2, "") and "no account 'nobody'" in missing.stderr
    assert BACKUP_FILE not in {file.name for file in tmp_path.iterdir()}


def test_a_code_in_a_folder_without_a_head_makes_no_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    told = Cli(capsys).refused("head", "--code", "chief")
    assert "no head.toml here" in told and not list(tmp_path.iterdir())


@pytest.fixture
def browser_at(site: Site, web: httpx.Client) -> Iterator[httpx.Client]:
    """Return a client that sends the origin of its forms, as all browsers do."""
    web.headers["origin"] = site.url
    yield web
    site.program.desk.divisions.announce("", "")


def test_a_form_is_kept_when_its_sender_was_signed_out(site: Site, browser_at: httpx.Client) -> None:
    """The form is on the page that asks to sign in and is executed after the sign-in; a wrong password keeps it."""
    sign_in(browser_at)
    form = {"csrf": token(browser_at), "text": "昼食は\n2階 <です>", "minutes": "20"}
    browser_at.cookies.delete(COOKIE)
    answer = browser_at.post("/desk/announce", data=form)
    (kept,) = forms_of(answer.text)
    assert answer.status_code == 403 and kept.action == "/desk/announce"
    (kept,) = forms_of(kept.send(browser_at, **{"sign-in-name": CHIEF, "sign-in-password": "no"}).text)
    assert site.program.desk.state.announcement == ""
    answer = kept.send(browser_at, **{"sign-in-name": CHIEF, "sign-in-password": PASSWORD})
    assert answer.status_code == 303 and answer.headers["location"] == "/desk"
    assert site.program.desk.state.announcement == "昼食は 2階 <です>"
    assert browser_at.get("/desk").status_code == 200  # signed in


def test_a_form_of_an_earlier_session_is_kept(site: Site, browser_at: httpx.Client) -> None:
    sign_in(browser_at)
    old = token(browser_at)
    sign_in(browser_at)
    (kept,) = forms_of(browser_at.post("/desk/announce", data={"csrf": old, "text": "Lunch"}).text)
    assert next(one.value for one in kept.fields if one.name == "sign-in-name") == CHIEF
    assert site.program.desk.state.announcement == ""


def test_passwords_long_and_cross_site_forms_are_not_kept(browser_at: httpx.Client) -> None:
    """A form without a session is repeated only if it is short, has an origin, and contains no password."""
    answer = browser_at.post("/accounts/password", data={"old": "green discs rule", "new": "a", "again": "a"})
    assert answer.status_code == 403 and "green discs" not in answer.text
    answer = browser_at.post("/division/main/import", files={"text": (None, "x" * 300_000)})
    assert answer.status_code == 403 and "xxxx" not in answer.text
    answer = browser_at.post("/division/main/import", files={"text": (None, "青木 みどり"), "file": ("a.csv", b"x")})
    (kept,) = forms_of(answer.text)
    assert kept.enctype == "multipart/form-data"
    assert {one.name: one.value for one in kept.fields} | {"text": "青木 みどり", "file": ""} == {
        one.name: one.value for one in kept.fields
    }
    del browser_at.headers["origin"]
    assert "Lunch" not in browser_at.post("/desk/announce", data={"text": "Lunch"}).text


def test_every_staff_form_is_kept_except_those_with_passwords(site: Site) -> None:
    forms = [address for _, address, method in _addresses(site.program) if method == "POST"]
    asked = {address.path for address in forms if address.role is not Role.ANYBODY}
    lost = {address.path for address in forms if address.secret or address.stranger} & asked
    assert lost == {"/accounts/password", "/devices/pin", "/sign-out"}
