"""Tests of board photographs at /floor: uploads are limited and never shown as sent, and stored ones are in the
trail."""

from __future__ import annotations

import hashlib
import re
import struct
from pathlib import Path

import httpx
import numpy as np
import pytest
from browsers.chromium import look, visit
from browsers.live import follow, tap, wait_for, wait_for_path, wait_for_text
from drawn_tables.seeded_table_scene import TUNE, SceneRequest, moment_of, table_of
from drawn_tables.table_renderer import draw
from heads.floor import Floor
from heads.hostile_files import many_scans
from heads.staff import token
from selenium import webdriver

from hardware.camera import board_reader
from hardware.camera.board_finder import Reason
from hardware.camera.picture_decoding_overlays_and_quality import dimensions, encode_jpeg
from kiosk import untrusted_file_sandbox
from kiosk.head.tables.photograph_board_reading_and_storage import LONGEST, SIDE

_CELLS = "return document.getElementById('cells')?.value"
POSITION = "-" * 18 + "XXX-----" + "-OXO----" + "--XXX---" + "-" * 22
SECRET = b"Exif: taken at home"


@pytest.fixture(scope="module")
def upload() -> bytes:
    """Return a photograph of a board from above, with the camera maker's comment in the file."""
    table = table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
    packed = encode_jpeg(draw(table, moment_of(table, POSITION, 1)).image)
    return packed[:2] + b"\xff\xfe" + struct.pack(">H", len(SECRET) + 2) + SECRET + packed[2:]


def sent(web: httpx.Client, photo: bytes, table: int = 9) -> httpx.Response:
    return web.post(
        f"/floor/{table}/photograph",
        data={"csrf": token(web)},
        files={"photo": ("board.jpg", photo, "image/jpeg")},
        headers={"Origin": str(web.base_url).rstrip("/")},
    )


def turn(web: httpx.Client, name: str) -> httpx.Response:
    return web.post("/floor/9/photograph/turn", data={"csrf": token(web), "photograph": name})


def turned(cells: str) -> str:
    return "".join(cells[8 * (7 - column) + row] for row in range(8) for column in range(8))


def four_ways(cells: str) -> list[str]:
    return [cells, turned(cells), turned(turned(cells)), turned(turned(turned(cells)))]


def shown(web: httpx.Client, answer: httpx.Response) -> tuple[str, str]:
    """Return the name and the squares of the photograph on the page to which an answer leads."""
    page = web.get(answer.headers["location"]).text
    (name,) = set(re.findall(r'name="photograph" value="([0-9a-f]{64})"', page))
    (cells,) = set(re.findall(r'data-cells="([XO?-]{64})"', page))
    return name, cells


def test_a_photograph_is_read_corrected_and_kept(floor: Floor, arbiter: httpx.Client, upload: bytes) -> None:
    """The shown and stored picture is encoded anew; the note in the trail has its hash and the position. A quarter turn
    turns picture and squares alike."""
    answer = sent(arbiter, upload)
    assert answer.status_code == 303
    name, cells = shown(arbiter, answer)
    assert shown(arbiter, turn(arbiter, name))[1] == turned(cells)
    assert min(sum(a not in ("?", b) for a, b in zip(cells, way, strict=True)) for way in four_ways(POSITION)) == 0
    picture = arbiter.get(f"/floor/photographs/{name}.jpg")
    assert picture.headers["content-type"] == "image/jpeg" and SECRET not in picture.content
    assert dimensions(picture.content) == (8 * SIDE, 8 * SIDE) and hashlib.sha256(picture.content).hexdigest() == name
    form = {"csrf": token(arbiter), "photograph": name, "cells": POSITION, "text": "<b>end</b>"}
    assert arbiter.post("/floor/9/photograph/keep", data=form | {"cells": "X"}).status_code == 400
    assert arbiter.post("/floor/9/photograph/keep", data=form).status_code == 303
    note = [event for event in floor.program.store.operator_events() if event.kind == "order-note"][-1]
    assert note.body["photograph"] == {"name": name, "cells": POSITION} and note.body["table"] == 9
    kept = arbiter.get("/floor/9").text
    assert f"/floor/photographs/{name}.jpg" in kept and "&lt;b&gt;end" in kept


