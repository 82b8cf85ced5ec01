"""Generator of the two-button hat: hat.kicad_sch and hat.kicad_pcb, from the tables in this file.

    python3 fabrication/hat/generate_hat.py        # with the Python that KiCad 9 is installed for (module pcbnew)

`PARTS` lists the components and the net of each pin, `POSITIONS` where they stand. Everything else is derived: the
schematic's labels, the copper (a maze router on a grid of 0.254 mm, two layers, ground as a plane on both), the silk
screen. The pins of the 40-pin header are those of docs/setup/wiring-and-hardware.md;
tests/hardware/test_hat_and_parts.py compares them with a table's defaults.
"""

import heapq
import re
import uuid
from itertools import pairwise
from pathlib import Path

import pcbnew

HERE = Path(__file__).parent
SYMBOLS = Path("/usr/share/kicad/symbols")
FOOTPRINTS = Path("/usr/share/kicad/footprints")

# Header pins by net. Pins not listed are unconnected.
HEADER = {
    2: "+5V", 4: "+5V", **dict.fromkeys((6, 9, 14, 20, 25, 30, 34, 39), "GND"),
    11: "LEFT", 13: "RIGHT", 15: "ARBITER", 16: "LEFT_LAMP", 18: "RIGHT_LAMP", 12: "BUZZER", 31: "SUPPLY",
}  # fmt: skip

RESISTOR = ("Device:R", "Resistor_THT:R_Axial_DIN0207_L6.3mm_D2.5mm_P7.62mm_Horizontal")
CAPACITOR = ("Device:C", "Capacitor_THT:C_Disc_D3.0mm_W2.0mm_P2.50mm")
TRANSISTOR = ("Transistor_BJT:Q_NPN_EBC", "Package_TO_SOT_THT:TO-92_Inline_Wide")
TWO = ("Connector_Generic:Conn_01x02", "Connector_JST:JST_XH_B2B-XH-A_1x02_P2.50mm_Vertical")
FOUR = ("Connector_Generic:Conn_01x04", "Connector_JST:JST_XH_B4B-XH-A_1x04_P2.50mm_Vertical")

# reference -> (symbol and footprint, value, net of each pin)
PARTS = {
    "J1": (
        ("Connector_Generic:Conn_02x20_Odd_Even", "Connector_PinSocket_2.54mm:PinSocket_2x20_P2.54mm_Vertical"),
        "Raspberry Pi, socket from below",
        HEADER,
    ),
    "J2": (FOUR, "LEFT: button, GND, lamp +, lamp -", {1: "LEFT_IN", 2: "GND", 3: "+5V", 4: "LEFT_LAMP_OUT"}),
    "J3": (FOUR, "RIGHT: button, GND, lamp +, lamp -", {1: "RIGHT_IN", 2: "GND", 3: "+5V", 4: "RIGHT_LAMP_OUT"}),
    "J4": (TWO, "ARBITER: button, GND", {1: "ARBITER_IN", 2: "GND"}),
    "J5": (TWO, "SUPPLY: signal, GND", {1: "SUPPLY_IN", 2: "GND"}),
    "BZ1": (("Device:Buzzer", "Buzzer_Beeper:Buzzer_12x9.5RM7.6"), "active, 5 V", {1: "+5V", 2: "BUZZER_OUT"}),
}  # fmt: skip
# Each external line: 1 k in series, 10 nF behind it (docs/setup/wiring-and-hardware.md, long cables).
for number, line in enumerate(("LEFT", "RIGHT", "ARBITER", "SUPPLY"), 1):
    PARTS[f"R{number}"] = (RESISTOR, "1k", {1: f"{line}_IN", 2: line})
    PARTS[f"C{number}"] = (CAPACITOR, "10n", {1: line, 2: "GND"})
