"""Texts of a table for the players.

- A text states a fact or an instruction in the fewest words, readable at three metres. It never hints at a move, a
  mistake or a fallen flag (promise 3).
- Gestures are those of ``kiosk.table.input.gesture_recognition``: press, long press, both.
"""

from __future__ import annotations

from engine.board.illegal_move_diagnosis_and_challenge import ViolationKind
from engine.i18n import say
from engine.match.match_events_and_effects import TimeWinChoice
from engine.match.rule_sets_and_options import Submitter
from engine.match.time_controls import ControlKind
from kiosk.table.state import AfterChoice, Hint, HoldChoice

# Who is who
ORDER = {1: say("First"), 2: say("Second"), 3: say("Third"), 4: say("Fourth")}  # ChouChou
COLOR_OPEN = say("Open")
DRAW_RIGHT = say("Draw = win")
OPPONENT = say("Opponent {time}")
MOVE = say("Move {n}")
PLAYER = say("{name}")

# Marks on the edge
SAVED = say("Saved")
SAVING = say("Saving")
LINK_UP = say("Linked")
LINK_DOWN = say("No link")
UNSENT = say("{n} unsent")
BATTERY = say("{percent} %")
BATTERY_HOURS = say("{percent} % · {n} h")
BATTERY_MINUTES = say("{percent} % · {n} min")
BATTERY_PLUGGED = say("{percent} % · charging")

# The time control, below the time (``engine.match.time_controls``)
CONTROLS = {
    ControlKind.FISCHER: say("+{s} s a move"),
    ControlKind.BRONSTEIN: say("up to {s} s back"),
    ControlKind.SIMPLE_DELAY: say("{s} s delay"),
    ControlKind.BYO_YOMI: say("then {n} × {s} s"),
    ControlKind.CANADIAN: say("then {n} moves in {time}"),
    ControlKind.HOURGLASS: say("Hourglass"),
    ControlKind.PER_MOVE: say("{s} s a move"),
    ControlKind.UP_COUNT: say("Time used"),
}
DELAY_LEFT = say("Delay {s}")
PERIOD = say("{s} s: {n} left")
PERIOD_EACH, IN_PERIOD_EACH = say("then {s} s a move"), say("{s} s a move")
TURNS_DUE = say("{n} moves left in this time")
LAST_MINUTE = say("Last minute")
FELL_FIRST, FELL = say("Time up first"), say("Time up")

# Waiting
TABLE = say("Table")
WAITING = say("Waiting for the next game")
HEAD_UP = say("Linked to head table {head}")
HEAD_DOWN = say("Head table {head} not reached")

EDGES = say("Button times: {source}, ±{ms} ms")
OTHER_LANGUAGE = say("Hold → {language}")  # each language's own name

# Colours, seats, the hidden disc (FS-01 ... FS-06)
GAME = say("{label} · Table {table}")
SEAT_BLACK = say("{name} (Black): choose your seat, press its button")
SEAT_PLAYER_A = say("Then sit down. {name}: press your button")
SEATS_STAND = say("Seats are set. {name}: press the button where you sit")
SEATS_STAND_BLACK = say("Seats are set. {name} (Black): press the button where you sit")
ASK_BLACK = say("Who has Black? Press your button")
ASK_DRAW_RIGHT = say("Who holds the draw right? Press your button")
HIDE_KNOWN = say("{hider} hides one disc under the hand")
HIDE_OLDER = say("The older player hides one disc under the hand")
OTHER = say("the other")
GUESS_NO_DRAW = say("{guesser} says “top is black” or “top is white”")
CHOOSE = say("Right: guesser chooses, wrong: hider. Draw right or colour")
GUESS_DRAWS = say("{guesser} says “top” or “bottom”")
TAKE_NAMED = say("The face that was named is the guesser's colour")
BLACK_SEAT = say("Black chooses the seat, and with it the side of the clock")
PLAY_ROCK = say("Play rock, paper, scissors")  # CC-SEAT-1
WINNER_SEAT = say("The winner chooses the seat")
LOSER_FIRST = say("The loser moves first")
ASK_FIRST = say("Who moves first? Press your button")

