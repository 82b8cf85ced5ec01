"""The update archive, the program and its packages in one file signed by its maker, and the requests to install it.

No content is read before the maker's signature over the file list is verified, and no file is used before its bytes
match the hash in that list. A file is a regular file, its path stays inside the target folder, and nothing follows the
last file.

    othello-update/1 PUBLIC-KEY SIGNATURE LENGTH          one line; key and signature (Ed25519) in hexadecimal
    {"version": …, "files": [{"path", "size", "sha256", "executable"}, …]}      LENGTH bytes, what is signed
    the bytes of the files, in that order
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, Literal, TypeVar

import msgspec

from engine.i18n import Text, raised_as, reason_of, say
from kiosk import platform_compat
from kiosk.errors import InputError
from kiosk.json_validation import warm_up
from kiosk.platform_compat import write_secret
from kiosk.update import PUBLIC_FILE, SECRET_FILE

MAGIC = "othello-update/1"
#: limits of an archive: its first line, its list, its files and their bytes
MAX_LINE, MAX_LIST, MAX_FILES, MAX_BYTES = 300, 2_000_000, 10_000, 512_000_000
#: parts of a source tree included in an archive; the guide is for a head on the same machine
SOURCES = (
    *("pyproject.toml", "setup.py", "README.md", "LICENSE", "docs/guide"),
    *("engine", "hardware", "kiosk", "systemd"),
)
WHEELS = "wheels"

_LINE = re.compile(rf"{MAGIC} ([0-9a-f]{{64}}) ([0-9a-f]{{128}}) ([1-9][0-9]{{0,6}})\n".encode())
_PATH = re.compile(r"[A-Za-z0-9_+@-][A-Za-z0-9._+@-]*(/[A-Za-z0-9_+@-][A-Za-z0-9._+@-]*)*", re.ASCII)
_VERSION = re.compile(r"\d{1,6}(\.\d{1,6}){0,3}", re.ASCII)
_CHUNK = 1 << 20
_SAID = b"othello-kiosk update\n"
_NOT_ALLOWED = say("the update contains a file that is not allowed: '{path}'")


class ArchiveError(InputError):
    """Error for an invalid or altered archive; the text gives the reason."""


class ArchiveEntry(msgspec.Struct, frozen=True):
    """One file. ``path``: below the target folder, with slashes; ``sha256``: hexadecimal."""

    path: str
    size: int
    sha256: str
    executable: bool = False


class Manifest(msgspec.Struct, frozen=True):
    version: str
    files: list[ArchiveEntry]

    @property
    def size(self) -> int:
        """Return the bytes of all files."""
        return sum(entry.size for entry in self.files)


def version_of(text: str) -> tuple[int, ...]:
    """Return a version as comparable numbers. A second installation of one version (0.1.0-2) is the same version.

    :raises ArchiveError: it is not a version.
    """
    plain = re.sub(r"-\d+$", "", text)
    if not _VERSION.fullmatch(plain):
        raise ArchiveError.saying("'{text}' is no version; write it like 1.2.0", text=text[:40])
    return tuple(int(part) for part in plain.split("."))


def running_version() -> str:
    """Return the version of this program: the name of its directory, if ``install.sh`` made it."""
    place = Path(sys.prefix)
    return place.name if (place / ".complete").exists() else metadata.version("othello-kiosk")


# --- the maker's key ---------------------------------------------------------------------------------------------


def create_maker_key(folder: Path) -> bytes:
    """Create a maker's key pair in a folder and return the public key.

    :raises InputError: there is one already, or it cannot be written.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    secret = folder / SECRET_FILE
    if secret.exists():
        raise InputError.saying(
            "{path} is there already; tables that know it would take no other key's updates", path=secret
        )
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    with raised_as(InputError, say("{path} cannot be written ({why})", path=secret), OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_secret(secret, msgspec.json.encode({"key": key.private_bytes_raw().hex()}) + b"\n")
        (folder / PUBLIC_FILE).write_text(public.hex() + "\n", encoding="ascii")
    return public


def maker_key(path: Path) -> bytes:
    """Return the public key in a file.

    :raises InputError: it cannot be read, or is not a key.
    """
    with raised_as(
        InputError, say("{path}: the key of the updates' maker cannot be read ({why})", path=path), OSError, ValueError
    ):
        text = path.read_text(encoding="ascii").strip()
    if not re.fullmatch("[0-9a-f]{64}", text):
        raise InputError.saying("{path} holds no key of 64 hexadecimal digits; make one: kiosk update key", path=path)
    return bytes.fromhex(text)


# --- making ------------------------------------------------------------------------------------------------------


def make(source: Path, wheels: Path | None, secret: Path, out: Path) -> Manifest:
    """Write the archive of a source tree, with the wheels of a folder.

    :raises InputError: something is missing, or ``out`` cannot be written.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    no_file = say("{path}: no key to sign with ({why}); make one: kiosk update key", path=secret)
    no_key = say("{path} holds no key to sign with; make one: kiosk update key", path=secret)
    with raised_as(InputError, no_file, OSError), raised_as(InputError, no_key, ValueError, KeyError):
        seed = bytes.fromhex(msgspec.json.decode(secret.read_bytes(), type=dict[str, str])["key"])
        key = Ed25519PrivateKey.from_private_bytes(seed)
    try:
        manifest, places = _read_manifest(source, wheels)
        encoded = msgspec.json.encode(manifest)
        public = key.public_key().public_bytes_raw()
        line = f"{MAGIC} {public.hex()} {key.sign(_SAID + encoded).hex()} {len(encoded)}\n".encode()
        draft = out.with_name(out.name + ".new")
        with draft.open("wb") as file:
            file.write(line + encoded)
            for place in places:
                file.write(place.read_bytes())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(out)
    except OSError as error:
        raise InputError.saying("{path}: {why}", path=error.filename or out, why=reason_of(error)) from error
    return manifest


def version_in(source: Path) -> str:
    """Return the version of a source tree.

    :raises InputError: it has none.
    """
    project = source / "pyproject.toml"
    with raised_as(InputError, say("{path}: {why}", path=project), OSError, ValueError):
        found = re.search(r'^version = "(.*)"$', project.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise InputError.saying("{path} names no version", path=project)
    version_of(found[1])
    return found[1]


def _read_manifest(source: Path, wheels: Path | None) -> tuple[Manifest, list[Path]]:
    version = version_in(source)
    places = {f"{place.relative_to(source).as_posix()}": place for name in SOURCES for place in _files(source / name)}
    if wheels is not None:
        places |= {f"{WHEELS}/{place.name}": place for place in sorted(wheels.glob("*.whl"))}
    entries = []
    for path, place in places.items():
        data = place.read_bytes()
        entries.append(ArchiveEntry(path, len(data), hashlib.sha256(data).hexdigest(), os.access(place, os.X_OK)))
    manifest = Manifest(version, entries)
    _check(manifest)
    return manifest, list(places.values())


def _files(place: Path) -> Iterator[Path]:
    if place.is_dir():
        found = (path for path in sorted(place.rglob("*")) if path.is_file() and not path.is_symlink())
        yield from (path for path in found if "__pycache__" not in path.parts and not path.name.startswith("."))
    else:
        yield place


# --- reading -----------------------------------------------------------------------------------------------------


def manifest_of(file: BinaryIO, maker: bytes) -> Manifest:
    """Return the file list at the beginning of an archive; ``file`` is then positioned at the first file's bytes.

    :raises ArchiveError: it is not an archive, or not signed by this maker.
    """
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    line = _LINE.fullmatch(file.readline(MAX_LINE))
    if line is None or (length := int(line[3])) > MAX_LIST:
        raise ArchiveError.saying("this is no update of these programs")
    if bytes.fromhex(line[1].decode()) != maker:
        raise ArchiveError.saying(
            "the update is signed by somebody else; its maker's key is not the one of this machine"
        )
    encoded = file.read(length)
    try:
        Ed25519PublicKey.from_public_bytes(maker).verify(bytes.fromhex(line[2].decode()), _SAID + encoded)
    except (InvalidSignature, ValueError):
        why = say("the update's signature is wrong: it was changed, or it was broken on its way")
        raise ArchiveError(why) from None
    with raised_as(ArchiveError, say("the update's list of files cannot be read ({why})"), ValueError):
        manifest = msgspec.json.decode(encoded, type=warm_up(Manifest))
    _check(manifest)
    return manifest


def _check(manifest: Manifest) -> None:
    version_of(manifest.version)
    paths, sizes = [entry.path for entry in manifest.files], [entry.size for entry in manifest.files]
    wrong = next((path for path in paths if not _PATH.fullmatch(path)), None)
    if wrong is not None or len({*paths}) != len(paths):
        raise ArchiveError(_NOT_ALLOWED(path=(wrong or "twice")[:80]))
    if len(paths) > MAX_FILES or min(sizes, default=0) < 0 or sum(sizes) > MAX_BYTES:
        raise ArchiveError.saying("the update is too large")


def check(file: BinaryIO, maker: bytes) -> Manifest:
    """Check an archive to its end and return its file list.

    :raises ArchiveError: it is incomplete, or not what the maker signed.
    """
    return _read(file, maker, lambda entry: Path(os.devnull).open("wb"))


def unpack(file: BinaryIO, maker: bytes, into: Path) -> Manifest:
    """Write the files below ``into``, an empty folder that only the caller uses.

    :raises ArchiveError: as ``check``; the folder then holds a part.
    :raises OSError: the files cannot be written.
    """

    def opened(entry: ArchiveEntry) -> BinaryIO:
        place = into / entry.path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            mode = 0o755 if entry.executable else 0o644
            return os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb")
        except (FileExistsError, NotADirectoryError):
            raise ArchiveError(_NOT_ALLOWED(path=entry.path)) from None

    return _read(file, maker, opened)


def _read(file: BinaryIO, maker: bytes, open_file: Callable[[ArchiveEntry], BinaryIO]) -> Manifest:
    manifest = manifest_of(file, maker)
    for entry in manifest.files:
        digest, left = hashlib.sha256(), entry.size
        with open_file(entry) as sink:
            while left:
                data = file.read(min(left, _CHUNK))
                if not data:
                    raise ArchiveError.saying("the update is cut off in {path}", path=entry.path)
                digest.update(data)
                sink.write(data)
                left -= len(data)
        if digest.hexdigest() != entry.sha256:
            raise ArchiveError.saying("{path} of the update is not what its maker signed", path=entry.path)
    if file.read(1):
        raise ArchiveError.saying("something follows the update's last file")
    return manifest


def check_newer(version: str, than: str) -> None:
    """Check that an update is newer, which stops replays of old archives.

    :raises ArchiveError: the version is not newer.
    """
    if version_of(version) <= version_of(than):
        text = say("version {version} is not newer than {than}, which runs here")
        raise ArchiveError(text(version=version, than=than))


def hash_of(file: BufferedReader) -> str:
    """Return the hexadecimal hash of a whole file, which identifies an archive during transfer."""
    return hashlib.file_digest(file, "sha256").hexdigest()


def error_reason(error: InputError | OSError) -> Text:
    """Return the reason of an error for people."""
    return error.text if isinstance(error, InputError) else say("{why}", why=error.strerror or str(error))


# Files exchanged between the table's program, which has no privileges, and root's update helper.
#
# The table's program writes in its own folder, where root only reads, never through a link; root writes in root's
# folder, where the table's program only reads. Each file is replaced as a whole.

#: root's folder of an installation, readable by all
ROOTS = Path("/var/lib/othello-update")
#: the table's folder, in its data; in it: the request to root, the archive, and the confirmation of the new version
FOLDER = "update"
REQUEST, ARCHIVE, WELL = "request.json", "archive", "well.json"
#: in root's folder: the result; and a marker while a version is on trial
RESULT, TRIAL = "result.json", "trial"
_SMALL = 10_000


class Request(msgspec.Struct, frozen=True):
    """A request to root. ``stage``: build the archive's version beside the one in use; ``switch``: switch to it."""

    id: str
    do: Literal["stage", "switch"]
    sha256: str


class InstallResult(msgspec.Struct, frozen=True):
    """The result of a request. ``id``: of the request. ``trial``: ``version`` runs now, and ``before`` is restored
    unless the table's program writes ``nonce`` into ``WELL``.
    """

    id: str
    stage: Literal["staged", "trial", "in-use", "returned", "failed"]
    version: str = ""
    before: str = ""
    nonce: str = ""
    why: Text | None = None


class TrialConfirmed(msgspec.Struct, frozen=True):
    nonce: str


S = TypeVar("S", bound=msgspec.Struct)


def read(folder: Path, name: str, kind: type[S]) -> S | None:
    """Return the content of a small file; None: there is none, or it is another program's."""
    try:
        with open_regular_file(folder, name) as file:
            return msgspec.json.decode(file.read(_SMALL), type=warm_up(kind))
    except (OSError, ValueError):
        return None


def write(folder: Path, name: str, value: object, mode: int = 0o600) -> None:
    """Replace a small file.

    :raises OSError: it cannot be written; the old content is unchanged.
    """
    folder.mkdir(mode=0o755 if mode & 0o044 else 0o700, parents=True, exist_ok=True)
    draft = folder / f".{name}.new"
    write_secret(draft, msgspec.json.encode(value))
    draft.chmod(mode)
    draft.replace(folder / name)
    platform_compat.sync_folder(folder)


@contextmanager
def open_regular_file(folder: Path, name: str) -> Iterator[BufferedReader]:
    """Open a regular file of a folder that another user may own; follows no link and never blocks.

    :raises OSError: it is missing, or is a link.
    :raises ArchiveError: it is not a regular file.
    """
    descriptor = platform_compat.open_untrusted(folder, name)
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise ArchiveError.saying("{name} is no plain file", name=name)
        yield file
