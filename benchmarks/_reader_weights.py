"""Conversion of the board reader's network weights to small integers, as read by
``hardware.camera.square_classifier.load_quantised_layers``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

Folded = tuple[NDArray[np.float32], NDArray[np.float32]]


def folded(layer: torch.nn.Module) -> Folded:
    """Return a convolution's weights, kernel × kernel × channels by channels, and its bias, with a following norm
    folded in.
    """
    if hasattr(layer, "bias"):
        weights, bias = layer.weight, layer.bias
    else:
        convolution, norm = layer[0], layer[1]
        scale = norm.weight / (norm.running_var + norm.eps).sqrt()
        weights, bias = convolution.weight * scale[:, None, None, None], norm.bias - norm.running_mean * scale
    return weights.detach().permute(2, 3, 1, 0).reshape(-1, weights.shape[0]).numpy(), bias.detach().numpy()


def packed(name: str, layers: list[Folded]) -> dict[str, NDArray[np.generic]]:
    """Return each channel's weights as integers from -90 to 90 (8 bits compress worse, and find no more boards), with
    its scale and its bias."""
    out: dict[str, NDArray[np.generic]] = {}
    for number, (weights, bias) in enumerate(layers):
        most = np.maximum(np.abs(weights).max(axis=0), 1e-9) / 90
        out[f"{name}{number}"] = np.round(weights / most).astype(np.int8)
        out[f"{name}_scale{number}"] = np.stack([most, bias]).astype(np.float32)
    return out