# Why a clock runs, and what to do
LATE_RUNS = say("Not here yet: this clock is running")
LATE_WAITS = say("When your opponent is here, press your button")
LATE_START = say("Press your button: the absent player's time starts")
NEVER_CAME = say("The absent player's time is used up. The arbiter decides")
START_PRESS = say("Press your button to start")
START_WAIT = say("Your time starts when White presses")
START_WAIT_HANDICAP = say("Your time starts when Black presses")
START_FIRST = say("Your time starts when the second player presses")
YOUR_TURN_CALL = say("Your turn · Arbiter: hold both buttons")
YOUR_TURN_STOP = say("Your turn · Stop: hold both buttons")
YOUR_TURN_ONE = say("Your turn · Stop: hold one button")
YOUR_TURN_CAPTURES = say("Your turn · Captured: hold both buttons")
NOT_TURN_CALL = say("Opponent's turn · Arbiter: press, then hold")
NOT_TURN_STOP = say("Opponent's turn · Stop: press, then hold")
NOT_TURN_ONE = say("Opponent's turn · Stop: hold one button")
CORRECT_OR_CALL = say("Correct the last move, then press · Not so? Hold both: arbiter")
CORRECT_ALONE = say("Correct the last move, then press · Not so? Hold both")
CORRECT_ONE = say("Correct the last move, then press · Not so? Hold one button")
NAMING = say("What was wrong? {line}\nPress: next · Hold: confirm")
NAMED_SQUARE = say("{kind}: {square}")
SOMETHING_ELSE = say("Something else")
STOP_CLOCK, CALL_ARBITER = say("Stop the clock"), say("Arbiter")
KINDS = {
    ViolationKind.WRONG_COLOR: say("Wrong colour"),
    ViolationKind.OUT_OF_TURN: say("Out of turn"),
    ViolationKind.IMPOSSIBLE_SQUARE: say("Illegal square"),
    ViolationKind.UNDER_TURNED: say("Not turned"),
    ViolationKind.OVER_TURNED: say("Turned too much"),
    ViolationKind.DISPLACED: say("Disc displaced"),
    ViolationKind.FALSE_PASS: say("Could have moved"),
}
CORRECT_WAIT = say("Opponent corrects: their time runs")
CALLED = say("The arbiter is called. Wait · Press: other choices")
#: what the player who offers sees, and what the other is asked
OFFERS = {
    HoldChoice.END: (
        say("You said: game over. Your opponent must agree · Press: take it back"),
        say("Is the game over? Yes: hold · No: press"),
    ),
    HoldChoice.GO_ON: (
        say("You said: go on without an arbiter. Your opponent must agree · Press: take it back"),
        say("Go on without an arbiter? Yes: hold · No: press"),
    ),
    HoldChoice.RESIGN: (
        say("You said: I resign. Your opponent must agree · Press: take it back"),
        say("Your opponent resigns. Agreed: hold · No: press"),
    ),
    HoldChoice.PENALTY: (
        say("You said: pieces moved twice in a row. Your opponent must agree · Press: take it back"),
        say("Pieces moved twice in a row? Yes: hold · No: press"),
    ),
}
HOLD_ASK = say("Arbiter called. Press: next · Hold: choose")
HOLD_ASK_RECOVERED = say("Power is back, clocks stopped. Press: next · Hold: choose")
HOLD_ASK_ALONE = say("Clocks stopped. Press: next · Hold: choose")
CLAIM_ASK = say("Game over. Press: next · Hold: choose")
MENU_KEYS = say("Press: next · Hold: choose")
RESUMES = say("Resumes: yours")
RETURNED = say("Your game goes on: wait for the arbiter")
CHECK = say("Last move made. Press: challenge · Hold: game over")
CHECK_WAIT = say("Your opponent checks the last move")
FINISH_OWN = say("Finish turning, then press your button")
FINISH_WAIT = say("Wait until your opponent has finished turning")
CHOICE_ASK = say("Win on time. Press: next · Hold: choose")
CHOICE_WAIT = say("Time is up: your opponent chooses")
FREE_OWN = say("Free play on your time. Hold: stop")
FREE_WAIT = say("Your opponent has free play. Press: challenge")

# ChouChou's score board (CC-WIN-1, CC-SUP-2c)
CAPTURED = say("Captured")
OF_TARGET = say("of {n}")
COUNT_CAPTURES = say("Press: yours +1 · Hold: −1 · Hold both: done")
REACHED = say("Target reached? Both hold their buttons")

