"""Preparation of msgspec types for use by several threads.

msgspec builds the type information of a Struct on first use, and two threads doing so at once crash the process with a
segmentation fault (msgspec 0.22, tests/kiosk/test_msgspec_thread_preparation.py). Therefore every type is prepared
here, one at a time, before it is read; a test checks this.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_learning = threading.Lock()
_learned: set[Any] = set()


def warm_up(kind: type[T]) -> type[T]:
    """Return ``kind`` after preparing it for use by any thread."""
    if kind not in _learned:
        with _learning:
            msgspec.msgpack.Decoder(kind)
            _learned.add(kind)
    return kind
