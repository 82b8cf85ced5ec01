#!/usr/bin/env python3
"""Boots a card image in qemu and checks it:  tests/systemd/prove_image.py FOLDER [PICTURE.png]

FOLDER is that of ``make-image.sh``. The card is put into an emulated arm64 machine (``-M virt``) as an SD card of
4 GiB, with the kernel and the initramfs of its boot partition. A Pi's firmware is not emulated.

 1. a volunteer's files are put on the boot partition; the machine starts; the table's screen becomes PICTURE.png;
 2. the root, data partition, key and watchdog of the running machine are compared with what they must be;
 3. the power is cut, the card is checked from outside, and started again: nothing that was saved may be missing;
 4. the kernel is crashed: the emulated watchdog must start the machine again, and the table must come back;
 5. it is started with a camera (the kernel's own, which shows coloured bars): the table must show its picture.

No root is needed. Needs (apt): qemu-system-arm mtools e2fsprogs.  ``BOOT_S``: seconds that a start may take (1800).
"""

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

BOOT_AT = 4 << 20  # systemd/imager/image.py
CARD_BYTES = 4 << 30
BOOT_S = float(os.environ.get("BOOT_S", "1800"))
TABLE_STARTED = r"Started othello-table\.service|othello-table\.service.*[Ss]tarted"

JOURNAL = "kiosk/journal/00000001.journal"
TABLE_TOML = """table = 7
data = "/var/lib/othello-kiosk"
[buttons]
factory = "none"
[screen]
window = true
"""

CAMERA_TOML = """[board]
source = "camera"
device = "/dev/video0"
"""

#: Runs ``facts.sh`` inside: a unit that comes with the kernel's command line and is no part of the card.
UNIT = """[Unit]
After=othello-table.service
[Service]
Type=oneshot
StandardOutput=journal+console
ExecStart=/bin/sh /boot/firmware/facts.sh
"""

#: An emulated processor needs minutes for what a Pi does in seconds, and with the card's own 14 s the watchdog ended a
#: start on a busy machine (``systemd.watchdog_sec`` below).
PATIENCE = """[Service]
TimeoutStartSec=900
WatchdogSec=300
"""

FACTS = r"""fact() { echo "FACT $1: $(shift; "$@" 2>&1 | tr '\n' ' ')"; }
fact root findmnt -no FSTYPE,OPTIONS /
fact card findmnt -no FSTYPE,OPTIONS /run/othello/card
fact writing touch /run/othello/card/etc/written
fact firmware findmnt -no OPTIONS /boot/firmware
fact files ls /boot/firmware/othello
fact data findmnt -no SOURCE,OPTIONS /var/lib/othello-kiosk
fact size df -m --output=size /data
fact versions findmnt -no FSTYPE /opt/othello-kiosk
fact kept ls -lR /var/lib/othello-kiosk
fact id cat /etc/machine-id
fact failed systemctl --failed --no-legend --plain
fact watchdog grep -s . /sys/class/watchdog/watchdog0/identity /sys/class/watchdog/watchdog0/state
fact timeout cat /sys/class/watchdog/watchdog0/timeout
fact restarts systemctl show -P NRestarts othello-table
fact passwords grep -c '^[^:]*:[$]' /etc/shadow
fact gettys systemctl list-units --no-legend --plain --state=active '*getty*.service'
fact version cat /etc/debian_version
fact end uptime
"""


def say(what: str) -> None:
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {what}\n")
    sys.stdout.flush()


