"""Tests of the players' views as pure functions: what they show, and what they must not show."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tables.panel_layout import check_layout
from tables.states import BLACK, FINDING, LEFT, RIGHT, SECOND, SECRET, WHITE, all_states, chouchou, match, table

from engine.end_reason import EndReason
from engine.i18n import say
from engine.match.match_value_types import GameResult, Message, Phase, Seat
from kiosk.locale import ENGLISH, JAPANESE, Lang
from kiosk.table.scene import ColorRole, Digits, Icon, IconKind, Item, Panel, Rect, Scene, SceneDisc, SceneText, Touch
from kiosk.table.state import LinkState, SetupStep, TableState
from kiosk.table.views import Facing, Layout, next_change_ns, table_scene

SIZES = ((800, 480), (1024, 600), (1280, 800), (480, 320), (480, 800), (600, 1024), (800, 1280))
LAYOUTS = [Layout(*size, facing) for size in SIZES for facing in Facing] + [
    Layout(*size, touch=True) for size in ((800, 480), (480, 800))
]
STATES = {(language, name): state for language in (JAPANESE, ENGLISH) for name, state in all_states(language).items()}
IN_ENGLISH = all_states()


def scene(state: TableState, now_ns: int = 0, layout: Layout | None = None) -> Scene:
    return table_scene(state, now_ns, layout or Layout())


def half(state: TableState, seat: Seat, now_ns: int = 0, layout: Layout | None = None) -> Panel:
    return next(panel for panel in scene(state, now_ns, layout).panels if panel.name == seat)


def words(panel: Panel) -> str:
    return " ".join(panel.texts())


def icons(panel: Panel, name: str) -> list[IconKind]:
    return [item.kind for item in panel.named(name) if isinstance(item, Icon)]


def guide_of(state: TableState) -> list[str]:
    (guide,) = half(state, LEFT).texts("guide")
    return guide.split("\n")


def test_every_phase_has_a_picture_here() -> None:
    assert {state.match.phase for state in IN_ENGLISH.values() if state.match} == set(Phase)


# --- the two halves ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_halves_fill_the_screen_without_overlap(layout: Layout) -> None:
    left, right = (half.box for half in layout.halves())
    seam = layout.seam().box
    screen = Rect(0, 0, *layout.size)
    assert not left.overlaps(right) and not left.overlaps(seam) and not right.overlaps(seam)
    assert all(screen.contains(box) for box in (left, right, seam))
    assert sum(box.w * box.h for box in (left, right, seam)) == layout.width * layout.height


def test_opposite_players_each_see_their_half_upright_and_nearest() -> None:
    left, right = Layout(facing=Facing.OPPOSITE).halves()
    assert left.box.y > right.box.y and not left.turned and right.turned
    assert left.box.w == right.box.w == 800 and abs(left.box.h - right.box.h) <= 1


def test_players_on_one_side_see_both_halves_upright() -> None:
    left, right = Layout(facing=Facing.SAME).halves()
    assert left.box.x < right.box.x and not left.turned and not right.turned


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
def test_all_items_are_in_their_half_without_overlap(layout: Layout) -> None:
    for key, state in STATES.items():
        for panel in scene(state, layout=layout).panels:
            check_layout(panel, key)


def test_views_are_pure() -> None:
    for state in IN_ENGLISH.values():
        assert scene(state, 5 * SECOND) == scene(state, 5 * SECOND)


# --- whose time runs ----------------------------------------------------------------------------------------------


def test_exactly_the_running_half_is_bright_and_has_a_bar() -> None:
    for name, state in IN_ENGLISH.items():
        for seat in Seat:
            panel, runs = half(state, seat), state.match is not None and state.match.clock.running is seat
            assert (panel.ground is ColorRole.DAY, bool(panel.named("running"))) == (runs, runs), name


def test_the_reason_is_given_in_the_readers_language() -> None:
    state = replace(IN_ENGLISH["challenge"], languages={LEFT: JAPANESE, RIGHT: ENGLISH})
    assert half(state, RIGHT).texts("message") == ("Correct the last move, then press · Not so? Hold both: arbiter",)
    assert half(state, LEFT).texts("message") == ("相手が訂正中：相手の時間です",)


def test_time_is_by_far_the_largest() -> None:
    for name in ("turn", "turn-tenths", "challenge", "check", "hold"):
        for seat in Seat:
            panel = half(IN_ENGLISH[name], seat)
            (time,) = panel.named("time")
            assert time.box.h >= 0.35 * panel.box.h, name
            others = [min(item.box.h, item.most or item.box.h) for item in panel.items if isinstance(item, SceneText)]
            assert time.box.h >= 1.5 * max(others), name


def test_each_half_shows_time_colour_name_move_and_marks() -> None:
    panel = half(IN_ENGLISH["turn"], LEFT)
    assert panel.texts("time") == ("12:04",)
    assert panel.texts("color") == ("Black",)
    assert [item.color for item in panel.items if isinstance(item, SceneDisc)] == [BLACK]
    assert panel.texts("player") == ("Alexander Montgomery-Featherstone",)
    assert panel.texts("move") == ("Move 1",)
    assert panel.texts("saved") == ("Saved",) and icons(panel, "saved") == [IconKind.CHECK]
    assert panel.texts("link") == ("Linked",) and icons(panel, "link") == [IconKind.LINK]
    assert panel.texts("opponent") == ("Opponent 11:28",)


def test_the_draw_right_is_marked_beside_its_holder_only() -> None:
    assert half(IN_ENGLISH["turn"], RIGHT).texts("draw-right") == ("Draw = win",)
    assert half(IN_ENGLISH["turn"], LEFT).named("draw-right") == ()


def test_alarms_are_shown_in_words_at_both_edges() -> None:
    for seat in Seat:
        panel = half(IN_ENGLISH["turn-tenths"], seat)
        assert panel.texts("trouble") == (str(IN_ENGLISH["turn-tenths"].troubles[0].text),)
        assert panel.texts("link") == ("14 unsent",) and icons(panel, "link") == [IconKind.NO_LINK]
        assert panel.texts("saved") == ("Saving",) and icons(panel, "saved") == [IconKind.OPEN]


# --- before the clock ---------------------------------------------------------------------------------------------


def test_waiting_shows_table_and_head() -> None:
    panel = half(IN_ENGLISH["waiting"], LEFT)
    assert panel.texts("table") == ("12",)
    assert "192.168.10.5" in words(panel)
    assert "not reached" in words(half(IN_ENGLISH["waiting-no-head"], LEFT))


@pytest.mark.parametrize(("accuracy_ns", "shown"), [(50_000, "±0.05 ms"), (10_000_000, "±10 ms"), (None, "")])
def test_waiting_shows_the_accuracy_of_button_times(accuracy_ns: int | None, shown: str) -> None:
    state = replace(IN_ENGLISH["waiting"], edge_source="lgpio", edge_accuracy_ns=accuracy_ns)
    assert half(state, LEFT).texts("edges") == ((f"Button times: the kernel (lgpio), {shown}",) if shown else ())


def test_waiting_names_the_source_of_button_times_in_the_players_language() -> None:
    languages = dict.fromkeys((LEFT, RIGHT), JAPANESE)
    state = replace(IN_ENGLISH["waiting"], languages=languages, edge_source="simulated", edge_accuracy_ns=0)
    assert half(state, LEFT).texts("edges") == ("ボタンの時刻 模擬ボタン ±0 ms",)


def test_a_very_long_time_stays_in_its_box() -> None:
    panel = half(table(match(Phase.TURN, LEFT, (7200, 60), side=BLACK)), LEFT)
    (time,) = panel.named("time")
    assert isinstance(time, Digits) and (time.text, time.template) == ("120:00", "000:00")


def test_designated_colours_are_named_and_black_is_asked() -> None:
    panel = half(IN_ENGLISH["setup-designated"], RIGHT)
    assert panel.texts("player") == ("Alexander Montgomery-Featherstone", "Ann Lee")
    assert [item.color for item in panel.items if isinstance(item, SceneDisc)] == [BLACK, WHITE]
    assert panel.texts("call") == ("Alexander Montgomery-Featherstone (Black): choose your seat, press its button",)


def test_the_higher_grade_hides_the_disc() -> None:
    """FS-01, FS-04."""
    guide = guide_of(IN_ENGLISH["setup-hidden-disc"])
    assert guide[0] == "1  Alexander Montgomery-Featherstone hides one disc under the hand"
    assert guide[1] == "2  Ann Lee says “top is black” or “top is white”"
    assert half(IN_ENGLISH["setup-hidden-disc"], LEFT).texts("player") == (
        "Alexander Montgomery-Featherstone – Ann Lee",
    )


@pytest.mark.parametrize(
    ("grades", "hider"),
    [
        (("4d", "6d"), "Ann Lee"),
        (("1k", "1d"), "Ann Lee"),
        (("2k", "10k"), "Alexander Montgomery-Featherstone"),
        (("3d", "3d"), "The older player"),
        (("3d", None), "The older player"),
        (("3d", "beginner"), "The older player"),
    ],
)
def test_the_player_who_hides_a_disc_is_named(grades: tuple[str | None, str | None], hider: str) -> None:
    """FS-01: dan above kyu, few kyu above many; equal or unknown grades: the older player."""
    game = match(Phase.SETUP, black_seat=None)
    state = table(game, designated=False, seated=False, grades=grades, step=SetupStep.ASK_PLAYER_A)
    assert guide_of(state)[0].startswith(f"1  {hider} hides")


def test_each_setup_step_asks_for_one_press() -> None:
    asked = {name: half(IN_ENGLISH[name], LEFT).texts("call") for name in IN_ENGLISH if name.startswith("setup")}
    assert all(len(texts) == 1 and "press" in texts[0].lower() for texts in asked.values())
    assert len({text for name, text in asked.items() if name != "setup-rock"}) == len(asked) - 1


def test_white_is_asked_to_start() -> None:
    """M43-5; both are told how a wrong set-up is undone (FS-05)."""
    ready, wrong = IN_ENGLISH["ready"], "Wrong seat or colour? Both hold"
    assert half(ready, RIGHT).texts("message") == (f"Press your button to start\n{wrong}",)
    assert half(ready, LEFT).texts("message") == (f"Your time starts when White presses\n{wrong}",)


# --- after the game -----------------------------------------------------------------------------------------------


def test_the_card_shows_names_discs_winner_and_who_confirmed() -> None:
    """M43-18.1/2."""
    waiting, confirmed = half(IN_ENGLISH["result"], LEFT), half(IN_ENGLISH["result"], RIGHT)
    for panel in (waiting, confirmed):
        assert panel.texts("player") == ("Alexander Montgomery-Featherstone", "Ann Lee")
        assert panel.texts("discs") == ("37", "27")
        assert panel.texts("winner") == ("Win",)
    assert waiting.texts("call") and IconKind.CHECK not in icons(waiting, "told")
    assert confirmed.texts("told") and icons(confirmed, "told") == [IconKind.CHECK] and not confirmed.texts("call")


def test_a_draw_has_no_winner() -> None:
    panel = half(IN_ENGLISH["result-draw"], LEFT)
    assert panel.named("winner") == () and panel.texts("title") == ("Result: a draw",)


def test_the_count_being_entered_totals_64() -> None:
    panel = half(IN_ENGLISH["ended-count"], LEFT)
    assert panel.texts("discs") == ("35", "29")


def test_it_is_always_shown_whether_the_result_is_sent() -> None:
    """Promise 4."""
    assert half(IN_ENGLISH["signed"], LEFT).texts("told") == ("Sending to the head table",)
    kept = "Will be sent when linked\nBlack hands in the card"  # AMB-14, if the acknowledgement does not arrive
    assert half(IN_ENGLISH["signed-no-head"], LEFT).texts("told") == (kept,)
    assert half(IN_ENGLISH["submitted"], LEFT).texts("told") == ("Result sent",)
    alone = replace(IN_ENGLISH["signed"], link=LinkState.NONE)
    assert half(alone, LEFT).texts("saved") == ("Saved",)


@pytest.mark.parametrize(("name", "marked"), [("hold", "Wait for arbiter"), ("hold-claim", "Opponent timed out")])
def test_both_have_the_same_menu_while_the_clock_is_stopped(name: str, marked: str) -> None:
    """M43-11, M43-15.2, row 15: the menu does not depend on whether a flag has fallen."""
    for seat in Seat:
        assert half(IN_ENGLISH[name], seat).texts("marked") == (marked,)
    assert len(half(IN_ENGLISH[name], LEFT).texts("choice")) == len(IN_ENGLISH[name].hold_choices) - 1


def test_the_winner_on_time_chooses() -> None:
    """M43-15a, M43-15b."""
    assert half(IN_ENGLISH["choice"], RIGHT).texts("marked") == ("33–31",)
    assert half(IN_ENGLISH["choice-free"], RIGHT).texts("marked") == ("Free play",)
    assert half(IN_ENGLISH["choice"], LEFT).texts("message") == ("Time is up: your opponent chooses",)


def test_m40_shows_win_and_loss_and_no_discs() -> None:
    """M40-15.1."""
    state = table(match(Phase.RESULT, result=GameResult(WHITE, None, None, EndReason.NORMAL, rated=True)))
    assert half(state, LEFT).texts("discs") == ("Loss", "Win")


def test_each_players_confirmation_is_seen_on_both_halves() -> None:
    """M43-18.2: Black's row first."""
    for seat in Seat:
        assert icons(half(IN_ENGLISH["result"], seat), "confirmed") == [IconKind.BUTTON, IconKind.CHECK]
        assert icons(half(IN_ENGLISH["signed"], seat), "confirmed") == [IconKind.CHECK, IconKind.CHECK]


