"""Tests of stored games at a table: rematches with their score, the last games, the code for a phone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tables.manual_time_table import LEFT as LEFT_PIN
from tables.manual_time_table import MS, StillTable
from tables.manual_time_table import RIGHT as RIGHT_PIN
from tables.states import LEFT, RIGHT, all_states

from engine.board.color import Color
from engine.match import Phase, Seat
from kiosk.locale import ENGLISH, JAPANESE
from kiosk.table.device.device_settings_file import MOST_BYTES
from kiosk.table.device.recent_games_file import NAME, GamesFile, load_games
from kiosk.table.state import AfterChoice, HoldChoice, LinkState
from kiosk.table.state.arbiter_screen_state import ArbiterPage
from kiosk.table.state.free_clock_presets_settings_games import Club, Preset
from kiosk.table.state.recent_games import MOST, KeptGame, record_text, series_score, with_game
from kiosk.table.table_assembly import _game_page
from kiosk.table.views import Facing, Layout, table_scene
from kiosk.table.views.qr_code import qr_modules

LONG = 1_200 * MS
MOVES = ("f5", "d6", "c3", "d3")
GAME = KeptGame(
    "e/club-1", "2026-11-27 14:05", "casual", "ANN", "", Color.BLACK, 40, 24, (65, -3), LEFT, 1, MOVES, (5, 12, 7, 61)
)


@pytest.fixture
def club() -> Iterator[StillTable]:
    made = StillTable(rules="casual")
    made.table.program._set_club(Club().with_own(0, Preset(black_s=600, white_s=300, names=("ANN", "BOB"))))
    yield made
    made.close()


def play(club: StillTable, loser: int, start: bool = True) -> None:
    """Play a move on the transcriber's board, then ``loser`` resigns and both sign."""
    black = club.match.black_seat
    if black is None:
        club.press(LEFT_PIN)
        black = LEFT
    first, second = (LEFT_PIN, RIGHT_PIN) if black is LEFT else (RIGHT_PIN, LEFT_PIN)
    club.press(second)
    club.wait(4_900 * MS)
    club.touch("transcriber", "square-f5")
    club.press(first)
    club.both()
    club.choose(loser, HoldChoice.RESIGN)
    assert club.state.offered is not None, "the other has to agree"
    club.press(RIGHT_PIN if loser == LEFT_PIN else LEFT_PIN, LONG)
    for gpio in (LEFT_PIN, RIGHT_PIN):
        club.press(gpio)
    assert club.match.phase is Phase.SIGNED


def shown_text(club: StillTable) -> str:
    return " ".join(club.scene().texts())


def test_a_player_resigns_and_the_other_agrees(club: StillTable) -> None:
    play(club, LEFT_PIN)
    assert club.match.result is not None and club.match.result.winner is Color.WHITE
    assert club.match.arbiter_log[-1].reason == "a player resigned, the other agreed"


def test_only_a_clock_without_an_arbiter_offers_to_resign() -> None:
    """AMB-08: at a tournament the arbiter records it."""
    state = all_states(ENGLISH)["hold"]
    assert HoldChoice.RESIGN not in state.hold_choices
    assert HoldChoice.RESIGN in replace(state, link=LinkState.NONE).hold_choices


def test_a_rematch_swaps_colours_names_and_times_and_counts_the_series(club: StillTable) -> None:
    play(club, LEFT_PIN)
    club.choose(LEFT_PIN, AfterChoice.REMATCH)
    assert club.match.phase is Phase.READY and club.match.black_seat is RIGHT
    assert club.state.assignment is not None
    assert [player.name for player in club.state.assignment.players] == ["BOB", "ANN"]
    assert (club.match.remaining_ns(Color.BLACK, 0), club.match.remaining_ns(Color.WHITE, 0)) == (
        300 * 10**9,
        600 * 10**9,
    )
    assert [panel.texts("player") for panel in club.scene().panels][:1] == [("ANN",)], "everybody sits where he sat"
    assert club.state.series == {LEFT: 0, RIGHT: 2}
    again = club.killed()
    assert again.match.phase is Phase.READY and again.state.assignment == club.state.assignment
    again.close()


