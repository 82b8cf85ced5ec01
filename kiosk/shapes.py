"""Shapes that msgspec reads, ready for every thread.

The law: msgspec learns a shape when it is first asked for it, and two threads that ask at once end the process by a
segmentation fault (msgspec 0.22, tests/kiosk/test_shapes.py). So no shape is read before it was learned here, one at a
time; a test keeps it so.
"""

from __future__ import annotations

import threading
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_learning = threading.Lock()
_learned: set[Any] = set()


def learned(kind: type[T]) -> type[T]:
    """``kind``, which any thread may read from now on."""
    if kind not in _learned:
        with _learning:
            msgspec.msgpack.Decoder(kind)
            _learned.add(kind)
    return kind