def test_the_captain_submits_a_team_s_card() -> None:
    """TEAM-10.11."""
    signed = IN_ENGLISH["signed"]
    assert signed.match is not None
    team = replace(signed.match, setup=replace(signed.match.setup, rules="team"))
    told = half(replace(signed, match=team), LEFT).texts("told")
    assert told == ("Sending to the head table\nCaptain hands in the card",)


# --- other rule sets and time controls -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "time", "line"),
    [
        ("fischer", "5:13", "+5 s a move"),
        ("bronstein", "5:13", "up to 3 s back"),
        ("delay", "5:13", "Delay 4"),
        ("periods", "12.0", "30 s: 2 left"),
        ("hourglass", "5:13", "Hourglass"),
        ("per-move", "5:13", "30 s a move"),
        ("up-count", "5:12", "Time used"),
        ("chouchou", "5:12", "then 60 s a move"),
    ],
)
def test_each_time_control_is_described(name: str, time: str, line: str) -> None:
    panel = half(IN_ENGLISH[name], LEFT)
    assert panel.texts("time") == (time,) and panel.texts("control") == (line,)


def test_a_delay_counts_down_while_the_time_stands() -> None:
    readings = [half(IN_ENGLISH["delay"], LEFT, at * SECOND) for at in (0, 1, 3, 4, 5)]
    assert [panel.texts("control")[0] for panel in readings] == ["Delay 4", "Delay 3", "Delay 1"] + ["5 s delay"] * 2
    assert [panel.texts("time")[0] for panel in readings] == ["5:13", "5:13", "5:13", "5:13", "5:12"]