# Each load is on 5 V behind a transistor that stays off while the Pi starts.
for number, line in enumerate(("LEFT_LAMP", "RIGHT_LAMP", "BUZZER"), 1):
    PARTS[f"Q{number}"] = (
        TRANSISTOR,
        "2N3904",
        {1: "GND", 2: f"{line}_BASE", 3: f"{line}_OUT" if line == "BUZZER" else f"{line}_SINK"},
    )
    PARTS[f"R{2 * number + 3}"] = (RESISTOR, "1k", {1: line, 2: f"{line}_BASE"})
    PARTS[f"R{2 * number + 4}"] = (RESISTOR, "10k", {1: f"{line}_BASE", 2: "GND"})
for number, line in enumerate(("LEFT_LAMP", "RIGHT_LAMP"), 11):
    PARTS[f"R{number}"] = (RESISTOR, "150", {1: f"{line}_OUT", 2: f"{line}_SINK"})

# Position of pin 1, millimetres from the upper left corner of the hat (65 x 56.5), and the rotation in degrees.
POSITIONS = {
    "J2": (10.5, 50.5, 0), "J4": (24, 50.5, 0), "J5": (34, 50.5, 0), "J3": (46, 50.5, 0),
    "R1": (9, 43, 90), "C1": (12, 35.4, 0), "R11": (19, 43, 90),
    "R3": (25, 43, 90), "C3": (28, 35.4, 0), "R4": (35, 43, 90), "C4": (38, 35.4, 0),
    "R2": (45, 43, 90), "C2": (48, 35.4, 0), "R12": (55, 43, 90),
    "Q1": (16, 28, 0), "R5": (13, 20, 90), "R6": (18, 20, 90),
    "Q2": (51, 28, 0), "R7": (54, 20, 90), "R8": (59, 20, 90),
    "Q3": (28, 28, 0), "R9": (26, 20, 90), "R10": (31, 20, 90),
    "BZ1": (38, 20, 0),
}  # fmt: skip
WIDTH, HEIGHT = 65.0, 56.5
HOLES = [(3.5, 3.5), (61.5, 3.5), (3.5, 52.5), (61.5, 52.5)]
PIN_1 = (8.37, 4.77)
GRID = 0.254
TRACK, POWER, CLEARANCE = 0.3, 0.4, 0.2  # 0.4 mm fits between two pins of the header and carries an ampere


# --- the schematic ---


def symbol_text(name: str) -> str:
    """Return a symbol of KiCad's library as it is embedded in a schematic."""
    library, symbol = name.split(":")
    text = (SYMBOLS / f"{library}.kicad_sym").read_text()
    start = text.index(f'\t(symbol "{symbol}"\n')
    depth = 0
    for end in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0 and text[end] == ")":
            return text[start : end + 1].replace(f'(symbol "{symbol}"', f'(symbol "{name}"', 1)
    raise ValueError(name)


def pins_of(symbol: str) -> dict[int, tuple[float, float, int]]:
    """Return each pin's end and the direction of its line, in the symbol's own axes (y upwards)."""
    found = re.findall(r"\(pin \w+ \w+\s+\(at ([-\d.]+) ([-\d.]+) (\d+)\).*?\(number \"(\d+)\"", symbol, re.DOTALL)
    return {int(number): (float(x), float(y), int(turn)) for x, y, turn, number in found}


