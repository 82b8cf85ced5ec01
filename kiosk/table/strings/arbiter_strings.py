"""Texts of the arbiter's screen, in Japanese and English."""

from __future__ import annotations

from engine.board.variants import PLAYABLE
from engine.i18n import Text, say, say_in
from engine.match.arbiter_order_specs_and_parser import RULINGS
from engine.match.match_value_types import Phase, TurnKind
from engine.match.rule_sets_and_options import RULE_SETS
from engine.match.time_controls import ControlKind
from kiosk.table.state.arbiter_screen_state import HomeLine, HomeTask, Task
from kiosk.table.state.free_clock_presets_settings_games import OWN

ARBITER = say("Arbiter · Table {table}")
TURN_PICTURE = say("Turn")
BACK = say("Back")
CLOSE = say("Close")
TURN_BOTH = say("Hold both players' buttons: turn the picture")
#: what the three buttons do on each page
LEFT_NEXT = say("Left: next")
LEFT_FURTHER = say("Left: next · Hold: −1")
RIGHT_TAKE = say("Right: choose")
RIGHT_TURNS = say("Right: +1 · Hold: done")
RIGHT_CHANGES = say("Right: change · Hold: done")
RIGHT_STARTS = say("Right: change · Hold: start")
LEFT_NOTHING = Text("")
RIGHT_FIGURE = say("Right: +1 · Hold: −1")
LEFT_TAKES = say("Left: enter digit")
RIGHT_CARRY_OUT = say("Hold right: carry out")
LEFT_EARLIER = say("Left: earlier")
RIGHT_LATER = say("Right: later")
LEFT_SQUARE = say("Left: next square · Hold: next row")
RIGHT_DISC = say_in("a disc on a square", "Right: change · Hold: done")
THIS_IS_IT = say("This is it")
AS_IT_STANDS = say("Make it the board on the table")
LEFT_OLDER = say("Left: older")
RIGHT_NEWER = say("Right: newer")
BUTTON_BACK = say("Arbiter button: {what}")

# The PIN
PIN = say("Arbiter's PIN")
PIN_WRONG = say("Wrong PIN ({n})")
PIN_LOCKED = say("Try again in {s} s")
PIN_CHECKING = say("Checking")
PIN_UNSET = say("This table has no PIN. Rule from the head table.")
DELETE = say("Delete")

# The lines of the home page
TASKS: dict[HomeTask, Text] = {action: row.title for action, row in RULINGS.items()} | {
    Task.BOARD: say("Enter the board"),
    Task.NOTES: say("Notes and findings"),
    Task.REPLAY: say("Replay the turns"),
    Task.TABLE: say("This table"),
}
#: texts for resuming before the first turn
LATE_IS_HERE = say("The late player is here")
START_GAME = say("Start the game")
OUTCOMES = {
    "done": say_in("it was carried out", "Done"),
    "refused": say("Not possible now"),
    "unfilled": say("Choose first"),
    "zero-time": say("Not 00:00: set a time"),
    "zero-step": say("Not 00:00: set an increment, delay or period"),
    "zero-number": say("Not 00: set 1 or more"),
    "own-board": say("ChouChou has its own board: choose 8×8"),
}
PHASES = {
    Phase.SETUP: say("Seats and colours"),
    Phase.LATE: say("A late player's time runs"),
    Phase.READY: say("Ready to start"),
    Phase.TURN: say("{side} to move"),
    Phase.CORR: say("{side} corrects"),
    Phase.CHECK: say("{other} checks the last move"),
    Phase.ENDED: say("Game over, counting"),
    Phase.FINISH: say("{side} finishes the move"),
    Phase.CHOICE: say("{side} chooses: won on time"),
    Phase.FREE: say("{side} has free play"),
    Phase.RESULT: say("The result is known"),
    Phase.SIGNED: say("Both have signed"),
    Phase.SUBMITTED: say("Card handed in"),
}
STOPPED = say("Clocks stopped")
CHALLENGED = say("{by} challenges the last turn")
NO_GAME = say("No game here")

