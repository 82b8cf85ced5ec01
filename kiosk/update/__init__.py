"""Software updates of tables: the signed archive, the messages between table and head, and the installation by root
(docs/setup/updates.md).
"""

from pathlib import Path

#: path of the maker's public key in an installation
INSTALLED_KEY = Path("/etc/othello-kiosk/update-key")
#: the files that ``create_maker_key`` writes
SECRET_FILE, PUBLIC_FILE = "update-signing.json", "update-key"
