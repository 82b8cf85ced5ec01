"""The words of published and printed pages, in Japanese and English.

The law: every key has both languages; what a rule or a format calls a thing is taken from ``engine.tournament.words``.
"""

from __future__ import annotations

from typing import Literal

from engine.tournament.words import KEYS, STAGES, Words

Lang = Literal["ja", "en"]
LANGUAGES: tuple[Lang, ...] = ("ja", "en")

WORDS: dict[str, Words] = {
    "overview": Words("大会記録", "Event"),
    "standings": Words("順位表", "Standings"),
    "rounds": Words("全対局", "All rounds"),
    "crosstable": Words("星取表", "Crosstable"),
    "bracket": Words("トーナメント表", "Bracket"),
    "prizes": Words("入賞・認定", "Prizes and grades"),
    "games": Words("棋譜", "Games"),
    "files": Words("ファイル", "Files"),
    "live": Words("会場の画面へ", "To the hall's pages"),
    "language": Words("English", "日本語"),
    "rank": Words("順位", "Rank"),
    "number": Words("番号", "No."),
    "name": Words("氏名", "Name"),
    "team": Words("チーム", "Team"),
    "members": Words("メンバー", "Players"),
    "grade": Words("段級位", "Grade"),
    "club": Words("所属", "Club"),
    "wins": Words("勝数", "Wins"),
    "discs": Words("石数", "Discs"),
    "table": Words("卓", "Table"),
    "black": Words("黒", "Black"),
    "white": Words("白", "White"),
    "short.black": Words("黒", "B"),
    "short.white": Words("白", "W"),
    "result": Words("結果", "Result"),
    "bye": Words("不戦勝", "Bye"),
    "open": Words("対局中", "Not finished"),
    "round": Words("回戦", "Round"),
    "league": Words("リーグ戦", "League"),
    "placement": Words("順位決定戦", "Placement"),
    "winner": Words("優勝", "Winner"),
    "runner_up": Words("準優勝", "Runner-up"),
    "third": Words("第3位", "3rd place"),
    "withdrawn": Words("棄権", "withdrew"),
    "columns": Words("欄の見方", "What the columns mean"),
    "why": Words("順位の理由", "Why this order"),
    "order": Words(
        "左の欄から順に比べ、同じときは次の欄で決めます。同順位は同じ番号です。",
        "The columns are compared from the left; the next one decides only where all before are equal. Equal players "
        "share the rank.",
    ),
    "cells": Words(
        "○△×は勝ち・引き分け・負け、番号は左端の欄の相手の番号、黒・白は手番、下は自分と相手の石数です。",
        "+ = − is win, draw, loss; the number is the opponent's in the first column; B or W the colour; below are own "
        "and opponent's discs.",
    ),
    "cells_chouchou": Words(
        "○×は勝敗、番号は左端の欄の相手の番号、下は目標との差(CC-SCO-1)です。",
        "+ − is win or loss; the number is the opponent's in the first column; below are the plus or minus points.",
    ),
    "cells_team": Words(
        "番号は相手チームの順位、数字は勝った盤の数です。", "Opponent's rank, then boards won and lost."
    ),
    "not_over": Words("途中経過", "not finished yet"),
    "final_standings": Words("最終順位", "Final standings"),
    "after_round": Words("第{n}回戦終了時点", "after round {n}"),
    "before_start": Words("開始前", "before the start"),
    "oza": Words("王座戦出場", "Oza qualification"),
    "fee": Words("申請料", "Fee"),
    "charged": Words("有料", "charged"),
    "free": Words("無料", "free"),
    "grade_now": Words("現在", "Now"),
    "grade_new": Words("認定", "Awarded"),
    "rule": Words("規定", "Rule"),
    "no_awards": Words("この方式に認定の表はありません。", "This format has no certification table."),
    "prize": Words("賞", "Prize"),
    "moves": Words("着手", "Moves"),
    "opening": Words("定石", "Opening"),
    "transcript": Words("棋譜", "Transcript"),
    "no_transcript": Words("棋譜はありません。", "There is no transcript of this game."),
    "no_games": Words("棋譜のある対局はまだありません。", "There is no game with a transcript yet."),
    "start": Words("開始局面", "Start"),
    "record": Words("棋譜図", "Record"),
    "passes": Words("パス", "passes"),
    "turned": Words("返した石", "turned"),
    "best": Words("最善なら", "Best play:"),
    "lost": Words("最善との差", "against the best move"),
    "weighed": Words(
        "残り{empties}マスからは、最後まで読み切った結果です(石差、−は最善との差)。",
        "From {empties} empty squares on, searched to the end: − is what a move gave away, in discs.",
    ),
    "curve": Words("石差の推移(上が黒)", "Disc difference, Black above"),
    "problems": Words("棋譜の注意", "Notes on the record"),
    "illegal_at": Words(
        "{ply}手目 {move} は規則に合いません。図はその前までです。",
        "Move {ply}, {move}, is not possible by the rules; the boards end before it.",
    ),
    "score_differs": Words(
        "棋譜の結果は {of_moves} ですが、記録は {of_card} です。",
        "The moves end {of_moves}, the result card says {of_card}.",
    ),
    "unfinished": Words(
        "棋譜は{plies}手までで、終局していません。",
        "The transcript ends after {plies} moves, before the game was over.",
    ),
    "unreadable": Words("棋譜を読み取れません: {text}", "The transcript cannot be read: {text}"),
    "end.normal": Words("", ""),
    "end.time": Words("時間切れ", "on time"),
    "end.free-play": Words("勝手打ち", "free play"),
    "end.both-flags": Words("両者時間切れ", "both flags"),
    "end.forfeit": Words("反則・不戦", "forfeit"),
    "end.late": Words("遅刻", "late"),
    "end.arbiter": Words("審判裁定", "arbiter"),
    "end.bye": Words("不戦勝", "bye"),
    "end.not-played": Words("対局なし", "not played"),
    "first": Words("最初", "first"),
    "back": Words("前へ", "back"),
    "next": Words("次へ", "next"),
    "last": Words("最後", "last"),
    "board": Words("盤面", "board"),
    "made_from": Words(
        "この記録は大会ファイルから作成しました。", "Made from the event file by the head table's program."
    ),
    "print.cards": Words("対戦カード", "Pairing cards"),
    "print.seats": Words("座席表", "Seat list"),
    "print.slips": Words("結果記入票", "Result slips"),
    "print.standings": Words("順位表", "Standings"),
    "print.prizes": Words("入賞・認定一覧(申請料つき)", "Prizes and grades, with fees"),
    "print.certificates": Words("賞状・認定証", "Certificates"),
    "print_hint": Words(
        "ブラウザの「印刷」で A4 に印刷します(余白は既定、倍率 100%)。",
        "Print this with the browser, on A4, at 100 %, with its default margins.",
    ),
    "nothing_to_print": Words("発表された組み合わせがありません。", "No round has been published."),
    "no_slips": Words("キオスクのない卓の対局はありません。", "There is no game at a table without a kiosk."),
    "no_certificates": Words(
        "賞状・認定証は部門が終わってから印刷します。", "Certificates can be printed once a division is over."
    ),
    "colours_open": Words("手番は伏せ石などで決めます。", "The players settle the colours."),
    "signature": Words("署名", "Signature"),
    "ending": Words("終局", "Ended"),
    "slip.normal": Words("通常", "normally"),
    "slip.time": Words("時間切れ", "on time"),
    "slip.forfeit": Words("反則・不戦", "by forfeit"),
    "draw_right": Words("引き分け勝ち", "Draw right:"),
    "pieces": Words("取った数", "Pieces"),
    "slip_discs": Words(
        "石数は合計64。空きマスは勝者に加えます。両者が確かめて署名し、勝者が本部に提出します。",
        "Discs total 64; empty squares go to the winner. Both check and sign, the winner hands this in.",
    ),
    "slip_team": Words(
        "石数は合計64。空きマスは勝者に加えます。両者が確かめて署名し、主将が集めて記録係に渡します。",
        "Discs total 64; empty squares go to the winner. Both check and sign, the captain hands this in.",
    ),
    "slip_m40": Words(
        "勝者に○、敗者に×。両者が確かめて署名し、勝者が本部に提出します。",
        "○ for the winner, × for the loser. Both check and sign, the winner hands this in.",
    ),
    "slip_chouchou": Words(
        "取った数を書き、両者が確かめて署名し、勝者が本部に提出します。",
        "Write the pieces each has taken. Both check and sign, the winner hands this in.",
    ),
    "seats_by_name": Words("座席表(氏名順)", "Seats by name"),
    "seats_by_table": Words("座席表(卓順)", "Seats by table"),
    "colour": Words("手番", "Colour"),
    "opponent": Words("対戦相手", "Opponent"),
    "division": Words("部門", "Division"),
    "certificate.place": Words("賞状", "Certificate"),
    "certificate.grade": Words("段級位認定証", "Certificate of grade"),
    "certificate.oza": Words("王座戦出場資格証", "Certificate of qualification"),
    "certificate_text.place": Words(
        "あなたは{event}{division}において頭書の成績をおさめられました。よってここにこれを賞します。",
        "for the place won in {event}, {division}.",
    ),
    "certificate_text.grade": Words(
        "{event}{division}における成績により、頭書の段級位の認定基準を満たしたことを証します。",
        "for a result in {event}, {division}, that meets the requirements of the grade of {grade}.",
    ),
    "certificate_text.oza": Words(
        "{event}{division}における成績により、王座戦の出場資格を得たことを証します。",
        "for a result in {event}, {division}, that qualifies for the Oza tournament.",
    ),
    "organiser": Words("主催者", "for the organisers"),
    "file.json": Words("大会ファイル(全データ)", "Event file (everything)"),
    "file.csv": Words("表計算用 CSV", "CSV for spreadsheets"),
    "file.elo": Words("レーティング用 .ELO", ".ELO for rating lists"),
    "file.papp": Words("PAPP 作業ファイル", "PAPP work file"),
    "file.players": Words("PAPP 選手一覧 joueurs.txt", "PAPP players, joueurs.txt"),
    "file.txt": Words("棋譜(1行1局)", "Transcripts, one game a line"),
    "file.ggf": Words("棋譜 GGF", "Games as GGF"),
    "file.wtb": Words("棋譜 WTHOR(.wtb .jou .trn)", "Games as WTHOR (.wtb, .jou, .trn)"),
    "file.zip": Words("この大会のページ一式(zip)", "All pages of the event (zip)"),
}

