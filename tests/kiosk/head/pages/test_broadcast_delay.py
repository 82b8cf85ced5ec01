"""Tests that nothing leaves the head before its delay: all bytes sent to people who are not signed in are recorded,
over HTTP and in streams, while a game is played, and searched for what a division holds back.

A turn is recognised by its move, by the board after it (as text and as drawn), and by its player's clock afterwards,
which is a number that occurs nowhere else in the day.
"""

from __future__ import annotations

import contextlib
import functools
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from heads.addresses import filled, targets
from heads.world import PlayedTable, running_head
from waiting import HANGS_S, until

from engine.board.ggf import read_ggf
from engine.board.pgn import read_pgn
from engine.board.svg import board_paths
from kiosk.head.access.authentication import game_subject, player_subject
from kiosk.head.event.act_types import DivisionChanged
from kiosk.head.event.spectator_visibility import Boards, VisibilityRules
from kiosk.head.federation.received_venue_broadcasts import BroadcastPush
from kiosk.head.program import HeadApplication

TURNS = 8
#: game time between two turns, and the division's delays: three turns in either unit
TURN_S, MOVES, SECONDS = 10, 3, 25
STREAMS = ("/stream/live/final", "/stream/live")
TELLING = ["/", "/live", "/live/final", "/live.json", "/live/1.json", "/live/final.pgn", "/live.ggf"]
PAGES = ("en/index.html", "ja/main/games.html", "en/main/games/r1g1.html", "files/main.json", "files/main.csv")


@dataclass
class HandClock:
    """The head's game time, advanced by the test."""

    at_ns: int = 50_000_000_000_000_000

    def now_ns(self) -> int:
        return self.at_ns


@dataclass
class Recorder:
    """Records all answers. ``heard``: the source, the number of turns played by then, and the content."""

    url: str
    played: int = 0
    heard: list[tuple[str, int, str]] = field(default_factory=list)
    turns: list[re.Pattern[str]] = field(default_factory=list)

    def ask(self, paths: list[str]) -> None:
        with httpx.Client(base_url=self.url, timeout=120) as web:
            for path in paths:
                self.heard.append((path, self.played, web.get(path).text))

    def listen(self, path: str) -> None:
        ended = contextlib.suppress(httpx.HTTPError)  # closed by the head at the end of the test
        with ended, httpx.Client(base_url=self.url, timeout=120) as web, web.stream("GET", path) as stream:
            for line in stream.iter_lines() if stream.status_code == 200 else ():
                self.heard.append((path, self.played, line))

    def latest(self) -> dict[str, int]:
        """Return the last turn that each source has ever sent."""
        found: dict[str, int] = {}
        for path, _, said in self.heard:
            found[path] = max([found.get(path, 0), *self.turns_in(path, said)])
        return found

    def turns_in(self, path: str, said: str) -> list[int]:
        """Return the turns in a content."""
        if path.endswith((".pgn", ".ggf")) and said.strip():
            games = read_pgn(said) if path.endswith("pgn") else read_ggf(said)
            return [len(game.moves) for game in games]
        return [turn for turn, tokens in enumerate(self.turns, start=1) if _contains(said, tokens)]

    def early(self, behind: int) -> list[tuple[str, int, list[int]]]:
        """Return what was sent before ``behind`` further turns were played."""
        told = ((path, played, self.turns_in(path, said)) for path, played, said in self.heard)
        return [(path, played, turns) for path, played, turns in told if any(turn > played - behind for turn in turns)]


@functools.cache  # the whole record is searched repeatedly
def _contains(said: str, tokens: re.Pattern[str]) -> bool:
    return tokens.search(said.replace("\\", "").replace(" ", "")) is not None


def tokens(table: PlayedTable) -> re.Pattern[str]:
    """Return the strings by which the last turn of a table is recognised."""
    turn = table.match.turns[-1]
    left_ms = table.match.remaining_ns(turn.by, table.at_ns) // 1_000_000
    drawn = {
        color: path.replace(" ", "") for color, path in board_paths(turn.after).items() if color in ("black", "white")
    }
    discs = [f'<pathclass="black"d="{drawn["black"]}"/>', f'<pathclass="rim"d="{drawn["white"]}"/>']
    said = [re.escape(f'"move":"{turn.move}"'), re.escape(turn.after), r"\s*n?".join(map(re.escape, discs))]
    return re.compile("|".join([*said, rf"\b{left_ms}\b"]))


