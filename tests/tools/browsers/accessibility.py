"""What axe says about the accessibility of a page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from typing import Any

from selenium import webdriver

_AXE = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
_RUN = (
    "const done = arguments[arguments.length - 1];"
    "axe.run(document, {resultTypes: ['violations'], rules: arguments[0]}).then(r => done(r.violations))"
)


@contextmanager
def axe_in(browser: webdriver.Chrome) -> Iterator[None]:
    """Let the browser load axe with each page: half the cost of sending it to each page."""
    script = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _AXE})
    yield
    browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", script)


def serious_violations(browser: webdriver.Chrome, *without: str) -> list[dict[str, Any]]:
    """Return what axe finds serious on the page, ``without`` these rules."""
    result = browser.execute_async_script(_RUN, {rule: {"enabled": False} for rule in without})
    return [
        {"rule": one["id"], "at": [node["target"] for node in one["nodes"]][:4], "html": one["nodes"][0]["html"][:200]}
        for one in result
        if one["impact"] in ("serious", "critical")
    ]
