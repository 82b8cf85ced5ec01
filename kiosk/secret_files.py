"""Files that hold a secret.

Such a file is either complete or absent, and from its first byte only its owner can read it.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_secret(path: Path, content: bytes) -> None:
    """Write ``path`` anew with mode 0600.

    :raises OSError: it cannot be written; the old content is unchanged.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
