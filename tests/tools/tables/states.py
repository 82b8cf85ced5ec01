"""Table states of every phase, for tests of the views. Names are invented."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.board.color import Color
from engine.board.illegal_move_diagnosis_and_challenge import ViolationKind
from engine.end_reason import EndReason
from engine.i18n import say
from engine.match import screen_messages
from engine.match.game_clock import Clock, SideClock
from engine.match.match_state import MatchState, MultiplayerState
from engine.match.match_value_types import (
    Challenge,
    CompletedTurn,
    GameResult,
    GameStage,
    Message,
    Phase,
    RecordedViolation,
    Seat,
    Setup,
    TurnKind,
)
from engine.match.time_controls import ControlKind, TimeControl
from kiosk.link.link_messages import Assignment, PlayerInfo
from kiosk.locale import ENGLISH, JAPANESE, Lang
from kiosk.table.state import Battery, LinkState, NamingState, SetupStep, TableState, TableTrouble

LEFT, RIGHT, BLACK, WHITE = Seat.LEFT, Seat.RIGHT, Color.BLACK, Color.WHITE
SECOND = 1_000_000_000
PLAYERS = {JAPANESE: ("山本 健太郎", "長谷部 みどり"), ENGLISH: ("Alexander Montgomery-Featherstone", "Ann Lee")}
TROUBLE = TableTrouble("board", say("Sensor board {device} sends nothing; check its power", device="/dev/ttyACM0"))
LOW = TableTrouble("battery-low", say("The battery is low. Charge it after this game."), "supply")
WIN = GameResult(BLACK, 37, 27, EndReason.NORMAL, rated=True)
NEVER = GameResult(BLACK, 64, 0, EndReason.LATE, rated=False)
TIE = GameResult(None, 32, 32, EndReason.NORMAL, rated=True)
WIN_FREE = GameResult(WHITE, 24, 40, EndReason.FREE_PLAY, rated=True)
FINDING = RecordedViolation(21, WHITE, "IM-4", ("e5",), say("not turned: {squares}", squares="e5"))
SECRET = Message("finding", say("{by} {ply}. {kind}: {what}", by=say("White"), ply=21, kind="IM-4", what="e5"), 0)


def match(
    phase: Phase, running: Seat | None = None, left_s: tuple[float, float] = (723.4, 688.0), **fields: Any
) -> MatchState:
    """Return a game in ``phase`` at time 0; LEFT has Black."""
    sides = [SideClock(round(seconds * SECOND)) for seconds in left_s]
    fields = {"black_seat": LEFT, "draw_right": None, **fields}
    return MatchState(setup=Setup(black_seat=LEFT), phase=phase, clock=Clock(*sides, running, 0), **fields)


def table(
    game: MatchState | None,
    language: Lang = ENGLISH,
    *,
    designated: bool = True,
    seated: bool = True,
    grades: tuple[str | None, str | None] = ("6d", "4d"),
    **fields: Any,
) -> TableState:
    """Return table 12 with that game."""
    names = PLAYERS.get(language, PLAYERS[ENGLISH])
    players = [PlayerInfo(f"p{i}", name, grade) for i, (name, grade) in enumerate(zip(names, grades, strict=True))]
    stage = "league" if designated else "knockout"
    if game is not None:
        game = replace(game, setup=replace(game.setup, stage=GameStage(stage)))
    labels = ("一般の部　第3回戦", "Open division · Round 3")
    assignment = Assignment("g1", "e1", "open", 3, 12, "m43", stage, *labels, 1200, designated, players)
    return TableState(
        12,
        None if game is None else assignment,
        game,
        **{
            "player_at": {LEFT: 0, RIGHT: 1} if seated and game is not None else {},
            "languages": {LEFT: language, RIGHT: language},
            "head": "192.168.10.5",
            "link": LinkState.UP,
            **fields,
        },
    )


def controlled(kind: ControlKind, step_s: int, language: Lang, periods: int = 0, free_s: int = 0) -> TableState:
    """Return LEFT's turn under that time control; with periods LEFT is in the last but one."""
    game = match(Phase.TURN, LEFT, (312.4, 88), side=BLACK)
    clock = replace(game.clock, control=TimeControl(kind, step_s * SECOND, periods), turn=LEFT, free_ns=free_s * SECOND)
    if periods:
        left = SideClock(12 * SECOND, periods=periods - 1, in_period=True)
        clock = replace(clock, left=left, right=replace(clock.right, periods=periods))
    return table(replace(game, clock=clock), language)


def chouchou(
    language: Lang, phase: Phase = Phase.TURN, *, result: GameResult | None = None, **fields: Any
) -> TableState:
    """Return a ChouChou game: Black, at the left, moves first and has captured 7, the other 3."""
    game = match(phase, LEFT if phase is Phase.TURN else None, (312, 47), side=BLACK, result=result)
    clock = replace(game.clock, control=TimeControl(ControlKind.BYO_YOMI, 60 * SECOND, 1))
    sides = (replace(clock.left, periods=1), replace(clock.right, periods=1, in_period=True))
    clock = replace(clock, left=sides[0], right=sides[1])
    game = replace(game, clock=clock, setup=replace(game.setup, rules="chouchou"))
    return table(game, language, **{"captures": (7, 3), **fields})


