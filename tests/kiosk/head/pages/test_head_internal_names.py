"""Tests that no internal name reaches a person: every page for every role in both languages, and refused forms.

Internal names are taken from the code: formats, rule sets, members of enumerations, fields of records, kinds of acts.
"""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import re
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from enum import Enum
from functools import cache

import httpx
import msgspec
import pytest
from babel.messages.pofile import read_po
from heads.addresses import filled, targets
from heads.page_text import read_texts
from heads.staff import add_person, first_chief, token, use_code
from heads.tournaments import outcome
from heads.world import NAMES, event, running_head
from waiting import HANGS_S

import engine
import kiosk.head
import kiosk.link
import kiosk.records
from engine.match.rule_sets_and_options import RULE_SETS
from engine.tournament.formats import FORMATS
from kiosk import locale
from kiosk.head.access.authentication import game_subject, player_subject
from kiosk.head.event.act_types import SHAPES, Title, event_of
from kiosk.head.event.tournament_state import TableRules
from kiosk.head.pages.hall_screens.rotating_hall_screens_page import KINDS as SCREENS
from kiosk.head.program import HeadApplication
from kiosk.head.publish.lists_for_national_federation import TITLES
from kiosk.head.publish.print_sheets import KINDS
from kiosk.head.registration.tournament_format_options import KINDS as PRESETS

#: format, number of players, rounds to play, options
DIVISIONS = {
    "a": ("m43-open", 16, 2, {}),
    "b": ("m40-13-16", 16, 1, {}),
    "c": ("swiss", 6, 3, {"rounds": 2, "finals": "1-2"}),
    "d": ("knockout", 8, 1, {}),
    "e": ("adjacent", 5, 1, {"rounds": 3}),
    "f": ("chouchou", 8, 1, {}),
    "g": ("round-robin", 4, 3, {}),
}
#: names that occur only in code, in any case
PYTHON = re.compile(
    r"\b(?:None|True|False|NotImplemented|Ellipsis|Errno|Markup|nan)\b"
    r"|<[\w.]+ (?:object|at)|<\w+[.:]|[\[({]['\"]\w|\w\(\w+=|datetime\.|\{\w*\}"
    r"|\b[A-Z]\w+\.[A-Z_]{2,}\b|\b[a-z0-9]+(?:_[a-z0-9]+)+\b|\b[A-Z]+(?:_[A-Z0-9]+)+\b"
)
#: English words that are also names in the code; addresses, files and what people entered
PLAIN = re.compile(
    r"https?://\S+|(?<![\w.])/[\w/.?=&-]+|\b[\w-]+\.(?:json|csv|elo|txt|zip|ggf|pgn|wtb|toml|xlsx|file|html|pdf)\b"
    r"|(?<![A-Za-z])docs/[A-Za-z./-]+|\baddress = \"\S*\"|(?<=head.toml に )\[\w+\]|\bkiosk update \w+"
)


#: beginnings of the addresses of staff pages, and of pages that are the same for everybody
STAFF = ("/division/", "/desk/", "/floor/", "/print", "/lists/")
PUBLIC = ("/event/", "/g/", "/help", "/live", "/overlay/", "/p/", "/wall")


@cache
def internal_names() -> set[str]:
    """Return all internal names of the code."""
    found = {*FORMATS, *RULE_SETS, *SHAPES}
    for package in (engine, kiosk.head, kiosk.link, kiosk.records):
        for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for thing in vars(importlib.import_module(info.name)).values():
                if not isinstance(thing, type) or not thing.__module__.startswith(("engine", "kiosk")):
                    continue
                if issubclass(thing, Enum):
                    found |= {str(part) for member in thing for part in (member.name, member.value)}
                elif dataclasses.is_dataclass(thing):
                    found |= {field.name for field in dataclasses.fields(thing)}
                elif issubclass(thing, msgspec.Struct):
                    found |= set(thing.__struct_fields__)
    return {name for name in found if re.fullmatch(r"[A-Za-z][\w-]+", name, re.ASCII)} - english_words()


