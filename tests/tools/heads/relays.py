"""A head with a game in play, and the relay of its broadcast, whose pushes a test calls."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heads.world import PlayedTable, playing_table, running_head

from kiosk.head.export.broadcast_relay_sender_and_federation_target import Relay
from kiosk.head.export.publish_targets import Opener, open_place
from kiosk.head.head_config import Relaying
from kiosk.head.program import HeadApplication
from kiosk.head.program.head_assembly_and_run import viewer_files
from kiosk.head.tables.live_game_json_and_document_cache import Broadcast
from kiosk.head.web.html_renderer import Renderer


@contextmanager
def playing(directory: Path) -> Iterator[tuple[HeadApplication, PlayedTable]]:
    """Yield a head with a game of nine turns at table 1."""
    with running_head(directory, auto=True) as (program, _):
        yield program, playing_table(program, moves=9)


def relay(program: HeadApplication, config: Relaying, data: Path, opener: Opener = open_place) -> Relay:
    viewer = functools.partial(viewer_files, Renderer(program.desk, program.live))
    return Relay(program.desk, Broadcast(program.desk, program.live), config, data, viewer, opener=opener)
