"""Services that talk to other machines: the backup disk, the federation, the venues; each only where the configuration
names it."""

from __future__ import annotations

from collections.abc import Callable

from starlette.routing import BaseRoute

from engine.text import Text
from hardware.timebase import TimeBase
from kiosk.head.config import HeadConfig
from kiosk.head.entry.roster import Known, Roster
from kiosk.head.federation.broadcast import VenueBroadcasts
from kiosk.head.federation.collector import Collector
from kiosk.head.federation.database.place import open_database
from kiosk.head.federation.database.projection import Projection
from kiosk.head.federation.database.register import Register
from kiosk.head.federation.database.seasons import load_seasons
from kiosk.head.federation.lists import Lists, Taken
from kiosk.head.happened import Happened
from kiosk.head.program.machine import Machine
from kiosk.head.safekeeping.keeper import Keeper, Progress
from kiosk.head.store import Store


class Elsewhere:
    def __init__(
        self,
        config: HeadConfig,
        store: Store,
        happened: Happened,
        machine: Machine,
        game_time: TimeBase,
        progress: Callable[[], Progress],
    ) -> None:
        """:raises HeadError: the database of a federation, or its seasons, cannot be used."""
        own, changed = config.data / "roster.json", happened.changed
        federation = Roster(config.data / "federation-players.json")
        self.known = Known(Roster(own), federation)
        self.keeper = Keeper(config, config.backup, progress, changed) if config.backup else None

        taken = Taken(store, federation, config.data / "federation-players.from")
        self.pusher = machine.pusher(store, config.federation, changed, taken) if config.federation else None

        self.collector: Collector | None = None
        self.projection: Projection | None = None
        self.broadcasts: VenueBroadcasts | None = None
        if config.venues:
            self.collector = collector = Collector(store, config.venues, game_time, changed, Lists(own))
            self.projection = _database(config, store, collector, happened)
            self.broadcasts = VenueBroadcasts(collector)
            collector.hid.wakes(self.broadcasts.hide)

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
        return [trouble for trouble in told if trouble]

    def start(self) -> None:
        for part in (self.keeper, self.pusher, self.projection):
            if part is not None:
                part.start()

    def close(self) -> None:
        for part in (self.pusher, self.projection, self.keeper):
            if part is not None:
                part.close()


def _database(config: HeadConfig, store: Store, collector: Collector, happened: Happened) -> Projection:
    """Return the federation's database, which other programs and the pages query."""
    made = Projection(
        store.reading,
        open_database(config.data, config.store),
        Register(store, store.operator_events()),
        collector.venue,
        happened.changed,
        collector.is_shown,
        load_seasons(config.seasons) if config.seasons else (),
    )
    collector.took.wakes(made.took)
    collector.hid.wakes(made.hide)
    return made