def stable_uuid(*of: object) -> str:
    """Return an identifier derived from the arguments, so that an unchanged drawing keeps its identifiers and diffs
    stay small."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, "/".join(map(str, ("othello-hat", *of)))))


def symbol_block(ref: str, at: tuple[float, float], symbols: dict[str, str]) -> str:
    """Return a component of the schematic, with a wire and a net label at each of its pins."""
    (name, footprint), value, nets = PARTS[ref]
    x, y = at
    font = "(effects (font (size 1.27 1.27)) (justify left))"
    hidden = "(effects (font (size 1.27 1.27)) (hide yes))"
    above = {"J1": 32, "J2": 10, "J3": 10, "J4": 7, "J5": 7}.get(ref)
    texts = (x - 3, y - above) if above else (x + 4, y - 1.27)
    out = [
        f'(symbol (lib_id "{name}") (at {x} {y} 0) (unit 1) (exclude_from_sim no) (in_bom yes) (on_board yes) (dnp no)'
        f' (uuid "{stable_uuid(ref)}")',
        f'(property "Reference" "{ref}" (at {texts[0]} {texts[1]} 0) {font})',
        f'(property "Value" "{value}" (at {texts[0]} {texts[1] + 2.54} 0) {font})',
        f'(property "Footprint" "{footprint}" (at {x} {y} 0) {hidden})',
    ]
    after = []
    for pin, (dx, dy, turn) in sorted(pins_of(symbols[name]).items()):
        out.append(f'(pin "{pin}" (uuid "{stable_uuid(ref, pin)}"))')
        end = (round(x + dx, 2), round(y - dy, 2))
        if pin not in nets:
            after.append(f'(no_connect (at {end[0]} {end[1]}) (uuid "{stable_uuid("nc", ref, pin)}"))')
            continue
        out_x, out_y = {0: (-1, 0), 180: (1, 0), 90: (0, 1), 270: (0, -1)}[turn]
        far = (round(end[0] + 2.54 * out_x, 2), round(end[1] + 2.54 * out_y, 2))
        side = {(-1, 0): (180, "right"), (1, 0): (0, "left"), (0, 1): (270, "right"), (0, -1): (90, "left")}[
            out_x, out_y
        ]
        after.append(
            f"(wire (pts (xy {end[0]} {end[1]}) (xy {far[0]} {far[1]})) (stroke (width 0) (type default))"
            f' (uuid "{stable_uuid("wire", ref, pin)}"))'
        )
        after.append(
            f'(label "{nets[pin]}" (at {far[0]} {far[1]} {side[0]})'
            f" (effects (font (size 1.27 1.27)) (justify {side[1]}))"
            f' (uuid "{stable_uuid("label", ref, pin)}"))'
        )
    out.append(f'(instances (project "hat" (path "/{stable_uuid("sheet")}" (reference "{ref}") (unit 1)))))')
    return "\n".join(out + after)


def draw_schematic() -> None:
    """Write hat.kicad_sch."""
    names = sorted({part[0][0] for part in PARTS.values()})
    symbols = {name: symbol_text(name) for name in names}
    step = 2.54
    where: dict[str, tuple[float, float]] = {"J1": (20 * step, 40 * step)}
    blocks: list[tuple[str, float, float]] = [("Raspberry Pi / 40ピン", 12, 22)]
    for row, (title, refs) in enumerate(
        {
            "Left button and lamp / 左のボタンとランプ": ("J2", "R1", "C1", "R11", "Q1", "R5", "R6"),
            "Right button and lamp / 右のボタンとランプ": ("J3", "R2", "C2", "R12", "Q2", "R7", "R8"),
            "Arbiter's button / 審判のボタン": ("J4", "R3", "C3"),
            "Hold-up supply / 補助電源": ("J5", "R4", "C4"),
            "Buzzer / ブザー": ("BZ1", "Q3", "R9", "R10"),
        }.items()
    ):
        short = row in (2, 3)
        left, upper = (90 if row == 3 else 43), (18, 38, 58, 58, 78)[row]
        blocks.append((title, left - 3, upper - 9))
        for n, ref in enumerate(refs):
            where[ref] = ((left + n * (12 if short else 15)) * step, upper * step)
    texts = "\n".join(
        f'(text "{title}" (exclude_from_sim no) (at {x * step} {y * step} 0) (effects (font (size 2 2)) (justify left))'
        f' (uuid "{stable_uuid("text", title)}"))'
        for title, x, y in blocks
    )
    body = "\n".join(symbol_block(ref, at, symbols) for ref, at in where.items())
    (HERE / "hat.kicad_sch").write_text(
        '(kicad_sch (version 20250114) (generator "generate_hat.py") (generator_version "9.0")\n'
        f'(uuid "{stable_uuid("sheet")}") (paper "A3")\n'
        '(title_block (rev "1") (title "Two-button hat of an Othello table / 対局席の基板")'
        ' (comment 1 "docs/setup/wiring-and-hardware.md"))\n'
        f"(lib_symbols\n{chr(10).join(symbols.values())}\n)\n{texts}\n{body}\n"
        '(sheet_instances (path "/" (page "1")))\n)\n'
    )


# --- the board ---


def mm(x: float, y: float) -> pcbnew.VECTOR2I:
    """Return a position in KiCad's internal units."""
    return pcbnew.VECTOR2I(pcbnew.FromMM(x), pcbnew.FromMM(y))


