"""Ids of the rules in docs/rules: their link targets, and the ids that the code quotes.

``.venv/bin/python tests/tools/documents/rule_ids.py`` writes the missing link targets into docs/rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]
RULES = ROOT / "docs/rules"
#: what quotes rules
QUOTING = ("engine", "hardware", "kiosk", "tests")
SUFFIXES = (".py", ".html", ".json", ".md")

_ID = r"[A-Z][A-Z0-9]*(?:-[A-Z]+)*-\d+[a-z]?(?:\.\d+)?[a-z]?"
_TARGET = re.compile(r'<a id="([^"]+)"></a>')
#: a rule is defined where its id begins bold text, and where it begins a row of a table
_BOLD = re.compile(rf"\*\*(?={_ID}(?:[–/ ][^*\n]*)?\*\*)")
_ROW = re.compile(rf"^\| (?={_ID}(?: [^|]*)?\|)", re.MULTILINE)
_FAULT = re.compile(r"^\| (?=\d+ \|)", re.MULTILINE)
_RANGE = re.compile(rf"({_ID})(?:–(\d+))?")


def targets(text: str) -> list[str]:
    return _TARGET.findall(text)


def defined() -> list[str]:
    """Return every id that has a link target in docs/rules."""
    return [target for page in sorted(RULES.glob("*.md")) for target in targets(page.read_text(encoding="utf-8"))]


def with_targets(name: str, text: str) -> str:
    """Return the text of the page ``name`` with a link target before each definition that has none."""
    if name == "FAULTS.md":
        return _FAULT.sub(lambda m: f'{m[0]}<a id="FAULT-{re.match(r"[0-9]+", text[m.end() :])[0]}"></a>', text)  # type: ignore[index]
    places = sorted(
        (found.end(), end) for pattern, end in ((_BOLD, "**"), (_ROW, "|")) for found in pattern.finditer(text)
    )
    pieces, done, seen = [], 0, set(targets(text))
    for at, end in places:
        new = [one for one in _named(text[at : text.index(end, at)]) if one not in seen]
        seen.update(new)
        pieces += [text[done:at], "".join(f'<a id="{one}"></a>' for one in new)]
        done = at
    return "".join((*pieces, text[done:]))


def _named(heading: str) -> list[str]:
    """Return the ids in a heading such as ``M43-4 / M40-3``, ``M40-5.1/5.2`` or ``M43-17.1–3``."""
    found = []
    heading = re.sub(rf"({_ID})/(\d)", lambda m: f"{m[1]} {m[1].rpartition('-')[0]}-{m[2]}", heading)
    for one, last in _RANGE.findall(heading):
        stem, _, first = one.rpartition(".")
        found += [f"{stem}.{n}" for n in range(int(first), int(last) + 1)] if last else [one]
    return found


def linked(text: str) -> str:
    """Return the text of a page of docs/reference with a link at each rule id that has a target."""
    ids = {
        target: page.name for page in sorted(RULES.glob("*.md")) for target in targets(page.read_text(encoding="utf-8"))
    }
    return re.sub(
        rf"(?<![\w`#-]){_ID}(?![\w`])",
        lambda found: f"[{found[0]}](../rules/{ids[found[0]]}#{found[0]})" if found[0] in ids else found[0],
        text,
    )


def quoted() -> Iterator[tuple[str, Path]]:
    """Yield every rule id in the code and the file that quotes it."""
    prefixes = {one.rsplit("-", 1)[0] for one in defined()} - {"FAULT"}
    known = "|".join(sorted(map(re.escape, prefixes), key=len, reverse=True))
    pattern = re.compile(rf"(?<![\w-])(?:{known})-\d+(?:[a-z](?![a-z]))?(?:\.\d+)?(?:[a-z](?![a-z]))?(?![\w])")
    for folder in QUOTING:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in SUFFIXES:
                for found in pattern.findall(path.read_text(encoding="utf-8")):
                    yield found, path.relative_to(ROOT)


def unknown() -> dict[str, set[str]]:
    """Return the quoted ids that no rule has. An id of a whole article stands for its parts."""
    ids = set(defined())
    whole = {re.sub(r"(?:\.\d+)?[a-z]?$", "", one) for one in ids} | {re.sub(r"\.\d+[a-z]?$", "", one) for one in ids}
    whole |= {re.sub(r"[a-z]$", "", one) for one in ids}
    whole |= {re.sub(r"[a-z]?$", "", one) for one in whole}
    wrong: dict[str, set[str]] = {}
    for one, path in quoted():
        if one not in ids and one not in whole:
            wrong.setdefault(one, set()).add(str(path))
    return wrong


if __name__ == "__main__":
    for page in sorted(RULES.glob("*.md")):
        old = page.read_text(encoding="utf-8")
        page.write_text(with_targets(page.name, old), encoding="utf-8")
