"""Create the tables of events, games, certificates and rulings, and of the progress of folding.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    for make in (
        _persons,
        _settings,
        _venues,
        _cards,
        _events,
        _journals,
        _divisions,
        _players,
        _certificates,
        _games,
        _standings,
        _moves,
        _rulings,
    ):
        make()


def _persons() -> None:
    op.create_table(
        "persons",
        sa.Column(
            "id",
            sa.Integer(),
            autoincrement=False,
            nullable=False,
            comment="The federation's own number; never given again",
        ),
        sa.Column("merged_into", sa.Integer(), nullable=True, comment="Who he is: a person said that both are one"),
        sa.Column("name", sa.String(), nullable=False, comment="As in his last event"),
        sa.Column(
            "sought", sa.String(), nullable=False, comment="The name without width, case, blanks, old characters"
        ),
        sa.Column("kana", sa.String(), nullable=False, comment="Its reading; may be empty"),
        sa.Column("latin", sa.String(), nullable=False, comment="In Latin letters; may be empty"),
        sa.Column("grade", sa.String(), nullable=False, comment="As in his last event; may be empty"),
        sa.Column(
            "national",
            sa.String(),
            nullable=True,
            comment="Number of the national federation; the highest, if several were reported",
        ),
        sa.Column(
            "wof",
            sa.Integer(),
            nullable=True,
            comment="Number of the world rating list; the highest, if several were reported",
        ),
        sa.ForeignKeyConstraint(["merged_into"], ["persons.id"], name="fk_persons_merged_into"),
        sa.PrimaryKeyConstraint("id", name="pk_persons"),
        comment="The people of the federation: who has a number, and whom a person has marked as distinct",
    )
    op.create_index("ix_persons_sought", "persons", ["sought"], unique=False)


def _settings() -> None:
    op.create_table(
        "settings",
        sa.Column("name", sa.String(), nullable=False, comment="views, move_years"),
        sa.Column("value", sa.String(), nullable=False, comment="Its value"),
        sa.PrimaryKeyConstraint("name", name="pk_settings"),
        comment="The rule by which moves are kept, and which views these are",
    )


def _venues() -> None:
    op.create_table(
        "venues",
        sa.Column("name", sa.String(), nullable=False, comment="The venue's name at the federation"),
        sa.Column("shown", sa.Boolean(), nullable=False, comment="Whether the views and pages have its events"),
        sa.PrimaryKeyConstraint("name", name="pk_venues"),
        comment="The venues that have sent something",
    )


def _cards() -> None:
    op.create_table(
        "cards",
        sa.Column("venue", sa.String(), nullable=False, comment="The venue"),
        sa.Column("game", sa.String(), nullable=False, comment="The game's name at the venue"),
        sa.Column("table_no", sa.Integer(), nullable=False, comment="The table"),
        sa.Column("epoch", sa.String(), nullable=False, comment="Its journal"),
        sa.Column("seq", sa.Integer(), nullable=False, comment="The record's number in it"),
        sa.ForeignKeyConstraint(["venue"], ["venues.name"], name="fk_cards_venue"),
        sa.PrimaryKeyConstraint("venue", "game", "table_no", "epoch", "seq", name="pk_cards"),
        comment="Where in the venues' records a game's result cards are",
    )


def _events() -> None:
    op.create_table(
        "events",
        sa.Column("id", BIG, nullable=False, comment="Ours; another one after a rebuild"),
        sa.Column("venue", sa.String(), nullable=False, comment="Where it was held"),
        sa.Column("trail", sa.String(), nullable=False, comment="The audit trail at the venue that it is made from"),
        sa.Column("entries", sa.Integer(), nullable=False, comment="So many entries of that trail were folded"),
        sa.Column("name", sa.String(), nullable=False, comment="As the venue calls it; may be empty"),
        sa.Column(
            "day", sa.Date(), nullable=False, comment="As the venue says; else the day of the trail's first entry"
        ),
        sa.Column("year", sa.Integer(), nullable=False, comment="Of that day"),
        sa.Column("place", sa.String(), nullable=False, comment="Town or hall; may be empty"),
        sa.Column("country", sa.String(), nullable=False, comment="In English; may be empty"),
        sa.Column(
            "superseded",
            sa.Boolean(),
            nullable=False,
            comment="Another life of the same event goes on (a restored head)",
        ),
        sa.ForeignKeyConstraint(["venue"], ["venues.name"], name="fk_events_venue"),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sa.UniqueConstraint("venue", "trail", name="uq_events_venue_trail"),
        comment="A tournament of a venue, with all its divisions",
    )
    op.create_index("ix_events_day", "events", ["day"], unique=False)


def _journals() -> None:
    op.create_table(
        "journals",
        sa.Column("venue", sa.String(), nullable=False, comment="The venue"),
        sa.Column("table_no", sa.Integer(), nullable=False, comment="The table"),
        sa.Column("epoch", sa.String(), nullable=False, comment="Its journal"),
        sa.Column("seq", sa.Integer(), nullable=False, comment="The last record that was looked at"),
        sa.ForeignKeyConstraint(["venue"], ["venues.name"], name="fk_journals_venue"),
        sa.PrimaryKeyConstraint("venue", "table_no", "epoch", name="pk_journals"),
        comment="How far the tables' journals were looked at",
    )


def _divisions() -> None:
    op.create_table(
        "divisions",
        sa.Column("id", BIG, nullable=False, comment="Ours; another one after a rebuild"),
        sa.Column("event_id", BIG, nullable=False, comment="Its tournament"),
        sa.Column("slug", sa.String(), nullable=False, comment="Its short name, as in addresses"),
        sa.Column(
            "source",
            sa.String(),
            nullable=False,
            comment="The name of its event at the venue, the same after a restore",
        ),
        sa.Column("title_ja", sa.String(), nullable=False, comment="Its name in Japanese"),
        sa.Column("title_en", sa.String(), nullable=False, comment="Its name in English"),
        sa.Column("format", sa.String(), nullable=False, comment="The format of its event file"),
        sa.Column("entrants", sa.Integer(), nullable=False, comment="Players who took part"),
        sa.Column("rounds", sa.Integer(), nullable=False, comment="Published rounds"),
        sa.Column("over", sa.Boolean(), nullable=False, comment="Whether its standings are final"),
        sa.Column("file", sa.Text(), nullable=False, comment="Its event file (othello-event/1) as anybody may have it"),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name="fk_divisions_event_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_divisions"),
        sa.UniqueConstraint("event_id", "slug", name="uq_divisions_event_id_slug"),
        comment="A division of an event",
    )
    op.create_index("ix_divisions_event_id", "divisions", ["event_id"], unique=False)
    op.create_index("ix_divisions_source", "divisions", ["source"], unique=False)


def _players() -> None:
    op.create_table(
        "players",
        sa.Column("id", BIG, nullable=False, comment="Ours; another one after a rebuild"),
        sa.Column("division_id", BIG, nullable=False, comment="Where he entered"),
        sa.Column("entry", sa.String(), nullable=False, comment="His id in the event file"),
        sa.Column(
            "name", sa.String(), nullable=False, comment="As it may be shown; hidden names are not in this database"
        ),
        sa.Column(
            "sought", sa.String(), nullable=False, comment="The name without width, case, blanks, old characters"
        ),
        sa.Column("kana", sa.String(), nullable=False, comment="The reading of the name; may be empty"),
        sa.Column("latin", sa.String(), nullable=False, comment="The name in Latin letters; may be empty"),
        sa.Column("national", sa.String(), nullable=True, comment="Number of the national federation"),
        sa.Column("wof", sa.Integer(), nullable=True, comment="Number of the world rating list"),
        sa.Column(
            "grade", sa.String(), nullable=False, comment="When he entered: 3d is 3 dan, 1k is 1 kyu; may be empty"
        ),
        sa.Column("country", sa.String(), nullable=False, comment="May be empty"),
        sa.Column("is_team", sa.Boolean(), nullable=False, comment="Whether this is a team"),
        sa.Column("team_id", BIG, nullable=True, comment="His team"),
        sa.Column("person_id", sa.Integer(), nullable=True, comment="Who he is; NULL: no number, and nobody has said"),
        sa.ForeignKeyConstraint(["division_id"], ["divisions.id"], name="fk_players_division_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["person_id"], ["persons.id"], name="fk_players_person_id", ondelete="SET NULL"),
        sa.ForeignKeyConstraint(["team_id"], ["players.id"], name="fk_players_team_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_players"),
        sa.UniqueConstraint("division_id", "entry", name="uq_players_division_id_entry"),
        comment="An entry of a division: a person, or a team",
    )
    op.create_index("ix_players_national", "players", ["national"], unique=False)
    op.create_index("ix_players_person_id", "players", ["person_id"], unique=False)
    op.create_index("ix_players_sought", "players", ["sought"], unique=False)
    op.create_index("ix_players_team_id", "players", ["team_id"], unique=False)
    op.create_index("ix_players_wof", "players", ["wof"], unique=False)


def _certificates() -> None:
    op.create_table(
        "certificates",
        sa.Column("division_id", BIG, nullable=False, comment="The division"),
        sa.Column("player_id", BIG, nullable=False, comment="Whose it is"),
        sa.Column("kind", sa.String(), nullable=False, comment="place, title, grade, oza"),
        sa.Column("rank", sa.Integer(), nullable=False, comment="His rank"),
        sa.Column("grade", sa.String(), nullable=False, comment="Granted by kind grade, else empty"),
        sa.Column("rule", sa.String(), nullable=False, comment="The row of the rules' table; may be empty"),
        sa.Column("fee", sa.Boolean(), nullable=False, comment="Whether it is charged"),
        sa.ForeignKeyConstraint(
            ["division_id"], ["divisions.id"], name="fk_certificates_division_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_certificates_player_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("division_id", "player_id", "kind", name="pk_certificates"),
        comment="What a division that is over grants",
    )
    op.create_index("ix_certificates_player_id", "certificates", ["player_id"], unique=False)


def _games() -> None:
    op.create_table(
        "games",
        sa.Column("id", BIG, nullable=False, comment="Ours; another one after a rebuild"),
        sa.Column("division_id", BIG, nullable=False, comment="Where it was played"),
        sa.Column("round", sa.Integer(), nullable=False, comment="From 1"),
        sa.Column("number", sa.Integer(), nullable=False, comment="Within the round, from 1; byes come last"),
        sa.Column("stage", sa.String(), nullable=False, comment="league, placement, semi-final, final, third-place, …"),
        sa.Column("table_no", sa.Integer(), nullable=True, comment="The table in the hall"),
        sa.Column("black_id", BIG, nullable=False, comment="Black; of a bye, who has it"),
        sa.Column("white_id", BIG, nullable=True, comment="White; NULL: a bye"),
        sa.Column("black_discs", sa.Integer(), nullable=True, comment="NULL: not counted, or not over"),
        sa.Column("white_discs", sa.Integer(), nullable=True, comment="NULL: not counted, or not over"),
        sa.Column("winner", sa.String(), nullable=True, comment="black, white, draw; NULL: not over"),
        sa.Column("ending", sa.String(), nullable=True, comment="How it ended: normal, time, forfeit, bye, …"),
        sa.Column("rated", sa.Boolean(), nullable=True, comment="Whether it counts for ratings"),
        sa.Column("transcript", sa.Text(), nullable=True, comment="f5d6c3…, if the division lets people see it"),
        sa.Column(
            "card",
            sa.String(),
            nullable=True,
            comment="Where the times of its moves are from: table/journal/number; NULL: no moves yet",
        ),
        sa.ForeignKeyConstraint(["black_id"], ["players.id"], name="fk_games_black_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["division_id"], ["divisions.id"], name="fk_games_division_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["white_id"], ["players.id"], name="fk_games_white_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_games"),
        sa.UniqueConstraint("division_id", "round", "number", name="uq_games_division_id_round_number"),
        comment="A game or a bye of a published round",
    )
    op.create_index("ix_games_black_id", "games", ["black_id"], unique=False)
    op.create_index("ix_games_white_id", "games", ["white_id"], unique=False)


def _standings() -> None:
    op.create_table(
        "standings",
        sa.Column("division_id", BIG, nullable=False, comment="The division"),
        sa.Column("player_id", BIG, nullable=False, comment="Who stands there: a player, or a team"),
        sa.Column("rank", sa.Integer(), nullable=False, comment="From 1; equal ones share it"),
        sa.Column("wins", sa.Float(), nullable=False, comment="A draw is half a win"),
        sa.Column("discs", sa.Integer(), nullable=False, comment="The sum of his own discs"),
        sa.Column("keys", sa.Text(), nullable=False, comment="What decided, in order, as JSON: [[name, value], …]"),
        sa.ForeignKeyConstraint(["division_id"], ["divisions.id"], name="fk_standings_division_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["player_id"], ["players.id"], name="fk_standings_player_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("division_id", "player_id", name="pk_standings"),
        comment="After the last finished round",
    )
    op.create_index("ix_standings_player_id", "standings", ["player_id"], unique=False)


def _moves() -> None:
    op.create_table(
        "moves",
        sa.Column("year", sa.Integer(), nullable=False, comment="Of the event; the partition"),
        sa.Column("game_id", BIG, nullable=False, comment="The game"),
        sa.Column("ply", sa.Integer(), nullable=False, comment="From 1; passes count"),
        sa.Column("square", sa.String(length=2), nullable=False, comment="e6; -- is a pass"),
        sa.Column("ms", sa.Integer(), nullable=True, comment="What the mover's clock lost; NULL: not known"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_moves_game_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("year", "game_id", "ply", name="pk_moves"),
        comment="The moves of games with a transcript, a partition for each year; kept as long as the rule says",
        postgresql_partition_by="LIST (year)",
    )
    op.create_index("ix_moves_game_id", "moves", ["game_id"], unique=False)


def _rulings() -> None:
    op.create_table(
        "rulings",
        sa.Column("id", BIG, nullable=False, comment="Ours; another one after a rebuild"),
        sa.Column("event_id", BIG, nullable=False, comment="The tournament"),
        sa.Column("game_id", BIG, nullable=True, comment="The game, if it is about one that still stands"),
        sa.Column(
            "source",
            sa.String(),
            nullable=False,
            comment="desk: an entry of the trail; else the record table/journal/number",
        ),
        sa.Column("number", sa.Integer(), nullable=False, comment="Of the entry in the trail; 0: a table's record"),
        sa.Column(
            "at", sa.String(), nullable=False, comment="ISO 8601, by the venue's clock; of a table's record empty"
        ),
        sa.Column("person", sa.String(), nullable=False, comment="Who did it at the desk; of a table's record empty"),
        sa.Column(
            "action", sa.String(), nullable=False, comment="The order of the arbiter, or the kind of the desk's act"
        ),
        sa.Column("reason", sa.Text(), nullable=False, comment="As it was given; may be empty, may name people"),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name="fk_rulings_event_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name="fk_rulings_game_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_rulings"),
        sa.UniqueConstraint("event_id", "source", "number", name="uq_rulings_event_id_source_number"),
        comment="What arbiters ruled at tables, and what the desk changed afterwards",
    )
    op.create_index("ix_rulings_event_id", "rulings", ["event_id"], unique=False)
    op.create_index("ix_rulings_game_id", "rulings", ["game_id"], unique=False)
