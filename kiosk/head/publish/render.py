"""Draws pages and prints from templates. The templates decide how a thing looks, the modules beside this what it is."""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined

from engine.tournament.words import Words
from kiosk.head.publish import words
from kiosk.head.publish.gamepage import centre, curve, disc_paths
from kiosk.head.publish.words import Lang


def number(value: float) -> str:
    """4.5 as 4½, a sum below zero with a real minus sign."""
    sign, size = ("−" if value < 0 else ""), abs(value)
    whole = int(size)
    return f"{sign}{whole or ''}½" if size - whole == 0.5 else f"{sign}{size:g}"


def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("kiosk.head.publish"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"discs": disc_paths, "number": number, "centre": centre, "curve": curve, "day": words.day_name}
    return made


_ENVIRONMENT = _environment()


def draw(template: str, lang: Lang, **values: object) -> str:
    """A whole page in one language."""

    def say(key: str, **inside: object) -> str:
        return words.say(key, lang, **inside)

    def of(pair: Words) -> str:
        return words.of(pair, lang)

    common = {
        "lang": lang,
        "say": say,
        "of": of,
        "grade": lambda grade: words.grade_name(grade, lang),
        "stage": lambda stage: words.stage_name(stage, lang),
        "round_name": lambda at: words.round_name(at, lang),
        "key_name": lambda key: words.key_name(key, lang),
        "key_short": lambda key: words.key_short(key, lang),
        "explained": lambda key, c: words.key_explained(key, lang, c),
        "zip": zip,
    }
    return _ENVIRONMENT.get_template(f"{template}.html").render(common | values)
