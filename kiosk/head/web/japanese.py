"""What the head and the tournament engine say in English, in Japanese.

The law: a refusal or a warning is one sentence that is made where it is known, in English. Here it is recognised by its
form and said in Japanese with the same names and numbers; what is not recognised stays as it is, marked as English.
"""

from __future__ import annotations

import re

from kiosk.head.web.japanese_floor import SENTENCES as FLOOR

_N = r"(\d+)"
_X = r"(.+?)"

_SENTENCES: tuple[tuple[str, str], ...] = (
    # publishing and drafts
    (
        "the draft has changed since you looked at it.*",
        "見ている間に組み合わせ案が変わりました。もう一度確かめてから発表してください。",
    ),
    (
        f"round {_N} still has {_N} games without a result.*",
        "第{0}回戦にはまだ結果のない対局が{1}局あります。終わるのを待ってください。",
    ),
    (f"round {_N} is not there any more.*", "第{0}回戦はもうありません。もう一度見てください。"),
    (
        f"round {_N} does not follow round {_N}.*",
        "第{0}回戦は第{1}回戦の次ではありません。先にあとの回戦を取り消してください。",
    ),
    ("that round is not there any more.*", "その回戦はもうありません。もう一度見てください。"),
    ("taking a round back needs a reason.*", "回戦を取り消すには理由が必要です(記録に残ります)。"),
    (f"the event is over after round {_N}.*", "第{0}回戦で全日程が終わりました。"),
    (
        f"round {_N} is not finished: {_X} has no winner.*",
        "第{0}回戦が終わっていません({1})。先に結果を入力してください。",
    ),
    (
        f"{_N} player\\(s\\) present; a round needs two or more.*",
        "参加者が{0}人です。2人以上必要です(欠席・棄権を確かめてください)。",
    ),
    (f"{_N} team\\(s\\) present; a round needs two or more.*", "参加チームが{0}です。2チーム以上必要です。"),
    (
        f"{_N} players are present; '{_X}' is for {_N} to {_N}",
        "参加者が{0}人です。この方式は{2}〜{3}人用です。部門の方式を選び直してください。",
    ),
    (
        f"round {_N}: the wishes leave no pairing.*",
        "第{0}回戦:手で変えた条件では組み合わせが作れません。条件を減らしてください。",
    ),
    (
        f"round {_N} of format {_X} cannot keep a wish: {_X} and {_X} are locked but not in one draw",
        "第{0}回戦:{2}と{3}を対戦させることはできません。",
    ),
    (
        f"round {_N} of format {_X} cannot keep a wish: {_X} and {_X} are forbidden but drawn",
        "第{0}回戦:{2}と{3}の対戦を避けることはできません。",
    ),
    (
        f"round {_N} of format {_X} cannot keep a wish: {_X} asks for a bye.*",
        "第{0}回戦:{2}に不戦勝を与えることはできません。",
    ),
    (
        f"round {_N} of format {_X} cannot keep a wish: the players settle the colours.*",
        "第{0}回戦:手番は対局者が決めるので、指定できません。",
    ),
    (
        f"round {_N} of format {_X} cannot keep a wish: {_X} cannot have {_X}",
        "第{0}回戦:{2}の手番を指定どおりにできません。",
    ),
    (
        f"locked pair {_X} - {_X}: a player can be in one locked pair only.*",
        "同じ選手を2つの組に固定することはできません({0} – {1})。",
    ),
    (
        f"pair {_X} - {_X} is locked but not allowed to meet.*",
        "{0}と{1}は対戦させる条件と手番の条件が合いません。どちらかをやめてください。",
    ),
    (
        f"{_X} is in a locked pair and asks for a bye.*",
        "{0}には対戦の固定と不戦勝の両方が付いています。どちらかをやめてください。",
    ),
    (
        f"{_X} has no game and no bye in round {_N}, so he cannot be swapped",
        "{0}はこの回戦に入っていないので、入れ替えられません。",
    ),
    (
        f"tables play round {_N} already, but not as it would be paired now.*",
        "卓ではもう第{0}回戦が始まっていますが、今の結果で組むと違う組み合わせになります。復元前と違う結果を訂正してから発表してください。",
    ),
    # warnings of a draft
    ("options.random_seed is missing.*", "抽選の種が記録されていません(0を使います)。"),
    (f"rematch: {_X} and {_X} already met in round {_X}", "再戦:{0}と{1}は第{2}回戦で対戦しています。"),
    (f"seeds meet: {_X} and {_X}; .*", "シードどうしの対戦:{0}と{1}(ほかの選手が足りません)。"),
    (f"colours: {_X} will have had Black {_N} times more often", "手番:{0}は黒番が{1}回多くなります。"),
    (f"colours: {_X} will have had White {_N} times more often", "手番:{0}は白番が{1}回多くなります。"),
    (f"second bye: {_X} already had a bye", "2回目の不戦勝:{0}"),
    (f"order sheet: {_X} has none for round {_N}.*", "オーダー表:{0}の第{1}回戦分がありません。登録順を使います。"),
    (f"table {_N}: {_X} is absent; the board is lost by forfeit", "{0}番卓:{1}が欠席のため不戦敗です。"),
    (f"{_X} is not present; the game is lost by forfeit", "{0}は欠席のため不戦敗です。"),
    (f"{_X} has no 'lot'; as a late entry he has {_N}.*", "{0}は抽選番号がないので、遅い参加として{1}番です。"),
    (f"players have no 'lot', so lots were drawn from {_X}", "抽選番号がないので、記録した数字から抽選しました({0})。"),
    ("options.lot_ballots is missing.*", "投票用紙の数字がないので、記録した数字から抽選しました。"),
    (f"{_X} qualified for the finals but is not present.*", "{0}は決勝に残りましたが不在のため、次点の選手が出ます。"),
    (f"seats of the finals: {_X} and {_X} are level; by lot", "決勝進出の{0}と{1}は同成績のため、抽選で決まりました。"),
    ("the calculation was interrupted.*", "計算が中断されました。自動でやり直します。"),
    # results
    (
        f"game {_X} has a result already \\((.+)\\); correct it with a reason",
        "この対局の結果は登録済みです({1})。直すときは理由を書いて訂正してください。",
    ),
    ("a correction needs a reason.*", "訂正には理由が必要です(記録に残ります)。"),
    ("taking a result back needs a reason.*", "結果を取り消すには理由が必要です(記録に残ります)。"),
    (
        f"the result of game {_X} was changed by somebody else to {_X} while you looked at it.*",
        "見ている間に、ほかの人がこの結果を直しました({1})。もう一度見てから決めてください。",
    ),
    (f"game {_X} has no result yet.*", "この対局の結果はまだありません。先に入力してください。"),
    (f"the result of game {_X} came from its table.*", "この結果は卓から届いたものです。訂正してください。"),
    (f"round {_N} was paired with this result.*", "この結果で第{0}回戦を組みました。取り消さずに訂正してください。"),
    (f"table {_N} has another game by now.*", "{0}番卓ではもう別の対局が始まっています。訂正してください。"),
    (
        f"game {_X} must have a winner.*",
        "この対局は勝者を決めます。32対32のときは引き分け勝ちの権利を持つ側の勝ちです。",
    ),
    ("the result names no winner and no discs.*", "勝者か石数のどちらかを入れてください。"),
    (
        f"the field '{_X}' is '{_X}', but it must be a whole number from {_N} to {_N}",
        "「{1}」は{2}から{3}までの数ではありません。",
    ),
    (f"there is no game '{_X}'.*", "その対局はありません。一覧から選んでください。"),
    # tables
    (f"game {_X} is not open any more, so it needs no table", "この対局はもう終わっています。"),
    (f"table {_N} has game {_X}; choose a free table", "{0}番卓では対局中です。空いている卓を選んでください。"),
    (f"there is no table {_N}.*", "{0}番卓はありません。"),
    (f"no game is being played at table {_N}.*", "{0}番卓で行われている対局はありません。"),
    (f"table {_N} has no kiosk.*", "{0}番卓にキオスクはありません。直接行ってください。"),
    # players, teams, lots, divisions
    (
        f"{_X} was paired already; let him leave instead.*",
        "{0}はもう対局に入っています。消さずに「棄権」にしてください(対局は残ります)。",
    ),
    (f"{_X} has left already", "{0}はもう棄権しています。"),
    (f"{_X} has not left; there is nothing to take back", "{0}は棄権していません。"),
    (f"there is no player '{_X}'.*", "その選手はいません。一覧から選んでください。"),
    (f"{_X} and {_X} both have lot {_N}; lots are unique", "{0}と{1}の抽選番号がどちらも{2}です。"),
    (
        f"round 1 was published, so {_X} cannot be changed any more.*",
        "第1回戦を発表したので、もう変えられません。変えるときは先に第1回戦を取り消してください。",
    ),
    (
        f"round {_N} was published, so nobody can be marked away in it any more",
        "第{0}回戦は発表済みなので、休みにはできません。",
    ),
    (
        f"round {_N} was published, so its order sheets are fixed",
        "第{0}回戦は発表済みなので、オーダーは変えられません。",
    ),
    ("there is an event already.*", "大会はもう登録されています。"),
    ("no event was created yet.*", "大会はまだ登録されていません。本部操作で作ってください。"),
    (f"there is no division '{_X}'.*", "その部門はありません。"),
    ("give the three drawn ballots.*", "5桁の数字を3つ入れてください(例 12345 67890 00042)。"),
    (
        "the lots of this format are places in a bracket.*",
        "この方式の抽選番号は組み合わせ表の場所です。コンピューターか手で抽選してください。",
    ),
    (f"'{_X}' is no time of day.*", "「{0}」は時刻ではありません。9:55 のように書いてください。"),
    ("the timetable runs past midnight.*", "時間割が夜中を過ぎます。回戦を減らすか、早く始めてください。"),
    (
        "the file names no player.*",
        "ファイルに選手がありません。「名前」の列があるCSV、PAPPの名簿、.ELOを選んでください。",
    ),
)

_READ = tuple((re.compile(pattern, re.DOTALL), ja) for pattern, ja in (*_SENTENCES, *FLOOR))


def in_japanese(sentence: str) -> str:
    """The sentence in Japanese; empty if nobody has said it in Japanese yet."""
    for pattern, ja in _READ:
        if match := pattern.fullmatch(sentence):
            return ja.format(*match.groups())
    return ""
