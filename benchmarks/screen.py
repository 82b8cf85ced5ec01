"""The table's screen: start to first frame, a tick, a press, and the idle cost of a running clock.

    python benchmarks/screen.py [--size 800x480] [--frames 600] [--idle-s 5]

Prints one JSON object. A frame is view and drawing together, into a window of SDL's ``dummy`` driver, so the transfer
to the display is left out. The running clocks are redrawn ten times a second, as in the table's loop.
"""

from __future__ import annotations

import time

STARTED = time.perf_counter()

import argparse  # noqa: E402 - the imports are part of the start
import json  # noqa: E402
import os  # noqa: E402
import platform  # noqa: E402
import resource  # noqa: E402
from dataclasses import replace  # noqa: E402
from statistics import quantiles  # noqa: E402

from engine.match import Setup, new_match, step  # noqa: E402
from engine.match.match_events_and_effects import Press  # noqa: E402
from engine.match.match_value_types import Seat  # noqa: E402
from kiosk.link.link_messages import Assignment, PlayerInfo  # noqa: E402
from kiosk.table.screen import Output, PygameScreen  # noqa: E402
from kiosk.table.state import LinkState, TableState  # noqa: E402
from kiosk.table.views import Layout, table_scene  # noqa: E402

SMALLEST = ("--frames", "2", "--idle-s", "0.1")
SECOND = 1_000_000_000


def in_play(presses: int, main_s: float = 1200) -> TableState:
    """Return a table after that many presses, all at time 0; LEFT has Black."""
    players = [PlayerInfo("p1", "山本 健太郎", "6d"), PlayerInfo("p2", "長谷部 みどり", "4d")]
    game = Assignment("g", "e", "open", 3, 12, "m43", "league", "第3回戦", "Round 3", 1200, True, players)
    match = new_match(Setup(black_seat=Seat.LEFT, main_ns=round(main_s * SECOND)))
    for number in range(presses):
        match, _ = step(match, Press(0, (Seat.RIGHT, Seat.LEFT)[number % 2]))
    return TableState(12, game, match, player_at={Seat.LEFT: 0, Seat.RIGHT: 1}, link=LinkState.UP)


def frame_ms(screen: PygameScreen, state: TableState, now_ns: int, layout: Layout) -> float:
    start = time.perf_counter()
    painted = screen.draw(table_scene(state, now_ns, layout))
    assert painted, "a frame that changes nothing measures nothing"
    return (time.perf_counter() - start) * 1000


def summary(times_ms: list[float]) -> dict[str, float]:
    cut = quantiles(times_ms, n=100)
    return {"p50_ms": round(cut[49], 3), "p99_ms": round(cut[98], 3), "max_ms": round(max(times_ms), 3)}


def idle_share(screen: PygameScreen, state: TableState, layout: Layout, seconds: float) -> float:
    """Return the share of one core used by ten updates a second."""
    began, used = time.perf_counter(), time.process_time()
    while (passed := time.perf_counter() - began) < seconds:
        screen.pump()
        screen.draw(table_scene(state, round(passed * SECOND), layout))
        time.sleep(0.1)
    return (time.process_time() - used) / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="800x480")
    parser.add_argument("--frames", type=int, default=600)
    parser.add_argument("--idle-s", type=float, default=5.0)
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
    layout, screen = Layout(width, height), PygameScreen((width, height), Output.WINDOW)
    black, white = in_play(1), in_play(2)
    screen.draw(table_scene(black, 0, layout))
    first_s = time.perf_counter() - STARTED
    ticks = [frame_ms(screen, black, i % 1180 * SECOND, layout) for i in range(1, options.frames + 1)]
    presses = [
        frame_ms(screen, replace((black, white)[i % 2], saved=i % 4 < 2), i % 7000 * SECOND // 7, layout)
        for i in range(options.frames)
    ]
    seconds = idle_share(screen, black, layout, options.idle_s)
    tenths = idle_share(screen, in_play(1, main_s=19.9), layout, options.idle_s)
    print(
        json.dumps(
            {
                "benchmark": "screen",
                "size": options.size,
                "start_to_first_frame_s": round(first_s, 3),
                "tick": summary(ticks),
                "press": summary(presses),
                "running_clock_core_share": round(seconds, 4),
                "running_tenths_core_share": round(tenths, 4),
                "max_rss_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
                "python": platform.python_version(),
                "machine": platform.machine(),
            }
        )
    )


if __name__ == "__main__":
    main()