@contextlib.contextmanager
def recorded(
    directory: Path, rule: VisibilityRules, above: Federation | None = None
) -> Iterator[tuple[HeadApplication, Recorder, PlayedTable]]:
    """A game of eight turns at table 1 of a division with this rule; all that can be requested without sign-in
    meanwhile, and all streams from before the first turn on, are recorded. ``above``: the federation, which is
    requested too."""
    with running_head(directory, auto=True, **({} if above is None else above.options)) as (program, url):
        clock = HandClock()
        program.live._time = clock
        until(lambda: any(game.table == 1 for game in program.desk.state.current))
        program.desk.divisions.change(DivisionChanged("main", spectators=rule))
        program.desk.divisions.set_slot("final", 1)
        game = next(game for game in program.desk.state.current if game.table == 1)
        token = program.access.token
        values = {"slot": "final", "division": "main", "table": "1", "kind": "games", "player": "p1"}
        doors_ = [door for door in targets(program.app.routes) if door.method == "GET"]
        paths = [path for door in doors_ if (path := filled(door.path, values))]
        paths += [f"/event/{page}" for page in PAGES]
        paths += ["/wall?show=boards", "/overlay/final?part=moves", "/live/1.json"]
        paths += [f"/g/{token(game_subject(game.id))}", f"/p/{token(player_subject('main', game.black))}"]
        recorder = Recorder(url)
        if above is not None:
            above.recorder = recorder
        streams = [path for path in paths if path.startswith("/stream")]
        threads = [threading.Thread(target=recorder.listen, args=(path,)) for path in streams]
        for thread in threads:
            thread.start()
        asked = [path for path in paths if path not in streams and not path.startswith("/static")]
        try:
            table = PlayedTable(1, program.devices.collection)
            table.execute_commands()
            for number in range(1, TURNS + 1):
                clock.at_ns += TURN_S * 1_000_000_000
                recorder.played = number
                table.play(1, 7 + number * 0.217)
                recorder.turns.append(tokens(table))
                recorder.ask(asked if number == TURNS else TELLING)
                if above is not None:
                    above.ask()
            yield program, recorder, table
        finally:
            program.stop()
            for thread in threads:
                thread.join(HANGS_S)


PUSHED, ABOVE = "what was pushed", "/venues/osaka/live/"


@dataclass
class Federation:
    """The federation's head, where a venue's broadcast is requested, and the venue's pushes to it."""

    program: HeadApplication
    url: str
    options: dict[str, Any]
    recorder: Recorder | None = None

    def __post_init__(self) -> None:
        broadcasts = self.program.remote.federation.broadcasts
        check = broadcasts._check

        def recording(venue: Any, turn: BroadcastPush) -> None:
            if self.recorder is not None:
                for said in (turn.index, *turn.games.values()):
                    self.recorder.heard.append((PUSHED, self.recorder.played, said.decode()))
            check(venue, turn)

        broadcasts._check = recording  # type: ignore[method-assign]

    def ask(self) -> None:
        """Return all that the federation publishes about this venue."""
        recorder = self.recorder
        assert recorder is not None
        files = [ABOVE + name for name in ("live.json", "1.json", "games.pgn", "games.ggf")]
        with httpx.Client(base_url=self.url, timeout=120) as web:
            for path in ("/venues/osaka", "/venues/osaka/live", *files):
                if (answer := web.get(path)).status_code == 200:
                    recorder.heard.append((path, recorder.played, answer.text))


RULES = [
    (VisibilityRules(Boards.DELAYED, MOVES), MOVES),
    (VisibilityRules(Boards.SECONDS, seconds=SECONDS), MOVES),
    (VisibilityRules(Boards.FINISHED), TURNS),
    (VisibilityRules(Boards.OFF), TURNS),
    (VisibilityRules(), 0),
]


@pytest.mark.slow
@pytest.mark.parametrize(("rule", "behind"), RULES, ids=[rule.boards.value for rule, _ in RULES])
def test_delayed_turns_are_in_no_byte(
    tmp_path: Path, federation: tuple[HeadApplication, str, dict[str, Any]], rule: VisibilityRules, behind: int
) -> None:
    """The pages of the tables and the broadcast still send what is allowed; the same holds for the venue's pushes and
    what its federation publishes. Without a delay the same recorder finds every turn as soon as it was played, so it
    would find a leak."""
    last, above = TURNS - behind, Federation(*federation)
    with recorded(tmp_path / "osaka", rule, above) as (_, recorder, _table):
        until(lambda: {recorder.latest().get(path, 0) for path in ("/stream/", *STREAMS)} == {last})
        recorder.ask(TELLING)
        until(lambda: recorder.latest().get(PUSHED) == last)
        until(lambda: (above.ask(), recorder.latest().get(f"{ABOVE}1.json"))[1] == last)
    assert recorder.early(behind) == []
    assert {recorder.latest()[f"{ABOVE}{name}"] for name in ("1.json", "games.pgn", "games.ggf")} == {last}
    assert {path: recorder.latest()[path] for path in TELLING} == dict.fromkeys(TELLING, last)
    assert len(recorder.heard) > 100
    if not behind:
        assert recorder.early(1) != []
        telling = {path for path, turn in recorder.latest().items() if turn}
        assert telling >= {"/tables.json", "/overlay/final", "/wall?show=boards"}
        assert PUSHED in {path for path, _, turns in recorder.early(1) if turns}


@pytest.mark.slow
def test_flags_findings_and_arbiter_messages_are_not_public(tmp_path: Path) -> None:
    """Promise 3, without any delay: an unturned disc and a fallen flag are on no public page and in no stream; the
    clock reads 0 there, as at the table."""
    with recorded(tmp_path, VisibilityRules()) as (program, recorder, table):
        table.slip()
        table.at_ns += 2_000_000_000_000
        table.play(1)
        with httpx.Client(base_url=recorder.url, timeout=120) as web:
            until(lambda: '"left_ms":0' in web.get("/live/final.json").text)
            asked = {path for path, _, _ in recorder.heard if not path.startswith("/stream")}
            said = {path: web.get(path).text for path in asked}
        view = next(view for view in program.live.views() if view.number == 1)
        assert view.findings and view.inside.flags
        secrets = [finding.kind for finding in view.findings] + ["findings", "flag_at", "IM-"]
        assert [(path, secret) for path, text in said.items() for secret in secrets if secret in text] == []
        assert '"left_ms":-' not in said["/tables.json"]
