"""A serial port as a stream of bytes, for a program that waits by file descriptor.

The law: nothing here waits. A port is open from ``BytePort(...)`` until it fails or is closed, and is never opened
twice; whoever wants it again after it was unplugged makes a new one. Closing drops what was not sent yet.
"""

from __future__ import annotations

import contextlib
import os
import sys

import serial

from hardware.errors import HardwareError, say

_CHUNK = 65_536
#: SerialException is an OSError; termios.error, which pyserial lets through while a port vanishes, is not
PORT_ERRORS: tuple[type[Exception], ...] = (OSError, ValueError)
if sys.platform != "win32":
    import termios

    PORT_ERRORS += (termios.error,)


class PortError(HardwareError, OSError):
    """A serial port cannot be opened, or has gone."""


class BytePort:
    """An open port: 8 data bits, no parity, one stop bit, no flow control.

    :param device: a device path, or the path of a pty.
    :raises PortError: it is not there, is in use, or does not know the baud rate.
    """

    def __init__(self, device: str, baud: int = 115_200) -> None:
        self.device = device
        try:
            self._port = serial.Serial(device, baud, timeout=0, exclusive=True)
        except PORT_ERRORS as error:
            raise self._gone(error) from error

    def fileno(self) -> int:
        """What to wait on for reading and writing."""
        return int(self._port.fileno())

    def read(self) -> bytes:
        """What has arrived; call it when the descriptor is readable.

        :raises PortError: the port was unplugged.
        """
        try:
            data = os.read(self._port.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        except PORT_ERRORS as error:
            raise self._gone(error) from error
        if not data:
            raise self._gone("it was unplugged")  # readable and nothing to read: the line hung up
        return data

    def write(self, data: bytes | memoryview) -> int:
        """Hands on what the port takes now; how many bytes that were.

        :raises PortError: the port was unplugged.
        """
        try:
            # Not Serial.write: with write_timeout=0 pyserial 3.5 spins for ever on a full buffer, else it waits.
            return os.write(self._port.fileno(), data)
        except BlockingIOError:
            return 0
        except PORT_ERRORS as error:
            raise self._gone(error) from error

    def close(self) -> None:
        with contextlib.suppress(*PORT_ERRORS):  # else closing would wait until everything is on the wire
            self._port.reset_input_buffer()
            self._port.reset_output_buffer()
        with contextlib.suppress(*PORT_ERRORS):
            self._port.close()

    def _gone(self, why: object) -> PortError:
        return PortError(
            say(
                "serial port {device} cannot be used ({why}); check the cable and the device's name",
                device=self.device,
                why=str(why),
            )
        )
