"""Tests of the federation's player list at the venues: signed, sent online or on a stick, and never applied without
a person's decision."""

from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest
from heads.forms import send_form
from heads.staff import first_chief, token
from heads.venue_pushes import KEY, served_federation
from heads.world import running_head
from waiting import HANGS_S, until

from kiosk.head.errors import HeadError
from kiosk.head.federation import federation_push_thread_and_outbox as pusher_module
from kiosk.head.federation.player_list_transfer import TAKEN, PlayerListPublisher, VenueListCopy
from kiosk.head.federation.venue_keys import save_venues
from kiosk.head.head_config import FederationConfig
from kiosk.head.registration.rating_and_member_lookup import CombinedPlayerList, PlayerList, read_file
from kiosk.head.store import Store

LIST = (
    "name,kana,grade,birth_year,club,rating,national,fee\n架空 太郎,かくう たろう,5d,1980,架空クラブ,1500,N-17,2000\n"
)


def test_the_desk_compares_players_with_the_federation_s_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list loaded at the federation is found at the venue; the desk's own data stay until somebody accepts the
    other."""
    monkeypatch.setattr(pusher_module, "LOOK_S", 0.05)
    monkeypatch.setattr(pusher_module, "SIGN_S", 0.1)
    save_venues(tmp_path / "osaka.json", {"osaka": KEY})
    with (
        served_federation(tmp_path / "f") as (above, url),
        httpx.Client(base_url=url, timeout=HANGS_S) as chief,
    ):
        first_chief(chief, above.access.setup_code)
        config = FederationConfig(url, "osaka", tmp_path / "osaka.json")
        with (
            running_head(tmp_path / "v", tables=8, federation=config) as (below, own),
            httpx.Client(base_url=own, timeout=HANGS_S) as desk,
        ):
            first_chief(desk, below.access.setup_code)
            first = below.desk.state.first.event.players[0]
            text = f"{LIST}{first.name},,9d,,,,,\n"
            files = {"file": ("list.csv", text.encode())}
            assert chief.post("/venue/players", data={"csrf": token(chief)}, files=files).status_code == 303
            pusher = below.remote.pusher
            assert pusher is not None and pusher.players is not None
            taken = pusher.players
            until(lambda: taken.header is not None)
            until(lambda: below.store.operator_events()[-1].kind == TAKEN)
            assert above.store.operator_events()[-1].kind == "venue-list-loaded"

            page = desk.get("/division/main/players?known=架空&lang=en").text
            assert "かくう" in page and "架空クラブ" in page and "2000" in page
            assert "架空 太郎" in desk.get("/desk/names.json?q=架空").json()
            form = dict.fromkeys(
                ("name", "kana", "latin", "grade", "birth_year", "sex", "country", "club", "rating", "seed", "number",
                 "national", "wof"), "",
            ) | {"csrf": token(desk), "name": "架空 太郎", "club": "別のクラブ"}  # fmt: skip
            assert desk.post("/division/main/players", data=form).status_code == 303
            entered = next(one for one in below.desk.state.first.event.players if one.name == "架空 太郎")
            assert (entered.grade, entered.kana, entered.birth_year) == ("5d", "かくう たろう", 1980)
            assert (entered.club, str(entered.fee)) == ("別のクラブ", "2000")  # the entered data stay
            assert below.desk.state.first.event.players[0].grade == first.grade != "9d"
            compared = desk.get("/division/main/import/federation?lang=en").text
            assert "known, changes" in compared and "also update the 2 known players" in compared
            assert below.desk.state.first.event.players[0].grade == first.grade
            below.desk.players.change("main", first.id, {"latin": "Aoki Midori"})  # as an English page names him
            before = len(below.desk.state.first.event.players)
            assert send_form(desk, "/division/main/import/federation?lang=en", "/take", update="yes").status_code == 303
            assert below.desk.state.first.event.players[0].grade == "9d"
            assert len(below.desk.state.first.event.players) == before

            stick = chief.get("/venues/osaka/players.file").content
            files = {"file": ("players.othello", stick)}
            again = desk.post("/venue/list", data={"csrf": token(desk)}, files=files)
            assert again.status_code == 409  # the venue already has this list
            assert "Loaded at the federation" in desk.get("/venue?lang=en").text


def test_a_list_on_a_stick_is_loaded_only_if_it_is_newer(tmp_path: Path) -> None:
    file = tmp_path / "roster.json"
    PlayerList(file).replace(read_file(LIST.encode()))
    old = PlayerListPublisher(file).packed(KEY, "osaka")
    os.utime(file, (2_000_000_000, 2_000_000_000))
    lists = PlayerListPublisher(file)
    new = lists.packed(KEY, "osaka")
    store = Store(tmp_path / "data")
    roster = PlayerList(tmp_path / "taken.json")
    taken = VenueListCopy(store, roster, tmp_path / "taken.from")
    for wrong in (b"", b"\n\n", new[:-1], new[:70] + b"x" + new[71:], lists.packed(b"x" * 32, "osaka")):
        with pytest.raises(HeadError, match="not the federation's list"):
            taken.accept(KEY, "osaka", wrong)
    with pytest.raises(HeadError, match="another venue"):
        taken.accept(KEY, "osaka", lists.packed(KEY, "sapporo"))
    assert len(roster) == 0 and store.operator_events() == []
    taken.accept(KEY, "osaka", new)
    assert roster.find_by_name("架空太郎") and store.operator_events()[-1].body["players"] == 1
    again = VenueListCopy(store, PlayerList(tmp_path / "taken.json"), tmp_path / "taken.from")  # after the next start
    for same in (new, old):
        with pytest.raises(HeadError, match="not newer"):
            again.accept(KEY, "osaka", same)
    store.close()


def test_the_desk_s_own_list_has_priority_over_the_federation_s(tmp_path: Path) -> None:
    own, above = PlayerList(tmp_path / "own.json"), PlayerList(tmp_path / "above.json")
    own.replace(read_file("name,grade,birth_year\n架空 太郎,3d,1980\n架空 花子,2d,1990\n".encode()))
    above.replace(read_file(LIST.encode() + "架空 花子,,4d,1950,,,,\n".encode()))
    known = CombinedPlayerList(own, above)
    assert [(one["name"], one["grade"], one.get("club")) for one in known.find("架空")] == [
        ("架空 太郎", "3d", "架空クラブ"),
        ("架空 花子", "2d", None),
        ("架空 花子", "4d", None),  # another person, born in another year
    ]
    assert known.find_by_name("架空 太郎") == {**(above.find_by_name("架空 太郎") or {}), "grade": "3d"}
