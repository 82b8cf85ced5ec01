"""Writes a tournament's rows into the federation's database.

Only the difference between present and wanted rows is written; so a repeated fold changes nothing, and an interrupted
one is completed by the next.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from sqlalchemy import Connection, Select, Table, bindparam, delete, insert, select, text, update

from kiosk.head.event.pairings_standings_and_correction_impact import ExplainedStandings
from kiosk.head.event.tournament_state import DivisionState, TournamentState
from kiosk.head.federation import venue_row_store, venue_trail_and_game_index
from kiosk.head.federation.database import database_schema as db
from kiosk.head.federation.database import row_builder
from kiosk.head.federation.database.connection_and_tables import set_setting, setting
from kiosk.head.federation.database.person_registry_and_identity_decisions import PersonRegistry
from kiosk.head.federation.database.row_builder import DivisionRows, Row
from kiosk.head.store.hash_chain import OperatorEvent
from kiosk.head.store.store_rows import insert_missing_rows, storable_text
from kiosk.head.store.store_schema import venue_events

_IN_ONE = 5_000


def upsert_venue(
    c: Connection, register: PersonRegistry, venue: str, records: int | None = None, *, shown: bool
) -> None:
    """Note a venue, whether its events are shown, and how many of its tables' records have been processed; None:
    unchanged. Its persons are described again if it was shown before and is not now, or the reverse.
    """
    values = {"shown": shown} | ({} if records is None else {"records": records})
    insert_missing_rows(c, db.venues, [{"name": venue, **values}])
    here = db.venues.c.name == venue
    before = c.execute(select(db.venues.c.shown).where(here)).scalar_one()
    c.execute(update(db.venues).where(here).values(values))
    if before != shown:
        register.describe(c, db.events.c.venue == venue)


# tournaments


def rulings_after(store: Connection, venue: str, trail: str, after: int) -> tuple[list[OperatorEvent], str]:
    """Return the rulings in a trail after entry ``after``, and the time of its first entry."""
    column = venue_events.c
    here = column.venue == venue, column.trail == trail
    first = store.execute(select(column.at).where(*here).order_by(column.number).limit(1)).scalar() or ""
    return [one for one in venue_row_store.events_of(store, venue, trail, after) if one.kind in row_builder.DESK], first


class TournamentWriter:
    """Writer of one tournament. ``live``: the venue's trail that is still growing."""

    def __init__(
        self,
        store: Connection,
        c: Connection,
        register: PersonRegistry,
        venue: str,
        trail: str,
        live: str,
        year_now: int,
    ) -> None:
        self._store, self._c, self._register = store, c, register
        self._venue, self._trail, self._live = venue, trail, live
        self._first_year = _first_year(c, year_now)

    def write(
        self,
        state: TournamentState,
        entries: int,
        first_at: str,
        rulings: Sequence[OperatorEvent],
        rankings: Mapping[str, ExplainedStandings | None],
    ) -> None:
        day = row_builder.day_of(state, first_at)
        event = self._event(state, entries, day)
        ids = _ids(self._c, db.divisions, {"event_id": event}, ("slug",))
        removed = [id for (slug,), id in ids.items() if slug not in state.divisions]
        if removed:
            self._c.execute(delete(db.divisions).where(db.divisions.c.id.in_(removed)))
        games: dict[str, int] = {}
        for slug, division in state.divisions.items():
            games |= self._division(event, division, rankings.get(slug), day.year, state.date)
        self._rulings(event, [(game, row) for game, row in row_builder.desk_rulings(rulings)], games)
        self._supersede(event)

    def _event(self, state: TournamentState, entries: int, day: date) -> int:
        here = {"venue": self._venue, "trail": self._trail}
        row = {"entries": entries, "name": state.title, "day": day, "year": day.year, "superseded": False}
        made = {**row, "place": state.place, "country": state.country}
        before = self._c.execute(select(db.events.c.id, db.events.c.year).filter_by(**here)).first()
        if before is not None and before.year != day.year:
            self._forget_moves(select(db.games.c.id).join(db.divisions).where(db.divisions.c.event_id == before.id))
        (id,) = _replace(self._c, db.events, here, (), [made]).values()
        return id

    def _division(
        self, event: int, state: DivisionState, ranking: ExplainedStandings | None, year: int, day: str
    ) -> dict[str, int]:
        made = row_builder.rows_of(state, ranking, day)
        here = {"event_id": event, "slug": state.slug}
        row = {name: value for name, value in made.row.items() if name != "slug"}
        (id,) = _replace(self._c, db.divisions, here, (), [row]).values()
        within = {"division_id": id}
        players = self._players(within, made)
        self._register.settle(self._c, db.players.c.division_id == id)
        games = [
            {**row, "black_id": players[row["black"]], "white_id": players.get(row["white"])} for row in made.games
        ]
        self._withdraw_moves(within, games)
        rows = [_without(row, "black", "white") for row in games]
        ids = _replace(self._c, db.games, within, ("round", "number"), rows)
        for table, key, what in (
            (db.standings, ("player_id",), made.standings),
            (db.certificates, ("player_id", "kind"), made.certificates),
        ):
            rows = [{**_without(row, "player"), "player_id": players[row["player"]]} for row in what]
            _replace(self._c, table, within, key, rows)
        named = {name: ids[place] for place, name in made.names.items()}
        if year >= self._first_year and not state.event.facts.captures:
            self._moves(event, id, year, {ids[place]: name for place, name in made.names.items()})
        return named

    def _players(self, within: Row, made: DivisionRows) -> dict[str, int]:
        """Write teams first, so that their players can refer to them."""
        plain = [{**_without(row, "team"), "team_id": None} for row in made.players]
        known = _replace(self._c, db.players, within, ("entry",), plain, only_new=("team_id",))
        ids = {entry: id for (entry,), id in known.items()}
        teams = {row["entry"]: ids.get(row["team"]) for row in made.players}
        if any(teams.values()):
            rows = [{"of": ids[entry], "team": team} for entry, team in teams.items()]
            column = db.players.c
            self._c.execute(
                update(db.players).where(column.id == bindparam("of")).values(team_id=bindparam("team")), rows
            )
        return ids

    # moves

    def _withdraw_moves(self, within: Row, games: Sequence[Row]) -> None:
        """Remove the moves of games whose transcript has changed or is held back."""
        now = {(row["round"], row["number"]): row["transcript"] for row in games}
        column = db.games.c
        query = select(column.id, column.round, column.number, column.transcript).filter_by(**within)
        there = self._c.execute(query.where(column.card.is_not(None))).all()
        changed = [row.id for row in there if now.get((row.round, row.number)) != row.transcript]
        if changed:
            self._forget_moves(changed)

    def _forget_moves(self, games: Sequence[int] | Select[tuple[int]]) -> None:
        self._c.execute(delete(db.moves).where(db.moves.c.game_id.in_(games)))
        self._c.execute(update(db.games).where(db.games.c.id.in_(games)).values(card=None))

    def _moves(self, event: int, division: int, year: int, names: Mapping[int, str]) -> None:
        column = db.games.c
        query = select(column.id, column.transcript).where(
            column.division_id == division, column.transcript.is_not(None), column.card.is_(None)
        )
        made: list[Row] = []
        rows: list[Row] = []
        rulings: list[tuple[str, Row]] = []
        for game in self._c.execute(query).all():
            card, times, ruled = self._at_the_table(names.get(game.id, ""))
            made += [{"year": year, "game_id": game.id, **row} for row in row_builder.moves_of(game.transcript, times)]
            rows.append({"of": game.id, "from": card})
            rulings += [(names[game.id], row) for row in ruled]
        if not rows:
            return
        self._partition(year)
        for at in range(0, len(made), _IN_ONE):
            self._c.execute(insert(db.moves), made[at : at + _IN_ONE])
        statement = update(db.games).where(column.id == bindparam("of")).values(card=bindparam("from"))
        self._c.execute(statement, rows)
        self._rulings(event, rulings, {name: id for id, name in names.items()})

    def _at_the_table(self, game: str) -> tuple[str, tuple[int, ...], list[Row]]:
        """Return the table and epoch of the card, the times of its turns, and the rulings; of the first card that has
        times, else of the first card.
        """
        first: tuple[str, tuple[int, ...], list[Row]] = ("", (), [])
        for table, epoch, seq in venue_trail_and_game_index.places(self._store, self._venue, game, ["card"]):
            times, rulings = row_builder.turn_times_and_rulings(
                venue_row_store.game_before(self._store, self._venue, table, epoch, seq)
            )
            found = f"{table}/{epoch}/{seq}", times, rulings
            if times:
                return found
            first = first if first[0] else found
        return first

    def _partition(self, year: int) -> None:
        if self._c.dialect.name == "postgresql":
            self._c.execute(text(f"CREATE TABLE IF NOT EXISTS moves_{year} PARTITION OF moves FOR VALUES IN ({year})"))

    def _rulings(self, event: int, found: Sequence[tuple[str, Row]], games: Mapping[str, int]) -> None:
        rows = [{**row, "event_id": event, "game_id": games.get(game)} for game, row in found]
        insert_missing_rows(self._c, db.rulings, rows)

    def _supersede(self, event: int) -> None:
        """Mark superseded events. A restored head continues the same divisions in another trail; the event is the trail
        that is still growing, else the one received last.
        """
        column, e = db.divisions.c, db.events.c
        same = select(column.source).where(column.event_id == event)
        others = select(column.event_id).join(db.events).where(column.source.in_(same), e.venue == self._venue)
        going_on = e.trail == self._live if self._live != self._trail else e.id == event
        lives = select(e.id, going_on).where(e.id.in_(others))
        found: dict[int, bool] = {id: bool(goes_on) for id, goes_on in self._c.execute(lives)}
        kept = next((id for id, goes_on in found.items() if goes_on), event)
        superseded = found.keys() - {kept}
        if superseded:
            self._c.execute(update(db.events).where(e.id.in_(superseded)).values(superseded=True))
            self._register.describe(self._c, e.id.in_(superseded))


