"""Rendering of the head's state as HTML: whole pages, and the single items that live updates replace.

The HTML of an item changes only when its content changes. A running clock carries its start instant, and the page
counts, so the head does not render every second.
"""

from __future__ import annotations

from datetime import datetime

from jinja2 import ChoiceLoader, PackageLoader
from markupsafe import Markup

from engine.board.svg import board_paths
from engine.i18n import say
from kiosk.head.access.roles import UserSession
from kiosk.head.desk import Desk
from kiosk.head.event.head_game_and_result_check import by_table
from kiosk.head.event.publication_redaction_and_latin_names import public_hall
from kiosk.head.event.round_timetable import round_clock
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.publish.labels_and_formatting import bye_of, grade_name
from kiosk.head.publish.template_render import html_templates
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.head.web.bilingual_labels import label
from kiosk.locale import JAPANESE, Lang, jinja_names, languages, own_name

_HEAD = say("Head table")


def clock(left_ms: int) -> str:
    """Return minutes and seconds as a chess clock shows them; a fallen flag reads 0:00 (K-02)."""
    seconds = -(-max(left_ms, 0) // 1000)
    return f"{seconds // 60}:{seconds % 60:02d}"


def signed_clock(left_ms: int) -> str:
    """Return a time for an arbiter, as at the table: negative after a flag (K-03)."""
    return clock(left_ms) if left_ms >= 0 else f"−{clock(-left_ms // 1000 * 1000)}"


def bold(shown: object) -> Markup:
    """Return a field of a sentence in bold."""
    return Markup("<b>{}</b>").format(shown)


#: "arbiter/_row.html" is in the package of these pages; "common/" is shared by all
_TEMPLATES = html_templates(
    ChoiceLoader([PackageLoader("kiosk.head.pages", ""), PackageLoader("kiosk.head.web", "")]),
    clock=clock, signed_clock=signed_clock, board_paths=board_paths, bold=bold, by_table=by_table,
)  # fmt: skip


class Renderer:
    """A renderer of pages from the state of the desk and the live tables."""

    def __init__(self, desk: Desk, live: LiveTables, speed: float = 1.0) -> None:
        self._desk, self._live, self._speed = desk, live, speed

    def draw(self, template: str, lang: Lang, session: UserSession | None, **values: object) -> str:
        """Return a page or a part of one."""
        return _TEMPLATES.get_template(template).render(self._common(lang, session) | values)

    def _common(self, lang: Lang, session: UserSession | None) -> dict[str, object]:
        state = self._desk.state
        names = jinja_names(lang)
        translate = names["say"]

        def title(division: DivisionState) -> str:
            """Return the name of a division in the reader's language, or in another; else the name of its event."""
            event = division.event
            return titled(division.title) or (lang != JAPANESE and event.name_en) or event.name or ""

        def titled(title: tuple[str, str]) -> str:
            ja, en = title
            return ja or en if lang == JAPANESE else en or ja

        return names | {
            "label": lambda group, key: translate(label(group, key)),
            "grade": lambda held: translate(grade_name(held or None)) if lang == JAPANESE else held or "",
            "lang": lang,
            "languages": languages(),
            "own_name": own_name,
            "hall": public_hall(state),
            "title_of": title,
            "bye_of": bye_of,
            "titled": titled,
            "event_name": (state.title if lang == JAPANESE else state.english_title) or translate(_HEAD),
            "csrf": session.token if session else "",
            "signed_in": session is not None,
            "me": session,
            "now_ms": self._live.now_ms(),
            "speed": self._speed,
            "tables": self._desk.tables,
            "round_clock": lambda division: round_clock(division, datetime.now().astimezone()),
            "local": format_local,
            "wall_now": datetime.now().astimezone(),
            "zip": zip,
        }


# Formatting of times in the head's time zone.


def format_local(at: str, form: str = "%m-%d %H:%M:%S") -> str:
    """Return a stored time in local form; a dash if there is none or it cannot be read."""
    try:
        return datetime.fromisoformat(at).astimezone().strftime(form)
    except (ValueError, OverflowError):
        return "–"
