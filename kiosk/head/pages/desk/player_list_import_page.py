"""Import of player lists: pasted or uploaded, previewed, corrected line by line, then entered."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import xlsxwriter
from starlette.responses import Response

from engine.i18n import Text, say
from engine.tournament.event_model import Player, Team
from engine.tournament.player_entry_fields import ASKED, DIVISION, KNOWN, LISTED, PLAYER_FIELDS, name_key
from kiosk.head.access.roles import Role
from kiosk.head.desk.players_teams_and_lots import DRAW_STAYS, FIXED_BY_ROUND_1
from kiosk.head.errors import NotFound
from kiosk.head.event.tournament_state import DivisionState
from kiosk.head.pages.desk.division_page_helpers import division_form, page, show
from kiosk.head.registration.player_list_columns_and_cells import FIELDS, MAX_COLUMNS, MAX_PLAYERS
from kiosk.head.registration.player_list_import import (
    ImportedPlayer,
    ImportResult,
    ListedDivision,
    decode,
    parse_list,
    with_repeats_written_out,
)
from kiosk.head.registration.rating_and_member_lookup import read_file
from kiosk.head.registration.workbook_reader import is_workbook, sheets_of
from kiosk.head.web.form_player_and_result_parsing import LARGE, BadForm, entry_from, parse_int
from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context_and_page_rendering import RequestContext
from kiosk.locale import JAPANESE, render, render_both
from kiosk.records.kana_to_romaji import romaji_of

#: maximum number of unreadable lines that can be corrected in the preview
MAX_CORRECTED = 100
#: last line for which the preview proposes a name in Latin letters
MOST_PROPOSED = 300
#: columns of the preview; what else a list says stands below the name
MOST_SHOWN = 7
#: maximum number of names of divisions for which the preview asks which division is meant
MOST_DIVISION_NAMES = 15
#: fields of the preview form: the meaning of each column, corrected lines, and which division a list's name means
_PREVIEW_FIELDS = {
    "text",
    *(f"column{number}" for number in range(1, MAX_COLUMNS + 1)),
    *(f"{name}{number}" for name in ("at", "mended") for number in range(1, MAX_CORRECTED + 1)),
    *(f"{name}{number}" for name in ("section", "means") for number in range(1, MOST_DIVISION_NAMES + 1)),
    *(f"latin{line}" for line in range(1, MOST_PROPOSED + 1)),
}


def _show_preview(visit: RequestContext) -> Response:
    """Show what a pasted or uploaded list contains, before it is imported."""
    text, others = _text_in(visit)
    return _preview(visit, text, _parse_list(visit, text), others)


def _preview(
    visit: RequestContext, text: str, listing: ImportResult, others: Sequence[tuple[str, str]] = ()
) -> Response:
    lines = text.split("\n")
    return show(
        visit, "players", "desk/import.html", text=text, listing=listing, others=others,
        small=_small_teams(visit, listing), fields=_column_choices(visit),
        shown=[key for key in LISTED if key == "name" or key in listing.fields][:MOST_SHOWN],
        alone=_named_divisions(listing) if len(visit.desk.state.divisions) == 1 else [],
        meant={**_chosen_divisions(visit), **dict.fromkeys(listing.unknown_divisions[:MOST_DIVISION_NAMES], "")},
        proposed=_proposed_latin(visit, listing),
        raw={one.line: lines[one.line - 1] for one in listing.problems[:MAX_CORRECTED] if one.line <= len(lines)},
    )  # fmt: skip


def _named_divisions(listing: ImportResult) -> list[str]:
    """Return the names of divisions in a list."""
    return list(dict.fromkeys(str(named) for one in listing.entries if (named := one.player.get("division"))))[:8]


def _chosen_divisions(visit: RequestContext) -> dict[str, str]:
    """Return the division that a person chose for each name of one in the list."""
    pairs = ((visit.form.get(f"section{at}"), visit.form.get(f"means{at}")) for at in range(1, MOST_DIVISION_NAMES + 1))
    return {name: slug for name, slug in pairs if name and slug and slug in visit.desk.state.divisions}


def _proposed_latin(visit: RequestContext, listing: ImportResult) -> dict[int, str]:
    """Return by line a name in Latin letters for new players who have none: as it was typed, or from the kana."""
    none = [one for one in listing.new if one.player.get("kana") and not one.player.get("latin")]
    names = {
        one.line: visit.form.get(f"latin{one.line}") or romaji_of(str(one.player["kana"]))
        for one in none
        if one.line <= MOST_PROPOSED
    }
    return {line: name for line, name in names.items() if name}


def _compare_with_federation(visit: RequestContext) -> Response:
    """Show what the federation's list says about the entered players, as a preview like any list: nothing is imported
    unseen."""
    known = visit.head.remote.roster.federation
    rows, players = [], visit.desk.state.division(visit.division.slug).event.players  # with names as they were entered
    for player in players:
        found = known.find_by_number(player.wof) or known.find_by_name(player.name or "")
        if found is not None and found.get("birth_year") in (None, player.birth_year or found.get("birth_year")):
            rows.append({**found, "name": player.name})
    fields = [name for name in KNOWN if name == "name" or any(name in row for row in rows)]
    lines = [fields, *([str(row.get(name, "")) for name in fields] for row in rows)]
    text = "\n".join("\t".join(line) for line in lines) if rows else ""
    if not text:
        raise NotFound.saying("the federation's list knows nobody who is entered here")
    return _preview(visit, text, parse_list(text, players))


def _edit_text(visit: RequestContext) -> Response:
    """Show the text of the list again, to change it."""
    text, _ = _text_in(visit)
    return show(visit, "players", "desk/import.html", text=text, listing=None, taken=None)


def _import_list(visit: RequestContext) -> Response | None:
    """Import what was previewed. The list is read again against the current players, so a second press, or another
    operator's import of the same list, enters nobody twice. Lines that were not imported stay in the form to be
    corrected."""
    text, _ = _text_in(visit)
    listing = _parse_list(visit, text)
    lists: dict[str, tuple[list[Player], dict[str, Mapping[str, object]]]] = {}
    for entry in listing.entries:
        new, changed = lists.setdefault(entry.division, ([], {}))
        if entry.known is None:
            player = {name: one for name, one in entry.player.items() if name not in ("team", "division")}
            if typed := visit.form.get(f"latin{entry.line}"):
                player["latin"] = typed[: PLAYER_FIELDS["latin"].letters]
            new.append(entry_from(player))
        elif entry.changes and visit.form["update"]:
            changed[entry.known] = entry.changes
    lists.setdefault(visit.division.slug, ([], {}))  # a list may have nothing but the teams of known players
    visit.desk.players.import_lists(lists, partial(_teams_of, listing))
    if not listing.problems:
        return None
    lines = text.split("\n")
    left = [lines[one.line - 1] for one in listing.problems if one.line <= len(lines)]
    head = [lines[line - 1] for line in listing.header_lines]
    values = {"text": "\n".join([*head, *left]), "listing": None, "left": listing.problems}
    return show(visit, "players", "desk/import.html", taken=len(listing.new), **values)


def _teams_of(listing: ImportResult, division: DivisionState) -> list[Team]:
    """Return the teams that a list names, of players who are in no team yet, in the order of the list; the first is
    captain. Players of a team that exists join it."""
    if not division.event.facts.teams:
        return []
    known = {name_key(player.name or ""): player.id for player in division.event.players}
    placed = {id for team in division.event.teams for id in team.players}
    named: dict[str, tuple[str, list[str]]] = {}
    for entry in listing.entries:
        name = str(entry.player.get("team") or "")[:60]
        id = entry.known or known.get(name_key(str(entry.player["name"])))
        if entry.division == division.slug and name and id is not None and id not in placed:
            named.setdefault(name_key(name), (name, []))[1].append(id)
    existing = _teams_by_name(division)
    teams = []
    for key, (name, players) in named.items():
        if team := existing.get(key):
            teams.append(replace(team, players=(*team.players, *players)))
        elif len(players) >= 3:
            teams.append(Team("", name, tuple(players), players[0]))
    return teams


def _teams_by_name(division: DivisionState) -> dict[str, Team]:
    return {name_key(team.name or ""): team for team in division.event.teams}


def _small_teams(visit: RequestContext, listing: ImportResult) -> list[str]:
    """Return the names of the teams in a list that have too few players."""
    if not visit.division.event.facts.teams:
        return []
    sizes = Counter(str(entry.player["team"])[:60] for entry in listing.entries if entry.player.get("team"))
    existing = _teams_by_name(visit.division)
    return [name for name, size in sizes.items() if size < 3 and name_key(name) not in existing]


def _text_in(visit: RequestContext) -> tuple[str, list[tuple[str, str]]]:
    """Return the list with its corrected lines, and the other sheets of its workbook.

    :raises HeadError: it is empty or not a list.
    """
    form, content = visit.form, visit.files.get("file", b"")
    text, others = form["text"], []
    if is_workbook(content):
        sheets = sheets_of(content)
        best = max(sheets, key=lambda sheet: bool(parse_list(sheet[1]).header_lines), default=("", ""))
        text, others = best[1], [sheet for sheet in sheets if sheet is not best]
    elif content:
        text = _text_of(content)
    text = text.replace("\r\n", "\n").strip("\n")
    lines = text.split("\n")
    for number in range(1, MAX_CORRECTED + 1):
        if form.get(f"at{number}") and (at := parse_int(form, f"at{number}", 1, MAX_PLAYERS)) <= len(lines):
            was = lines[at - 1]  # the form field shows the line without its leading and trailing empty cells
            before, after = was[: len(was) - len(was.lstrip())], was[len(was.rstrip()) :]
            lines[at - 1] = before + form[f"mended{number}"].replace("\n", " ") + after
    text = with_repeats_written_out("\n".join(lines))
    if not text.strip():
        raise BadForm.saying("the list is empty; paste it or choose a file")
    return text, others


def _parse_list(visit: RequestContext, text: str) -> ImportResult:
    """Return the parsed list.

    :raises UnreadableList: it is not a list.
    """
    chosen = [visit.form.get(f"column{number}") or None for number in range(1, MAX_COLUMNS + 1)]
    columns = ["" if one == "-" else one if one in FIELDS else None for one in chosen]
    divisions = listed_divisions(visit, _chosen_divisions(visit)) if len(visit.desk.state.divisions) > 1 else []
    listing = parse_list(text, visit.division.event.players, columns, divisions, visit.division.slug)
    used = _column_choices(visit)  # other columns are shown as not imported
    entries = tuple(_without_drawn_fields(visit, one) for one in listing.entries)
    return replace(listing, columns=tuple(one if one in used else "" for one in listing.columns), entries=entries)


def _without_drawn_fields(visit: RequestContext, entry: ImportedPlayer) -> ImportedPlayer:
    """Return a line without another lot or seed of a known player, which stay once round 1 is published."""
    rounds = visit.desk.state.division(entry.division).rounds
    if not rounds or FIXED_BY_ROUND_1.isdisjoint(entry.changes):
        return entry
    changes = {name: value for name, value in entry.changes.items() if name not in FIXED_BY_ROUND_1}
    return replace(entry, changes=changes, note=entry.note or DRAW_STAYS)


def _column_choices(visit: RequestContext) -> dict[str, Text]:
    """Return the fields that a column may hold here: teams and divisions only where there are some."""
    teams, divisions = visit.division.event.facts.teams, len(visit.desk.state.divisions) > 1
    return {
        name: words for name, words in FIELDS.items() if (name != "team" or teams) and (name != "division" or divisions)
    }


def listed_divisions(visit: RequestContext, meant: Mapping[str, str]) -> list[ListedDivision]:
    """Return all divisions by the names that a list may use, that in the reader's language first. ``meant``: slugs by
    other names."""
    order = 1 if visit.lang == JAPANESE else -1
    return [
        ListedDivision(
            one.slug,
            (*filter(None, one.title[::order]), one.name, *(name for name, slug in meant.items() if slug == one.slug)),
            one.event.players,
        )
        for one in visit.desk.state.divisions.values()
    ]


def _text_of(content: bytes) -> str:
    """Return a file as the text of a list with a header, whatever program wrote it.

    :raises UnreadableList: it is not text, or not a list.
    """
    text = decode(content)
    if not ("%_%" in text or "pays" in text) or parse_list(text).header_lines:
        return text
    players = read_file(content)
    lines = ["\t".join(KNOWN)]
    lines += ["\t".join(str(player.get(name, "")) for name in KNOWN) for player in players]
    return "\n".join(lines)


def _empty_list(visit: RequestContext) -> Response:
    """Send a file with the headings that the import reads. A byte order mark before the CSV tells a spreadsheet that it
    is UTF-8."""
    kind = visit.path["kind"]
    headings = [render(one.label, visit.lang) for one in ASKED]
    match kind:
        case "txt":
            content, media = "".join(f"{line}\r\n" for line in _questions(visit)).encode(), "text/plain; charset=utf-8"
        case "csv":
            content, media = f"\ufeff{','.join(headings)}\r\n".encode(), "text/csv; charset=utf-8"
        case "xlsx":
            content = _empty_workbook(render(say("Players"), visit.lang), headings)
            media = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        case _:
            raise NotFound.saying("there is no such list; take .xlsx, .csv or .txt")
    named = {"content-disposition": f'attachment; filename="players.{kind}"'}
    return Response(content, media_type=media, headers=named)


def _empty_workbook(title: str, headings: Sequence[str]) -> bytes:
    """Return a workbook of one sheet with these headings and empty lines for players."""
    written = io.BytesIO()
    with xlsxwriter.Workbook(written, {"in_memory": True}) as book:
        sheet = book.add_worksheet(title)
        sheet.write_row(0, 0, headings, book.add_format({"bold": True, "bottom": 1}))
        sheet.set_column(0, len(headings) - 1, 16, book.add_format({"num_format": "@"}))  # keeps 001 as text
        sheet.freeze_panes(1, 0)
    return written.getvalue()


def _questions(visit: RequestContext) -> list[str]:
    """Return the questions of a web form in both languages, whose answers the import reads as headings; below that for
    the division its choices."""
    asked = [render_both(one.label) for one in ASKED if one.key != "team" or visit.division.event.facts.teams]
    if len(divisions := visit.desk.state.divisions.values()) > 1:
        asked += [render_both(DIVISION.label), *(f"  - {one.name}" for one in divisions)]
    return asked


_AT = "/division/{division}"

ADDRESSES: list[PageRoute] = [
    page("import", "desk/import.html", lambda visit: {"text": "", "listing": None, "taken": None}),
    division_form("import", _show_preview, {"text"}, uploads={"file"}, limit=LARGE, back="import"),
    division_form("import/again", _show_preview, _PREVIEW_FIELDS, limit=LARGE, back="import"),
    division_form("import/back", _edit_text, _PREVIEW_FIELDS, limit=LARGE, back="import"),
    division_form("import/take", _import_list, {"update", *_PREVIEW_FIELDS}, limit=LARGE, back="import",
                  then=f"{_AT}/players"),
    PageRoute(f"{_AT}/import/federation", _compare_with_federation, Role.DESK, back=f"{_AT}/players"),
    PageRoute(f"{_AT}/import/list.{{kind}}", _empty_list, Role.DESK, back=f"{_AT}/import"),
]  # fmt: skip
