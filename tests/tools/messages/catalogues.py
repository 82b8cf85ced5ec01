"""Maintenance of the catalogues of ``kiosk/locale``: ``python tests/tools/messages/catalogues.py update | check``.

``update`` collects every sentence of the code and the page templates, adds missing ones to the catalogues with an empty
translation and removes unused ones. ``check`` changes nothing and names, one per line, each sentence that is missing,
empty, unused or fuzzy, each field that a translation lacks or invents, each template that is no literal, and each
Japanese sentence outside the catalogues. ``make lint`` runs it.
"""

from __future__ import annotations

import ast
import io
import re
import string
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po, write_po

from kiosk.cli import app
from kiosk.commands import translated_help_and_usage_errors

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "kiosk" / "locale"
PACKAGES = ("engine", "hardware", "kiosk")
#: text functions, and the number of literals with which their arguments begin
SAYERS = {"say": 1, "saying": 1, "say_n": 2, "say_in": 2, "event_error": 1}
_SAYS = re.compile(r"\b(say(_n|_in|ing)?|event_error)\(")
PAGE_SAYERS = {"_": None, "ngettext": (1, 2), "pgettext": ((1, "c"), 2)}
#: header fields that Babel writes and that are not maintained
_NOISE = re.compile(rb'"(Report-Msgid|PO-Revision|Last-Translator|Lang-Team|Generated-By).*\n')
_JAPANESE = re.compile(r"[぀-ヿ㐀-鿿ｦ-ﾟ]")
#: texts that a variant of a language must translate by itself; it may translate more
PLAYERS_SEE = "kiosk/table/strings/player_strings.py"
#: files that may hold Japanese, and why
JAPANESE_DATA = {
    "kiosk/demo/fictitious_players_and_teams.py": "made-up names of players",
    "kiosk/head/registration/player_list_columns_and_cells.py": "headings of lists, and how they write values",
    "engine/tournament/player_entry_fields.py": "headings of lists of players, and how they write grades",
    "kiosk/head/registration/player_list_import.py": "the lines that count players and name none",
    "kiosk/records/japanese_name_search_and_order.py": "kana in their order, and characters taken for one another",
    "kiosk/records/kana_to_romaji.py": "kana and how they are written in Latin letters",
    "engine/tournament/grade_and_oza_awards.py": "how lists of players spell the home country",
    "kiosk/locale/__init__.py": "where a Japanese line may break",
    "kiosk/table/views/waiting_and_game_setup_view.py": "grades as the lists of players write them",
}


def extracted() -> Catalog:
    """Return every sentence of the code, its commands' help and its pages, with the files that contain it."""
    found = Catalog(project="othello-kiosk", charset="utf-8")
    for file, (name, *parts) in _literal_calls():
        context, template = (parts[0], parts[1]) if name == "say_in" else (None, parts[0])
        found.add((parts[0], parts[1]) if name == "say_n" else template, locations=[(file, 0)], context=context)
    for call in translated_help_and_usage_errors.calls(translated_help_and_usage_errors.Context(app)):
        file = Path(str(getattr(call.command.callback, "__code__").co_filename)).relative_to(ROOT)  # noqa: B009
        for text in translated_help_and_usage_errors.said_of(call):
            found.add(text.template, locations=[(str(file), 0)])
    for package in PACKAGES:
        rows = extract_from_dir(ROOT / package, method_map=[("**.html", "jinja2")], keywords=PAGE_SAYERS)
        for file, line, template, _, context in rows:
            found.add(template, locations=[(f"{package}/{file}", line)], context=context)
    return found


@cache
def _calls() -> list[tuple[str, int, str, list[str | None]]]:
    """Return the calls of the text functions: the file, the line, the function's name, and its templates, None for one
    that is no literal. Babel's own extraction skips what is inside an f-string."""
    found = []
    for file in _python():
        source = file.read_text("utf-8")
        for node in ast.walk(ast.parse(source)) if _SAYS.search(source) else ():
            if isinstance(node, ast.Call) and (name := _function_name(node.func)) in SAYERS:
                given = (part.value if isinstance(part, ast.Constant) else None for part in node.args)
                parts = [part if isinstance(part, str) else None for part in given][: SAYERS[name]]
                found.append((str(file.relative_to(ROOT)), node.lineno, name, parts))
    return found


def _function_name(function: ast.expr) -> str:
    """Return the name of a called text function, as ``say`` or ``HeadError.saying``."""
    if isinstance(function, ast.Attribute):
        return "saying" if function.attr == "saying" else ""
    return getattr(function, "id", "")


def _literal_calls() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the calls of the text functions with literal templates: the file, the function's name, its literals."""
    for file, _, name, parts in _calls():
        literals = [part for part in parts if part is not None]
        if len(literals) == SAYERS[name]:
            yield file, (name, *literals)


def read(file: Path) -> Catalog:
    with file.open("rb") as opened:
        return read_po(opened, locale=file.stem.split("-")[0] if file.stem != "pseudo" else None)