# deletion of old moves

_MOVE_YEARS = "move_years"


def keep_moves(c: Connection, years: int, year_now: int) -> list[int]:
    """Set for how many years moves are kept, including this one (0: for ever); return the years that were deleted."""
    set_setting(c, _MOVE_YEARS, str(years))
    first = _first_year(c, year_now)
    old_years = list(c.execute(select(db.moves.c.year).where(db.moves.c.year < first).distinct()).scalars())
    for year in sorted(old_years):
        old = select(db.games.c.id).join(db.divisions).join(db.events).where(db.events.c.year == year)
        c.execute(update(db.games).where(db.games.c.id.in_(old)).values(card=None))
        if c.dialect.name == "postgresql":
            c.execute(text(f"DROP TABLE moves_{year}"))
        else:
            c.execute(delete(db.moves).where(db.moves.c.year == year))
    return sorted(old_years)


def _first_year(c: Connection, year_now: int) -> int:
    years = int(setting(c, _MOVE_YEARS) or 0)
    return year_now - years + 1 if years else 0


# writing differences


def _replace(
    c: Connection, table: Table, within: Row, key: tuple[str, ...], rows: Sequence[Row], only_new: tuple[str, ...] = ()
) -> dict[tuple[Any, ...], int]:
    """Replace the rows of ``table`` within ``within`` by ``rows``, matched by ``key``; columns ``only_new`` are
    only written in new rows. Return their ids, if they have any.
    """
    names = [name for name in (rows[0] if rows else {}) if name not in only_new]
    known = list(dict.fromkeys((*(["id"] if "id" in table.c else ()), *key, *names)))
    found = (row._asdict() for row in c.execute(select(*(table.c[name] for name in known)).filter_by(**within)))
    there = {_of(row, key): row for row in found}
    now = {_of(row, key): {name: _json_value(value) for name, value in row.items()} for row in rows}
    for place in there.keys() - now.keys():
        c.execute(delete(table).filter_by(**within, **dict(zip(key, place, strict=True))))
    for place in there.keys() & now.keys():
        changed = {name: now[place][name] for name in names if now[place][name] != there[place][name]}
        if changed:
            c.execute(update(table).filter_by(**within, **dict(zip(key, place, strict=True))).values(changed))
    new = [{**within, **row} for place, row in now.items() if place not in there]
    if new:
        c.execute(insert(table), new)
    if "id" not in table.c:
        return {}
    if new:
        return _ids(c, table, within, key)
    return {place: there[place]["id"] for place in now}


def _json_value(value: object) -> object:
    return storable_text(value) if isinstance(value, str) else value


def _ids(c: Connection, table: Table, within: Row, key: tuple[str, ...]) -> dict[tuple[Any, ...], int]:
    query = select(table.c.id, *(table.c[name] for name in key)).filter_by(**within)
    return {tuple(place): id for id, *place in c.execute(query)}


def _of(row: Mapping[str, Any], key: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple(row[name] for name in key)


def _without(row: Row, *names: str) -> Row:
    return {name: value for name, value in row.items() if name not in names}
