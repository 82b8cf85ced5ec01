"""Serial port as a non-blocking stream of bytes, for programs that wait on file descriptors.

A port is open from ``BytePort(...)`` until it fails or is closed, and is never reopened; after it was unplugged, make a
new one. Closing drops unsent bytes.
"""

from __future__ import annotations

import contextlib
import os
import sys

import serial

from hardware.errors import HardwareError, say

_CHUNK = 65_536
#: SerialException is an OSError; termios.error, which pyserial lets through while a port disappears, is not
PORT_ERRORS: tuple[type[Exception], ...] = (OSError, ValueError)
if sys.platform != "win32":
    import termios

    PORT_ERRORS += (termios.error,)


class PortError(HardwareError, OSError):
    """A serial port cannot be opened, or has disappeared."""


class BytePort:
    """Open port: 8 data bits, no parity, one stop bit, no flow control.

    :param device: a device path, or the path of a pty.
    :raises PortError: if it does not exist, is in use, or does not support the baud rate.
    """

    def __init__(self, device: str, baud: int = 115_200) -> None:
        self.device = device
        try:
            self._port = serial.Serial(device, baud, timeout=0, exclusive=True)
        except PORT_ERRORS as error:
            raise self._port_error(error) from error

    def fileno(self) -> int:
        """Return the descriptor to wait on for reading and writing."""
        return int(self._port.fileno())

    def read(self) -> bytes:
        """Return the bytes that have arrived; call it when the descriptor is readable.

        :raises PortError: if the port was unplugged.
        """
        try:
            data = os.read(self._port.fileno(), _CHUNK)
        except BlockingIOError:
            return b""
        except PORT_ERRORS as error:
            raise self._port_error(error) from error
        if not data:
            raise self._port_error("it was unplugged")  # readable without data: the line hung up
        return data

    def write(self, data: bytes | memoryview) -> int:
        """Write what the port accepts now; return the number of bytes.

        :raises PortError: if the port was unplugged.
        """
        try:
            # Not Serial.write: with write_timeout=0 pyserial 3.5 spins for ever on a full buffer, else it waits.
            return os.write(self._port.fileno(), data)
        except BlockingIOError:
            return 0
        except PORT_ERRORS as error:
            raise self._port_error(error) from error

    def close(self) -> None:
        with contextlib.suppress(*PORT_ERRORS):  # otherwise closing would wait until everything is on the wire
            self._port.reset_input_buffer()
            self._port.reset_output_buffer()
        with contextlib.suppress(*PORT_ERRORS):
            self._port.close()

    def _port_error(self, why: object) -> PortError:
        text = say("serial port {device} cannot be used ({why}); check the cable and the device's name")
        return PortError(text(device=self.device, why=str(why)))