def add_footprint(board: pcbnew.BOARD, name: str, ref: str, value: str) -> pcbnew.FOOTPRINT:
    """Load a footprint from KiCad's library, add it to the board and return it."""
    library, part = name.split(":")
    item = pcbnew.FootprintLoad(str(FOOTPRINTS / f"{library}.pretty"), part)
    item.SetFPID(pcbnew.LIB_ID(library, part))
    item.SetReference(ref)
    item.SetValue(value)
    item.Value().SetVisible(False)
    board.Add(item)
    return item


def pad_position(pad: pcbnew.PAD) -> tuple[float, float]:
    """Return a pad's centre in millimetres."""
    return pcbnew.ToMM(pad.GetPosition().x), pcbnew.ToMM(pad.GetPosition().y)


def is_header_oriented(part: pcbnew.FOOTPRINT) -> bool:
    """Return whether pin 2 is above pin 1 and pin 3 to its right, seen from above as on the Pi."""
    first, second, third = (pad_position(part.FindPadByNumber(n)) for n in "123")
    return second[1] < first[1] - 1 and third[0] > first[0] + 1


def draw_board() -> None:
    """Write hat.kicad_pcb: components, tracks, ground planes, outline and silk screen."""
    board = pcbnew.NewBoard(str(HERE / "hat.kicad_pcb"))
    nets: dict[str | int, pcbnew.NETINFO_ITEM] = {}
    names: dict[str | int, str] = {
        net: f"/{net}" for _, _, pins in PARTS.values() for net in pins.values()
    }  # a sheet's labels are local to it
    names.update({n: f"unconnected-(J1-Pin_{n}-Pad{n})" for n in range(1, 41) if n not in HEADER})
    for net, name in names.items():
        nets[net] = pcbnew.NETINFO_ITEM(board, name)
        board.Add(nets[net])
    for ref, ((_, name), value, pins) in PARTS.items():
        part = add_footprint(board, name, ref, value)
        if ref == "J1":  # below the hat
            part.Flip(part.GetPosition(), pcbnew.FLIP_DIRECTION_LEFT_RIGHT)
            for turn in (0, 90, 180, 270):
                part.SetOrientationDegrees(turn)
                if is_header_oriented(part):
                    break
            x, y = PIN_1
        else:
            x, y, turn = POSITIONS[ref]
            part.SetOrientationDegrees(turn)
        have = pad_position(part.FindPadByNumber("1"))
        part.Move(mm(x - have[0], y - have[1]))
        path = pcbnew.KIID_PATH(f"/{stable_uuid(ref)}")
        part.SetPath(path)
        for pad in part.Pads():
            if pad.GetNumber():
                number = int(pad.GetNumber())
                pad.SetNet(nets[pins.get(number, number)])
    for n, (x, y) in enumerate(HOLES, 1):
        hole = add_footprint(board, "MountingHole:MountingHole_2.7mm_M2.5", f"H{n}", "")
        hole.SetPosition(mm(x, y))
        hole.SetAttributes(hole.GetAttributes() | pcbnew.FP_BOARD_ONLY | pcbnew.FP_EXCLUDE_FROM_BOM)
        hole.Reference().SetVisible(False)
    draw_outline(board)
    add_labels(board)
    Router(board, nets).route()
    for layer in (pcbnew.F_Cu, pcbnew.B_Cu):
        zone = add_zone(
            board, layer, [(0.5, 0.5), (WIDTH - 0.5, 0.5), (WIDTH - 0.5, HEIGHT - 0.5), (0.5, HEIGHT - 0.5)]
        )
        zone.SetNet(nets["GND"])
        zone.SetLocalClearance(pcbnew.FromMM(0.25))
        zone.SetMinThickness(pcbnew.FromMM(0.25))
        zone.SetThermalReliefSpokeWidth(pcbnew.FromMM(0.4))
        zone.SetThermalReliefGap(pcbnew.FromMM(0.3))
        for x, y in HOLES:  # no copper below a screw's head
            free = add_zone(
                board,
                layer,
                [
                    (x + i * 3.1, y + j * 3.1)
                    for i, j in ((-1, -0.4), (-0.4, -1), (0.4, -1), (1, -0.4), (1, 0.4), (0.4, 1), (-0.4, 1), (-1, 0.4))
                ],
            )
            free.SetIsRuleArea(True)
            free.SetDoNotAllowCopperPour(True)
            free.SetDoNotAllowTracks(True)
            free.SetDoNotAllowVias(True)
            free.SetDoNotAllowPads(False)
            free.SetDoNotAllowFootprints(False)
    pcbnew.ZONE_FILLER(board).Fill(board.Zones())
    pcbnew.SaveBoard(str(HERE / "hat.kicad_pcb"), board)