def test_a_stored_photograph_proposes_the_count_at_the_desk(floor: Floor, arbiter: httpx.Client, upload: bytes) -> None:
    """The desk's form of an open game has the discs of its last photograph, as corrected, and enters nothing by
    itself; a photograph with an unread square proposes nothing."""
    state = floor.program.desk.state
    game = next(game for game in state.current if game.is_open and game.table)
    page = f"/division/{state.division_of(game.id).slug}/game/{game.id}"
    first, _ = shown(arbiter, sent(arbiter, upload))
    second, _ = shown(arbiter, turn(arbiter, first))
    for name, cells, proposed in ((first, "X" * 40 + "O" * 24, True), (second, "?" + "X" * 63, False)):
        form = {"csrf": token(arbiter), "photograph": name, "cells": cells, "text": ""}
        assert arbiter.post(f"/floor/{game.table}/photograph/keep", data=form).status_code == 303
        form_page = arbiter.get(page).text
        assert (re.findall(r'name="(?:black|white)_discs"[^>]*value="(\d*)"', form_page) == ["40", "24"]) == proposed
    assert game in floor.program.desk.state.current and game.outcome is None


def oversized_png() -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", 60_000, 60_000) + b"\x08\x02\x00\x00\x00"


@pytest.mark.parametrize(
    ("photo", "status", "sentence"),
    [
        (oversized_png(), 400, "is too large"),
        (b"GIF89a" + bytes(200), 400, "is no JPEG or PNG picture"),
        (b"", 400, "no photograph was sent"),
        (b"\xff\xd8\xff" + bytes(200), 400, "the file is no JPEG or PNG picture"),
        (bytes(LONGEST + 1), 413, "the file is larger than 12 MB"),
    ],
)
def test_a_file_that_is_no_photograph_is_refused_undecoded(
    arbiter: httpx.Client, photo: bytes, status: int, sentence: str
) -> None:
    """An oversized picture by its header, other formats, an empty file, and too many bytes are refused with a
    message each."""
    arbiter.get("/floor", params={"lang": "en"})
    answer = sent(arbiter, photo)
    assert answer.status_code == status and sentence in answer.text


def test_a_refusal_of_a_file_is_in_one_language(arbiter: httpx.Client) -> None:
    """What the child calls the file is named in the language of the page."""
    arbiter.get("/floor", params={"lang": "ja"})
    refused = sent(arbiter, b"GIF89a" + bytes(200)).text
    assert "このファイルは JPEG・PNG 画像ではありません" in refused
    assert "<title>できませんでした" in refused and "aria-current" not in refused, "it is not the desk's page"
    assert "ファイルが 12 MB を超えています" in sent(arbiter, bytes(LONGEST + 1)).text


def test_a_jpeg_with_many_scans_is_refused_undecoded(arbiter: httpx.Client) -> None:
    """Decoding 24 such files of 246 kB would take 60 s."""
    arbiter.get("/floor", params={"lang": "en"})
    answer = sent(arbiter, many_scans(2_000))
    assert answer.status_code == 400 and "more than 40 scans" in answer.text


