"""The arbiter on the floor: orders to tables, what only he sees."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "orders": ("審判の操作", "Arbiter"),
    "hold": ("時計を止める", "Hold the clock"),
    "resume": ("再開する", "Resume"),
    "set_time": ("時間を直す", "Set the times"),
    "forfeit": ("反則負けにする", "Forfeit"),
    "give_result": ("結果を決める", "Rule a result"),
    "black_s": ("黒 残り秒", "Black, seconds left"),
    "white_s": ("白 残り秒", "White, seconds left"),
    "loser": ("負けとする側", "Loser"),
    "send": ("送る", "Send"),
    "commands": ("卓への指示", "Orders to tables"),
    "sent": ("送信済み", "sent"),
    "applied": ("実行済み", "applied"),
    "refused": ("拒否", "refused"),
    "expired": ("期限切れ", "expired"),
    "assign": ("対局の割り当て", "game given"),
    "withdraw_order": ("対局の取り消し", "game withdrawn"),
    "findings": ("盤面の指摘(審判のみ)", "Board findings (arbiter only)"),
    "messages": ("審判への連絡", "For the arbiter"),
    "troubles": ("不具合", "Troubles"),
    "lost_sight": ("対局の様子を追えません", "The game cannot be followed here"),
}
