"""Simulated camera over a drawn board, with hands, bumps, darkness and unplugging.

It is a ``FrameReader``; its pictures are determined by its seed and the actions on it. It draws as fast as it is read;
its own time advances by ``every_ms`` per picture.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from drawn_tables.seeded_table_scene import FrameState, TableScene, obstacle_of, scattered
from drawn_tables.static_scene_parts import StaticScene
from drawn_tables.table_renderer import RadianceImage, lit

from hardware.camera.frames_and_camera_faults import Frame
from hardware.real_and_simulated_time import NS_PER_MS

#: time between two pictures
EVERY_NS = 100 * NS_PER_MS


class SimulatedCamera:
    """Camera over one drawn table.

    :param table: from ``table_of``.
    :param cells: the initial cells of the board.
    :param adjustable: whether it supports brighter or darker pictures.
    """

    def __init__(self, table: TableScene, cells: str, scale: float = 1.2, adjustable: bool = True) -> None:
        self._table = table
        self._random = np.random.default_rng([table.seed, 21])
        self._moment = FrameState(cells, scattered(table, self._random))
        self._stage = StaticScene(table, self._moment.bump, scale)
        self._at_ns, self._number = 0, 0
        self._adjustable, self._stops = adjustable, 0.0
        values = 3 * table.lens.size[0] * table.lens.size[1]
        #: each picture's noise begins at another place of this, because to draw it anew takes longer than all the rest
        self._noise = np.random.default_rng([table.seed, 22]).standard_normal(2 * values, np.float32)
        self._closed = False
        #: the cached view of the lens, valid until the table changes
        self._lit: RadianceImage | None = None
        #: the field's outer corners in the last picture
        self.corners = np.zeros((4, 2))

    @property
    def at_ns(self) -> int:
        """The time of the last picture."""
        return self._at_ns

    def lay(self, cells: str) -> None:
        """Set the cells; discs that are placed or turned get a new position within their square."""
        fresh = scattered(self._table, self._random)
        kept = np.array([old == new for old, new in zip(self._moment.cells, cells, strict=True)])
        places = np.where(kept[:, None], self._moment.places, fresh)
        self._moment, self._lit = replace(self._moment, cells=cells, places=places), None

    def reach(self, square: int | None) -> None:
        """Let an arm reach for a square; None removes it."""
        if square is None and not self._moment.things:
            return
        self._moment, self._lit = replace(self._moment, things=()), None
        if square is not None:
            target = (square % 8 + 0.5, square // 8 + 0.5)
            arm = obstacle_of(self._table, int(self._random.integers(1 << 30)), target, "arm")
            self._moment = replace(self._moment, things=(arm,))

    def bump(self, x: float, y: float, turn: float) -> None:
        """Move the board by so many squares and rotate it by so many radians from its original place."""
        self._moment, self._lit = replace(self._moment, bump=(x, y, turn)), None
        self._stage = StaticScene(self._table, self._moment.bump, self._stage.scale)

    def light(self, gain: float) -> None:
        """Set the exposure as a multiple of the correct one; 0 is darkness."""
        self._moment = replace(self._moment, gain=gain)

    def read(self) -> Frame | None:
        if self._closed:
            return None
        self._at_ns += EVERY_NS
        self._number += 1
        self._lit = self._lit or lit(self._stage, self._moment)
        light = self._lit.light
        begin = int(np.random.default_rng([self._table.seed, self._number, 5]).integers(light.size))
        noise = self._noise[begin : begin + light.size].reshape(light.shape)
        moment = replace(self._moment, gain=self._moment.gain * 2.0**self._stops)
        drawn = self._lit.taken(self._table, moment, noise)
        self.corners = drawn.corners
        return Frame(drawn.image, self._at_ns, self._stops)

    def brighten(self, stops: float) -> bool:
        if self._adjustable:
            self._stops += stops
        return self._adjustable

    def close(self) -> None:
        self._closed = True
