"""Tests of the steps of docs/setup/federation.md on an empty machine, and of the federation's pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from heads.process import HeadProcess, kiosk
from heads.staff import PASSWORD, first_chief, sign_in, token
from heads.venue_pushes import KEY, STORY, post_push, posted, push_of, rows_of, served_federation
from heads.world import running_head
from waiting import until

from kiosk.head.federation.push_protocol import TrailInfo
from kiosk.head.federation.venue_keys import save_venues
from kiosk.head.head_config import FederationConfig

DOCUMENT = Path(__file__).parents[4] / "docs/setup/federation.md"


def test_the_document_works_on_an_empty_machine(tmp_path: Path, postgres: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command and the two files of the document work with another database, address and port."""
    text = DOCUMENT.read_text(encoding="utf-8")
    (command,) = re.findall(r"^kiosk (venue new [^#\n]*)#", text, re.MULTILINE)
    blocks = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    (above,) = (one for one in blocks if "venues =" in one)
    (below,) = (one for one in blocks if "[federation]\n" in one and "url =" in one and "leave_out" not in one)
    for name in ("federation", "venue"):
        (tmp_path / name).mkdir()
    here = 'host = "127.0.0.1"\nport = 0\n'
    monkeypatch.chdir(tmp_path / "federation")
    assert kiosk(*command.split()).returncode == 0
    Path("head.toml").write_text(here + above.replace("postgresql:///othello", postgres.new()), encoding="utf-8")
    federation = HeadProcess(tmp_path / "federation/head.toml")
    try:
        Path("osaka.json").rename(tmp_path / "venue/osaka.json")
        joined = below.replace("https://federation.example", federation.url)
        (tmp_path / "venue/head.toml").write_text(f'{here}data = "data"\n{joined}', encoding="utf-8")
        venue = HeadProcess(tmp_path / "venue/head.toml")
        try:
            with httpx.Client(base_url=venue.url) as web:
                first_chief(web, venue.code)
            until(lambda: "everything is here" in httpx.get(f"{federation.url}/venues?lang=en").text)
        finally:
            venue.stop()
        assert "The configuration cannot" not in kiosk("doctor", "--config", "head.toml").stdout
        backup = kiosk("backup", "head.toml", tmp_path / "stick")
        assert backup.returncode == 0, backup.stderr
        restored = kiosk("restore", tmp_path / "stick", tmp_path / "spare", "--foreign")
        assert restored.returncode == 0, restored.stderr
    finally:
        federation.stop()


def test_every_event_of_a_venue_stays_visible(tmp_path: Path) -> None:
    """Two lives of a store and invalid settings: the list names both lives with their days and marks the live one."""
    odd = [("division-changed", {"division": "main", "spectators": wrong}) for wrong in (5, [], "x", {"a": 1}, None)]
    odd += [("division-changed", {"division": "main", "spectators": {"show": 5}})]
    with served_federation(tmp_path / "f") as (_, url):
        for trail, name in (("first", "冬の会"), ("second", "夏の会")):
            named = ("gathering-named", {"name": name, "date": "2031-01-05" if trail == "first" else "2031-07-05"})
            answer = posted(url, KEY, push_of("osaka", rows_of([*STORY, *odd, named]), trail=trail))
            assert answer.refused is None and answer.counted
        with httpx.Client(base_url=url) as web:
            page = web.get("/venues/osaka?lang=en")
            assert page.status_code == 200
            table = page.text[page.text.index("Events of this venue") :]
            assert (
                table.index("夏の会") < table.index("冬の会") and "2031-01-05" in table and table.count("live</b>") == 1
            )
            old = web.get("/venues/osaka/life/first?lang=en")
            assert old.status_code == 200 and "冬の会" in old.text and "選手3" in old.text
            assert web.get("/venues/osaka/life/nothing").status_code == 404
            assert web.get("/venues").status_code == 200


def test_two_lives_are_resolved_at_the_venue(tmp_path: Path) -> None:
    """The desk reports it, the page explains it, and the chief arbiter continues as a separate trail, with a reason."""
    save_venues(tmp_path / "osaka.json", {"osaka": KEY})
    config = FederationConfig("http://127.0.0.1:9", "osaka", tmp_path / "osaka.json")
    with running_head(tmp_path / "v", tables=0, federation=config) as (head, url), httpx.Client(base_url=url) as web:
        first_chief(web, head.access.setup_code)
        pusher = head.remote.pusher
        assert pusher is not None
        pusher.close()  # the federation is known from this test alone
        form = {"csrf": token(web), "reason": "an old image", "password": ""}
        assert web.post("/venue/life", data=form).status_code == 409
        pusher._note(type(pusher.status)(config.url, "osaka", other=TrailInfo(41, "2031-04-05T10:00:00+00:00")))
        assert "a different history" in web.get("/desk?lang=en").text
        page = web.get("/venue?lang=en").text
        assert "41 entries" in page and "/venue/life" in page
        before = head.store.trail
        assert web.post("/venue/life", data=form | {"reason": " "}).status_code == 400
        assert web.post("/venue/life", data=form).status_code == 303
        assert head.store.trail != before and pusher.status.other is None
        assert head.store.operator_events()[-1].body == {"before": before, "reason": "an old image"}
        assert httpx.get(f"{url}/venue").status_code == 303


