"""Files of the camera's networks (``hardware.camera.neural_networks``): written from PyTorch, and read again."""

from __future__ import annotations

import gzip
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

FOLDER = Path(__file__).parents[1] / "hardware" / "camera"
#: largest weight of an output channel; 127 compresses worse and finds no more boards
LARGEST = 90


def write_network(name: str, network: torch.nn.Module, **inputs: torch.Tensor) -> None:
    """Write ``NAME.onnx.gz``, with norms folded into the convolutions and each output channel's weights as integers
    with a scale; ``inputs`` are examples, samples × channels × rows × columns."""
    import onnx
    import torch
    from onnx import numpy_helper

    held = BytesIO()
    torch.onnx.export(network.eval(), tuple(inputs.values()), held, input_names=list(inputs), dynamo=False)
    model = onnx.load_from_string(held.getvalue())
    graph = model.graph
    for one in [one for one in graph.initializer if len(one.dims) == 4]:
        weights = numpy_helper.to_array(one)
        scale = np.maximum(np.abs(weights).max(axis=(1, 2, 3)), 1e-9) / LARGEST
        parts = {
            "integers": np.round(weights / scale[:, None, None, None]).astype(np.int8),
            "scale": scale.astype(np.float32),
            "zero": np.zeros(len(scale), np.int8),
        }
        names = [f"{one.name}.{part}" for part in parts]
        graph.initializer.extend(map(numpy_helper.from_array, parts.values(), names))
        graph.node.insert(0, onnx.helper.make_node("DequantizeLinear", names, [one.name], axis=0))
        graph.initializer.remove(one)
    path = FOLDER / f"{name}.onnx.gz"
    path.write_bytes(gzip.compress(model.SerializeToString(), mtime=0))
    print(f"{path}: {path.stat().st_size} bytes", flush=True)


def read_layers(name: str) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """Return the weights (outputs × inputs × rows × columns) and the bias of each convolution of ``NAME.onnx.gz``."""
    import onnx

    graph = onnx.load_from_string(gzip.decompress((FOLDER / f"{name}.onnx.gz").read_bytes())).graph
    held = {one.name: onnx.numpy_helper.to_array(one) for one in graph.initializer}
    for node in graph.node:
        if node.op_type == "DequantizeLinear":
            integers, scale, _ = (held[part] for part in node.input)
            held[node.output[0]] = integers * scale[:, None, None, None]
    return [(held[node.input[1]].copy(), held[node.input[2]].copy()) for node in graph.node if node.op_type == "Conv"]
