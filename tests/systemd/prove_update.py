"""Signs in at the head of ``prove_inside.sh`` as its first chief, offers the newest update to table 5, and prints what
becomes of it. Only Python's own library: it runs where nothing but the programs is installed."""

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


def ask(path: str, **form: str) -> str:
    data = urllib.parse.urlencode(form).encode() if form else None
    with browser.open(HEAD + path, data, timeout=60) as answer:
        return str(answer.read().decode())


def row() -> str:
    found = re.search(
        rf'<li class="([a-z ]+)">\s*<a class="no" href="/devices/table/{TABLE}">.*?</li>', ask("/devices"), re.S
    )
    return "" if found is None else f"{found[1]} " + " ".join(re.sub("<[^>]*>", " ", found[0]).split())


def token() -> str:
    return re.search(r'name="csrf" value="([^"]+)"', ask("/devices/pin"))[1]  # type: ignore[index]


def main(wanted: str) -> None:
    if Path("/root/cookies").exists():
        jar.load(ignore_discard=True)
    else:
        code = Path("/run/othello-head/setup-code").read_text().split()[-1]
        ask("/sign-in/password", code=code, name="Chief", password=PASSWORD, again=PASSWORD)
        jar.save(ignore_discard=True)
    end = time.monotonic() + WAIT_S
    while "/devices/update" not in ask("/devices") or not row() or "silent" in row():
        if time.monotonic() > end:
            sys.exit(f"table {TABLE} does not ask: {row()}")
        time.sleep(1)
    ask("/devices/update", csrf=token(), tables=str(TABLE), password=PASSWORD)
    while not row().startswith(wanted):
        if time.monotonic() > end:
            sys.exit(f"the update does not end: {row()}")
        time.sleep(1)
    print(row())  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1])
