"""The desk: the event, rounds, results."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "create_event": ("大会を登録", "Create the event"),
    "event_file": ("大会ファイル(JSON)", "Event file (JSON)"),
    "create": ("登録する", "Create"),
    "notices": ("確認してください", "Please look at this"),
    "draft": ("組み合わせ案", "Draft pairing"),
    "auto_on": ("自動進行:発表は自動で行われます。", "Automatic mode: rounds publish themselves."),
    "cost": ("評価値", "Cost"),
    "progress": ("終了した対局", "Games finished"),
    "enter_result": ("結果を手入力", "Enter a result by hand"),
    "correct_result": ("結果を訂正", "Correct a result"),
    "as_paired": ("対戦表のとおり", "as paired"),
    "by_discs": ("石数のとおり", "as the discs say"),
    "black_player": ("黒番", "Black"),
    "enter": ("記録する", "Enter"),
    "correct": ("訂正する", "Correct"),
    "move_game": ("対局を卓に割り当て直す", "Give a game to a table again"),
    "to_table": ("卓番号", "To table"),
    "withdraw_player": ("選手の棄権", "A player withdraws"),
    "withdraw": ("次の回戦から外す", "Leave out from the next round"),
}
