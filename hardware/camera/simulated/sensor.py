"""What lens, sensor and compression make of the light: the last step of a drawn picture."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.camera.simulated.scene import Moment, Table

#: photons of a fully lit pixel at 300 lux; noise follows from it
_FULL_WELL = 2_500.0
_READ_NOISE = 0.0035


def gathered(table: Table, moment: Moment, light: NDArray[np.float32]) -> NDArray[np.float32]:
    """Linear RGB at the drawn scale to what falls on the sensor, of the camera's size."""
    width, height = table.lens.size
    if table.blur > 0.15:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), table.blur * light.shape[1] / width), np.float32)
    if moment.smear > 0.5:
        light = np.asarray(cv2.blur(light, (max(int(moment.smear * light.shape[1] / width), 1), 1)), np.float32)
    small = cv2.resize(light, (width, height), interpolation=cv2.INTER_AREA)
    # The camera aims at a middling picture; what a dark room lacks it makes up by gain, with noise.
    middling = float(np.median(small.mean(axis=2))) + 0.25 * float(small.mean()) + 1e-3
    gain = 0.17 / middling * table.exposure
    small = small * np.array(table.white_balance, np.float32) * np.float32(gain)
    axis_x, axis_y = np.linspace(-1, 1, width, dtype=np.float32), np.linspace(-1, 1, height, dtype=np.float32)
    small *= (1 - table.vignette * 0.4 * (axis_x[None, :] ** 2 + axis_y[:, None] ** 2))[..., None]
    return np.asarray(small)


def exposed(table: Table, gain: float, small: NDArray[np.float32], random: np.random.Generator) -> NDArray[np.uint8]:
    """What was gathered to a picture, BGR; ``gain`` is the moment's."""
    small = small * np.float32(gain)
    well = _FULL_WELL * np.clip(table.lux / 300.0, 0.012, 1.5)
    dim = 1 / np.sqrt(np.clip(table.lux / 300.0, 0.012, 1.5))
    spread = np.sqrt(np.maximum(small, 0) / well + (_READ_NOISE * dim) ** 2)
    small += random.standard_normal(small.shape, np.float32) * spread.astype(np.float32)
    if table.lux < 40:
        # what a cheap camera does against its own noise
        small = np.asarray(cv2.GaussianBlur(small, (0, 0), 0.55), np.float32)
    if table.lux < 8:
        small *= np.float32(0.35 + 0.65 * table.lux / 8)  # its gain is at an end
    tone: NDArray[np.floating] = np.clip(small, 0, None)
    tone = np.where(tone > 0.8, 0.8 + 0.2 * np.tanh((tone - 0.8) / 0.2), tone) ** (1 / 2.2)
    grey = tone.mean(axis=2, keepdims=True)
    tone = grey + (tone - grey) * table.saturation
    tone = 0.45 + (tone - 0.45) * (1 + 0.5 * (table.contrast - 1))
    if table.sharpen:
        tone = tone + table.sharpen * (tone - cv2.GaussianBlur(tone, (0, 0), 1.0))
    image = np.ascontiguousarray(np.clip(tone[..., ::-1] * 255, 0, 255)).astype(np.uint8)
    _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, table.jpeg])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
