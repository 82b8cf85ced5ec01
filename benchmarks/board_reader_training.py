"""Training of the board reader's network from rendered boards alone.

    python -m benchmarks.board_reader_training draw DIR [--first 1100000] [--count 15000]  boards of the split TRAIN
    python -m benchmarks.board_reader_training look DIR [--part 0 --parts 1]  DIR/part0.npz: as the reader sees them
    python -m benchmarks.board_reader_training train DIR [--steps STEPS]  hardware/camera/square_classifier.onnx.gz
    python -m benchmarks.board_reader_training further DIR [--steps STEPS]  the same, from the weights that are there

No photograph and nothing of the split UNSEEN is used. ``draw`` and ``look`` may run several times in parallel; the same
seeds give the same pictures. ``train`` needs PyTorch and ONNX (group ``eye-training``) and makes the network that sees
a whole board. Fifteen thousand boards take 9 GB as the reader sees them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from boards.drawn_boards import TRAIN, other_game, random_cells
from boards.solid_obstacles import SOLIDS, solid_obstacle
from drawn_tables.seeded_table_scene import (
    FrameState,
    SceneRequest,
    TableScene,
    mirrored_place,
    moment_of,
    obstacle_of,
    table_of,
)
from drawn_tables.table_renderer import RenderedImage, draw
from numpy.typing import NDArray

from benchmarks._network_files import read_layers, write_network
from hardware.camera.square_classifier import FOREIGN, KINDS, SURE_ALONE
from hardware.camera.square_features import RectifiedBoard

if TYPE_CHECKING:
    import torch

SMALLEST = ("draw", "FOLDER", "--count", "1")
#: file of the network
NAME = "square_classifier"
SIZES = ((320, 240), (480, 360), (640, 480), (480, 640), (640, 360))
LOW = (18.0, 35.0)
#: a square hidden by less counts as its own content; by more, as what hides it; between, it is not trained on
SEEN, HIDDEN_FROM = 0.10, 0.35
#: errors of the corners (squares) applied to every picture; in a share of the last, the board is shifted by one row or
#: half a square
ERRORS = (0.012, 0.035, 0.06)
BESIDE, BETWEEN = 0.22, 0.18
#: weight of foreign squares at a table relative to rendered boards, half of which have something on them
FOREIGN_SHARE = 0.25
#: every second board has typical cloth and discs; the others are mostly polished
PLAIN = replace(TRAIN, polished=0.0)
#: boards per step, the highest learning rate, and the share of the loss for squares seen in isolation
BOARDS, RATE, ALONE = 32, 3e-3, 0.4
#: the same for training from kept weights, and the weight of their right answers
FURTHER_BOARDS, FURTHER_RATE, HELD = 20, 3e-4, 0.7
#: width of the network where a square is one number, number of neighbour blocks there, and width where all is joined
WIDE, BLOCKS, JOINED = 80, 2, 112
#: share of boards displaced from their corners
DISPLACED = 0.6
#: share of boards with a wrongly estimated cloth
MISTAKEN = 0.2
#: shares of the pictures with something mirrored in black discs, and with the edge of a shade across the board
REFLECTING, SHADED = 0.5, 0.3
#: shares of chessboards, on which every square is foreign, and of tables with a wide lamp that many discs mirror
OTHER_GAMES, WIDE_LAMP = 0.08, 0.3
#: a reflection over a larger share of a disc's width leaves its rim only
RIM_ONLY = 0.8
SOLID_KINDS = [kind for kind in SOLIDS if kind != "piece"]
UNKNOWN = -1

Floats = NDArray[np.float32]
Picture = NDArray[np.uint8]


def draw_all(folder: Path, first: int, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(first, first + count):
        random = np.random.default_rng([seed, 77])
        size = SIZES[random.integers(len(SIZES))]
        if random.random() < OTHER_GAMES:
            drawn = other_game(TRAIN, seed, size)
            _keep(folder, seed, drawn, drawn.image, np.ones(64))
            continue
        low = LOW if random.random() < 0.25 else None  # objects behind the board are visible over its far row
        table = table_of(
            PLAIN if seed % 2 else TRAIN,
            seed,
            SceneRequest(size=size, stress=bool(random.random() < 0.6), elevation=low),
        )
        if random.random() < WIDE_LAMP:
            table = with_wide_lamp(table, random)
        things = tuple(
            obstacle_of(table, seed + k)
            if random.random() < 0.4
            else solid_obstacle(str(random.choice(SOLID_KINDS)), random, random.uniform(-0.7, 8.7, 2))
            for k in range(random.choice([0, 1, 2], p=[0.3, 0.4, 0.3]))
        )
        moment = moment_of(table, random_cells(random), 1, things)
        drawn = draw(table, moment, 1.2)
        image, covered = drawn.image, drawn.covered
        if random.random() < REFLECTING:
            image, covered = with_reflections_in_black(image, table, moment, covered, random)
        if random.random() < SHADED:
            image = with_edge_of_shade(image, drawn.corners, random)
        _keep(folder, seed, drawn, image, covered)


def _keep(folder: Path, seed: int, drawn: RenderedImage, image: Picture, covered: NDArray[np.float64]) -> None:
    cv2.imwrite(str(folder / f"{seed}.png"), image)
    np.savez(folder / f"{seed}.npz", corners=drawn.corners, cells=np.array(list(drawn.cells)), covered=covered)


def with_wide_lamp(table: TableScene, random: np.random.Generator) -> TableScene:
    """Return the table with a wide lamp that its polished discs mirror."""
    lamp = replace(
        table.lamps[0],
        place=mirrored_place(random, table.lens, float(random.uniform(7, 26))),
        strength=float(random.uniform(0.2, 0.9)),
        width=float(random.uniform(2.0, 9.0)),
        slim=float(random.uniform(0.2, 1.0)),
    )
    material = replace(table.material, disc_gloss=float(random.uniform(0.08, 0.24)))
    return replace(table, lamps=(lamp, *table.lamps[1:]), material=material)


def with_reflections_in_black(
    image: Picture, table: TableScene, moment: FrameState, hidden: NDArray[np.float64], random: np.random.Generator
) -> tuple[Picture, NDArray[np.float64]]:
    """Return the picture with a lamp or something green mirrored in some black discs, and what is ``hidden`` in it: a
    disc of which nothing but the rim is seen is ``?``."""
    out: NDArray[np.float32] = image.astype(np.float32)
    result = hidden.copy()
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    for at in range(64):
        if moment.cells[at] != "X" or hidden[at] > 0.02 or random.random() < 0.5:
            continue
        share, slim, angle = random.uniform(0.3, 0.97), random.uniform(0.4, 1.0), random.uniform(0, np.pi)
        way, strength = random.uniform(0, 2 * np.pi), random.uniform(0.35, 1.0)
        result[at] = share * np.sqrt(slim) > RIM_ONLY and strength > 0.6
        aside = table.radius * (0.98 - share) * random.uniform(0, 1)
        middle = moment.places[at] + aside * np.array([np.cos(way), np.sin(way)])
        spot = np.stack([np.cos(turn), slim * np.sin(turn)], axis=1) * table.radius * share
        spot = spot @ np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
        points = np.column_stack([middle + spot, np.full(len(turn), table.height)])
        mask = np.zeros(image.shape[:2], np.float32)
        cv2.fillConvexPoly(mask, np.round(table.lens.at(points) * 16).astype(np.int32), 1.0, cv2.LINE_AA, 4)
        mask = np.asarray(cv2.GaussianBlur(mask, (0, 0), random.uniform(0.5, 1.5)), np.float32)
        mask *= np.float32(strength)
        white = random.random() < 0.6
        colour = random.uniform(170, 255) * np.ones(3) if white else 255 * np.array(table.material.cloth)[::-1]
        if not white:
            colour = colour * random.uniform(0.6, 1.4) + random.normal(0, 15, 3)
        out += mask[..., None] * (np.clip(colour, 0, 255).astype(np.float32) - out)
    return np.clip(out, 0, 255).astype(np.uint8), result


def with_edge_of_shade(image: Picture, corners: NDArray[np.float64], random: np.random.Generator) -> Picture:
    """Return the picture with one side of a line across the board, sharp or soft, in the shade."""
    way, (x, y) = random.uniform(0, 2 * np.pi), random.dirichlet(np.ones(4)) @ corners
    soft = np.linalg.norm(np.diff(corners, axis=0), axis=1).mean() / 8 * random.choice([0.01, 0.1, 0.5])
    down, across = np.mgrid[: image.shape[0], : image.shape[1]]
    shaded = 1 / (1 + np.exp(-np.clip(((across - x) * np.cos(way) + (down - y) * np.sin(way)) / soft, -30, 30)))
    return np.asarray(image * (1 - random.uniform(0.25, 0.7) * shaded[..., None]), np.uint8)


def render_views(folder: Path, part: int, parts: int) -> None:
    """Write every ``parts``-th picture as the reader sees it: ``seen`` n × 7 × 120 × 120 and ``about`` n × 9 × 10 × 10,
    float16; ``kinds`` n × 64, -1 where unknown; ``seed``.
    """
    seen, about, kinds, seeds = [], [], [], []
    for path in sorted(folder.glob("*.npz"))[part::parts]:
        if not path.stem.isdecimal():
            continue
        truth = np.load(path)
        image = np.asarray(cv2.imread(str(path.with_suffix(".png"))), np.uint8)
        right = np.array([KINDS.index(cell) for cell in truth["cells"]])
        random = np.random.default_rng([int(path.stem), 79])
        for one, beside, labels in _looks(image, truth["corners"], right, truth["covered"], random):
            seen.append(one)
            about.append(beside)
            kinds.append(labels)
            seeds.append(int(path.stem))
    np.savez(folder / f"part{part}.npz", seen=np.stack(seen), about=np.stack(about), kinds=np.stack(kinds), seed=seeds)
    print(f"{len(seeds)} looks", flush=True)


def _looks(
    image: Picture,
    true_corners: NDArray[np.float64],
    right: NDArray[np.int64],
    hidden: NDArray[np.float64],
    random: np.random.Generator,
) -> Iterator[tuple[NDArray[np.float16], NDArray[np.float16], NDArray[np.int8]]]:
    kinds = np.where(hidden > HIDDEN_FROM, FOREIGN, np.where(hidden < SEEN, right, UNKNOWN))
    for number, error in enumerate(ERRORS):
        random.integers(4)
        corners = _nudged(true_corners, random.normal(0, error, (4, 2)))
        sight = RectifiedBoard.of(image, corners)
        if sight.view.pose.square_pixels() < 5:
            return
        shift, labels, which = (0.0, 0.0), kinds, random.random()
        if number == len(ERRORS) - 1 and which < BESIDE:
            dx, dy = ((1, 0), (-1, 0), (0, 1), (0, -1))[random.integers(4)]
            framed = np.pad(kinds.reshape(8, 8), 1, constant_values=FOREIGN)
            shift, labels = (float(dx), float(dy)), framed[1 + dy : 9 + dy, 1 + dx : 9 + dx].ravel()
        elif number == len(ERRORS) - 1 and which < BESIDE + BETWEEN:
            half = float(random.uniform(0.42, 0.5) * random.choice([-1, 1]))
            shift = (half, 0.0) if random.random() < 0.5 else (0.0, half)
            labels = np.where((hidden < SEEN) & (right > 0), FOREIGN, UNKNOWN)
        board = sight.whole(shift, float(random.uniform(0.14, 0.22)))
        yield (
            board.seen.transpose(2, 0, 1).astype(np.float16),
            board.about.transpose(2, 0, 1).astype(np.float16),
            labels[board.number].astype(np.int8),
        )


def _nudged(corners: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the corners moved by this many squares along the board's sides."""
    across = (corners[1] - corners[0] + corners[2] - corners[3]) / 16
    down = (corners[3] - corners[0] + corners[2] - corners[1]) / 16
    return np.asarray(corners + squares[:, :1] * across + squares[:, 1:] * down)


