"""The player of an event. Each field is declared once, with all that lists, forms, files, prints, published pages and
federations need to know about it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import MISSING, dataclass, field, fields
from enum import Enum
from functools import lru_cache
from typing import Any, get_type_hints

from engine.copy_with_changes import replace
from engine.i18n import Text, say, say_in


class Cell(Enum):
    """How typed text is read (``kiosk.head.registration.player_list_columns_and_cells``)."""

    TEXT = "text"
    NUMBER = "number"
    GRADE = "grade"
    YEAR = "year"
    SEX = "sex"
    COUNTRY = "country"
    AMOUNT = "amount"


class PublicWhen(Enum):
    """Whether a field may be published: of everybody, only with the player's name, only if the organiser allows it
    besides, or never."""

    ALWAYS = "always"
    WITH_NAME = "with-name"
    IF_ALLOWED = "if-allowed"
    NEVER = "never"


class SentWhen(Enum):
    """Whether a field goes to the federation: always, unless the person was anonymised, or unless the venue leaves it
    out besides."""

    ALWAYS = "always"
    WITH_PERSON = "with-person"
    OPTIONAL = "optional"


@dataclass(frozen=True, slots=True)
class PlayerField:
    """One field.

    - ``headings``: of its column in a list; none: no list has it. ``phrase``: a pattern for longer headings, such as
      the questions of an online form. ``cells``: a pattern that most cells of a column without a heading have.
    - ``limits``: of a number. ``letters``: the most that a form takes; 0: no form has it.
    - ``quick``: in the form for one player among others; ``asked``: in the empty list and the sign-up form; ``known``:
      in the lists that entries are completed from; ``entries``: in the federation's list of entries.
    - ``type``, ``default``: of the attribute of ``Player``.
    """

    label: Text
    headings: tuple[str, ...] = ()
    phrase: str = ""
    cells: str = ""
    cell: Cell = Cell.TEXT
    limits: tuple[int, int | None] | None = None
    letters: int = 0
    published: PublicWhen = PublicWhen.NEVER
    sent: SentWhen = SentWhen.OPTIONAL
    quick: bool = False
    asked: bool = False
    known: bool = False
    entries: bool = False
    key: str = ""
    type: Any = None
    default: object = None


def _field(label: Text, *headings: str, default: object = None, **more: Any) -> Any:
    return field(default=default, metadata={"declared": PlayerField(label, headings, default=default, **more)})


#: characters without width: blanks, joiners, marks of direction, the byte order mark
INVISIBLE = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
#: they choose one shape of the character before them
VARIATION_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
#: the highest entry fee, in the smallest unit of the currency that is written
MOST_FEE = 1_000_000
GRADE = (
    r"(?:([0-9]{1,2})|([初〇一二三四五六七八九十壱弐参]|しょ))\s*([段級]|だん|ダン|きゅう|キュウ)"
    r"|([0-9]{1,2})\s*([dkDK])(?:an|yu)?"
)
SEXES = dict.fromkeys(("男", "男性", "男子", "m", "male"), "M") | dict.fromkeys(
    ("女", "女性", "女子", "f", "female"), "F"
)


JAPAN = "JPN"
_NAMES_OF_JAPAN = frozenset({"JPN", "JP", "JAPAN", "日本", "日本国"})


def country_code(country: str) -> str:
    """Return the code of a country whose name is known, else the country as it stands, Latin letters in capitals."""
    country = country.upper() if country.isascii() else country
    return JAPAN if country in _NAMES_OF_JAPAN else country


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """Return a key that is equal for different spellings of one name."""
    visible = VARIATION_SELECTORS.sub("", INVISIBLE.sub("", name))
    return "".join(unicodedata.normalize("NFKC", visible).casefold().split())


def grade_height(grade: str) -> int:
    """Return a comparable number of a grade: 9 dan 9, 1 dan 1, 1 kyu 0, 2 kyu -1 …; any other text is below all."""
    number, scale = grade[:-1], grade[-1:]
    if not number.isdecimal() or scale not in ("d", "k"):
        return -1000
    return int(number) if scale == "d" else 1 - int(number)


def in_latin_letters(player: Player) -> Player:
    """Return the player with the name in Latin letters, if it is known and the name is in others; the other name is
    kept, so that either is found."""
    if not player.latin or not _has_other_letters(player.name or ""):
        return player
    return replace(player, name=player.latin, latin=player.name)


def is_put_in_latin_letters(player: Player) -> bool:
    """Check whether ``in_latin_letters`` has exchanged the names: the reading is that of the other one then."""
    return _has_other_letters(player.latin or "")


def _has_other_letters(name: str) -> bool:
    letters = () if name.isascii() else filter(str.isalpha, name)
    return any(not unicodedata.name(letter, "").startswith("LATIN") for letter in letters)


@dataclass(frozen=True, slots=True)
class Player:
    """Entry of a player. The order of the fields is that of the event file.

    ``id`` is the event's own key, ``number`` that of this event, ``national`` that of his federation, ``wof`` that of
    the world federation's list. ``seed`` and ``lot`` count from 1; ``withdrawn_after_round`` is the last round he
    belongs to; ``table`` is the one at which all his games are played.
    """

    # fmt: off
    id: str = _field(say("Key in the event file"), "id", default=MISSING,
        published=PublicWhen.ALWAYS, sent=SentWhen.ALWAYS)
    name: str | None = _field(
        say("Name"), "name", "氏名", "名前", "選手", "選手名", "player", "お名前", "full name", "players", "参加者",
        "参加者名", "参加者氏名", phrase="氏名|お名前|選手名|full name|(your|player'?s?|participant'?s?) name",
        letters=60,
        published=PublicWhen.WITH_NAME, sent=SentWhen.ALWAYS, quick=True, asked=True, known=True, entries=True)
    grade: str | None = _field(
        say("Grade"), "grade", "段位", "段級位", "級位", "段級", "dan", "級", "段", "棋力", "rank",
        phrase="段位|段級|級位|棋力", cells=GRADE, cell=Cell.GRADE, letters=8,
        published=PublicWhen.ALWAYS, sent=SentWhen.ALWAYS, quick=True, asked=True, known=True, entries=True)
    birth_year: int | None = _field(
        say("Born"), "birth_year", "birth year", "生年", "生年月日", "誕生年", "born", "year of birth", "誕生日",
        "生まれ", "出生年", "西暦", "birthday", "date of birth", phrase="生年|生まれ|誕生|birth",
        cells=r"(19|20)\d\d([/.-]\d+[/.-]\d+)?", cell=Cell.YEAR, limits=(1850, 2200), letters=12,
        published=PublicWhen.IF_ALLOWED, quick=True, asked=True, known=True, entries=True)
    sex: str | None = _field(
        say("Sex"), "sex", "gender", "性別", "性", phrase="性別", cells=f"(?i:{'|'.join(SEXES)})", cell=Cell.SEX,
        letters=6, published=PublicWhen.ALWAYS, quick=True, asked=True, known=True)
    country: str | None = _field(
        say("Country"), "country", "国", "国籍", "nation", "federation", phrase="国籍|country",
        cells="[A-Z]{3}", cell=Cell.COUNTRY,
        letters=20, published=PublicWhen.ALWAYS, asked=True, known=True, entries=True)
    club: str | None = _field(
        say("Club"), "club", "所属", "クラブ", "学校", "所属クラブ", "学校名", "都道府県", "支部",
        phrase="所属|学校|クラブ", letters=60, published=PublicWhen.WITH_NAME, asked=True, known=True, entries=True)
    rating: int | None = _field(
        say("Rating"), "rating", "レーティング", "レート", "elo", cells=r"[5-9]\d\d|[1-2]\d\d\d", cell=Cell.NUMBER,
        limits=(-10_000, 100_000), letters=6, published=PublicWhen.WITH_NAME, known=True)
    seed: int | None = _field(
        say("Seed"), "seed", "シード", cell=Cell.NUMBER, limits=(1, None), letters=4,
        published=PublicWhen.ALWAYS, sent=SentWhen.ALWAYS)
    lot: int | None = _field(
        say("Lot"), "lot", "抽選番号", "くじ", "抽選", cell=Cell.NUMBER, limits=(1, None),
        published=PublicWhen.ALWAYS, sent=SentWhen.ALWAYS)
    league: str | None = _field(
        say_in("a group of players", "League"), published=PublicWhen.ALWAYS, sent=SentWhen.ALWAYS)
    absent: bool = _field(say("absent"), default=False, published=PublicWhen.ALWAYS, sent=SentWhen.ALWAYS)
    withdrawn_after_round: int | None = _field(
        say("withdrawn"), limits=(0, None), published=PublicWhen.ALWAYS, sent=SentWhen.ALWAYS)
    number: int | str | None = _field(
        say("Number in this event"), "number", "選手番号", "エントリー番号", "ゼッケン", letters=20,
        published=PublicWhen.ALWAYS, sent=SentWhen.WITH_PERSON, entries=True)
    national: int | str | None = _field(
        say("Membership number"), "national", "会員番号", "会員no", "会員no.", "membership number",
        phrase="会員番号|membership number", letters=20,
        published=PublicWhen.IF_ALLOWED, asked=True, known=True, entries=True)
    wof: int | str | None = _field(
        say("Number in the world rating list"), "wof", "wof番号", "世界レーティングの番号", "wof no.", "wof number",
        "wof id", "number in the world rating list", cell=Cell.NUMBER, limits=(1, None), letters=6,
        published=PublicWhen.IF_ALLOWED, asked=True, known=True, entries=True)
    kana: str | None = _field(
        say("Reading (kana)"), "kana", "ふりがな", "フリガナ", "よみ", "ヨミ", "よみがな", "ヨミガナ", "読み", "カナ",
        "reading", phrase="ふりがな|フリガナ|よみがな|ヨミガナ|読み仮名|カナ", letters=60,
        published=PublicWhen.WITH_NAME, quick=True, asked=True, known=True, entries=True)
    latin: str | None = _field(
        say("Name in Latin letters"), "latin", "ローマ字", "ローマ字氏名", "ローマ字表記", "英字氏名", "英語名",
        "name in latin letters", phrase="ローマ字|英字|英語表記", letters=60,
        published=PublicWhen.WITH_NAME, asked=True, known=True, entries=True)
    remark: str | None = _field(
        say("Remark"), "remark", "remarks", "備考", "note", "notes", "学年", phrase="学年|備考",
        letters=200, asked=True)
    fee: int | str | None = _field(
        say_in("of a player", "Fee"), "fee", "会費", "参加費", "年会費", cell=Cell.AMOUNT, limits=(0, MOST_FEE),
        letters=20, known=True, entries=True)
    table: int | None = _field(
        say("Fixed table"), "fixed table", "固定卓", cell=Cell.NUMBER, limits=(1, 9999), letters=4)
    # fmt: on


_TYPES = get_type_hints(Player)
#: every field by its key, in the order of the event file
PLAYER_FIELDS: dict[str, PlayerField] = {
    one.name: replace(one.metadata["declared"], key=one.name, type=_TYPES[one.name]) for one in fields(Player)
}
#: the order of forms and lists
_ORDER = (
    "name", "kana", "latin", "grade", "birth_year", "sex", "club", "country", "number", "rating", "national", "wof",
    "seed", "lot", "fee", "remark",
)  # fmt: skip


def _keys(flag: str, *first: str) -> tuple[str, ...]:
    """Return the fields of which ``flag`` is true, in the order of forms and lists, or with ``first`` before others."""
    order = dict.fromkeys((*first, *_ORDER, *PLAYER_FIELDS))
    return tuple(key for key in order if getattr(PLAYER_FIELDS[key], flag))


#: the fields of forms, in full and in short; the columns that lists may have
FORM, QUICK, LISTED = _keys("letters"), _keys("quick"), _keys("headings")
#: columns of lists that are no fields of a player
TEAM = PlayerField(
    say_in("of a player", "Team"), ("team", "チーム", "チーム名", "団体名"), phrase="チーム|team", key="team"
)
DIVISION = PlayerField(
    say("Division"),
    ("division", "section", "category", "部門", "部", "クラス", "カテゴリー", "種目", "区分", "参加区分"),
    phrase="部門", key="division",
)  # fmt: skip
#: the columns of the empty list and the lines of the sign-up form
ASKED = [PLAYER_FIELDS[key] for key in _keys("asked")]
ASKED.insert(ASKED.index(PLAYER_FIELDS["country"]) + 1, TEAM)
#: the columns of stored lists of known players, whose order is part of the format
KNOWN = _keys("known", "name", "kana", "latin", "grade", "birth_year", "sex", "country")
#: the columns of the federation's list of entries, whose order is part of the format
ENTRIES = _keys("entries", "number", "name", "kana", "latin", "national", "wof")
#: the fields that are taken from a person who is made anonymous; those of them that a venue may leave out
PERSONAL = tuple(key for key, one in PLAYER_FIELDS.items() if one.sent is not SentWhen.ALWAYS)
OPTIONAL = tuple(key for key, one in PLAYER_FIELDS.items() if one.sent is SentWhen.OPTIONAL)


def may_be_same(one: Player, other: Player) -> bool:
    """Check whether two entries may be one person: the same name, and no two years of birth."""
    same_name = name_key(one.name or one.id) == name_key(other.name or other.id)
    return same_name and not birth_years_differ(one.birth_year, other.birth_year)


def birth_years_differ(one: object, other: object) -> bool:
    """Check whether two years of birth, each of which may be unknown, are of two people."""
    return None not in (one, other) and one != other
