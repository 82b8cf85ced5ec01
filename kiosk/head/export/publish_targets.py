"""Publish targets: a folder, a WebDAV server, an SFTP server.

A file is replaced atomically. Every failure is a ``PublishTargetError`` with one sentence; the publisher tries again
and continues where it stopped. A password is never sent over an unencrypted connection.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from urllib.parse import quote, unquote, urlsplit

import httpx

from engine.i18n import LocalizedError, raised_as, say
from kiosk.errors import InputError, require_extra
from kiosk.head.head_config import RemoteTarget, check_url
from kiosk.platform_compat import is_loopback

if TYPE_CHECKING:
    import asyncssh

T = TypeVar("T")
#: seconds that a server may take for one answer
_TIMEOUT_S = 20.0
#: tells GitHub Pages to publish the files unchanged
UNTOUCHED = ".nojekyll"


class PublishTargetError(LocalizedError, OSError):
    """The target does not accept the file now."""


class PublishTarget(Protocol):
    """An open target. Paths are relative and separated by ``/``."""

    def put(self, path: str, data: bytes) -> None:
        """Write a file.

        :raises PublishTargetError: it was not accepted; the old file is unchanged.
        """

    def remove(self, path: str) -> None:
        """Remove a file, if it exists.

        :raises PublishTargetError: it is unknown whether it was removed.
        """

    def close(self) -> None: ...


def open_place(config: RemoteTarget) -> PublishTarget:
    """Open the target.

    :raises PublishTargetError: it cannot be reached. :raises InputError: the configuration names no target.
    """
    kind = urlsplit(config.to).scheme
    if kind == "sftp":
        return _Sftp(config)
    if kind in ("http", "https"):
        return _WebDav(config)
    return _Folder(Path(config.to))


def check_place(config: RemoteTarget, part: str = "publish") -> None:
    """Check the target's address. ``part``: the section of the configuration that names it.

    :raises InputError: the address cannot be used, or the extra ``publish`` is not installed.
    """
    if config.to.startswith(("sftp://", "http://", "https://")):
        check_url(f"{part}.to", config.to)
    parts = urlsplit(config.to)
    if parts.scheme and parts.scheme not in ("sftp", "http", "https"):
        text = say("{part}.to is {to}; write a folder, https://… (WebDAV) or sftp://user@host/folder")
        raise InputError(text(part=part, to=config.to))
    if parts.password:
        raise InputError.saying(
            "{part}.to holds a password; put it into a file and name that as {part}.password", part=part
        )
    if parts.scheme == "http" and config.password and not (parts.hostname and is_loopback(parts.hostname)):
        raise InputError.saying("{part}.to is {to}; a password goes over https:// only", part=part, to=config.to)
    if parts.scheme == "sftp" and (not parts.username or not parts.hostname):
        raise InputError.saying("{part}.to is {to}; write sftp://user@host/folder", part=part, to=config.to)
    if parts.scheme == "sftp":
        require_extra("publish")


class _Folder:
    """A folder: a stick, a mounted share, or the working tree of a GitHub Pages repository."""

    def __init__(self, folder: Path) -> None:
        if not folder.parent.is_dir():
            raise PublishTargetError.saying("the folder {folder} is not there; is the stick in?", folder=folder.parent)
        self._folder = folder
        self.put(UNTOUCHED, b"")

    def put(self, path: str, data: bytes) -> None:
        file = self._folder / path
        draft = file.with_name(f".{file.name}.new")
        with self._disk_errors():
            file.parent.mkdir(parents=True, exist_ok=True)
            draft.write_bytes(data)
            draft.replace(file)

    def remove(self, path: str) -> None:
        with self._disk_errors():
            (self._folder / path).unlink(missing_ok=True)

    def close(self) -> None:
        pass

    @contextmanager
    def _disk_errors(self) -> Iterator[None]:
        with raised_as(PublishTargetError, say("{folder}: {why}; look at the disk", folder=self._folder), OSError):
            yield


class _WebDav:
    def __init__(self, config: RemoteTarget) -> None:
        parts = urlsplit(config.to)
        user = unquote(parts.username) if parts.username else ""
        host = parts.netloc.rpartition("@")[2]
        self._base = f"{parts.scheme}://{host}{parts.path.rstrip('/')}"
        auth = (user, _secret(config.password)) if user else None
        self._client = httpx.Client(auth=auth, timeout=_TIMEOUT_S)
        self._made: set[str] = set()

    def put(self, path: str, data: bytes) -> None:
        parents = list(PurePosixPath(path).parents)[-2::-1]
        for folder in ("", *map(str, parents)):
            if folder not in self._made:
                self._ask("MKCOL", folder, {201, 405})  # 405: it exists already
                self._made.add(folder)
        # a server writes directly to the final name, and a broken connection would leave half a file there
        self._ask("PUT", f"{path}.new", {200, 201, 204}, data)
        self._ask("MOVE", f"{path}.new", {201, 204}, headers={"destination": self._url(path), "overwrite": "T"})

    def remove(self, path: str) -> None:
        self._ask("DELETE", path, {200, 204, 404})

    def close(self) -> None:
        self._client.close()

    def _url(self, path: str) -> str:
        return f"{self._base}/{quote(path)}".rstrip("/")

    def _ask(
        self,
        method: str,
        path: str,
        good: set[int],
        data: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        try:
            status = self._client.request(method, self._url(path), content=data, headers=headers).status_code
        except httpx.HTTPError as error:
            raise PublishTargetError.saying(
                "{url} does not answer ({why})", url=self._base, why=str(error) or repr(error)
            ) from error
        if status in (401, 403):
            raise PublishTargetError.saying("{url} refuses the user or the password", url=self._base)
        if status == 507:
            raise PublishTargetError.saying("{url} has no room left", url=self._base)
        if status not in good:
            raise PublishTargetError.saying(
                "{url} answers {status} to {path}", url=self._base, status=status, path=path or "/"
            )


class _Sftp:
    """An SFTP server. Keys, known hosts and defaults are OpenSSH's; an unknown host is refused."""

    def __init__(self, config: RemoteTarget) -> None:
        self._host = urlsplit(config.to).hostname or ""
        self._runner = asyncio.Runner()
        self._made: set[str] = set()
        try:
            self._client = self._wait(self._open(config))
        except PublishTargetError:
            self._runner.close()
            raise

    async def _open(self, config: RemoteTarget) -> asyncssh.SFTPClient:
        import asyncssh

        parts = urlsplit(config.to)
        self._folder = unquote(parts.path).lstrip("/") if parts.path.startswith("/~/") else unquote(parts.path)
        self._folder = self._folder.removeprefix("~/").rstrip("/") or "."
        options: dict[str, Any] = {} if config.known_hosts is None else {"known_hosts": str(config.known_hosts)}
        if config.key is not None:
            options |= {"client_keys": [str(config.key)]}
        if config.password is not None:
            options |= {"password": _secret(config.password)}
        user = unquote(parts.username or "")
        self._line = await asyncssh.connect(
            self._host, parts.port or 22, username=user, login_timeout=_TIMEOUT_S, keepalive_interval=5, **options
        )
        return await self._line.start_sftp_client()

    def put(self, path: str, data: bytes) -> None:
        self._wait(self._upload(f"{self._folder}/{path}", data))

    async def _upload(self, path: str, data: bytes) -> None:
        folder = path.rpartition("/")[0]
        if folder not in self._made:
            await self._client.makedirs(folder, exist_ok=True)
            self._made.add(folder)
        async with self._client.open(f"{path}.new", "wb") as file:
            await file.write(data)
        await self._client.posix_rename(f"{path}.new", path)

    def remove(self, path: str) -> None:
        self._wait(self._remove(f"{self._folder}/{path}"))

    async def _remove(self, path: str) -> None:
        if await self._client.exists(path):
            await self._client.remove(path)

    def close(self) -> None:
        self._line.abort()
        self._runner.run(self._line.wait_closed())
        self._runner.close()

    def _wait(self, work: Coroutine[Any, Any, T]) -> T:
        import asyncssh

        try:
            return self._runner.run(asyncio.wait_for(work, 2 * _TIMEOUT_S))
        except (OSError, asyncssh.Error, TimeoutError, ValueError) as error:  # ValueError: a key that cannot be read
            raise PublishTargetError.saying(
                "{host} does not accept it by SFTP ({why})", host=self._host, why=str(error) or repr(error)
            ) from error


def _secret(file: Path | None) -> str:
    why = say("the password in {file} cannot be read: {why}", file=file)
    with raised_as(PublishTargetError, why, OSError, UnicodeDecodeError):
        return "" if file is None else file.read_text(encoding="utf-8").strip()


Opener = Callable[[RemoteTarget], PublishTarget]
