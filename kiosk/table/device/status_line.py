"""Status line of a table for ``systemctl status`` and for logs."""

from __future__ import annotations

from kiosk.table.state import LinkState, TableState


def status_line(state: TableState) -> str:
    """Return a line such as ``table 7: turn, head connected, 2 records not yet at the head, 1 trouble``."""
    parts = ["no game" if state.match is None else str(state.match.phase).lower()]
    match state.link:
        case LinkState.UP:
            parts.append("head connected")
        case LinkState.DOWN:
            parts.append("head out of reach")
        case _:
            parts.append("no head")
    if state.unsynced and state.link is not LinkState.NONE:
        parts.append(f"{state.unsynced} records not yet at the head")
    if state.troubles:
        parts.append("trouble: " + ", ".join(trouble.kind for trouble in state.troubles))
    return f"table {state.table}: {', '.join(parts)}"
