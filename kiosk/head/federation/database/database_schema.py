"""Tables and views of the federation's database, with a comment for each column
(docs/reference/federation-database.md).

Tables (plural) are internal and may change with a migration; views (singular) are for other programs and keep their
columns. The comments here are stored in PostgreSQL too.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from engine.tournament.player_entry_fields import PLAYER_FIELDS

#: the name of the schema in PostgreSQL, and of the file beside the store otherwise
SCHEMA, FILE = "federation", "federation.sqlite"
#: the last migration
REVISION = "0002"

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)

_BIG = BigInteger().with_variant(Integer, "sqlite")


def _key() -> Column[int]:
    return Column("id", _BIG, primary_key=True, comment="Ours; another one after a rebuild")


def _of(table: str, name: str = "", *, comment: str, nullable: bool = False, index: bool = False) -> Column[int]:
    """Return a foreign key. Its rows are deleted with the referenced row, or kept without reference where it is
    nullable.
    """
    foreign = ForeignKey(f"{table}.id", ondelete="SET NULL" if nullable else "CASCADE")
    return Column(name or f"{table[:-1]}_id", _BIG, foreign, nullable=nullable, comment=comment, index=index or None)


venues = Table(
    "venues",
    metadata,
    Column("name", String, primary_key=True, comment="The venue's name at the federation"),
    Column("shown", Boolean, nullable=False, comment="Whether the views and pages have its events"),
    Column("records", Integer, nullable=False, server_default="0", comment="So many records of its tables were folded"),
    comment="The venues that have sent something",
)

events = Table(
    "events",
    metadata,
    _key(),
    Column("venue", String, ForeignKey("venues.name"), nullable=False, comment="Where it was held"),
    Column("trail", String, nullable=False, comment="The audit trail at the venue that it is made from"),
    Column("entries", Integer, nullable=False, comment="So many entries of that trail were folded"),
    Column("name", String, nullable=False, comment="As the venue calls it; may be empty"),
    Column("day", Date, nullable=False, comment="As the venue says; else the day of the trail's first entry"),
    Column("year", Integer, nullable=False, comment="Of that day"),
    Column("place", String, nullable=False, comment="Town or hall; may be empty"),
    Column("country", String, nullable=False, comment="In English; may be empty"),
    Column("superseded", Boolean, nullable=False, comment="Another life of the same event goes on (a restored head)"),
    UniqueConstraint("venue", "trail"),
    Index(None, "day"),
    comment="A tournament of a venue, with all its divisions",
)

divisions = Table(
    "divisions",
    metadata,
    _key(),
    _of("events", comment="Its tournament", index=True),
    Column("slug", String, nullable=False, comment="Its short name, as in addresses"),
    Column("source", String, nullable=False, comment="The name of its event at the venue, the same after a restore"),
    Column("title_ja", String, nullable=False, comment="Its name in Japanese"),
    Column("title_en", String, nullable=False, comment="Its name in English"),
    Column("format", String, nullable=False, comment="The format of its event file"),
    Column("entrants", Integer, nullable=False, comment="Players who took part"),
    Column("rounds", Integer, nullable=False, comment="Published rounds"),
    Column("over", Boolean, nullable=False, comment="Whether its standings are final"),
    Column("file", Text, nullable=False, comment="Its event file (othello-event/1) as anybody may have it"),
    UniqueConstraint("event_id", "slug"),
    Index(None, "source"),
    comment="A division of an event",
)

persons = Table(
    "persons",
    metadata,
    Column(
        "id", Integer, primary_key=True, autoincrement=False, comment="The federation's own number; never given again"
    ),
    Column("merged_into", Integer, ForeignKey("persons.id"), comment="Who he is: a person said that both are one"),
    Column("name", String, nullable=False, comment="As in his last event"),
    Column(
        "sought", String, nullable=False, index=True, comment="The name without width, case, blanks, old characters"
    ),
    Column("kana", String, nullable=False, comment="Its reading; may be empty"),
    Column("latin", String, nullable=False, comment="In Latin letters; may be empty"),
    Column("grade", String, nullable=False, comment="As in his last event; may be empty"),
    Column("national", String, comment="Number of the national federation; the highest, if several were reported"),
    Column("wof", Integer, comment="Number of the world rating list; the highest, if several were reported"),
    comment="The people of the federation: who has a number, and whom a person has marked as distinct",
)

_UNKNOWN = text("person_id IS NULL AND NOT is_team")

players = Table(
    "players",
    metadata,
    _key(),
    _of("divisions", comment="Where he entered"),
    Column("entry", String, nullable=False, comment="His id in the event file"),
    Column("name", String, nullable=False, comment="As it may be shown; hidden names are not in this database"),
    Column(
        "sought", String, nullable=False, index=True, comment="The name without width, case, blanks, old characters"
    ),
    Column("kana", String, nullable=False, comment="The reading of the name; may be empty"),
    Column("latin", String, nullable=False, comment="The name in Latin letters; may be empty"),
    Column("national", String, index=True, comment="Number of the national federation"),
    Column("wof", Integer, index=True, comment="Number of the world rating list"),
    Column("grade", String, nullable=False, comment="When he entered: 3d is 3 dan, 1k is 1 kyu; may be empty"),
    Column("country", String, nullable=False, comment="May be empty"),
    Column("is_team", Boolean, nullable=False, comment="Whether this is a team"),
    _of("players", "team_id", comment="His team", nullable=True, index=True),
    Column(
        "person_id",
        Integer,
        ForeignKey("persons.id", ondelete="SET NULL"),
        index=True,
        comment="Who he is; NULL: no number, and nobody has said",
    ),
    UniqueConstraint("division_id", "entry"),
    Index("ix_players_unknown", "sought", postgresql_where=_UNKNOWN, sqlite_where=_UNKNOWN),
    comment="An entry of a division: a person, or a team",
)

#: the declared fields of a player that have a column, besides his name
PERSON_FIELDS, ENTRY_FIELDS = (
    [one for one in table.columns if one.name in PLAYER_FIELDS.keys() - {"id", "name"}] for table in (persons, players)
)

games = Table(
    "games",
    metadata,
    _key(),
    _of("divisions", comment="Where it was played"),
    Column("round", Integer, nullable=False, comment="From 1"),
    Column("number", Integer, nullable=False, comment="Within the round, from 1; byes come last"),
    Column("stage", String, nullable=False, comment="league, placement, semi-final, final, third-place, …"),
    Column("table_no", Integer, comment="The table in the hall"),
    _of("players", "black_id", comment="Black; of a bye, who has it", index=True),
    _of("players", "white_id", comment="White; NULL: a bye", nullable=True, index=True),
    Column("black_discs", Integer, comment="NULL: not counted, or not over"),
    Column("white_discs", Integer, comment="NULL: not counted, or not over"),
    Column("winner", String, comment="black, white, draw; NULL: not over"),
    Column("ending", String, comment="How it ended: normal, time, forfeit, bye, …"),
    Column("rated", Boolean, comment="Whether it counts for ratings"),
    Column("transcript", Text, comment="f5d6c3…, if the division lets people see it"),
    Column("card", String, comment="Where the times of its moves are from: table/journal/number; NULL: no moves yet"),
    UniqueConstraint("division_id", "round", "number"),
    comment="A game or a bye of a published round",
)

moves = Table(
    "moves",
    metadata,
    Column("year", Integer, nullable=False, comment="Of the event; the partition"),
    _of("games", comment="The game"),
    Column("ply", Integer, nullable=False, comment="From 1; passes count"),
    Column("square", String(2), nullable=False, comment="e6; -- is a pass"),
    Column("ms", Integer, comment="What the mover's clock lost; NULL: not known"),
    PrimaryKeyConstraint("game_id", "ply", "year"),
    comment="The moves of games with a transcript, a partition for each year; kept as long as the rule says",
    postgresql_partition_by="LIST (year)",
)

standings = Table(
    "standings",
    metadata,
    _of("divisions", comment="The division"),
    _of("players", comment="Who stands there: a player, or a team", index=True),
    Column("rank", Integer, nullable=False, comment="From 1; equal ones share it"),
    Column("wins", Float, nullable=False, comment="A draw is half a win"),
    Column("discs", Integer, nullable=False, comment="The sum of his own discs"),
    Column("keys", Text, nullable=False, comment="What decided, in order, as JSON: [[name, value], …]"),
    PrimaryKeyConstraint("division_id", "player_id"),
    comment="After the last finished round",
)

certificates = Table(
    "certificates",
    metadata,
    _of("divisions", comment="The division"),
    _of("players", comment="Whose it is", index=True),
    Column("kind", String, nullable=False, comment="place, title, grade, oza"),
    Column("rank", Integer, nullable=False, comment="His rank"),
    Column("grade", String, nullable=False, comment="Granted by kind grade, else empty"),
    Column("rule", String, nullable=False, comment="The row of the rules' table; may be empty"),
    Column("fee", Boolean, nullable=False, comment="Whether it is charged"),
    PrimaryKeyConstraint("division_id", "player_id", "kind"),
    comment="What a division that is over grants",
)

rulings = Table(
    "rulings",
    metadata,
    _key(),
    _of("events", comment="The tournament", index=True),
    _of("games", comment="The game, if it is about one that still stands", nullable=True, index=True),
    Column(
        "source", String, nullable=False, comment="desk: an entry of the trail; else the record table/journal/number"
    ),
    Column("number", Integer, nullable=False, comment="Of the entry in the trail; 0: a table's record"),
    Column("at", String, nullable=False, comment="ISO 8601, by the venue's clock; of a table's record empty"),
    Column("person", String, nullable=False, comment="Who did it at the desk; of a table's record empty"),
    Column("action", String, nullable=False, comment="The order of the arbiter, or the kind of the desk's act"),
    Column("reason", Text, nullable=False, comment="As it was given; may be empty, may name people"),
    UniqueConstraint("event_id", "source", "number"),
    comment="What arbiters ruled at tables, and what the desk changed afterwards",
)

settings = Table(
    "settings",
    metadata,
    Column("name", String, primary_key=True, comment="views, move_years"),
    Column("value", String, nullable=False, comment="Its value"),
    comment="The rule by which moves are kept, and which views these are",
)

#: the derived tables, from the venues' rows and the federation's own trail, dependent ones first
DERIVED = (rulings, certificates, standings, moves, games, players, persons, divisions, events, venues)


@dataclass(frozen=True, slots=True)
class SqlView:
    """A view. ``columns``: name -> (SQL, comment)."""

    name: str
    comment: str
    rest: str
    columns: dict[str, tuple[str, str]]

    @property
    def sql(self) -> str:
        columns = ", ".join(f"{sql} AS {name}" for name, (sql, _) in self.columns.items())
        return f"CREATE VIEW {self.name} AS SELECT {columns} {self.rest}"


_E = "events e"
_D = "divisions d JOIN events e ON e.id = d.event_id"
_NOW = "WHERE NOT e.superseded AND e.venue NOT IN (SELECT v.name FROM venues v WHERE NOT v.shown)"
_EVENT = {
    "event_id": ("e.id", "The event"),
    "venue": ("e.venue", "Where it was held"),
    "day": ("e.day", "Its day"),
}
_DIVISION = _EVENT | {"division_id": ("d.id", "The division"), "division": ("d.slug", "Its short name")}

VIEWS = (
    SqlView(
        "event",
        "The events of all venues, each once",
        f"FROM {_E} {_NOW}",
        _EVENT
        | {
            "trail": ("e.trail", "Names it in addresses: /record/VENUE/TRAIL/"),
            "year": ("e.year", "Of its day"),
            "name": ("e.name", "As the venue calls it"),
            "place": ("e.place", "Town or hall"),
            "country": ("e.country", "In English"),
        },
    ),
    SqlView(
        "division",
        "The divisions of these events",
        f"FROM {_D} {_NOW}",
        _DIVISION
        | {
            "title_ja": ("d.title_ja", "Its name in Japanese"),
            "title_en": ("d.title_en", "Its name in English"),
            "format": ("d.format", "The format of its event file"),
            "entrants": ("d.entrants", "Players who took part"),
            "rounds": ("d.rounds", "Published rounds"),
            "is_over": ("d.over", "Whether its standings are final"),
        },
    ),
    SqlView(
        "player",
        "The entries of these divisions",
        f"FROM players p JOIN divisions d ON d.id = p.division_id JOIN events e ON e.id = d.event_id {_NOW}",
        _DIVISION
        | {
            "player_id": ("p.id", "This entry"),
            "name": ("p.name", "As it may be shown"),
            "kana": ("p.kana", "Its reading"),
            "latin": ("p.latin", "In Latin letters"),
            "national": ("p.national", "Number of the national federation"),
            "wof": ("p.wof", "Number of the world rating list"),
            "grade": ("p.grade", "When he entered"),
            "country": ("p.country", "His country"),
            "is_team": ("p.is_team", "Whether this is a team"),
            "team_id": ("p.team_id", "His team's entry"),
            "person_id": ("p.person_id", "Who he is, across venues and years"),
        },
    ),
    SqlView(
        "person",
        "The people of the federation, each once",
        "FROM persons WHERE merged_into IS NULL",
        {
            "person_id": ("id", "The federation's own number"),
            "name": ("name", "As in his last event"),
            "kana": ("kana", "Its reading"),
            "latin": ("latin", "In Latin letters"),
            "grade": ("grade", "As in his last event"),
            "national": ("national", "Number of the national federation"),
            "wof": ("wof", "Number of the world rating list"),
        },
    ),
    SqlView(
        "game",
        "The games and byes of these divisions",
        f"FROM games g JOIN divisions d ON d.id = g.division_id JOIN events e ON e.id = d.event_id "
        f"JOIN players b ON b.id = g.black_id LEFT JOIN players w ON w.id = g.white_id {_NOW}",
        _DIVISION
        | {
            "game_id": ("g.id", "The game"),
            "round": ("g.round", "From 1"),
            "number": ("g.number", "Within the round"),
            "stage": ("g.stage", "league, semi-final, final, …"),
            "table_no": ("g.table_no", "The table in the hall"),
            "black_id": ("g.black_id", "Black's entry; of a bye, who has it"),
            "black": ("b.name", "His name"),
            "black_person": ("b.person_id", "Who he is"),
            "black_discs": ("g.black_discs", "His discs"),
            "white_discs": ("g.white_discs", "White's discs"),
            "white": ("w.name", "White's name; NULL: a bye"),
            "white_id": ("g.white_id", "White's entry"),
            "white_person": ("w.person_id", "Who he is"),
            "winner": ("g.winner", "black, white, draw; NULL: not over"),
            "ending": ("g.ending", "How it ended"),
            "rated": ("g.rated", "Whether it counts for ratings"),
            "transcript": ("g.transcript", "Its moves, if people may see them"),
        },
    ),
    SqlView(
        "move",
        "The moves of these games, with their times",
        "FROM moves m JOIN games g ON g.id = m.game_id JOIN divisions d ON d.id = g.division_id "
        f"JOIN events e ON e.id = d.event_id {_NOW}",
        {
            "year": ("m.year", "Of the event; name it, and only that year is read"),
            "event_id": ("e.id", "The event"),
            "game_id": ("m.game_id", "The game"),
            "ply": ("m.ply", "From 1; passes count"),
            "square": ("m.square", "e6; -- is a pass"),
            "ms": ("m.ms", "What the mover's clock lost; NULL: not known"),
        },
    ),
    SqlView(
        "standing",
        "The standings after the last finished round",
        f"FROM standings s JOIN players p ON p.id = s.player_id JOIN divisions d ON d.id = s.division_id "
        f"JOIN events e ON e.id = d.event_id {_NOW}",
        _DIVISION
        | {
            "is_over": ("d.over", "Whether these are final"),
            "rank": ("s.rank", "From 1; equal ones share it"),
            "player_id": ("s.player_id", "The entry: a player or a team"),
            "name": ("p.name", "Its name"),
            "person_id": ("p.person_id", "Who he is"),
            "wins": ("s.wins", "A draw is half a win"),
            "discs": ("s.discs", "The sum of own discs"),
            "keys": ("s.keys", "What decided, as JSON"),
        },
    ),
    SqlView(
        "certificate",
        "What divisions that are over grant",
        f"FROM certificates c JOIN players p ON p.id = c.player_id JOIN divisions d ON d.id = c.division_id "
        f"JOIN events e ON e.id = d.event_id {_NOW}",
        _DIVISION
        | {
            "player_id": ("c.player_id", "The entry"),
            "name": ("p.name", "Its name"),
            "person_id": ("p.person_id", "Who he is"),
            "kind": ("c.kind", "place, title, grade, oza"),
            "rank": ("c.rank", "His rank"),
            "grade": ("c.grade", "The grade granted"),
            "rule": ("c.rule", "The row of the rules' table"),
            "fee": ("c.fee", "Whether it is charged"),
        },
    ),
    SqlView(
        "ruling",
        "What arbiters and the desk ruled; not for publishing",
        f"FROM rulings r JOIN events e ON e.id = r.event_id {_NOW}",
        _EVENT
        | {
            "game_id": ("r.game_id", "The game, if it is about one"),
            "source": ("r.source", "desk, or the table's record"),
            "number": ("r.number", "Of the entry in the venue's audit trail"),
            "at": ("r.at", "ISO 8601, by the venue's clock"),
            "person": ("r.person", "Who did it at the desk"),
            "action": ("r.action", "What was ruled"),
            "reason": ("r.reason", "As it was given"),
        },
    ),
)

#: changed whenever less of the venues' rows may be public than before, which causes a rebuild
PUBLIC = "1"
#: changes whenever a view does
VIEWS_NOW = hashlib.sha256(repr(VIEWS).encode()).hexdigest()[:16]
