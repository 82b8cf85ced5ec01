"""Tests of a club clock without a head: all settings are made on the device with two buttons."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from unittest.mock import create_autospec

import pytest
from tables.manual_time_table import LEFT as LEFT_PIN
from tables.manual_time_table import MS, StillTable
from tables.manual_time_table import RIGHT as RIGHT_PIN
from tables.states import BLACK, LEFT, RIGHT, SECOND, all_states, match, table

from engine.board.color import Color
from engine.board.position import Position
from engine.board.variants import PLAYABLE, VARIANTS
from engine.match import Phase, Seat, Setup, new_match, screen_messages, step
from engine.match.match_events_and_effects import Action, SeatsAssigned
from engine.match.rule_sets_and_options import read_options
from engine.match.time_controls import ControlKind
from kiosk.locale import ENGLISH, JAPANESE, Lang
from kiosk.table.arbiter.arbiter_screen_forms_to_orders import initial_form
from kiosk.table.arbiter.presets_settings_last_games_input import forms_of, home_lines, preset_of
from kiosk.table.board_sources.board_source_interface_and_factory import BoardSource
from kiosk.table.device.device_settings_file import load, save
from kiosk.table.journal.segment_files_and_recovery import decode_entry
from kiosk.table.scene import Icon, IconKind, SceneDisc, Touch
from kiosk.table.state import LinkState
from kiosk.table.state.arbiter_screen_state import ArbiterPage
from kiosk.table.state.free_clock_presets_settings_games import OWN, PRESETS, Club, Players, Preset, club_from_config
from kiosk.table.table_config import ArbiterConfig, BoardConfig, ButtonsConfig, ScreenConfig, TableConfig
from kiosk.table.views import Facing, Layout, table_scene
from kiosk.table.views.player_halves_layout import with_club_settings
from kiosk.table.views.transcriber_view import transcriber_scene

LONG = 1_200 * MS


@pytest.fixture
def club() -> Iterator[StillTable]:
    made = StillTable(board=BoardConfig(), buttons=ButtonsConfig(), rules="casual")
    yield made
    made.close()


def presets(club: StillTable) -> None:
    """Open the list of presets: both buttons held before a game, then the first line of the first page."""
    club.both()
    assert club.state.arbiter is not None and club.state.arbiter.page is ArbiterPage.CLUB_HOME
    club.press(RIGHT_PIN)
    assert club.state.arbiter.page is ArbiterPage.CLUB


def texts(club: StillTable) -> str:
    return " ".join(club.scene().texts())


def test_a_preset_is_chosen_with_the_two_buttons(club: StillTable) -> None:
    """Both held before a game open the list; left moves on, right selects, and the next game is played so."""
    presets(club)
    club.presses(5 * "l" + "r")
    assert club.state.arbiter is None
    assert club.match.setup.main_ns == 600 * SECOND and club.match.clock.control.step_ns == 5 * SECOND
    presets(club)
    assert club.state.arbiter is not None and club.state.arbiter.cell == 5, "it opens on what is played now"
    club.press(RIGHT_PIN)
    assert club.match.phase is Phase.SETUP


def test_an_own_preset_is_made_with_the_two_buttons(club: StillTable) -> None:
    """A held line is changed: times, control, rules, sound, names; a changed preset of the clock becomes the first
    own one."""
    presets(club)
    club.press(RIGHT_PIN, LONG)
    club.press(LEFT_PIN)  # past the rules, to Black's tens of minutes
    club.press(RIGHT_PIN)  # 10 -> 20 minutes
    club.press(RIGHT_PIN, LONG)
    club.press(RIGHT_PIN, LONG)  # no increment
    assert club.state.arbiter is not None and club.state.arbiter.page is ArbiterPage.CLUB_NAMES
    club.press(RIGHT_PIN)  # the first letter: A
    club.press(RIGHT_PIN, LONG)
    assert club.state.arbiter is None
    made = club.state.club.preset
    assert made == Preset(black_s=1200, white_s=1200, names=("A", "")) and club.state.club.chosen == len(PRESETS)
    club.press(LEFT_PIN)  # Black sits at the left
    assert club.match.remaining_ns(BLACK, 0) == club.match.remaining_ns(Color.WHITE, 0) == 1200 * SECOND
    assert "A" in club.scene().panels[0].texts("player")


def test_a_handicap_preset_puts_blacks_discs_in_the_corners() -> None:
    """OTH-HC-1 to 3: White moves first, so Black's button starts."""
    preset = Preset(board="handicap-2")
    assert read_options(preset.options, "casual").variant.name == "handicap-2" and preset_of(forms_of(preset)) == preset
    assert new_match(Setup(rules="casual", black_seat=LEFT, options=preset.options)).first is Color.WHITE


