"""Operating system differences, for what runs on every system: the head, its backups, the free clock.

Functions that only some systems have are called here, or in a part that states it is for Linux only. On Windows, which
has no file owners, no limit of open files and no sync of folders, the nearest equivalent is used.
"""

from __future__ import annotations

import contextlib
import ipaddress
import os
import secrets
import socket
import struct
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl
    import pwd
    import resource

#: flags of ``os.open``: do not follow a link; binary mode
NO_LINK: int = getattr(os, "O_NOFOLLOW", 0)
BYTES: int = getattr(os, "O_BINARY", 0)


def lock(descriptor: int, *, wait: bool = False) -> None:
    """Lock a file for this process until it is closed, however the process ends.

    :raises OSError: another process holds the lock.
    """
    if sys.platform == "win32":
        os.lseek(descriptor, 0, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; a second program waits.

    :raises OSError: the folder cannot be opened.
    """
    if sys.platform == "win32":
        descriptor = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT)
    else:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        lock(descriptor, wait=True)
        yield
    finally:
        os.close(descriptor)


def elapsed_ns() -> int:
    """Return monotonic time that goes on while the machine sleeps, which ``time.monotonic`` does on Windows only."""
    if sys.platform == "linux":
        return time.clock_gettime_ns(time.CLOCK_BOOTTIME)
    if sys.platform == "darwin":
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return time.monotonic_ns()


def lower_priority(process: int = 0) -> None:
    """Lower the priority of a process that only computes (0: this one), where the system supports it.

    :raises OSError: the process does not exist.
    """
    if sys.platform != "win32":
        os.setpriority(os.PRIO_PROCESS, process, 10)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable; without this, even a synced file can be lost."""
    if sys.platform != "win32":
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync_data(descriptor: int) -> None:
    """Make a file's bytes durable."""
    if sys.platform == "linux":
        os.fdatasync(descriptor)
    else:
        os.fsync(descriptor)


def reserve(descriptor: int, size: int) -> None:
    """Reserve disk space for a file, where the system can."""
    if sys.platform == "linux":
        os.posix_fallocate(descriptor, 0, size)


def write_at(descriptor: int, data: bytes, offset: int) -> int:
    """Write data at an offset and return the number of bytes written."""
    if sys.platform != "win32":
        return os.pwrite(descriptor, data, offset)
    os.lseek(descriptor, offset, os.SEEK_SET)
    return os.write(descriptor, data)


def open_untrusted(folder: Path, name: str) -> int:
    """Open for reading a file of a folder that another user may own: follows no link and does not block on a pipe.

    :raises OSError: the file does not exist or is a link.
    """
    if sys.platform == "win32":
        return os.open(folder / name, os.O_RDONLY | BYTES)
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | NO_LINK)
    try:
        return os.open(name, os.O_RDONLY | NO_LINK | os.O_NONBLOCK, dir_fd=place)
    finally:
        os.close(place)


def drop_page_cache(descriptor: int) -> None:
    """Drop a file's cached pages, where the system can, so that the next read comes from the disk."""
    if sys.platform == "linux":
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)


def other_owner(folder: Path) -> int | None:
    """Return the user who controls a folder, if this process is root's and the folder is not: the owner of the first
    part of its path that is not root's. None: there is no such user, or this is not the main thread; a program with
    several never changes its user.
    """
    main = threading.current_thread() is threading.main_thread()
    if sys.platform != "win32" and main and os.geteuid() == 0:
        path = folder.absolute()
        for part in (*reversed(path.parents), path):
            with suppress(FileNotFoundError):
                for seen in (part.lstat(), part.stat()):
                    if seen.st_uid != 0:
                        return seen.st_uid
    return None


@contextmanager
def as_owner_of(folder: Path) -> Iterator[None]:
    """Do what follows as the user who controls a folder, if this process is root's: a link that this user puts there
    then leads nowhere else than for himself. For commands only: the whole process changes its user.
    """
    user = other_owner(folder)
    if sys.platform != "win32" and user is not None:
        try:
            group = pwd.getpwuid(user).pw_gid
        except KeyError:
            group = folder.stat().st_gid
        groups, before = os.getgroups(), os.getegid()
        os.setgroups([])
        os.setegid(group)
        os.seteuid(user)
        try:
            yield
        finally:
            os.seteuid(0)
            os.setegid(before)
            os.setgroups(groups)
    else:
        yield


def open_files_allowed() -> int | None:
    """Return the highest limit of open files and connections this user may set; None: unknown."""
    if sys.platform != "win32":
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        if hard != resource.RLIM_INFINITY:
            return hard
    return None


def open_files(wanted: int) -> int:
    """Return how many files this process may have open, after raising the limit towards ``wanted`` as far as
    allowed.
    """
    if sys.platform != "win32":
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        if soft != resource.RLIM_INFINITY and soft >= allowed:
            return soft
        if soft != resource.RLIM_INFINITY:
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
            return allowed
    return wanted


