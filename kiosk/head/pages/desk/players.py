"""The players of a division: lists pasted or typed, check-in, who is absent, leaves or comes back."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import quote

from starlette.responses import JSONResponse, RedirectResponse, Response

from engine.text import say, text_of
from engine.tournament import TournamentError
from engine.tournament.model import Player, Team
from kiosk.head.access.rights import Role
from kiosk.head.entry.cells import UnreadableList, name_key, plain, read_grade, read_year
from kiosk.head.entry.columns import FIELDS, TEMPLATE
from kiosk.head.entry.listing import MAX_COLUMNS, MAX_PLAYERS, Listing, decode, listed, read_list
from kiosk.head.entry.roster import FIELDS as ROSTER_FIELDS
from kiosk.head.entry.roster import read_file, same_name
from kiosk.head.entry.workbook import empty_list, is_workbook, sheets_of
from kiosk.head.errors import HeadError, NotFound
from kiosk.head.event.state import DivisionState
from kiosk.head.pages.desk.common import MOST_FEE, act, page, show, with_all_fields
from kiosk.head.web.address import Address, action
from kiosk.head.web.forms import LARGE, BadForm, choice, optional, whole
from kiosk.head.web.visit import Visit
from kiosk.locale import render
from kiosk.records.event_file import entry_of
from kiosk.records.kana import INDEX, VARIANTS, in_order, initial, is_found, keys_of
from kiosk.records.names import listed as listed_number

#: so many lines that were not understood can be mended where they stand
MAX_MENDED = 100
#: digits with one sign at most before or behind them
_AMOUNT = re.compile(r"\D?([0-9][0-9,]{0,9})\D?")
#: of the form under which a list is looked at: what a column is, and lines that were mended
_LOOKED = {
    "text",
    *(f"column{number}" for number in range(1, MAX_COLUMNS + 1)),
    *(f"{name}{number}" for name in ("at", "mended") for number in range(1, MAX_MENDED + 1)),
}
_ENTRY = {
    "name", "kana", "latin", "grade", "birth_year", "sex", "country", "club", "rating", "seed", "number", "national",
    "wof", "remark", "fee",
}  # fmt: skip


def _players(visit: Visit) -> dict[str, object]:
    division = visit.division
    players = [player for player in division.event.players if is_found(player, visit.query.get("find", ""))]
    initials = {player.id: initial(player) for player in players}
    present = [player for player in division.event.players if not player.absent]
    return {
        "players": [with_all_fields(one) for one in sorted(players, key=in_order)],
        "initials": initials,
        "index": [row for row in INDEX if row in initials.values()],
        "keys": {one.id: keys_of(one) for one in players},
        "variants": VARIANTS,
        "find": visit.query.get("find", ""),
        "hits": [with_all_fields(one) for one in visit.head.roster.find(visit.query.get("known", ""))],
        "known": visit.query.get("known", ""),
        "present": len(present),
        "here": sum(player.id in division.here for player in present),
        "roster": len(visit.head.roster),
        "listed": len(visit.head.roster.federation),
        "unnumbered": sum(listed_number(player.wof) is None for player in present),
    }


def _add(visit: Visit) -> None:
    fields = _fields(visit.form)
    if not fields["name"]:
        raise BadForm(say("a player needs a name"))
    player = {name: value for name, value in fields.items() if value is not None}
    if (known := visit.head.roster.numbered(fields["wof"])) is not None:
        player = {**known, **player}
    elif (known := visit.head.roster.called(str(fields["name"]))) is not None:
        # of a name alone nobody gets a number of the rating list
        player = {**known, **player, "name": known["name"], "wof": fields["wof"]}
    division = visit.division
    listing = listed([player], division.event.players)
    if listing.problems:
        raise HeadError(listing.problems[0].why)
    if not listing.new:
        raise HeadError(
            say(
                "{player} is entered already; for another person of that name give the birth year",
                player=player["name"],
            ),
        )
    (id,) = visit.desk.players.add(division.slug, [_entry(player)])
    if division.rounds:
        visit.desk.players.check_in(division.slug, [id], arrived=True)


def _entry(player: Mapping[str, object]) -> Player:
    """:raises HeadError: a field that no entry can have."""
    try:
        return entry_of(player)
    except TournamentError as error:
        raise HeadError(text_of(error)) from error


def _fields(form: Mapping[str, str]) -> dict[str, object]:
    """What a form says about a player; None where it says nothing.

    :raises BadForm: a field cannot be understood.
    """
    try:
        grade = read_grade(plain(form["grade"])) or None if form["grade"] else None
        year = read_year(plain(form["birth_year"])) if form["birth_year"] else None
    except UnreadableList as error:
        raise BadForm(error.text) from error
    return {
        "name": plain(form["name"])[:60] or None,
        "kana": plain(form["kana"])[:60] or None,
        "latin": plain(form["latin"])[:60] or None,
        "grade": grade,
        "birth_year": year,
        "sex": choice(form, "sex", ("", "F", "M")) or None,
        "country": plain(form["country"])[:20] or None,
        "club": plain(form["club"])[:60] or None,
        "rating": optional(form, "rating", 0, 100_000),
        "seed": optional(form, "seed", 1, 1000),
        "number": plain(form["number"])[:20] or None,
        "national": plain(form["national"])[:20] or None,
        "wof": optional(form, "wof", 1, 999_999),
        "remark": plain(form["remark"])[:200] or None,
        "fee": _fee(plain(form["fee"])),
    }


def _fee(typed: str) -> int | str | None:
    """An amount as a number, whatever sign of the yen stands beside it; another money (20 EUR) as it was typed."""
    amount = _AMOUNT.fullmatch(typed)
    return min(int(amount[1].replace(",", "")), MOST_FEE) if amount else typed[:20] or None


def _mark(visit: Visit) -> str | None:
    """A button of the list: who came, who is absent. It says what it does and to whom: ``here p12``."""
    division, players = visit.division, visit.desk.players
    what, _, id = visit.form["mark"].partition(" ")
    waiting = [p.id for p in division.event.players if p.id not in division.here and not p.absent]
    if id and id not in division.players():
        raise NotFound(say("that player is not there any more; look at the list again"))
    match what:
        case "here":
            players.check_in(division.slug, [id], arrived=True)
        case "not-here":
            players.check_in(division.slug, [id], arrived=False)
        case "absent":
            players.set_absent(division.slug, [id], absent=True)
        case "not-absent":
            players.set_absent(division.slug, [id], absent=False)
        case "all-here":
            players.check_in(division.slug, waiting, arrived=True)
        case "rest-absent":
            players.set_absent(division.slug, waiting, absent=True)
        case _:
            raise BadForm(say("the form says nothing that can be done; use the buttons of the page"))
    find = quote(visit.form["find"])
    return f"/division/{division.slug}/players?find={find}" if find else None


def _player(visit: Visit) -> Response:
    division, id = visit.division, str(visit.path["player"])
    if id not in division.players():
        raise NotFound(say("there is no player '{id}' in this division", id=id[:40]))
    open_game = next((game for game in division.current if game.is_open and id in game.players), None)
    games = [game for games in division.rounds for game in games if id in game.players]
    other = visit.query.get("than") or None
    asked = "why" in visit.query and other in (None, *division.players())
    return show(
        visit,
        "players",
        "desk/player.html",
        answers=visit.desk.rounds.ask_answers(division.slug, id, other).result() if asked else None,
        than=other or "",
        others=[(each, division.called(each)) for each in division.players() if each != id],
        player=with_all_fields(division.players()[id]),
        open_game=open_game,
        games=games,
        coming=_coming(division, id),
        away=division.away_in(id),
        missed=_missed(division, id),
    )


def _coming(division: DivisionState, player: str) -> list[int]:
    """The next rounds, and later ones that he has said he misses."""
    done = len(division.rounds)
    later = [number for number in division.away_in(player) if number > done]
    return sorted({*range(done + 1, done + 4), *later, *(number + 1 for number in later)})


def _missed(division: DivisionState, player: str) -> list[int]:
    """The published rounds that the event file has him away in."""
    absences = division.whole().options.absences
    return [number for number in range(1, len(division.rounds) + 1) if player in absences.get(str(number), ())]


def _change(visit: Visit) -> None:
    fields = _fields(visit.form)
    if not fields["name"]:
        raise BadForm(say("a player needs a name"))
    visit.desk.players.change(visit.division.slug, str(visit.path["player"]), fields)


def _leave(visit: Visit) -> None:
    open_game = choice(visit.form, "open_game", ("", "forfeit", "late"))
    visit.desk.players.leave(visit.division.slug, str(visit.path["player"]), visit.form["reason"], open_game)


def _come_back(visit: Visit) -> None:
    visit.desk.players.come_back(visit.division.slug, str(visit.path["player"]))


def _miss(visit: Visit) -> None:
    """A button of the page: ``miss 4`` or ``play 4``."""
    what, _, number = visit.form["mark"].partition(" ")
    if what not in ("miss", "play") or not number.isascii() or not number.isdigit() or not 1 <= len(number) <= 3:
        raise BadForm(say("the form says nothing that can be done; use the buttons of the page"))
    player = str(visit.path["player"])
    visit.desk.players.miss_round(visit.division.slug, player, int(number), away=what == "miss")


def _remove(visit: Visit) -> None:
    visit.desk.players.remove(visit.division.slug, str(visit.path["player"]))


# numbers of the world rating list


def _numbers(visit: Visit) -> dict[str, object]:
    """Each player with the number that he has, or with those who may be him in the list that was loaded."""
    roster = visit.head.roster
    rows = []
    for player in sorted(visit.division.event.players, key=in_order):
        wof = listed_number(player.wof)
        held = roster.numbered(wof) if wof else None
        alike = [] if wof else [with_all_fields(one) for one in roster.like(player.latin or player.name or "")]
        known = str(held.get("latin") or held["name"]) if held else ""
        rows.append((with_all_fields(player), wof, known, alike, same_name(player.latin or player.name or "", known)))
    return {"rows": rows, "roster": len(roster)}


def _take_number(visit: Visit) -> None:
    """A button of the page, somebody's answer: ``p12 5301``; ``p12 0`` takes the number away again."""
    id, _, number = visit.form["take"].partition(" ")
    division = visit.division
    if id not in division.players():
        raise NotFound(say("that player is not there any more; look at the list again"))
    player = division.players()[id]
    known = visit.head.roster.numbered(number)
    if known is None and number != "0":
        raise BadForm(say("the list has no player with that number; look at the list again"))
    taken: dict[str, object] = {"wof": None}
    if known is not None:
        latin = {"latin": known.get("latin") or known["name"], "country": known.get("country")}
        taken = {name: one for name, one in latin.items() if one and not getattr(player, name)} | {"wof": known["wof"]}
        others = [one for one in division.event.players if one.id != id]
        problems = listed([{"name": player.name or id, "wof": known["wof"]}], others).problems
        if problems:
            raise HeadError(problems[0].why)
    visit.desk.players.change(division.slug, id, taken)


