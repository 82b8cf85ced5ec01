"""Lens, sensor and compression of a drawn picture: the last rendering step.

Noise and compression are applied anew for every picture. The pictures of a seed are fixed, so optimisations must not
change them beyond the last bit of a value.
"""

from __future__ import annotations

import cv2
import numpy as np
from drawn_tables.seeded_table_scene import TableScene
from numpy.typing import NDArray

Array = NDArray[np.float32]
#: photons of a fully lit pixel at 300 lux; determines the noise
_FULL_WELL = 2_500.0
_READ_NOISE = 0.0035
#: brightness from which the sensor's response is compressed
_KNEE = 0.8
#: instead of 0, whose power takes many times as long
_NO_LIGHT = np.float32(1e-20)
_SUM = np.ones((1, 3), np.float32)


def sensor_light(table: TableScene, light: Array) -> Array:
    """Return the light on the sensor at the camera's size, from linear RGB at the drawn scale."""
    width, height = table.lens.size
    if table.blur > 0.15:
        light = np.asarray(cv2.GaussianBlur(light, (0, 0), table.blur * light.shape[1] / width), np.float32)
    small = np.asarray(cv2.resize(light, (width, height), interpolation=cv2.INTER_AREA), np.float32)
    # The camera exposes for an average picture; a dark room is compensated by gain, with noise.
    median = _median(_grey(small)) + 0.25 * float(small.mean()) + 1e-3
    gain = 0.17 / median * table.exposure
    rows = small.reshape(height, -1)  # row-wise operations are much faster than pixel-wise ones
    rows *= np.tile(np.array(table.white_balance, np.float32), width)
    rows *= np.float32(gain)
    axis_x, axis_y = np.linspace(-1, 1, width, dtype=np.float32), np.linspace(-1, 1, height, dtype=np.float32)
    rows *= np.repeat(1 - table.vignette * 0.4 * (axis_x[None, :] ** 2 + axis_y[:, None] ** 2), 3, axis=1)
    return small


def _grey(picture: Array) -> Array:
    """Return the mean of the three colours, height × width."""
    return np.asarray(cv2.transform(picture, _SUM).reshape(picture.shape[:2]) / np.float32(3))


def _median(values: Array) -> float:
    half = values.size // 2
    low_first = np.partition(values.ravel(), half)
    if values.size % 2:
        return float(low_first[half])
    return float((low_first[:half].max() + low_first[half]) / np.float32(2))


def shot_noise(table: TableScene, small: Array) -> Array:
    """Return the standard deviation of each value of the gathered light times its gain."""
    bright = min(max(table.lux / 300.0, 0.012), 1.5)
    spread = np.maximum(small, 0)
    spread /= _FULL_WELL * bright
    spread += _READ_NOISE**2 / bright
    return np.asarray(np.sqrt(spread, out=spread))


def exposed(table: TableScene, small: Array, spread: Array, noise: Array) -> NDArray[np.uint8]:
    """Return the picture, BGR, of the gathered light times its gain; ``spread`` from ``shot_noise``, ``noise`` of its
    size and of the standard normal distribution."""
    tone = noise * spread
    tone += small
    if table.lux < 40:
        # noise reduction of a cheap camera
        tone = np.asarray(cv2.GaussianBlur(tone, (0, 0), 0.55), np.float32)
    if table.lux < 8:
        tone *= np.float32(0.35 + 0.65 * table.lux / 8)  # the gain is at its limit
    np.maximum(tone, _NO_LIGHT, out=tone)
    flat = tone.ravel()
    bright = np.flatnonzero(flat > _KNEE)
    flat[bright] = _KNEE + 0.2 * np.tanh((flat[bright] - _KNEE) / 0.2)
    np.power(tone, 1 / 2.2, out=tone)
    grey = cv2.cvtColor(_grey(tone), cv2.COLOR_GRAY2BGR)
    tone -= grey
    tone *= table.saturation
    tone += grey
    tone -= 0.45
    tone *= 1 + 0.5 * (table.contrast - 1)
    tone += 0.45
    if table.sharpen:
        edges = tone - cv2.GaussianBlur(tone, (0, 0), 1.0)
        edges *= table.sharpen
        tone += edges
    tone *= 255
    image = cv2.cvtColor(np.clip(tone, 0, 255, out=tone).astype(np.uint8), cv2.COLOR_RGB2BGR)
    _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, table.jpeg])
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
