"""Updates of tables: the signed archive, what table and head say of it, what root does with it (docs/updates.md)."""

from pathlib import Path

#: where an installation has its maker's public key
INSTALLED_KEY = Path("/etc/othello-kiosk/update-key")
#: the files that ``new_maker`` makes
SECRET_FILE, PUBLIC_FILE = "update-signing.json", "update-key"