def english_words() -> set[str]:
    """Return the hyphenated words of the English sentences, such as "semi-finals"."""
    with (locale.FOLDER / "ja.po").open("rb") as opened:
        said = " ".join(str(message.id) for message in read_po(opened))
    return set(re.findall(r"(?<![\w-])[a-z]+(?:-[a-z]+)+(?![\w-])", said))


def wrong_words(text: str, lang: str, names: set[str]) -> list[str]:
    """Return the internal names in a text; on a Japanese page any Latin word of the code counts."""
    left = PLAIN.sub(" ", text)
    found = [one[0] for one in PYTHON.finditer(left)]
    words = re.findall(r"(?<![A-Za-z0-9-])[A-Za-z][\w]*(?:-[A-Za-z0-9]+)*(?![A-Za-z])", left, re.ASCII)
    found += [word for word in words if word in names and ("-" in word or any(map(str.isdigit, word)))]
    if lang == "ja":
        found += [word for word in words if word in names and word.islower()]
    return found


@pytest.fixture(scope="module")
def hall(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HeadApplication, str]]:
    """A day in play: rounds with results, forfeits and byes, open rounds, drafts, finals, a round taken back."""
    with running_head(tmp_path_factory.mktemp("head"), tables=60, event=None) as (program, url):
        desk = program.desk
        desk.divisions.rename_tournament("春の大会", "2031-04-05")
        for slug, (format, players, rounds, options) in DIVISIONS.items():
            data = event(players, format, **options)
            for at, player in enumerate(data["players"]):
                player |= {"name": NAMES[at % 4 * 2].split()[0] + chr(0x4E00 + at), "lot": at + 1, "country": None}
                player |= {"grade": "2d" if at % 2 else "3k"}
            desk.divisions.create(event_of(data), TableRules("", 1200), slug, title=Title("部", "Division"))
            for _ in range(rounds):
                play(program, slug)
            desk.rounds.publish(desk.rounds.draft(slug).digest, slug) if slug in "aef" else None
        program.services.registrations.set_end("2099-01-01T00:00:00+00:00")
        for number, name in enumerate(("西 一", NAMES[0].split()[0] + chr(0x4E00))):
            program.services.registrations.add(f"{number:032x}", "c", {"name": name, "sex": "F", "grade": "3d"}, "")
        yield program, url


def play(program: HeadApplication, slug: str) -> None:
    """Play the next round of a division: a forfeit, a double forfeit if possible, and plain results."""
    rounds = program.desk.rounds
    rounds.publish(rounds.draft(slug).digest, slug)
    for at, game in enumerate(program.desk.state.division(slug).current):
        if game.is_open:
            end = "forfeit" if at == 0 and game.total else "normal"
            discs = (10, 4) if game.total is None else (64, 0) if end == "forfeit" else (40, 24)
            program.desk.results.enter(game.id, outcome(game, *discs, end=end))


def addresses(program: HeadApplication, only: str = "") -> list[str]:
    """Return the address of every page, for each division or one, and prints, the record, and some that fail."""
    found = {"/nowhere", "/where?name=青", "/desk/find?q=青", "/desk/names.json?q=青"}
    for division in program.desk.state.divisions.values():
        if only not in ("", division.slug):
            continue
        done = [game for games in division.rounds for game in games]
        values = {
            "division": division.slug, "player": next(iter(division.players())), "game": done[0].id, "table": "1",
            "act": "result", "number": "1", "slot": "1", "kind": "cards", "page": "desk", "code": "0" * 32,
        }  # fmt: skip
        found |= {
            path
            for target in targets(program.app.routes)
            if target.method == "GET" and (path := filled(target.path, values))
        }
        found |= {f"/division/{division.slug}/game/{game.id}" for game in (done[-1], *division.current[:2])}
        # the poster for registration is in both languages on one page
        found |= {f"/print/{kind}?division={division.slug}" for kind in KINDS if kind != "register"}
        token = program.access.token
        found |= {f"/g/{token(game_subject(game.id))}" for game in division.current}
        found |= {f"/p/{token(player_subject(division.slug, id))}" for id in list(division.players())[:3]}
        found |= {f"/{page}?division={division.slug}" for page in ("standings", "pairings", "draw", "wall")}
        found |= {f"/division/{division.slug}/round?why={game.black}" for game in division.current[:1]}
        found |= {f"/division/{division.slug}/player/p1?why=", f"/division/{division.slug}/player/p1?why=&than=p2"}
        pages = ("standings", "rounds", "crosstable", "prizes", "games", "files")
        found |= {f"/event/LANG/{division.slug}/{page}.html" for page in pages}
    found |= {f"/lists/{kind}" for kind in TITLES} | {f"/wall?show={kind}" for kind in SCREENS}
    found |= {"/event/LANG/index.html", *(f"/desk/new?kind={kind.key}" for kind in PRESETS)}
    return sorted(path for path in found if not path.startswith("/stream"))


