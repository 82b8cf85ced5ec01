"""Tables and views of the federation's database, with a comment for each column
(docs/reference/federation-database.md).

Tables (plural) are internal and may change with a migration; views (singular) are for other programs and keep their
columns. The comments here are stored in PostgreSQL too.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.schema import SchemaItem
from sqlalchemy.types import TypeEngine

from engine.tournament.player_entry_fields import PLAYER_FIELDS

#: the name of the schema in PostgreSQL, and of the file beside the store otherwise
SCHEMA, FILE = "federation", "federation.sqlite"

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


_Kind = type[TypeEngine[Any]] | TypeEngine[Any]


def _column(
    name: str, kind: _Kind | None, comment: str, *items: SchemaItem, null: bool = False, **options: Any
) -> sa.Column[Any]:
    """Return a column. ``kind``: its type; None: that of the referenced column."""
    return sa.Column(name, kind, *items, nullable=null, comment=comment, **options)


def _key() -> sa.Column[int]:
    big = sa.BigInteger().with_variant(sa.Integer, "sqlite")
    return _column("id", big, "Ours; another one after a rebuild", primary_key=True)


def _of(table: str, comment: str, name: str = "", *, null: bool = False, index: bool = False) -> sa.Column[int]:
    """Return a foreign key. Its rows are deleted with the referenced row, or kept without reference where it is
    nullable.
    """
    foreign = sa.ForeignKey(f"{table}.id", ondelete="SET NULL" if null else "CASCADE")
    return _column(name or f"{table[:-1]}_id", None, comment, foreign, null=null, index=index or None)


def _table(name: str, comment: str, *items: SchemaItem, **options: Any) -> sa.Table:
    return sa.Table(name, metadata, *items, comment=comment, **options)


venues = _table(
    "venues",
    "The venues that have sent something",
    _column("name", sa.String, "The venue's name at the federation", primary_key=True),
    _column("shown", sa.Boolean, "Whether the views and pages have its events"),
    _column("records", sa.Integer, "So many records of its tables were folded", server_default="0"),
)

events = _table(
    "events",
    "A tournament of a venue, with all its divisions",
    _key(),
    _column("venue", sa.String, "Where it was held", sa.ForeignKey("venues.name")),
    _column("trail", sa.String, "The audit trail at the venue that it is made from"),
    _column("entries", sa.Integer, "So many entries of that trail were folded"),
    _column("name", sa.String, "As the venue calls it; may be empty"),
    _column("day", sa.Date, "As the venue says; else the day of the trail's first entry"),
    _column("year", sa.Integer, "Of that day"),
    _column("place", sa.String, "Town or hall; may be empty"),
    _column("country", sa.String, "In English; may be empty"),
    _column("superseded", sa.Boolean, "Another life of the same event goes on (a restored head)"),
    sa.UniqueConstraint("venue", "trail"),
    sa.Index(None, "day"),
)

divisions = _table(
    "divisions",
    "A division of an event",
    _key(),
    _of("events", "Its tournament", index=True),
    _column("slug", sa.String, "Its short name, as in addresses"),
    _column("source", sa.String, "The name of its event at the venue, the same after a restore"),
    _column("title_ja", sa.String, "Its name in Japanese"),
    _column("title_en", sa.String, "Its name in English"),
    _column("format", sa.String, "The format of its event file"),
    _column("entrants", sa.Integer, "Players who took part"),
    _column("rounds", sa.Integer, "Published rounds"),
    _column("over", sa.Boolean, "Whether its standings are final"),
    _column("file", sa.Text, "Its event file (othello-event/1) as anybody may have it"),
    sa.UniqueConstraint("event_id", "slug"),
    sa.Index(None, "source"),
)

persons = _table(
    "persons",
    "The people of the federation: who has a number, and whom a person has marked as distinct",
    _column("id", sa.Integer, "The federation's own number; never given again", primary_key=True, autoincrement=False),
    _column(
        "merged_into", sa.Integer, "Who he is: a person said that both are one", sa.ForeignKey("persons.id"), null=True
    ),
    _column("name", sa.String, "As in his last event"),
    _column("sought", sa.String, "The name without width, case, blanks, old characters", index=True),
    _column("kana", sa.String, "Its reading; may be empty"),
    _column("latin", sa.String, "In Latin letters; may be empty"),
    _column("grade", sa.String, "As in his last event; may be empty"),
    _column(
        "national", sa.String, "Number of the national federation; the highest, if several were reported", null=True
    ),
    _column("wof", sa.Integer, "Number of the world rating list; the highest, if several were reported", null=True),
)

_UNKNOWN = sa.text("person_id IS NULL AND NOT is_team")

players = _table(
    "players",
    "An entry of a division: a person, or a team",
    _key(),
    _of("divisions", "Where he entered"),
    _column("entry", sa.String, "His id in the event file"),
    _column("name", sa.String, "As it may be shown; hidden names are not in this database"),
    _column("sought", sa.String, "The name without width, case, blanks, old characters", index=True),
    _column("kana", sa.String, "The reading of the name; may be empty"),
    _column("latin", sa.String, "The name in Latin letters; may be empty"),
    _column("national", sa.String, "Number of the national federation", index=True, null=True),
    _column("wof", sa.Integer, "Number of the world rating list", index=True, null=True),
    _column("grade", sa.String, "When he entered: 3d is 3 dan, 1k is 1 kyu; may be empty"),
    _column("country", sa.String, "May be empty"),
    _column("is_team", sa.Boolean, "Whether this is a team"),
    _of("players", "His team", "team_id", null=True, index=True),
    _of("persons", "Who he is; NULL: no number, and nobody has said", null=True, index=True),
    sa.UniqueConstraint("division_id", "entry"),
    sa.Index("ix_players_unknown", "sought", postgresql_where=_UNKNOWN, sqlite_where=_UNKNOWN),
)

#: the declared fields of a player that have a column, besides his name
PERSON_FIELDS, ENTRY_FIELDS = (
    [one for one in table.columns if one.name in PLAYER_FIELDS.keys() - {"id", "name"}] for table in (persons, players)
)

games = _table(
    "games",
    "A game or a bye of a published round",
    _key(),
    _of("divisions", "Where it was played"),
    _column("round", sa.Integer, "From 1"),
    _column("number", sa.Integer, "Within the round, from 1; byes come last"),
    _column("stage", sa.String, "league, placement, semi-final, final, third-place, …"),
    _column("table_no", sa.Integer, "The table in the hall", null=True),
    _of("players", "Black; of a bye, who has it", "black_id", index=True),
    _of("players", "White; NULL: a bye", "white_id", null=True, index=True),
    _column("black_discs", sa.Integer, "NULL: not counted, or not over", null=True),
    _column("white_discs", sa.Integer, "NULL: not counted, or not over", null=True),
    _column("winner", sa.String, "black, white, draw; NULL: not over", null=True),
    _column("ending", sa.String, "How it ended: normal, time, forfeit, bye, …", null=True),
    _column("rated", sa.Boolean, "Whether it counts for ratings", null=True),
    _column("transcript", sa.Text, "f5d6c3…, if the division lets people see it", null=True),
    _column(
        "card", sa.String, "Where the times of its moves are from: table/journal/number; NULL: no moves yet", null=True
    ),
    sa.UniqueConstraint("division_id", "round", "number"),
)

moves = _table(
    "moves",
    "The moves of games with a transcript, a partition for each year; kept as long as the rule says",
    _column("year", sa.Integer, "Of the event; the partition"),
    _of("games", "The game"),
    _column("ply", sa.Integer, "From 1; passes count"),
    _column("square", sa.String(2), "e6; -- is a pass"),
    _column("ms", sa.Integer, "What the mover's clock lost; NULL: not known", null=True),
    sa.PrimaryKeyConstraint("game_id", "ply", "year"),
    postgresql_partition_by="LIST (year)",
)

standings = _table(
    "standings",
    "After the last finished round",
    _of("divisions", "The division"),
    _of("players", "Who stands there: a player, or a team", index=True),
    _column("rank", sa.Integer, "From 1; equal ones share it"),
    _column("wins", sa.Float, "A draw is half a win"),
    _column("discs", sa.Integer, "The sum of his own discs"),
    _column("keys", sa.Text, "What decided, in order, as JSON: [[name, value], …]"),
    sa.PrimaryKeyConstraint("division_id", "player_id"),
)

certificates = _table(
    "certificates",
    "What a division that is over grants",
    _of("divisions", "The division"),
    _of("players", "Whose it is", index=True),
    _column("kind", sa.String, "place, title, grade, oza"),
    _column("rank", sa.Integer, "His rank"),
    _column("grade", sa.String, "Granted by kind grade, else empty"),
    _column("rule", sa.String, "The row of the rules' table; may be empty"),
    _column("fee", sa.Boolean, "Whether it is charged"),
    sa.PrimaryKeyConstraint("division_id", "player_id", "kind"),
)

rulings = _table(
    "rulings",
    "What arbiters ruled at tables, and what the desk changed afterwards",
    _key(),
    _of("events", "The tournament", index=True),
    _of("games", "The game, if it is about one that still stands", null=True, index=True),
    _column("source", sa.String, "desk: an entry of the trail; else the record table/journal/number"),
    _column("number", sa.Integer, "Of the entry in the trail; 0: a table's record"),
    _column("at", sa.String, "ISO 8601, by the venue's clock; of a table's record empty"),
    _column("person", sa.String, "Who did it at the desk; of a table's record empty"),
    _column("action", sa.String, "The order of the arbiter, or the kind of the desk's act"),
    _column("reason", sa.Text, "As it was given; may be empty, may name people"),
    sa.UniqueConstraint("event_id", "source", "number"),
)

settings = _table(
    "settings",
    "The rule by which moves are kept, and which views these are",
    _column("name", sa.String, "views, move_years", primary_key=True),
    _column("value", sa.String, "Its value"),
)

#: the derived tables, from the venues' rows and the federation's own trail, dependent ones first
DERIVED = (rulings, certificates, standings, moves, games, players, persons, divisions, events, venues)


_Columns = dict[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SqlView:
    """A view. ``columns``: name -> (SQL, comment)."""

    name: str
    comment: str
    rest: str
    columns: _Columns

    @property
    def sql(self) -> str:
        columns = ", ".join(f"{sql} AS {name}" for name, (sql, _) in self.columns.items())
        return f"CREATE VIEW {self.name} AS SELECT {columns} {self.rest}"


_EVENT_JOIN = "JOIN events e ON e.id = d.event_id"
_JOINS = f"JOIN divisions d ON d.id = {{}}.division_id {_EVENT_JOIN}"
_NOW = "WHERE NOT e.superseded AND e.venue NOT IN (SELECT v.name FROM venues v WHERE NOT v.shown)"
_TABLES = {one.name[0]: one for one in (events, divisions, players, games, moves, standings, certificates, rulings)}


def _same(table: str, names: str) -> _Columns:
    """Return columns that have the name and the comment of a table's. ``table``: its letter in the queries."""
    return {name: (f"{table}.{name}", _TABLES[table].c[name].comment or "") for name in names.split()}