# Forms
FIELDS = {
    "black": say("Black's time"),
    "white": say("White's time"),
    "turn": say_in("whose turn it is", "Turn"),
    "move": say("Move number"),
    "from": say("From"),
    "seconds": say("Time"),
    "loser": say("Loser"),
    "absent": say("Absent"),
    "winner": say("Winner"),
    "who-absent": say("Who is absent"),
    "who-loses": say("Who loses"),
    "who-black": say("Who has Black"),
    "black_discs": say_in("number of discs", "Black"),
    "white_discs": say_in("number of discs", "White"),
    "upheld": say("Upheld"),
    "reading": say("Never came, the time is used up"),
    "countdown": say("Countdown"),
    "rules": say("Rules"),
    "control": say("Time control"),
    "step": say("Increment, delay or period"),
    "periods": say("Periods, or moves in one"),
    "both": say("Time of both"),
    "other": say("White, if different"),
    "brightness": say("Brightness"),
    "volume": say_in("how loud it is", "Sound"),
    "players": say("How many play"),
    "board": say("Board and start"),
    "stand": say("The display"),
    "figures": say("Figures"),
    "language": say_in("a setting of the display", "Language"),
    "target": say("Pieces that win"),
    "sound": say("Sound"),
    "black-name": say("Black's name"),
    "white-name": say("White's name"),
    "slot": say("Store as"),
    "touch-left": say("Touch at the left"),
    "touch-right": say("Touch at the right"),
    "audible-left": say("Left clock audible"),
    "audible-right": say("Right clock audible"),
    "silenced": say("No sound"),
    "one-operates": say("One person presses for both"),
}
#: names of the time controls as chess clocks have them
METHODS = {
    ControlKind.SUDDEN_DEATH: say_in("a time control", "Time"),
    ControlKind.FISCHER: say("Fischer Bonus"),
    ControlKind.BRONSTEIN: say("Delay (Bronstein)"),
    ControlKind.SIMPLE_DELAY: say("US Delay"),
    ControlKind.BYO_YOMI: say("Byo-yomi"),
    ControlKind.CANADIAN: say("Canadian Byo-yomi"),
    ControlKind.HOURGLASS: say("Hourglass"),
    ControlKind.PER_MOVE: say("Gong"),
    ControlKind.UP_COUNT: say("Upcount"),
}
PERCENT = say("{n} %")
OPTIONS = {
    "black": say("Black"),
    "white": say("White"),
    "left": say("Left seat"),
    "right": say("Right seat"),
    "keep": say("As it is"),
    "draw": say("Draw"),
    "yes": say("Yes"),
    "no": say("No"),
    "0": say("None"),
    "flat": say("Lies between the players"),
    "stand": say("Stands: both on one side"),
    "normal": say("As usual"),
    "large": say("Larger"),
    "two": say("Two"),
    "pairs": say("Two pairs"),
    "three": say("Three"),
    "four": say("Four"),
}
OPTIONS |= {f"own-{n}": say("Own {n}", n=n) for n in range(1, OWN + 1)}
OPTIONS |= {str(kind): name for kind, name in METHODS.items()}
OPTIONS |= {f"percent-{n}": PERCENT(n=n) for n in range(0, 101, 20)}
OPTIONS |= PLAYABLE | {rules.name: rules.title for rules in RULE_SETS.values()}
# A free clock
OWN_PRESET = say("Own {n}:")
MINUTES = say("{m} min")
#: what a preset says of them after its main time
STEPS = {
    ControlKind.FISCHER: say("+ {s}"),
    ControlKind.BRONSTEIN: say("+ {s}"),
    ControlKind.SIMPLE_DELAY: say("+ {s}"),
    ControlKind.BYO_YOMI: say("+ {n} × {s}"),
    ControlKind.CANADIAN: say("+ {n} moves in {s}"),
    ControlKind.PER_MOVE: say("{s} a move"),
}
HOME_LINES = {
    HomeLine.PRESETS: say("Time and rules"),
    HomeLine.SWAP: say("Swap colours"),
    HomeLine.DISPLAY: say("Display"),
    HomeLine.DEVICE: say("Sound and brightness"),
    HomeLine.OFF: say("Shut down"),
    HomeLine.CLOSE: CLOSE,
}
LANGUAGE_NOW = say("Language: {language}")
PART = say("{n} of {of}")
OFF_ASK = say("Switch this device off? Both hold their buttons")
OFF_HOLD = say("Switch off (hold)")

# The last games
LAST_GAMES = say("Last games ({n})")
NO_GAMES = say("No game has been finished here yet")
MOVE_OF = say("Move {n} of {last}: {move}")
PHONE_PAGE = say("Scan it with a phone: it opens the game's page")
PHONE_RECORD = say("Scan it with a phone: it shows moves, times and result")
RIGHT_PLAYS = say("Right: play it · Hold: change it")
LEFT_ALONE = say("Left: next · Hold: back")
RIGHT_GAME = say("Right: see it · Hold: on a phone")
LEFT_EARLIER_ALONE = say("Left: earlier · Hold: back")
RIGHT_LATER_ALONE = say("Right: later · Hold: on a phone")
RIGHT_MOVES = say("Right: other code · Hold: moves")
LEFT_BACK = say("Left: back")
RIGHT_BACK = say("Right: back")
#: AMB-05: the outcome of each reading, by what a flag means in these rules
AS_FORFEIT = say("A forfeit (M43-13): {squares}–0, unrated")
AS_LOSS = say("A loss, unrated")
AS_TIME_CHOICE = say("Lost on time (M43-14): the winner takes {won}–{lost} or free play, rated")
AS_TIME_LOSS = say("Lost on time, rated")
SECONDS = say("{s} s")
DONE = say("Done")
START = say("Start")
REASON = say("Reason")
CODE_LINE = say("Enter a code")
CODE = say("Code of the reason")

# Preview
NOW, THEN = say("Now"), say("Then")
TIME_OF = say("{side}'s time")
FLAG_FALLEN = say("{time} · flag fallen")
GAME = say("Game")
RESULT = say("Result")
RATED = say("Rating")
IS_RATED, IS_UNRATED = say("Rated"), say("Unrated")
CARRY_OUT = say("Carry out (hold)")
REFUSED = say("Not possible now: {why}")
WINS = say("{side} wins")
DRAW = say("Draw")

# Notes and replay
NO_NOTES = say("There are no notes")
NO_FINDINGS = say("Nothing wrong was found on the board")
UNSEEN = say("The board of this turn was not read")
TURN = say("Turn {n} of {last} · {side}")
START_POSITION = say("Start position ({last} turns)")
KINDS = {
    TurnKind.MOVE: say("Move {move}"),
    TurnKind.PASS: say("Pass"),
    TurnKind.FALSE_PASS: say("Passed with a move to play"),
    TurnKind.ILLEGAL: say("Not a legal turn {move}"),
    TurnKind.TOO_LARGE: say("No single move explains it"),
    TurnKind.UNREAD: say("Not read"),
}

# Countdown
GOES_ON = say("The game goes on in")
THEN_RUNS = say("{side}'s time will run")
