"""Assembly of a head from its configuration, area by area, and its run from start to end."""

from __future__ import annotations

import contextlib
import logging
import sys
import time as clocks
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from importlib.resources import files as resources
from pathlib import Path

from sqlalchemy import Connection, Engine

from engine.i18n import text_of
from hardware.real_and_simulated_time import ScaledTime, SystemTime, TimeBase, now_s
from kiosk.errors import InputError
from kiosk.head.access.authentication import Authenticator
from kiosk.head.access.passwords_and_codes import write_setup_code
from kiosk.head.backup.non_database_files_and_config_checks import PHOTOGRAPHS, REGISTRATIONS
from kiosk.head.backup.second_disk_backup import AutoBackup, BackupProgress
from kiosk.head.backup.signed_backup_creation import back_up
from kiosk.head.backup.signing_key_and_trusted_heads import own_signer
from kiosk.head.component_signals import Signals
from kiosk.head.desk import Desk
from kiosk.head.desk.background_pairings_and_standings import QUICK
from kiosk.head.desk.desk_and_automatic_steps import STARTUP_SYNC_S, AutoAdvanceThread, StartupSync
from kiosk.head.devices import Enrolments, ReplacedDevices, SharedPin, Updates
from kiosk.head.devices.table_software_updates_and_logs import FOLDER as UPDATES
from kiosk.head.errors import HeadError
from kiosk.head.export.broadcast_relay_sender_and_federation_target import INDEX, Relay, opener_of
from kiosk.head.export.endgame_analysis import EndgameAnalyser
from kiosk.head.export.event_archive import ArchiveBuilder
from kiosk.head.export.publish_targets import check_place
from kiosk.head.export.publisher import Publisher
from kiosk.head.federation.database.background_update import Projection
from kiosk.head.federation.database.connection_and_tables import open_database
from kiosk.head.federation.database.person_registry_and_identity_decisions import PersonRegistry
from kiosk.head.federation.database.season_rankings import load_seasons
from kiosk.head.federation.federation_push_thread_and_outbox import Pusher
from kiosk.head.federation.player_list_transfer import PlayerListPublisher, VenueListCopy
from kiosk.head.federation.push_receiver_and_venue_quarantine import FederationCollector
from kiosk.head.federation.received_venue_broadcasts import VenueBroadcasts
from kiosk.head.head_config import EVERYWHERE, HeadConfig
from kiosk.head.hourly_storage_quota_per_key import table_quota
from kiosk.head.pages.broadcast import strings
from kiosk.head.program.garbage_collection_schedule import collection_paused
from kiosk.head.program.head_application import HeadApplication
from kiosk.head.program.listening_sockets_tls_and_server import addresses, listen, tls_context
from kiosk.head.registration.rating_and_member_lookup import CombinedPlayerList, PlayerList
from kiosk.head.registration.self_registration_store import RegistrationStore
from kiosk.head.store import Store
from kiosk.head.store.store_rows import wall_clock
from kiosk.head.store.store_writer import StoreWriter
from kiosk.head.tables.arbiter_log import ArbiterLog
from kiosk.head.tables.live_game_json_and_document_cache import Broadcast
from kiosk.head.tables.live_table_state import LiveTables
from kiosk.head.tables.photograph_board_reading_and_storage import Photographs
from kiosk.head.tables.position_evaluation import Evaluator
from kiosk.head.tables.record_ingest_and_commands import RecordIngest
from kiosk.head.web import services_for_pages
from kiosk.head.web.broadcast_streams import BroadcastHub
from kiosk.head.web.cached_public_pages import SharedPages
from kiosk.head.web.change_notifier_and_live_updates import ChangeNotifier
from kiosk.head.web.head_url_on_hall_network import NO_ADDRESS, reachable
from kiosk.head.web.html_renderer import Renderer
from kiosk.link.endpoints.head_endpoint import LinkEndpoint
from kiosk.link.endpoints.head_serial_ports import SerialPorts
from kiosk.link.table_keys import KeyRing
from kiosk.locale import JAPANESE, languages, render_both
from kiosk.platform_compat import disable_core_dumps, elapsed_ns
from kiosk.update import INSTALLED_KEY

# The machine that a head runs on: its clocks and its threads.
#
# Whoever builds a head passes it in, real or simulated; nothing in the head asks which one it was given.


@dataclass(frozen=True, slots=True)
class Runtime:
    """Clocks and threads of a head. ``session_ns``: time for the age of sessions, also while the machine sleeps.
    ``quick``: calculations up to this weight run at once (``kiosk.head.desk.background_pairings_and_standings``).
    ``reads_ahead``: as in ``kiosk.head.tables.live_table_state``."""

    time: TimeBase = field(default_factory=SystemTime)
    session_ns: Callable[[], int] = elapsed_ns
    wall_ns: Callable[[], int] = clocks.time_ns
    wall_clock: Callable[[], str] = wall_clock
    store_writer: Callable[[Engine, Connection], StoreWriter] = StoreWriter
    worker: Callable[..., AutoAdvanceThread] = AutoAdvanceThread
    pusher: Callable[..., Pusher] = Pusher
    quick: float = QUICK
    reads_ahead: bool = True

    @property
    def monotonic_s(self) -> Callable[[], float]:
        return partial(now_s, self.time)


