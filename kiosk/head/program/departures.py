"""Services that send data out of the head: the broadcast and the published record; to other servers only where the
configuration names them."""

from __future__ import annotations

from functools import partial

from engine.text import Text
from kiosk.head.config import HeadConfig
from kiosk.head.desk import Desk
from kiosk.head.happened import Happened
from kiosk.head.outgoing.above import opener_of
from kiosk.head.outgoing.closing import Closing
from kiosk.head.outgoing.endings import Endings
from kiosk.head.outgoing.places import check_place
from kiosk.head.outgoing.publisher import Publisher
from kiosk.head.outgoing.relay import Relay
from kiosk.head.pages.live.viewer import viewer_files
from kiosk.head.safekeeping.backup import back_up
from kiosk.head.store import Store
from kiosk.head.tables.broadcast import Broadcast
from kiosk.head.tables.live import Live
from kiosk.head.tables.worth import Worths
from kiosk.head.web.render import Renderer
from kiosk.head.web.stages import Stages
from kiosk.head.web.streams import Changes


class Departures:
    def __init__(
        self,
        config: HeadConfig,
        store: Store,
        desk: Desk,
        live: Live,
        happened: Happened,
        changes: Changes,
        renderer: Renderer,
    ) -> None:
        """:raises HeadError: a target in the configuration cannot be used."""
        data, changed = config.data, happened.changed
        self.worths = Worths(config.analysis, changed)
        broadcast = Broadcast(desk, live, self.worths)
        self.stages = Stages(broadcast, changes)
        self.closing = Closing(desk, data / "closing", store.records, partial(back_up, config), changed)
        self.endings = Endings(desk, data, changed)

        self.publisher: Publisher | None = None
        if config.publish is not None:
            check_place(config.publish)
            self.publisher = Publisher(desk, config.publish, data, changed)

        self.relay: Relay | None = None
        if config.relay is not None:
            opener, forgets = opener_of(config.relay, config.federation)
            viewer = partial(viewer_files, renderer)
            self.relay = Relay(desk, broadcast, config.relay, data, viewer, changed, opener, forgets=forgets)

    def troubles(self) -> list[Text]:
        told = (one.status.trouble for one in (self.publisher, self.relay) if one is not None)
        return [trouble for trouble in told if trouble is not None]

    def start(self) -> None:
        for sender in (self.publisher, self.relay):
            if sender is not None:
                sender.start()

    def close(self) -> None:
        self.closing.close()
        self.endings.stop()
        for sender in (self.publisher, self.relay):
            if sender is not None:
                sender.close()
        self.worths.close()
