"""Tests that times on pages are in the head's time zone."""

from __future__ import annotations

import time

import pytest

from kiosk.head.web.html_renderer import format_local


def test_a_stored_time_is_shown_in_the_heads_time_zone(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Asia/Tokyo")
        time.tzset()
        assert format_local("2031-04-05T23:30:07.000Z") == "04-06 08:30:07"
        assert format_local("2031-04-05T23:30:07.000Z", "%H:%M") == "08:30"
        assert format_local("soon") == "–"
    time.tzset()