def test_an_hourglass_gives_one_side_s_time_to_the_other() -> None:
    later = scene(IN_ENGLISH["hourglass"], 60 * SECOND)
    assert [panel.texts("time") for panel in later.panels if panel.name != "seam"] == [("4:13",), ("2:28",)]


def test_the_last_minute_is_shown_also_at_zero() -> None:
    """Promise 3: below one minute, as shown, the half says so; at zero and below it says the same."""

    def texts_at(left_s: float) -> tuple[str, ...]:
        return half(table(match(Phase.TURN, LEFT, (left_s, 688), side=BLACK)), LEFT).texts("last-minute")

    assert texts_at(60) == texts_at(59.2) == ()
    assert texts_at(59) == texts_at(1) == texts_at(0) == texts_at(-500) == ("Last minute",)


def test_chouchou_shows_the_score_board_and_who_moves_first() -> None:
    """CC-WIN-1, CC-SUP-2."""
    left, right = half(IN_ENGLISH["chouchou"], LEFT), half(IN_ENGLISH["chouchou"], RIGHT)
    assert (left.texts("captured"), left.texts("captured-opponent")) == (("7",), ("3",))
    assert (right.texts("captured"), right.texts("captured-opponent")) == (("3",), ("7",))
    assert left.texts("target") == ("of 10",)
    assert (left.texts("color"), right.texts("color")) == (("First",), ("Second",))
    assert not [item for item in left.items if isinstance(item, SceneDisc)], "pieces have colours of their own"