# Accessibility and trouble with a button
ONE_OPERATES = say("One person presses: any button switches")
HEARD = say("Your clock is audible")
BUTTON_HELD = say("Your button is held down. Let go of it")
BUTTON_ILL = say("Button out of order: call the arbiter")
BUTTON_ILL_ALONE = say("Button out of order")
TOUCH_HERE = say("Button out of order: touch here")

# What can be chosen
HOLD_CHOICE = {
    HoldChoice.ARBITER: say("Wait for arbiter"),
    HoldChoice.CLAIM_TIME: say("Opponent timed out"),
    HoldChoice.OWN_TIME_OUT: say("My time is up"),
    HoldChoice.CHALLENGE: say("Challenge last move"),
    HoldChoice.GO_ON: say("Go on"),
    HoldChoice.END: say("Game over"),
    HoldChoice.RESIGN: say("I resign"),
    HoldChoice.PENALTY: say("Two moves in a row"),
    HoldChoice.BACK: say("Back to the count"),
}
AFTER_CHOICE = {
    AfterChoice.REMATCH: say("Rematch, colours swapped"),
    AfterChoice.NEW_GAME: say("New game"),
    AfterChoice.PHONE: say("Larger code"),
    AfterChoice.GAMES: say("Last games"),
}
AFTER_MENU = say("{choice} ({n}/{of})\nPress: next · Hold: choose")
SERIES = say("Series {own}–{other}")
SCAN = say("The game on your phone")
WHY = {
    Hint.NOT_YOUR_TURN: say("Not your turn: your press changed nothing"),
    Hint.KNOCK: say("To stop the clock: press, then hold"),
    Hint.OPPONENT_HAS_TIME: say("Your opponent still has {time} left"),
    Hint.OWN_TIME_LEFT: say("You still have {time} left"),
    Hint.FLAG_TOO_LATE: say("After the last move only the last mover's time counts"),
    Hint.NOT_NOW: say("Not possible now"),
}
TIME_WIN_CHOICE = {TimeWinChoice.SCORE: say("{won}–{lost}"), TimeWinChoice.FREE_PLAY: say("Free play")}

# End and result
MORE, LESS = say("Black +{n}"), say("Black −{n}")
HOLD_DONE = say("Done (hold)")
CAPTURES_MISSING = say("Captured: hold +1, hold both: enter. Right? Press")
CAPTURES_ENTER = say("Enter the captured pieces")
HANDS_IN = {
    Submitter.BLACK: say("Black hands in the card"),
    Submitter.WHITE: say("White hands in the card"),
    Submitter.WINNER: say("Winner hands in the card"),
    Submitter.CAPTAIN: say("Captain hands in the card"),
}
ENDED = say("Game over: check the count")
ENTER = say("Enter the count: {squares} in all, empty squares to {winner}")
ENTER_LEVEL = say("Enter the count: {squares} in all, {half}–{half} is level")
ENTER_FREE = say("Count: {squares} in all. Empty squares to {loser}; if played out, to {winner}")
ENTER_AGAIN = say("No agreement: count again")
ENTER_ASK = say("Press: Black {sign}1 · Hold: {sign}5 · Hold both: done")
RESULT = say("Result")
RESULT_DRAW = say("Result: a draw")
WIN, LOSS = say("Win"), say("Loss")
AGREE = say("Right? Press. Not right? Hold")
AGREE_OR_CLAIM = say("Right? Press. Not right? Hold\nTime ran out? Hold both")
CONFIRM = say("If it is right, press your button")
CONFIRM_WAIT = say("Confirmed. Waiting for the opponent")
SENDING = say("Sending to the head table")
KEPT = say("Will be sent when linked")
TAKE_BACK = say("Wrong? Both hold their buttons: one step back")
SETTLE_AGAIN = say("Wrong seat or colour? Both hold")
SETTINGS = say("Other time or rules: both hold their buttons")
SENT = say("Result sent")

#: replacement texts of a free clock, which has no arbiter
ALONE = {
    "recovery": say("Power is back, clock stopped"),
    "disagreement": say("No agreement, clock stopped"),
    "count-again": say("No agreement on the count: count again"),
}