def company(
    language: Lang, phase: Phase, captured: tuple[int, ...], turn: int = 0, *, pairs: bool = False, **fields: Any
) -> TableState:
    """Return a ChouChou game of more than two; of three the first has exceeded the time, and the second has won a
    RESULT."""
    state = chouchou(language, phase, result=WIN if phase is Phase.RESULT else None, captures=captured, **fields)
    assert state.match is not None
    options = {"players": len(captured), "pairs": pairs}
    clocks = () if pairs else (state.match.clock.left,) * len(captured)
    side = WHITE if turn % 2 else BLACK
    running = None if phase is not Phase.TURN else RIGHT if turn % 2 else LEFT
    who = MultiplayerState(captured, clocks, turn, () if pairs else (0,), 1 if phase is Phase.RESULT else None)
    held = {"resume_phase": Phase.TURN, "held_by": RIGHT} if phase is Phase.HOLD else {}
    clock = replace(state.match.clock, running=running)
    setup = replace(state.match.setup, options=options)
    game = replace(state.match, setup=setup, side=side, company=who, clock=clock, **held)
    return replace(state, match=game)


def _with_rules(game: MatchState | None, rules: str) -> MatchState:
    assert game is not None
    return replace(game, setup=replace(game.setup, rules=rules))


def other_rules(language: Lang = ENGLISH) -> dict[str, TableState]:
    """Return the states that look different under other rule sets and time controls."""
    rock = match(Phase.SETUP, black_seat=None)
    rock = replace(rock, setup=replace(rock.setup, rules="chouchou"))
    kind = ControlKind
    return {
        "setup-rock": table(rock, language, designated=False, seated=False, step=SetupStep.ASK_PLAYER_A),
        "chouchou": chouchou(language),
        "chouchou-target": chouchou(language, captures=(10, 3)),
        "chouchou-counting": chouchou(language, counting=True),
        "chouchou-result": chouchou(
            language, Phase.RESULT, result=GameResult(BLACK, 12, 7, EndReason.NORMAL, rated=True)
        ),
        "chouchou-lost": chouchou(
            language, Phase.RESULT, result=GameResult(WHITE, None, None, EndReason.TIME, rated=True)
        ),
        "chouchou-pairs": company(language, Phase.TURN, (4, 7, 2, 0), 2, pairs=True),
        "chouchou-three": company(language, Phase.TURN, (4, 7, 12), 1),
        "chouchou-four": company(language, Phase.TURN, (4, 7, 12, 3), 3, counting=True),
        "chouchou-penalty": company(language, Phase.HOLD, (4, 7, 2, 0), 2, pairs=True, menu={LEFT: 1, RIGHT: 1}),
        "chouchou-pairs-result": company(language, Phase.RESULT, (4, 11, 2, 0), pairs=True),
        "chouchou-three-result": company(language, Phase.RESULT, (4, 11, 2)),
        "fischer": controlled(kind.FISCHER, 5, language),
        "bronstein": controlled(kind.BRONSTEIN, 3, language),
        "delay": controlled(kind.SIMPLE_DELAY, 5, language, free_s=4),
        "periods": controlled(kind.BYO_YOMI, 30, language, periods=3),
        "hourglass": controlled(kind.HOURGLASS, 0, language),
        "per-move": controlled(kind.PER_MOVE, 30, language),
        "up-count": controlled(kind.UP_COUNT, 0, language),
    }