# lists


def _import(visit: Visit) -> dict[str, object]:
    return {"text": "", "listing": None, "taken": None}


def _look(visit: Visit) -> Response:
    """What a pasted or uploaded list says, before it is taken."""
    text, others = _text_in(visit)
    listing = _listing(visit, text)
    lines = text.split("\n")
    return show(
        visit,
        "players",
        "desk/import.html",
        text=text,
        listing=listing,
        others=others,
        small=_small_teams(visit, listing),
        fields={name: words for name, words in FIELDS.items() if name != "team" or visit.division.format == "team"},
        raw={one.line: lines[one.line - 1] for one in listing.problems[:MAX_MENDED] if one.line <= len(lines)},
        full=with_all_fields,
    )


def _compare(visit: Visit) -> Response:
    """What the federation's list says of those who are entered, looked at like any list: nothing is taken unseen."""
    known = visit.head.roster.federation
    rows = []
    for player in visit.division.event.players:
        found = known.numbered(player.wof) or known.called(player.name or "")
        if found is not None and found.get("birth_year") in (None, player.birth_year or found.get("birth_year")):
            rows.append({**found, "name": player.name})
    fields = [name for name in ROSTER_FIELDS if name == "name" or any(name in row for row in rows)]
    lines = [fields, *([str(row.get(name, "")) for name in fields] for row in rows)]
    text = "\n".join("\t".join(line) for line in lines) if rows else ""
    if not text:
        raise NotFound(say("the federation's list knows nobody who is entered here"))
    return show(
        visit,
        "players",
        "desk/import.html",
        text=text,
        listing=read_list(text, visit.division.event.players),
        others=[],
        small=(),
        fields=FIELDS,
        raw={},
        full=with_all_fields,
    )