def test_the_settings_show_the_discs_of_a_handicap(club: StillTable) -> None:
    """OTH-HC-1: a1 and h8, before anybody has chosen the preset."""
    assert PLAYABLE["handicap-2"]
    presets(club)
    club.press(RIGHT_PIN, LONG)
    assert not [panel for panel in club.scene().panels if panel.named("variant")], "nothing to show on the usual board"
    club.presses(9 * "l" + "rr")
    (panel,) = club.scene().panels
    assert panel.texts("variant")
    assert sorted(item.color for item in panel.items if isinstance(item, SceneDisc)) == [BLACK] * 4 + [Color.WHITE] * 2


@pytest.mark.parametrize(("players", "n"), [("pairs", 4), ("three", 3), ("four", 4)])
def test_chouchou_is_played_by_more_than_two(players: Players, n: int) -> None:
    mine = replace(PRESETS[-1], players=players, target=15)
    options = read_options(mine.options, "chouchou")
    assert (options.players, options.pairs, options.target) == (n, players == "pairs", 15)
    assert preset_of(forms_of(mine)) == mine


def test_the_display_s_orientation_is_set_on_the_device(club: StillTable, tmp_path: Path) -> None:
    """A line of the first page draws both orientations; the choice is kept over a restart and changes no preset."""
    club.both()
    club.press(LEFT_PIN, LONG)  # held at the first line, it closes the page; opened anew
    club.both()
    club.presses("llr")
    assert club.state.arbiter is not None and club.state.arbiter.page is ArbiterPage.CLUB_DISPLAY
    (icon,) = [item for panel in club.scene().panels for item in panel.named("drawing") if isinstance(item, Icon)]
    assert icon.kind is IconKind.FLAT
    club.press(RIGHT_PIN)  # upright
    (icon,) = [item for panel in club.scene().panels for item in panel.named("drawing") if isinstance(item, Icon)]
    assert icon.kind is IconKind.STAND
    club.press(LEFT_PIN)
    club.press(RIGHT_PIN)  # larger digits
    club.press(RIGHT_PIN, LONG)
    assert (
        club.state.club == Club(stand=True, large=True, languages=(JAPANESE, JAPANESE), volume=60)
        and club.state.arbiter is None
    )
    assert with_club_settings(Layout(), club.state.club) == Layout(facing=Facing.SAME, large=True)
    assert with_club_settings(Layout(facing=Facing.SAME), Club()) == Layout(facing=Facing.SAME), (
        "as the table's file has it"
    )
    save(tmp_path, club.state.club)
    assert load(TableConfig(table=1, data=tmp_path)) == club.state.club


@pytest.mark.parametrize("head", [False, True])
def test_the_setup_asks_for_the_display_s_orientation(head: bool) -> None:
    """At a table of a hall and at a free clock, without a PIN and without an arbiter's record; once answered it is
    not asked again."""
    made = StillTable(board=BoardConfig(), rules="casual", arbiter=ArbiterConfig(pin="$argon2$"))
    if head:
        made.table.program._table.change(link=LinkState.DOWN, match=None, assignment=None)
    made.table.program.ask_display()
    assert made.state.arbiter is not None and made.state.arbiter.page is ArbiterPage.CLUB_DISPLAY
    assert [item.name for panel in made.scene().panels for item in panel.named("drawing")] == ["drawing"]
    made.presses("rR")
    assert made.state.arbiter is None and made.state.club.stand is True
    assert (made.state.match is None) is head, "a table with a head begins no game of its own"
    made.table.program.ask_display()
    assert made.state.arbiter is None
    if head:
        made.both()
        assert made.state.arbiter is not None and made.state.arbiter.page is ArbiterPage.CLUB_HOME
        lines = [line.value for line in home_lines(made.state)]
        assert lines == ["language", "display", "device", "games", "close"], "a table of a hall has no presets"
        made.press(LEFT_PIN, LONG)
        assert made.state.arbiter is None, "left alone it stays as it was"
    made.save()
    assert not [one for one in map(decode_entry, made.table.journal._payloads) if one.type == "arbiter"]
    made.close()