def test_the_score_of_a_series_is_on_the_card_and_before_the_start(club: StillTable) -> None:
    spoken = dict.fromkeys(Seat, ENGLISH)
    play(club, LEFT_PIN)
    club.choose(RIGHT_PIN, AfterChoice.REMATCH)
    club.table.program._table.change(languages=spoken)
    panels = {panel.name: " ".join(panel.texts()) for panel in club.scene().panels}
    assert "Series 0–1" in panels[LEFT] and "Series 1–0" in panels[RIGHT]
    play(club, RIGHT_PIN)
    club.table.program._table.change(languages=spoken)
    assert "Series 1–1" in shown_text(club)
    club.choose(LEFT_PIN, AfterChoice.NEW_GAME)
    assert club.state.series == {} and club.match.phase is Phase.SETUP


def test_a_draw_is_half_a_point() -> None:
    drawn = replace(GAME, winner=None, black_discs=32, white_discs=32)
    assert series_score((GAME, GAME, drawn), 2) == {LEFT: 3, RIGHT: 1}
    assert series_score((GAME,), 0) == series_score((), 3) == {LEFT: 0, RIGHT: 0}


def test_team_rules_ask_who_has_the_draw_right() -> None:
    """FS-04: rules without draws; a tie is then a win of the right's holder."""
    club = StillTable(rules="team")
    club.press(LEFT_PIN)
    assert club.match.black_seat is None
    club.press(RIGHT_PIN)
    assert club.match.draw_right is Color.WHITE and club.match.black_seat is LEFT and club.match.phase is Phase.READY
    club.close()


def test_a_signed_game_is_stored_with_moves_times_and_result(club: StillTable) -> None:
    play(club, LEFT_PIN)
    (game,) = club.state.games
    assert (game.moves, game.spent_s, game.winner) == (("f5",), (5,), Color.WHITE)
    assert (game.black, game.white, game.left_s) == ("ANN", "BOB", (594, 298))
    assert game.key == f"{club.table.journal.epoch}/{club.state.assignment.game}"  # type: ignore[union-attr]
    again = club.killed()
    assert again.state.games[-1].key == game.key, "the copy is made again if power failed before it was saved"
    assert replace(again.state.games[-1], when="") == replace(game, when="")
    again.close()


def test_the_record_is_readable_text() -> None:
    assert record_text(GAME) == "Othello 2026-11-27 14:05\n● ANN 40 (1:05)\n○ – 24 (-0:03)\nf5:5 d6:12 c3:7 d3:61"
    bare = replace(GAME, moves=(), spent_s=(), black_discs=None, white_discs=None)
    assert record_text(bare) == "Othello 2026-11-27 14:05\n● ANN (1:05)\n○ – (-0:03)\n●"


def test_fifty_games_are_stored_in_a_bounded_file(tmp_path: Path) -> None:
    games: tuple[KeptGame, ...] = ()
    for number in range(MOST + 3):
        games = with_game(games, replace(GAME, key=f"e/{number}", moves=MOVES * 15, spent_s=(600,) * 60))
    games = with_game(games, replace(games[-1], black_discs=39))
    assert len(games) == MOST and games[-1].black_discs == 39 and games[0].key == "e/3"
    file = GamesFile(tmp_path)
    file.save(games)
    file.close()
    assert load_games(tmp_path) == games
    assert (tmp_path / NAME).stat().st_size < MOST_BYTES / 10
    for broken in (b"", b"[{}]", b"\xff", b"[" + b" " * MOST_BYTES + b"]"):
        (tmp_path / NAME).write_bytes(broken)
        assert load_games(tmp_path) == ()
    (tmp_path / NAME).write_bytes((tmp_path / "none").name.encode())
    assert load_games(tmp_path / "nowhere") == ()


def test_the_qr_code_has_the_head_s_page_or_the_record() -> None:
    assert _game_page("ws://192.168.1.5:8043/link", "main-3-2") == "http://192.168.1.5:8043/game/main-3-2"
    assert _game_page("", "club-1") == ""
    for game, text in ((replace(GAME, page="http://h/game/g"), "http://h/game/g"), (GAME, record_text(GAME))):
        signed = replace(all_states(ENGLISH)["signed"], games=(game,))
        wide = table_scene(signed, 0, Layout(800, 480))
        (panel,) = [panel for panel in wide.panels if panel.name == "phone"]
        dark = {(run.box.x, run.box.y) for run in panel.named("qr")}
        (ground,) = panel.named("qr-ground")
        size = len(qr_modules(text, "l"))
        module = ground.box.w // (size + 8)
        assert module >= 3, "a phone has to resolve it"
        assert (ground.box.x + 4 * module, ground.box.y + 4 * module) in dark, "it is the code of this text"
        assert ground.box.w == module * (size + 8)