def test_a_venue_is_quarantined_removed_and_released(tmp_path: Path) -> None:
    """The chief arbiter does it with a reason in the audit trail; the venue's rows wait and none is lost."""
    rows = rows_of()
    with served_federation(tmp_path / "f") as (head, url), httpx.Client(base_url=url) as web:
        assert posted(url, KEY, push_of("osaka", rows[:2])).events == 2
        first_chief(web, head.access.setup_code)
        form = {"csrf": token(web), "password": "", "reason": "its clock is years off"}

        def decide(decision: str) -> int:
            return web.post("/venues/osaka/standing", data=form | {"decision": f"venue-{decision}"}).status_code

        assert web.get("/venues/osaka/standing?lang=en").status_code == 200
        for decision, named in (("quarantined", True), ("removed", False)):
            assert decide(decision) == 303 and decide(decision) == 409
            public = httpx.get(f"{url}/venues?lang=en").text
            assert ("osaka" in public) == named and "Spring Open" not in public
            assert httpx.get(f"{url}/venues/osaka").status_code == 404
            assert httpx.get(f"{url}/venues/osaka/life/trail").status_code == 404
            assert "years off" in web.get("/venues?lang=en").text and web.get("/venues/osaka").status_code == 200
            answer = post_push(url, "osaka", KEY, msgspec.msgpack.encode(push_of("osaka", rows[2:])))
            assert answer.status_code == 403 and "years off" in answer.json()["error"]
        last = head.store.operator_events()[-1]
        assert (last.kind, last.body) == ("venue-removed", {"venue": "osaka", "reason": "its clock is years off"})
    with served_federation(tmp_path / "f") as (head, url), httpx.Client(base_url=url) as web:
        assert httpx.get(f"{url}/venues/osaka").status_code == 404  # a restart changes nothing
        sign_in(web)
        form["csrf"] = token(web)
        form["password"] = PASSWORD
        assert web.post("/venues/osaka/standing", data=form | {"decision": "venue-returned"}).status_code == 303
        assert posted(url, KEY, push_of("osaka", rows)).events == 3
        assert "選手3" in httpx.get(f"{url}/venues/osaka/life/trail").text
        assert "venue back" in web.get("/audit?lang=en").text


def test_the_pages_of_a_venue_with_a_wrong_key_are_in_one_language(tmp_path: Path) -> None:
    with served_federation(tmp_path / "federation") as (_, url):
        save_venues(tmp_path / "osaka.json", {"osaka": bytes(32)})
        config = FederationConfig(url, "osaka", tmp_path / "osaka.json")
        with running_head(tmp_path / "venue", tables=0, event=None, federation=config) as (venue, own):
            pusher = venue.remote.pusher
            until(lambda: pusher.status.trouble is not None)
            with httpx.Client(base_url=own) as web:
                first_chief(web, venue.access.setup_code)
                for page in ("/venue", "/desk"):
                    assert "この会場は登録されていないか、鍵が違います" in web.get(f"{page}?lang=ja").text
                assert "its key is another one" in web.get("/venue?lang=en").text


def test_the_pages_of_venues_name_each_thing_once(tmp_path: Path) -> None:
    """A venue without an event is named once; an audit trail has entries, an event a place and a venue."""
    with served_federation(tmp_path) as (_, url):
        assert "osaka <small>osaka" not in httpx.get(f"{url}/venues?lang=ja").text.replace("</a>", "")
        posted(url, KEY, push_of("osaka", rows_of(STORY)))
        events = httpx.get(f"{url}/venues/osaka?lang=ja").text
        assert "記録の数</th>" in events and "参加者</th>" not in events
        until(lambda: "春のオセロ大会" in httpx.get(f"{url}/calendar?lang=ja").text)
        headings = re.findall(r"<th[^>]*>([^<]*)</th>", httpx.get(f"{url}/calendar?lang=ja").text)
        assert len(set(headings)) == len(headings) and "開催地" in headings


def test_visitors_are_not_told_how_rankings_are_set_up(tmp_path: Path) -> None:
    with served_federation(tmp_path) as (federation, url), httpx.Client(base_url=url) as web:
        page = web.get("/rankings?lang=ja").text
        assert "ランキングはまだありません" in page and "head.toml" not in page
        first_chief(web, federation.access.setup_code)
        assert "head.toml" in web.get("/rankings?lang=ja").text
