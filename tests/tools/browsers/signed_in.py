"""A browser already signed in at a head, so that tests need not type a password."""

from __future__ import annotations

import httpx
from heads.staff import first_chief
from selenium import webdriver

from kiosk.head.program import HeadApplication


def sign_in_browser(browser: webdriver.Chrome, program: HeadApplication, url: str) -> None:
    """Sign in as the chief arbiter over HTTP, and give the session to the browser."""
    with httpx.Client(base_url=url) as web:
        first_chief(web, program.access.setup_code)
        key = web.cookies["kiosk_session"]
    browser.get(f"{url}/static/icon.svg")
    browser.delete_all_cookies()
    browser.add_cookie({"name": "kiosk_session", "value": key, "path": "/"})
