"""Services that send data out of the head: the broadcast and the published record; to other servers only where the
configuration names them."""

from __future__ import annotations

from functools import partial

from engine.translatable_text import Text
from kiosk.head.backup.make_backup import back_up
from kiosk.head.component_signals import Signals
from kiosk.head.desk import Desk
from kiosk.head.export.broadcast_relay import Relay
from kiosk.head.export.endgame_analysis import EndgameAnalyser
from kiosk.head.export.event_archive import ArchiveBuilder
from kiosk.head.export.federation_broadcast_target import opener_of
from kiosk.head.export.publish_targets import check_place
from kiosk.head.export.publisher import Publisher
from kiosk.head.head_config import HeadConfig
from kiosk.head.pages.broadcast.relay_viewer import viewer_files
from kiosk.head.store import Store
from kiosk.head.tables.broadcast_feed import Broadcast
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.head.tables.position_evaluation import Evaluator
from kiosk.head.web.broadcast_streams import BroadcastHub
from kiosk.head.web.html_renderer import Renderer
from kiosk.head.web.live_update_streams import ChangeNotifier


class OutboundServices:
    def __init__(
        self,
        config: HeadConfig,
        store: Store,
        desk: Desk,
        live: LiveTables,
        happened: Signals,
        changes: ChangeNotifier,
        renderer: Renderer,
    ) -> None:
        """:raises HeadError: a target in the configuration cannot be used."""
        data, changed = config.data, happened.state_changed
        self.worths = Evaluator(config.analysis, changed)
        broadcast = Broadcast(desk, live, self.worths)
        self.stages = BroadcastHub(broadcast, changes)
        self.closing = ArchiveBuilder(desk, data / "closing", store.records, partial(back_up, config), changed)
        self.endings = EndgameAnalyser(desk, data, changed)

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