@pytest.mark.parametrize("size", [(800, 480), (480, 320), (480, 800)])
@pytest.mark.parametrize("facing", Facing)
def test_the_longest_record_has_modules_that_a_phone_can_read(size: tuple[int, int], facing: Facing) -> None:
    """The code is on a page of its own; 480 by 320 is a 3.5 inch display with 6.5 pixels a millimetre."""
    longest = replace(GAME, moves=MOVES * 15, spent_s=(99,) * 60, black="山本 健太郎", white="長谷部 みどり")
    state = replace(all_states(JAPANESE)["signed"], games=(longest,))
    session = StillTable(rules="casual")
    session.table.program._table.change(games=(longest,))
    session.table.program._arbiter.open_page(ArbiterPage.CLUB_PHONE, after_game=True)
    scene = table_scene(session.state, 0, Layout(*size, facing=facing))
    (ground,) = [item for panel in scene.panels for item in panel.named("qr-ground")]
    assert ground.box.w // (len(qr_modules(record_text(longest), "l")) + 8) >= (3 if min(size) < 400 else 4)
    beside = table_scene(state, 0, Layout(*size, facing=facing))
    assert len([panel for panel in beside.panels if panel.name == "phone"]) == 1
    session.close()


def test_the_last_games_are_read_with_two_buttons_and_by_touch(club: StillTable) -> None:
    older = replace(GAME, key="e/0", black="CAT")
    club.table.program._table.change(games=(older, GAME), languages=dict.fromkeys(Seat, ENGLISH))
    club.both()
    while "games" not in club.scene().panels[0].texts("marked")[0].lower():
        club.press(LEFT_PIN)
    club.press(RIGHT_PIN)
    assert club.state.arbiter is not None and club.state.arbiter.page is ArbiterPage.CLUB_GAMES
    assert club.scene().panels[0].texts("marked")[0].startswith("11-27 14:05 ANN"), "the latest first"
    club.presses("lr")
    assert "Move 4 of 4: d3" in shown_text(club) and "CAT" in shown_text(club)
    club.press(LEFT_PIN)
    assert "Move 3 of 4: c3" in shown_text(club)
    club.press(RIGHT_PIN, LONG)
    assert "Scan it with a phone" in shown_text(club)
    club.presses("Ll")
    assert club.state.arbiter is not None and club.state.arbiter.cell == 0
    club.touch("arbiter", "line-0")
    assert "Move 4 of 4: d3" in shown_text(club)
    for _ in range(3):
        club.touch("arbiter", "back")
    assert club.state.arbiter is None


def test_after_the_game_every_line_of_the_menu_leads_back(club: StillTable) -> None:
    play(club, LEFT_PIN)
    for choice, page in ((AfterChoice.PHONE, ArbiterPage.CLUB_PHONE), (AfterChoice.GAMES, ArbiterPage.CLUB_GAMES)):
        club.choose(RIGHT_PIN, choice)
        assert club.state.arbiter is not None and club.state.arbiter.page is page
        club.press(LEFT_PIN, LONG)
        assert club.state.arbiter is None and club.match.phase is Phase.SIGNED
    while club.state.after_choices[club.state.marked(LEFT)] is not AfterChoice.REMATCH:
        club.touch(LEFT, "name")
    club.touch(LEFT, "name", LONG)
    assert club.match.phase is Phase.READY


def test_the_device_is_shut_down_by_both_buttons_on_a_page_that_says_so(club: StillTable) -> None:
    asked: list[bool] = []
    desk = club.table.program._arbiter
    desk._shut_down = lambda: asked.append(True)
    club.both()
    assert "Shut down" not in shown_text(club), "not in a window on somebody's computer"
    club.press(LEFT_PIN, LONG)
    club.table.program._table.change(can_shut_down=True, languages=dict.fromkeys(Seat, ENGLISH))
    club.both()
    club.press(LEFT_PIN)
    while "Shut down" not in club.scene().panels[0].texts("marked"):
        club.press(LEFT_PIN)
    club.presses("rr")
    assert club.state.arbiter is not None and club.state.arbiter.page is ArbiterPage.CLUB_HOME and not asked
    club.press(RIGHT_PIN)
    club.both()
    assert asked == [True]


def test_colours_are_swapped_on_the_first_page(club: StillTable) -> None:
    club.both()
    club.presses("lr")
    assert club.state.club.preset == Preset(black_s=300, white_s=600, names=("BOB", "ANN"))
    assert club.match.phase is Phase.SETUP and club.state.arbiter is None