def _back(visit: Visit) -> Response:
    """Back to the list as it is now, to change it."""
    text, _ = _text_in(visit)
    return show(visit, "players", "desk/import.html", text=text, listing=None, taken=None)


def _take(visit: Visit) -> Response:
    """Takes what was looked at. The list is read again against the players of now, so a second press, or another
    operator's import of the same list, takes nothing twice. What was not taken stays to be mended."""
    text, _ = _text_in(visit)
    division, listing = visit.division, _listing(visit, text)
    changed = {str(entry.known): dict(entry.changes) for entry in listing.changed}
    if not visit.form["update"]:
        changed = {}
    new = [_entry({name: one for name, one in entry.player.items() if name != "team"}) for entry in listing.new]
    visit.desk.players.take(division.slug, new, changed)
    _teams(visit, listing)
    back = f"/division/{division.slug}/players"
    if not listing.problems:
        return RedirectResponse(back, 303)
    lines = text.split("\n")
    left = [lines[one.line - 1] for one in listing.problems if one.line <= len(lines)]
    head = lines[:1] if listing.has_header else []
    taken = len(listing.new)
    values = {"text": "\n".join([*head, *left]), "listing": None, "taken": taken, "left": listing.problems}
    return show(visit, "players", "desk/import.html", **values)