class Machine:
    """One emulated machine with its card, its console and its monitor."""

    def __init__(self, folder: Path, card: Path, log: Path, words: str = "") -> None:
        """Start the machine; ``words``: further arguments of the kernel."""
        self.log, self.events = log, list[dict[str, Any]]()
        self._read = 0
        unit, patience = (base64.b64encode(text.encode()).decode() for text in (UNIT, PATIENCE))
        command_line = (
            (folder / "cmdline.txt").read_text().strip().replace("quiet loglevel=3 panic=10 ", "")
            + " console=ttyAMA0 sysrq_always_enabled=1 systemd.journald.forward_to_console=1"
            + f" systemd.wants=facts.service systemd.default_device_timeout_sec=900 systemd.watchdog_sec=120 {words}"
            + f" systemd.set_credential_binary=systemd.extra-unit.facts.service:{unit}"
            + f" systemd.set_credential_binary=systemd.unit-dropin.othello-table.service:{patience}"
        )
        assert len(command_line) < 2048, "arm64's kernel cuts it off"
        monitor = folder / "monitor"
        monitor.unlink(missing_ok=True)
        self.process = subprocess.Popen(
            [
                *("qemu-system-aarch64", "-M", "virt,gic-version=2", "-cpu", "cortex-a72", "-smp", "2", "-m", "1024"),
                *("-accel", "tcg,thread=multi", "-display", "none", "-nodefaults", "-action", "watchdog=reset"),
                *("-kernel", folder / "vmlinuz", "-initrd", folder / "initrd.img", "-append", command_line),
                *("-drive", f"file={card},format=raw,if=none,id=card", "-device", "sdhci-pci"),
                *("-device", "sd-card,drive=card", "-device", "virtio-gpu-pci,xres=800,yres=480"),
                *("-device", "qemu-xhci", "-device", "usb-kbd", "-device", "i6300esb", "-device", "virtio-rng-pci"),
                *("-netdev", "user,id=hall", "-device", "virtio-net-pci,netdev=hall,romfile="),
                *("-serial", f"file:{log}", "-qmp", f"unix:{monitor},server=on,wait=off"),
            ]
        )
        self._socket = socket.socket(socket.AF_UNIX)
        wait(lambda: not self._socket.connect_ex(str(monitor)), 30, "qemu's monitor")
        self._lines = self._socket.makefile("r")
        self._socket.settimeout(60)
        json.loads(self._lines.readline())
        self.ask("qmp_capabilities")

    def ask(self, command: str, **arguments: Any) -> Any:
        """Send one command to qemu and return its answer; events that come meanwhile are kept."""
        self._socket.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        while True:
            message = json.loads(self._lines.readline())
            if "event" in message:
                self.events.append(message)
            elif "error" in message:
                raise RuntimeError(f"{command}: {message['error']}")
            else:
                return message["return"]

    def keys(self, *names: str, held_ms: int = 100) -> None:
        keys = [{"type": "qcode", "data": name} for name in names]
        self.ask("send-key", keys=keys, **{"hold-time": held_ms})

    def wait_for_console(self, pattern: str, seconds: float = BOOT_S) -> str:
        """Wait until a new line of the console matches the pattern."""
        found = None

        def look() -> bool:
            nonlocal found
            assert self.process.poll() is None, "qemu has ended"
            text = self.log.read_bytes()[self._read :].decode(errors="replace")
            found = re.search(rf"^.*(?:{pattern}).*$", text, re.MULTILINE)
            if found:
                self._read += len(text[: found.end()].encode())
            return bool(found)

        wait(look, seconds, f"{pattern!r} on the console ({self.log})")
        assert found is not None
        return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", found[0]).strip()

    def facts(self) -> dict[str, str]:
        start = self._read
        self.wait_for_console(r"FACT end: ")
        text = self.log.read_bytes()[start : self._read].decode(errors="replace")
        return {name: value.strip() for name, value in re.findall(r"FACT (\w+):(.*?)\r?$", text, re.MULTILINE)}

    def picture(self, file: Path) -> None:
        self.ask("screendump", filename=str(file.absolute()), format="png")

    def frame(self, file: Path) -> None:
        """Wait until the table draws. Letters with soft edges have more shades than a dark display or a console."""

        def drawn() -> bool:
            assert self.process.poll() is None, "qemu has ended"
            return len(Counter(self.pixels())) > 32

        wait(drawn, BOOT_S, "the table's frame")
        self.picture(file)

    def pixels(self) -> Iterator[tuple[int, ...]]:
        """Return red, green and blue of every pixel of the display."""
        seen = self.log.with_suffix(".ppm")
        self.ask("screendump", filename=str(seen))
        return _rgb_pixels(seen.read_bytes().split(b"\n", 3)[3])

    def cut(self) -> None:
        self.process.kill()
        self.process.wait()
        self._socket.close()


def _rgb_pixels(pixels: bytes) -> Iterator[tuple[int, ...]]:
    return zip(pixels[::3], pixels[1::3], pixels[2::3], strict=True)


def has_bars(machine: Machine) -> bool:
    """Return whether at least a hundredth of the display is yellow, cyan, green, magenta, red and blue each."""
    bars = Counter(tuple(part > 128 for part in dot) for dot in machine.pixels() if max(dot) - min(dot) > 100)
    return len([bar for bar, many in bars.items() if many > 800 * 480 / 100]) >= 6


def wait(true: Callable[[], object], seconds: float, what: str) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"{what} did not come within {seconds:g} s"
        time.sleep(0.5)


def run(*command: object) -> str:
    return subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout


def data_partition(card: Path, folder: Path) -> Path:
    """Return the third partition as a file of its own."""
    entry = card.open("rb").read(512)[446 + 32 : 446 + 48]
    start, size = (int.from_bytes(entry[at : at + 4], "little") for at in (8, 12))
    out = folder / "data.img"
    run("dd", f"if={card}", f"of={out}", "bs=512", f"skip={start}", f"count={size}", "conv=sparse", "status=none")
    return out


def stored_files(card: Path, folder: Path) -> dict[str, int]:
    """Return every file of the table's data and its size, read from outside after the file system's journal."""
    data, out = data_partition(card, folder), folder / "kept"
    checked = subprocess.run(["e2fsck", "-fy", data], capture_output=True, text=True)
    assert checked.returncode in (0, 1), checked.stdout
    say("e2fsck: " + " / ".join(checked.stdout.strip().splitlines()[-3:]))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    run("debugfs", "-R", f"rdump /kiosk {out}", data)
    files = [f for f in sorted(out.rglob("*")) if f.is_file() and ".cache" not in f.parts]
    return {str(f.relative_to(out)): f.stat().st_size for f in files}