def test_a_configured_orientation_is_not_asked_for(tmp_path: Path) -> None:
    for facing, stand in ((None, None), ("same", True), ("opposite", False)):
        assert load(TableConfig(table=1, data=tmp_path, screen=ScreenConfig(facing=facing))).stand is stand  # type: ignore[arg-type]
    assert load(TableConfig(table=1, data=tmp_path, screen=ScreenConfig(figures="large"))).large is True
    save(tmp_path, Club(stand=False))
    kept = load(TableConfig(table=1, data=tmp_path, screen=ScreenConfig(facing="same")))
    assert kept.stand is False, "what was set on the device holds"


@pytest.mark.parametrize("size", [(800, 480), (480, 800)])
def test_with_larger_digits_alarms_are_still_shown(size: tuple[int, int]) -> None:
    def height(large: bool, **fields: object) -> int:
        state = replace(all_states(ENGLISH)["turn"], **fields)
        (time,) = table_scene(state, 0, Layout(*size, large=large)).panels[0].named("time")
        return time.box.h

    assert height(large=True) > 1.2 * height(large=False)
    lost = replace(all_states(ENGLISH)["turn"], link=LinkState.DOWN, saved=False)
    left = table_scene(lost, 0, Layout(*size, large=True)).panels[0]
    assert left.texts("link") and left.texts("saved")
    asked = table_scene(all_states(ENGLISH)["check"], 0, Layout(*size, large=True)).panels[0]
    assert asked.texts("message"), "what is asked has its room"


def test_holding_left_at_the_first_line_leaves_each_page(club: StillTable) -> None:
    presets(club)
    club.presses("RRR")
    for page in (ArbiterPage.CLUB_CONTROL, ArbiterPage.CLUB_PRESET, ArbiterPage.CLUB, ArbiterPage.CLUB_HOME):
        club.press(LEFT_PIN, LONG)
        assert club.state.arbiter is not None and club.state.arbiter.page is page
    club.press(LEFT_PIN, LONG)
    assert club.state.arbiter is None and club.state.club.chosen == 0


def test_the_last_line_of_a_list_leaves_it_and_changes_nothing(club: StillTable) -> None:
    """Without touch, from whichever line is selected."""
    presets(club)
    before = club.state.club
    for page, lines in (
        (ArbiterPage.CLUB, len(PRESETS) + OWN + 1),
        (ArbiterPage.CLUB_HOME, len(home_lines(club.state))),
    ):
        assert club.state.arbiter is not None and club.state.arbiter.page is page
        while club.state.arbiter.cell < lines - 1:
            club.press(LEFT_PIN)
        club.press(RIGHT_PIN)
    assert club.state.arbiter is None and club.state.club == before


def test_every_preset_can_be_played_and_edited_without_a_change() -> None:
    assert len(PRESETS) == len(set(PRESETS)) == 18
    assert {preset.control for preset in PRESETS} == set(ControlKind)
    assert {preset.rules for preset in PRESETS} == {"casual", "m43", "team", "wof", "chouchou"}
    for preset in PRESETS:
        read_options(preset.options, preset.rules)
        assert preset_of(forms_of(preset)) == preset


def test_the_club_s_settings_are_kept_over_a_restart(tmp_path: Path) -> None:
    config = TableConfig(table=1, data=tmp_path)
    assert load(config) == Club(volume=60)
    mine = replace(Club(), volume=20, brightness=40).with_own(
        3, Preset("m43", 900, 300, ControlKind.FISCHER, 7, names=("ANN", "BOB"), sound=False)
    )
    save(tmp_path, mine)
    assert load(config) == mine
    for broken in (b"", b"{", b'{"own":[],"chosen":99}', b"\xff"):
        (tmp_path / "club.json").write_bytes(broken)
        assert load(config) == Club(volume=60), "a clock that cannot read its settings is the clock as it came"