def test_chouchous_card_has_plus_and_minus() -> None:
    """CC-SCO-1."""
    assert half(IN_ENGLISH["chouchou-result"], LEFT).texts("points") == ("+2", "−3")


def test_rock_paper_scissors_is_guided() -> None:
    """CC-SEAT-1."""
    assert guide_of(IN_ENGLISH["setup-rock"]) == [
        "1  Play rock, paper, scissors",
        "2  The winner chooses the seat",
        "3  The loser moves first",
    ]


def test_arrangements_for_players_are_shown_before_the_start() -> None:
    """K-17: an audible clock, and one that any button switches, are announced."""
    ready = replace(IN_ENGLISH["ready"], one_operates=True, audible=frozenset({RIGHT}))
    assert half(ready, RIGHT).texts("message")[0].splitlines()[1:] == [
        "One person presses: any button switches",
        "Your clock is audible",
        "Wrong seat or colour? Both hold",
    ]
    assert "Your clock is audible" not in half(ready, LEFT).texts("message")[0].splitlines()
    assert "heard" not in words(half(replace(ready, silenced=True), RIGHT))


# --- touch ---------------------------------------------------------------------------------------------------------


def touches(name: str, layout: Layout) -> set[str]:
    return {item.action for item in half(IN_ENGLISH[name], LEFT, layout=layout).items if isinstance(item, Touch)}


