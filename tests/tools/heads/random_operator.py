"""An operator who follows links and sends forms of the staff's pages at random, with messy values.

In between a second operator enters results and publishes rounds, so that divisions reach every state.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from posixpath import normpath
from random import Random
from urllib.parse import urlencode

import httpx
from faults.hostile_values import TYPED
from heads.forms import Button, Field, Form, forms_of
from heads.tournaments import outcome

from kiosk.head.errors import HeadError
from kiosk.head.program import HeadApplication

#: what ends the run or the session: signing out, the end of the tournament, another chief, an update
LEFT_OUT = re.compile(r"/remove$|/close|sign|shutdown|update|setup|/help")
FILES = (
    b"", b"abc", "名前,段位\n佐藤 花子,3段\n山田,初段\n".encode(), "名前\n佐藤\n".encode("cp932"), b"PK\x03\x04rubbish",
    b'{"schema":"othello-event/1"}',
)  # fmt: skip
MOST_PAGES = 600
STEPS_PER_ROUND = 20


class RandomOperator:
    """``web``: signed in as the chief, and follows redirects."""

    def __init__(self, program: HeadApplication, web: httpx.Client, random: Random) -> None:
        self._program, self._web, self._random = program, web, random
        self._pages = ["/desk", "/"]
        self._visited, self._sent = Counter[str](), Counter[str]()

    def responses(self, steps: int) -> Iterator[httpx.Response]:
        """Yield the response of each page opened and each form sent."""
        for step in range(steps):
            if step % STEPS_PER_ROUND == STEPS_PER_ROUND - 1:
                self._play()
            page = self._rarest(self._pages, self._visited)
            response = self._web.get(page)
            yield response
            if "html" not in response.headers.get("content-type", ""):
                continue
            self._note_links(response)
            forms = [form for form in forms_of(response.text, str(response.url.raw_path, "ascii")) if form.buttons]
            choices = {button.action or form.action: (form, button) for form in forms for button in form.buttons}
            if actions := [action for action in choices if not LEFT_OUT.search(action)]:
                action = self._rarest(actions, self._sent)
                yield self._send(action, *choices[action])

    def _play(self) -> None:
        for slug, division in list(self._program.desk.state.divisions.items()):
            try:
                for game in division.current:
                    if game.is_open and self._random.random() < 0.9:
                        self._program.desk.results.enter(game.id, outcome(game, self._random.choice((24, 40, 64))))
                rounds = self._program.desk.rounds
                rounds.publish(rounds.draft(slug).digest, slug)
            except HeadError:  # the settings or the players allow no result or round now
                pass

    def _rarest(self, addresses: list[str], count: Counter[str]) -> str:
        """Return the one of a few addresses whose kind was used least."""
        some = self._random.sample(addresses, min(5, len(addresses)))
        found = min(some, key=lambda address: count[_kind(address)])
        count[_kind(found)] += 1
        return found

    def _note_links(self, response: httpx.Response) -> None:
        for link in re.findall(r'href="([^"#]+)', response.text):
            address = response.url.join(link.replace("&amp;", "&"))
            path = normpath(address.path) + (f"?{address.query.decode()}" if address.query else "")
            new = address.host == response.url.host and path not in self._pages and len(self._pages) < MOST_PAGES
            if new and not LEFT_OUT.search(path):
                self._pages.append(path)

    def _send(self, action: str, form: Form, button: Button) -> httpx.Response:
        share = self._random.choice((0.15, 0.7))
        pairs = [(field.name, value) for field in form.fields if (value := self._value(field, share)) is not None]
        if button.name:
            pairs.append((button.name, button.value))
        if form.method == "get":
            return self._web.get(action, params=pairs)
        if form.enctype == "multipart/form-data":
            files = [(one.name, ("list", self._random.choice(FILES))) for one in form.fields if one.kind == "file"]
            return self._web.post(action, files=[(name, (None, value)) for name, value in pairs] + files)
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return self._web.post(action, content=urlencode(pairs), headers=kind)

    def _value(self, field: Field, share: float) -> str | None:
        """Return a field's value, with this probability a messy one; None: it is not sent."""
        if field.kind == "file" or (field.kind in ("checkbox", "radio") and self._random.random() < 0.5):
            return None
        if field.name == "csrf" or field.kind in ("checkbox", "radio"):
            return field.value
        if field.values and self._random.random() < 0.9:
            return self._random.choice(field.values)
        return self._random.choice(TYPED) if self._random.random() < share else field.value


def _kind(address: str) -> str:
    return re.sub(r"\d+", "N", address)