REAL = Runtime()


log = logging.getLogger("kiosk.head")

#: interval after which the interpreter switches from a busy thread to another one
SWITCH_S = 0.0002


def build_head(
    config: HeadConfig, keys: Mapping[int, bytes], startup_sync_s: float = 0.0, machine: Runtime = REAL
) -> HeadApplication:
    """Assemble a head. No thread runs before its ``start``. ``startup_sync_s``: how long to wait for the records of
    tables before anything advances automatically.

    :raises HeadError: the store or the federation's database cannot be used.
    """
    real = machine.time
    game_time = real if config.speed == 1 else ScaledTime(config.speed)
    store = Store(config.data, config.store, machine.store_writer, machine.wall_clock)
    signals, changes = Signals(), ChangeNotifier()
    signals.state_changed.connect(changes.notify)

    # the tournament: acts of the desk, and automatic advance
    live = LiveTables(store, keys, game_time, real.now_ns, machine.wall_ns, machine.reads_ahead)
    startup_sync = StartupSync(startup_sync_s, live.has_sent_all_records, machine.monotonic_s)
    desk = Desk(store, keys, signals, auto=config.auto, startup_sync=startup_sync, quick=machine.quick)
    worker = machine.worker(desk.process_pending, partial(desk.periodic_check, live.game_at), desk.note)
    signals.act_committed.connect(worker.wake)
    signals.records_received.connect(worker.wake)

    # other machines, people, devices
    remote = _build_remote(config, store, signals, game_time, desk, machine)
    access = Authenticator(store, machine.session_ns)
    devices = _build_devices(config, keys, store, signals, desk, live, access, remote.pusher, machine.monotonic_s)

    # pages, and what is made of them for other servers
    renderer = Renderer(desk, live, config.speed)
    services = services_for_pages.AppServices(
        config=config,
        desk=desk,
        access=access,
        registrations=RegistrationStore(config.data / REGISTRATIONS, machine.wall_clock, machine.monotonic_s),
        tables=services_for_pages.TableServices(live, ArbiterLog(store), Photographs(config.data / PHOTOGRAPHS)),
        devices=devices,
        remote=remote,
        outbound=_build_outbound(config, store, desk, live, changes, renderer, signals.state_changed),
        pages=services_for_pages.PageServices(
            changes,
            renderer,
            SharedPages(changes, lambda: desk.state, live.now_ms),
            troubles=lambda: program.troubles(),
        ),
        fingerprint=_fingerprint(config.data),
    )
    program = HeadApplication(store, services, worker, startup_sync)
    return program


def _build_devices(
    config: HeadConfig,
    keys: Mapping[int, bytes],
    store: Store,
    signals: Signals,
    desk: Desk,
    live: LiveTables,
    access: Authenticator,
    pusher: Pusher | None,
    monotonic_s: Callable[[], float],
) -> services_for_pages.DeviceServices:
    ring, changed = keys if isinstance(keys, KeyRing) else None, signals.state_changed
    pin = SharedPin(store, access, keys, signals.orders_queued)
    quota, old_devices = (table_quota(monotonic_s, config.speed) for _ in range(2))
    collection = RecordIngest(store, keys, desk, live, changed, monotonic_s, pin, quota)
    returned = ReplacedDevices(store, ring, changed, desk.is_open, old_devices)
    link = LinkEndpoint(collection, returned)
    signals.orders_queued.connect(collection.note_queued)
    signals.orders_queued.connect(link.wake)
    enrolments = Enrolments(
        store,
        ring,
        link,
        returned,
        last_received=collection.last_received,
        seat_of=desk.seat_of,
        sent=lambda table, epoch: pusher.has(table, epoch) if pusher else 0,
        on_table=desk.add_table,
        on_change=changed,
    )
    maker = config.update_key or INSTALLED_KEY
    updates = Updates(store, keys, config.data / UPDATES, maker, lambda: desk.state, changed)
    return services_for_pages.DeviceServices(
        link, collection, pin, returned, enrolments, updates, SerialPorts(link, config.serial, config.baud)
    )


