"""Signs in at the head of ``prove_inside.sh`` as its first chief, and prints the row of table 5 at ``/devices``.

    prove_update.py done|failed VERSION         offers the newest update, waits until the row says so, and VERSION
    prove_update.py offer                       only offers it
    prove_update.py look done|failed VERSION    offers nothing, and waits until the row says so

Only Python's own library: it runs where nothing but the programs is installed."""

from __future__ import annotations

import http.cookiejar
import re
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HEAD, TABLE, WAIT_S = "http://127.0.0.1:8043", 5, 600
PASSWORD = "green discs rule"
jar = http.cookiejar.LWPCookieJar("/root/cookies")
browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
browser.addheaders = [("Accept-Language", "en")]


def fetch(path: str, **form: str) -> str:
    """Return a page; None while the head restarts. It runs on the same machine here, and is updated with the table."""
    data = urllib.parse.urlencode(form).encode() if form else None
    try:
        with browser.open(HEAD + path, data, timeout=60) as answer:
            return str(answer.read().decode())
    except urllib.error.HTTPError:
        raise
    except OSError:
        return ""


def row() -> str:
    found = re.search(
        rf'<li class="([a-z ]+)">\s*<a class="no" href="/devices/table/{TABLE}">.*?</li>', fetch("/devices"), re.S
    )
    return "" if found is None else f"{found[1]} " + " ".join(re.sub("<[^>]*>", " ", found[0]).split())


def token() -> str:
    return re.search(r'name="csrf" value="([^"]+)"', fetch("/devices/pin"))[1]  # type: ignore[index]


def main(wanted: str, version: str = "", *, offers: bool) -> None:
    if Path("/root/cookies").exists():
        jar.load(ignore_discard=True)
    else:
        code = Path("/run/othello-head/setup-code").read_text().split()[-1]
        fetch("/sign-in/password", code=code, name="Chief", password=PASSWORD, again=PASSWORD)
        jar.save(ignore_discard=True)
    end = time.monotonic() + WAIT_S
    while offers and ("/devices/update" not in fetch("/devices") or not row() or "silent" in row()):
        if time.monotonic() > end:
            sys.exit(f"table {TABLE} does not ask: {row()}")
        time.sleep(1)
    if offers:
        fetch("/devices/update", csrf=token(), tables=str(TABLE), password=PASSWORD)
    while wanted != "offer" and not (row().startswith(wanted) and version in row()):
        if time.monotonic() > end:
            sys.exit(f"the update does not end: {row()}")
        time.sleep(1)
    print(row())  # noqa: T201


if __name__ == "__main__":
    looks = sys.argv[1] == "look"
    main(*sys.argv[1 + looks :], offers=not looks)
