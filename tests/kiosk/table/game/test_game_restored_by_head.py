"""Tests of a game that the head withdraws from its table and assigns again: it continues from its record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import pytest
from simulate.storage_faults import FaultyStorage
from tables.manual_time_table import LEFT, RIGHT, SECOND, StillTable
from tables.saved_records import saved_after

from engine.copy_with_changes import replace
from engine.match.match_value_types import Phase, Seat
from kiosk.link.game_replay_and_event_encoding import NO_GAME, ReplayedGame, replay_record
from kiosk.link.link_messages import Assignment, Command, PlayerInfo, TableRecord, to_dict
from kiosk.locale import ENGLISH, JAPANESE
from kiosk.table.game.journaled_state_changes_and_recovery import recover_state
from kiosk.table.journal.journal_and_link_outbox import Journal, JournalCallbacks, rebuild_journal
from kiosk.table.journal.segment_files_and_recovery import JournalEntry, recover
from kiosk.table.state import LinkState, TableState
from kiosk.table.views.player_prompt import prompt
from kiosk.table.views.player_view_model import view_model_of

GAME = Assignment(
    game="main-1-1", event="e", division="open", round=1, table=1, rules="m43", stage="league", label_ja="予選",
    label_en="League", main_s=600, designated=True, players=[PlayerInfo("p1", "A"), PlayerInfo("p2", "B")],
)  # fmt: skip
OTHER = msgspec.structs.replace(GAME, game="main-1-2", players=[PlayerInfo("p3", "C"), PlayerInfo("p4", "D")])
#: Black wins by taking every white disc
SHORTEST = ("e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5")
RETURNED = "Your game goes on: wait for the arbiter"
RESUME = {"action": "resume", "reason": "go on"}


class Kiosk:
    """A table with its real journal, and a head that assigns and withdraws its games."""

    def __init__(self) -> None:
        self.table = StillTable()
        self._names = map(str, count())

    def order(self, kind: Any, game: str = GAME.game, body: Mapping[str, object] = RESUME) -> str:
        """Send a command; return the answer."""
        name = next(self._names)
        self.table.table.program.inbox.put(Command(name, kind, game=game, body=dict(body)))
        self.table.settle()
        return next(
            str(entry.body["status"]) for entry in self.entries if entry.type == "command" and entry.body["id"] == name
        )

    def give(self, game: Assignment = GAME) -> None:
        assert self.order("assign", game.game, to_dict(game)) == "applied"

    def take(self, game: Assignment = GAME) -> None:
        assert self.order("withdraw", game.game) == "applied"

    def return_game(self, after_s: int = 0) -> None:
        """Take the game away, and give it back after this time."""
        self.take()
        self.table.wait(after_s * SECOND)
        self.give()

    def begin(self, *moves: str) -> None:
        """Begin a game: Black sits left, White starts the clock, and these moves are made."""
        self.table.presses("lr")
        self.play(*moves)

    def play(self, *moves: str) -> None:
        for move in moves:
            self.table.touch("transcriber", f"square-{move}")
            self.table.wait(10 * SECOND)
            self.table.press(LEFT if self.table.match.clock.running is Seat.LEFT else RIGHT)

    def finish(self, *signed: int) -> None:
        """Play the shortest game; White declares the end, then the players with these buttons sign."""
        self.begin(*SHORTEST)
        self.table.press(RIGHT, 1_300_000_000)
        for gpio in signed:
            self.table.press(gpio)

    def kill(self) -> None:
        self.table = self.table.killed(60 * SECOND)

    def acknowledge(self) -> None:
        """Acknowledge all records."""
        journal = self.table.table.journal
        assert journal.records_after(0, len(self.entries))
        journal.acknowledged(journal.last_seq())
        self.table.settle()

    @property
    def entries(self) -> list[JournalEntry]:
        self.table.save()
        return saved_after(self.table.table.journal, 0)

    def times(self) -> list[int]:
        return [self.table.match.remaining_ns(seat, self.table.time.now_ns()) for seat in Seat]

    def is_known_everywhere(self) -> None:
        """Check that the head that received every record, one that reads from the last ``assigned`` on
        (``Store.present_game``), and the restarted table have the displayed game."""
        entries = self.entries
        last = max(n for n, entry in enumerate(entries) if entry.type == "assigned")
        for part in (entries, entries[last:]):
            game: ReplayedGame = NO_GAME
            for entry in part:
                game = replay_record(game, entry, entry.at_ns)
            assert game.assignment == self.table.state.assignment
            assert game.player_at == self.table.state.player_at
            assert game.match == self.table.match
        state = recover_state(replace(self.table.state, assignment=None, match=None), entries).state
        assert state.match == self.table.match and state.returned_ns == self.table.state.returned_ns
        self.is_known_to_a_spare(entries)

    def is_known_to_a_spare(self, entries: Sequence[JournalEntry]) -> None:
        """Check that a device with a journal made of the head's copy, which has no times but those of the events, has
        the displayed game."""
        with TemporaryDirectory() as home:
            directory = Path(home) / "journal"
            rebuild_journal(directory, "spare", [TableRecord(entry.seq, entry.type, entry.body) for entry in entries])
            rebuilt = recover(directory).entries
        state = recover_state(replace(self.table.state, assignment=None, match=None), rebuilt).state
        assert state.match == self.table.match
        assert (state.returned_ns is None) == (self.table.state.returned_ns is None)


@pytest.fixture
def kiosk() -> Iterator[Kiosk]:
    made = Kiosk()
    made.give()
    yield made
    made.table.close()


def messages_to_players(kiosk: Kiosk) -> list[str]:
    """Return the message to both players above the menu of a table with a head."""
    facts = view_model_of(replace(kiosk.table.state, link=LinkState.UP), kiosk.table.time.now_ns())
    sides = [replace(facts.sides[seat], language=language) for seat in Seat for language in (JAPANESE, ENGLISH)]
    return [prompt(facts, side).why or prompt(facts, side).text for side in sides]


@pytest.mark.parametrize("killed", [(), ("between",), ("after",), ("between", "after")])
def test_a_game_in_play_continues_from_its_state(kiosk: Kiosk, killed: tuple[str, ...]) -> None:
    """Its clock is charged until the withdrawal, and is paused as after a power cut until an arbiter resumes it."""
    kiosk.begin("e6", "f4", "e3")
    kiosk.table.wait(5 * SECOND)
    before, times = kiosk.table.match, kiosk.times()
    kiosk.take()
    kiosk.table.wait(100 * SECOND)
    if "between" in killed:
        kiosk.kill()
    kiosk.give()
    kiosk.table.wait(30 * SECOND)
    if "after" in killed:
        kiosk.kill()
    after = kiosk.table.match
    assert after.phase is Phase.HOLD and kiosk.times() == times
    assert (after.turns, after.board, after.start_board) == (before.turns, before.board, before.start_board)
    assert kiosk.table.state.player_at == {Seat.LEFT: 0, Seat.RIGHT: 1}
    assert messages_to_players(kiosk) == 2 * ["対局の続き：審判を待つ", RETURNED]
    kiosk.is_known_everywhere()
    assert kiosk.order("arbiter") == "applied"
    assert RETURNED not in messages_to_players(kiosk)
    kiosk.play("f6")
    assert kiosk.table.match.transcript == "e6f4e3f6"
    kiosk.is_known_everywhere()


def test_a_power_cut_after_the_game_continued_is_shown(kiosk: Kiosk) -> None:
    kiosk.begin()
    kiosk.return_game()
    kiosk.order("arbiter")
    kiosk.play("e6")
    kiosk.kill()
    assert kiosk.table.match.phase is Phase.HOLD and kiosk.table.match.transcript == "e6"
    assert "Power is back, clock stopped: wait for the arbiter" in messages_to_players(kiosk)


def test_flags_and_findings_are_kept(kiosk: Kiosk) -> None:
    kiosk.begin("e6", "f4")
    kiosk.table.wait(700 * SECOND)  # Black's time is used up, and nobody claims it
    for action in ("edit", "square-a1", "done"):
        kiosk.table.touch("transcriber", action)
    kiosk.table.press(LEFT)
    before, times = kiosk.table.match, kiosk.times()
    assert times[0] < 0 and before.findings
    kiosk.return_game(60)
    after = kiosk.table.match
    assert after.findings == before.findings and kiosk.times()[0] == times[0]
    now_ns = kiosk.table.time.now_ns()
    assert after.flag_at_ns(Seat.LEFT, now_ns) == before.flag_at_ns(Seat.LEFT, now_ns) is not None
    kiosk.is_known_everywhere()


@pytest.mark.parametrize("killed", [False, True])
def test_a_finished_game_waits_for_its_signatures_again(kiosk: Kiosk, killed: bool) -> None:
    kiosk.finish(LEFT)
    before = kiosk.table.match
    assert before.phase is Phase.ENDED and len(before.confirmed) == 1
    kiosk.take()
    if killed:
        kiosk.kill()
    kiosk.give()
    assert kiosk.table.match == before
    kiosk.is_known_everywhere()
    kiosk.table.press(RIGHT)
    assert kiosk.table.match.phase is Phase.SIGNED
    assert [entry.body["transcript"] for entry in kiosk.entries if entry.type == "card"] == ["".join(SHORTEST)]


@pytest.mark.parametrize("killed", [False, True])
def test_a_signed_game_submits_its_card_again(kiosk: Kiosk, killed: bool) -> None:
    """If the game was withdrawn before the head had its card, the repeated card counts once."""
    kiosk.finish(LEFT, RIGHT)
    kiosk.return_game()
    if killed:
        kiosk.kill()
    cards = [entry.body for entry in kiosk.entries if entry.type == "card"]
    assert len(cards) == 2 and cards[0] == cards[1]
    kiosk.acknowledge()
    assert kiosk.table.match.phase is Phase.SUBMITTED
    kiosk.is_known_everywhere()


def test_a_game_on_hold_is_still_on_hold(kiosk: Kiosk) -> None:
    kiosk.begin("e6")
    kiosk.order("hold", body={"reason": "fire drill"})
    before, times = kiosk.table.match, kiosk.times()
    assert before.phase is Phase.HOLD
    kiosk.return_game(50)
    assert kiosk.table.match == before and kiosk.times() == times
    assert RETURNED in messages_to_players(kiosk)
    kiosk.order("arbiter")
    kiosk.play("f4")
    kiosk.order("hold", body={"reason": "again"})
    assert RETURNED not in messages_to_players(kiosk)


def test_a_late_player_is_charged_until_the_game_is_withdrawn(kiosk: Kiosk) -> None:
    kiosk.order("arbiter", body={"action": "late_start", "absent": "right"})
    kiosk.table.press(LEFT)
    kiosk.table.wait(20 * SECOND)
    times = kiosk.times()
    assert kiosk.table.match.phase is Phase.LATE and times[1] < 600 * SECOND
    kiosk.return_game(400)
    assert kiosk.table.match.phase is Phase.HOLD and kiosk.times() == times
    kiosk.is_known_everywhere()


@pytest.mark.parametrize("killed", [False, True])
def test_another_game_in_between_changes_nothing(kiosk: Kiosk, killed: bool) -> None:
    """Both continue from their own records, in any order and any number of times."""
    kiosk.begin("e6", "f4")
    kiosk.take()
    kiosk.give(OTHER)
    assert kiosk.table.match.phase is Phase.SETUP and kiosk.table.match.turns == ()
    kiosk.begin("f5")
    kiosk.take(OTHER)
    for moves in ("e6f4", "e6f4e3"):
        if killed:
            kiosk.kill()
        kiosk.give()
        assert kiosk.table.match.transcript == moves and kiosk.table.match.phase is Phase.HOLD
        kiosk.is_known_everywhere()
        if moves == "e6f4":
            kiosk.order("arbiter")
            kiosk.play("e3")
        kiosk.take()
        kiosk.give(OTHER)
        assert kiosk.table.match.transcript == "f5" and kiosk.table.match.phase is Phase.HOLD
        kiosk.is_known_everywhere()
        kiosk.take(OTHER)


@pytest.mark.parametrize(
    "change",
    [
        {"game": "main-1-1b"},
        {"players": GAME.players[::-1]},
        {"players": [GAME.players[0], PlayerInfo("p9", "Z")]},
        {"main_s": 300},
        {"rules": "wof"},
        {"stage": "knockout"},
        {"options": {"variant": "6x6"}},
    ],
    ids=str,
)
def test_another_game_or_setup_begins_a_new_record(kiosk: Kiosk, change: dict[str, Any]) -> None:
    kiosk.begin("e6")
    kiosk.take()
    kiosk.give(msgspec.structs.replace(GAME, **change))
    assert kiosk.table.match.phase is Phase.SETUP and kiosk.table.match.turns == ()
    assert kiosk.table.state.player_at == {} and kiosk.table.state.returned_ns is None
    kiosk.is_known_everywhere()


def test_a_game_with_a_corrected_name_is_the_same_game(kiosk: Kiosk) -> None:
    kiosk.begin("e6")
    kiosk.take()
    kiosk.give(msgspec.structs.replace(GAME, players=[PlayerInfo("p1", "Ä"), GAME.players[1]], label_en="Round 1"))
    assert kiosk.table.match.transcript == "e6"
    assert kiosk.table.state.assignment is not None and kiosk.table.state.assignment.players[0].name == "Ä"


def test_a_submitted_game_that_is_assigned_again_is_played_again(kiosk: Kiosk) -> None:
    """The head assigns the game again though it has its card."""
    kiosk.finish(LEFT, RIGHT)
    kiosk.acknowledge()
    assert kiosk.table.match.phase is Phase.SUBMITTED
    kiosk.return_game()
    assert kiosk.table.match.phase is Phase.SETUP and kiosk.table.match.turns == ()


def test_a_power_cut_while_the_record_is_written_again_loses_none_of_it(kiosk: Kiosk) -> None:
    """After a cut at any record the rest follows at the next start, and the time without power is charged to nobody."""
    kiosk.begin("e6", "f4")
    times = kiosk.times()
    kiosk.return_game(100)
    entries, whole = kiosk.entries, kiosk.table.match
    first = max(n for n, entry in enumerate(entries) if entry.type == "assigned")
    assert len(entries) - first > 8
    for cut in range(first + 1, len(entries) + 1):
        storage = FaultyStorage()
        journal = Journal(
            kiosk.table.config.data / "journal", storage=storage, calls=JournalCallbacks(now_ns=kiosk.table.time.now_ns)
        ).start()
        for entry in entries[:cut]:
            journal.append(entry.type, entry.body, entry.at_ns)
        assert journal.close()
        again = StillTable(storage.after_kill(), kiosk.table.time.now_ns() + 60 * SECOND)
        assert again.match == whole
        assert [again.match.remaining_ns(seat, again.time.now_ns()) for seat in Seat] == times
        assert again.state.assignment == GAME
        again.save()
        state = recover_state(TableState(table=1), saved_after(again.table.journal, 0)).state
        assert state.match == whole
        again.close()