def test_the_configuration_sets_the_first_preset() -> None:
    assert club_from_config("m43", 1200) == Club(chosen=14)
    own = club_from_config("wof", 700)
    assert own.preset == Preset("wof", 700, 700) and own.chosen == len(PRESETS) and len(own.own) == OWN


@pytest.mark.parametrize("seat", Seat)
def test_a_time_handicap_follows_the_colour(seat: Seat) -> None:
    state, _ = step(new_match(Setup(main_ns=600 * SECOND, options={"white_s": 300})), SeatsAssigned(0, seat))
    assert (state.remaining_ns(BLACK, 0), state.remaining_ns(Color.WHITE, 0)) == (600 * SECOND, 300 * SECOND)
    settled = new_match(Setup(main_ns=600 * SECOND, black_seat=seat, options={"white_s": 300}))
    assert settled.remaining_ns(Color.WHITE, 0) == 300 * SECOND


def test_without_sound_the_screen_shows_the_first_flag() -> None:
    quiet = Club((Preset(sound=False),) * OWN, len(PRESETS))
    game = match(Phase.TURN, RIGHT, (10, -3), side=Color.WHITE)
    game = replace(game, setup=replace(game.setup, rules="casual"))
    free = table(game, link=LinkState.NONE, club=quiet)
    assert free.is_silent and not replace(free, club=Club()).is_silent
    left, _, right = table_scene(free, 0, Layout()).panels
    assert (left.texts("flag"), right.texts("flag")) == ((), ("Time up first",))
    clock = replace(game.clock, left=game.clock.left.with_flag_fallen(-SECOND, -5 * SECOND))
    both = replace(free, match=replace(game, clock=clock))
    left, _, right = table_scene(both, 0, Layout()).panels
    assert (left.texts("flag"), right.texts("flag")) == (("Time up first",), ("Time up",))


#: words for persons or devices that a club does not have
ABSENT = {ENGLISH: ("arbiter", "head", "link", "unsent"), JAPANESE: ("審判", "本部", "未送信", "接続")}
#: phases that a free clock without an arbiter's button never reaches
ELSEWHERE = ("late", "waiting-no-head", "turn-tenths", "signed-no-head", "submitted")


@pytest.mark.parametrize("language", [ENGLISH, JAPANESE])
def test_no_text_names_an_arbiter_or_a_head_that_does_not_exist(language: Lang) -> None:
    states = {name: state for name, state in all_states(language).items() if not name.startswith(ELSEWHERE)}
    for notice in (screen_messages.recovery(0), screen_messages.disagreement(0), screen_messages.count_again(0)):
        held = match(Phase.HOLD, side=BLACK, resume_phase=Phase.TURN, notice=notice)
        states[notice.kind] = table(held, language)
    for name, state in states.items():
        alone = replace(state, link=LinkState.NONE, unsynced=0)
        said = " ".join(table_scene(alone, 0, Layout(touch=False)).texts()).lower()
        assert not [word for word in ABSENT[language] if word in said], (name, said)


def test_the_screen_shows_how_to_begin_and_how_to_change_the_settings(club: StillTable) -> None:
    assert "両方のボタンを長押し" in texts(club)
    signed = replace(all_states(ENGLISH)["signed"], link=LinkState.NONE, menu={LEFT: 0, RIGHT: 1})
    said = {panel.name: " ".join(panel.texts("call")) for panel in table_scene(signed, 0, Layout()).panels}
    assert "Rematch" in said[LEFT] and "New game" in said[RIGHT]
    assert all("Press: next · Hold: choose" in said[seat] for seat in Seat)


