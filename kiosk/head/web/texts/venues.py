"""The venues of a federation."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "venues": ("全会場", "Venues"),
    "venue_none": ("この本部はほかの会場とつながっていません。", "This head is not joined with other venues."),
    "venue_never": ("まだ届いていません", "nothing yet"),
    "venue_heard": ("最後の連絡", "Last heard"),
    "venue_waiting": ("未着の記録", "Rows still to come"),
    "venue_rows": ("届いた記録", "Rows here"),
    "venue_complete": ("すべて届いています", "everything is here"),
    "venue_refused": ("受け取りを断りました", "Refused"),
    "venue_aside": ("別に置いた記録の総数", "Set aside in all"),
    "venue_late": ("しばらく連絡がありません", "not heard for a while"),
    "venue_games": ("終了した対局", "Games finished"),
    "venue_before": ("開始前", "before round 1"),
    "venue_over": ("終了", "over"),
    "venue_leaders": ("上位", "Leaders"),
    "venue_boards": ("対局中の卓", "Tables in play"),
    "venue_to": ("連盟の本部への送信", "Sending to the federation"),
    "venue_sent": ("送った記録", "Rows sent"),
    "venue_last_answer": ("最後の応答", "Last answer"),
    "venue_trouble": (
        "送れません。会場の進行には影響ありません。",
        "Nothing gets through. The venue goes on without it.",
    ),
    "venue_not_taken": ("連盟の本部が受け取らない記録", "Not taken by the federation"),
    "venue_clock": ("会場の時計の進み", "The venue's clock is ahead by"),
    "venue_clock_there": ("連盟の本部の時計の進み", "The federation's clock is ahead by"),
    "venue_all": ("全会場へ", "All venues"),
    "venue_observed": (
        "会場から届いた記録によるものです。会場での発表が正式です。",
        "As far as the venues' records have arrived. What the venue publishes is official.",
    ),
}
