"""Tests that the documents name files that exist, and agree with the code."""

from __future__ import annotations

import builtins
import re
from pathlib import Path

import pytest
from documents import generate, rule_ids

ROOT = Path(__file__).parents[1]
#: folders with which a path in a document begins
FOLDERS = ("benchmarks", "docs", "engine", "fabrication", "firmware", "hardware", "kiosk", "systemd", "tests")
DOCUMENTS = ("CONTRIBUTING.md", "README.md", *(str(path.relative_to(ROOT)) for path in ROOT.glob("docs/**/*.md")))
#: the project's rules are kept as they were written
DOCUMENTS = tuple(name for name in DOCUMENTS if not name.startswith("docs/rules/"))


def paths(document: str) -> set[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w/.-])((?:" + "|".join(FOLDERS) + r")/[\w./-]*\w/?)(?![\w<*{])", text)
    return {path for path in named if "<" not in path}


@pytest.mark.parametrize("document", DOCUMENTS)
def test_paths_in_documents_exist(document: str):
    assert {path for path in paths(document) if not (ROOT / path).exists()} == set()


#: capitalised words in code style that are no classes: headers and keys of other programs' files
HEADERS = {"Host", "Language", "Origin", "StateDirectory"}


def test_classes_and_modules_in_documents_exist() -> None:
    """A name in code style alone, such as `PageRoute` or `act_reducers.py`, with no folder before it."""
    sources = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    known = {name for text in texts for name in re.findall(r"^ *class (\w+)[(:]", text, re.MULTILINE)}
    known |= {path.name for path in sources} | set(dir(builtins)) | HEADERS
    unknown = {}
    for document in (*DOCUMENTS, "tests/tools/README.md", "tests/data/README.md", "tests/systemd/README.md"):
        text = re.sub(r"```.*?```", "", (ROOT / document).read_text(encoding="utf-8"), flags=re.DOTALL)
        if left := set(re.findall(r"`([A-Z][a-z]\w*|[a-z_0-9]+\.py)`", text)) - known:
            unknown[document] = left
    assert unknown == {}


def test_every_row_of_the_fault_table_has_a_test_and_every_marked_test_a_row() -> None:
    text = (ROOT / "docs/develop/testing.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| (\d+) \|", text, re.MULTILINE))
    sources = (path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("test_*.py"))
    marked = {row for source in sources for row in re.findall(r"mark\.fault\(\s*(\d+)", source)}
    assert rows == marked


@pytest.mark.parametrize("page", generate.pages(), ids=lambda page: page.stem)
def test_generated_parts_are_those_of_the_code(page: Path) -> None:
    """``make generated`` updates them."""
    text = page.read_text(encoding="utf-8")
    assert generate.generated(text) == text


def test_every_generator_is_used_in_a_page() -> None:
    texts = [page.read_text(encoding="utf-8") for page in generate.pages()]
    assert {name for text in texts for _, name, _ in generate.PART.findall(text)} == set(generate.GENERATED)


def test_every_rule_has_one_link_target() -> None:
    ids = rule_ids.defined()
    assert len(ids) == len(set(ids))
    for page in rule_ids.RULES.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert rule_ids.with_targets(page.name, text) == text


def test_every_rule_id_in_the_code_exists() -> None:
    """The id of a whole article (M43-15) includes its parts."""
    assert rule_ids.unknown() == {}


@pytest.mark.parametrize(("prefix", "number"), [("M43", "99"), ("AMB", "4"), ("TEAM", "7.9")])
def test_an_unknown_rule_id_is_found(
    prefix: str, number: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    wrong = f"{prefix}-{number}"
    (tmp_path / "engine").mkdir()
    (tmp_path / "engine/wrong.py").write_text(f"# {wrong}\n", encoding="utf-8")
    monkeypatch.setattr(rule_ids, "ROOT", tmp_path)
    assert rule_ids.unknown() == {wrong: {"engine/wrong.py"}}


def test_links_between_documents_are_valid() -> None:
    """Files and headings exist; a heading may end in ``{#anchor}``, as in MkDocs."""
    broken = []
    for page in ROOT.glob("docs/**/*.md"):
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
            file, _, anchor = target.partition("#")
            if "://" in target or file.endswith("/"):
                continue
            path = (page.parent / file).resolve() if file else page
            if not path.exists() or (anchor and anchor not in anchors(path)):
                broken.append((str(page.relative_to(ROOT)), target))
    assert broken == []


def anchors(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    slugs = {re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}
    return slugs | set(re.findall(r"\{#([\w-]+)\}", text)) | set(rule_ids.targets(text))