def is_loopback(host: str) -> bool:
    """Check whether a host is the local machine or the unspecified address, in any notation."""
    name = host.rstrip(".").lower()
    try:
        ip = ipaddress.ip_address(name)
    except ValueError:
        return not name or name == "localhost" or name.endswith(".localhost")
    mapped = ip.ipv4_mapped if isinstance(ip, ipaddress.IPv6Address) else None
    return (mapped or ip).is_loopback or (mapped or ip).is_unspecified


#: interfaces of containers, virtual machines and private networks, which no phone in the hall can reach
_VIRTUAL = (
    "docker", "br-", "veth", "virbr", "vmnet", "vboxnet", "vethernet", "podman", "lxc", "lxd", "cni", "flannel",
    "tailscale", "zt", "wg", "tun", "tap", "utun", "ppp", "ham", "dummy", "ifb", "awdl", "llw",
)  # fmt: skip
_UP, _POINT_TO_POINT = 0x1, 0x10
_PRIVATE = [ipaddress.ip_network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")]


def network_addresses() -> list[str]:
    """Return this machine's IPv4 addresses at which others in its networks reach it, the most likely one first.

    No route is needed. A private network goes before a public one, a wired or wireless interface before those of
    containers and tunnels, and then the one that leads to the internet.
    """
    outward = _outward_address()
    found: list[tuple[bool, bool, bool, int, str]] = []
    for number, (name, address, tunnel) in enumerate(_interface_addresses()):
        ip = ipaddress.IPv4Address(address)
        if ip.is_loopback or ip.is_link_local or ip.is_unspecified or ip.is_multicast:
            continue
        virtual = tunnel or name.lower().startswith(_VIRTUAL)
        found.append((virtual, not any(ip in net for net in _PRIVATE), address != outward, number, address))
    return list(dict.fromkeys(address for *_, address in sorted(found)))


def _interface_addresses() -> list[tuple[str, str, bool]]:
    """Return the name and address of each interface that is up, and whether it is a tunnel; on Windows no names."""
    found: list[tuple[str, str, bool]] = []
    if sys.platform == "win32":
        with suppress(OSError):
            found += [("", address, False) for address in socket.gethostbyname_ex(socket.gethostname())[2]]
    else:
        ask_flags, ask_address = (0xC0206911, 0xC0206921) if sys.platform == "darwin" else (0x8913, 0x8915)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            for _, name in socket.if_nameindex():
                asked = struct.pack("16s24x", name.encode())
                with suppress(OSError):  # an interface without an IPv4 address
                    flags = struct.unpack_from("=H", fcntl.ioctl(probe, ask_flags, asked), 16)[0]
                    address = socket.inet_ntoa(fcntl.ioctl(probe, ask_address, asked)[20:24])
                    if flags & _UP:
                        found.append((name, address, bool(flags & _POINT_TO_POINT)))
    return found


def _outward_address() -> str | None:
    """Return which of this machine's addresses its default route leaves by."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing
        return str(probe.getsockname()[0])
    return None


def disable_core_dumps() -> None:
    """Disable core dumps, so that a crash writes no file of this process's memory."""
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


# Files that hold a secret.
#
# Such a file is either complete or absent, and from its first byte only its owner can read it.


def write_secret(path: Path, content: bytes) -> None:
    """Write ``path`` anew with mode 0600.

    :raises OSError: it cannot be written; the old content is unchanged.
    """
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


# Notifications to systemd: ready, alive, stopping, and a status line (sd_notify(3)).
#
# - Sending never blocks and never fails the program. A datagram that cannot be sent is lost; if many are lost, systemd
#   considers the program dead.
# - ``alive`` reports that the loop it is called from works; it is called from that loop and nowhere else.

SOCKET_VARIABLE: Final = "NOTIFY_SOCKET"


class Notifier:
    """Sender to the socket named in the environment; does nothing if none is named."""

    def __init__(self, environ: Mapping[str, str] = os.environ) -> None:
        address = environ.get(SOCKET_VARIABLE, "")
        self._ready = False
        self._status = ""
        self._socket: socket.socket | None = None
        self._address = ""
        if sys.platform != "win32" and address[:1] in ("/", "@"):
            # systemd writes an abstract socket name, whose first byte is zero, with a leading @.
            self._address = "\0" + address[1:] if address[0] == "@" else address
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
            self._socket.setblocking(False)

    def alive(self, status: str = "") -> None:
        """Report that the calling loop works. The first call also reports that the program is ready."""
        lines = ["WATCHDOG=1"]
        if not self._ready:
            self._ready = True
            lines.append("READY=1")
        if status and status != self._status:
            self._status = status
            lines.append("STATUS=" + " ".join(status.split()))
        self._send(lines)

    def stopping(self) -> None:
        """Report that the program is ending on its own."""
        self._send(["STOPPING=1"])

    def _send(self, lines: list[str]) -> None:
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.sendto("\n".join(lines).encode(), self._address)
