"""Public class names are unique in the product, so that a name means one thing."""

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: names that may stand in several modules -> why
SHARED: dict[str, str] = {}


def public_classes() -> dict[str, list[str]]:
    """Return every public class name of the product with the files that define it at their top level."""
    found: dict[str, list[str]] = defaultdict(list)
    for package in ("engine", "hardware", "kiosk"):
        for path in sorted((ROOT / package).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    found[node.name].append(str(path.relative_to(ROOT)))
    return found


def test_no_public_class_name_stands_twice():
    found = public_classes()
    assert len(found) > 900
    assert {name: files for name, files in found.items() if len(files) > 1 and name not in SHARED} == {}
    assert all(len(found[name]) > 1 for name in SHARED), "a reason for a name that stands once"
