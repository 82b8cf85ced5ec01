"""Everything a table says to players, in Japanese and English.

The law: a text says what is so or what to do, in the fewest words that can be read at three metres; it never hints at a
move, a mistake or a fallen flag (promise 3). Gestures are those of
``kiosk.table.hands.gestures``: press, long press, both.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.board.color import Color
from engine.match.events import Choice
from engine.match.rulesets import Submitter
from kiosk.table.state import HoldChoice, Language


@dataclass(frozen=True, slots=True)
class Phrase:
    """One text in both languages, with ``{fields}`` to fill."""

    ja: str
    en: str

    def say(self, language: Language, **fields: object) -> str:
        return (self.ja if language is Language.JAPANESE else self.en).format(**fields)


# Who is who
COLORS = {Color.BLACK: Phrase("黒", "Black"), Color.WHITE: Phrase("白", "White")}
ORDER = {Color.BLACK: Phrase("先手", "First"), Color.WHITE: Phrase("後手", "Second")}  # ChouChou
COLOR_OPEN = Phrase("未定", "Open")
DRAW_RIGHT = Phrase("引分勝", "Draw = win")
OPPONENT = Phrase("相手 {time}", "Opponent {time}")
MOVE = Phrase("{n}手目", "Move {n}")
PLAYER = Phrase("{name}さん", "{name}")

# Marks on the rim
SAVED = Phrase("保存済", "Saved")
SAVING = Phrase("保存中", "Saving")
LINK_UP = Phrase("本部接続", "Linked")
LINK_DOWN = Phrase("未接続", "No link")
UNSENT = Phrase("未送信 {n}", "{n} unsent")

# The time control, below the time (engine.match.controls)
INCREMENT = Phrase("＋{s}秒／手", "+{s} s a move")
GIVES_BACK = Phrase("1手{s}秒まで戻る", "up to {s} s back")
DELAY = Phrase("1手{s}秒猶予", "{s} s delay")
DELAY_LEFT = Phrase("猶予 {s}", "Delay {s}")
PERIODS = Phrase("秒読み{s}秒 {n}回", "then {n} × {s} s")
PERIOD = Phrase("秒読み{s}秒 残り{n}回", "{s} s: {n} left")
PERIOD_EACH = Phrase("切れたら1手{s}秒", "then {s} s a move")
IN_PERIOD_EACH = Phrase("1手{s}秒", "{s} s a move")
HOURGLASS = Phrase("砂時計", "Hourglass")
PER_MOVE = Phrase("1手{s}秒", "{s} s a move")
USED = Phrase("使用時間", "Time used")
LAST_MINUTE = Phrase("1分未満", "Last minute")

# Waiting
TABLE = Phrase("テーブル", "Table")
WAITING = Phrase("次の対局を待っています", "Waiting for the next game")
HEAD_UP = Phrase("本部 {head} と接続", "Linked to head table {head}")
HEAD_DOWN = Phrase("本部 {head} と未接続", "Head table {head} not reached")
FREE_CLOCK = Phrase("単独の対局時計", "Clock without head table")

EDGES = Phrase("ボタンの時刻 {source} ±{ms} ms", "Button times: {source}, ±{ms} ms")
OTHER_LANGUAGE = Phrase("長押し → English", "Hold → 日本語")  # each half in its reader's language

# Colours, seats, the hidden disc (FS-01 ... FS-06)
GAME = Phrase("{label}　テーブル {table}", "{label} · Table {table}")
SEAT_BLACK = Phrase(
    "{name}さん（黒）が席を選び、ボタンを押してください", "{name} (Black): choose your seat, press its button"
)
SEAT_PLAYER_A = Phrase(
    "決まったら着席し、{name}さんがボタンを押してください", "Then sit down. {name}: press your button"
)
ASK_BLACK = Phrase("黒になった方は、ボタンを押してください", "Who has Black? Press your button")
ASK_DRAW_RIGHT = Phrase("引き分け勝ちの方は、ボタンを押してください", "Who holds the draw right? Press your button")
HIDE_KNOWN = Phrase("{hider}さんが石を1枚、手で伏せて置く", "{hider} hides one disc under the hand")
HIDE_OLDER = Phrase("年長の方が石を1枚、手で伏せて置く", "The older player hides one disc under the hand")
OTHER = Phrase("もう一方", "the other")
GUESS_NO_DRAW = Phrase("{guesser}が「上が黒」か「上が白」と言う", "{guesser} says “top is black” or “top is white”")
CHOOSE = Phrase(
    "当てれば言った人、外れれば伏せた人が「引分勝」か「色」を選ぶ",
    "Right: guesser chooses, wrong: hider. Draw right or colour",
)
GUESS_DRAWS = Phrase("{guesser}が「上」か「下」と言う", "{guesser} says “top” or “bottom”")
TAKE_NAMED = Phrase("言った面の色が、言った人の色になる", "The face that was named is the guesser's colour")
BLACK_SEAT = Phrase("黒の方が席（時計の側）を選ぶ", "Black chooses the seat, and with it the side of the clock")
PLAY_ROCK = Phrase("じゃんけんをする", "Play rock, paper, scissors")  # CC-SEAT-1
WINNER_SEAT = Phrase("勝った人が席を選ぶ", "The winner chooses the seat")
LOSER_FIRST = Phrase("負けた人が先手になる", "The loser moves first")
ASK_FIRST = Phrase("先手の方は、ボタンを押してください", "Who moves first? Press your button")

# The clock: why it runs, what to do
LATE_RUNS = Phrase("未着席：この側の時計が進んでいます", "Not here yet: this clock is running")
LATE_WAITS = Phrase("相手が着席したらボタンを押してください", "When your opponent is here, press your button")
LATE_START = Phrase("ボタンを押すと相手の時計が動きます", "Press your button: the absent player's time starts")
START_PRESS = Phrase("ボタンを押すと対局開始", "Press your button to start")
START_WAIT = Phrase("相手（白）が押すと、あなたの時計が動きます", "Your time starts when White presses")
START_FIRST = Phrase("相手（後手）が押すと、あなたの時計が動きます", "Your time starts when the second player presses")
YOUR_TURN = Phrase("あなたの手番", "Your turn")
NOT_TURN = Phrase("相手の手番", "Opponent's turn")
NOT_TURN_CALL = Phrase("相手の手番　両方長押し＝審判", "Opponent's turn · Hold both: arbiter")
CORRECT = Phrase("直前の手を訂正：あなたの時間です", "Correct the last move: your time runs")
CORRECT_WAIT = Phrase("相手が訂正中：相手の時間です", "Your opponent corrects: his time runs")
HOLD = Phrase("時計停止　審判を待ってください", "Clocks stopped. Wait for the arbiter")
HOLD_OTHER = Phrase("相手が時計を止めました", "Your opponent stopped the clocks")
HOLD_ASK = Phrase("時計停止　押す＝次へ　長押し＝決定", "Clocks stopped. Press: next · Hold: choose")
CHECK = Phrase("終局の確認：押す＝指摘　長押し＝終局", "Last move made. Press: challenge · Hold: game over")
CHECK_WAIT = Phrase("相手が最後の手を確認しています", "Your opponent checks the last move")
FINISH_OWN = Phrase("返し終えたらボタンを押してください", "Finish turning, then press your button")
FINISH_WAIT = Phrase("相手が石を返し終えるまで待ちます", "Wait until your opponent has finished turning")
CHOICE_ASK = Phrase("時間勝ち　押す＝次へ　長押し＝決定", "Win on time. Press: next · Hold: choose")
CHOICE_WAIT = Phrase("時間切れ：相手が選んでいます", "Time is up: your opponent chooses")
FREE_OWN = Phrase("勝手打ち：あなたの時間です　長押し＝終了", "Free play on your time. Hold: stop")
FREE_WAIT = Phrase("相手の勝手打ち　押す＝指摘", "Your opponent has free play. Press: challenge")

# ChouChou's score board (CC-WIN-1, CC-SUP-2c)
CAPTURED = Phrase("取った駒", "Captured")
OF_TARGET = Phrase("／{n}", "of {n}")
COUNT_CAPTURES = Phrase("押す＝自分＋1　長押し＝－1　両方長押し＝決定", "Press: yours +1 · Hold: −1 · Hold both: done")
REACHED = Phrase("目標に達したら：両方のボタンを長押し", "Target reached? Both hold their buttons")

# Accessibility and trouble with a button
ONE_OPERATES = Phrase("1人操作：どのボタンでも交代", "One person presses: any button switches")
HEARD = Phrase("時計を音で知らせます", "Your clock is heard")
BUTTON_ILL = Phrase("ボタン故障中：審判を呼んでください", "Button out of order: call the arbiter")
TOUCH_HERE = Phrase("ボタン故障中：ここに触れてください", "Button out of order: touch here")

# What can be chosen
HOLD_CHOICE = {
    HoldChoice.ARBITER: Phrase("審判を呼ぶ", "Arbiter"),
    HoldChoice.CLAIM_TIME: Phrase("相手の時間切れ", "Opponent's time is up"),
    HoldChoice.OWN_TIME_OUT: Phrase("自分の時間切れ", "My time is up"),
    HoldChoice.GO_ON: Phrase("続ける", "Go on"),
    HoldChoice.END: Phrase("終局", "Game over"),
}
TIME_WIN_CHOICE = {Choice.SCORE: Phrase("33–31", "33–31"), Choice.FREE_PLAY: Phrase("勝手打ち", "Free play")}

# End and result
MORE, LESS = Phrase("黒 ＋{n}", "Black +{n}"), Phrase("黒 －{n}", "Black −{n}")
HOLD_DONE = Phrase("決定（長押し）", "Done (hold)")
CAPTURES_MISSING = Phrase(
    "取った駒：長押し＝＋1　両方長押し＝記録　正しければ押す", "Captured: hold +1, hold both: enter. Right? Press"
)
CAPTURES_ENTER = Phrase("取った駒を入力", "Enter the captured pieces")
HANDS_IN = {
    Submitter.BLACK: Phrase("カード提出：黒", "Black hands in the card"),
    Submitter.WHITE: Phrase("カード提出：白", "White hands in the card"),
    Submitter.WINNER: Phrase("カード提出：勝者", "The winner hands in the card"),
    Submitter.CAPTAIN: Phrase("カード提出：主将", "The captain hands in the card"),
}
ENDED = Phrase("終局　石数の確認", "Game over: check the count")
ENTER = Phrase("終局　石数の入力", "Game over: enter the count")
ENTER_ASK = Phrase("押す＝黒{sign}1　両方長押し＝決定", "Press: Black {sign}1 · Hold both: done")
RESULT = Phrase("結果", "Result")
RESULT_DRAW = Phrase("結果　引き分け", "Result: a draw")
WIN = Phrase("勝", "Win")
AGREE = Phrase("正しければ押す　異議は長押し", "Right? Press. Not right? Hold")
CONFIRM = Phrase("正しければボタンを押してください", "If it is right, press your button")
CONFIRM_WAIT = Phrase("確認済　相手を待っています", "Confirmed. Waiting for the opponent")
SENDING = Phrase("本部へ送っています", "Sending to the head table")
KEPT = Phrase("ここに保存済。本部とつながり次第送ります", "Saved here. It is sent when the head is back")
KEPT_ALONE = Phrase("保存しました", "Saved")
SENT = Phrase("本部に届きました", "Result sent")
