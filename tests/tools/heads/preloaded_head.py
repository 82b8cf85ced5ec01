"""Program that loads the head's modules once; a copy of it becomes a head for each request on its socket.

A request is the working directory, the environment and the arguments, with the descriptors of stdout and stderr.
Loading takes a second of processor time, and a copy 0.1 s until it serves.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from importlib import import_module
from typing import Any

from kiosk.cli import main

#: of a request, in bytes
LARGEST = 1 << 20


def serve(control: socket.socket) -> None:
    for module in ("kiosk.commands.head", "kiosk.head.program"):
        import_module(module)
    gc.freeze()  # the copies share what is loaded
    at_interrupt = signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        asked, descriptors, _, _ = socket.recv_fds(control, LARGEST, 2)
        if not asked:
            return  # the tests are over
        if not (middle := os.fork()):
            if not (child := os.fork()):
                control.close()
                signal.signal(signal.SIGINT, at_interrupt)
                become_head(json.loads(asked), descriptors)
            control.send(str(child).encode())
            os._exit(0)
        os.waitpid(middle, 0)
        for descriptor in descriptors:
            os.close(descriptor)
        control.send(b"adopted")  # the process that asked is the head's parent now


def become_head(request: dict[str, Any], descriptors: list[int]) -> None:
    for place, descriptor in enumerate(descriptors, start=1):
        os.dup2(descriptor, place)
        os.close(descriptor)
    os.chdir(request["directory"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv[1:] = request["arguments"]
    main()
    sys.exit()


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv.pop())))
