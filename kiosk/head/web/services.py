"""The services of the head that its pages use, by area.

Making one starts no thread; ``start`` does, and ``close`` ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from starlette.routing import BaseRoute

from engine.i18n import Text
from hardware.timebase import TimeBase
from kiosk.head.access.authentication import Authenticator
from kiosk.head.backup.auto_backup import AutoBackup, BackupProgress
from kiosk.head.backup.backup_archive import back_up
from kiosk.head.config import HeadConfig
from kiosk.head.desk import Desk
from kiosk.head.devices import Enrolments, ReplacedDevices, SharedPin, Updates
from kiosk.head.export.broadcast_relay import Relay
from kiosk.head.export.endgame_analysis import EndgameAnalyser
from kiosk.head.export.event_archive import ArchiveBuilder
from kiosk.head.export.federation_target import opener_of
from kiosk.head.export.publish_targets import check_place
from kiosk.head.export.publisher import Publisher
from kiosk.head.federation.collector import FederationCollector
from kiosk.head.federation.database.connection import open_database
from kiosk.head.federation.database.live_update import Projection
from kiosk.head.federation.database.person_registry import PersonRegistry
from kiosk.head.federation.database.seasons import load_seasons
from kiosk.head.federation.player_list_sync import PlayerListPublisher, VenueListCopy
from kiosk.head.federation.pusher import Pusher
from kiosk.head.federation.venue_broadcast import VenueBroadcasts
from kiosk.head.registration.player_list import CombinedPlayerList, PlayerList
from kiosk.head.signals import Signals
from kiosk.head.store import Store
from kiosk.head.tables.arbiter_log import ArbiterLog
from kiosk.head.tables.broadcast_feed import Broadcast
from kiosk.head.tables.evaluation import Evaluator
from kiosk.head.tables.live_state import LiveTables
from kiosk.head.tables.photographs import Photographs
from kiosk.head.tables.record_ingest import RecordIngest
from kiosk.head.web.broadcast_streams import BroadcastHub
from kiosk.head.web.render import Renderer
from kiosk.head.web.shared_pages import SharedPages
from kiosk.head.web.streams import ChangeNotifier
from kiosk.link.endpoints.endpoint import LinkEndpoint
from kiosk.link.endpoints.serial_head import SerialPorts


@dataclass(frozen=True, slots=True)
class TableServices:
    """What the head knows of its tables."""

    live: LiveTables
    acts: ArbiterLog
    photographs: Photographs


@dataclass(frozen=True, slots=True)
class DeviceServices:
    """The devices at the tables: their records, keys, PIN and updates. ``returned``: replaced ones; None if the keys
    are in no file.
    """

    link: LinkEndpoint
    collection: RecordIngest
    pin: SharedPin
    returned: ReplacedDevices | None
    enrolments: Enrolments
    updates: Updates
    serial_ports: SerialPorts


@dataclass(frozen=True, slots=True)
class PageServices:
    """How pages are drawn, and drawn again."""

    changes: ChangeNotifier
    renderer: Renderer
    #: the pages that are drawn once for all readers
    shared: SharedPages


class RemoteServices:
    """Services that talk to other machines: the backup disk, the federation, the venues; each only where the
    configuration names it. ``roster``: the players known here and to the federation.
    """

    def __init__(
        self,
        config: HeadConfig,
        store: Store,
        happened: Signals,
        game_time: TimeBase,
        progress: Callable[[], BackupProgress],
        pusher: Callable[..., Pusher],
    ) -> None:
        """:raises HeadError: the database of a federation, or its seasons, cannot be used."""
        own, changed = config.data / "roster.json", happened.state_changed
        federation = PlayerList(config.data / "federation-players.json")
        self.roster = CombinedPlayerList(PlayerList(own), federation)
        self._keeper = AutoBackup(config, config.backup, progress, changed) if config.backup else None

        taken = VenueListCopy(store, federation, config.data / "federation-players.from")
        self.pusher = pusher(store, config.federation, changed, taken) if config.federation else None

        self.collector: FederationCollector | None = None
        self.projection: Projection | None = None
        self.broadcasts: VenueBroadcasts | None = None
        if config.venues:
            self.collector = collector = FederationCollector(
                store, config.venues, game_time, changed, PlayerListPublisher(own)
            )
            self.projection = _database(config, store, collector, happened)
            self.broadcasts = VenueBroadcasts(collector)
            collector.hid.connect(self.broadcasts.hide)

    def routes(self) -> list[BaseRoute]:
        """Return the routes to which venues send their rows and broadcasts."""
        if self.collector is None or self.broadcasts is None:
            return []
        return [*self.collector.routes(), *self.broadcasts.routes()]

    def troubles(self) -> list[Text]:
        told = (
            self._keeper and self._keeper.trouble,
            self.pusher and self.pusher.sentence(),
            self.projection and self.projection.trouble,
        )
        return [trouble for trouble in told if trouble]

    def start(self) -> None:
        for part in (self._keeper, self.pusher, self.projection):
            if part is not None:
                part.start()

    def close(self) -> None:
        for part in (self.pusher, self.projection, self._keeper):
            if part is not None:
                part.close()


def _database(config: HeadConfig, store: Store, collector: FederationCollector, happened: Signals) -> Projection:
    """Return the federation's database, which other programs and the pages query."""
    made = Projection(
        store.reading,
        open_database(config.data, config.store),
        PersonRegistry(store, store.operator_events()),
        collector.venue,
        happened.state_changed,
        collector.is_shown,
        load_seasons(config.seasons) if config.seasons else (),
    )
    collector.took.connect(made.took)
    collector.hid.connect(made.hide)
    return made


class OutboundServices:
    """Services that send data out of the head: the broadcast and the published record; to other servers only where the
    configuration names them.
    """

    def __init__(
        self,
        config: HeadConfig,
        store: Store,
        desk: Desk,
        live: LiveTables,
        changes: ChangeNotifier,
        viewer: Callable[[], Mapping[str, bytes]],
        changed: Callable[[], None],
    ) -> None:
        """``viewer``: the files of the viewer of a broadcast.

        :raises HeadError: a target in the configuration cannot be used.
        """
        data = config.data
        self._worths = Evaluator(config.analysis, changed)
        broadcast = Broadcast(desk, live, self._worths)
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
        self._worths.close()


@dataclass(frozen=True, slots=True)
class AppServices:
    """The services of the head that its pages use."""

    config: HeadConfig
    desk: Desk
    access: Authenticator
    tables: TableServices
    devices: DeviceServices
    remote: RemoteServices
    outbound: OutboundServices
    pages: PageServices
    #: fingerprint of the key that signs this head's backups; empty if there is none
    fingerprint: str

    @property
    def https_port(self) -> int | None:
        """Return the port to which staff is redirected, so that nobody in the hall's network can read along."""
        return None if self.config.tls is None else self.config.tls.port
