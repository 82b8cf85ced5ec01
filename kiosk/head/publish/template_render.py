"""Renders pages and prints from templates. Templates contain the layout; the other modules of this package prepare the
data.
"""

from __future__ import annotations

from collections.abc import Callable

import segno
from jinja2 import BaseLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from engine.board.svg import board_paths, centre
from kiosk.head.publish import labels_and_formatting
from kiosk.head.publish.game_positions_and_best_play import best_play_curve, disc_difference_curve
from kiosk.locale import JAPANESE, Lang, jinja_names, languages, own_name


def number(value: float) -> str:
    """Format a number: 4.5 as 4½, a negative one with a minus sign (U+2212)."""
    sign, size = ("−" if value < 0 else ""), abs(value)
    whole = int(size)
    return f"{sign}{whole or ''}½" if size - whole == 0.5 else f"{sign}{size:g}"


def qr(address: str) -> Markup:
    """Return an address as a QR code."""
    return Markup(segno.make(address, error="m").svg_inline(scale=4, border=2, omitsize=True))


def html_templates(loader: BaseLoader, **filters: Callable[..., object]) -> Environment:
    """Return HTML templates with these filters. A template is compiled when it is first used, so they are made once in
    a process."""
    made = Environment(
        loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    made.filters |= filters
    return made


_TEMPLATES = html_templates(
    PackageLoader("kiosk.head.publish"),
    discs=board_paths, number=number, centre=centre, curve=disc_difference_curve, best_curve=best_play_curve, qr=qr,
)  # fmt: skip


def render_template(template: str, lang: Lang, **values: object) -> str:
    """Return a whole page in one language."""

    def title(named: tuple[str, str]) -> str:
        return named[0] if lang == JAPANESE else named[1]

    common = jinja_names(lang) | {
        "lang": lang,
        "languages": languages(),
        "own_name": own_name,
        "title": title,
        "label": labels_and_formatting.label,
        "bye_of": labels_and_formatting.bye_of,
        "grade": labels_and_formatting.grade_name,
        "key_name": labels_and_formatting.key_name,
        "key_short": labels_and_formatting.key_short,
        "explained": labels_and_formatting.key_explained,
        "day": labels_and_formatting.day_name,
        "zip": zip,
    }
    return _TEMPLATES.get_template(f"{template}.html").render(common | values)
