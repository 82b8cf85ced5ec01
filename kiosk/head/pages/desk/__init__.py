"""The desk's pages: the tournament, its divisions, their players, lots, rounds and results."""

from __future__ import annotations

from kiosk.head.pages.desk import (
    claims,
    lists,
    lots,
    money,
    overview,
    players,
    results,
    rounds,
    setup,
    teams,
    timetable,
    typed,
)

ADDRESSES = [
    address
    for area in (overview, claims, setup, players, lists, money, lots, teams, rounds, results, typed, timetable)
    for address in area.ADDRESSES
]