def augment(seen: Floats, about: Floats, kinds: NDArray[np.int64], random: np.random.Generator) -> None:
    """Augment boards (n × 7 × 120 × 120, n × 9 × 10 × 10, n × 64) in place: mirrored, displaced from their corners,
    with lamp reflections, with other brightness and hue, noisy.
    """
    count = len(seen)
    over = random.random(count) < 0.5
    seen[over], about[over] = seen[over][:, :, :, ::-1], about[over][:, :, :, ::-1]
    about[over, 0] *= -1
    kinds[over] = kinds[over].reshape(-1, 8, 8)[:, :, ::-1].reshape(-1, 64)
    for board in np.flatnonzero(random.random(count) < DISPLACED):
        seen[board] = _displaced(seen[board], random)
    for board in np.flatnonzero(random.random(count) < 0.25):
        left = _reflections(random)
        cloth = min(float(np.exp((about[board, 2].mean() - 0.5) * 3)), 1.0)
        brightest = max(min(2.5, 0.1 - np.log(max(cloth, 0.05))), float(seen[board, 0].max()))
        for first in (0, 3):
            seen[board, first] = np.clip(seen[board, first] - np.log(left), -3.5, brightest)
            seen[board, first + 1] = left * seen[board, first + 1] + (1 - left) * random.choice([0, 1])
            seen[board, first + 2] *= left
        seen[board, 6] = np.minimum(seen[board, 6] - np.log(left) / 2, 1.01)

    def each(spread: float) -> Floats:
        return random.normal(0, spread, (count, 1, 1)).astype(np.float32)

    # the cloth's brightness and hue are never known exactly
    brighter = each(0.08)
    seen[:, 0] += brighter
    seen[:, 3] += brighter
    seen[:, 6] += each(0.05)
    for hue, signs in ((1, (1,)), (2, (-1, 1))):
        stronger = (random.uniform(0.8, 1.2, (count, 1, 1)) * random.choice(signs, (count, 1, 1))).astype(np.float32)
        away = each(0.04)
        for channel in (hue, hue + 3):
            seen[:, channel] = seen[:, channel] * stronger + away
    about[:, 2:] += random.normal(0, 0.03, (count, 7, 1, 1)).astype(np.float32)
    for board in np.flatnonzero(random.random(count) < MISTAKEN):
        # something else was taken for cloth: dark discs, a shadow
        brighter, *hues = random.normal(0, [0.5, 0.25, 0.25]).astype(np.float32)
        for first in (0, 3):
            seen[board, first] -= brighter
            for channel, hue in enumerate(hues, first + 1):
                seen[board, channel] += hue
        about[board, 2] += brighter / 3
        about[board, 6:] -= brighter
    noise = random.choice([0.02, 0.06, 0.15], (count, 1, 1, 1)).astype(np.float32)
    seen += noise * random.standard_normal(seen.shape, np.float32)


