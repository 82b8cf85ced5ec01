"""Reads what a form sent, strictly: a bad body is answered with one sentence, never with a crash."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Collection, Mapping
from email.parser import BytesParser
from email.policy import HTTP
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request

from engine.text import Text, say
from kiosk.head.errors import HeadError
from kiosk.head.event.games import UNRATED, HeadGame, Outcome

SMALL = 16 * 1024
LARGE = 4 * 1024 * 1024
#: of one form: a draft of 500 tables has a tick for each
MAX_FIELDS = 600


class BadForm(HeadError):  # noqa: N818
    """The body of a request is not what its page sends."""

    def __init__(self, text: Text, *, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


async def read_form(
    request: Request, fields: Collection[str], limit: int = SMALL, uploads: Collection[str] = ()
) -> tuple[dict[str, str], dict[str, bytes]]:
    """The fields of a form body, and its files; every one of ``fields`` is there, empty if it was not sent.

    :raises BadForm: another content type, too long, not UTF-8, or an unknown or repeated field, which it names.
    """
    type = request.headers.get("content-type", "")
    kind = type.partition(";")[0].strip().lower()
    wanted = "multipart/form-data" if uploads else "application/x-www-form-urlencoded"
    if kind != wanted:
        raise BadForm(
            say("the body is '{kind}', but this address takes a form ({wanted})", kind=kind, wanted=wanted), status=415
        )
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise BadForm(say("the form is longer than {limit} KiB; send less", limit=limit // 1024), status=413)
    if uploads:
        return _parts(type, bytes(body), {*fields, "csrf"}, uploads)
    try:
        pairs = parse_qsl(
            bytes(body).decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS
        )
    except (UnicodeDecodeError, ValueError):
        raise BadForm(say("the form is not URL-encoded UTF-8; send it from the page")) from None
    return _checked(pairs, {*fields, "csrf"}), {}


def _parts(
    type: str, body: bytes, fields: Collection[str], uploads: Collection[str]
) -> tuple[dict[str, str], dict[str, bytes]]:
    """A form with files, taken apart by the standard library's reader of MIME messages."""
    message = BytesParser(policy=HTTP).parsebytes(b"Content-Type: " + type.encode("latin-1") + b"\r\n\r\n" + body)
    pairs: list[tuple[str, str]] = []
    files: dict[str, bytes] = {}
    for part in message.iter_parts() if message.is_multipart() else ():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        if not isinstance(name, str) or not isinstance(content, bytes):
            raise BadForm(say("the form is not one that a page sends; send it from the page"))
        if name in uploads and name not in files:
            files[name] = content
            continue
        try:
            pairs.append((name, content.decode()))
        except UnicodeDecodeError:
            raise BadForm(say("the field '{name}' is not UTF-8; send it from the page", name=name[:40])) from None
    return _checked(pairs, fields), files


def _checked(pairs: list[tuple[str, str]], fields: Collection[str]) -> dict[str, str]:
    form: dict[str, str] = {}
    for name, value in pairs:
        if name not in fields:
            raise BadForm(say("the form has an unknown field '{name}'; send it from the page", name=name[:40]))
        if name in form:
            raise BadForm(say("the form has the field '{name}' twice; send it from the page", name=name))
        if "\x00" in value:
            raise BadForm(say("the field '{name}' contains a zero character; remove it", name=name))
        form[name] = value.replace("\r\n", "\n")
    return {name: form.get(name, "").strip() for name in fields}


def whole(form: Mapping[str, str], name: str, low: int, high: int) -> int:
    """A whole number of the form.

    :raises BadForm: missing, not a number, or out of range.
    """
    value = digits(form[name])
    if not (value.isascii() and value.isdigit() and len(value) <= 12 and low <= int(value) <= high):
        raise BadForm(
            say(
                "the field '{name}' is '{value}', but it must be a whole number from {low} to {high}",
                name=name,
                value=value[:40],
                low=low,
                high=high,
            )
        )
    return int(value)


def digits(value: str) -> str:
    """What was typed with a Japanese keyboard, in ordinary digits and signs."""
    return unicodedata.normalize("NFKC", value).strip()


def optional(form: Mapping[str, str], name: str, low: int, high: int) -> int | None:
    return whole(form, name, low, high) if form[name] else None


def choice(form: Mapping[str, str], name: str, allowed: tuple[str, ...]) -> str:
    """:raises BadForm: the field is none of ``allowed``."""
    if form[name] not in allowed:
        raise BadForm(
            say(
                "the field '{name}' is '{name2}', but it must be one of {allowed}",
                name=name,
                name2=form[name][:40],
                allowed=", ".join(allowed),
            )
        )
    return form[name]


def json_object(value: str) -> dict[str, Any]:
    """:raises BadForm: not JSON, or not an object."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise BadForm(say("the event file is not JSON ({error}); paste the whole file", error=error)) from error
    if not isinstance(found, dict):
        raise BadForm(say("the event file is not a JSON object; paste the whole file"))
    return found


RESULT_FIELDS = {"black", "black_discs", "white_discs", "winner", "won", "end", "reason"}


def outcome(form: Mapping[str, str], game: HeadGame) -> Outcome:
    """The result in a form. The winner may be left out where the discs say it; ``won`` names him by his id.

    :raises BadForm: a field is unusable.
    """
    black = form["black"] or game.black
    white = next(iter(game.players - {black}), "") if black in game.players else ""
    discs = optional(form, "black_discs", 0, 64), optional(form, "white_discs", 0, 64)
    winner = form["winner"]
    if won := form.get("won", ""):
        winner = "black" if won == black else "white"
    if not winner and discs[0] is not None and discs[1] is not None:
        winner = "black" if discs[0] > discs[1] else "white" if discs[1] > discs[0] else "draw"
    if not winner:
        raise BadForm(say("the result names no winner and no discs; give at least one of them"))
    end = form["end"] or "normal"
    return Outcome(black, white, winner, discs[0], discs[1], end, end not in UNRATED)
