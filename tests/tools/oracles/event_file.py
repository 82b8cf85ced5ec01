"""Functions with which the oracles read an event file, from its JSON alone."""

from __future__ import annotations

from typing import Any


def present(event: dict[str, Any]) -> list[str]:
    now = len(event["rounds"]) + 1
    away = event["options"].get("absences", {}).get(str(now), ())
    return [
        p["id"]
        for p in event["players"]
        if not p.get("absent")
        and (p.get("withdrawn_after_round") is None or p["withdrawn_after_round"] >= now)
        and p["id"] not in away
    ]
