"""Test of a power cut after every step of a day: every answered act is kept, and no act is done twice."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from heads.process import HeadProcess, configured
from heads.staff import first_chief, sign_in, token
from waiting import HANGS_S

LIST = "\n".join(f"選手 {letter}\t{grade}段" for grade, letter in enumerate("あいうえおか", start=1))
AT = "/division/adjacent"


class Desk:
    """The desk's pages of a head that loses its power after every step."""

    def __init__(self, folder: Path) -> None:
        self._config = configured(folder, [1, 2])
        self.head = HeadProcess(self._config)
        self.web = httpx.Client(base_url=self.head.url, timeout=HANGS_S)
        first_chief(self.web, self.head.code)

    def post(self, path: str, **fields: str) -> None:
        files = {"file": ("", b"")} if path.endswith("/import") else None
        answer = self.web.post(path, data={**fields, "csrf": token(self.web)}, files=files)
        assert answer.status_code in (200, 303), answer.text

    def lose_power(self) -> None:
        self.head.kill()
        self.web.close()
        self.head = HeadProcess(self._config)
        self.web = httpx.Client(base_url=self.head.url, timeout=HANGS_S)
        sign_in(self.web)

    def found(self, pattern: str, page: str) -> str:
        match = re.search(pattern, self.web.get(page).text)
        assert match, page
        return match[1]

    def event(self) -> dict[str, Any]:
        answer: dict[str, Any] = self.web.get("/event.json").json()
        return answer

    def digest(self) -> str:
        return self.found(r'name="digest" value="([^"]+)"', f"{AT}/round")

    def game(self) -> str:
        return self.found(rf'href="({AT}/game/[^"]+-1-1)"', f"{AT}/results")


@pytest.mark.fault(9, "kill -9 of the head after each of 7 steps at the desk")
def test_the_power_fails_after_every_step(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    score = {"black_discs": "40", "white_discs": "24"}

    def correct() -> None:
        seen = desk.found(r'name="seen" value="([^"]+)"', desk.game())
        desk.post(f"{desk.game()}/correct", black_discs="20", white_discs="44", reason="turned", seen=seen)

    steps: list[tuple[Callable[[], None], Callable[[dict[str, Any]], bool]]] = [
        (
            lambda: desk.post(f"{AT}/import/take", text=LIST, update="yes"),
            lambda event: [player["grade"] for player in event["players"]] == ["1d", "2d", "3d", "4d", "5d", "6d"],
        ),
        (
            lambda: desk.post(f"{AT}/wish", digest=desk.digest(), what="byes", one="p1"),
            lambda event: event["options"]["byes"] == {"1": ["p1"]},
        ),
        (
            lambda: desk.post(f"{AT}/publish", digest=desk.digest()),
            lambda event: [game.get("table") for game in event["rounds"][0]["games"]] == [1, 2, None, None],
        ),
        (
            lambda: desk.post(f"{AT}/typed", table="1", **score),
            lambda event: event["rounds"][0]["games"][0]["black_discs"] == 40,
        ),
        (correct, lambda event: event["rounds"][0]["games"][0]["black_discs"] == 20),
        (lambda: desk.post(f"{AT}/undo", round="1", reason="the wrong list"), lambda event: event["rounds"] == []),
        (
            lambda: desk.post(f"{AT}/restore", undone="0"),
            lambda event: event["rounds"][0]["games"][0]["black_discs"] == 20,
        ),
    ]
    try:
        desk.post("/desk/new", kind="adjacent", title_ja="隣", main="20", tables="1-2, 9")
        for act, is_done in steps:
            act()
            before, page = desk.event(), desk.web.get(f"{AT}/results").text
            assert is_done(before)
            desk.lose_power()
            assert desk.event() == before
            assert re.findall(r"game/[^\"]+", desk.web.get(f"{AT}/results").text) == re.findall(r"game/[^\"]+", page)
            desk.post(f"{AT}/import/take", text=LIST, update="yes")  # sent again, because the first answer was lost
            assert desk.event() == before
    finally:
        desk.web.close()
        desk.head.stop()
