"""One table of the simulated hall: ``python -m kiosk.demo.simulated_table_program TABLE.toml HALL.json``.

It is the real table program, assembled as usual. Only the pins and the sensor board or the camera are simulated, and
used by two simulated players.
"""

from __future__ import annotations

import signal
import sys
import threading
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from hardware.simulated_pins_and_buttons import SimulatedFactory
from hardware.simulated_sensor_board import SimulatedSensorBoard
from kiosk.demo.simulated_game_plan_and_board import HallScript, PhysicalBoard, load_records
from kiosk.demo.simulated_players import ScaledTableTime, SimulatedPlayers
from kiosk.json_validation import warm_up
from kiosk.table.table_assembly import Environment, build_table
from kiosk.table.table_config import TableConfig
from kiosk.typed_toml_reader import read_toml

if TYPE_CHECKING:
    from kiosk.demo.simulated_table_camera import DrawnBoard


def run(config_file: Path, script_file: Path) -> None:
    """Run the table and its players until SIGTERM, or until the window is closed."""
    config = read_toml(config_file, TableConfig)
    script = msgspec.json.decode(script_file.read_bytes(), type=warm_up(HallScript))
    records = load_records(None if script.games is None else Path(script.games))
    time_base = ScaledTableTime(script.speed)
    factory = SimulatedFactory(time_base)
    environment = Environment()
    board: SimulatedSensorBoard | DrawnBoard
    if config.board.source == "camera":
        from kiosk.demo.simulated_table_camera import DrawnBoard  # only a hall with cameras loads OpenCV

        board = DrawnBoard(time_base, config.table)
        environment = Environment(board=board.source)
    else:
        board = SimulatedSensorBoard(time_base, folder=config.data / "board")
        config.board.device = board.device
    world = config.data / "world.json"
    board.set(PhysicalBoard.load(world).cells)  # the discs are where they were when power failed
    table = build_table(config, time_base=time_base, factory=factory, environment=environment)
    plan_for = partial(script.plan_for, records=records)
    players = SimulatedPlayers(table.program, time_base, factory, config.buttons, board, world, plan_for)
    signal.signal(signal.SIGTERM, lambda *_: table.stop())
    thread = threading.Thread(target=players.run, name="players", daemon=True)
    thread.start()
    try:
        table.run()
    finally:
        players.stop.set()
        thread.join(5)
        board.close()


if __name__ == "__main__":
    run(Path(sys.argv[1]), Path(sys.argv[2]))
