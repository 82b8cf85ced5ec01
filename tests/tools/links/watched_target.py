"""A publish target that notes what is uploaded to it, and whose connection breaks."""

from __future__ import annotations

from kiosk.head.export.publish_targets import PublishTarget, PublishTargetError, open_place
from kiosk.head.head_config import RemoteTarget


class WatchedTarget:
    """Opens the target itself when it is called, as an opener. ``log``: the uploaded files, and with a minus the
    removed ones. ``left``: how many files the connection takes before it breaks; None: all."""

    def __init__(self, left: int | None = None) -> None:
        self.left, self.opened, self.log = left, 0, list[str]()

    def __call__(self, config: RemoteTarget) -> PublishTarget:
        if self.left == 0:
            raise PublishTargetError("the line is broken")
        self.opened += 1
        self._inner = open_place(config)
        return self

    def put(self, path: str, data: bytes) -> None:
        if self.left is not None:
            if not self.left:
                raise PublishTargetError("the line is broken")
            self.left -= 1
        self.log.append(path)
        self._inner.put(path, data)

    def remove(self, path: str) -> None:
        self.log.append(f"-{path}")
        self._inner.remove(path)

    def close(self) -> None:
        self._inner.close()

    def since(self) -> list[str]:
        """Return the log since the last call."""
        log, self.log = self.log, []
        return log
