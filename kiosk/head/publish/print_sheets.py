"""Print pages for an event: check-in lists, pairing cards, seat lists, result slips, standings, certificates, badges,
receipts.

A print is one HTML page for A4 or Letter, with its page breaks set here and in ``print.css``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from engine.i18n import Renderable, Text, say
from engine.match.rule_sets_and_options import ScoreRule, rule_set
from engine.tournament.event_model import Game, Round
from engine.tournament.multi_game_matches import MultiGameMatch, game_after, matches_in, part_words
from engine.tournament.player_entry_fields import ASKED, Player
from kiosk.head.publish import labels_and_formatting
from kiosk.head.publish.prizes_and_certificates import KINDS as CERTIFICATE_KINDS
from kiosk.head.publish.prizes_and_certificates import certificates_of, prizes_of
from kiosk.head.publish.published_event import Book, PublishedDivision
from kiosk.head.publish.template_render import render_template
from kiosk.locale import ENGLISH, JAPANESE, Lang, render
from kiosk.records.japanese_name_search_and_order import collation_key

KINDS = tuple(labels_and_formatting.PRINTS)
#: public pages named on the poster
HALL = tuple(labels_and_formatting.HALL)
#: the poster of the page for registration, in both languages: title, what to do, and how the phone gets there
_REGISTER = (
    say("Register with your phone"),
    say("Scan the code, fill in the form and send it. The desk answers on the same page."),
    say("Join the hall's Wi-Fi first. No app is needed."),
)


@dataclass(frozen=True, slots=True)
class SeatRow:
    """A row of a seat list. ``colour`` empty: the players settle it (M40-1). ``table`` None: a bye, or unknown."""

    name: str
    table: int | None
    colour: str
    opponent: str
    division: PublishedDivision
    id: str

    @property
    def kana(self) -> str:
        return self.division.player(self.id).kana or ""


@dataclass(frozen=True, slots=True)
class Badge:
    """A player's name badge."""

    division: PublishedDivision
    player: Player


@dataclass(frozen=True, slots=True)
class ResultSlip:
    """A game's result slip. ``designated``: Black and White are as printed; ``draw_right``: one wins with equal discs.
    ``part``: which game of a match of several games it is.
    """

    division: PublishedDivision
    round: int
    game: Game
    designated: bool
    draw_right: bool
    part: Text | None = None

    @property
    def score(self) -> ScoreRule:
        """Return what the players write down in addition to the winner."""
        return rule_set(self.division.event.facts.rules).score


def slips_of(
    divisions: Sequence[PublishedDivision], round_: int | None = None, *, tables: Sequence[int] = ()
) -> list[ResultSlip]:
    """Return the games of a round (None: the last one of each division), by table. ``tables``: left out, because they
    have a kiosk.
    """
    slips = []
    for division in divisions:
        if (shown := _round_of(division, round_)) is not None:
            slips += [_slip(division, shown.number, match) for match in matches_in(division.event, shown)]
    wanted = [slip for slip in slips if slip.game.table is None or slip.game.table not in tables]
    return sorted(wanted, key=lambda slip: (slip.game.table is None, slip.game.table or 0))


def _round_of(division: PublishedDivision, number: int | None) -> Round | None:
    """Return the round of this number, or the last one; None: the division has none."""
    rounds = [each for each in division.event.rounds if number in (None, each.number)]
    return rounds[-1] if rounds else None


def _slip(division: PublishedDivision, number: int, match: MultiGameMatch) -> ResultSlip:
    """Return the slip of a game, or of the last game of a match."""
    event, games = division.event, match.games
    if match.best_of == 1:
        designated = event.facts.designates(games[-1].stage)
        return ResultSlip(division, number, games[-1], designated, draw_right=not designated)
    due = game_after(event, games[0].players, games[:-1], match.best_of)
    part = part_words(len(games), match.best_of)
    return ResultSlip(division, number, games[-1], due.designated, draw_right=not due.draws, part=part)


