"""Public JSON endpoints for other programs, and their OpenAPI description.

The description is a data file beside the code. Tests send requests that it allows and requests that it does not, and
compare every answer with it.
"""

from __future__ import annotations

import json
from functools import cache
from importlib import metadata
from importlib.resources import files as resources
from typing import Any

from starlette.responses import JSONResponse, Response

from kiosk.head.web.page_routes_and_password_reentry import PageRoute
from kiosk.head.web.request_context import RequestContext


@cache
def description() -> dict[str, Any]:
    """Return the OpenAPI document."""
    text = resources("kiosk.head.pages.public").joinpath("openapi.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    found["info"]["version"] = metadata.version("othello-kiosk")
    return found


def _description(visit: RequestContext) -> Response:
    return JSONResponse(description())


def _hall(visit: RequestContext) -> Response:
    """Send the tournament and its divisions."""
    state = visit.hall
    divisions = [
        {
            "division": one.slug,
            "title": {"ja": one.title[0], "en": one.title[1]},
            "format": one.format,
            "players": sum(not player.absent for player in one.event.players),
            "rounds": len(one.rounds),
            "open_games": sum(game.is_open for game in one.current),
        }
        for one in state.divisions.values()
    ]
    return JSONResponse({"name": state.title, "date": state.date, "divisions": divisions})


ADDRESSES = [PageRoute("/openapi.json", _description), PageRoute("/hall.json", _hall)]
