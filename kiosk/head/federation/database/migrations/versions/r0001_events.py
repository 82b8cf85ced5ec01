"""Create the tables of events, games, certificates and rulings, and of the progress of folding.

Revision ID: 0001
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
BOOL, INT, STR, TEXT = sa.Boolean(), sa.Integer(), sa.String(), sa.Text()


def _column(name: str, type_: Any, comment: str, nullable: bool = False, **options: Any) -> sa.Column[Any]:
    return sa.Column(name, type_, nullable=nullable, comment=comment, **options)


def _create(
    table: str,
    comment: str,
    columns: Sequence[sa.Column[Any]],
    key: Sequence[str] = ("id",),
    unique: Sequence[str] = (),
    refers: Mapping[str, str] = {},
    indexes: Sequence[str] = (),
    **options: Any,
) -> None:
    """Create a table. ``refers``: by column, the column of another table whose row it names: it is deleted with that
    row, or names none if it may; only ids do that."""
    nullable = {column.name for column in columns if column.nullable}
    foreign = [
        sa.ForeignKeyConstraint(
            [name], [target], name=f"fk_{table}_{name}",
            ondelete=None if not name.endswith("_id") else "SET NULL" if name in nullable else "CASCADE",
        )
        for name, target in refers.items()
    ]  # fmt: skip
    alone = [sa.UniqueConstraint(*unique, name=f"uq_{table}_{'_'.join(unique)}")] if unique else []
    primary = sa.PrimaryKeyConstraint(*key, name=f"pk_{table}")
    op.create_table(table, *columns, *foreign, primary, *alone, comment=comment, **options)
    for name in indexes:
        op.create_index(f"ix_{table}_{name}", table, [name])


def upgrade() -> None:
    _create(
        "persons",
        "The people of the federation: who has a number, and whom a person has marked as distinct",
        [
            _column("id", INT, "The federation's own number; never given again", autoincrement=False),
            _column("merged_into", INT, "Who he is: a person said that both are one", nullable=True),
            _column("name", STR, "As in his last event"),
            _column("sought", STR, "The name without width, case, blanks, old characters"),
            _column("kana", STR, "Its reading; may be empty"),
            _column("latin", STR, "In Latin letters; may be empty"),
            _column("grade", STR, "As in his last event; may be empty"),
            _column(
                "national",
                STR,
                "Number of the national federation; the highest, if several were reported",
                nullable=True,
            ),
            _column(
                "wof", INT, "Number of the world rating list; the highest, if several were reported", nullable=True
            ),
        ],
        refers={"merged_into": "persons.id"},
        indexes=("sought",),
    )
    _create(
        "settings",
        "The rule by which moves are kept, and which views these are",
        [
            _column("name", STR, "views, move_years"),
            _column("value", STR, "Its value"),
        ],
        key=("name",),
    )
    _create(
        "venues",
        "The venues that have sent something",
        [
            _column("name", STR, "The venue's name at the federation"),
            _column("shown", BOOL, "Whether the views and pages have its events"),
        ],
        key=("name",),
    )
    _create(
        "cards",
        "Where in the venues' records a game's result cards are",
        [
            _column("venue", STR, "The venue"),
            _column("game", STR, "The game's name at the venue"),
            _column("table_no", INT, "The table"),
            _column("epoch", STR, "Its journal"),
            _column("seq", INT, "The record's number in it"),
        ],
        key=("venue", "game", "table_no", "epoch", "seq"),
        refers={"venue": "venues.name"},
    )
    _create(
        "events",
        "A tournament of a venue, with all its divisions",
        [
            _column("id", BIG, "Ours; another one after a rebuild"),
            _column("venue", STR, "Where it was held"),
            _column("trail", STR, "The audit trail at the venue that it is made from"),
            _column("entries", INT, "So many entries of that trail were folded"),
            _column("name", STR, "As the venue calls it; may be empty"),
            _column("day", sa.Date(), "As the venue says; else the day of the trail's first entry"),
            _column("year", INT, "Of that day"),
            _column("place", STR, "Town or hall; may be empty"),
            _column("country", STR, "In English; may be empty"),
            _column("superseded", BOOL, "Another life of the same event goes on (a restored head)"),
        ],
        unique=("venue", "trail"),
        refers={"venue": "venues.name"},
        indexes=("day",),
    )
    _create(
        "journals",
        "How far the tables' journals were looked at",
        [
            _column("venue", STR, "The venue"),
            _column("table_no", INT, "The table"),
            _column("epoch", STR, "Its journal"),
            _column("seq", INT, "The last record that was looked at"),
        ],
        key=("venue", "table_no", "epoch"),
        refers={"venue": "venues.name"},
    )
    _create(
        "divisions",
        "A division of an event",
        [
            _column("id", BIG, "Ours; another one after a rebuild"),
            _column("event_id", BIG, "Its tournament"),
            _column("slug", STR, "Its short name, as in addresses"),
            _column("source", STR, "The name of its event at the venue, the same after a restore"),
            _column("title_ja", STR, "Its name in Japanese"),
            _column("title_en", STR, "Its name in English"),
            _column("format", STR, "The format of its event file"),
            _column("entrants", INT, "Players who took part"),
            _column("rounds", INT, "Published rounds"),
            _column("over", BOOL, "Whether its standings are final"),
            _column("file", TEXT, "Its event file (othello-event/1) as anybody may have it"),
        ],
        unique=("event_id", "slug"),
        refers={"event_id": "events.id"},
        indexes=("event_id", "source"),
    )
    _create(
        "players",
        "An entry of a division: a person, or a team",
        [
            _column("id", BIG, "Ours; another one after a rebuild"),
            _column("division_id", BIG, "Where he entered"),
            _column("entry", STR, "His id in the event file"),
            _column("name", STR, "As it may be shown; hidden names are not in this database"),
            _column("sought", STR, "The name without width, case, blanks, old characters"),
            _column("kana", STR, "The reading of the name; may be empty"),
            _column("latin", STR, "The name in Latin letters; may be empty"),
            _column("national", STR, "Number of the national federation", nullable=True),
            _column("wof", INT, "Number of the world rating list", nullable=True),
            _column("grade", STR, "When he entered: 3d is 3 dan, 1k is 1 kyu; may be empty"),
            _column("country", STR, "May be empty"),
            _column("is_team", BOOL, "Whether this is a team"),
            _column("team_id", BIG, "His team", nullable=True),
            _column("person_id", INT, "Who he is; NULL: no number, and nobody has said", nullable=True),
        ],
        unique=("division_id", "entry"),
        refers={"division_id": "divisions.id", "person_id": "persons.id", "team_id": "players.id"},
        indexes=("national", "person_id", "sought", "team_id", "wof"),
    )
    _create(
        "certificates",
        "What a division that is over grants",
        [
            _column("division_id", BIG, "The division"),
            _column("player_id", BIG, "Whose it is"),
            _column("kind", STR, "place, title, grade, oza"),
            _column("rank", INT, "His rank"),
            _column("grade", STR, "Granted by kind grade, else empty"),
            _column("rule", STR, "The row of the rules' table; may be empty"),
            _column("fee", BOOL, "Whether it is charged"),
        ],
        key=("division_id", "player_id", "kind"),
        refers={"division_id": "divisions.id", "player_id": "players.id"},
        indexes=("player_id",),
    )
    _create(
        "games",
        "A game or a bye of a published round",
        [
            _column("id", BIG, "Ours; another one after a rebuild"),
            _column("division_id", BIG, "Where it was played"),
            _column("round", INT, "From 1"),
            _column("number", INT, "Within the round, from 1; byes come last"),
            _column("stage", STR, "league, placement, semi-final, final, third-place, …"),
            _column("table_no", INT, "The table in the hall", nullable=True),
            _column("black_id", BIG, "Black; of a bye, who has it"),
            _column("white_id", BIG, "White; NULL: a bye", nullable=True),
            _column("black_discs", INT, "NULL: not counted, or not over", nullable=True),
            _column("white_discs", INT, "NULL: not counted, or not over", nullable=True),
            _column("winner", STR, "black, white, draw; NULL: not over", nullable=True),
            _column("ending", STR, "How it ended: normal, time, forfeit, bye, …", nullable=True),
            _column("rated", BOOL, "Whether it counts for ratings", nullable=True),
            _column("transcript", TEXT, "f5d6c3…, if the division lets people see it", nullable=True),
            _column(
                "card",
                STR,
                "Where the times of its moves are from: table/journal/number; NULL: no moves yet",
                nullable=True,
            ),
        ],
        unique=("division_id", "round", "number"),
        refers={"black_id": "players.id", "division_id": "divisions.id", "white_id": "players.id"},
        indexes=("black_id", "white_id"),
    )
    _create(
        "standings",
        "After the last finished round",
        [
            _column("division_id", BIG, "The division"),
            _column("player_id", BIG, "Who stands there: a player, or a team"),
            _column("rank", INT, "From 1; equal ones share it"),
            _column("wins", sa.Float(), "A draw is half a win"),
            _column("discs", INT, "The sum of his own discs"),
            _column("keys", TEXT, "What decided, in order, as JSON: [[name, value], …]"),
        ],
        key=("division_id", "player_id"),
        refers={"division_id": "divisions.id", "player_id": "players.id"},
        indexes=("player_id",),
    )
    _create(
        "moves",
        "The moves of games with a transcript, a partition for each year; kept as long as the rule says",
        [
            _column("year", INT, "Of the event; the partition"),
            _column("game_id", BIG, "The game"),
            _column("ply", INT, "From 1; passes count"),
            _column("square", sa.String(length=2), "e6; -- is a pass"),
            _column("ms", INT, "What the mover's clock lost; NULL: not known", nullable=True),
        ],
        key=("year", "game_id", "ply"),
        refers={"game_id": "games.id"},
        indexes=("game_id",),
        postgresql_partition_by="LIST (year)",
    )
    _create(
        "rulings",
        "What arbiters ruled at tables, and what the desk changed afterwards",
        [
            _column("id", BIG, "Ours; another one after a rebuild"),
            _column("event_id", BIG, "The tournament"),
            _column("game_id", BIG, "The game, if it is about one that still stands", nullable=True),
            _column("source", STR, "desk: an entry of the trail; else the record table/journal/number"),
            _column("number", INT, "Of the entry in the trail; 0: a table's record"),
            _column("at", STR, "ISO 8601, by the venue's clock; of a table's record empty"),
            _column("person", STR, "Who did it at the desk; of a table's record empty"),
            _column("action", STR, "The order of the arbiter, or the kind of the desk's act"),
            _column("reason", TEXT, "As it was given; may be empty, may name people"),
        ],
        unique=("event_id", "source", "number"),
        refers={"event_id": "events.id", "game_id": "games.id"},
        indexes=("event_id", "game_id"),
    )
