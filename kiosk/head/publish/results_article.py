"""The announcement of an event's results: place, numbers, winners, standings with crosstables, games, openings.

``article_of`` builds it as blocks, which are rendered as Markdown or plain text here, and as HTML by a template. Marks
are those of Japanese tables: ○ (U+25CB, never the numeral 〇) a win, ● a loss, △ a draw, and the number of the
opponent's row.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.i18n import Text, say, say_n
from engine.tournament.event_model import Game, Stage, Winner
from kiosk.head.publish import labels_and_formatting
from kiosk.head.publish.crosstable_and_bracket import Meeting, by_round
from kiosk.head.publish.game_positions_and_best_play import opening_of
from kiosk.head.publish.prizes_and_certificates import prizes_of
from kiosk.head.publish.published_event import Book, PublishedDivision, PublishedGame
from kiosk.head.publish.template_render import number
from kiosk.locale import JAPANESE, Lang, translator

MARKS = {"win": "○", "loss": "●", "draw": "△", "open": "-"}
#: most openings and most notable games of a division
_MOST_OPENINGS, _MOST_GAMES = 5, 4
#: largest disc difference of a close game
_CLOSE = 2


@dataclass(frozen=True, slots=True)
class Heading:
    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Lines:
    """Items, one a line."""

    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ArticleTable:
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Heading | Lines | ArticleTable
_Say = Callable[..., str]
_Words = Text | str


@lru_cache(maxsize=8)
def article_of(book: Book, lang: Lang) -> tuple[Block, ...]:
    """Return the announcement in one language."""
    translate = translator(lang)
    facts = (
        (say("Date"), translate(labels_and_formatting.day_name(book.date))),
        (say("Place"), book.place),
        (say("Players"), str(sum(map(_took_part, book.divisions)))),
    )
    lines = tuple(f"{translate(name)}: {value}" for name, value in facts if value)
    blocks: list[Block] = [Heading(1, book.name), Lines(lines)]
    played = [division for division in book.divisions if division.standings.after_round]
    champions = [
        f"{_title(one, lang)}: {one.name(one.champion)}" for one in played if one.is_over and one.champion is not None
    ]
    if champions:
        blocks += [Heading(2, translate(say("Winners"))), Lines(tuple(champions))]
    for division in played:
        blocks += _division(division, lang)
    return tuple(blocks)


def _title(division: PublishedDivision, lang: Lang) -> str:
    return division.title[0 if lang == JAPANESE else 1]


def _took_part(division: PublishedDivision) -> int:
    return sum(not player.absent for player in division.event.players)


def _division(division: PublishedDivision, lang: Lang) -> list[Block]:
    translate = translator(lang)
    after = say("after round {n}", n=division.standings.after_round)
    state = say("Final standings") if division.is_over else after
    blocks: list[Block] = [Heading(2, _title(division, lang)), Lines((translate(_size(division)),))]
    if division.is_over:
        blocks += [Heading(3, translate(say("Places"))), Lines(tuple(_places(division, translate)))]
    blocks += [Heading(3, translate(state)), _standings(division, translate)]
    if games := _notable(division, translate):
        blocks += [Heading(3, translate(say("Games to look at"))), Lines(tuple(games))]
    if openings := _openings(division, translate):
        blocks += [Heading(3, translate(say("Openings"))), Lines(tuple(openings))]
    return blocks


def _size(division: PublishedDivision) -> Text:
    event, rounds = division.event, len(division.event.rounds)
    if event.facts.teams:
        return say_n("{n} team, {rounds} rounds", "{n} teams, {rounds} rounds", len(event.teams), rounds=rounds)
    return say_n("{n} player, {rounds} rounds", "{n} players, {rounds} rounds", _took_part(division), rounds=rounds)


def _places(division: PublishedDivision, translate: _Say) -> Iterable[str]:
    """Yield 上位入賞者: places, prizes, grades, qualifications."""
    for prize in prizes_of(division):
        parts: list[_Words] = [one for one in (prize.place, *prize.prizes) if one is not None]
        award = prize.award
        if award is not None and division.promotes(award):
            parts.append(labels_and_formatting.grade_name(award.grade))
        if award is not None and award.oza:
            parts.append(say("Oza qualification"))
        if parts:
            yield f"{prize.rank}. {division.distinct_name(prize.id)}: " + " / ".join(translate(part) for part in parts)


def _standings(division: PublishedDivision, translate: _Say) -> ArticleTable:
    """Return the standings with the crosstable: each round, then the deciding values."""
    cross = by_round(division)
    keys = division.standings.rows[0].key_names if division.standings.rows else ()
    who = say("Team") if division.event.facts.teams else say("Name")
    heads = (translate(say("No.")), translate(say("Rank")), translate(who), *(f"{n}" for n in cross.columns))
    rows = []
    for at, line in enumerate(cross.lines, start=1):
        marks = ([_mark(each, division, cross.number, translate) for each in meetings] for meetings in line.cells)
        cells = [" ".join(each) or "-" for each in marks]
        values = [number(value) for value in line.row.keys]
        rows.append((str(at), str(line.row.rank), division.distinct_name(line.row.id), *cells, *values))
    return ArticleTable((*heads, *(translate(labels_and_formatting.key_short(key)) for key in keys)), tuple(rows))


def _mark(meeting: Meeting, division: PublishedDivision, numbers: dict[str, int], translate: _Say) -> str:
    if meeting.outcome == "bye":
        return translate(labels_and_formatting.bye_of(division.event))
    return f"{MARKS[meeting.outcome]}{numbers.get(meeting.opponent, meeting.opponent)}"


def _notable(division: PublishedDivision, translate: _Say) -> list[str]:
    """Return the final, perfect games, the closest and the most one-sided games; each game once."""
    finished = [one for one in division.games if one.game.winner is not None and one.game.over_the_board]
    counted = [] if division.event.facts.captures else [one for one in finished if _margin(one.game) is not None]
    named: dict[str, tuple[PublishedGame, _Words]] = {}
    for one in finished:
        if one.game.stage in (Stage.FINAL, Stage.WOMENS_FINAL):
            words: _Words = labels_and_formatting.label("stage", one.game.stage.value)
            named[one.key] = one, words if one.part is None else say("{label}, {part}", label=words, part=one.part)
    close = [one for one in counted if (_margin(one.game) or 0) <= _CLOSE]
    for one in sorted(close, key=lambda one: (_margin(one.game), -one.round)):
        level = say("draw") if one.game.winner is Winner.DRAW else say("equal discs")
        words = say("decided by two discs") if _margin(one.game) else level
        named.setdefault(one.key, (one, words))
    for one in counted:
        if _margin(one.game) == (total := division.event.total):
            named.setdefault(one.key, (one, say("all {total} discs", total=total)))
    return [_game(division, one, why, translate) for one, why in list(named.values())[:_MOST_GAMES]]


def _margin(game: Game) -> int | None:
    if game.black_discs is None or game.white_discs is None:
        return None
    return abs(game.black_discs - game.white_discs)


def _game(division: PublishedDivision, played: PublishedGame, why: _Words, translate: _Say) -> str:
    game = played.game
    score = "" if game.black_discs is None else f" {game.black_discs}–{game.white_discs}"
    opening = opening_of(game, division.event.variant)
    round_ = translate(say("Round {round}", round=played.round))
    named = f" ({translate(opening.name)})" if opening is not None else ""
    names = f"●{division.distinct_name(game.black)} – ○{division.distinct_name(game.white)}"
    return f"{round_}: {names}{score}, {translate(why)}{named}"


def _openings(division: PublishedDivision, translate: _Say) -> list[str]:
    """Return the openings of the games with a transcript, the most frequent first."""
    found = (opening_of(one.game, division.event.variant) for one in division.recorded)
    counts = Counter(translate(opening.name) for opening in found if opening is not None)
    most_frequent = sorted(counts.items(), key=lambda one: (-one[1], one[0]))[:_MOST_OPENINGS]
    return [f"{name}: {count}" for name, count in most_frequent]


# renderers


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")


def as_markdown(blocks: Sequence[Block]) -> str:
    """Return Markdown in the form of GitHub and most blogs."""
    return "\n\n".join(map(_markdown, blocks)) + "\n"


def _markdown(block: Block) -> str:
    def escaped(text: str) -> str:
        return _MARKDOWN.sub(r"\\\1", text)

    match block:
        case Heading(level, text):
            return f"{'#' * level} {escaped(text)}"
        case Lines(items):
            return "\n".join(f"- {escaped(item)}" for item in items)
        case ArticleTable(columns, rows):
            lines = ["| " + " | ".join(map(escaped, row)) + " |" for row in (columns, *rows)]
            return "\n".join([lines[0], "|" + "---|" * len(columns), *lines[1:]])


def as_text(blocks: Sequence[Block]) -> str:
    """Return plain text for mails and bulletin boards; columns align in a fixed-width font."""
    return "\n\n".join(map(_text, blocks)) + "\n"


def _text(block: Block) -> str:
    match block:
        case Heading(1, text):
            return f"{text}\n{'=' * _width(text)}"
        case Heading(_, text):
            return f"■ {text}"
        case Lines(items):
            return "\n".join(items)
        case ArticleTable(columns, rows):
            widths = [max(_width(row[at]) for row in (columns, *rows)) for at in range(len(columns))]
            return "\n".join(_row(row, widths) for row in (columns, *rows))


def _row(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = (cell + " " * (wide - _width(cell)) for cell, wide in zip(row, widths, strict=True))
    return "  ".join(cells).rstrip()


def _width(text: str) -> int:
    """Return the columns in a fixed-width font, where kanji, and in a Japanese one also the marks, take two."""
    return sum(2 if unicodedata.east_asian_width(char) in "FWA" else 1 for char in text)
