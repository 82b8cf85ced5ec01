"""Why a table, or the head, refuses an arbiter's order, in Japanese; and what the pages of the record refuse.

The law: as in ``japanese``: the sentence is made in English where it is known, and recognised here by its form.
"""

from __future__ import annotations

_N = r"(\d+)"
_X = r"(.+?)"
_PHASES = {
    "SETUP": "準備中",
    "LATE": "到着待ち",
    "READY": "開始待ち",
    "TURN": "対局中",
    "CORR": "確認中",
    "HOLD": "時計停止中",
    "CHECK": "最終確認",
    "ENDED": "終局",
    "FINISH": "終局",
    "CHOICE": "終局",
    "FREE": "勝手打ち",
    "RESULT": "結果の確認",
    "SIGNED": "署名済み",
    "SUBMITTED": "提出済み",
}

SENTENCES: tuple[tuple[str, str], ...] = (
    # what a table says
    *(
        (rf"the order {_X} is not possible in {phase}", f"今は「{ja}」なので、この指示はできません。")
        for phase, ja in _PHASES.items()
    ),
    (
        f"the game has moved on: revision {_N}, not {_N}",
        "見ている間に対局が進みました。時計を止めてからもう一度指示してください。",
    ),
    ("this table has no game", "この卓では対局が行われていません。"),
    (f"it is for game {_X}, and this table has {_X}", "この卓ではもう別の対局が行われています。"),
    ("the clock stands already", "時計はもう止まっています。"),
    ("the clock has been switched or set since then", "その後に時計が動きました。もう一度指示してください。"),
    ("the board of the last press is still being read.*", "直前の着手を読み取り中です。少し待ってください。"),
    ("colours are still open.*", "手番がまだ決まっていません。席(左・右)で指定してください。"),
    ("these rules know no deduction of time.*", "この規定に時間の減算はありません。残り時間を直してください。"),
    ("these rules know no draw: name the winner", "この規定に引き分けはありません。勝者を選んでください。"),
    ("there is no challenge to rule on", "裁定する指摘がありません。"),
    ("the late player has already arrived", "遅刻者はもう着席しています。"),
    ("both flags have not fallen in play.*", "両者の持ち時間はまだ切れていません。"),
    ("no flag has fallen", "持ち時間は切れていません。"),
    ("only the players may point out one flag.*", "時間切れは対局者だけが指摘できます。"),
    (f"{_N}-{_N} does not total 64.*", "石数の合計が64ではありません({0}–{1})。"),
    ("a draw is 32-32.*", "引き分けは32–32です。"),
    # what the head says
    ("this order needs a reason.*", "この指示には理由が必要です(卓の記録に残ります)。"),
    ("the form does not say which state of the game was looked at.*", "卓の画面を開き直してから指示してください。"),
    (f"{_N}-{_N} is not 64 discs together; count again", "石数の合計が64ではありません({0}–{1})。数え直してください。"),
    (
        f"{_N}-{_N} is no win for {_X}; correct the discs or the winner",
        "{0}–{1}では勝者が合いません。石数か勝者を直してください。",
    ),
    (f"the field '{_X}' is '(.*)', but it must be one of {_X}", "選択が正しくありません。画面から選び直してください。"),
    ("there is no such order.*", "その指示はありません。卓の画面から選んでください。"),
    ("the note is empty.*", "メモが空です。何があったかを書いてください。"),
    # the record and the prints
    ("there is no such page of the event.*", "そのページはありません。メニューから選んでください。"),
    (f"this format cannot hold the event: {_X}", "この形式では保存できません({0})。"),
    ("there is no such print.*", "その印刷はありません。一覧から選んでください。"),
    ("the setting for spectators cannot be used.*", "設定が正しくありません。一覧から選んでください。"),
    (f"the delay is {_N} moves.*", "遅らせる手数は0から60までです。"),
)
