"""Strict parsing of form bodies, and of the players and results in them: a bad body is answered with one sentence,
never with a crash.

The event loop only collects the bytes, up to the limit of the form. They are parsed in a thread, in linear time.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Mapping
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from anyio import CapacityLimiter
from anyio.to_thread import run_sync
from starlette.requests import Request

from engine.end_reason import EndReason
from engine.i18n import Text, say, text_of
from engine.tournament import TournamentError
from engine.tournament.event_and_result_validation import MOST_CAPTURED
from engine.tournament.event_model import Event, Game, Player
from engine.tournament.formats.format_interface import forfeited, missed_by_both
from engine.tournament.player_entry_fields import PLAYER_FIELDS
from kiosk.head.errors import HeadError
from kiosk.head.event.head_game_and_result_check import UNRATED, HeadGame, end_of, winner_of
from kiosk.head.registration.player_list_columns_and_cells import read_cell, to_half_width
from kiosk.records.event_file import entry_of

N = TypeVar("N")

SMALL = 16 * 1024
LARGE = 4 * 1024 * 1024
#: maximum number of fields: lots of 500 players have two for each
MAX_FIELDS = 1100
#: parts of a form with files beyond its declared fields; bytes of the headers of a part
SPARE_PARTS, MAX_PART_HEAD = 20, 2048

_BOUNDARY = re.compile(r";\s*boundary=(?:\"([!-!#-~]{1,70})\"|([!-!#-:<-~]{1,70}))", re.IGNORECASE | re.ASCII)
_NAME = re.compile(
    rb"^content-disposition:[ \t]*form-data[ \t]*;[ \t]*name=\"([^\"\r\n]{1,100})\"", re.IGNORECASE | re.MULTILINE
)


class BadForm(HeadError):  # noqa: N818
    """A request body that its page cannot have sent."""

    def __init__(self, text: Text, *, status: int = 400) -> None:
        super().__init__(text)
        self.status = status


async def read_form(
    request: Request, fields: Collection[str], limit: int, uploads: Collection[str], threads: CapacityLimiter
) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the fields of a form body and its files; every one of ``fields`` is present, empty if it was not sent.
    ``threads``: where it is parsed.

    :raises BadForm: another content type, too long, not UTF-8, or an unknown or repeated field, which it names.
    """
    type = request.headers.get("content-type", "")
    kind = type.partition(";")[0].strip().lower()
    wanted = "multipart/form-data" if uploads else "application/x-www-form-urlencoded"
    if kind != wanted:
        why = say("the body is '{kind}', but this address takes a form ({wanted})", kind=kind, wanted=wanted)
        raise BadForm(why, status=415)
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > limit:
            raise BadForm(_too_long(limit, bool(uploads)), status=413)
    if not uploads:
        return await run_sync(_pairs, bytes(body), {*fields, "csrf"}, limiter=threads), {}
    return await run_sync(_parts, type, bytes(body), {*fields, "csrf"}, uploads, limiter=threads)


def _too_long(limit: int, has_files: bool) -> Text:
    if has_files:
        return say("the file is larger than {limit} MB; choose a smaller one", limit=limit >> 20)
    return say("the form is longer than {limit} KiB; send less", limit=limit // 1024)


def _pairs(body: bytes, fields: Collection[str]) -> dict[str, str]:
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MAX_FIELDS)
    except (UnicodeDecodeError, ValueError):
        raise BadForm.saying("the form is not URL-encoded UTF-8; send it from the page") from None
    return _check_fields(pairs, fields)


def _parts(
    type: str, body: bytes, fields: Collection[str], uploads: Collection[str]
) -> tuple[dict[str, str], dict[str, bytes]]:
    """Return the fields and files of a multipart form (RFC 7578). Nested parts are not supported, so parsing takes
    linear time.

    A browser escapes quotes in the name of a field, so the name is what stands between quotes.
    """
    boundary = _BOUNDARY.search(type)
    if boundary is None:
        raise _no_form()
    mark = b"--" + (boundary[1] or boundary[2]).encode("ascii")
    most = len(fields) + len(uploads) + SPARE_PARTS
    blocks = (b"\r\n" + body).split(b"\r\n" + mark, most + 2)
    if not 2 <= len(blocks) <= most + 2 or not blocks[-1].startswith(b"--"):
        raise _no_form()
    pairs: list[tuple[str, str]] = []
    files: dict[str, bytes] = {}
    for block in blocks[1:-1]:
        head, blank, content = block.partition(b"\r\n\r\n")
        found = _NAME.search(head) if blank and len(head) <= MAX_PART_HEAD else None
        if found is None:
            raise _no_form()
        try:
            name = found[1].decode()
            if name in uploads and name not in files:
                files[name] = content
                continue
            pairs.append((name, content.decode()))
        except UnicodeDecodeError:
            raise BadForm.saying("the form is not UTF-8; send it from the page") from None
    return _check_fields(pairs, fields), files


def _no_form() -> BadForm:
    return BadForm.saying("the form is not one that a page sends; send it from the page")


def _check_fields(pairs: list[tuple[str, str]], fields: Collection[str]) -> dict[str, str]:
    form: dict[str, str] = {}
    for name, value in pairs:
        if name not in fields:
            raise BadForm.saying("the form has an unknown field '{name}'; send it from the page", name=name[:40])
        if name in form:
            raise BadForm.saying("the form has the same field twice; send it from the page")
        if "\x00" in value:
            raise BadForm.saying(
                "'{typed}' contains a zero character; remove it", typed=value.replace("\x00", "�")[:40]
            )
        form[name] = value.replace("\r\n", "\n")
    # a program may send a form without what a page showed
    return {name: form.get(name, "").strip() for name in fields if name in form or not name.startswith("was-")}


