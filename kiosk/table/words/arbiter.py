"""What the arbiter's screen says, in Japanese and English."""

from __future__ import annotations

from engine.match.model import Phase, TurnKind
from kiosk.table.state.arbiter_session import Task
from kiosk.table.words.players import Phrase

ARBITER = Phrase("審判　テーブル {table}", "Arbiter · Table {table}")
TURN_PICTURE = Phrase("向き", "Turn")
BACK = Phrase("戻る", "Back")
CLOSE = Phrase("閉じる", "Close")
#: what the three buttons do on each page
LEFT_NEXT = Phrase("左：次へ", "Left: next")
RIGHT_TAKE = Phrase("右：決定", "Right: choose")
RIGHT_TURNS = Phrase("右：＋1　長押し：次の画面", "Right: +1 · Hold: done")
RIGHT_CHANGES = Phrase("右：変える　長押し：次の画面", "Right: change · Hold: done")
RIGHT_STARTS = Phrase("右：変える　長押し：開始", "Right: change · Hold: start")
LEFT_NOTHING = Phrase("", "")
RIGHT_FIGURE = Phrase("右：＋1", "Right: +1")
LEFT_TAKES = Phrase("左：数字を確定", "Left: enter figure")
RIGHT_CARRY_OUT = Phrase("右 長押し：実行", "Hold right: carry out")
LEFT_EARLIER = Phrase("左：前の手", "Left: earlier")
RIGHT_LATER = Phrase("右：次の手", "Right: later")
LEFT_SQUARE = Phrase("左：次のマス　長押し：次の段", "Left: next square · Hold: next row")
RIGHT_DISC = Phrase("右：石を変える　長押し：決定", "Right: change · Hold: done")
THIS_IS_IT = Phrase("この盤面でよい", "This is it")
AS_IT_STANDS = Phrase("実際の盤と同じにしてください", "Make it the board on the table")
LEFT_OLDER = Phrase("左：古いもの", "Left: older")
RIGHT_NEWER = Phrase("右：新しいもの", "Right: newer")
BUTTON_BACK = Phrase("審判ボタン：{what}", "Arbiter button: {what}")

# The PIN
PIN = Phrase("暗証番号", "Arbiter's PIN")
PIN_WRONG = Phrase("番号が違います（{n}回目）", "Wrong PIN ({n})")
PIN_LOCKED = Phrase("{s}秒後にもう一度", "Try again in {s} s")
PIN_CHECKING = Phrase("確認中", "Checking")
PIN_UNSET = Phrase(
    "このテーブルには暗証番号がありません。本部から裁定してください。",
    "This table has no PIN. Rule from the head table.",
)
DELETE = Phrase("消す", "Delete")

# The lines of the home page
TASKS = {
    Task.RESUME: Phrase("対局を再開", "Resume the game"),
    Task.CHALLENGE: Phrase("指摘を裁定", "Rule on the challenge"),
    Task.SET_TIME: Phrase("時間と手番を直す", "Set times and turn"),
    Task.DEDUCT: Phrase("時間を減らす", "Deduct time"),
    Task.FLAG: Phrase("時間切れを宣告", "Call the flag"),
    Task.BOTH_FLAGS: Phrase("両者時間切れ", "Both flags fell"),
    Task.LATE_START: Phrase("遅刻者の時計を開始", "Start a late player's clock"),
    Task.RESULT: Phrase("結果を入力", "Enter the result"),
    Task.FORFEIT: Phrase("不戦敗にする", "Forfeit"),
    Task.RESIGNATION: Phrase("投了", "Resignation"),
    Task.UNRATED: Phrase("レート対象外にする", "Make it unrated"),
    Task.BOARD: Phrase("盤面を入力", "Enter the board"),
    Task.NOTES: Phrase("記録・指摘を見る", "Notes and findings"),
    Task.REPLAY: Phrase("棋譜を戻して見る", "Replay the turns"),
    Task.TABLE: Phrase("この卓の設定", "This table"),
}
#: what to resume means before the first turn
LATE_IS_HERE = Phrase("遅刻者が到着した", "The late player is here")
START_GAME = Phrase("対局を開始", "Start the game")
SAID = {
    "done": Phrase("実行しました", "Done"),
    "refused": Phrase("今はできません", "Not possible now"),
}
PHASES = {
    Phase.SETUP: Phrase("席と色を決めるところ", "Seats and colours"),
    Phase.LATE: Phrase("遅刻者の時間を計測中", "A late player's time runs"),
    Phase.READY: Phrase("開始を待っています", "Ready to start"),
    Phase.TURN: Phrase("{side}の手番", "{side} to move"),
    Phase.CORR: Phrase("{side}が訂正するところ", "{side} corrects"),
    Phase.CHECK: Phrase("{other}が最後の手を確認", "{other} checks the last move"),
    Phase.ENDED: Phrase("終局・石数の確認", "Game over, counting"),
    Phase.FINISH: Phrase("{side}が着手を完了するところ", "{side} finishes the move"),
    Phase.CHOICE: Phrase("{side}が時間勝ちの形を選ぶ", "{side} chooses: won on time"),
    Phase.FREE: Phrase("{side}の勝手打ち", "{side} has free play"),
    Phase.RESULT: Phrase("結果が出ました", "The result is known"),
    Phase.SIGNED: Phrase("両者確認済み", "Both have signed"),
    Phase.SUBMITTED: Phrase("カード提出済み", "Card handed in"),
}
STOPPED = Phrase("時計停止中", "Clocks stopped")
CHALLENGED = Phrase("{by}が直前の手を指摘", "{by} challenges the last turn")
NO_GAME = Phrase("対局がありません", "No game here")