def add_zone(board: pcbnew.BOARD, layer: int, corners: list[tuple[float, float]]) -> pcbnew.ZONE:
    """Add a polygon zone to a layer and return it."""
    item = pcbnew.ZONE(board)
    item.SetLayer(layer)
    chain = pcbnew.SHAPE_LINE_CHAIN()
    for corner in corners:
        chain.Append(mm(*corner))
    chain.SetClosed(True)
    item.AddPolygon(chain)
    board.Add(item)
    return item


def draw_outline(board: pcbnew.BOARD) -> None:
    """Draw the board's edge with rounded corners."""
    r = 3.0
    lines = [
        ((r, 0), (WIDTH - r, 0)),
        ((WIDTH, r), (WIDTH, HEIGHT - r)),
        ((WIDTH - r, HEIGHT), (r, HEIGHT)),
        ((0, HEIGHT - r), (0, r)),
    ]
    d = r * (1 - 0.5**0.5)
    arcs = [
        ((0, r), (d, d), (r, 0)), ((WIDTH - r, 0), (WIDTH - d, d), (WIDTH, r)),
        ((WIDTH, HEIGHT - r), (WIDTH - d, HEIGHT - d), (WIDTH - r, HEIGHT)),
        ((r, HEIGHT), (d, HEIGHT - d), (0, HEIGHT - r)),
    ]  # fmt: skip
    for start, end in lines:
        line = pcbnew.PCB_SHAPE(board, pcbnew.SHAPE_T_SEGMENT)
        line.SetStart(mm(*start))
        line.SetEnd(mm(*end))
        add_edge_cut(board, line)
    for start, middle, end in arcs:
        arc = pcbnew.PCB_SHAPE(board, pcbnew.SHAPE_T_ARC)
        arc.SetArcGeometry(mm(*start), mm(*middle), mm(*end))
        add_edge_cut(board, arc)


def add_edge_cut(board: pcbnew.BOARD, shape: pcbnew.PCB_SHAPE) -> None:
    """Add a shape to the layer of the board's edge."""
    shape.SetLayer(pcbnew.Edge_Cuts)
    shape.SetWidth(pcbnew.FromMM(0.1))
    board.Add(shape)


