"""Browser tests of a board photograph: taken, corrected by a tap, stored.

``KIOSK_PICTURES=DIR`` saves pictures of the pages.
"""

from __future__ import annotations

from pathlib import Path

from browsers.chromium import look, visit
from browsers.live import follow, tap, wait_for, wait_for_path, wait_for_text
from browsers.signed_in import sign_in_browser
from drawn_tables.seeded_table_scene import TUNE, SceneRequest, moment_of, table_of
from drawn_tables.table_renderer import draw
from heads.floor import floor_in_play
from selenium import webdriver

from hardware.camera.picture_decoding_overlays_and_quality import encode_jpeg

_CELLS = "return document.getElementById('cells')?.value"


def test_a_board_is_photographed_corrected_and_kept(browser: webdriver.Chrome, pictures: Path, tmp_path: Path) -> None:
    """The reading is drawn over the picture; a tap changes a square, counts and differences follow, and the note
    lists the corrections."""
    with floor_in_play(tmp_path / "hall") as floor:
        sign_in_browser(browser, floor.program, floor.url)
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