# Forms
FIELDS = {
    "black": Phrase("黒の時間", "Black's time"),
    "white": Phrase("白の時間", "White's time"),
    "turn": Phrase("手番", "Turn"),
    "from": Phrase("減らす側", "From"),
    "seconds": Phrase("減らす時間", "Time"),
    "loser": Phrase("負ける側", "Loser"),
    "absent": Phrase("いない側", "Absent"),
    "winner": Phrase("勝者", "Winner"),
    "who-absent": Phrase("いない人", "Who is absent"),
    "who-loses": Phrase("負ける人", "Who loses"),
    "who-black": Phrase("黒の人", "Who has Black"),
    "black_discs": Phrase("黒の数", "Black"),
    "white_discs": Phrase("白の数", "White"),
    "upheld": Phrase("認める", "Upheld"),
    "countdown": Phrase("カウントダウン", "Countdown"),
    "touch-left": Phrase("左は画面で操作", "Left: touch instead of button"),
    "touch-right": Phrase("右は画面で操作", "Right: touch instead of button"),
    "audible-left": Phrase("左の時計を音で知らせる", "Left clock is heard"),
    "audible-right": Phrase("右の時計を音で知らせる", "Right clock is heard"),
    "silenced": Phrase("音を止める", "No sound"),
    "one-operates": Phrase("1人で操作", "One person presses for both"),
}
OPTIONS = {
    "black": Phrase("黒", "Black"),
    "white": Phrase("白", "White"),
    "left": Phrase("左の席", "Left seat"),
    "right": Phrase("右の席", "Right seat"),
    "keep": Phrase("そのまま", "As it is"),
    "draw": Phrase("引き分け", "Draw"),
    "yes": Phrase("はい", "Yes"),
    "no": Phrase("いいえ", "No"),
    "0": Phrase("なし", "None"),
}
SECONDS = Phrase("{s}秒", "{s} s")
DONE = Phrase("次の画面へ", "Done")
START = Phrase("開始", "Start")
REASON = Phrase("理由", "Reason")
CODE_LINE = Phrase("番号で入力", "Enter a code")
CODE = Phrase("理由の番号", "Code of the reason")

# Preview
NOW, THEN = Phrase("今", "Now"), Phrase("実行後", "Then")
TIME_OF = Phrase("{side}の時間", "{side}'s time")
GAME = Phrase("対局", "Game")
RESULT = Phrase("結果", "Result")
RATED = Phrase("レート", "Rating")
IS_RATED, IS_UNRATED = Phrase("対象", "Rated"), Phrase("対象外", "Unrated")
CARRY_OUT = Phrase("実行する（長押し）", "Carry out (hold)")
REFUSED = Phrase("今はできません：{why}", "Not possible now: {why}")
WINS = Phrase("{side}の勝ち", "{side} wins")
DRAW = Phrase("引き分け", "Draw")

# Looking
NO_NOTES = Phrase("記録はありません", "There are no notes")
NO_FINDINGS = Phrase("盤面に誤りは見つかっていません", "Nothing wrong was found on the board")
UNSEEN = Phrase("この手の盤面は読めていません", "The board of this turn was not read")
TURN = Phrase("{n}手目／{last}　{side}", "Turn {n} of {last} · {side}")
START_POSITION = Phrase("開始の盤面（全{last}手）", "Start position ({last} turns)")
KINDS = {
    TurnKind.MOVE: Phrase("着手 {move}", "Move {move}"),
    TurnKind.PASS: Phrase("パス", "Pass"),
    TurnKind.FALSE_PASS: Phrase("打てるのにパス", "Passed with a move to play"),
    TurnKind.ILLEGAL: Phrase("誤りのある手 {move}", "Not a legal turn {move}"),
    TurnKind.TOO_LARGE: Phrase("一手では説明できない", "No single move explains it"),
    TurnKind.UNREAD: Phrase("読めていない", "Not read"),
}

# Countdown
GOES_ON = Phrase("まもなく再開", "The game goes on in")
THEN_RUNS = Phrase("{side}の時計が動きます", "{side}'s time will run")
