"""Buttons over real gpiozero devices on simulated pins: edges, times, and faults."""

from __future__ import annotations

import gc
import queue
import threading
from itertools import pairwise

import gpiozero
import pytest
from devices.faulty_pins import FaultyFactory
from hypothesis import given
from hypothesis import strategies as st
from messages.bilingual import refused

from hardware.button_edges_and_time_accuracy import SIMULATED, ButtonEdge
from hardware.errors import GpioError
from hardware.gpio_buttons import ButtonInput
from hardware.real_and_simulated_time import ManualTime, ScaledTime

PINS = {"left": 17, "right": 27, "arbiter": 22}
MS = 1_000_000


def test_an_edge_carries_its_line_its_direction_and_its_own_time() -> None:
    edges: list[ButtonEdge] = []
    factory = FaultyFactory(ManualTime(1_000))
    buttons = ButtonInput(PINS, factory, edges.append)
    factory.button(27).press(at_ns=5_000_000_123, hold_ns=80 * MS)
    factory.button(22).press(at_ns=6_000_000_001, hold_ns=1)
    assert edges == [
        ButtonEdge("right", True, 5_000_000_123),
        ButtonEdge("right", False, 5_080_000_123),
        ButtonEdge("arbiter", True, 6_000_000_001),
        ButtonEdge("arbiter", False, 6_000_000_002),
    ]
    assert buttons.source == SIMULATED
    assert buttons.pressed_at_start == ()


def test_garbage_collection_keeps_the_callback() -> None:
    """gpiozero keeps only a weak reference to the callback."""
    edges: list[ButtonEdge] = []
    factory = FaultyFactory(ManualTime())
    buttons = ButtonInput(PINS, factory, edges.append)
    gc.collect()
    factory.button(17).press(at_ns=1)
    assert len(edges) == 2
    buttons.close()


@given(st.integers(0, 26 * 86_400 * 10**9))
def test_times_are_exact_to_the_nanosecond_for_26_days_of_uptime(at_ns: int) -> None:
    """Times are exact although gpiozero's callback passes them as float seconds, as lgpio does."""
    edges: list[ButtonEdge] = []
    factory = FaultyFactory(ManualTime())
    buttons = ButtonInput({"left": 17}, factory, edges.append)
    factory.button(17).stick(at_ns)
    assert [edge.at_ns for edge in edges] == [at_ns]
    buttons.close()


def test_a_button_held_at_start_is_reported_without_an_edge() -> None:
    edges: list[ButtonEdge] = []
    factory = FaultyFactory(ManualTime())
    factory.button(27).stick(at_ns=1)
    buttons = ButtonInput(PINS, factory, edges.append)
    assert buttons.pressed_at_start == ("right",)
    assert edges == []
    factory.button(27).release(at_ns=2)
    assert edges == [ButtonEdge("right", False, 2)]


def test_a_missed_edge_is_found_by_rechecking() -> None:
    edges: list[ButtonEdge] = []
    factory = FaultyFactory(ManualTime())
    buttons = ButtonInput(PINS, factory, edges.append)
    factory.button(17).stick(at_ns=5)
    edges.clear()  # as if the kernel had dropped it
    buttons.recheck(90, {"left": False, "right": False, "arbiter": False})
    assert edges == [ButtonEdge("left", True, 90)]
    edges.clear()
    buttons.recheck(91, {"left": True, "right": False, "arbiter": False})
    assert edges == []


def test_two_factories_share_nothing_and_the_global_one_stays_unset() -> None:
    first, second = FaultyFactory(ManualTime()), FaultyFactory(ManualTime())
    here: list[ButtonEdge] = []
    there: list[ButtonEdge] = []
    ButtonInput(PINS, first, here.append).close()
    one, two = ButtonInput(PINS, first, here.append), ButtonInput(PINS, second, there.append)
    first.button(17).press(at_ns=1)
    assert (len(here), len(there)) == (2, 0)
    assert gpiozero.Device.pin_factory is None
    one.close()
    two.close()


def test_a_line_in_use_is_reported_and_all_lines_are_released() -> None:
    factory = FaultyFactory(ManualTime())
    with pytest.raises(GpioError, match="left button on GPIO99"):
        ButtonInput({"left": 99}, factory, lambda edge: None)
    with refused(GpioError, match=r"right button on GPIO17.*/.*ボタン「right」") as error:
        ButtonInput({"left": 17, "right": 17}, factory, lambda edge: None)
    ButtonInput(PINS, factory, lambda edge: None).close()
    assert error.tb  # the traceback keeps the incomplete object alive: only close() releases its line


def test_after_close_no_edge_comes() -> None:
    edges: list[ButtonEdge] = []
    factory = FaultyFactory(ManualTime())
    ButtonInput(PINS, factory, edges.append).close()
    factory.button(17).press(at_ns=1)
    assert edges == []


def test_player_threads_press_in_scaled_time_with_exact_holds() -> None:
    """Two player threads of 50 presses each lose no edge. Holds and bounces are exact although the threads run late."""
    inbox: queue.SimpleQueue[ButtonEdge] = queue.SimpleQueue()
    time_base = ScaledTime(500)
    factory = FaultyFactory(time_base)
    buttons = ButtonInput(PINS, factory, inbox.put)

    def play(gpio: int) -> None:
        for _ in range(50):
            factory.button(gpio).press(hold_ns=100 * MS, bounce_ns=(1 * MS, 2 * MS))

    players = [threading.Thread(target=play, args=(gpio,)) for gpio in (17, 27)]
    for player in players:
        player.start()
    for player in players:
        player.join()
    edges = [inbox.get_nowait() for _ in range(inbox.qsize())]
    for line in ("left", "right"):
        mine = [edge for edge in edges if edge.line == line]
        assert len(mine) == 50 * 6
        assert [edge.pressed for edge in mine] == [True, False] * 150
        steps = [b.at_ns - a.at_ns for a, b in pairwise(mine)]
        assert all(step > 0 for step in steps)
        assert [steps[i : i + 5] for i in range(0, len(steps), 6)] == [[1 * MS, 2 * MS, 100 * MS, 1 * MS, 2 * MS]] * 50
    buttons.close()