def _teams(visit: Visit, listing: Listing) -> None:
    """The teams that a list names: whoever is in none yet, in the order of the list, the first is captain."""
    division = visit.division
    if division.format != "team":
        return
    known = {name_key(player.name or ""): player.id for player in division.event.players}
    placed = {id for team in division.event.teams for id in team.players}
    teams: dict[str, list[str]] = {}
    for entry in listing.entries:
        id = entry.known or known.get(name_key(str(entry.player["name"])))
        if entry.player.get("team") and id is not None and id not in placed:
            teams.setdefault(str(entry.player["team"])[:60], []).append(id)
    for name, players in teams.items():
        if len(players) >= 3:
            visit.desk.players.set_team(division.slug, Team("", name, tuple(players), players[0]))


def _small_teams(visit: Visit, listing: Listing) -> list[str]:
    """Teams of a list that have too few players to be one."""
    if visit.division.format != "team":
        return []
    sizes = Counter(str(entry.player["team"])[:60] for entry in listing.entries if entry.player.get("team"))
    return [name for name, size in sizes.items() if size < 3]


def _text_in(visit: Visit) -> tuple[str, list[tuple[str, str]]]:
    """The list with what was mended in its lines, and the other sheets of its workbook.

    :raises BadForm: it is empty, or no list.
    """
    form, content = visit.form, visit.files.get("file", b"")
    text, others = form["text"], []
    try:
        if is_workbook(content):
            sheets = sheets_of(content)
            best = max(sheets, key=lambda sheet: read_list(sheet[1]).has_header, default=("", ""))
            text, others = best[1], [sheet for sheet in sheets if sheet is not best]
        elif content:
            text = _text_of(content)
    except UnreadableList as error:
        raise BadForm(error.text) from error
    text = text.replace("\r\n", "\n").strip("\n")
    lines = text.split("\n")
    for number in range(1, MAX_MENDED + 1):
        if form.get(f"at{number}") and (at := whole(form, f"at{number}", 1, MAX_PLAYERS)) <= len(lines):
            was = lines[at - 1]  # empty cells before and after do not come with a form
            before, after = was[: len(was) - len(was.lstrip())], was[len(was.rstrip()) :]
            lines[at - 1] = before + form[f"mended{number}"].replace("\n", " ") + after
    text = "\n".join(lines)
    if not text.strip():
        raise BadForm(say("the list is empty; paste it or choose a file"))
    return text, others


