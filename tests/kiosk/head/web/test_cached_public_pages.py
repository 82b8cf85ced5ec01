"""Tests that spectator pages are rendered once for all readers, and that nobody gets a page rendered for another
user."""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

import httpx
import pytest
from heads.staff import first_chief
from heads.world import running_head
from waiting import until

from kiosk.head.pages.http_app_and_security_headers import SPECTATORS
from kiosk.head.web import html_renderer

PHONES = 30


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Counts how often each template is rendered."""
    counts: Counter[str] = Counter()
    draw = html_renderer.Renderer.draw

    def counted(self: html_renderer.Renderer, template: str, *args: object, **values: object) -> str:
        counts[template] += 1
        return draw(self, template, *args, **values)  # type: ignore[arg-type]

    monkeypatch.setattr(html_renderer.Renderer, "draw", counted)
    return counts


def test_a_page_is_rendered_once_for_many_phones(tmp_path: Path, drawn: Counter[str]) -> None:
    with running_head(tmp_path, speed=0.001) as (head, url), httpx.Client(base_url=url, timeout=20) as web:
        pages = {web.get("/").text for _ in range(PHONES)}
        assert len(pages) == 1 and drawn["public/tables.html"] == 1
        assert web.get("/?lang=en").text not in pages and drawn["public/tables.html"] == 2
        assert web.get("/?nothing=1&lang=en").cookies["kiosk_lang"] == "en" and drawn["public/tables.html"] == 2
        head.services.pages.changes.notify()
        assert {web.get("/", headers={"accept-language": "en"}).status_code for _ in range(PHONES)} == {200}
        assert drawn["public/tables.html"] == 3, "something changed"
        tables = drawn["public/_table.html"]
        assert tables == 2 * 8, "a table that says nothing new is not drawn again"


def test_pages_for_staff_or_before_a_change_are_not_reused(tmp_path: Path) -> None:
    with running_head(tmp_path) as (head, url), httpx.Client(base_url=url, timeout=20) as staff:
        first_chief(staff, head.access.setup_code)
        for path in ("/", "/pairings", "/standings"):
            own, public = staff.get(path).text, httpx.get(url + path).text
            assert "csrf" not in public and "/audit" in own and "/audit" not in public
            assert "/audit" in staff.get(path).text
        slug = next(iter(head.desk.state.divisions))
        assert httpx.get(f"{url}/pairings?division={slug}").status_code == 200
        assert httpx.get(f"{url}/pairings?division=nowhere").status_code == 404
        head.desk.divisions.announce("Lunch at noon", "")
        assert "Lunch at noon" in httpx.get(url).text, "at once, not after a second"


def test_open_pages_get_the_same_bytes(tmp_path: Path, drawn: Counter[str]) -> None:
    with running_head(tmp_path, speed=0.001) as (head, url):
        heard: list[list[str]] = [[] for _ in range(PHONES)]
        begun = threading.Barrier(PHONES + 1)

        def listen(lines: list[str]) -> None:
            with httpx.stream("GET", f"{url}/stream/", timeout=20) as answer:
                for line in answer.iter_lines():
                    if "items" in line:
                        lines.append(line.partition(',"items"')[2])
                        if len(lines) == 1:
                            begun.wait(20)
                    if len(lines) == 2:
                        return

        readers = [threading.Thread(target=listen, args=(lines,)) for lines in heard]
        for reader in readers:
            reader.start()
        begun.wait(20)
        before = drawn["common/_announcement.html"]
        head.desk.divisions.announce("Lunch at noon", "")
        for reader in readers:
            reader.join(20)
        assert len({lines[0] for lines in heard}) == len({lines[1] for lines in heard}) == 1
        assert "Lunch at noon" in heard[0][1]
        assert drawn["common/_announcement.html"] - before < 10, f"not once for each of {PHONES} phones"


def test_staff_is_answered_while_spectator_pages_are_rendered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Spectator pages use none of the threads in which staff pages are rendered and forms are read."""
    go_on, waiting = threading.Event(), threading.Semaphore(0)
    with running_head(tmp_path) as (head, url), httpx.Client(base_url=url, timeout=20) as staff:
        first_chief(staff, head.access.setup_code)
        draw = html_renderer.Renderer.draw

        def slow(self: html_renderer.Renderer, template: str, lang: str, session: object, **values: object) -> str:
            if session is None:
                waiting.release()
                assert go_on.wait(60)
            return draw(self, template, lang, session, **values)  # type: ignore[arg-type]

        monkeypatch.setattr(html_renderer.Renderer, "draw", slow)
        asked = [threading.Thread(target=httpx.get, args=(f"{url}/where",), kwargs={"timeout": 60}) for _ in range(60)]
        try:
            for one in asked:
                one.start()
            for _ in range(SPECTATORS):
                assert waiting.acquire(timeout=20)
            assert staff.get("/floor").status_code == 200
        finally:
            go_on.set()
            for one in asked:
                one.join(60)
        until(lambda: not any(one.is_alive() for one in asked))
