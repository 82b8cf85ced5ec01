"""The services of the head that its pages use, by area.

Making one starts no thread; ``start`` does, and ``close`` ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from starlette.routing import BaseRoute

from engine.i18n import Text
from kiosk.head.access.authentication import Authenticator
from kiosk.head.backup.second_disk_backup import AutoBackup
from kiosk.head.desk import Desk
from kiosk.head.devices import Enrolments, ReplacedDevices, SharedPin, Updates
from kiosk.head.errors import NotFound
from kiosk.head.export.broadcast_relay_sender_and_federation_target import Relay
from kiosk.head.export.endgame_analysis import EndgameAnalyser
from kiosk.head.export.event_archive import ArchiveBuilder
from kiosk.head.export.publisher import Publisher
from kiosk.head.federation.database.background_update import Projection
from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.federation.live_venue_state_and_sender_checks import Venue
from kiosk.head.federation.push_receiver_and_venue_quarantine import FederationCollector
from kiosk.head.federation.received_venue_broadcasts import VenueBroadcasts
from kiosk.head.head_config import HeadConfig
from kiosk.head.registration.rating_and_member_lookup import CombinedPlayerList
from kiosk.head.registration.self_registration_store import RegistrationStore
from kiosk.head.tables.arbiter_log import ArbiterLog
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.head.tables.photograph_board_reading_and_storage import Photographs
from kiosk.head.tables.position_evaluation import Evaluator
from kiosk.head.tables.record_ingest_and_commands import RecordIngest
from kiosk.head.web.broadcast_streams import BroadcastHub
from kiosk.head.web.cached_public_pages import SharedPages
from kiosk.head.web.change_notifier_and_live_updates import ChangeNotifier
from kiosk.head.web.html_renderer import Renderer
from kiosk.link.endpoints.head_endpoint import LinkEndpoint
from kiosk.link.endpoints.head_serial_ports import SerialPorts


@dataclass(frozen=True, slots=True)
class TableServices:
    """The head's services for its tables."""

    live: LiveTables
    acts: ArbiterLog
    photographs: Photographs


@dataclass(frozen=True, slots=True)
class DeviceServices:
    """The devices at the tables: their records, keys, PIN and updates. ``returned``: replaced ones."""

    link: LinkEndpoint
    collection: RecordIngest
    pin: SharedPin
    returned: ReplacedDevices
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
    #: what the head's own parts cannot do at present
    troubles: Callable[[], list[Text]]


@dataclass(frozen=True, slots=True)
class VenueServices:
    """A federation's services for its venues. ``projection``: its database of all events."""

    collector: FederationCollector
    projection: Projection
    broadcasts: VenueBroadcasts


@dataclass(frozen=True, slots=True)
class RemoteServices:
    """Services that talk to other machines: the backup disk, the federation, the venues; each only where the
    configuration names it. ``roster``: the players known here and to the federation.
    """

    roster: CombinedPlayerList
    keeper: AutoBackup | None
    pusher: Pusher | None
    venues: VenueServices | None = None

    @property
    def federation(self) -> VenueServices:
        """Return the services for the venues.

        :raises NotFound: this head is not a federation's.
        """
        if self.venues is None:
            raise NotFound.saying("this head does not collect from venues; see docs/setup/federation.md")
        return self.venues

    def venue(self, name: str, *, also_banned: bool) -> tuple[VenueServices, Venue]:
        """Return a venue. ``also_banned``: also one that is not visible to spectators now.

        :raises NotFound: there is none.
        """
        venue = self.venues.collector.venue(name) if self.venues else None
        if self.venues is None or venue is None or (self.venues.collector.ban_of(venue) and not also_banned):
            raise NotFound.saying("there is no venue '{name}'; choose one of the list of venues", name=name[:40])
        return self.venues, venue

    def routes(self) -> list[BaseRoute]:
        """Return the routes to which venues send their rows and broadcasts."""
        return [*self.venues.collector.routes(), *self.venues.broadcasts.routes()] if self.venues else []

    def troubles(self) -> list[Text]:
        texts = [self.keeper and self.keeper.trouble, self.pusher and self.pusher.sentence()]
        if self.venues:
            texts += [self.venues.projection.trouble, *self.venues.collector.troubles()]
        return [trouble for trouble in texts if trouble]

    def _parts(self) -> list[Pusher | Projection | AutoBackup]:
        """Return what has a thread, in the order in which it ends."""
        projection = None if self.venues is None else self.venues.projection
        return [part for part in (self.pusher, projection, self.keeper) if part is not None]

    def start(self) -> None:
        for part in self._parts():
            part.start()

    def close(self) -> None:
        for part in self._parts():
            part.close()


@dataclass(frozen=True, slots=True)
class OutboundServices:
    """Services that send data out of the head: the broadcast and the published record; to other servers only where the
    configuration names them.
    """

    worths: Evaluator
    stages: BroadcastHub
    closing: ArchiveBuilder
    endings: EndgameAnalyser
    publisher: Publisher | None
    relay: Relay | None

    def _senders(self) -> list[Publisher | Relay]:
        return [sender for sender in (self.publisher, self.relay) if sender is not None]

    def troubles(self) -> list[Text]:
        return [trouble for sender in self._senders() if (trouble := sender.status.trouble) is not None]

    def start(self) -> None:
        for sender in self._senders():
            sender.start()

    def close(self) -> None:
        self.closing.close()
        self.endings.stop()
        for sender in self._senders():
            sender.close()
        self.worths.close()


@dataclass(frozen=True, slots=True)
class AppServices:
    """The services of the head that its pages use."""

    config: HeadConfig
    desk: Desk
    access: Authenticator
    registrations: RegistrationStore
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
