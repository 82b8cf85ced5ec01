"""Simulated pins whose buttons bounce, jam, lose their wire or are struck by static electricity."""

from __future__ import annotations

from collections.abc import Sequence

from hardware.simulated_pins_and_buttons import SimulatedButton, SimulatedFactory

#: closed, open, closed, open … durations in ns after the first contact: the first 4 ms of a worn microswitch.
WORN_SWITCH_NS = (150_000, 300_000, 80_000, 900_000, 400_000, 1_500_000, 200_000, 500_000)


class FaultyFactory(SimulatedFactory):
    """Header with faulty buttons."""

    def button(self, gpio: int) -> FaultyButton:
        button = self._buttons.setdefault(gpio, FaultyButton(self.pin(gpio), self.time_base, self._sleep))
        assert isinstance(button, FaultyButton)
        return button

    def is_high(self, gpio: int) -> bool:
        """Return the level of a line: whether a lamp is lit or the buzzer sounds."""
        return bool(self.pin(gpio).state)


class FaultyButton(SimulatedButton):
    """Button with faults."""

    def press(
        self,
        at_ns: int | None = None,
        hold_ns: int = 120_000_000,
        bounce_ns: Sequence[int] = (),
        *,
        release: bool = True,
    ) -> int:
        """Press and release; return the time of the first contact.

        :param bounce_ns: durations closed, open, closed, open … before the contact is stable, as ``WORN_SWITCH_NS``;
            the opening bounces the same way.
        """
        with self._lock:
            pressed_ns = self._play(True, at_ns, bounce_ns)
            if release:
                self._play(False, pressed_ns + sum(bounce_ns) + hold_ns, bounce_ns)
            return pressed_ns

    def release(self, at_ns: int | None = None, bounce_ns: Sequence[int] = ()) -> int:
        """Release the button; return the time of the first opening."""
        with self._lock:
            return self._play(False, at_ns, bounce_ns)

    def spike(self, width_ns: int = 200_000, at_ns: int | None = None) -> int:
        """Close the line for a moment without a press, as a static discharge does; return its time."""
        return self.press(at_ns, hold_ns=width_ns)

    def stick(self, at_ns: int | None = None) -> int:
        """Press and jam: the button stays down until ``release``. Return the time of the contact."""
        return self.press(at_ns, release=False)

    def _play(self, closed: bool, at_ns: int | None, bounce_ns: Sequence[int]) -> int:
        """Play one contact and its bounces."""
        due_ns = first_ns = self._set(closed, self._not_before(at_ns))
        for duration_ns in bounce_ns:
            due_ns, closed = due_ns + duration_ns, not closed
            self._set(closed, due_ns)
        return first_ns
