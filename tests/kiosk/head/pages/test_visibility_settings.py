"""Tests of the visibility settings of a division: boards at once, later, after the game, or never; and names."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass
from typing import Any

import pytest
from heads.staff import token
from heads.world import PlayedTable
from httpx import Client, Response
from msgspec import to_builtins
from waiting import until

from engine.board.svg import board_paths
from kiosk.head.errors import HeadError
from kiosk.head.event.spectator_visibility import Boards, NameStyle, VisibilityRules, read_spectators, shown_moment
from kiosk.head.program import HeadApplication


@pytest.mark.parametrize(
    ("boards", "delay", "playing", "finished"),
    [
        (Boards.LIVE, 6, "now", "now"),
        (Boards.DELAYED, 2, "a", "now"),
        (Boards.DELAYED, 3, None, "now"),
        (Boards.FINISHED, 6, None, "now"),
        (Boards.OFF, 6, None, None),
    ],
)
def test_a_board_is_shown_according_to_the_setting(
    boards: Boards, delay: int, playing: str | None, finished: str | None
) -> None:
    setting, story = VisibilityRules(boards, delay), [_Told(turns) for turns in (0, 1, 2, 3)]
    shown = {None: None, 1: "a", 2: "b", 3: "now"}
    assert shown[shown_moment(setting, story, 0, finished=False)] == playing
    assert shown[shown_moment(setting, story, 0, finished=True)] == finished


def test_seconds_count_from_the_head_s_receipt_also_after_the_end() -> None:
    setting, story = (
        VisibilityRules(Boards.SECONDS, seconds=30),
        [_Told(turns, 10_000 * turns) for turns in (0, 1, 2, 3)],
    )
    for finished in (False, True):
        at = [shown_moment(setting, story, now_ms, finished=finished) for now_ms in (29_999, 30_000, 59_999, 60_000)]
        assert at == [None, 0, 2, 3]


@dataclass
class _Told:
    turns: int
    heard_ms: int = 0


def test_a_setting_reads_back_as_stored_and_invalid_ones_are_refused() -> None:
    assert read_spectators({}) == VisibilityRules()
    stored = {"boards": "delayed", "delay": 9, "names": {"everybody": "full", "minors": "initials"}}
    assert to_builtins(read_spectators(stored)) == stored
    assert read_spectators(stored).naming.minors is NameStyle.INITIALS
    for wrong in ({"boards": "always"}, {"delay": 61}, {"names": {"minors": "nicknames"}}):
        with pytest.raises(HeadError):
            read_spectators(wrong)


@pytest.mark.parametrize(
    ("setting", "shown"),
    [
        (VisibilityRules(Boards.DELAYED, worth=True), True),
        (VisibilityRules(Boards.DELAYED, delay=0, worth=True), False),  # the position on the table now
        (VisibilityRules(Boards.DELAYED), False),
        (VisibilityRules(Boards.SECONDS, worth=True), True),
        (VisibilityRules(Boards.SECONDS), False),
        (VisibilityRules(Boards.LIVE, worth=True), False),
    ],
)
def test_no_position_on_the_table_is_evaluated(setting: VisibilityRules, shown: bool) -> None:
    assert setting.shows_evaluation is shown


@pytest.fixture
def options() -> dict[str, Any]:
    return {"auto": True}


@pytest.fixture
def tables(program: HeadApplication, tables: list[PlayedTable]) -> list[PlayedTable]:
    """A game in play at table 1, and a finished one at table 2."""
    tables[1].finish()
    until(lambda: any(game.outcome for game in program.desk.state.current))
    return tables


def keep(web: Client, **fields: str) -> Response:
    form = {"division": "main", "boards": "live", "delay": "6", "everybody": "full", "minors": "full"}
    return web.post("/publish/spectators", data={"csrf": token(web), **form, **fields})


def boards(web: Client) -> int:
    return web.get("/").text.count('class="board"')


def test_every_page_follows_the_desk_s_setting(web: Client, spectator: Client, tables: list[PlayedTable]) -> None:
    assert boards(spectator) == 2
    assert keep(web, boards="delayed", delay="4").status_code == 303
    page = spectator.get("/").text
    assert page.count('class="board"') == 2
    then = tables[0].match.turns[-5].after
    assert board_paths(then)["black"] in page and board_paths(tables[0].match.board)["black"] not in page
    assert keep(web, boards="finished").status_code == 303
    assert boards(spectator) == 1
    assert keep(web, boards="off").status_code == 303
    wall = spectator.get("/wall?show=boards&lang=en").text
    assert boards(spectator) == 0 and "<article" not in wall
    assert "No round has been published" not in wall and "nothing to show here" in wall
    assert web.get("/floor/1").text.count('class="board"') == 1  # the arbiter's page shows it


def test_hidden_boards_are_not_among_the_published_games(
    web: Client, spectator: Client, tables: list[PlayedTable]
) -> None:
    game = tables[1].match.transcript.replace("--", "")
    assert game in spectator.get("/event/en/main/games/r1g2.html").text
    keep(web, boards="off")
    assert spectator.get("/event/en/main/games/r1g2.html").status_code == 404
    for path in ("/event/files/main.json", "/event/en/main/games.html", "/event.json"):
        assert game not in spectator.get(path).text
    with zipfile.ZipFile(io.BytesIO(web.get("/publish/event.zip").content)) as archive:
        assert not [name for name in archive.namelist() if "/games/" in name]


def test_a_game_in_play_has_no_page(spectator: Client) -> None:
    assert spectator.get("/event/en/main/games/r1g1.html").status_code == 404


def test_the_code_on_a_table_opens_the_game_for_anybody(
    program: HeadApplication, web: Client, spectator: Client
) -> None:
    """The screen of a signed card shows the address of the game's page, or of its round while the game is hidden."""
    first, second = program.desk.state.divisions["main"].rounds[0][:2]

    def place(game: str) -> str:
        answer = spectator.get(f"/game/{game}", follow_redirects=False)
        return answer.headers.get("location", str(answer.status_code))

    assert place(first.id).endswith("/main/rounds.html")
    assert place(second.id).endswith("/main/games/r1g2.html") and spectator.get(place(second.id)).status_code == 200
    keep(web, boards="off")
    assert place(second.id).endswith("/main/rounds.html") and spectator.get(place(second.id)).status_code == 200
    assert place("nobody-1-1") == "404"


