"""Tests of background calculations: computed once, cached while valid, in a process that may die."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest
from heads.world import event
from waiting import HANGS_S, until

from kiosk.head.desk.background_pairings_and_standings import Calculations, InterruptedCalculation
from kiosk.head.errors import HeadError
from kiosk.head.event.act_types import event_of
from kiosk.head.event.pairings_standings_and_correction_impact import draft_of
from kiosk.head.event.tournament_state import DivisionState, TableRules
from kiosk.head.publish.published_event import PublishedDivision, book_of
from kiosk.head.publish.static_site import Site, zipped


def division(players: int = 8) -> DivisionState:
    return DivisionState("open", event_of(event(players, "adjacent")), "e", TableRules("m43", 1200))


@pytest.fixture(scope="module")
def told() -> Event:
    return Event()


@pytest.fixture(scope="module")
def calculations(told: Event) -> Iterator[Calculations]:
    """Calculations with one other process for all tests of this file."""
    made = Calculations(told.set)
    yield made
    made.close()


def test_an_answer_is_cached_until_the_division_changes(calculations: Calculations) -> None:
    one, asked = division(), []
    for _ in range(2):
        assert calculations.ask(one, "size", lambda: asked.append(1) or len(asked)).result() == 1
    other = replace(one, auto=True)
    assert calculations.ask(other, "size", lambda: asked.append(1) or len(asked)).result() == 2
    assert calculations.ask(other, "another", lambda: 5).result() == 5


def test_a_short_calculation_of_another_thread_is_waited_for(calculations: Calculations) -> None:
    """The end of a short calculation is not signalled, so a page that did not wait would show "being calculated"
    forever."""
    one, begun, go_on, answers = division(), Event(), Event(), []

    def think() -> int:
        begun.set()
        assert go_on.wait(HANGS_S)
        return 7

    first = Thread(target=lambda: answers.append(calculations.ask(one, "draft", think).done()))
    second = Thread(target=lambda: answers.append(calculations.ask(one, "draft", think).done()))
    first.start()
    assert begun.wait(HANGS_S)
    second.start()
    second.join(0.1)
    go_on.set()
    first.join(HANGS_S)
    second.join(HANGS_S)
    assert answers == [True, True]


def test_an_answer_may_depend_on_a_part_of_the_division(calculations: Calculations) -> None:
    one = division()
    assert calculations.ask(one, "sheet", lambda: 1, depends=("a", 1)).result() == 1
    assert calculations.ask(replace(one, auto=True), "sheet", lambda: 2, depends=("a", 1)).result() == 1
    assert calculations.ask(one, "sheet", lambda: 3, depends=("a", 2)).result() == 3


def test_an_error_is_cached_as_an_answer(calculations: Calculations) -> None:
    nobody = division(0)
    for weight in (0, 1000):
        with pytest.raises(HeadError, match="present"):
            calculations.ask(nobody, f"draft {weight}", draft_of, nobody.whole(), weight=weight).result(60)


def test_the_zip_of_an_event_is_made_in_another_process(calculations: Calculations) -> None:
    """Its data go to the other process as they are, with the answers already calculated."""
    whole = PublishedDivision("open", ("", ""), division().whole())
    book = book_of([whole])
    assert whole.rank and not whole.recorded
    packed = calculations.compute(zipped, book, "event", weight=1000)
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        assert sorted(archive.namelist()) == sorted(f"event/{path}" for path in Site(book).files)


def test_a_long_calculation_runs_in_another_process_and_is_signalled(calculations: Calculations, told: Event) -> None:
    told.clear()
    one = division()
    here = calculations.ask(one, "pid", os.getpid).result()
    elsewhere = calculations.ask(one, "other pid", os.getpid, weight=1000).result(60)
    assert here == os.getpid() != elsewhere and told.wait(HANGS_S)
    assert (
        calculations.compute(os.getpid, weight=1000) == elsewhere and calculations.compute(os.getpid, weight=1) == here
    )
    os.kill(elsewhere, signal.SIGKILL)  # the machine runs out of memory
    with pytest.raises(InterruptedCalculation):
        while calculations.ask(one, f"pid {time.monotonic()}", os.getpid, weight=1000).result(60) == elsewhere:
            pass
    assert calculations.ask(one, "pid again", os.getpid, weight=1000).result(60) not in (elsewhere, os.getpid())


def test_calculations_end_when_their_head_is_killed() -> None:
    head = """
import os
from kiosk.head.event.act_types import event_of
from kiosk.head.publish.published_event import PublishedDivision, book_of
from kiosk.head.publish.static_site import Site, zipped
from kiosk.head.event.tournament_state import DivisionState, TableRules
from kiosk.head.desk.background_pairings_and_standings import Calculations
if __name__ == "__main__":
    empty = event_of({"schema": "othello-event/1", "format": "swiss", "players": []})
    one = DivisionState("open", empty, "e", TableRules("m43", 1200))
    print(Calculations().ask(one, "pid", os.getpid, weight=1000).result(60), flush=True)
    os.kill(os.getpid(), 9)
"""
    said = subprocess.run([sys.executable, "-c", head], capture_output=True, text=True, timeout=HANGS_S)
    elsewhere = int(said.stdout)
    until(lambda: not Path(f"/proc/{elsewhere}").exists(), lambda: "it lives on without its head")


def test_an_unexpected_error_ends_all_waiting(calculations: Calculations) -> None:
    def broken() -> int:
        raise ZeroDivisionError

    one = division()
    with pytest.raises(ZeroDivisionError):
        calculations.ask(one, "x", broken)
    assert calculations.ask(one, "x", lambda: 1).result() == 1
