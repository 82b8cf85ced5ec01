"""The roles stand in ``kiosk.head.access.rights``."""

from __future__ import annotations

from kiosk.head.access.rights import Role, admits

__all__ = ["Role", "admits"]
