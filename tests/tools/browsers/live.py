"""Access to a live page in a browser, one atomic script per action.

A stream may replace any element between finding it and reading, pressing or filling it in; so each of these actions is
one script inside the page, and waits are for a state of the page.
"""

from __future__ import annotations

from typing import Any

from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.support.ui import WebDriverWait
from waiting import HANGS_S

_TEXT = "return document.querySelector(arguments[0])?.innerText ?? null"
_SAYS = "return document.querySelector(arguments[0])?.innerText.includes(arguments[1])"
_ANOTHER_PAGE = "return window.left === undefined && document.readyState !== 'loading'"
#: the element at its own centre must be the element itself, as for a tap of a person
_TAP = """
const found = document.querySelector(arguments[0]);
if (!found || found.disabled) return false;
found.scrollIntoView({block: 'center', behavior: 'instant'});
const box = found.getClientRects()[0];
if (!box) return false;
if (!found.contains(document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2))) return false;
window.left = true;
found.click();
return true;
"""
#: a page does not replace an item in which something has the focus
_FOCUS = """
const field = document.querySelector(arguments[0]);
if (!field || field.disabled || !field.getClientRects().length) return false;
field.focus();
field.select();
return document.activeElement === field;
"""
_CHOOSE = """
const list = document.querySelector(arguments[0]), value = arguments[1];
const found = [...list?.options ?? []].findIndex((one, at) => one.value === value || at === value);
if (found < 0) return false;
list.selectedIndex = found;
list.dispatchEvent(new Event('change', {bubbles: true}));
return true;
"""


def wait_for(browser: webdriver.Chrome, script: str, *arguments: object) -> Any:
    """Return what the script returns, as soon as that is true. While the browser changes pages there is no result."""
    patient = WebDriverWait(browser, HANGS_S, 0.05, ignored_exceptions=[WebDriverException])
    return patient.until(lambda b: b.execute_script(script, *arguments), f"{script} {arguments}")


def wait_for_element(browser: webdriver.Chrome, css: str) -> None:
    wait_for(browser, "return document.querySelector(arguments[0]) !== null", css)


def wait_for_text(browser: webdriver.Chrome, text: str, css: str = "main") -> None:
    wait_for(browser, _SAYS, css, text)


def wait_for_path(browser: webdriver.Chrome, path: str) -> None:
    """Wait until the page of that path is shown."""
    wait_for(browser, "return location.pathname === arguments[0] && document.readyState !== 'loading'", path)


def text_of(browser: webdriver.Chrome, css: str) -> str:
    """Return the text of an element as soon as it exists and is not empty."""
    return str(wait_for(browser, _TEXT, css))


def texts_of(browser: webdriver.Chrome, css: str) -> list[str]:
    """Return the current texts of all such elements."""
    found = browser.execute_script("return [...document.querySelectorAll(arguments[0])].map(e => e.innerText)", css)
    return [str(text) for text in found]


def number_of(browser: webdriver.Chrome, css: str) -> int:
    """Return the current number of such elements."""
    return int(browser.execute_script("return document.querySelectorAll(arguments[0]).length", css))


def tap(browser: webdriver.Chrome, css: str) -> None:
    """Tap an element as soon as it can be tapped."""
    wait = WebDriverWait(browser, HANGS_S, 0.05)
    wait.until(lambda b: b.execute_script(_TAP, css), f"{css} could not be tapped")


def follow(browser: webdriver.Chrome, css: str) -> None:
    """Tap a link to another page, and wait until that page is shown."""
    tap(browser, css)
    wait_for(browser, _ANOTHER_PAGE)


def fill(browser: webdriver.Chrome, css: str, text: str) -> None:
    """Replace the text of a field."""
    wait = WebDriverWait(browser, HANGS_S, 0.05)
    wait.until(lambda b: b.execute_script(_FOCUS, css), f"{css} cannot be typed into")
    browser.execute_cdp_cmd("Input.insertText", {"text": text})
    assert browser.execute_script("return document.activeElement.value") == text, css


def choose(browser: webdriver.Chrome, css: str, value: str | int) -> None:
    """Choose an option by value, or by index."""
    wait_for(browser, _CHOOSE, css, value)