@pytest.mark.parametrize("board", [name for name in PLAYABLE if not name.startswith("handicap")])
def test_a_larger_or_smaller_board_is_played_and_transcribed(board: str) -> None:
    """VAR-04, VAR-06, VAR-07: chosen as a preset; a helper's board has its squares, the count its total."""
    made = StillTable(rules="casual")
    mine = Preset(board=board)
    assert preset_of(forms_of(mine)) == mine
    made.table.program._set_club(Club().with_own(0, mine))
    shape, squares = VARIANTS[board].geometry, VARIANTS[board].total
    assert made.match.squares == squares and made.state.black_count == squares // 2
    made.presses("lr")
    scene = transcriber_scene(made.state, made.time.now_ns(), (1024, 600), ENGLISH)
    drawn = [item.action for panel in scene.panels for item in panel.items if isinstance(item, Touch)]
    assert [name.removeprefix("square-") for name in drawn if name.startswith("square-")] == list(shape.square_names)
    start = Position.start(board)
    move = start.geometry.names(start.legal_moves())[0]
    made.touch("transcriber", f"square-{move}")
    made.press(LEFT_PIN)
    assert made.match.moves == (move,)
    made.both()
    assert made.match.phase is Phase.HOLD
    assert [field.number for field in initial_form(made.match, Action.RESULT, made.time.now_ns())[1:]] == [
        squares // 2 + 1
    ]
    made.close()


def test_sensors_of_8_by_8_do_not_read_another_board() -> None:
    """Such a game is played without board readings; the next usual one is read again."""
    made = StillTable(rules="casual")
    made.table.program._table.change(sheet=None)
    made.table.program._game._board = create_autospec(BoardSource)
    made.table.program._set_club(Club().with_own(0, Preset(board="6x6")))
    assert not made.match.setup.has_board_source
    made.table.program._set_club(Club())
    assert made.match.setup.has_board_source
    made.close()


def test_a_changed_preset_is_stored_in_a_free_or_chosen_place(club: StillTable) -> None:
    """Own 1 is not overwritten while another is free; the last field of the last page is the place."""
    for slot in (0, 1):
        presets(club)
        while club.state.arbiter is not None and club.state.arbiter.cell:
            club.press(LEFT_PIN)
        club.presses("Rl")
        club.press(RIGHT_PIN)  # 10 -> 20 minutes
        club.presses("RRR")
        assert club.state.club.chosen == len(PRESETS) + slot
        assert club.state.club.own[slot].black_s == 1200
    presets(club)
    club.press(RIGHT_PIN, LONG)  # Own 2 again: it stays where it is, unless another is chosen
    club.presses("RRLR" + 12 * "l")
    assert "Own 2" in texts(club) or "自作2" in texts(club)
    club.presses("rR")
    assert club.state.club.chosen == len(PRESETS) + 2
    assert club.state.club.own[1] == club.state.club.own[2]


def test_one_time_is_set_for_both_until_white_s_is_changed(club: StillTable) -> None:
    presets(club)
    club.press(RIGHT_PIN, LONG)
    assert "両者の時間" in texts(club), "one figure that sets both"
    club.press(LEFT_PIN)
    club.press(RIGHT_PIN, 100 * MS)  # Black: 20 minutes
    assert club.state.arbiter is not None
    assert [field.number for field in club.state.arbiter.form[1:3]] == [1200, 1200]
    club.presses(5 * "l")
    club.press(RIGHT_PIN)  # White: one minute more
    for _ in range(5):
        club.press(LEFT_PIN)  # back to Black's
    club.press(RIGHT_PIN)  # Black: 30 minutes
    assert [field.number for field in club.state.arbiter.form[1:3]] == [1800, 1260]
    assert "両者の時間" not in texts(club)


def test_a_held_left_button_decreases_a_digit(club: StillTable) -> None:
    """As on the arbiter's forms, and as the screen says: press +1, held left −1; it repeats while it is held."""
    presets(club)
    club.press(RIGHT_PIN, LONG)
    assert "−1" not in texts(club), "at a choice it goes back"
    club.press(LEFT_PIN)
    assert "−1" in texts(club)
    club.press(LEFT_PIN)  # the minutes: 10
    club.press(LEFT_PIN, LONG)
    assert club.state.arbiter is not None and club.state.arbiter.form[1].number == 19 * 60, "10 -> 19"


