"""Decision which player hides the disc in the colour choice (RULES.md 2, FS-01). The choice itself is made by the
players; ``SeatsAssigned`` reports its outcome.
"""

from __future__ import annotations

from collections.abc import Sequence


def disc_hider(grades: Sequence[int | None], birth_years: Sequence[int | None]) -> int | None:
    """Return the index of the player who hides the disc; None if the arbiter decides.

    The player with the higher grade hides (a larger number is a higher grade); if grades are equal or unknown, the
    older player.
    """
    first, second = grades
    if first is not None and second is not None and first != second:
        return 0 if first > second else 1
    born, other = birth_years
    if born is None or other is None or born == other:
        return None
    return 0 if born < other else 1