def _displaced(seen: Floats, random: np.random.Generator) -> Floats:
    """Return the board up to a quarter of a square away from its corners, turned and stretched a little."""
    (left, down), turn = np.clip(random.normal(0, 0.11, 2), -0.28, 0.28), random.normal(0, 0.012)
    stretch, lean = 1 + random.normal(0, 0.012), random.normal(0, 0.01)
    across = np.array([[stretch * np.cos(turn), lean - np.sin(turn)], [np.sin(turn), stretch * np.cos(turn)]])
    middle = np.full(2, (len(_DOWN) - 1) / 2)
    matrix = np.column_stack([across, middle - across @ middle + 12 * np.array([left, down])])
    parts = [
        cv2.warpAffine(
            np.ascontiguousarray(np.moveaxis(part, 0, -1)), matrix, part.shape[1:], borderMode=cv2.BORDER_REPLICATE
        )
        for part in (seen[:4], seen[4:])  # this many planes at once
    ]
    return np.asarray(np.moveaxis(np.concatenate(parts, axis=-1), -1, 0), np.float32)


_DOWN, _ACROSS = np.mgrid[0:120, 0:120].astype(np.float32) / 12 - 1


def _reflections(random: np.random.Generator) -> Floats:
    """Return reflections of tubes and spots: the share of the light that is the board's own, 120 × 120."""
    light = np.zeros((120, 120), np.float32)
    for _ in range(random.integers(1, 4)):
        angle, (x, y) = random.uniform(0, np.pi), random.uniform(0, 8, 2)
        cosine, sine = np.float32(np.cos(angle)), np.float32(np.sin(angle))
        aside = (_ACROSS - np.float32(x)) * cosine + (_DOWN - np.float32(y)) * sine
        along = np.abs((_DOWN - np.float32(y)) * cosine - (_ACROSS - np.float32(x)) * sine)
        width, length = np.float32(random.uniform(0.05, 0.5)), np.float32(random.uniform(0.1, 3))
        tube = np.exp(-((aside / width) ** 2)) * np.clip((length - along) / 0.2 + 1, 0, 1)
        faint = np.exp(-((aside / width / 4) ** 2) - (along / (length + 1)) ** 2)
        light += tube * np.float32(random.uniform(0.2, 3)) + faint * np.float32(random.uniform(0, 0.3))
    return np.maximum(1 / (1 + light), np.float32(0.03))