def file_content(catalogue: Catalog) -> bytes:
    """Return the catalogue as its file, with the files of each sentence but without line numbers, which change with
    every edit."""
    out = io.BytesIO()
    write_po(out, catalogue, width=116, sort_by_file=True, include_lineno=False, ignore_obsolete=True)
    return _NOISE.sub(b"", out.getvalue())


def wanted(file: Path, catalogue: Catalog, present: Catalog) -> Catalog:
    """Return the part of ``present`` that this catalogue must translate: all, or what players see if it is a variant
    (``ja-kana``)."""
    if "-" not in file.stem:
        return present
    part = Catalog(locale=catalogue.locale, fuzzy=False)
    for message in present:
        seen_by_players = any(file == PLAYERS_SEE for file, _ in message.locations)
        if message.id and (seen_by_players or catalogue.get(message.id, message.context) is not None):
            part.add(message.id, locations=message.locations, context=message.context)
    return part


def updated(catalogue: Catalog, present: Catalog) -> Catalog:
    """Return ``present`` with the translations of ``catalogue``; nothing is guessed."""
    new = Catalog(locale=catalogue.locale, project="othello-kiosk", version="", charset="utf-8", fuzzy=False)
    new.revision_date = new.creation_date = catalogue.creation_date
    new.header_comment = catalogue.header_comment
    for message in present:
        if not message.id:
            continue
        old = catalogue.get(message.id, message.context)
        new.add(
            message.id,
            old.string if old is not None else ("",) * _forms(catalogue) if message.pluralizable else "",
            locations=sorted({(file, 0) for file, _ in message.locations}),
            context=message.context,
        )
    return new


def _forms(catalogue: Catalog) -> int:
    return int(catalogue.num_plurals)


def problems(catalogue: Catalog, present: Catalog) -> Iterator[str]:
    """Yield the problems of one language's catalogue."""
    for message in present:
        if not message.id:
            continue
        place, old = _shown(message), catalogue.get(message.id, message.context)
        if old is None:
            yield f"{place}: missing"
            continue
        singular_and_plural = old.string if isinstance(old.string, tuple) else (old.string,)
        if not all(singular_and_plural):
            yield f"{place}: not translated"
        elif old.fuzzy:
            yield f"{place}: fuzzy"
        else:
            wanted = set().union(*map(_fields, _forms_of(message)))
            for one in singular_and_plural:
                yield from (f"{place}: the translation lacks {{{name}}}" for name in sorted(wanted - _fields(one)))
                yield from (f"{place}: nobody fills {{{name}}}" for name in sorted(_fields(one) - wanted))
    for message in catalogue:
        if message.id and present.get(message.id, message.context) is None:
            yield f"{_shown(message)}: nobody says it any more"


def _forms_of(message: Message) -> tuple[str, ...]:
    return message.id if isinstance(message.id, tuple) else (message.id,)


def _shown(message: Message) -> str:
    return f"{next(iter(message.locations), ('catalogue', 0))[0]}: {_forms_of(message)[0]!r}"


def _fields(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


def not_literal() -> Iterator[str]:
    """Yield sentences that no catalogue can contain, because their template is built at run time."""
    for file, line, name, parts in _calls():
        if None in parts:
            yield f"{file}:{line}: {name}(…) takes a literal template; give what varies as a field"


def japanese_outside() -> Iterator[str]:
    """Yield sentences of the product that contain Japanese outside the catalogues; comments and docstrings are not
    shown."""
    for file in [*_python(), *(file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.html")))]:
        where = str(file.relative_to(ROOT))
        if where in JAPANESE_DATA:
            continue
        read = file.read_text("utf-8")
        if not _JAPANESE.search(read):
            continue
        for number, said in _strings(read) if file.suffix == ".py" else enumerate(_uncommented(read), start=1):
            if _JAPANESE.search(said):
                yield f"{where}:{number}: Japanese outside the catalogues: {said.strip()[:80]}"


def _strings(source: str) -> Iterator[tuple[int, str]]:
    """Yield the literals of a module that are no docstrings, with their lines."""
    tree = ast.parse(source)
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value


def _uncommented(page: str) -> list[str]:
    return re.sub(r"\{#.*?#\}", lambda found: "\n" * found[0].count("\n"), page, flags=re.S).splitlines()


def _python() -> list[Path]:
    return [file for package in PACKAGES for file in sorted((ROOT / package).rglob("*.py"))]


def main(what: str) -> int:
    present = extracted()
    files = sorted(FOLDER.glob("*.po"))
    if what == "update":
        for file in files:
            catalogue = read(file)
            file.write_bytes(file_content(updated(catalogue, wanted(file, catalogue, present))))
        return 0
    found = [
        f"{file.name}: {problem}"
        for file in files
        for catalogue in (read(file),)
        for problem in problems(catalogue, wanted(file, catalogue, present))
    ]
    found += [*not_literal(), *japanese_outside()]
    print("\n".join(found) or f"{len(present)} sentences in {len(files)} catalogue(s)")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "check"))