def test_corners_can_be_marked_if_no_board_is_found(
    arbiter: httpx.Client, upload: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page gives the reason and shows the picture, encoded anew; the corners may be in any order and slightly
    off. Invalid corners and a picture that was deleted are refused."""
    monkeypatch.setattr(board_reader, "find_board", lambda image: Reason.NO_BOARD)
    monkeypatch.setattr(untrusted_file_sandbox, "run", lambda read, packed, limits: read(packed))
    arbiter.get("/floor", params={"lang": "en"})
    answer = sent(arbiter, upload)
    assert answer.status_code == 303
    page = arbiter.get(answer.headers["location"]).text
    assert "the photograph is not read: no board was found" in page
    (name,) = set(re.findall(r"/floor/photographs/([0-9a-f]{64})\.jpg", page))
    picture = arbiter.get(f"/floor/photographs/{name}.jpg").content
    assert dimensions(picture) == (640, 480) and SECRET not in picture
    table = table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
    shares = draw(table, moment_of(table, POSITION, 1)).corners / [640, 480] + 0.003
    form = {"csrf": token(arbiter), "scene": name}

    def marked(order: list[int], **other: str) -> httpx.Response:
        corners = " ".join(f"{share:.5f}" for at in order for share in shares[at])
        return arbiter.post("/floor/9/photograph/corners", data=form | {"corners": corners} | other)

    page = arbiter.get(marked([2, 0, 1, 3]).headers["location"]).text
    (cells,) = set(re.findall(r'data-cells="([XO?-]{64})"', page))
    assert min(sum(a != b for a, b in zip(cells, way, strict=True)) for way in four_ways(POSITION)) <= 2
    assert f"?scene={name}" in page
    for order in ([0, 1, 2, 2], [0, 1, 2], []):
        refused = marked(order)
        assert refused.status_code == 400 and "not the four corners of a board" in refused.text
    assert marked([0, 1, 2, 3], scene="0" * 64).status_code == 404


def test_no_name_leads_out_of_the_folder(arbiter: httpx.Client) -> None:
    """Only hashes are accepted as names."""
    assert arbiter.get("/floor/photographs/..%2fhead.toml.jpg").status_code == 404
    assert arbiter.get("/floor/photographs/head.toml").status_code == 404
    assert arbiter.get(f"/floor/photographs/{'0' * 64}.jpg").status_code == 404


def test_a_board_is_photographed_corrected_and_kept_in_the_browser(
    browser: webdriver.Chrome, pictures: Path, tmp_path: Path, floor: Floor, arbiter: httpx.Client
) -> None:
    """The reading is drawn over the picture; a tap changes a square, counts and differences follow, and the note
    lists the corrections."""
    browser.get(f"{floor.url}/static/icon.svg")
    browser.delete_all_cookies()
    browser.add_cookie({"name": "kiosk_session", "value": arbiter.cookies["kiosk_session"], "path": "/"})
    board = floor.program.live.views()[1].board
    assert board is not None
    table = table_of(TUNE, 3, SceneRequest(size=(640, 480), stress=False, elevation=(60.0, 80.0)))
    photo = tmp_path / "board.jpg"
    photo.write_bytes(encode_jpeg(draw(table, moment_of(table, board, 1)).image))
    visit(browser, "phone", f"{floor.url}/floor/2/photograph?lang=en")
    browser.find_element("css selector", "input[type=file]").send_keys(str(photo))
    follow(browser, "form.panel button.go")
    wait_for_text(browser, "Different from the table's last board")
    before = str(wait_for(browser, _CELLS))
    look(browser, pictures / "photograph-phone-en.png")
    tap(browser, ".squares button[aria-label=c4]")
    after = str(wait_for(browser, _CELLS))
    assert [at for at in range(64) if before[at] != after[at]] == [26]
    assert "c4" in str(browser.execute_script("return document.querySelector('.compared b').innerText"))
    visit(browser, "phone", f"{browser.current_url}&lang=ja")
    wait_for_text(browser, "卓の最後の盤面との違い")
    look(browser, pictures / "photograph-phone-ja.png")
    tap(browser, ".squares button[aria-label=c4]")
    follow(browser, "form.notes button.go")
    wait_for_path(browser, "/floor/2")
    note = [event for event in floor.program.store.operator_events() if event.kind == "order-note"][-1]
    assert note.body["photograph"]["cells"] == after


def test_the_button_is_below_the_whole_picture_in_sight(
    browser: webdriver.Chrome, tmp_path: Path, floor: Floor, arbiter: httpx.Client
) -> None:
    """A telephone held upright takes pictures that are higher than a desktop's window."""
    browser.get(f"{floor.url}/static/icon.svg")
    browser.delete_all_cookies()
    browser.add_cookie({"name": "kiosk_session", "value": arbiter.cookies["kiosk_session"], "path": "/"})
    photo = tmp_path / "upright.jpg"
    photo.write_bytes(encode_jpeg(np.full((1600, 1200, 3), 120, np.uint8)))
    visit(browser, "desktop", f"{floor.url}/floor/2/photograph?lang=en")
    browser.find_element("css selector", "input[type=file]").send_keys(str(photo))
    follow(browser, "form.panel button.go")
    height = "const img = document.querySelector('#scene img'); return img.complete && img.naturalHeight && img.height"
    assert wait_for(browser, height) <= 600
    shares = "const of = one => one.getBoundingClientRect(); const [all, img] = ['#scene', '#scene img']"
    shares += ".map(one => of(document.querySelector(one))); return [all.width - img.width, all.height - img.height]"
    assert browser.execute_script(shares) == [0, 0], "the corners are shares of the picture"
    assert (
        browser.execute_script(
            "return getComputedStyle(document.querySelector('.warnings'), '::first-letter').textTransform"
        )
        == "uppercase"
    )
