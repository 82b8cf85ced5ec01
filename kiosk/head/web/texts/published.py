"""What goes out: prints, published pages, hall screens, what spectators may see."""

from __future__ import annotations

from kiosk.head.publish.words import WORDS

TEXTS: dict[str, tuple[str, str]] = {
    "publish": ("公開・印刷", "Publish and print"),
    "record": ("大会記録", "Record"),
    "prints": ("印刷", "Print"),
    "prints_help": (
        "開いたページをブラウザの「印刷」で A4 に印刷します。結果記入票はキオスクのない卓の分だけです。",
        "Print the page that opens with the browser, on A4. Result slips are for tables without a kiosk only.",
    ),
    "site": ("大会記録のページ", "Pages of the event"),
    "site_help": (
        "順位表・星取表・棋譜などのページ一式です。zip を展開すれば、どこのサーバーにも置けます。",
        "Standings, crosstables, games and files. Unpacked, the zip can be put on any web server.",
    ),
    "site_look": ("ページを見る", "Look at the pages"),
    "site_zip": ("一式を保存(zip)", "Save everything (zip)"),
    "spectators": ("観戦者に見せるもの", "What spectators may see"),
    "boards_shown": ("盤面", "Boards"),
    "boards.live": ("すぐに見せる", "at once"),
    "boards.delayed": ("遅らせて見せる", "some moves later"),
    "boards.finished": ("終局後に見せる", "after the game"),
    "boards.off": ("部門が終わるまで見せない", "not before the division is over"),
    "boards_delay": ("遅らせる手数", "Moves later"),
    "names_everybody": ("公開する氏名", "Names that are published"),
    "names_minors": ("18歳未満の氏名", "Names of players under 18"),
    "names.full": ("氏名のまま", "as entered"),
    "names.initials": ("頭文字だけ", "initials"),
    "names.ids": ("番号だけ", "numbers"),
    "keep": ("保存", "Keep"),
} | {key: (words.ja, words.en) for key, words in WORDS.items() if key.startswith("print.")}
