"""Tests of the first decoding of a type by two threads, which in plain msgspec ends the process by a segmentation
fault."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import kiosk

#: run in another process, because it may crash; threads switch often. Plain msgspec crashes within 7 repetitions
_FIRST_AT_ONCE = """
import sys, threading
import msgspec
{learned}
sys.setswitchinterval(1e-6)
said = msgspec.msgpack.encode({{"parts": [], "one": {{"x": 1}}, "pair": {{"a": [{{"x": 1}}], "b": {{"x": 2}}}}}})
for turn in range(100):
    leaf = msgspec.defstruct(f"Leaf{{turn}}", [("x", int), ("y", str | None, None)], forbid_unknown_fields=True)
    pair = msgspec.defstruct(f"Pair{{turn}}", [("a", list[leaf]), ("b", leaf), ("c", dict[str, leaf] | None, None)])
    whole = msgspec.defstruct(f"Whole{{turn}}", [("parts", list[pair]), ("one", leaf), ("pair", pair)])
    together = threading.Barrier(4)
    def read():
        together.wait()
        msgspec.msgpack.decode(said, type=learned(whole))
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("all read")
"""


def _first_at_once(learned: str) -> subprocess.CompletedProcess[str]:
    code = _FIRST_AT_ONCE.format(learned=learned)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)


def test_threads_may_decode_a_type_for_the_first_time_together() -> None:
    found = _first_at_once("from kiosk.json_validation import warm_up")
    assert (found.returncode, found.stdout) == (0, "all read\n"), found.stderr


def test_every_decoded_type_is_prepared() -> None:
    """Every call of decode and convert in the product names ``warm_up(...)``, a dict of plain values, or nothing."""
    found, unlearned = 0, []
    for file in sorted(Path(kiosk.__file__).parent.rglob("*.py")):
        source = file.read_text(encoding="utf-8")
        for call in ast.walk(ast.parse(source)) if "msgspec" in source else ():
            if not isinstance(call, ast.Call) or getattr(call.func, "attr", "") not in ("convert", "decode"):
                continue
            match ast.unparse(call.func):
                case "msgspec.convert":
                    kinds = [call.args[1]]
                case "msgspec.json.decode" | "msgspec.msgpack.decode":
                    kinds = [keyword.value for keyword in call.keywords if keyword.arg == "type"]
                case _:
                    continue
            for kind in kinds:
                found += 1
                if not ast.unparse(kind).startswith(("warm_up(", "dict[str, ")):
                    unlearned.append(f"{file}:{call.lineno}")
    assert found > 20 and unlearned == []
