"""Lists that a national federation requests after an event: games, certificates, grades, qualifications, entries.

A list is a table of texts in one language, the same on a page, in a spreadsheet and on paper. A game is rated as its
result says, and otherwise if it was played over the board. ``prizes_and_certificates`` decides what is granted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from engine.i18n import Text, say, say_in
from engine.tournament.grade_and_oza_awards import Award
from engine.tournament.player_entry_fields import ENTRIES, PLAYER_FIELDS, Player
from kiosk.head.publish.labels_and_formatting import COLORS, grade_name, label
from kiosk.head.publish.prizes_and_certificates import certificates_of
from kiosk.head.publish.published_event import Book, PublishedDivision
from kiosk.locale import JAPANESE, Lang, translator
from kiosk.records.event_file_formats_and_csv import csv_text

Cell = str | int
TITLES: dict[str, Text] = {
    "games": say("All games of the event"),
    "certificates": say("Certificates and fees"),
    "grades": say("Changes of grade"),
    "oza": say("Qualified for the Oza"),
    "entries": say("Entries"),
    "numbers": say("Numbers of entries and games"),
}
KINDS = tuple(TITLES)


@dataclass(frozen=True, slots=True)
class ListTable:
    """A list: its column headings and its rows."""

    kind: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def csv(self) -> str:
        """Return CSV with a byte order mark, by which spreadsheets recognise UTF-8."""
        return "\ufeff" + csv_text([self.columns, *self.rows])

    def cells(self) -> str:
        """Return text to be pasted into a spreadsheet: columns separated by tabs."""
        rows = [self.columns, *self.rows]
        return "\n".join("\t".join(" ".join(str(cell).split()) for cell in row) for row in rows) + "\n"


def sheet_of(book: Book, kind: str, lang: Lang) -> ListTable:
    """Return one of the lists.

    :raises KeyError: there is no such list.
    """
    columns, rows = _LISTS[kind]
    translate = translator(lang)

    def format_cell(cell: _Value) -> Cell:
        match cell:
            case (ja, en):
                return ja if lang == JAPANESE else en
            case None:
                return ""
            case Text():
                return translate(cell)
            case _:
                return cell

    return ListTable(kind, tuple(map(translate, columns)), tuple(tuple(map(format_cell, row)) for row in rows(book)))


#: a cell before it is translated; a pair: in Japanese and in English
_Value = Text | Cell | tuple[str, str] | None
_Rows = Iterator[tuple[_Value, ...]]
_YES, _NO = say("yes"), say("no")
_DIVISION, _ROUND, _NAME = say("Division"), say("Round"), say("Name")
_NATIONAL, _WOF, _GRADE = (PLAYER_FIELDS[key].label for key in ("national", "wof", "grade"))
_RULE, _FEE = say("Rule"), say("Fee")
_WON = {"black": COLORS["black"], "white": COLORS["white"], "draw": say("draw"), "neither": say("nobody")}


def _numbers(player: Player) -> tuple[_Value, _Value]:
    return player.national or "", player.wof or ""


def _fee(award: Award) -> Text:
    return say("charged") if award.fee else say("free")


def _games(book: Book) -> _Rows:
    for division in book.divisions:
        event = division.event
        for played in division.games:
            game = played.game
            rated = game.winner is not None and (game.over_the_board if game.rated is None else game.rated)
            yield (
                event.date or book.date, book.name, division.title, played.round, label("stage", game.stage.value),
                *_numbers(division.player(game.black)), division.name(game.black), game.black_discs, game.white_discs,
                division.name(game.white), *_numbers(division.player(game.white)),
                game.winner and _WON[game.winner.value], game.end and label("end", game.end.value),
                _YES if rated else _NO,
            )  # fmt: skip


def _certificates(book: Book) -> _Rows:
    for one in certificates_of(book):
        award = one.award if one.kind == "grade" else None
        granted = {"grade": grade_name(award.grade) if award else None, "oza": say("Oza qualification")}.get(one.kind)
        yield (
            one.division.title, one.rank, one.name, *_numbers(one.division.player(one.id)),
            label("certificate", one.kind), one.honour if granted is None else granted,
            *((_fee(award), award.rule) if award else ("", "")),
        )  # fmt: skip


def _awarded(
    book: Book, wanted: Callable[[PublishedDivision, Award], bool]
) -> Iterator[tuple[tuple[_Value, ...], Award]]:
    """Yield who was granted something, up to the present grade, and what."""
    for division in book.divisions:
        for award in division.awards if division.is_over else ():
            if wanted(division, award):
                player = division.player(award.id)
                place = division.title, division.rank[award.id], division.name(award.id)
                yield (*place, *_numbers(player), grade_name(player.grade)), award


def _grades(book: Book) -> _Rows:
    for who, award in _awarded(book, PublishedDivision.promotes):
        yield *who, grade_name(award.grade), award.rule, _fee(award)


def _oza(book: Book) -> _Rows:
    return (who for who, _ in _awarded(book, lambda _, award: award.oza))


def _entries(book: Book) -> _Rows:
    for division in book.divisions:
        for player in division.event.players:
            left = player.withdrawn_after_round is not None
            state = say("absent") if player.absent else say("withdrew") if left else ""
            yield division.title, *(_cell(player, key) for key in ENTRIES), state


def _cell(player: Player, key: str) -> _Value:
    match key:
        case "name":
            return player.name or player.id
        case "grade":
            return grade_name(player.grade)
        case _:
            value: _Value = getattr(player, key) or ""
            return value


def _counts(book: Book) -> _Rows:
    for division in book.divisions:
        players = division.event.players
        finished = [played.game for played in division.games if played.game.winner is not None]
        board = sum(game.over_the_board for game in finished)
        came = sum(not player.absent for player in players)
        yield division.title, len(players), came, len(division.event.rounds), len(finished), board


_LISTS: dict[str, tuple[Sequence[Text], Callable[[Book], _Rows]]] = {
    "games": (
        (say("Date"), say_in("a column: its name", "Event"), _DIVISION, _ROUND, say("Stage"),
         say("Black's membership number"), say("Black's number in the world rating list"), say("Black"),
         say("Black's discs"), say("White's discs"), say("White"), say("White's membership number"),
         say("White's number in the world rating list"), say("Winner"), say("Ended"), say("Rated")),
        _games,
    ),
    "certificates": (
        (_DIVISION, say("Rank"), _NAME, _NATIONAL, _WOF, say("Certificate"), say("Granted"), _FEE, _RULE),
        _certificates,
    ),
    "grades": (
        (_DIVISION, say("Rank"), _NAME, _NATIONAL, _WOF, say_in("the grade of now", "Now"), say("Awarded"), _RULE,
         _FEE),
        _grades,
    ),
    "oza": ((_DIVISION, say("Rank"), _NAME, _NATIONAL, _WOF, _GRADE), _oza),
    "entries": (
        (_DIVISION, *({"fee": _FEE}.get(key, PLAYER_FIELDS[key].label) for key in ENTRIES), say("Remark")),
        _entries,
    ),
    "numbers": (
        (
            _DIVISION, say("Entered"), say("Took part"), say_in("how many", "Rounds"), say("Games"),
            say("Games over the board"),
        ),
        _counts,
    ),
}  # fmt: skip