@pytest.mark.parametrize(
    ("preset", "pages", "says"),
    [
        (Preset(black_s=0), 0, ("Not 00:00", "00:00 にはできません")),
        (Preset(white_s=0), 0, ("Not 00:00", "00:00 にはできません")),
        (Preset("chouchou", board="6x6"), 0, ("its own board", "専用の盤")),
        (Preset("chouchou", target=0), 1, ("1 or more", "1以上")),
        (Preset(control=ControlKind.FISCHER), 1, ("Not 00:00", "00:00 にはできません")),
        (Preset(control=ControlKind.SIMPLE_DELAY), 1, ("Not 00:00", "00:00 にはできません")),
        (Preset(control=ControlKind.BYO_YOMI, step_s=30, periods=0), 1, ("1 or more", "1以上")),
    ],
)
def test_an_unplayable_setting_is_named(club: StillTable, preset: Preset, pages: int, says: tuple[str, str]) -> None:
    """It is named on its page, which stays open."""
    club.table.program._table.change(club=Club((preset, *(Preset(),) * (OWN - 1)), len(PRESETS)))
    presets(club)
    club.press(RIGHT_PIN, LONG)
    for _ in range(pages):
        club.press(RIGHT_PIN, LONG)
    assert club.state.arbiter is not None
    page = club.state.arbiter.page
    club.press(RIGHT_PIN, LONG)
    assert club.state.arbiter is not None and club.state.arbiter.page is page
    assert any(words in texts(club) for words in says), texts(club)
    club.press(LEFT_PIN)
    assert not any(words in texts(club) for words in says)


def test_corners_stored_by_an_older_version_do_not_change_the_boards_size(tmp_path: Path) -> None:
    save(tmp_path, Club().with_own(0, Preset(board="6x6")))
    stored = (tmp_path / "club.json").read_text(encoding="utf-8").replace('"board":"6x6"', '"board":"6x6","handicap":1')
    (tmp_path / "club.json").write_text(stored, encoding="utf-8")
    assert load(TableConfig(table=1, data=tmp_path)).own[0].board == "6x6"


def test_the_language_of_a_club_clock_is_chosen_on_the_device_and_kept(tmp_path: Path) -> None:
    """On the page of the first start, which changes to the chosen language at once; also by holding a player's
    button."""
    kept: list[Club] = []
    made = StillTable(rules="casual")
    made.table.program.save_club = kept.append
    made.table.program.ask_display()
    assert "Language" in texts(made) and "日本語" in texts(made) and "English" in texts(made)
    made.presses("ll")
    made.press(RIGHT_PIN)  # the next language: English
    assert "Lies between the players" in texts(made)
    made.press(RIGHT_PIN, LONG)
    assert set(made.state.languages.values()) == {ENGLISH} and kept[-1].languages == (ENGLISH, ENGLISH)
    assert "Other time or rules" in texts(made)
    made.both()
    assert "Time and rules" in texts(made) and "時間" not in texts(made), "the settings follow the players' language"
    made.press(LEFT_PIN)
    for language in ("ja-kana", JAPANESE, ENGLISH):
        made.press(RIGHT_PIN)  # on the first page a press changes the language at once
        assert kept[-1].languages == (language, language) and made.state.arbiter is not None
    made.presses("LL")
    made.press(LEFT_PIN, LONG)  # the left player's next language
    assert kept[-1].languages == (made.state.languages[Seat.LEFT], ENGLISH)
    assert made.state.languages[Seat.LEFT] != ENGLISH
    save(tmp_path, kept[-1])
    assert load(TableConfig(table=1, data=tmp_path)).languages == kept[-1].languages
    made.close()


@pytest.mark.parametrize(("language", "says"), [(ENGLISH, "Power is back"), (JAPANESE, "電源が戻")])
def test_a_power_cut_is_shown_where_the_players_choose(language: Lang, says: str) -> None:
    held = match(Phase.HOLD, side=BLACK, resume_phase=Phase.TURN, notice=screen_messages.recovery(0))
    scene = table_scene(replace(table(held, language), link=LinkState.NONE), 0, Layout())
    assert all(any(says in text for text in panel.texts()) for panel in scene.panels if panel.name in (LEFT, RIGHT))