#: how a value of a standings sheet comes about
EXPLAINED: dict[str, Words] = {
    "wins": Words("勝ち1、引き分け½、不戦勝1の合計。", "Games won; a draw is a half, a bye is a win."),
    "points": Words("勝ち1、引き分け½、不戦勝1の合計。", "Games won; a draw is a half, a bye is a win."),
    "brightwell": Words(
        "各局の「自分の石数+{c}×相手の最終勝数」の合計。不戦勝と棄権した相手の局は32石と自分の勝数で数えます。",
        "The sum over all games of own discs + {c} × the opponent's final wins. A bye, or a game against somebody who "
        "withdrew, counts 32 discs and the player's own wins.",
    ),
    "discs": Words("全対局の自分の石数の合計。", "The player's own discs of all games together."),
    "disc_difference": Words("自分の石数から相手の石数を引いた値の合計。", "Own discs less the opponents' discs."),
    "lot": Words(
        "大会前に引いたくじの番号。小さいほうが上とは限りません(規定による)。", "The lot drawn before the event."
    ),
    "wins_before_last_game": Words("最後の対局の前までの勝数。", "Games won before the latest one."),
    "previous_rank": Words(
        "一つ前の回戦が終わったときの順位(小さいほうが上)。", "The rank after the round before; smaller is better."
    ),
    "match_wins": Words("勝ったチーム対戦の数。", "Team matches won."),
    "individual_wins": Words("チーム全員の勝数の合計。", "Games won by all players of the team."),
    "captain_wins": Words("主将の勝数。", "Games won by the captain."),
    "rounds_survived": Words("勝ち残った回戦の数。", "Rounds won before being knocked out."),
    "plus_minus": Words(
        "取った石と目標の差(+と−)の合計。", "Pieces taken above (+) or short of (−) the target, all rounds."
    ),
    "highest_plus": Words("1局での最も大きい+。", "The largest plus of one game."),
    "worst_minus": Words("1局での最も大きい−。", "The worst minus of one game."),
}

