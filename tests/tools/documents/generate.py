"""Parts of the documents that the code knows: settings, options, addresses, commands, database, faults.

A part stands in its page between ``<!-- generated: NAME -->`` and ``<!-- end -->``.
``make generated`` writes all of them; ``tests/test_documents.py`` compares them.
"""

from __future__ import annotations

import ast
import inspect
import io
import re
import tokenize
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache, partial
from pathlib import Path
from typing import Any

import click
import msgspec
from documents.rule_ids import linked

from engine.board.variants import PLAYABLE, Variant
from engine.match import rule_sets_and_options, time_controls
from engine.tournament.format_spec_and_options import (
    COMMON,
    BoolOption,
    ChoiceOption,
    IntOption,
    ListOption,
    RuleOption,
)
from engine.tournament.formats import FORMATS
from kiosk.cli import app
from kiosk.commands.translated_help_and_usage_errors import Context, calls, usage
from kiosk.head import head_config as head_config
from kiosk.head.federation.database import database_schema
from kiosk.head.pages.http_app_and_security_headers import AREAS
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.locale import ENGLISH, render
from kiosk.table import table_config as table_config

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
PART = re.compile(r"(<!-- generated: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)


# --- tables


def table(headings: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a table in Markdown."""
    named = list(headings)
    lines = [named, ["---"] * len(named), *([_cell(cell) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(value: object) -> str:
    return str(value).replace("\n", " ").replace("|", "\\|")


def code(value: object) -> str:
    return f"`{value}`"


def sentence(text: str) -> str:
    """Return the text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]


# --- comments in the source


@cache
def comments(source: str) -> dict[int, str]:
    """Return the comment of each line that has one."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {t.start[0]: t.string.lstrip("#: ").strip() for t in tokens if t.type == tokenize.COMMENT}


def field_comments(cls: type) -> dict[str, str]:
    """Return what the comment behind each field of a class says, or the comment above it."""
    source = inspect.getsource(cls)
    comment_of_line = comments(source)
    code_lines = source.splitlines()
    found = {}
    (body,) = ast.parse(source).body
    for line in typing.cast("ast.ClassDef", body).body:
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name):
            above = (
                comment_of_line.get(line.lineno - 1, "") if code_lines[line.lineno - 2].lstrip().startswith("#") else ""
            )
            found[line.target.id] = comment_of_line.get(line.end_lineno or line.lineno, "") or above
    return found


def member_comments(enum: type[StrEnum]) -> dict[str, str]:
    comment_of_line, found = comments(source := inspect.getsource(enum)), {}
    (body,) = ast.parse(source).body
    for line in typing.cast("ast.ClassDef", body).body:
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Constant):
            found[str(line.value.value)] = comment_of_line.get(line.lineno, "")
    return found


def assignment_comments(path: Path) -> dict[str, str]:
    """Return the comment above each assignment of a module whose first argument is a text, by that text; assignments
    without a comment are left out."""
    source = path.read_text(encoding="utf-8")
    comment_of_line, lines, found = comments(source), source.splitlines(), {}
    for node in ast.parse(source).body:
        value = getattr(node, "value", None)
        if not (isinstance(node, ast.Assign) and isinstance(value, ast.Call) and value.args):
            continue
        if isinstance(value.args[0], ast.Constant):
            above, number = [], node.lineno - 1
            while number > 0 and lines[number - 1].startswith("#:"):
                above.insert(0, comment_of_line[number])
                number -= 1
            if above:
                found[str(value.args[0].value)] = " ".join(above)
    return found


# --- settings


def settings(top: type[msgspec.Struct]) -> str:
    """Return one table for the top of a configuration file and one for each of its sections."""
    plain, sections = [], []
    for field in msgspec.structs.fields(top):
        section = _section(field.type)
        if section is None:
            plain.append(_setting(top, field))
        else:
            sections.append((field.name, section))
    parts = ["Top of the file:\n\n" + table(("field", "value", "default", "meaning"), plain)]
    for name, section in sections:
        rows = [_setting(section, field) for field in msgspec.structs.fields(section)]
        parts.append(f"### `[{name}]`\n\n" + table(("field", "value", "default", "meaning"), rows))
    return "\n".join(parts)


def _section(kind: Any) -> type[msgspec.Struct] | None:
    for one in (kind, *typing.get_args(kind)):
        if isinstance(one, type) and issubclass(one, msgspec.Struct):
            return one
    return None


def _setting(owner: type, field: msgspec.structs.FieldInfo) -> tuple[str, str, str, str]:
    documented: dict[str, str] = {}
    for cls in reversed(owner.__mro__[: owner.__mro__.index(msgspec.Struct)]):
        documented |= field_comments(cls)
    default = field.default
    if default is msgspec.NODEFAULT:
        factory = field.default_factory
        default = factory() if callable(factory) else factory
    default_text = "required" if default is msgspec.NODEFAULT else "" if default in (None, "") else code(_toml(default))
    return code(field.name), _kind(field.type), default_text, sentence(documented[field.name])


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return str(list(value))
    return f'"{value}"' if isinstance(value, str) else str(value)


def _kind(kind: Any) -> str:
    origin, args = typing.get_origin(kind), typing.get_args(kind)
    if origin is typing.Annotated:
        limits = [meta for meta in args[1:] if isinstance(meta, msgspec.Meta)]
        return _kind(args[0]) + "".join(_limits(meta) for meta in limits)
    if origin is typing.Literal:
        return ", ".join(code(_toml(one)) for one in args)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_kind(one) for one in args if one is not type(None))
    if origin is list:
        return f"list of {_kind(args[0])}"
    if origin is dict or kind is dict:
        return "table"
    if origin is tuple:
        return f"[{', '.join(_kind(one) for one in args)}]"
    return {"bool": "true, false", "int": "number", "float": "number", "str": "text", "Path": "path"}[kind.__name__]


def _limits(meta: msgspec.Meta) -> str:
    low = meta.ge if meta.ge is not None else meta.gt
    return "" if low is None else f", {low} to {meta.le}" if meta.ge is not None else f" above {low}, up to {meta.le}"


# --- formats


def formats() -> str:
    rows = []
    for name, format_ in FORMATS.items():
        facts = format_.facts
        low, high = facts.sizes
        own = [one.name for one in (*facts.choices, *facts.readings) if one not in COMMON]
        rows.append(
            (
                code(name),
                ", ".join(dict.fromkeys(render(kind.title, ENGLISH) for kind in facts.kinds)),
                f"{low}–{high}" if high < 4096 else f"{low} or more",
                code(facts.rules),
                "players" if facts.settled_by_players else "pairing",
                "yes" if facts.lots else "",
                ", ".join(map(code, own)),
            )
        )
    return table(("format", "kinds at the desk", "entries", "rule set", "colours by", "lots", "options"), rows)


def format_options() -> str:
    folder = ROOT / "engine/tournament"
    documented: dict[str, str] = {}
    for path in (folder / "format_spec_and_options.py", *sorted((folder / "formats").glob("*.py"))):
        documented |= assignment_comments(path)
    used: dict[str, list[str]] = {}
    options: dict[str, RuleOption[Any]] = {}
    for name, format_ in FORMATS.items():
        for one in (*format_.facts.choices, *format_.facts.readings):
            used.setdefault(one.name, []).append(name)
            options.setdefault(one.name, one)
    rows = []
    for name, one in options.items():
        formats_ = "all" if len(used[name]) == len(FORMATS) else ", ".join(map(code, used[name]))
        rows.append((code(name), _values(one), sentence(documented[name]), formats_))
    return table(("option", "values", "meaning", "formats"), rows)


def _values(one: RuleOption[Any]) -> str:
    if isinstance(one, ChoiceOption):
        return ", ".join(map(code, one.values))
    if isinstance(one, IntOption):
        return f"{one.low} to {one.high}" if one.high else f"{one.low} or more"
    if isinstance(one, ListOption):
        return "list of " + ", ".join(map(code, one.values))
    assert isinstance(one, BoolOption)
    return "true, false"


# --- rule sets


def rule_sets() -> str:
    rows = []
    for name, rules in rule_sets_and_options.RULE_SETS.items():
        options = rules.options
        rows.append(
            (
                code(name),
                render(rules.title, ENGLISH),
                code(options.flag_outcome),
                code(options.who_may_call),
                code(options.both_flags),
                "yes" if rules.draws else "no",
                rules.score,
                code(rules.colors),
                "yes" if rules.audible else "no",
                f"{rules.main_s // 60} min",
            )
        )
    headings = ("rule set", "title", "a flag means", "who may call", "both flags", "draws", "card counts")
    return table((*headings, "colours", "sounds", "main time"), rows)


def rule_options() -> str:
    documented = field_comments(rule_sets_and_options.RuleOptions)
    hints = typing.get_type_hints(rule_sets_and_options.RuleOptions)
    notes, rows = [], []
    for field in fields(rule_sets_and_options.RuleOptions):
        if field.name == "control":
            continue
        enum = next((one for one in (hints[field.name], *typing.get_args(hints[field.name])) if _is_enum(one)), None)
        values = ", ".join(code(one) for one in enum) if enum else _plain(field.name, hints[field.name])
        usual = field.default.name if isinstance(field.default, Variant) else field.default
        assert not is_dataclass(usual) and usual is not MISSING
        default = "" if usual is None else code(_toml(usual).strip('"'))
        rows.append((code(field.name), values, default, sentence(documented[field.name])))
        if enum:
            notes += [
                (code(field.name), code(one), sentence(text)) for one, text in member_comments(enum).items() if text
            ]
    values_table = table(("option", "value", "meaning"), dict.fromkeys(notes))
    return (
        table(("option", "values", "default of `m43`", "meaning"), rows) + "\nWhat the values mean:\n\n" + values_table
    )


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, StrEnum)


def _plain(name: str, kind: Any) -> str:
    if name == "variant":
        return ", ".join(map(code, PLAYABLE))
    return "true, false" if kind is bool else "number"


def time_controls_section() -> str:
    documented = member_comments(time_controls.ControlKind)
    return table(("`control`", "meaning"), [(code(name), sentence(text)) for name, text in documented.items()])


# --- addresses


def addresses() -> str:
    parts = []
    for area in AREAS:
        rows = [_address(one) for one in area.ADDRESSES if one.method == "GET"]
        forms = [(code(one.path), one.role.value, _fields(one)) for one in area.ADDRESSES if one.method != "GET"]
        title = area.__name__.rpartition(".")[2]
        about = " ".join((area.__doc__ or "").split("\n\n")[0].split())
        part = f"### {sentence(title)}\n\n{about}\n\n" + table(("page or file", "for", "live", "content"), rows)
        if forms:
            part += "\n" + table(("form", "for", "fields"), forms)
        parts.append(part)
    return "\n".join(parts)


def _address(one: PageRoute) -> tuple[str, str, str, str]:
    live = "yes" if one.items is not None or one.stream is not None else ""
    summary = "" if isinstance(one.answer, partial) else (one.answer.__doc__ or "").split("\n\n")[0]
    return code(one.path), one.role.value, live, " ".join(summary.split())


def _fields(one: PageRoute) -> str:
    """Return the fields of a form; numbered ones (plays1, plays2 …) as one."""
    return ", ".join(dict.fromkeys(code(re.sub(r"\d+$", "N", name)) for name in sorted(one.fields | one.uploads)))


# --- commands


def commands() -> str:
    parts = []
    for call in calls(Context(app, info_name="kiosk")):
        if isinstance(call.command, click.Group):
            continue
        about = "\n\n".join(" ".join(part.split()) for part in inspect.cleandoc(call.command.help or "").split("\n\n"))
        options = [one for one in call.command.params if isinstance(one, click.Option)]
        rows = [(code(_option(one)), one.help or "") for one in options]
        part = f"### `{call.command_path}`\n\n    {render(usage(call), ENGLISH)}\n\n{about}\n"
        parts.append(part + ("\n" + table(("option", "meaning"), rows) if rows else ""))
    return "\n".join(parts)


def _option(one: click.Option) -> str:
    metavar = "" if one.is_flag or one.count else f" {one.metavar or one.type.name.upper()}"
    if isinstance(one.type, click.Choice):
        metavar = " " + "|".join(map(str, one.type.choices))
    return ", ".join((*one.opts, *one.secondary_opts)) + metavar


# --- the federation's database


def database() -> str:
    parts = ["## Views\n"]
    for view in database_schema.VIEWS:
        rows = [(code(f"{view.name}.{name}"), description) for name, (_, description) in view.columns.items()]
        parts.append(f"### `{view.name}`\n\n{view.comment}.\n\n" + table(("column", ""), rows))
    parts.append("## Tables\n")
    for one in database_schema.metadata.sorted_tables:
        rows = [(code(f"{one.name}.{column.name}"), str(column.comment)) for column in one.columns]
        parts.append(f"### `{one.name}`\n\n{one.comment}.\n\n" + table(("column", ""), rows))
    return "\n".join(parts)


# --- faults


def faults() -> str:
    rows = sorted(set(_marks()))
    return table(("row", "fault", "test"), [(row, text, code(path)) for row, text, path in rows])


def _marks() -> Iterator[tuple[int, str, str]]:
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        source = path.read_text(encoding="utf-8")
        if "mark.fault(" not in source:
            continue
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("mark.fault"):
                row, text = node.args
                for one in (row.body, row.orelse) if isinstance(row, ast.IfExp) else (row,):
                    yield ast.literal_eval(one), _words(text), path.relative_to(ROOT).as_posix()


def _words(text: ast.expr) -> str:
    """Return what a mark says, without the figures that its test fills in."""
    if isinstance(text, ast.IfExp):
        return _words(text.orelse)
    pieces = text.values if isinstance(text, ast.JoinedStr) else [text]
    said = "".join(str(piece.value) if isinstance(piece, ast.Constant) else "" for piece in pieces)
    return re.sub(r"[:,]?[^:,;]*\{\w+\}[^:,;]*", "", said).strip(" :,;") or said


GENERATED: dict[str, Callable[[], str]] = {
    "table-settings": partial(settings, table_config.TableConfig),
    "head-settings": partial(settings, head_config.HeadConfig),
    "formats": formats,
    "format-options": format_options,
    "rule-sets": rule_sets,
    "rule-options": rule_options,
    "time-controls": time_controls_section,
    "addresses": addresses,
    "commands": commands,
    "database": database,
    "faults": faults,
}


#: parts in which rule ids become links to docs/rules
QUOTING = ("format-options", "rule-options", "time-controls")


def generated(text: str) -> str:
    """Return the page with all its generated parts as the code has them now."""
    return PART.sub(lambda found: f"{found[1]}\n{_part(found[2])}\n{found[3]}", text)


def _part(name: str) -> str:
    content = GENERATED[name]()
    return linked(content) if name in QUOTING else content


def pages() -> list[Path]:
    return [path for path in sorted(DOCS.rglob("*.md")) if PART.search(path.read_text(encoding="utf-8"))]


if __name__ == "__main__":
    for page in pages():
        page.write_text(generated(page.read_text(encoding="utf-8")), encoding="utf-8")
