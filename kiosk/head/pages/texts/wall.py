"""Pages for spectators: tables, pairings, standings."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "no_event": ("大会はまだ登録されていません。", "No event has been created yet."),
    "no_round": ("組み合わせはまだ発表されていません。", "No round has been published yet."),
    "no_tables": ("卓がまだありません。", "There are no tables yet."),
    "observed": (
        "残り時間は本部で見た目安です。正しい時間は卓の時計にあります。",
        "Remaining times are as observed here; the clock at the table decides.",
    ),
    "link_ok": ("接続中", "Linked"),
    "link_amber": ("応答待ち", "No word for 6 s"),
    "link_red": ("切断", "Not linked"),
    "rank": ("順位", "Rank"),
    "after_round": ("終了時点", "after round"),
    "explain_wins": ("勝ち:勝ち数。引き分けは½勝。", "Wins: games won; a draw is half a win."),
    "explain_discs": ("石数:自分の石数の合計。", "Discs: the sum of the player's own discs."),
    "explain_brightwell": (
        "ブライトウェル:各局の自分の石数+定数×対戦相手の最終勝ち数、の合計。不戦勝などは32石と自分の勝ち数で数えます。",
        "Brightwell: the sum over all games of own discs + C × the opponent's final wins; a bye counts as a draw "
        "against oneself.",
    ),
    "shared_rank": ("同順位は同じ番号です。", "Players with the same number share the rank."),
    "key.brightwell": ("ブライトウェル", "Brightwell"),
    "key.discs": ("石数", "Discs"),
    "key.wins": ("勝ち", "Wins"),
    "key.previous_rank": ("前順位", "Previous rank"),
    "key.lot": ("抽選", "Lot"),
    "key.rounds_survived": ("勝ち残り", "Rounds survived"),
    "key.disc_difference": ("石差", "Disc difference"),
    "key.match_wins": ("チーム勝数", "Match wins"),
    "key.individual_wins": ("個人勝数", "Individual wins"),
    "key.captain_wins": ("主将勝数", "Captain's wins"),
    "key.plus_minus": ("加減点", "Plus/minus"),
    "key.highest_plus": ("最高加点", "Highest plus"),
    "key.worst_minus": ("最低減点", "Worst minus"),
}