def seats_of(divisions: Sequence[PublishedDivision], round_: int | None = None) -> list[SeatRow]:
    """Return where everybody plays, by name, including byes."""
    seats = []
    for slip in slips_of(divisions, round_):
        division, game = slip.division, slip.game
        for id, colour in ((game.black, "black"), (game.white, "white")):
            shown = colour if slip.designated else ""
            other = division.distinct_name(game.opponent(id))
            seats.append(SeatRow(division.distinct_name(id), game.table, shown, other, division, id))
    for division in divisions:
        latest = _round_of(division, round_)
        byes = latest.byes if latest else ()
        seats += [SeatRow(division.distinct_name(bye.player), None, "", "", division, bye.player) for bye in byes]
    return sorted(seats, key=lambda seat: (collation_key(seat.division.event.player(seat.id)), seat.name))


def badges_of(divisions: Sequence[PublishedDivision]) -> list[Badge]:
    """Return the badges of each division, in the order in which players look for them."""
    sorted_players = ((one, sorted(one.event.players, key=collation_key)) for one in divisions)
    return [Badge(division, player) for division, players in sorted_players for player in players]


def receipts_of(
    divisions: Sequence[PublishedDivision], paid: Mapping[str, Collection[str]], player: str = ""
) -> list[Badge]:
    """Return receipts for known players whose entry fee was paid. ``player``: only for that one."""
    found = [one for one in badges_of(divisions) if one.player.fee and one.player.id in paid.get(one.division.key, ())]
    return [one for one in found if player in ("", one.player.id)]


def numbers_of(divisions: Sequence[PublishedDivision], tables: Sequence[int]) -> list[int]:
    """Return the tables in use: those that are known, those that games were given to, and the lowest other numbers as
    long as there are fewer tables than games of everybody.
    """
    games = (game for division in divisions for round_ in division.event.rounds for game in round_.games)
    used = {*tables, *(game.table for game in games if game.table is not None)}
    needed = sum(len(division.event.players) // 2 for division in divisions)
    used.update([number for number in range(1, needed + 1) if number not in used][: max(needed - len(used), 0)])
    return sorted(used)


def sheet(
    book: Book,
    kind: str,
    lang: Lang,
    *,
    style: str,
    only: str | None = None,
    round_: int | None = None,
    tables: Sequence[int] = (),
    kinds: tuple[str, ...] = CERTIFICATE_KINDS,
    opens: Callable[[ResultSlip | Badge | str], str] = lambda of: "",
    paid: Mapping[str, Collection[str]] | None = None,
    player: str = "",
    holder: str = "",
    missing: Renderable | None = None,
) -> str:
    """Return the page to print.

    ``style``: the address of ``print.css``; ``only``: one division's key; ``tables``: those with a kiosk, which need no
    result slips, for table numbers all that are known; ``kinds``: of certificates; ``opens``: the address in the QR
    code of a slip, a badge or a poster, empty for none; ``paid``: by division, players whose entry fee was paid;
    ``player``, ``holder``: the only player whose receipt is wanted, and to whom it is made out instead; ``missing``:
    why QR codes are missing.

    :raises KeyError: there is no such kind of print.
    """
    if kind not in KINDS:
        raise KeyError(kind)
    names = {book.in_language(one).name for one in (JAPANESE, ENGLISH)}
    book = book.in_language(lang)
    divisions = [division for division in book.divisions if only in (None, division.key)]
    values: dict[str, object] = {"book": book, "divisions": divisions, "kind": kind, "style": style, "opens": opens}
    values["missing"] = missing
    match kind:
        case "cards":
            values["slips"] = slips_of(divisions, round_)
        case "slips":
            values["slips"] = slips_of(divisions, round_, tables=tables)
        case "seats":
            values |= {"seats": seats_of(divisions, round_), "slips": slips_of(divisions, round_)}
            values["shown"] = [(one, shown.number) for one in divisions if (shown := _round_of(one, round_))]
        case "checkin":
            values["entries"] = badges_of(divisions)
        case "badges":
            values["badges"] = badges_of(divisions)
        case "entry":
            values["asked"] = ASKED
        case "numbers":
            values["numbers"] = numbers_of(divisions, tables)
        case "poster":
            values["hall"] = HALL
        case "register":
            values["names"] = names
            values["both"] = [[render(said, one) for said in _REGISTER] for one in (JAPANESE, ENGLISH)]
        case "receipts":
            values |= {"receipts": receipts_of(divisions, paid or {}, player), "holder": holder}
        case "prizes":
            values["prizes_of"] = prizes_of
        case "certificates":
            values["certificates"] = certificates_of(book, kinds, only)
    return render_template(f"print_{kind}", lang, **values)
