"""The sentences that the players and the arbiter see, in Japanese and English.

The law: nothing written for the players tells of a flag that nobody claimed, of an illegal move that nobody
challenged, of a legal move or of an evaluation (K-02, K-08, K-12). Everything the players were shown is one of these.
"""

from __future__ import annotations

from engine.board.color import Color
from engine.match.model import FiledFinding, Message, Result

_JA = {Color.BLACK: "黒", Color.WHITE: "白"}
_EN = {Color.BLACK: "Black", Color.WHITE: "White"}
_SUBMITTERS = {
    "black": ("黒", "Black"),
    "white": ("白", "White"),
    "winner": ("勝者", "the winner"),
    "captain": ("主将", "the captain"),
}


# --- for the players --------------------------------------------------------------------------------------------


def late(at_ns: int) -> Message:
    return Message("late", "遅刻者の時間を計測中", "The late player's time is running", at_ns)


def arrived(at_ns: int) -> Message:
    return Message("arrived", "到着・時計停止", "The late player is here, the clock stands", at_ns)


def passed(by: Color, at_ns: int) -> Message:
    return Message("pass", f"{_JA[by]}はパス", f"{_EN[by]} passed", at_ns)


def challenge(offender: Color, at_ns: int) -> Message:
    ja = f"{_JA[offender]}の時間を計測中：直前の手番への指摘"
    return Message("challenge", ja, f"{_EN[offender]}'s time is running: challenge of the last turn", at_ns)


def confirmed(kind: str, squares: tuple[str, ...], at_ns: int) -> Message:
    named = " ".join((kind, *squares))
    return Message("challenge-confirmed", f"指摘のとおり：{named}", f"As named: {named}", at_ns)


def denied(kind: str, squares: tuple[str, ...], at_ns: int) -> Message:
    named = " ".join((kind, *squares))
    return Message("challenge-denied", f"指摘に当たらず：{named}", f"Not as named: {named}", at_ns)


def agreed(offender: Color, at_ns: int) -> Message:
    ja = f"合意：{_JA[offender]}が訂正して時計を押す"
    return Message("agreed", ja, f"Agreed: {_EN[offender]} corrects the move and presses", at_ns)


def hold(at_ns: int) -> Message:
    return Message("hold", "時計停止中：審判を待つ", "The clock stands: wait for the arbiter", at_ns)


def recovery(at_ns: int) -> Message:
    return Message(
        "recovery", "電源復帰・時計停止中：審判を待つ", "Power is back, the clock stands: wait for the arbiter", at_ns
    )


def finish(mover: Color, at_ns: int) -> Message:
    ja = f"時間切れの申告あり：{_JA[mover]}は着手を完了して時計を押す"
    return Message("finish", ja, f"Time was claimed: {_EN[mover]} completes the move and presses", at_ns)


def play_out(mover: Color, at_ns: int) -> Message:
    ja = f"両者時間切れ：{_JA[mover]}が残りの手を打ち終える"
    return Message("play-out", ja, f"Both flags: {_EN[mover]} plays out the remaining moves", at_ns)


def overtime(loser: Color, at_ns: int) -> Message:
    ja = f"{_JA[loser]}の時間負け：追加時間で続行"
    return Message("overtime", ja, f"{_EN[loser]} has lost on time and plays on with extra time", at_ns)


def choice(winner: Color, at_ns: int) -> Message:
    ja = f"{_JA[winner]}の時間勝ち：33–31か勝手打ちを選ぶ"
    return Message("choice", ja, f"{_EN[winner]} wins on time: choose 33–31 or free play", at_ns)


def free_play(winner: Color, at_ns: int) -> Message:
    ja = f"勝手打ち：{_JA[winner]}の時間を計測中"
    return Message("free-play", ja, f"Free play on {_EN[winner]}'s time", at_ns)


def count(at_ns: int) -> Message:
    return Message("count", "石数を数えて入力", "Count the discs and enter them", at_ns)


def end(at_ns: int) -> Message:
    return Message("end", "終局：結果を確認", "The game has ended: check the result", at_ns)


def not_upheld(at_ns: int) -> Message:
    return Message("challenge-not-upheld", "審判の裁定：指摘は認められない", "The arbiter does not uphold it", at_ns)


def disagreement(at_ns: int) -> Message:
    return Message(
        "disagreement", "合意なし・時計停止：審判を待つ", "No agreement, the clock stands: wait for the arbiter", at_ns
    )


def result(card: Result, at_ns: int) -> Message:
    ja = "引き分け" if card.winner is None else f"{_JA[card.winner]}の勝ち"
    en = "Draw" if card.winner is None else f"{_EN[card.winner]} wins"
    if card.black_discs is not None and card.white_discs is not None:
        discs = f"{card.black_discs}–{card.white_discs}"
        ja, en = f"{ja} 黒–白 {discs}", f"{en}, Black–White {discs}"
    return Message("result", ja, en, at_ns)


