"""Why a table does not reach its head, for its arbiter. The game goes on whatever it is (promise 4)."""

from __future__ import annotations

from kiosk.link.messages import TroubleInfo

UNREACHABLE = TroubleInfo(
    "link-unreachable",
    "本部につながりません。対局は続けられます。結果はつながり次第送られます。",
    "The head table cannot be reached. Play goes on; results are sent when it is back.",
)
SILENT = TroubleInfo(
    "link-silent",
    "本部から応答がありません。対局は続けられます。結果はつながり次第送られます。",
    "The head table does not answer. Play goes on; results are sent when it is back.",
)
REFUSED = TroubleInfo(
    "link-refused",
    "本部がこの卓の鍵を受け付けません。卓番号と鍵ファイルを確かめてください。",
    "The head table does not accept this table's key. Check the table number and the key file.",
)
REPLACED = TroubleInfo(
    "link-replaced",
    "同じ卓番号の別の端末が本部につながりました。卓番号を確かめてください。",
    "Another device with this table number has connected to the head table. Check the table numbers.",
)
DISAGREES = TroubleInfo(
    "link-disagrees",
    "本部との通信が合いません。鍵とプログラムの版を確かめてください。",
    "The messages of the head table cannot be accepted. Check the key and the program versions.",
)
#: close codes of the WebSocket (4000-4999 are for applications)
CODE_REFUSED = 4401
CODE_REPLACED = 4409
CODE_SILENT = 4408