def all_states(language: Lang = ENGLISH) -> dict[str, TableState]:
    """Return every phase, and every variant of it that looks different."""

    def setup(step: SetupStep, *, designated: bool, seated: bool) -> TableState:
        game = match(Phase.SETUP, black_seat=None)
        return table(game, language, designated=designated, seated=seated, step=step)

    def at(game: MatchState, **fields: Any) -> TableState:
        return table(game, language, **fields)

    moved = (CompletedTurn(BLACK, TurnKind.MOVE, "f5", "-" * 64, "-" * 64),)
    on_hold = {"side": WHITE, "resume_phase": Phase.TURN, "turns": moved}
    nobody_read = {**on_hold, "turns": (CompletedTurn(BLACK, TurnKind.UNREAD, None, None, None),)}
    casual = at(match(Phase.TURN, RIGHT, (96, -3), side=WHITE))
    casual = replace(casual, match=_with_rules(casual.match, "casual"))
    turn = CompletedTurn(WHITE, TurnKind.ILLEGAL, "d6", "-" * 64, "-" * 35 + "X" + "-" * 28)
    open_ = Challenge(BLACK, Phase.TURN)
    named = match(Phase.CORR, RIGHT, side=WHITE, challenge=open_, turns=(turn,))
    offline = {"link": LinkState.DOWN, "unsynced": 14}
    return other_rules(language) | {
        "waiting": table(None, language),
        "waiting-alone": table(None, language, link=LinkState.NONE),
        "waiting-battery": table(None, language, battery=Battery(93, 540)),
        "turn-battery": at(match(Phase.TURN, LEFT, side=BLACK), battery=Battery(18, 80), troubles=(LOW,)),
        "turn-charging": at(match(Phase.TURN, LEFT, side=BLACK), battery=Battery(41, None, plugged=True)),
        "waiting-no-head": table(None, language, link=LinkState.DOWN, troubles=(TROUBLE,)),
        "setup-designated": setup(SetupStep.ASK_BLACK, designated=True, seated=False),
        "setup-hidden-disc": setup(SetupStep.ASK_PLAYER_A, designated=False, seated=False),
        "setup-black": setup(SetupStep.ASK_BLACK, designated=False, seated=True),
        "setup-draw-right": setup(SetupStep.ASK_DRAW_RIGHT, designated=False, seated=True),
        "late": at(match(Phase.LATE, RIGHT, black_seat=None, late=RIGHT), seated=False),
        "late-start": at(match(Phase.LATE, black_seat=None, late=RIGHT, start_press_due=True), seated=False),
        "late-never-came": at(match(Phase.RESULT, None, (1200, 0), result=NEVER, late=RIGHT, reading_open=True)),
        "ready": at(match(Phase.READY, left_s=(1200, 1200), draw_right=WHITE)),
        "turn": at(match(Phase.TURN, LEFT, side=BLACK, draw_right=WHITE)),
        "turn-tenths": at(
            match(Phase.TURN, RIGHT, (96, 14.73), side=WHITE), **offline, saved=False, troubles=(TROUBLE,)
        ),
        "turn-used-up": at(match(Phase.TURN, RIGHT, (96, -3), side=WHITE)),
        "turn-by-touch": at(match(Phase.TURN, RIGHT, side=WHITE), by_touch=frozenset({LEFT, RIGHT})),
        "ready-one-operates": at(match(Phase.READY, left_s=(1200, 1200)), one_operates=True),
        "challenge": at(match(Phase.CORR, RIGHT, side=WHITE)),
        "challenge-naming": at(named),
        "challenge-square": at(named, naming=NamingState(0, ViolationKind.UNDER_TURNED)),
        "hold": at(match(Phase.HOLD, held_by=LEFT, **on_hold)),
        "hold-claim": at(match(Phase.HOLD, held_by=LEFT, **on_hold), menu={LEFT: 1, RIGHT: 1}),
        "hold-unread": at(match(Phase.HOLD, held_by=LEFT, **nobody_read), **offline),
        "hold-recovered": at(match(Phase.HOLD, notice=screen_messages.recovery(0), **nobody_read), **offline),
        "hold-returned": at(match(Phase.HOLD, **on_hold), returned_ns=0),
        "check": at(match(Phase.CHECK, RIGHT, (123.4, 88), side=BLACK)),
        "finish": at(match(Phase.FINISH, LEFT, (0, 88), side=BLACK)),
        "choice": at(match(Phase.CHOICE, None, (-1, 88), side=WHITE)),
        "choice-free": at(match(Phase.CHOICE, None, (-1, 88), side=WHITE), menu={LEFT: 1, RIGHT: 1}),
        "free-play": at(match(Phase.FREE, RIGHT, (-1, 88), side=WHITE)),
        "free-count": at(match(Phase.FREE, None, (-1, 88), side=WHITE, free_stopped=True), black_count=24),
        "free-counted": at(match(Phase.RESULT, result=WIN_FREE, free_stopped=True)),
        "ended-count": at(match(Phase.ENDED, side=WHITE), black_count=35),
        "ended-agree": at(match(Phase.ENDED, side=WHITE, count=(37, 27), confirmed=(BLACK,))),
        "result": at(match(Phase.RESULT, side=WHITE, result=WIN, confirmed=(WHITE,))),
        "result-draw": at(match(Phase.RESULT, side=WHITE, result=TIE)),
        "signed": at(match(Phase.SIGNED, result=WIN, confirmed=(BLACK, WHITE))),
        "signed-no-head": at(match(Phase.SIGNED, result=WIN, confirmed=(BLACK, WHITE)), **offline),
        "alone-signed": at(match(Phase.SIGNED, result=WIN, confirmed=(BLACK, WHITE)), link=LinkState.NONE),
        "alone-setup": replace(setup(SetupStep.ASK_BLACK, designated=True, seated=False), link=LinkState.NONE),
        "alone-fell-first": replace(casual, link=LinkState.NONE),
        "submitted": at(match(Phase.SUBMITTED, result=WIN, confirmed=(BLACK, WHITE))),
    }
