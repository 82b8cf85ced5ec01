"""Neural networks that come with this package, run by OpenCV from ONNX files.

``benchmarks/board_reader_training.py`` and ``benchmarks/board_finder_training.py`` make the files.
"""

from __future__ import annotations

import gzip
from functools import cache
from importlib.resources import files
from threading import Lock

import cv2
import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
#: a network that runs keeps its layers' results in itself
_ONE_AT_A_TIME = Lock()


def run_network(name: str, **inputs: Matrix) -> Matrix:
    """Return the output of the network ``NAME.onnx.gz``. Inputs, by their names in the file, and output are samples ×
    rows × columns × channels. The number of samples may differ from call to call, as may the rows and columns of
    ``board_heatmaps``, in multiples of 16."""
    with _ONE_AT_A_TIME:
        network = _load_network(name)
        for one, values in inputs.items():
            network.setInput(np.ascontiguousarray(values.transpose(0, 3, 1, 2)), one)
        return np.ascontiguousarray(network.forward().transpose(0, 2, 3, 1))


@cache
def _load_network(name: str) -> cv2.dnn.Net:
    packed = (files(__package__) / f"{name}.onnx.gz").read_bytes()
    return cv2.dnn.readNetFromONNX(np.frombuffer(gzip.decompress(packed), np.uint8))