def card(submitter: str, at_ns: int) -> Message:
    ja, en = _SUBMITTERS[submitter]
    return Message("card", f"両者確認済み：{ja}がカードを提出", f"Both have signed: {en} hands the card in", at_ns)


def submitted(at_ns: int) -> Message:
    return Message("submitted", "カード提出済み", "The card is handed in", at_ns)


# --- for the arbiter --------------------------------------------------------------------------------------------


def finding(filed: FiledFinding, at_ns: int) -> Message:
    text = f"{filed.ply}. {filed.kind}: {filed.text}"
    return Message("finding", f"{_JA[filed.by]} {text}", f"{_EN[filed.by]} {text}", at_ns)


def start_board(at_ns: int) -> Message:
    return Message("start-board", "初期配置が違う", "The game did not start from the usual position", at_ns)


def unread(ply: int, at_ns: int) -> Message:
    return Message("unread", f"{ply}手目までの盤面を読めていない", f"The board was not read up to turn {ply}", at_ns)


def called(by: Color | None, at_ns: int) -> Message:
    ja, en = ("", "") if by is None else (f"：{_JA[by]}から", f" by {_EN[by]}")
    return Message("called", f"審判呼び出し{ja}", f"The arbiter is called{en}", at_ns)


def too_large(at_ns: int) -> Message:
    ja = "着手の誤りが大きすぎて指摘できない：審判の判断"
    return Message("too-large", ja, "The error is too large to point out: the arbiter decides", at_ns)


def both_flags(at_ns: int) -> Message:
    ja = "両者の時間が切れている（対局者以外も指摘できる）"
    return Message("both-flags", ja, "Both flags have fallen (anyone may point it out, M43-16)", at_ns)


def flag(color: Color, at_ns: int, *, second: bool = False) -> Message:
    again_ja, again_en = ("追加", " extra") if second else ("", "")
    ja = f"{_JA[color]}の{again_ja}時間が切れている（審判も指摘できる）"
    return Message("flag", ja, f"{_EN[color]}'s{again_en} time is used up (an arbiter may call it)", at_ns)


def both_flags_unread(at_ns: int) -> Message:
    ja = "両者時間切れ・盤面は読めていない：両者に着手が残るものとした、確認を"
    en = "Both flags, and nobody read the board: taken as both sides having moves (TEAM-7.7b); please confirm"
    return Message("both-flags-unread", ja, en, at_ns)


def moves_again(at_ns: int) -> Message:
    ja = "両者時間切れの後、相手にも着手が生じた：審判の判断"
    return Message("moves-again", ja, "After both flags the other side can move again: the arbiter decides", at_ns)


def no_right_holder(at_ns: int) -> Message:
    ja = "引き分け勝ちの権利者が決まっていない：審判の判断"
    return Message("no-right-holder", ja, "Nobody holds the draw right in this game: the arbiter decides", at_ns)


def board_adopted(at_ns: int) -> Message:
    ja = "時計停止中に変わった盤面から続行"
    return Message("board-adopted", ja, "Play goes on from the board as it was changed during the hold", at_ns)


def late_never_came(at_ns: int) -> Message:
    ja = "遅刻者の持ち時間が切れた：64–0・レート対象外として記録、確認を"
    return Message("late-never-came", ja, "The late player's time is used up: 64–0, unrated; please confirm", at_ns)


def count_differs(entered: tuple[int, int], read: tuple[int, int], at_ns: int) -> Message:
    ja = f"入力石数 {entered[0]}–{entered[1]} が盤面の {read[0]}–{read[1]} と違う"
    en = f"The count entered, {entered[0]}–{entered[1]}, differs from the board, {read[0]}–{read[1]} (Black–White)"
    return Message("count-differs", ja, en, at_ns)


def card_repaired(entered: tuple[int, int], at_ns: int) -> Message:
    ja = f"石数の合計が64でない（{entered[0]}–{entered[1]}）：勝者に不利に読む"
    en = f"The count {entered[0]}–{entered[1]} does not total 64: read to the winner's disadvantage (M43-18.5)"
    return Message("card-repaired", ja, en, at_ns)


def card_undecided(entered: tuple[int, int], at_ns: int) -> Message:
    ja = f"石数 {entered[0]}–{entered[1]} では勝敗が決まらない：審判の判断"
    en = f"The count {entered[0]}–{entered[1]} does not decide the game: the arbiter decides (AMB-13)"
    return Message("card-undecided", ja, en, at_ns)