@pytest.fixture(scope="module")
def people(hall: tuple[HeadApplication, str]) -> Iterator[dict[str, httpx.Client]]:
    """Return a client of each role; "" is not signed in."""
    program, url = hall
    with ExitStack() as open_browsers:

        def browser() -> httpx.Client:
            return open_browsers.enter_context(httpx.Client(base_url=url, timeout=HANGS_S, follow_redirects=False))

        found = {"": browser(), "chief": browser()}
        first_chief(found["chief"], program.access.setup_code)
        for role, name in (("desk", "青山"), ("arbiter", "Berg")):
            found[role] = browser()
            use_code(found[role], add_person(found["chief"], name, role))
        yield found


def check(answers: Iterable[tuple[str, str]], lang: str) -> None:
    """Check that no internal name is on any of the pages. ``answers``: name and HTML of each page."""
    names = internal_names()
    texts = {text: path for path, page in answers for text in read_texts(page)}
    wrong = {(text.strip()[:150], *found, path) for text, path in texts.items()
             if (found := wrong_words(text, lang, names))}  # fmt: skip
    assert not wrong, "\n".join(map(str, sorted(wrong)))


@pytest.mark.parametrize("lang", ["ja", "en"])
def test_no_page_shows_an_internal_name(
    hall: tuple[HeadApplication, str], people: dict[str, httpx.Client], lang: str
) -> None:
    program, _ = hall
    answers = []
    for role, web in people.items():
        web.cookies.set("kiosk_lang", lang)
        for path in addresses(program, "" if role in ("", "chief") else "c"):
            if path.startswith(PUBLIC if role else STAFF):
                continue
            answer = web.get(path.replace("LANG", lang))
            assert answer.status_code < 500, (path, answer.text)
            if not answer.has_redirect_location and "text/html" in answer.headers.get("content-type", ""):
                answers.append((f"{role} {path}", answer.text))
    assert len(answers) > 300
    check(answers, lang)


@pytest.mark.parametrize("typed", ["", "zzz"])
@pytest.mark.parametrize("lang", ["ja", "en"])
def test_no_refused_form_shows_an_internal_name(
    hall: tuple[HeadApplication, str], people: dict[str, httpx.Client], lang: str, typed: str
) -> None:
    program, _ = hall
    web = people["chief"]
    web.cookies.set("kiosk_lang", lang)
    answers, csrf = [], token(web)
    for division in map(program.desk.state.division, "ac"):
        game = next(game for games in division.rounds for game in games if not game.is_bye)
        values = {"division": division.slug, "player": "p1", "game": game.id, "table": "1", "act": "result"}
        for target in targets(program.app.routes):
            path = filled(target.path, values)
            if (
                target.method != "POST"
                or path is None
                or path.startswith(("/sign-out", "/accounts/", "/devices/update"))
            ):
                continue
            if "{division}" not in target.path and division.slug != "a":
                continue
            form = {"csrf": csrf} | dict.fromkeys(list(target.fields)[:20], typed)
            files = dict.fromkeys(target.uploads, ("list", b""))
            answer = web.post(path, data=form, files=files) if files else web.post(path, data=form)
            assert answer.status_code < 500, (path, answer.text)
            if "text/html" in answer.headers.get("content-type", ""):
                answers.append((path, answer.text))
    assert len(answers) > 100
    check(answers, lang)
