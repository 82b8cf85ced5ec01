"""Lists that a national federation requests after an event: games, certificates, grades, qualifications, entries.

A list is a table of texts in one language, the same on a page, in a spreadsheet and on paper. A game is rated as its
result says, and otherwise if it was played over the board. ``prizes_and_certificates`` decides what is granted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.i18n import Text, say, say_in
from engine.tournament.grade_and_oza_awards import Award
from engine.tournament.player_entry_fields import ENTRIES, PLAYER_FIELDS, Player
from kiosk.head.publish import labels_and_formatting
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
    texts = _Words(lang)
    return ListTable(kind, tuple(map(texts, columns)), tuple(rows(book, texts)))


class _Words:
    """The texts of a list in one language."""

    def __init__(self, lang: Lang) -> None:
        self._lang = lang
        self._translate = translator(lang)

    def __call__(self, text: Text | str) -> str:
        return self._translate(text)

    def title(self, division: PublishedDivision) -> str:
        return division.title[0 if self._lang == JAPANESE else 1]

    def grade(self, grade: str | None) -> str:
        return self(labels_and_formatting.grade_name(grade))

    def fee(self, award: Award) -> str:
        return self(say("charged") if award.fee else say("free"))

    def yes(self, answer: bool) -> str:
        return self(_YES if answer else _NO)


_YES, _NO = say("yes"), say("no")
_DIVISION, _ROUND, _NAME = say("Division"), say("Round"), say("Name")
_NATIONAL, _WOF, _GRADE = (PLAYER_FIELDS[key].label for key in ("national", "wof", "grade"))
_RULE, _FEE = say("Rule"), say("Fee")


def _numbers(player: Player) -> tuple[Cell, Cell]:
    return player.national or "", player.wof or ""


def _games(book: Book, texts: _Words) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for division in book.divisions:
        event, players = division.event, {player.id: player for player in division.event.players}
        for played in division.games:
            game = played.game
            black, white = players[game.black], players[game.white]
            winner = "" if game.winner is None else texts(_WON[game.winner.value])
            end = "" if game.end is None else texts(labels_and_formatting.label("end", game.end.value))
            rated = game.winner is not None and (game.over_the_board if game.rated is None else game.rated)
            discs = (("" if one is None else one) for one in (game.black_discs, game.white_discs))
            rows.append(
                (event.date or book.date, book.name, texts.title(division), played.round,
                 texts(labels_and_formatting.label("stage", game.stage.value)), *_numbers(black),
                 division.name(game.black), *discs,
                 division.name(game.white), *_numbers(white), winner, end, texts.yes(rated))
            )  # fmt: skip
    return rows


_WON: dict[str, Text] = {
    "black": labels_and_formatting.COLORS["black"],
    "white": labels_and_formatting.COLORS["white"],
    "draw": say("draw"),
    "neither": say("nobody"),
}


def _certificates(book: Book, texts: _Words) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for one in certificates_of(book):
        award = one.award if one.kind == "grade" else None
        granted = {"grade": award and texts.grade(award.grade), "oza": texts(say("Oza qualification"))}.get(one.kind)
        honour = "" if one.honour is None or granted is not None else texts(one.honour)
        fee = "" if award is None else texts.fee(award)
        player = _player(one.division, one.id)
        rows.append(
            (texts.title(one.division), one.rank, one.name, *_numbers(player),
             texts(labels_and_formatting.label("certificate", one.kind)), granted or honour, fee,
             award.rule if award else "")
        )  # fmt: skip
    return rows


def _player(division: PublishedDivision, id: str) -> Player:
    """Return the player; for a team, a player without numbers."""
    return next((player for player in division.event.players if player.id == id), Player(id))


def _awards(
    book: Book, wanted: Callable[[PublishedDivision, Award], bool]
) -> list[tuple[PublishedDivision, Award, Player]]:
    return [
        (division, award, _player(division, award.id))
        for division in book.divisions
        if division.is_over
        for award in division.awards
        if wanted(division, award)
    ]


def _grades(book: Book, texts: _Words) -> list[tuple[Cell, ...]]:
    changed = _awards(book, PublishedDivision.promotes)
    return [
        (texts.title(division), division.rank[award.id], division.name(award.id), *_numbers(player),
         texts.grade(player.grade), texts.grade(award.grade), award.rule,
         texts.fee(award))
        for division, award, player in changed
    ]  # fmt: skip


def _oza(book: Book, texts: _Words) -> list[tuple[Cell, ...]]:
    return [
        (texts.title(division), division.rank[award.id], division.name(award.id), *_numbers(player),
         texts.grade(player.grade))
        for division, award, player in _awards(book, lambda _, award: award.oza)
    ]  # fmt: skip


def _entries(book: Book, texts: _Words) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for division in book.divisions:
        for player in division.event.players:
            left = player.withdrawn_after_round is not None
            state = texts(say("absent")) if player.absent else texts(say("withdrew")) if left else ""
            fields = [_cell(player, key, texts) for key in ENTRIES]
            rows.append((texts.title(division), *fields, state))
    return rows


def _cell(player: Player, key: str, texts: _Words) -> Cell:
    match key:
        case "name":
            return player.name or player.id
        case "grade":
            return texts.grade(player.grade)
        case _:
            return getattr(player, key) or ""


def _counts(book: Book, texts: _Words) -> list[tuple[Cell, ...]]:
    rows: list[tuple[Cell, ...]] = []
    for division in book.divisions:
        players = division.event.players
        finished = [played.game for played in division.games if played.game.winner is not None]
        board = sum(game.over_the_board for game in finished)
        came = sum(not player.absent for player in players)
        rows.append((texts.title(division), len(players), came, len(division.event.rounds), len(finished), board))
    return rows


_LISTS: dict[str, tuple[Sequence[Text], Callable[[Book, _Words], list[tuple[Cell, ...]]]]] = {
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
