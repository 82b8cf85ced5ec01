"""Pictures with their time, and what can be wrong with a camera. Pure.

The law: a picture carries the time it was taken at, not the time somebody looked at it. A camera that shows nothing new
is told, not believed: unplugged, dark, frozen and slow are found by the pictures alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hardware.timebase import SystemTime

#: a live sensor's noise never repeats; equal pictures for so long are one picture
_FROZEN_S = 2.0
#: fewer pictures than this over the window are too few to see a hand come and go
_WINDOW_S = 3.0
_FEWEST = 6
_DARK = 26

#: times that are real times
AS_IT_IS = SystemTime().real_s


@dataclass(frozen=True, slots=True)
class Frame:
    """``image`` BGR; ``at_ns`` when it was taken, by the table's time base; ``stops`` how much brighter than by itself
    its camera had been asked to be."""

    image: NDArray[np.uint8]
    at_ns: int
    stops: float = 0.0


class FrameReader(Protocol):
    """An opened camera or film."""

    def read(self) -> Frame | None:
        """The next picture; waits for it. None: there are no more, or the camera is gone."""
        ...

    def brighten(self, stops: float) -> bool:
        """The next pictures are so many stops brighter than the last (below 0: darker), within about a second.
        False: it cannot do that."""
        ...

    def close(self) -> None: ...


class Sight(StrEnum):
    """How a camera sees."""

    WELL = "well"
    GONE = "gone"
    DARK = "dark"
    FROZEN = "frozen"
    SLOW = "slow"
    FAILED = "failed"


class FrameHealth:
    """What the last real seconds' pictures say of the camera.

    :param real_s: as a time base has it: a game that is played fast needs no faster camera.
    """

    def __init__(self, real_s: Callable[[int], float] = AS_IT_IS) -> None:
        self._real_s = real_s
        self._times: deque[int] = deque()
        self._first_ns: int | None = None
        self._last: NDArray[np.uint8] | None = None
        self._changed_ns = 0

    def feed(self, frame: Frame) -> Sight:
        """:param frame: in the order they were taken."""
        few = frame.image[::8, ::8]
        if self._last is None or few.shape != self._last.shape or not np.array_equal(few, self._last):
            self._last, self._changed_ns = few.copy(), frame.at_ns
        self._first_ns = frame.at_ns if self._first_ns is None else self._first_ns
        self._times.append(frame.at_ns)
        while self._real_s(frame.at_ns - self._times[0]) > _WINDOW_S:
            self._times.popleft()
        if self._real_s(frame.at_ns - self._changed_ns) >= _FROZEN_S:
            return Sight.FROZEN
        if float(np.quantile(few, 0.98)) < _DARK:
            return Sight.DARK
        if self._real_s(frame.at_ns - self._first_ns) >= _WINDOW_S and len(self._times) < _FEWEST:
            return Sight.SLOW
        return Sight.WELL
