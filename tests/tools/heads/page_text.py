"""What a person reads of a page."""

from __future__ import annotations

from html.parser import HTMLParser


def read_texts(page: str) -> list[str]:
    """Return the texts of a page, without scripts, code and the names of languages."""
    parser = _Words()
    parser.feed(page)
    return parser.found


class _Words(HTMLParser):
    """A collector of what a person reads: text, and the attributes that are read out or shown."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag in ("style", "script", "code") or attributes.get("hreflang") or attributes.get("class") == "switch":
            self._skipping.append(tag)
        self.found += [attributes[name] for name in ("placeholder", "aria-label", "title", "alt") if name in attributes]

    def handle_endtag(self, tag: str) -> None:
        if self._skipping and self._skipping[-1] == tag:
            self._skipping.pop()

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self.found.append(data)
