"""Files that hold a secret.

The law: such a file is whole or not there, and only its owner may read it, from its first byte.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from kiosk import systems


def write_secret(path: Path, content: bytes, owner: os.stat_result | None = None) -> None:
    """Writes ``path`` anew with mode 0600. ``owner``: whose file it becomes where root writes it; None: root's own.

    :raises OSError: it cannot be written; what was there before is as it was.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if owner is not None:
            systems.hand_over(draft, owner)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
