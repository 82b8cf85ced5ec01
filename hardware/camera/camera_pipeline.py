"""Camera pipeline: turns a camera's pictures into the frames of a sensor board for the settler. Pure: time is passed in
with the pictures.

Only a still picture is read, and all pictures of one still period vote together.

1. Motion on or beside the board ends a still period. A uniform change of light does not, but readings before a large
change do not vote with those after it.
2. A request is answered by a picture taken after it, never by an earlier one.
3. While a foreign object (a resting hand) lies on the board, nothing counts as still, until it has lain there for
``FOREIGN_NS``; then its squares are ``?``. The same holds for a change of more squares than hands make, as by a sleeve
of the cloth's colour; after that time the board counts as cleared.
4. A bumped board is found near its last place before it is read again; one that cannot be found there for a second is
searched for everywhere, because a search is too expensive for every passing hand. Its first corner stays its first
corner.
5. At rest the board is read only occasionally, to save processor time.
6. A doubted answer is repeated with other pictures and a higher required confidence.
7. An overexposed board is not read; the camera is requested to darken (``Exposure``).
8. If a square's image is unchanged, its last reading is kept. A changed one is read as a kind only if
every voting picture agrees.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.board_finder import Reason, adjust_to_squares, find_board, find_board_near
from hardware.camera.board_tracker import BoardTracker
from hardware.camera.camera_projection import Array
from hardware.camera.frames_and_camera_faults import AS_IT_IS, CameraStatus, Frame, FrameHealth, FrameReader
from hardware.camera.square_classifier import ACCUSES, FOREIGN, KINDS, SURE, kind_probabilities
from hardware.camera.square_features import BURNT, RectifiedBoard
from hardware.camera.square_memory_and_calibration import (
    QUIET,
    UNKNOWN,
    BoardMemory,
    CameraCalibration,
    Noise,
    Patches,
    Snapshot,
)
from hardware.errors import HardwareError
from hardware.real_and_simulated_time import NS_PER_MS
from hardware.sensor_board_protocol import SEQUENCES, SensorFrame

# Exposure control: how much brighter or darker a camera's pictures have to be for the board in them. Pure.
#
# - A camera exposes for the average of the whole picture. A bright board on a dark floor is overexposed, so that white,
#   empty and glare look the same; a dark board on a bright table is noisy. The correction follows the board instead.
# - Without a board in view, an overexposed picture is darkened, because it may hide one; a dark picture is not changed.

#: cloth whose strongest colour (0 to 1) is above ``BRIGHTEST`` is brought to ``LESS``, so that neither white discs on
#: black cloth nor lamps reflected in black discs are overexposed; below ``DARKEST`` to ``MORE``. After darkening,
#: ``MORE`` is also the lower limit, because the camera's own exposure falls while the board fills with white discs.
BRIGHTEST, LESS = 0.5, 0.35
DARKEST, MORE = 0.1, 0.2
#: stops per request, each way; the total limit; and the smallest request
_STEP, _FURTHEST, _LEAST = 2.0, 5.0, 0.1
#: time until a camera shows a requested change
_SETTLED_NS = 1_000 * NS_PER_MS
#: brightness is this root of the light
_GAMMA = 2.2
#: quantile of brightness that stands for the board if none is found
_BOARD = 0.9


class Exposure:
    """Exposure requests to a camera, limited to ``_FURTHEST`` stops in total each way."""

    def __init__(self) -> None:
        self._wanted = 0.0
        self._asked_ns: int | None = None

    def board(self, frame: Frame, level: float) -> None:
        """Update the request from the board's brightness.

        :param level: brightness of the board's cloth in its strongest colour, 0 to 1.
        """
        self._feed(frame, level, BRIGHTEST, _FURTHEST)

    def no_board(self, frame: Frame) -> bool:
        """Update the request from a picture without a detected board.

        :param frame: a picture in which no board is found.
        :returns: whether it is overexposed.
        """
        grey = cv2.cvtColor(np.ascontiguousarray(frame.image[::8, ::8]), cv2.COLOR_BGR2GRAY)
        level = float(np.quantile(grey, _BOARD)) / 255
        self._feed(frame, level, BURNT, 0.0)
        return level > BURNT

    def stops(self) -> float:
        """Return how many stops brighter (below 0: darker) the next pictures have to be than the last; each request is
        returned once."""
        wanted, self._wanted = self._wanted, 0.0
        return wanted

    def _feed(self, frame: Frame, level: float, brightest: float, most: float) -> None:
        waits = self._asked_ns is not None and frame.at_ns - self._asked_ns < _SETTLED_NS
        darkest = MORE if frame.stops < 0 else DARKEST
        if darkest <= level <= brightest or waits:
            return
        away = _GAMMA * float(np.log2((LESS if level > brightest else MORE) / max(level, 0.01)))
        together = min(max(frame.stops + min(max(away, -_STEP), _STEP), -_FURTHEST), most)
        if abs(together - frame.stops) >= _LEAST:
            self._wanted, self._asked_ns = together - frame.stops, frame.at_ns


#: how long a foreign object must have been still before the rest of the board is read
FOREIGN_NS = 1_500 * NS_PER_MS
#: pictures of one still period that vote
VOTES = 3
#: value for the settler of a camera's pictures: they vote here, and a square that hands change often has no loose
#: contact
NEVER_FLICKERS = 1_000_000
#: pictures used for tracking: a resting hand may hide in the last what an earlier one shows
VIEWS = 4
_LOOK_AGAIN_NS = 1_000 * NS_PER_MS
_FIND_AGAIN_NS = 1_000 * NS_PER_MS
_SMALL = (96, 72)
#: grey levels and pixels (of the small picture) that count as motion
_MOVED, _MOVED_PIXELS = 14, 4
#: brightness ratio to the last picture that counts as other light (half a stop)
_OTHER_LIGHT = 1.2


@dataclass(frozen=True, slots=True)
class BoardInSight:
    """Location and reading of the board; ``corners`` None with the reason why it is not found."""

    corners: Array | None
    refused: Reason | None
    confidence: tuple[float, ...] = ()


class CameraPipeline:
    """Pipeline of one camera.

    :param quarter: which corner begins the first row: 0 the upper left of the picture, then clockwise.
    :param corners: the marked corners of the board, the first row's first corner first; None: it is searched for.
    :param known_cells: the known cells until the board is found (64 of X O -): a board with invisible lines is found by
        them, and its corners are then kept as if they had been marked.
    :param lesson: the calibration from an earlier ``learn``; it provides the quarter, and the corners if it has any.
    """

    def __init__(
        self,
        quarter: int = 0,
        corners: Array | None = None,
        lesson: CameraCalibration | None = None,
        known_cells: str | None = None,
    ) -> None:
        self._quarter = quarter if lesson is None else lesson.quarter
        self._memory = self._memory_asked = BoardMemory(None if lesson is None else lesson.board)
        self._doubting = False
        if corners is None and lesson is not None:
            corners = lesson.corners
        self._corners, self._marked = corners, corners is not None
        self._landmarks: tuple[BoardTracker, ...] = ()
        self._known_cells = known_cells
        self._small: NDArray[np.float32] | None = None
        self._still_since_ns = 0
        self._votes: list[tuple[NDArray[np.float32], Patches]] = []
        self._cells = "?" * 64
        self._read_ns: int | None = None
        self._sought_ns: int | None = None
        self._foreign_since_ns: int | None = None
        self._question: tuple[int, int] | None = None
        self._sequence = 0
        self._checked = False
        self._exposure, self._overexposed = Exposure(), False
        self.board = BoardInSight(corners, None if corners is not None else Reason.NO_BOARD)

    def ask(self, number: int, at_ns: int, again: bool = False) -> None:
        """Request the board as it is at that time or later; a newer request replaces an open one.

        :param again: the last answer is doubted: use other pictures, search for the board anew, require more
            confidence, and ignore all readings from the first request on.
        """
        self._question, self._doubting = (number, at_ns), again
        if again:
            self._memory, self._votes, self._checked = self._memory_asked, [], False
        else:
            self._memory_asked = self._memory

    @property
    def has_still_reading(self) -> bool:
        """Whether a still board has been read."""
        return len(self._votes) == VOTES

    def learn(self, cells: str) -> CameraCalibration:
        """Store the cells that a person confirmed for the board just read, and return the calibration.

        :raises ValueError: if no still board is in view, or these are not 64 cells.
        """
        if not self.has_still_reading:
            raise ValueError("no board that rests has been read")
        board = Snapshot(cells, self._patches())
        self._memory = BoardMemory(board, board)
        return CameraCalibration(self._quarter, board, self._corners if self._marked else None)

    def turn(self) -> None:
        """Begin the first row at the next corner, clockwise."""
        self._quarter = (self._quarter + 1) % 4
        if self._corners is not None:
            self._corners = np.roll(self._corners, -1, axis=0)
        self._landmarks, self._votes, self._checked, self._cells = (), [], False, "?" * 64
        self._read_ns = None
        self._memory = BoardMemory(self._memory.learnt)

    @property
    def is_overexposed(self) -> bool:
        """Whether the board in the picture, or the picture if no board is found, is too bright to be read."""
        return self._overexposed

    def stops(self) -> float:
        """Return how many stops brighter (below 0: darker) the camera's next pictures have to be; each request is
        returned once."""
        return self._exposure.stops()

    def feed(self, frame: Frame) -> SensorFrame | None:
        """Process one picture, in the order they were taken; return None if there is nothing to report."""
        if self._moved(frame):
            self._still_since_ns, self._votes, self._checked = frame.at_ns, [], False
            return None
        if not self._in_sight(frame):
            return None
        asked = self._question is not None and frame.at_ns > self._question[1]
        lately = self._read_ns is not None and frame.at_ns - self._read_ns < _LOOK_AGAIN_NS
        if asked or not lately or len(self._votes) < VOTES:
            self._read(frame)
        if len(self._votes) < VOTES:
            return None
        self._sequence = (self._sequence + 1) % SEQUENCES
        answers = None
        still_ms = self._still_ms(frame.at_ns)
        if asked and still_ms > 0:
            assert self._question is not None
            answers, self._question, self._doubting = self._question[0], None, False
        return SensorFrame(self._sequence, answers, still_ms, self._cells, frame.at_ns)

    def _moved(self, frame: Frame) -> bool:
        """Return whether the picture moved (rule 1): the difference to the last picture after the light's change is
        removed."""
        grey = cv2.cvtColor(cv2.resize(frame.image, _SMALL, interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2GRAY)
        small = cv2.GaussianBlur(grey, (3, 3), 0).astype(np.float32)
        last, self._small = self._small, small
        if last is None:
            return True
        brighter = float(np.median((small + 8) / (last + 8)))
        if not 1 / _OTHER_LIGHT < brighter < _OTHER_LIGHT:
            self._votes = []
        away = np.abs((small + 8) - (last + 8) * brighter)
        bar = max(_MOVED, 6 * float(np.median(away)))
        return int((away > bar).sum()) >= _MOVED_PIXELS

    def _in_sight(self, frame: Frame) -> bool:
        """Return whether the board is located, tracking or searching for it (rule 4)."""
        before = self._corners
        if self._checked and before is not None:
            return True
        if before is not None:
            if (lies := self._track_board(frame, before)) is not None:
                self._lies(frame, lies)
                return True
            if self._sought_ns is None:
                self._sought_ns = frame.at_ns  # it was in view just now: a hand may hide it
        if self._sought_ns is not None and frame.at_ns - self._sought_ns < _FIND_AGAIN_NS:
            return False
        self._sought_ns = frame.at_ns
        found = find_board(frame.image, self._known_cells)
        if isinstance(found, Reason):
            if before is None:
                self._overexposed = self._exposure.no_board(frame)
            self.board = BoardInSight(None, found)
            return False
        self._marked = self._marked or found.as_laid
        corners = np.roll(found.corners, -self._quarter, axis=0)
        if before is not None:
            turns = (np.roll(corners, turn, axis=0) for turn in range(4))
            corners = min(turns, key=lambda turned: float(np.abs(turned - before).max()))
        self._lies(frame, corners)
        return True

    def _track_board(self, frame: Frame, corners: Array) -> Array | None:
        """Return where the board lies: where it was in an earlier picture, or near its last place."""
        if not self._landmarks and self._read_ns is None:
            return adjust_to_squares(frame.image, corners)  # a person marked it, its lines may be invisible
        for view in self._landmarks:
            if view.is_unmoved(frame.image):
                return view.corners
        return find_board_near(frame.image, corners)

    def _lies(self, frame: Frame, corners: Array) -> None:
        self._corners, self._checked, self._sought_ns = corners, True, None
        if (view := BoardTracker.of(frame.image, corners)) is not None:
            self._landmarks = (view, *self._landmarks[: VIEWS - 1])
        self.board = BoardInSight(corners, None)

    def _read(self, frame: Frame) -> None:
        assert self._corners is not None
        sight = RectifiedBoard.of(frame.image, self._corners)
        self._overexposed = sight.is_overexposed
        if self._overexposed:
            self._votes = []
            self._exposure.board(frame, sight.brightest_channel)
            return
        seen = kind_probabilities(sight)
        if not (seen.argmax(axis=1) == FOREIGN).any():  # a bright sleeve does not count as a bright board
            self._exposure.board(frame, sight.brightest_channel)
        self._votes = [*self._votes[1 - VOTES :], (seen, sight.patches())]
        odds = np.exp(np.mean([np.log(vote + 1e-6) for vote, _ in self._votes], axis=0))
        if not self._doubting:  # else what the samplings disagree about is missing from the confidence
            odds /= odds.sum(axis=1, keepdims=True)
        best = odds.argmax(axis=1)
        agreed = np.all([vote.argmax(axis=1) == best for vote, _ in self._votes], axis=0)
        # where votes disagree, their mean is used, which makes nothing sure
        odds[~agreed] = np.mean([vote for vote, _ in self._votes], axis=0)[~agreed]
        patches = self._patches()
        self._cells = self._memory.read(odds, patches, ACCUSES if self._doubting else SURE, self._noise())
        self._read_ns = frame.at_ns
        self.board = BoardInSight(self._corners, None, tuple(float(value) for value in odds.max(axis=1)))
        covered = self._memory.is_covered(self._cells)
        if covered or any(KINDS[kind] == cell == UNKNOWN for kind, cell in zip(best, self._cells, strict=True)):
            if self._foreign_since_ns is None:
                self._foreign_since_ns = frame.at_ns
        else:
            self._foreign_since_ns = None
        if len(self._votes) == VOTES and not (covered and self._still_ms(frame.at_ns) == 0):
            self._memory = self._memory.seen(self._cells, patches)

    def _patches(self) -> Patches:
        return np.asarray(np.mean([patches for _, patches in self._votes], axis=0), np.float32)

    def _noise(self) -> Noise:
        """Return the noise of the difference of two such means, from the differences between the pictures of this still
        period."""
        if len(self._votes) < VOTES:
            return QUIET
        spread = np.var(np.stack([patches for _, patches in self._votes]), axis=0, ddof=1)
        return np.asarray(spread.mean(axis=(1, 2)) * (2 / VOTES), np.float32)

    def _still_ms(self, at_ns: int) -> int:
        """Return how long the board has been still (rule 3)."""
        since_ns = self._still_since_ns
        if self._foreign_since_ns is not None:
            since_ns = max(since_ns, self._foreign_since_ns) + FOREIGN_NS
        return max(at_ns - since_ns, 0) // NS_PER_MS


# Camera that is opened, and reopened after a failure, in its own thread.
#
# - Nothing waits for the camera. Its pictures come to the sink in the reader's thread.
# - Its status is available at any time; a lost camera is searched for once a second.

log = logging.getLogger(__name__)

_AGAIN_S = 1.0


class Camera:
    """Camera with its reader thread.

    :param open_reader: opens it; raises ``HardwareError`` while it is not available.
    :param sink: called with every picture; returns how many stops brighter the next ones have to be, mostly 0.
    :param name: its name in the log.
    :param again_s: seconds between attempts to open it.
    :param real_s: as the time base of its pictures defines it.
    """

    def __init__(
        self,
        open_reader: Callable[[], FrameReader],
        sink: Callable[[Frame], float],
        name: str,
        again_s: float = _AGAIN_S,
        real_s: Callable[[int], float] = AS_IT_IS,
    ) -> None:
        self._open_reader, self._sink, self._name, self._again_s = open_reader, sink, name, again_s
        self._real_s = real_s
        self._sight = CameraStatus.GONE
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="camera", daemon=True)

    def start(self) -> Camera:
        """Begin to read."""
        self._thread.start()
        return self

    @property
    def sight(self) -> CameraStatus:
        """The status of the camera now."""
        return self._sight

    def close(self) -> None:
        """End the reader and wait for it."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                reader = self._open_reader()
            except (HardwareError, OSError):
                self._sight = CameraStatus.GONE
                self._closed.wait(self._again_s)
                continue
            try:
                self._read(reader)
                self._sight = CameraStatus.GONE
            except Exception:  # any failure: the game continues, and the next picture may succeed
                log.exception("camera %s", self._name)
                self._sight = CameraStatus.FAILED
            finally:
                reader.close()
            self._closed.wait(self._again_s)

    def _read(self, reader: FrameReader) -> None:
        health = FrameHealth(self._real_s)
        while not self._closed.is_set():
            frame = reader.read()
            if frame is None:
                return
            sight = health.feed(frame)
            if sight is not CameraStatus.FROZEN and (stops := self._sink(frame)):
                reader.brighten(stops)
            self._sight = sight