def parse_int(form: Mapping[str, str], name: str, low: int, high: int) -> int:
    """Return an integer of the form.

    :raises BadForm: missing, not a number, or out of range.
    """
    value = ascii_digits(form[name])
    if not value:
        raise BadForm.saying("a number from {low} to {high} is missing", low=low, high=high)
    if not (value.isascii() and value.isdigit() and len(value) <= 12 and low <= int(value) <= high):
        raise BadForm.saying(
            "'{value}' is not a whole number from {low} to {high}", value=value[:40], low=low, high=high
        )
    return int(value)


def number_in(text: str, otherwise: N) -> int | N:
    """Return the number that an address or a query contains; ``otherwise`` if it is none of at most nine digits."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 9 else otherwise


#: dashes, the minus sign and the mark of a long vowel, which the same key types
_DASHES = re.compile("[\u2010-\u2015\u2212\u30fc]")


def ascii_digits(value: str) -> str:
    """Return a number, a date or a result with the digits and signs of a Japanese keyboard as ASCII."""
    return _DASHES.sub("-", unicodedata.normalize("NFKC", value)).strip()


def parse_optional_int(form: Mapping[str, str], name: str, low: int, high: int) -> int | None:
    return parse_int(form, name, low, high) if form[name] else None


def was_fields(names: Collection[str]) -> set[str]:
    """Return the hidden fields with which a page says what its fields showed (``was`` of its templates)."""
    return {f"was-{name}" for name in names}


def with_present_values(form: Mapping[str, str], present: Mapping[str, str]) -> dict[str, str]:
    """Return the form with the present value of each field that still has what its page showed: somebody else may
    have changed it meanwhile."""
    return {**form, **{name: value for name, value in present.items() if form[name] == form.get(f"was-{name}")}}


def parse_choice(form: Mapping[str, str], name: str, allowed: tuple[str, ...]) -> str:
    """Return the value of a field.

    :raises BadForm: it is none of ``allowed``.
    """
    if form[name] not in allowed:
        raise BadForm.saying("the page does not offer this choice; choose again on the page")
    return form[name]


def parse_json_object(value: str) -> dict[str, Any]:
    """Return the parsed object.

    :raises BadForm: not JSON, or not an object.
    """
    try:
        found = msgspec.json.decode(value)
    except (ValueError, RecursionError) as error:  # NaN, a lone surrogate, or nesting too deep to be written again
        raise BadForm.saying("this is not an event file; paste the whole file") from error
    if not isinstance(found, dict):
        raise BadForm.saying("this is not an event file; paste the whole file")
    return found


def parse_player(form: Mapping[str, str], keys: Collection[str]) -> dict[str, object]:
    """Return what a form says about a player; None where a field is empty.

    :raises HeadError: a field cannot be understood, or there is no name.
    """
    found: dict[str, object] = {}
    for key in keys:
        field, typed = PLAYER_FIELDS[key], to_half_width(form[key])
        value = read_cell(field, typed) if typed else None
        found[key] = (value[: field.letters] or None) if isinstance(value, str) else value
    if not found["name"]:
        raise BadForm.saying("a player needs a name")
    return found


def entry_from(player: Mapping[str, object]) -> Player:
    """Return a player from the fields of a list.

    :raises HeadError: a field has a value that no entry can have.
    """
    try:
        return entry_of(player)
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


#: before the id of a player who did not come, as the winner of a game
NOT_COME = "without "
RESULT_FIELDS = {"black", "black_discs", "white_discs", "winner", "won", "end", "reason"}


def parse_outcome(form: Mapping[str, str], event: Event, game: HeadGame) -> Game:
    """Return the result of an event's game in a form. The winner may be left out if the discs decide it; ``won`` names
    the winner by player id.

    :raises BadForm: a field is unusable.
    """
    black = form["black"] or game.black
    white = next(iter(game.players - {black}), "") if black in game.players else ""
    most = MOST_CAPTURED if game.total is None else game.total
    discs = parse_optional_int(form, "black_discs", 0, most), parse_optional_int(form, "white_discs", 0, most)
    winner = form["winner"]
    chosen = winner or form.get("won", "")
    if chosen == "neither":
        return missed_by_both(event, Game(black, white, game.stage))
    if (gone := chosen.removeprefix(NOT_COME)) != chosen and gone in game.players and game.total is not None:
        return forfeited(event, Game(black, white, game.stage), gone)
    if game.counts_captures and None in discs and not (chosen and discs == (None, None)):
        raise BadForm.saying("the captured pieces are missing; enter those of both players")
    if discs.count(None) == 1:
        raise BadForm.saying("one of the two counts is missing; give both or none")
    if won := form.get("won", ""):
        winner = {"draw": "draw", black: "black"}.get(won, "white")
    if not winner and discs[0] is not None and discs[1] is not None:
        winner = "black" if discs[0] > discs[1] else "white" if discs[1] > discs[0] else "draw"
    if not winner:
        raise BadForm.saying("the result names no winner and no discs; give at least one of them")
    end = end_of(form["end"] or "normal")
    level = discs[0] is not None and discs[0] == discs[1] and game.total is not None
    if level and winner != "draw" and not game.must_have_winner and end is EndReason.NORMAL:
        raise BadForm.saying("equal discs are a draw; correct the winner or the discs, or say how it ended")
    return Game(
        black,
        white,
        black_discs=discs[0],
        white_discs=discs[1],
        winner=winner_of(winner),
        end=end,
        rated=end not in UNRATED,
    )