def main(folder: Path, picture: Path) -> None:
    work = Path(tempfile.mkdtemp(prefix="othello-card.", dir="/var/tmp"))
    card, image = work / "card.img", folder / "othello-table.img"
    run("cp", "--sparse=always", image, card)
    os.truncate(card, CARD_BYTES)
    boot = f"{card}@@{BOOT_AT}"
    names = re.findall(r"(?:vmlinuz|initrd\.img)-\S+", run("mdir", "-b", "-i", boot, "::"))
    for name in names:
        run("mcopy", "-n", "-i", boot, f"::{name}", work / name.split("-")[0])
    run("mcopy", "-n", "-i", boot, "::cmdline.txt", work / "cmdline.txt")
    (work / "table.toml").write_text(TABLE_TOML)
    (work / "key.json").write_text("{}")  # moved whatever it holds; a free clock reads none
    (work / "facts.sh").write_text(FACTS)
    run("mcopy", "-o", "-i", boot, work / "facts.sh", "::")
    run("mcopy", "-o", "-i", boot, work / "table.toml", work / "key.json", "::othello/")

    say(f"first start of {image}, in {work}")
    started = time.monotonic()
    machine = Machine(work, card, work / "first.log")
    say(machine.wait_for_console(r"[Uu]sing hardware watchdog.*|Watchdog running with.*"))
    say(machine.wait_for_console(r"othello-grow.*grown by|grown by \d+ MiB"))
    say(machine.wait_for_console(TABLE_STARTED) + f" after {time.monotonic() - started:.0f} s")
    facts = machine.facts()
    assert "ordering cycle" not in machine.log.read_text(errors="replace"), "systemd has left a unit out"
    for name, value in facts.items():
        say(f"  {name}: {value}")
    machine.frame(picture)
    say(f"the table draws after {time.monotonic() - started:.0f} s: {picture}; look at it")
    assert facts["root"].startswith("overlay") and re.search(r"ext4 ro\b", facts["card"]), "the root is only read"
    assert "Read-only file system" in facts["writing"]
    assert int(facts["size"].split()[-1]) > 1000, "the data partition took the card"
    assert "key.json" in facts["kept"] and "key.json" not in facts["files"], "the key has moved"
    assert facts["passwords"] == "0" and not facts["gettys"], "nobody can log in"
    assert facts["timeout"] == "120" and "state:active" in facts["watchdog"]
    assert not facts["failed"], facts["failed"]
    machine.keys("j", held_ms=4000)  # the question about the orientation of the display is answered
    time.sleep(10)
    for key in ("f", "j", "f", "j", "f"):  # both are ready; Black, White, Black
        machine.keys(key)
        time.sleep(5)
    machine.picture(picture.with_stem(picture.stem + "-before-cut"))
    say("the power is cut in mid-game")
    machine.cut()
    before = stored_files(card, work)
    say(f"saved: {before}")
    presses = (work / "kept" / JOURNAL).read_bytes().count(b"press")
    assert presses >= 3, f"{presses} presses are in the journal"

    say("second start")
    started = time.monotonic()
    machine = Machine(work, card, work / "second.log")
    say(machine.wait_for_console(TABLE_STARTED) + f" after {time.monotonic() - started:.0f} s")
    again = machine.facts()
    assert again["id"] == facts["id"], "one card, one name for its logs"
    assert not again["failed"], again["failed"]
    machine.frame(picture.with_stem(picture.stem + "-after-cut"))
    say(f"the table draws after {time.monotonic() - started:.0f} s")

    say("the kernel is crashed")
    machine.keys("alt", "sysrq", "c")
    say(machine.wait_for_console(r"Kernel panic.*|sysrq: Trigger a crash"))
    crashed = time.monotonic()

    def watchdog_fired() -> bool:
        machine.ask("query-status")
        return any(event["event"] == "WATCHDOG" for event in machine.events)

    wait(watchdog_fired, 600, "the watchdog")
    bark = next(event for event in machine.events if event["event"] == "WATCHDOG")
    say(f"{bark} {time.monotonic() - crashed:.0f} s after the crash")
    say(machine.wait_for_console(TABLE_STARTED))
    machine.frame(picture.with_stem(picture.stem + "-after-watchdog"))
    say(f"the table draws again {time.monotonic() - crashed:.0f} s after the crash")
    machine.cut()

    say("third start, with a camera")
    (work / "table.toml").write_text(TABLE_TOML + CAMERA_TOML)
    run("mcopy", "-o", "-i", boot, work / "table.toml", "::othello/")
    started = time.monotonic()
    machine = Machine(work, card, work / "third.log", "modules_load=vivid")
    machine.frame(picture.with_stem(picture.stem + "-camera"))
    wait(lambda: has_bars(machine), BOOT_S, "the camera's picture on the display")
    machine.picture(picture.with_stem(picture.stem + "-camera"))
    say(f"the table shows what its camera sees after {time.monotonic() - started:.0f} s")
    machine.cut()
    after = stored_files(card, work)
    assert all(after.get(name, -1) >= size for name, size in before.items()), (before, after)
    say("all is as it should be")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    main(Path(sys.argv[1]), Path((sys.argv[2:] or ["table.png"])[0]))