def _listing(visit: Visit, text: str) -> Listing:
    """:raises BadForm: it is no list."""
    said = [visit.form.get(f"column{number}") or None for number in range(1, MAX_COLUMNS + 1)]
    columns = ["" if one == "-" else one if one in FIELDS else None for one in said]
    try:
        listing = read_list(text, visit.division.event.players, said=columns)
    except UnreadableList as error:
        raise BadForm(error.text) from error
    if visit.division.format != "team":  # nowhere else are there teams: the column is named as not taken
        return replace(listing, columns=tuple("" if one == "team" else one for one in listing.columns))
    return listing


def _text_of(content: bytes) -> str:
    """A file as a list with a header, whatever program wrote it.

    :raises UnreadableList: it is no text, or no list.
    """
    text = decode(content)
    if not ("%_%" in text or "pays" in text) or read_list(text).has_header:
        return text
    players = read_file(content)
    lines = ["\t".join(ROSTER_FIELDS)]
    lines += ["\t".join(str(player.get(name, "")) for name in ROSTER_FIELDS) for player in players]
    return "\n".join(lines)


def _roster(visit: Visit) -> None:
    """A list to complete names from."""
    visit.head.roster.replace(read_file(visit.files.get("file", b"")))


def _names(visit: Visit) -> Response:
    """Names that begin like what is being typed, for the page's own completion."""
    return JSONResponse([str(player["name"]) for player in visit.head.roster.find(visit.query.get("q", ""))])


def _empty_list(visit: Visit) -> Response:
    """The headings that the import reads, for a spreadsheet; the mark in front of CSV tells it that this is UTF-8."""
    kind = visit.path["kind"]
    headings = [render(FIELDS[name], visit.lang) for name in TEMPLATE]
    match kind:
        case "csv":
            content, media = f"\ufeff{','.join(headings)}\r\n".encode(), "text/csv; charset=utf-8"
        case "xlsx":
            content = empty_list(render(say("Players"), visit.lang), headings)
            media = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        case _:
            raise NotFound(say("there is no such list; take .xlsx or .csv"))
    named = {"content-disposition": f'attachment; filename="players.{kind}"'}
    return Response(content, media_type=media, headers=named)


ADDRESSES: list[Address] = [
    page("players", "desk/players.html", _players),
    act("players", _add, _ENTRY, back="players"),
    act("players/mark", _mark, {"mark", "find"}, back="players"),
    page("numbers", "desk/numbers.html", _numbers),
    act("numbers", _take_number, {"take"}, back="numbers"),
    page("import", "desk/import.html", _import),
    Address(
        "/division/{division}/import", _look, Role.DESK, "POST", fields=frozenset({"text"}),
        uploads=frozenset({"file"}), limit=LARGE, back="/division/{division}/import",
    ),
    *(
        Address(
            f"/division/{{division}}/import/{name}", answer, Role.DESK, "POST", fields=frozenset(_LOOKED),
            limit=LARGE, back="/division/{division}/import",
        )
        for name, answer in (("again", _look), ("back", _back))
    ),
    Address(
        "/division/{division}/import/take", _take, Role.DESK, "POST", fields=frozenset({"update", *_LOOKED}),
        limit=LARGE, back="/division/{division}/import",
    ),
    Address("/division/{division}/import/federation", _compare, Role.DESK, back="/division/{division}/players"),
    Address("/division/{division}/import/list.{kind}", _empty_list, Role.DESK, back="/division/{division}/import"),
    Address("/division/{division}/player/{player}", _player, Role.DESK, back="/division/{division}/players"),
    act("player/{player}", _change, _ENTRY, back="player/{player}"),
    act("player/{player}/leave", _leave, {"reason", "open_game"}, back="player/{player}"),
    act("player/{player}/back", _come_back, back="player/{player}"),
    act("player/{player}/miss", _miss, {"mark"}, back="player/{player}"),
    act("player/{player}/remove", _remove, back="players"),
    action("/division/{division}/roster", _roster, set(), uploads=frozenset({"file"}), limit=4 * LARGE,
           back="/division/{division}/players"),
    Address("/desk/names.json", _names, Role.DESK),
]  # fmt: skip