_STAGE_WORDS = STAGES | {"league": WORDS["league"], "placement": WORDS["placement"]}


def say(key: str, lang: Lang, **values: object) -> str:
    """The words for ``key``, with ``values`` put in."""
    return of(WORDS[key], lang).format(**values) if values else of(WORDS[key], lang)


def of(words: Words, lang: Lang) -> str:
    """One language of a pair."""
    return words.ja if lang == "ja" else words.en


def stage_name(stage: str, lang: Lang) -> str:
    """The name of a stage."""
    return of(_STAGE_WORDS[stage], lang)


def key_name(key: str, lang: Lang) -> str:
    """The name of a column of a standings sheet."""
    name = of(KEYS[key][0], lang) if key in KEYS else key.replace("_", " ")
    return name[:1].upper() + name[1:]


def key_short(key: str, lang: Lang) -> str:
    """The name as it stands over a narrow column: the sums of M40 by their signs in the rules."""
    return key.replace("_", "") if key.startswith("S_") else key_name(key, lang)


def key_explained(key: str, lang: Lang, brightwell_c: object) -> str:
    """In words, how the value of a column comes about."""
    if key in EXPLAINED:
        return of(EXPLAINED[key], lang).format(c=brightwell_c)
    return of(KEYS[key][0], lang) if key in KEYS else ""


def round_name(number: int, lang: Lang) -> str:
    """``第3回戦``, ``Round 3``."""
    return f"第{number}回戦" if lang == "ja" else f"Round {number}"


_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip


def day_name(date: str, lang: Lang) -> str:
    """``2031-04-05`` is 2031年4月5日 or 5 April 2031; another text stays as it is."""
    parts = date.split("-")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts) or not 1 <= int(parts[1]) <= 12:
        return date
    year, month, day = map(int, parts)
    return f"{year}年{month}月{day}日" if lang == "ja" else f"{day} {_MONTHS[month - 1]} {year}"


_KANJI = ("", "一", "二", "三", "四", "五", "六", "七", "八", "九", "十")


def grade_name(grade: str | None, lang: Lang) -> str:
    """``7d`` is 七段 or 7 dan, ``1d`` 初段, ``1k`` 1級 or 1 kyu; what is no grade is shown as it is."""
    if not grade:
        return ""
    number, scale = grade[:-1], grade[-1:]
    if not (number.isdecimal() and scale in ("d", "k")):
        return grade
    value = int(number)
    if lang == "en":
        return f"{value} {'dan' if scale == 'd' else 'kyu'}"
    if scale == "k":
        return f"{value}級"
    return "初段" if value == 1 else f"{_KANJI[value]}段" if value <= 10 else f"{value}段"