def test_hidden_names_are_hidden_everywhere_but_on_paper(web: Client, spectator: Client) -> None:
    assert keep(web, everybody="ids").status_code == 303
    record = ("/event/ja/main/standings.html", "/event/ja/main/rounds.html", "/event/files/main.csv")
    for path in (*record, "/pairings", "/", "/wall", "/where?name=青木", "/event.json"):
        assert "青木 みどり" not in spectator.get(path).text
    assert "青木 みどり" in web.get("/print/seats").text and "青木 みどり" in web.get("/event.json").text


def test_only_the_desk_may_change_settings_and_invalid_ones_are_refused(
    program: HeadApplication, web: Client, spectator: Client
) -> None:
    before = program.store.operator_events()
    assert spectator.get("/publish").status_code in (303, 403)
    assert spectator.post("/publish/spectators", data={"boards": "off"}).status_code in (303, 403)
    for wrong in ({"boards": "sometimes"}, {"delay": "99"}, {"delay": "x"}, {"everybody": "nicknames"}):
        assert keep(web, **wrong).status_code == 400
    assert program.store.operator_events()[: len(before)] == before
    assert spectator.get("/print/cards").status_code in (303, 403)
    assert web.get("/print/money").status_code == 404


def test_the_rating_file_has_its_own_numbers_and_newcomers(
    program: HeadApplication, web: Client, spectator: Client
) -> None:
    """Names without Latin letters are refused by name; then the file has four header lines and no other federation's
    number."""
    refused = web.get("/publish/elo?division=main&country=Japan&sender=A.+Sato&lang=ja")
    assert refused.status_code == 409 and "ローマ字の名前がない選手が8名います" in refused.text
    assert "ローマ字の名前がない選手が8名います" in web.get("/publish?lang=ja").text
    for player in program.desk.state.division("main").event.players:
        form = {"csrf": token(web), "name": str(player.name), "latin": f"PLAYER {player.id}", "sex": player.sex or ""}
        form |= {"wof": "5301" if player.id == "p2" else "", "country": player.country or ""}
        assert web.post(f"/division/main/player/{player.id}", data=form).status_code == 303
    assert "15名います。新しい選手として書き出します" in web.get("/publish?lang=ja").text
    japanese, sent = (
        web.get("/publish/elo", params={"division": "main", "country": "Japan", "sender": "A. Sato", "lang": lang})
        for lang in ("ja", "en")
    )
    assert sent.text == japanese.text
    assert sent.status_code == 200 and "20310405_Spring_Open.ELO" in sent.headers["content-disposition"]
    assert sent.text.splitlines()[:4] == [
        "%%Tournament: Spring Open", "%%Country: Japan", "%%Date: 05/04/2031", "%%Sender: A. Sato",
    ]  # fmt: skip
    assert "%_%    5301, PLAYER, p2, SWE" in sent.text and sent.text.count("%_% +99") == 15
    assert spectator.get("/publish/elo?division=main").status_code in (303, 403)
