"""Tests of the address in QR codes, posters, badges and slips: one that a phone can open, or the reason why there is
none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from heads.process import HeadProcess
from heads.staff import first_chief, token
from heads.tournaments import publish_round
from heads.world import event, running_head

from kiosk import platform_compat
from kiosk.errors import InputError
from kiosk.head.head_config import HeadConfig
from kiosk.head.web.head_url_on_hall_network import hall_address
from kiosk.locale import render_both
from kiosk.platform_compat import network_addresses

PRINTS = ("poster", "badges", "slips")


def interfaces(monkeypatch: pytest.MonkeyPatch, *found: tuple[str, str, bool], outward: str | None = None) -> None:
    monkeypatch.setattr(platform_compat, "_interface_addresses", lambda: list(found))
    monkeypatch.setattr(platform_compat, "_outward_address", lambda: outward)


@pytest.mark.parametrize(
    ("found", "outward", "first"),
    [
        ([("lo", "127.0.0.1", False)], None, []),
        ([("eth0", "169.254.7.8", False)], None, []),
        ([("eth0", "192.168.10.1", False)], None, ["192.168.10.1"]),
        ([("docker0", "172.17.0.1", False), ("wlan0", "10.42.0.1", False)], None, ["10.42.0.1", "172.17.0.1"]),
        ([("tailscale0", "100.64.0.9", True), ("eth0", "10.0.0.5", False)], "100.64.0.9", ["10.0.0.5", "100.64.0.9"]),
        ([("eth0", "192.0.2.9", False), ("wlan0", "192.168.1.5", False)], "192.0.2.9", ["192.168.1.5", "192.0.2.9"]),
        ([("eth0", "10.1.0.2", False), ("wlan0", "10.2.0.2", False)], "10.2.0.2", ["10.2.0.2", "10.1.0.2"]),
    ],
)
def test_the_hall_network_is_preferred_to_internal_networks(
    monkeypatch: pytest.MonkeyPatch, found: list[tuple[str, str, bool]], outward: str | None, first: list[str]
) -> None:
    interfaces(monkeypatch, *found, outward=outward)
    assert network_addresses() == first


def test_the_host_header_selects_only_own_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    interfaces(monkeypatch, ("eth0", "10.1.0.2", False), ("wlan0", "10.2.0.2", False))
    for asked, address in {
        "http://10.2.0.2:8043": "http://10.2.0.2:8043",
        "http://127.0.0.1:8043": "http://10.1.0.2:8043",
        "http://localhost:9000": "http://10.1.0.2:9000",
        "http://evil.example": "http://10.1.0.2:80",
        "http://[::1": "http://10.1.0.2:8043",
        "http://10.2.0.2:99999999": "http://10.1.0.2:8043",
        "https://10.2.0.2:8443": "http://10.2.0.2:8043",
    }.items():
        assert hall_address("", "0.0.0.0", 8043, asked) == address, asked
        assert hall_address("http://head.example", "0.0.0.0", 8043, asked) == "http://head.example"
        assert hall_address("", "127.0.0.1", 8043, asked) == "", "it listens to this machine alone"
        assert hall_address("", "10.1.0.2", 8043, asked).startswith("http://10.1.0.2:")


@pytest.mark.parametrize("address", ["http://10.42.0.1:8043", "https://head.example", "http://[fd00::1]:8043/"])
def test_the_address_can_be_set(address: str) -> None:
    assert HeadConfig(Path("data"), address=address).address == address.rstrip("/")


@pytest.mark.parametrize(
    "address",
    [
        "10.42.0.1", "http://127.0.0.1:8043", "http://localhost", "http://LOCALHOST.:80", "http://127.9.9.9",
        "http://[::1]:8043", "http://0.0.0.0:8043", "http://[::ffff:127.0.0.1]", "ftp://10.0.0.1", "http://",
        "http://10.0.0.1/desk", "http://10.0.0.1:99999", "http://me@10.0.0.1", "http://10.0.0.1:0", "http://a b",
    ],
)  # fmt: skip
def test_an_address_that_no_phone_can_open_is_refused_in_both_languages(address: str) -> None:
    with pytest.raises(InputError) as refused:
        HeadConfig(Path("data"), address=address)
    said = render_both(refused.value.text)
    assert "http://10.42.0.1:8043" in said and "スマートフォン" in said and "phones need" in said


def test_printed_pages_never_have_a_loopback_address(tmp_path: Path) -> None:
    """A head at 127.0.0.1 says that it has no address, on paper, on the desk and beside a sign-in code."""
    with running_head(tmp_path, tables=2) as (program, url), httpx.Client(base_url=url, params={"lang": "en"}) as web:
        program.desk.divisions.set_tables("main", range(1, 20))
        publish_round(program)
        first_chief(web, program.access.setup_code)
        pages = [web.get(f"/print/{kind}").text for kind in PRINTS]
        pages += [web.get("/desk").text, web.get("/overlays").text]
        pages.append(web.post("/accounts/new", data={"csrf": token(web), "name": "lund", "role": "desk"}).text)
        for page in pages:
            assert "no network address yet" in page and "10.42.0.1:8043" in page
            assert "127.0.0.1" not in page and "localhost" not in page and 'class="qr"' not in page
        assert "ネットワーク" in web.get("/print/poster", params={"lang": "ja"}).text


@contextmanager
def namespace() -> Iterator[str]:
    name = f"addr{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True) if shutil.which("ip") else None
    if made is None or made.returncode:
        pytest.skip("network namespaces need root and iproute2")
    try:
        subprocess.run(["ip", "-n", name, "link", "set", "lo", "up"], check=True)
        yield name
    finally:
        subprocess.run(["ip", "netns", "delete", name], check=True)


def interface(name: str, device: str, address: str) -> None:
    for command in (
        ["link", "add", device, "type", "bridge"],
        ["addr", "add", f"{address}/24", "dev", device],
        ["link", "set", device, "up"],
    ):
        subprocess.run(["ip", "-n", name, *command], check=True)


@pytest.mark.slow
def test_a_head_in_a_hall_without_internet_gives_its_own_address(tmp_path: Path) -> None:
    """With real interfaces and no route the address is none, then one of containers, then the hall's."""
    (tmp_path / "event.json").write_text(json.dumps(event(), ensure_ascii=False), encoding="utf-8")
    (tmp_path / "head.toml").write_text('data = "data"\nevent = "event.json"\nport = 8043\n')
    with namespace() as name:
        inside = ["ip", "netns", "exec", name]
        ask = [*inside, sys.executable, "-c", "from kiosk.platform_compat import network_addresses as n; print(*n())"]

        def found() -> list[str]:
            return subprocess.run(ask, capture_output=True, text=True, check=True).stdout.split()

        assert found() == []
        interface(name, "docker0", "172.17.0.1")
        interface(name, "eth0", "10.42.0.1")
        assert found() == ["10.42.0.1", "172.17.0.1"]
        head = HeadProcess(tmp_path / "head.toml", before=inside)
        try:
            assert head.url == "http://127.0.0.1:8043", "scripts read the first line"
        finally:
            head.stop()
