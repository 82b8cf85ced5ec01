"""Browser tests of the published pages, opened as files and without JavaScript, and of the printed pages."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsers.chromium import PICTURES, picture, visit
from browsers.live import tap, text_of
from events.recorded_events import recorded_event
from selenium import webdriver

from kiosk.head.publish.print_sheets import sheet, slips_of
from kiosk.head.publish.prizes_and_certificates import certificates_of
from kiosk.head.publish.published_event import Book, PublishedDivision, book_of
from kiosk.head.publish.static_site import Site
from kiosk.records.event_file import from_dict


@pytest.fixture(scope="module")
def book() -> Book:
    files = {
        "open": (("一般の部", "Open"), recorded_event("m43-division", players=8, rounds=7)),
        "women": (("女子の部", "Women"), recorded_event("knockout", players=8, rounds=4, seed=6)),
        "masters": (("名人の部", "Masters"), recorded_event("round-robin", players=4, rounds=3, seed=8)),
    }
    return book_of([PublishedDivision(key, title, from_dict(file)) for key, (title, file) in files.items()])


@pytest.fixture(scope="module")
def folder(book: Book, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages of ``PAGES`` with the style sheets and scripts, as in the unpacked archive."""
    where = tmp_path_factory.mktemp("site")
    for path, make in Site(book).files.items():
        if path.endswith((".css", ".js", ".svg")) or path[3:] in PAGES:
            (where / path).parent.mkdir(parents=True, exist_ok=True)
            (where / path).write_bytes(make().data)
    return where


@pytest.fixture
def without_script(browser: webdriver.Chrome) -> Iterator[webdriver.Chrome]:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    yield browser
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def open_steps(browser: webdriver.Chrome) -> list[str]:
    script = "return [...document.querySelectorAll('.step')].filter(e => e.checkVisibility()).map(e => e.id)"
    return list(browser.execute_script(script))


def test_a_game_is_stepped_through_without_script(folder: Path, without_script: webdriver.Chrome) -> None:
    browser = without_script
    page = (folder / "en/open/games/r1g1.html").as_uri()
    browser.get(page)
    assert open_steps(browser) == ["record"]
    drawn = "return [...document.querySelectorAll('#record svg text:is(.black, .white)')].map(e => e.textContent)"
    numbers = sorted(int(number) for number in browser.execute_script(drawn))
    assert numbers == list(range(1, len(numbers) + 1))
    tap(browser, "#record .steps a:nth-child(1)")
    assert open_steps(browser) == ["m0"]
    for step in ("m1", "m2", "m3"):
        here = f"#m{int(step[1:]) - 1}"
        tap(browser, f"{here} .steps a:nth-child(3)")
        assert open_steps(browser) == [step]
    tap(browser, "#m3 .steps a:nth-child(2)")
    assert open_steps(browser) == ["m2"]
    tap(browser, ".moves li:nth-child(20) a")
    assert open_steps(browser) == ["m20"]


PAGES = (
    "index.html", "open/standings.html", "open/rounds.html", "open/crosstable.html", "open/prizes.html",
    "open/games.html", "open/files.html", "open/games/r1g1.html", "women/bracket.html", "masters/crosstable.html",
)  # fmt: skip


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_the_pages_fit_a_phone(folder: Path, browser: webdriver.Chrome, pictures: Path, lang: str) -> None:
    for page in PAGES:
        visit(browser, "phone", (folder / lang / page).as_uri())
        assert text_of(browser, "h1")
        for size in ("phone", "desktop") if PICTURES else ():
            visit(browser, size)
            picture(browser, size, pictures / f"record-{page.replace('/', '-')[:-5]}-{size}-{lang}.png")


def pages_of(browser: webdriver.Chrome, address: str) -> int:
    """Return how many sheets the printer would print."""
    browser.get(address)
    made = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True, "printBackground": True})
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", base64.b64decode(made["data"])))


@pytest.fixture(scope="module")
def prints(book: Book, tmp_path_factory: pytest.TempPathFactory) -> Path:
    where = tmp_path_factory.mktemp("prints")
    style = Path(__file__).parents[4] / "kiosk/head/publish/static/print.css"
    (where / "print.css").write_bytes(style.read_bytes())
    for kind in ("cards", "slips", "seats", "standings", "prizes", "certificates"):
        (where / f"{kind}.html").write_text(sheet(book, kind, "ja", style="print.css", round_=1), encoding="utf-8")
    return where


def test_prints_have_the_expected_number_of_sheets(book: Book, prints: Path, browser: webdriver.Chrome) -> None:
    def sheets(kind: str) -> int:
        return pages_of(browser, (prints / f"{kind}.html").as_uri())

    games = len(slips_of(book.divisions, 1))
    assert games == 4 + 4 + 2
    assert sheets("cards") == -(-games // 8)
    assert sheets("slips") == -(-games // 4)
    assert sheets("standings") == len(book.divisions) and sheets("prizes") == len(book.divisions)
    assert sheets("seats") == 2  # by name, by table
    assert sheets("certificates") == len(certificates_of(book)) > 6


def test_a_long_list_repeats_its_heading_on_each_sheet(browser: webdriver.Chrome, prints: Path, tmp_path: Path) -> None:
    event = recorded_event("adjacent", players=120, rounds=1)
    page = sheet(
        book_of([PublishedDivision("open", ("一般", "Open"), from_dict(event))]), "standings", "en", style="print.css"
    )
    (tmp_path / "print.css").write_bytes((prints / "print.css").read_bytes())
    (tmp_path / "standings.html").write_text(page, encoding="utf-8")
    assert pages_of(browser, (tmp_path / "standings.html").as_uri()) in (3, 4)
