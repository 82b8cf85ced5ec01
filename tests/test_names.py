"""Tests of names: public class names are unique in the product, and no definition has a former name of NAMES.md."""

import builtins
import re
from collections import defaultdict
from pathlib import Path

import pytest
from names.old_names import ALLOWED, former_names

ROOT = Path(__file__).parents[1]
#: names that may be defined in several modules, each with the reason
SHARED: dict[str, str] = {}


def public_classes() -> dict[str, list[str]]:
    """Return every public class name of the product with the files that define it at their top level."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in ("engine", "hardware", "kiosk"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for name in re.findall(r"^class ([^_]\w*)", path.read_text(encoding="utf-8"), re.MULTILINE):
                found[name].append(str(path.relative_to(ROOT)))
    return found


def test_public_class_names_are_unique():
    found = public_classes()
    assert len(found) >= 900
    assert {name: files for name, files in found.items() if len(files) > 1 and name not in SHARED} == {}
    assert all(len(found[name]) > 1 for name in SHARED), "a reason for a name that stands once"


def test_no_definition_has_a_former_name_without_a_reason():
    found = former_names()
    assert [one for one in found if one[1] not in ALLOWED] == []
    assert {name for _, name, _ in found} == set(ALLOWED), "a reason for a name that does not stand"


@pytest.mark.parametrize(
    ("file", "source", "finds"),
    [
        ("kiosk/head/door.py", "", ("module", "door", "kiosk/head/door.py")),
        ("engine/told/__init__.py", "class Told: ...", ("class", "Told", "engine/told/__init__.py:1")),
        ("kiosk/a.py", "class A:\n    def spoken(self): ...", ("function", "spoken", "kiosk/a.py:2")),
        ("kiosk/a.py", "spoken = Doors = 1", None),
    ],
)
def test_definitions_with_former_names_are_found(tmp_path, file, source, finds):
    (tmp_path / file).parent.mkdir(parents=True)
    (tmp_path / file).write_text(source)
    assert former_names(tmp_path) == ([] if finds is None else [finds])


def test_every_error_that_a_docstring_names_exists():
    """``:raises Name:`` names a class of the product or of Python, or one that the module imports."""
    known, unknown = set(public_classes()) | set(dir(builtins)), {}
    for package in ("engine", "hardware", "kiosk"):
        for path in sorted((ROOT / package).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            named = {name.rpartition(".")[2] for name in re.findall(r":raises ([\w.]+):", source)} - known
            if left := named - set(re.findall(r"\w+", re.sub(r'"""(?:.|\n)*?"""', "", source))):
                unknown[str(path.relative_to(ROOT))] = left
    assert unknown == {}


#: words in double backticks that are no names of the code: parts of formats, names of other programs
NO_NAMES = {"r3g2", "Xf5e5", "YYYYMMDD_NAME.ELO", "asyncio.BaseEventLoop"}


def test_every_name_in_a_docstring_exists():
    """A word in double backticks is a name, or a part of a string, of the product, its tests or its benchmarks."""
    quoted: dict[str, str] = {}
    known = {"py"}
    for folder in ("engine", "hardware", "kiosk", "tests", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            known.update(path.relative_to(ROOT).with_suffix("").parts)
            source = path.read_text(encoding="utf-8")
            if path != Path(__file__):
                known.update(re.findall(r"\w+", re.sub(r'"""(?:.|\n)*?"""|(?<!["\w])#.*', "", source)))
            if folder in ("engine", "hardware", "kiosk"):
                for name in re.findall(r"``([A-Za-z_][\w.]*)(?:\(\))?``", source):
                    quoted[name] = str(path.relative_to(ROOT))
    unknown = {name: path for name, path in quoted.items() if not known.issuperset(name.split("."))}
    assert len(quoted) > 1000
    assert {name: path for name, path in unknown.items() if name not in NO_NAMES} == {}
    assert set(unknown) == NO_NAMES, "a word that is a name, or is not quoted any more"
