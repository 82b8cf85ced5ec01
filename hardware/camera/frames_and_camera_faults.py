"""Timestamped camera frames, and detection of camera faults from them. Pure.

- A frame carries the time it was taken at, not the time it was processed.
- Unplugged, dark, frozen and slow cameras are detected from the frames alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hardware.real_and_simulated_time import SystemTime

#: a live sensor's noise never repeats, so equal pictures for this long mean a frozen camera
_FROZEN_S = 2.0
#: window of the frame rate; with fewer pictures a hand may come and go unseen
_WINDOW_S = 3.0
_FEWEST = 6
_DARK = 26

#: conversion for times that are real times
AS_IT_IS = SystemTime().real_s


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture. ``image`` BGR; ``at_ns`` when it was taken, by the table's time base; ``stops`` the requested
    exposure change against the camera's own exposure."""

    image: NDArray[np.uint8]
    at_ns: int
    stops: float = 0.0


class FrameReader(Protocol):
    """Opened camera or video file."""

    def read(self) -> Frame | None:
        """Return the next picture; waits for it. None: there are no more, or the camera is gone."""

    def brighten(self, stops: float) -> bool:
        """Make the next pictures so many stops brighter than the last (below 0: darker), within about a second. Return
        False if the camera cannot."""

    def close(self) -> None: ...


class CameraStatus(StrEnum):
    """Status of a camera."""

    WELL = "well"
    GONE = "gone"
    DARK = "dark"
    FROZEN = "frozen"
    SLOW = "slow"
    FAILED = "failed"


class FrameHealth:
    """Detector of camera faults over the last real seconds.

    :param real_s: as a time base defines it: accelerated games need no faster camera.
    """

    def __init__(self, real_s: Callable[[int], float] = AS_IT_IS) -> None:
        self._real_s = real_s
        self._times: deque[int] = deque()
        self._first_ns: int | None = None
        self._last: NDArray[np.uint8] | None = None
        self._changed_ns = 0

    def feed(self, frame: Frame) -> CameraStatus:
        """Process a frame and return the status.

        :param frame: in the order they were taken.
        """
        few = frame.image[::8, ::8]
        if self._last is None or few.shape != self._last.shape or not np.array_equal(few, self._last):
            self._last, self._changed_ns = few.copy(), frame.at_ns
        self._first_ns = frame.at_ns if self._first_ns is None else self._first_ns
        self._times.append(frame.at_ns)
        while self._real_s(frame.at_ns - self._times[0]) > _WINDOW_S:
            self._times.popleft()
        if self._real_s(frame.at_ns - self._changed_ns) >= _FROZEN_S:
            return CameraStatus.FROZEN
        if float(np.quantile(few, 0.98)) < _DARK:
            return CameraStatus.DARK
        if self._real_s(frame.at_ns - self._first_ns) >= _WINDOW_S and len(self._times) < _FEWEST:
            return CameraStatus.SLOW
        return CameraStatus.WELL
