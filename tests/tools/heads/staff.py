"""Sign-in of staff at a head over HTTP, as a browser does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from heads.world import running_head
from waiting import HANGS_S

from kiosk.head.program import HeadApplication

CHIEF = "審判長 Chief"
PASSWORD = "green discs rule"


def first_chief(web: httpx.Client, code: str, name: str = CHIEF, password: str = PASSWORD) -> None:
    """Create the first chief arbiter with the setup code, and sign in."""
    use_code(web, code, password, name)


@contextmanager
def chief_at(
    directory: Path, *arguments: Any, language: str = "ja", **options: Any
) -> Iterator[tuple[HeadApplication, httpx.Client]]:
    """Yield a running head (``running_head``) and the browser of its chief arbiter, who is signed in."""
    speaks = {"accept-language": language}
    running = running_head(directory, *arguments, **options)
    with running as (program, url), httpx.Client(base_url=url, timeout=HANGS_S, headers=speaks) as web:
        first_chief(web, program.access.setup_code)
        yield program, web


def use_code(web: httpx.Client, code: str, password: str = PASSWORD, name: str = "") -> None:
    """Choose a password with a one-time code, and sign in."""
    form = {"code": code, "name": name, "password": password, "again": password}
    answer = web.post("/sign-in/password", data=form)
    assert answer.status_code == 303, answer.text


def sign_in(web: httpx.Client, name: str = CHIEF, password: str = PASSWORD) -> None:
    answer = web.post("/sign-in", data={"name": name, "password": password})
    assert answer.status_code == 303, answer.text


def token(web: httpx.Client, page: str = "/accounts") -> str:
    """Return the form token of the pages of a signed-in person."""
    found = re.search(r'name="csrf" value="([^"]+)"', web.get(page).text)
    assert found
    return found[1]


def follow_if_asked(web: httpx.Client) -> bool:
    """Confirm that the tables are right, if the desk asks; return whether it did."""
    if "/desk/follow-tables" not in web.get("/desk").text:
        return False
    page = web.get("/desk/follow-tables").text
    fields = dict(re.findall(r'name="(csrf|digest)" value="([^"]*)"', page))
    fields |= dict(re.findall(r'name="(plays\d+)" value="(\d+)" checked', page))
    answer = web.post("/desk/follow-tables", data=fields)
    if answer.status_code == 409:  # more tables have reported meanwhile
        return False
    assert answer.status_code == 303, answer.text
    return True


def add_person(web: httpx.Client, name: str, role: str) -> str:
    """Add an account as the chief arbiter; return its one-time code."""
    answer = web.post("/accounts/new", data={"csrf": token(web), "name": name, "role": role})
    found = re.search(r'class="bigcode">([2-9A-Z-]{14})<', answer.text)
    assert found, answer.text
    return found[1]