def _looks_in(folder: Path) -> dict[str, NDArray[np.generic]]:
    """Return all parts joined, holding at most one of them twice in memory."""
    paths = sorted(folder.glob("part*.npz"))
    counts = [len(np.load(path)["seed"]) for path in paths]
    views: dict[str, NDArray[np.generic]] = {}
    for path, start, count in zip(paths, np.cumsum([0, *counts]), counts, strict=False):
        with np.load(path) as part:
            for name in part.files:
                one = part[name]
                joined = views.setdefault(name, np.empty((sum(counts), *one.shape[1:]), one.dtype))
                joined[start : start + count] = one
    return views


def train(folder: Path, steps: int, further: bool = False) -> None:
    """Train the network; ``further``: from the kept weights, whose right answers it is held to.

    The kept weights were trained so in 8000 steps over the seeds 1330000 to 1333499 and 1334000 to 1335499, drawn
    without chessboards and wide lamps; in 8000 with 1336000 to 1338999 added; and in 4000 with 1339000 to 1340199, with
    ``SHADED`` 0.7.
    """
    import torch
    from torch.nn import functional

    torch.manual_seed(14)
    torch.set_num_threads(1)
    random = np.random.default_rng(14)
    views = _looks_in(folder)
    learnt, held_back = np.flatnonzero(views["seed"] % 25), np.flatnonzero(views["seed"] % 25 == 0)
    print(f"{len(learnt)} looks to learn from, {len(held_back)} kept back", flush=True)
    network, before = _network(), _network()
    if further:
        _take_kept(network)
        _take_kept(before)
    rate, boards = (FURTHER_RATE, FURTHER_BOARDS) if further else (RATE, BOARDS)
    adam = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-4 if further else 1e-3)
    mean = {name: value.clone() for name, value in network.state_dict().items()}
    order, loss_sum = np.empty(0, np.int64), 0.0
    for step in range(steps):
        if len(order) < boards:
            order = random.permutation(learnt)
        at, order = order[:boards], order[boards:]
        batch = views["seen"][at].astype(np.float32), views["about"][at].astype(np.float32)
        kinds = views["kinds"][at].astype(np.int64)
        augment(*batch, kinds, random)
        adam.param_groups[0]["lr"] = rate * min(1, step / 150) * max(0.5 * (1 + np.cos(np.pi * step / steps)), 0.003)
        with torch.autocast("cpu", torch.bfloat16):
            alone, out = network(*(torch.from_numpy(one) for one in batch))
        wanted = torch.from_numpy(kinds)
        loss = sum(
            share
            * functional.cross_entropy(output.float().flatten(2), wanted, ignore_index=UNKNOWN, label_smoothing=0.005)
            for share, output in ((ALONE, alone), (1.0, out))
        )
        if further:
            with torch.no_grad(), torch.autocast("cpu", torch.bfloat16):
                output = before(*(torch.from_numpy(one) for one in batch))[1].float().flatten(2)
            right = (output.argmax(1) == wanted).float()
            away = -(output.softmax(1) * out.float().flatten(2).log_softmax(1)).sum(1)
            loss = loss + HELD * (away * right).sum() / right.sum()
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        adam.step()
        keep = min(0.998, (step + 1) / (step + 11))  # weights are averaged over the last few hundred steps
        for name, value in network.state_dict().items():
            mean[name] = mean[name] * keep + value * (1 - keep) if value.dtype.is_floating_point else value.clone()
        loss_sum += loss.item()
        if step % 100 == 99:
            print(f"step {step + 1} of {steps}: loss {loss_sum / 100:.4f}", flush=True)
            loss_sum = 0.0
    network.load_state_dict(mean)
    _tell_held_back(network, {name: views[name][held_back] for name in views})
    _write(network)