def _build_remote(
    config: HeadConfig, store: Store, signals: Signals, game_time: TimeBase, desk: Desk, machine: Runtime
) -> services_for_pages.RemoteServices:
    own, changed = config.data / "roster.json", signals.state_changed
    federation = PlayerList(config.data / "federation-players.json")
    roster = CombinedPlayerList(PlayerList(own), federation)
    keeper = AutoBackup(config, config.backup, partial(_progress, desk, store), changed) if config.backup else None
    venue_lists = VenueListCopy(store, federation, config.data / "federation-players.from")
    pusher = machine.pusher(store, config.federation, changed, venue_lists) if config.federation else None
    if not config.venues:
        return services_for_pages.RemoteServices(roster, keeper, pusher)
    collector = FederationCollector(store, config.venues, game_time, PlayerListPublisher(own), changed)
    projection = Projection(
        store.reading,
        open_database(config.data, config.store),
        PersonRegistry(store, store.operator_events()),
        collector.venue,
        changed,
        collector.is_shown,
        load_seasons(config.seasons) if config.seasons else (),
    )
    broadcasts = VenueBroadcasts(collector)
    collector.rows_accepted.connect(projection.note_rows)
    collector.standing_decided.connect(projection.note_standing)
    collector.person_anonymised.connect(projection.note_anonymised)
    collector.person_anonymised.connect(broadcasts.anonymise_again)
    venues = services_for_pages.VenueServices(collector, projection, broadcasts)
    return services_for_pages.RemoteServices(roster, keeper, pusher, venues)


def _build_outbound(
    config: HeadConfig,
    store: Store,
    desk: Desk,
    live: LiveTables,
    changes: ChangeNotifier,
    renderer: Renderer,
    changed: Callable[[], None],
) -> services_for_pages.OutboundServices:
    worths = Evaluator(config.analysis, changed)
    broadcast = Broadcast(desk, live, worths)
    closing = ArchiveBuilder(desk, config.data / "closing", store.records, partial(back_up, config), changed)
    publisher = relay = None
    if config.publish is not None:
        check_place(config.publish)
        publisher = Publisher(desk, config.publish, config.data, changed)
    if config.relay is not None:
        opener, forgets = opener_of(config.relay, config.federation)
        viewer = partial(viewer_files, renderer)
        relay = Relay(desk, broadcast, config.relay, config.data, viewer, changed, opener, forgets=forgets)
    endings = EndgameAnalyser(desk, config.data, changed)
    return services_for_pages.OutboundServices(
        worths, BroadcastHub(broadcast, changes), closing, endings, publisher, relay
    )


def _progress(desk: Desk, store: Store) -> BackupProgress:
    published = sum(len(division.rounds) for division in desk.state.divisions.values())
    return BackupProgress(published, store.writer.jobs)


def _fingerprint(data: Path) -> str:
    """Return the fingerprint of the key that signs backups; empty if the key cannot be used, which must not stop the
    head."""
    try:
        return own_signer(data).fingerprint
    except InputError as error:
        log.warning("%s", error)
        return ""


def serve(
    config: HeadConfig, keys: Mapping[int, bytes], tell: Callable[[str], None], on_beat: Callable[[], None]
) -> None:
    """Run a head from start to end. ``tell`` receives the lines for the operator; the first is ``listening URL``.

    :raises InputError: something in the configuration cannot be used.
    """
    # An acknowledgement switches threads some ten times; it must not wait long while another thread parses a form.
    sys.setswitchinterval(SWITCH_S)
    # The memory of this process holds keys and passwords, which must not get into a core dump.
    disable_core_dumps()
    with contextlib.ExitStack() as open_:
        listener = open_.enter_context(listen(config.host, config.port))
        secure = None
        if config.tls is not None:
            secure = open_.enter_context(listen(config.host, config.tls.port)), tls_context(config.tls)
        try:
            with collection_paused():
                program = open_.enter_context(contextlib.closing(build_head(config, keys, STARTUP_SYNC_S))).start()
        except HeadError as error:
            raise InputError(text_of(error)) from error
        if config.setup_code is not None:
            write_setup_code(config.setup_code, program.access.setup_code)
        first, *others = addresses(config.host, listener.getsockname()[1])
        tell(f"listening {first}")
        for other in dict.fromkeys([*([config.address] if config.address else []), *others]):
            tell(f"also at {other}")
        code = program.access.setup_code
        if config.tls is not None:
            staff = (others or [first])[0]
            tell(f"staff at {staff.replace('http:', 'https:').rpartition(':')[0]}:{config.tls.port}")
        tell(f"setup code {code}" if code else f"sign in at {first}/sign-in")
        if not config.address and config.host == EVERYWHERE and not reachable(config.host):
            tell(render_both(NO_ADDRESS))
        with program.garbage.frozen():
            program.run(listener, secure, on_beat)


# The static page that a relay puts beside its games: the broadcast pages for use without a head.

_STATIC = ("live.js", "live.css", "head.css", "icon.svg")


def viewer_files(renderer: Renderer) -> dict[str, bytes]:
    """Return the files by name; one page for each language, ``index.html`` is the Japanese one."""
    static = resources("kiosk.head.web").joinpath("static")
    found = {name: static.joinpath(name).read_bytes() for name in _STATIC}
    pages = {lang: "index.html" if lang == JAPANESE else f"{lang}.html" for lang in languages()}
    for lang, name in pages.items():
        values = {"now": 0, "tables": [], "games": [], "lang": lang, "words": strings(lang), "index": INDEX}
        found[name] = renderer.draw("broadcast/viewer.html", lang, None, initial=values, pages=pages).encode()
    return found
