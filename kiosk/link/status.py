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
VERSIONS = TroubleInfo(
    "link-versions",
    "本部とこの卓のプログラムの版が違います。同じ版を入れてください。対局は続けられます。",
    "The programs of the head table and of this table have different versions. Install the same version on both. "
    "Play goes on.",
)


def key_refused(table: int) -> TroubleInfo:
    """For the desk: somebody claims a table's number without its key."""
    return TroubleInfo(
        "link-refused",
        f"テーブル{table}を名のる端末の鍵が合いません。鍵を入れ直すか、卓番号を確かめてください。",
        f"A device says that it is table {table}, but its key is not the one of table {table}. Give it a key again, "
        "or check its number.",
    )


def versions_differ(table: int) -> TroubleInfo:
    """For the desk."""
    return TroubleInfo(
        "link-versions",
        f"テーブル{table}のプログラムの版が本部と違います。同じ版を入れてください。",
        f"Table {table} runs another version of the program than the head. Install the same version on both.",
    )


#: close codes of the WebSocket (4000-4999 are for applications)
CODE_REFUSED = 4401
CODE_REPLACED = 4409
CODE_SILENT = 4408
CODE_VERSIONS = 4426
