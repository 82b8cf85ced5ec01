"""Services that talk to other machines: the backup disk, the federation, the venues; each only where the configuration
names it."""

from __future__ import annotations

from collections.abc import Callable

from starlette.routing import BaseRoute

from engine.translatable_text import Text
from hardware.timebase import TimeBase
from kiosk.head.backup.auto_backup import AutoBackup, BackupProgress
from kiosk.head.component_signals import Signals
from kiosk.head.federation.database.connection_and_migration import open_database
from kiosk.head.federation.database.live_update import Projection
from kiosk.head.federation.database.person_registry import PersonRegistry
from kiosk.head.federation.database.season_rankings import load_seasons
from kiosk.head.federation.player_list_transfer import PlayerListPublisher, VenueListCopy
from kiosk.head.federation.venue_broadcast import VenueBroadcasts
from kiosk.head.federation.venue_row_collector import FederationCollector
from kiosk.head.head_config import HeadConfig
from kiosk.head.program.clocks_and_threads import Runtime
from kiosk.head.registration.known_players import CombinedPlayerList, PlayerList
from kiosk.head.store import Store


class RemoteServices:
    def __init__(
        self,
        config: HeadConfig,
        store: Store,
        happened: Signals,
        machine: Runtime,
        game_time: TimeBase,
        progress: Callable[[], BackupProgress],
    ) -> None:
        """:raises HeadError: the database of a federation, or its seasons, cannot be used."""
        own, changed = config.data / "roster.json", happened.state_changed
        federation = PlayerList(config.data / "federation-players.json")
        self.known = CombinedPlayerList(PlayerList(own), federation)
        self.keeper = AutoBackup(config, config.backup, progress, changed) if config.backup else None

        taken = VenueListCopy(store, federation, config.data / "federation-players.from")
        self.pusher = machine.pusher(store, config.federation, changed, taken) if config.federation else None

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
            self.keeper and self.keeper.trouble,
            self.pusher and self.pusher.sentence(),
            self.projection and self.projection.trouble,
        )
        venues = self.collector.troubles() if self.collector is not None else []
        return [trouble for trouble in told if trouble] + venues

    def start(self) -> None:
        for part in (self.keeper, self.pusher, self.projection):
            if part is not None:
                part.start()

    def close(self) -> None:
        for part in (self.pusher, self.projection, self.keeper):
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