def test_keys_are_drawn_only_on_a_touch_display() -> None:
    feels, blind = Layout(touch=True), Layout()
    assert touches("ended-count", feels) == {"count-10", "count-1", "count+1", "count+10", "done"}
    assert touches("chouchou", feels) == {"captured-1", "captured+1"}
    assert touches("ended-count", blind) == touches("chouchou", blind) == touches("turn", feels) == set()
    assert touches("turn-by-touch", feels) == {"button"} and touches("turn-by-touch", blind) == set()
    texts = {
        layout: half(IN_ENGLISH["turn-by-touch"], LEFT, layout=layout).texts("message") for layout in (feels, blind)
    }
    assert texts[feels] == ("Button out of order: touch here",)
    assert texts[blind] == ("Button out of order: call the arbiter",)


@pytest.mark.parametrize("size", [(800, 480), (1024, 600), (480, 800)])
def test_keys_are_as_large_as_a_finger(size: tuple[int, int]) -> None:
    """They are 9 mm on a 7-inch display."""
    pixel_mm = 7 * 25.4 / (size[0] ** 2 + size[1] ** 2) ** 0.5
    for name in ("ended-count", "chouchou", "hold"):
        for item in half(IN_ENGLISH[name], LEFT, layout=Layout(*size, touch=True)).items:
            if isinstance(item, Touch):
                assert min(item.box.w, item.box.h) * pixel_mm >= 9, (name, item)