_EVENT = {"event_id": ("e.id", "The event"), **_same("e", "venue day")}
_DIVISION = _EVENT | {"division_id": ("d.id", "The division"), "division": ("d.slug", "Its short name")}
_NAMED = {"name": ("p.name", "Its name"), "person_id": ("p.person_id", "Who he is")}

VIEWS = (
    SqlView(
        "event",
        "The events of all venues, each once",
        f"FROM events e {_NOW}",
        _EVENT
        | {"trail": ("e.trail", "Names it in addresses: /record/VENUE/TRAIL/")}
        | _same("e", "year name place country"),
    ),
    SqlView(
        "division",
        "The divisions of these events",
        f"FROM divisions d {_EVENT_JOIN} {_NOW}",
        _DIVISION
        | _same("d", "title_ja title_en format entrants rounds")
        | {"is_over": ("d.over", "Whether its standings are final")},
    ),
    SqlView(
        "player",
        "The entries of these divisions",
        f"FROM players p {_JOINS.format('p')} {_NOW}",
        _DIVISION
        | {"player_id": ("p.id", "This entry")}
        | _same("p", "name kana latin national wof grade country is_team")
        | {"team_id": ("p.team_id", "His team's entry")}
        | {"person_id": ("p.person_id", "Who he is, across venues and years")},
    ),
    SqlView(
        "person",
        "The people of the federation, each once",
        "FROM persons WHERE merged_into IS NULL",
        {"person_id": ("id", "The federation's own number")}
        | {one: (one, persons.c[one].comment or "") for one in ("name", "kana", "latin", "grade", "national", "wof")},
    ),
    SqlView(
        "game",
        "The games and byes of these divisions",
        f"FROM games g {_JOINS.format('g')} "
        f"JOIN players b ON b.id = g.black_id LEFT JOIN players w ON w.id = g.white_id {_NOW}",
        _DIVISION
        | {"game_id": ("g.id", "The game")}
        | _same("g", "round number stage table_no")
        | {
            "black_id": ("g.black_id", "Black's entry; of a bye, who has it"),
            "black": ("b.name", "His name"),
            "black_person": ("b.person_id", "Who he is"),
        }
        | _same("g", "black_discs white_discs")
        | {
            "white": ("w.name", "White's name; NULL: a bye"),
            "white_id": ("g.white_id", "White's entry"),
            "white_person": ("w.person_id", "Who he is"),
        }
        | _same("g", "winner ending rated transcript"),
    ),
    SqlView(
        "move",
        "The moves of these games, with their times",
        f"FROM moves m JOIN games g ON g.id = m.game_id {_JOINS.format('g')} {_NOW}",
        {
            "year": ("m.year", "Of the event; name it, and only that year is read"),
            "event_id": ("e.id", "The event"),
            **_same("m", "game_id ply square ms"),
        },
    ),
    SqlView(
        "standing",
        "The standings after the last finished round",
        f"FROM standings s JOIN players p ON p.id = s.player_id {_JOINS.format('s')} {_NOW}",
        _DIVISION
        | {"is_over": ("d.over", "Whether these are final")}
        | _same("s", "rank player_id")
        | _NAMED
        | _same("s", "wins discs keys"),
    ),
    SqlView(
        "certificate",
        "What divisions that are over grant",
        f"FROM certificates c JOIN players p ON p.id = c.player_id {_JOINS.format('c')} {_NOW}",
        _DIVISION
        | {"player_id": ("c.player_id", "The entry"), **_NAMED}
        | _same("c", "kind rank grade rule fee"),
    ),
    SqlView(
        "ruling",
        "What arbiters and the desk ruled; not for publishing",
        f"FROM rulings r JOIN events e ON e.id = r.event_id {_NOW}",
        _EVENT | _same("r", "game_id source number at person action reason"),
    ),
)

#: changed whenever less of the venues' rows may be public than before, which causes a rebuild
PUBLIC = "2"


def _digest(*parts: object) -> str:
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


#: change whenever a table, other than in its comments, or a view does
TABLES_NOW = _digest(PUBLIC, [[(one.name, repr(one.type)) for one in table.columns] for table in DERIVED])
VIEWS_NOW = _digest(VIEWS)
