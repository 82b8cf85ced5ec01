"""Generator of ``docs/pictures/table.png``: ``.venv/bin/python tests/tools/tables/pictures.py``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
sys.path.append(str(Path(__file__).parents[1]))

import pygame
from tables.states import all_states

from kiosk.table.screen import PygameScreen
from kiosk.table.views import Layout, table_scene

SIZE = (800, 480)
#: pairs of a state and a language, two beside each other
SHOWN = (
    ("turn", "ja", False), ("challenge-naming", "en", False), ("result", "ja", False), ("hold", "en", False),
    ("turn", "ja-kana", True), ("chouchou-pairs", "ja", False),
)  # fmt: skip
PLACE = Path(__file__).parents[3] / "docs" / "pictures" / "table.png"


def main() -> None:
    screen = PygameScreen(SIZE)
    whole = pygame.Surface((2 * SIZE[0], len(SHOWN) // 2 * SIZE[1]))
    for number, (name, language, large) in enumerate(SHOWN):
        screen.draw(table_scene(all_states(language)[name], 0, Layout(*SIZE, large=large)))
        whole.blit(screen._surface, (number % 2 * SIZE[0], number // 2 * SIZE[1]))
    pygame.image.save(whole, PLACE)


if __name__ == "__main__":
    main()