# --- promise 3: what players never see ------------------------------------------------------------------------------


@pytest.mark.parametrize("key", STATES, ids="-".join)
def test_flags_and_findings_change_nothing_on_the_screen(key: tuple[Lang, str]) -> None:
    """K-02, K-08, K-12: the scene is the same, whatever the table knows of flags, illegal moves and boards."""
    game = STATES[key].match
    if game is None or key[1] == "alone-fell-first":  # casual rules allow the clock to show it
        return
    left, right = (replace(game.clock.side(seat), flag_at_ns=-1) for seat in Seat)
    flagged = replace(game.clock, left=left, right=right)
    knowing = replace(
        game,
        clock=flagged,
        findings=(FINDING,),
        shown_to_arbiter=(SECRET,),
        notice=game.notice or SECRET,
        board="-" * 26 + "-OX--" + "-" * 33,
    )
    for layout in (Layout(), Layout(facing=Facing.SAME)):
        assert scene(replace(STATES[key], match=knowing), layout=layout) == scene(STATES[key], layout=layout)


def test_no_rule_code_or_square_appears() -> None:
    for key, state in STATES.items():
        for text in scene(state).texts():
            assert "IM-" not in text and "e5" not in text, key
            assert not any(word in text.lower() for word in ("flag", "legal", "best move", "反則", "不正")), key


def test_a_flag_changes_only_the_digits_to_zero() -> None:
    """K-02: after the flag the screen differs from the moment before only in the digits."""
    game = match(Phase.TURN, RIGHT, (96, 0.1), side=WHITE)
    before, after = scene(table(game), 0), scene(table(game), 2 * SECOND)

    def without_figures(shown: Scene) -> list[list[Item]]:
        return [[item for item in panel.items if item.name not in ("time", "opponent")] for panel in shown.panels]

    assert half(table(game), RIGHT, 0).texts("time") == ("0.1",)
    assert half(table(game), RIGHT, 2 * SECOND).texts("time") == ("0:00",)
    assert without_figures(before) == without_figures(after)
    assert [panel.ground for panel in before.panels] == [panel.ground for panel in after.panels]


def test_a_challenge_is_answered_in_the_challengers_terms() -> None:
    """K-11."""
    notice = Message("challenge-confirmed", say("Confirmed: {named}", named="IM-4 e5"), 0, ("IM-4", "e5"))
    state = table(match(Phase.CORR, RIGHT, side=WHITE, notice=notice, findings=(FINDING,)))
    assert half(state, RIGHT).texts("message") == (
        "Correct the last move, then press · Not so? Hold both: arbiter\nConfirmed: Not turned, e5",
    )


def test_after_a_power_cut_the_screen_says_so() -> None:
    notice = Message("recovery", say("Power is back"), 0)
    state = table(match(Phase.HOLD, side=WHITE, notice=notice, resume_phase=Phase.TURN))
    assert half(state, LEFT).texts("message") == ("Power is back", "Press: next · Hold: choose")


# --- the scene changes only with the state --------------------------------------------------------------------------


def test_the_card_of_a_chouchou_game_without_names_says_who_moved_first() -> None:
    card = GameResult(BLACK, 12, 7, EndReason.NORMAL, rated=True)
    state = chouchou(ENGLISH, Phase.RESULT, result=card, player_at={})
    assert half(state, LEFT).texts("player") == ("First", "Second")


def test_the_scene_changes_at_the_announced_instant_and_not_before() -> None:
    for name, state in IN_ENGLISH.items():
        change = next_change_ns(state, 0)
        assert scene(state, 0) == scene(state, 3600 * SECOND if change is None else change - 1), name
        assert change is None or scene(state, 0) != scene(state, change), name