def add_labels(board: pcbnew.BOARD) -> None:
    """Print the connectors' names on the upper side."""
    for text, x, y, size in (
        ("LEFT  左", 14.25, 45.2, 1.2), ("ARBITER", 28.5, 45.2, 1.0), ("SUPPLY", 38.5, 45.2, 1.0),
        ("RIGHT  右", 50, 45.2, 1.2),
        ("Othello table: buttons, lamps, buzzer", 30, 9.6, 1.2),
        ("1 button  2 GND  3 lamp +  4 lamp -", 32.5, 55.6, 0.9),
    ):  # fmt: skip
        item = pcbnew.PCB_TEXT(board)
        item.SetText(text)
        item.SetPosition(mm(x, y))
        item.SetLayer(pcbnew.F_SilkS)
        item.SetTextSize(mm(size, size))
        item.SetTextThickness(pcbnew.FromMM(size / 7))
        board.Add(item)


class Router:
    """Router of copper by shortest paths on a grid whose lines run through the header's pins; ground is on the
    plane."""

    def __init__(self, board: pcbnew.BOARD, nets: dict[str | int, pcbnew.NETINFO_ITEM]) -> None:
        self.board, self.nets = board, nets
        self.origin = (PIN_1[0] % GRID, PIN_1[1] % GRID)
        self.size = (int(WIDTH / GRID), int(HEIGHT / GRID))
        self.copper: list[tuple[float, float, float, int | None, str]] = []  # x, y, radius, layer (None: both), net
        self.pads: dict[str, list[tuple[float, float]]] = {}
        for pad in board.GetPads():
            net = pad.GetNetname().removeprefix("/")
            x, y = pad_position(pad)
            size = pad.GetBoundingBox()
            radius = pcbnew.ToMM(max(size.GetWidth(), size.GetHeight())) / 2
            if pad.GetShape() in (pcbnew.PAD_SHAPE_RECTANGLE, pcbnew.PAD_SHAPE_ROUNDRECT):
                radius *= 1.42  # the corner of a square pad
            self.copper.append((x, y, radius, None, net))
            if net and not net.startswith("unconnected"):
                self.pads.setdefault(net, []).append((x, y))

    def cell(self, x: float, y: float) -> tuple[int, int]:
        """Return the grid cell nearest to a position."""
        return round((x - self.origin[0]) / GRID), round((y - self.origin[1]) / GRID)

    def point(self, cell: tuple[int, int]) -> tuple[float, float]:
        """Return a grid cell's position in millimetres."""
        return self.origin[0] + cell[0] * GRID, self.origin[1] + cell[1] * GRID

    def blocked_cells(self, net: str, half: float) -> set[tuple[int, int, int]]:
        """Return the cells a track of this net and half width must not enter."""
        blocked: set[tuple[int, int, int]] = set()
        for x, y, radius, layer, other in self.copper:
            if other == net:
                continue
            reach = radius + half + CLEARANCE
            cells = int(reach / GRID) + 2
            cx, cy = self.cell(x, y)
            for i in range(cx - cells, cx + cells + 1):
                for j in range(cy - cells, cy + cells + 1):
                    px, py = self.point((i, j))
                    if (px - x) ** 2 + (py - y) ** 2 < reach**2:
                        blocked.update((i, j, one) for one in ((0, 1) if layer is None else (layer,)))
        for x, y in HOLES:  # a screw's head
            cx, cy = self.cell(x, y)
            blocked.update((cx + i, cy + j, one) for i in range(-13, 14) for j in range(-13, 14) for one in (0, 1))
        return blocked

    def route(self) -> None:
        """Route all nets but ground, the supply first, then the shortest first."""

        def span(net: str) -> float:
            xs, ys = zip(*self.pads[net], strict=True)
            return float(max(xs) - min(xs) + max(ys) - min(ys))

        for net in sorted(
            (n for n in self.pads if n != "GND" and len(self.pads[n]) > 1), key=lambda n: (n != "+5V", span(n))
        ):
            half = (POWER if net == "+5V" else TRACK) / 2
            done = {self.pads[net][0]}
            reached = {(*self.cell(*self.pads[net][0]), layer) for layer in (0, 1)}
            for goal in sorted(
                self.pads[net][1:], key=lambda p: abs(p[0] - self.pads[net][0][0]) + abs(p[1] - self.pads[net][0][1])
            ):
                path = self.find_path(net, half, reached, self.cell(*goal))
                self.add_tracks(net, half, path, {self.cell(*p): p for p in (*done, goal)})
                reached.update(path)
                reached.update((*self.cell(*goal), layer) for layer in (0, 1))
                done.add(goal)

    def find_path(
        self, net: str, half: float, start: set[tuple[int, int, int]], goal: tuple[int, int]
    ) -> list[tuple[int, int, int]]:
        """Return the cheapest path from any start cell to the goal, by Dijkstra's algorithm."""
        blocked = self.blocked_cells(net, half)
        vias = self.blocked_cells(net, 0.4)
        queue = [(0.0, node, node) for node in start]
        heapq.heapify(queue)
        before: dict[tuple[int, int, int], tuple[int, int, int]] = {}
        while queue:
            cost, node, previous = heapq.heappop(queue)
            if node in before:
                continue
            before[node] = previous
            x, y, layer = node
            if (x, y) == goal:
                path = [node]
                while before[path[-1]] != path[-1]:
                    path.append(before[path[-1]])
                return path[::-1]
            steps = [(x + i, y + j, layer) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j]
            for step in steps:
                # one layer prefers horizontal, the other vertical tracks, so that few paths block each other
                across = abs(step[0] - x) if layer else abs(step[1] - y)
                step_cost = (1.41 if step[0] != x and step[1] != y else 1) + 0.3 * across
                inside = 4 <= step[0] < self.size[0] - 4 and 4 <= step[1] < self.size[1] - 4
                if inside and step not in before and (step not in blocked or step[:2] == goal):
                    heapq.heappush(queue, (cost + step_cost, step, node))
            other = (x, y, 1 - layer)
            if other not in before and other not in blocked and node not in vias and other not in vias:
                heapq.heappush(queue, (cost + 12, other, node))
        raise SystemExit(f"no path for {net} to {self.point(goal)}: move a part")

    def add_tracks(
        self, net: str, half: float, path: list[tuple[int, int, int]], exact: dict[tuple[int, int], tuple[float, float]]
    ) -> None:
        """Add a path's tracks and vias to the board."""
        points = [(*exact.get(node[:2], self.point(node[:2])), node[2]) for node in path]
        turns = [points[0]]
        for before, here, after in zip(points, points[1:], points[2:], strict=False):
            straight = (
                abs((here[0] - before[0]) * (after[1] - here[1]) - (here[1] - before[1]) * (after[0] - here[0])) < 1e-9
            )
            if not straight or here[2] != after[2] or here[2] != before[2]:
                turns.append(here)
        turns.append(points[-1])
        for start, end in pairwise(turns):
            if start[2] != end[2]:
                if (self.cell(*end[:2])) not in exact:  # pads pass through both layers
                    via = pcbnew.PCB_VIA(self.board)
                    via.SetPosition(mm(*end[:2]))
                    via.SetWidth(pcbnew.F_Cu, pcbnew.FromMM(0.8))
                    via.SetDrill(pcbnew.FromMM(0.4))
                    via.SetNet(self.nets[net])
                    self.board.Add(via)
                    self.copper.append((*end[:2], 0.4, None, net))
                continue
            track = pcbnew.PCB_TRACK(self.board)
            track.SetStart(mm(*start[:2]))
            track.SetEnd(mm(*end[:2]))
            track.SetLayer((pcbnew.F_Cu, pcbnew.B_Cu)[start[2]])
            track.SetWidth(pcbnew.FromMM(2 * half))
            track.SetNet(self.nets[net])
            self.board.Add(track)
        self.copper.extend((x, y, half, layer, net) for x, y, layer in points)


if __name__ == "__main__":
    draw_schematic()
    draw_board()
    print("hat.kicad_sch and hat.kicad_pcb are drawn")