def _network() -> torch.nn.Module:
    """Return the layers of ``hardware.camera.square_classifier``, with batch normalisation."""
    import torch
    from torch import nn

    def over(before: int, after: int, kernel: int, stride: int = 1, margin: int = 0) -> nn.Sequential:
        return nn.Sequential(nn.Conv2d(before, after, kernel, stride, margin, bias=False), nn.BatchNorm2d(after))

    class Board(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.ModuleList(
                [over(7, 24, 5, 2, 2), over(24, 32, 3, 2, 1), over(32, 48, 3, 1, 1), over(48, WIDE, 3, 3)]
            )
            self.mix = over(WIDE + 9, WIDE, 1)
            self.more = nn.ModuleList([over(WIDE, WIDE, 3, 1, 1) for _ in range(2 * BLOCKS)])
            self.alone = nn.Conv2d(WIDE, len(KINDS), 1)
            self.join = nn.Conv2d(4 * WIDE + 3 + len(KINDS), JOINED, 1)
            self.beside = over(JOINED, WIDE, 3, 1, 1)
            self.last = nn.Conv2d(WIDE, len(KINDS), 1)

        def layers(self) -> list[nn.Module]:
            return [*self.stem, self.mix, *self.more, self.alone, self.join, self.beside, self.last]

        def forward(self, out: torch.Tensor, about: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            for layer in self.stem:
                out = layer(out).relu()
            out = self.mix(torch.cat([out, about], 1)).relu()
            for first, second in zip(self.more[::2], self.more[1::2], strict=True):
                out = (out + second(first(out).relu())).relu()
            out = out[:, :, 1:9, 1:9]
            alone = self.alone(out)
            weight = alone.softmax(1)[:, :FOREIGN].square().reshape(-1, FOREIGN, 64)
            many = weight.sum(2, keepdim=True)
            means = weight @ out.reshape(-1, WIDE, 64).transpose(1, 2) / (many + 0.5)
            parts = [means.reshape(-1, FOREIGN * WIDE, 1, 1), (many + 1).log().reshape(-1, FOREIGN, 1, 1) / 4]
            board = nn.functional.interpolate(torch.cat(parts, 1), scale_factor=8.0)
            joined = self.join(torch.cat([out, board, alone.clamp(-12, 12) / 4], 1)).relu()
            return alone, self.last(self.beside(joined).relu())

    return Board().to(memory_format=torch.channels_last)


def _take_kept(network: torch.nn.Module) -> None:
    """Set the layers of ``square_classifier.onnx.gz``, with norms that change nothing."""
    import torch

    network.eval()
    with torch.no_grad():
        for layer, (weights, bias) in zip(network.layers(), read_layers(NAME), strict=True):
            convolution, last = (layer, layer) if hasattr(layer, "bias") else (layer[0], layer[1])
            convolution.weight.copy_(torch.from_numpy(weights))
            last.bias.copy_(torch.from_numpy(bias))
            if last is not convolution:
                last.weight.fill_((1 + last.eps) ** 0.5)
        network.last.bias[FOREIGN] -= float(np.log(FOREIGN_SHARE))


def _tell_held_back(network: torch.nn.Module, held_back: dict[str, NDArray[np.generic]]) -> None:
    """Print for held-out squares the shares that are right and wrong, and the confidence for foreign ones."""
    import torch

    network.eval()
    outputs = []
    with torch.no_grad():
        for start in range(0, len(held_back["seed"]), 64):
            batch = (
                torch.from_numpy(held_back[name][start : start + 64].astype(np.float32)) for name in ("seen", "about")
            )
            outputs.append(network(*batch)[1].flatten(2).softmax(1).numpy())
    odds, kinds = np.concatenate(outputs).transpose(0, 2, 1).reshape(-1, len(KINDS)), held_back["kinds"].ravel()
    best, is_board = odds.argmax(axis=1), (np.asarray(kinds, np.int64) >= 0) & (kinds != FOREIGN)
    believed = (odds.max(axis=1) >= SURE_ALONE) & (best != FOREIGN)
    right, wrong = (float((believed & one)[is_board].mean()) for one in (best == kinds, best != kinds))
    print(f"kept back {right:.3%} right, {wrong:.3%} wrong, {float(believed[kinds == FOREIGN].mean()):.3%} of foreign")


def _write(network: torch.nn.Module) -> None:
    """Write the network with the share of foreign squares at a table, to give probabilities."""
    import torch

    class Odds(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.network = network

        def forward(self, seen: torch.Tensor, about: torch.Tensor) -> torch.Tensor:
            return self.network(seen, about)[1].softmax(1)

    with torch.no_grad():
        network.last.bias[FOREIGN] += float(np.log(FOREIGN_SHARE))
    write_network(NAME, Odds(), seen=torch.zeros(6, 7, 120, 120), about=torch.zeros(6, 9, 10, 10))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("act", choices=["draw", "look", "train", "further"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--first", type=int, default=1_100_000)
    parser.add_argument("--count", type=int, default=15_000)
    parser.add_argument("--part", type=int, default=0)
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("--steps", type=int, default=22_000)
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    if arguments.act == "draw":
        draw_all(arguments.folder, arguments.first, arguments.count)
    elif arguments.act == "look":
        render_views(arguments.folder, arguments.part, arguments.parts)
    else:
        train(arguments.folder, arguments.steps, arguments.act == "further")


if __name__ == "__main__":
    main()
