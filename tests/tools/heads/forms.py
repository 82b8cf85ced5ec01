"""The forms of a page, filled in and sent as a browser does: every named field, and the button pressed."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

import httpx


@dataclass
class Field:
    name: str
    kind: str
    value: str = ""
    sent: bool = True
    required: bool = False
    values: list[str] = field(default_factory=list)


@dataclass
class Button:
    name: str
    value: str
    action: str
    words: str = ""


@dataclass
class Form:
    action: str
    method: str
    enctype: str
    fields: list[Field] = field(default_factory=list)
    buttons: list[Button] = field(default_factory=list)

    def button(self, words: str) -> Button:
        return next(button for button in self.buttons if words in button.words)

    def send(
        self, web: httpx.Client, button: Button | None = None, upload: bytes = b"", **typed: str
    ) -> httpx.Response:
        """Send the form. ``typed``: values typed, chosen or ticked, by the name of the field; ``upload``: the chosen
        file."""
        known = {one.name for one in self.fields}
        assert known >= set(typed), f"{self.action} has no field {set(typed) - known}"
        pairs = [
            (one.name, typed.get(one.name, one.value))
            for one in self.fields
            if one.kind != "file" and (one.sent or one.name in typed)
        ]
        if button is not None and button.name:
            pairs.append((button.name, button.value))
        assert len(pairs) == len(dict(pairs)), f"{self.action} sends a field twice: {pairs}"
        files = {one.name: ("list" if upload else "", upload) for one in self.fields if one.kind == "file"}
        address = button.action if button is not None and button.action else self.action
        if self.method == "get":
            return web.get(address, params=dict(pairs))
        if self.enctype == "multipart/form-data":
            return web.post(address, files=[(name, (None, value)) for name, value in pairs] + list(files.items()))
        return web.post(address, data=dict(pairs))


def forms_of(html: str, at: str = "") -> list[Form]:
    """Return the forms of a page. ``at``: its address, to which a form without an action is sent."""
    reader = _Reader(at)
    reader.feed(html)
    for owner, one in reader.apart:
        found = reader.by_id[owner]
        (found.fields if isinstance(one, Field) else found.buttons).append(one)  # type: ignore[arg-type]
    return reader.found


def the_form(web: httpx.Client, page: str, action: str, words: str = "") -> tuple[Form, Button]:
    """Return the form of a page whose action ends with ``action``, and its button with these words."""
    for form in forms_of(web.get(page).text, page):
        for button in form.buttons:
            if (button.action or form.action).endswith(action) and words in button.words:
                return form, button
    raise AssertionError(f"{page} has no form for {action} with a button '{words}'")


def send_form(web: httpx.Client, page: str, action: str, words: str = "", **typed: str) -> httpx.Response:
    """Fill in and send a form of a page, as ``the_form`` finds it."""
    form, button = the_form(web, page, action, words)
    return form.send(web, button, **typed)


class _Reader(HTMLParser):
    def __init__(self, at: str) -> None:
        super().__init__()
        self.at = at
        self.found: list[Form] = []
        self.by_id: dict[str, Form] = {}
        self.apart: list[tuple[str, Field | Button]] = []
        self._form: Form | None = None
        self._select: Field | None = None
        self._text: Field | None = None
        self._button: Button | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        match tag:
            case "form":
                method, enctype = attributes.get("method", "get").lower(), attributes.get("enctype", "")
                self._form = Form(attributes.get("action", "").partition("?")[0] or self.at, method, enctype)
                self.found.append(self._form)
                self.by_id[attributes.get("id", "")] = self._form
            case "input" if "name" in attributes:
                kind = attributes.get("type", "text")
                is_sent = kind not in ("checkbox", "radio") or "checked" in attributes
                value = attributes.get("value", "on" if kind in ("checkbox", "radio") else "")
                self._add(attributes, Field(attributes["name"], kind, value, is_sent, "required" in attributes))
            case "textarea":
                self._text = Field(attributes.get("name", ""), "textarea", required="required" in attributes)
                self._add(attributes, self._text)
            case "select":
                self._select = Field(attributes.get("name", ""), "select", required="required" in attributes)
                self._add(attributes, self._select)
            case "option" if self._select is not None:
                value = attributes.get("value", "")
                if "value" not in attributes:
                    self._text = Field("", "option")
                self._select.values.append(value)
                if "selected" in attributes or len(self._select.values) == 1:
                    self._select.value = value
            case "button" if attributes.get("type", "submit") == "submit":
                self._button = Button(
                    attributes.get("name", ""), attributes.get("value", ""), attributes.get("formaction", "")
                )
                self._add(attributes, self._button)

    def _add(self, attributes: dict[str, str], one: Field | Button) -> None:
        if isinstance(one, Field) and not one.name:
            return  # a browser does not send it
        if "form" in attributes:
            self.apart.append((attributes["form"], one))
        elif self._form is not None:
            (self._form.fields if isinstance(one, Field) else self._form.buttons).append(one)  # type: ignore[arg-type]

    def handle_data(self, data: str) -> None:
        if self._button is not None:
            self._button.words += data
        elif self._text is not None and self._text.kind == "option" and self._select is not None:
            first = self._select.value == self._select.values[-1]
            self._select.values[-1] = data.strip()
            self._select.value = data.strip() if first else self._select.value
        elif self._text is not None:
            self._text.value += data

    def handle_endtag(self, tag: str) -> None:
        match tag:
            case "form":
                self._form = None
            case "select":
                self._select = None
            case "textarea" | "option":
                if tag == "textarea" and self._text is not None:
                    self._text.value = self._text.value.removeprefix("\n")  # as browsers do
                self._text = None
            case "button":
                self._button = None
