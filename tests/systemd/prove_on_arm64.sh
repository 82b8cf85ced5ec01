#!/usr/bin/env bash
# Tests the installation on an emulated Pi processor:  sudo tests/systemd/prove_on_arm64.sh [FOLDER [bookworm|trixie]...]
# For each release, both without a name: an arm64 Debian from nothing (kept in FOLDER, so that the next run is faster), and on
# a copy each of it
#   with internet: make install-table, kiosk doctor, then make wheels; a head and the table connect, the tests run;
#   without (no network but loopback): first-boot.sh from a card with that debs/ and wheels/, kiosk doctor, make install-head.
# Measured steps are printed with their seconds of wall clock and processor time. About an hour for each release.
# Needs: apt install debootstrap qemu-user-static; a kernel with binfmt_misc.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 2; }
folder=$(readlink -m "${1:-/var/tmp/othello-arm64}")
source=$(cd "$(dirname "$0")/../.." && pwd)
releases=("${@:2}")
[ ${#releases[@]} -gt 0 ] || releases=(bookworm trixie)
for release in "${releases[@]}"; do
    [[ $release = bookworm || $release = trixie ]] || { echo "bookworm or trixie, not $release" >&2; exit 2; }
done
mkdir -p "$folder"
# A Pi 4's processor. Without a name qemu shows all it knows, SVE too, which no Pi has: OpenBLAS then takes kernels that
# qemu 7.2 computes wrongly (the camera's network read nothing).
export QEMU_CPU=cortex-a72

fact() { printf '%-52s %s\n' "$1" "$2"; }
fail() { printf 'FAILED: %s\n' "$*"; exit 1; }
environment=("QEMU_CPU=$QEMU_CPU" PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root)
environment+=("PIP_CERT=/etc/ssl/certs/ca-certificates.crt")
inside() { chroot "$debian" env -i "${environment[@]}" "$@"; }
alone() { unshare --net bash -c 'ip link set lo up; exec "$@"' - chroot "$debian" env -i "${environment[@]}" "$@"; }

# timed WHAT LOG COMMAND...
timed() {
    local TIMEFORMAT='%R %U %S' took
    took=$({ time "${@:3}" >"$2" 2>&1; } 2>&1) || fail "$1: $(tail -n 5 "$2")"
    read -r real user system <<<"$took"
    fact "$1" "$(printf '%.0f s, of a processor %.0f s' "$real" "$(awk "BEGIN { print $user + $system }")")"
}

# The kernel starts arm64 programs through qemu, the children of programs too.
binfmt=/proc/sys/fs/binfmt_misc
[ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt
registered=no
if [ ! -e $binfmt/qemu-aarch64 ]; then
    registered=yes
    elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    printf '%s' ":qemu-aarch64:M::$elf:$mask:$(command -v qemu-aarch64-static):FP" >$binfmt/register
fi

leave() {
    for place in dev/pts dev proc; do
        if mountpoint -q "$debian/$place"; then umount "$debian/$place"; fi
    done
}
clean_up() {
    leave
    if [ "$registered" = yes ]; then echo -1 >$binfmt/qemu-aarch64; fi
}

# A copy of the fresh Debian, entered.
enter() {
    debian=$folder/$release-$1
    leave
    rm -rf --one-file-system "$debian"
    cp -a "$folder/$release-fresh" "$debian"
    for place in proc dev dev/pts; do mount --bind "/$place" "$debian/$place"; done
    # This machine's network, certificate and apt settings.
    cp /etc/resolv.conf "$debian/etc/resolv.conf"
    cp /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs/ca-certificates.crt"
    apt-config dump Acquire >"$debian/etc/apt/apt.conf.d/99this-machine"
}

# Exactly what a machine without display, pins, key and head lacks.
doctor() {
    local found=$folder/$release-doctor-$1.json
    "$1" kiosk doctor --json >"$found" 2>"$found.err" || [ -s "$found" ] || fail "kiosk doctor: $(cat "$found.err")"
    python3 - "$found" <<'PY' || fail "kiosk doctor says what is in $found"
import json, sys
(report,) = (r for r in json.load(open(sys.argv[1]))["reports"] if r["side"] == "table")
said = {f["check"]: f["en"] for f in report["findings"] if f["verdict"] == "problem"}
for check, text in said.items():
    print(f"    NO  {text}")
assert set(said) <= {"display", "gpio", "key", "head"}, said
PY
    fact "kiosk doctor" "names what no emulation has, and nothing else"
}

one_release() {
    local logs=$folder/$release card
    debian=$folder/$release-fresh
    if [ ! -e "$debian/.made" ]; then
        # Of what Raspberry Pi OS Lite has this is the part that matters here; python3-venv is taken as missing.
        packages=python3,make,ca-certificates,procps,kmod,udev,systemd
        timed "$release: an arm64 Debian" "$logs-debootstrap.log" \
            debootstrap --arch=arm64 --variant=minbase --include=$packages "$release" "$debian"
        touch "$debian/.made"
    fi

    enter online
    fact "machine" "$(inside uname -m), Debian $(cat "$debian/etc/debian_version"), $(inside python3 --version)"
    mkdir "$debian/src"
    (cd "$source" && cp -a Makefile pyproject.toml README.md LICENSE engine hardware kiosk systemd tests docs benchmarks "$debian/src/")
    # As docs/setup/install.md says, on a fresh card: before anything else is installed.
    timed "with internet: make wheels" "$logs-wheels.log" inside make -C /src wheels
    fact "" "$(find "$debian/src/debs" -name '*.deb' | wc -l) of Debian's packages, $(find "$debian/src/wheels" -name '*.whl' | wc -l) of Python's, $(basename "$debian"/src/wheels/lgpio-*.whl)"
    mkdir "$debian/carried" && mv "$debian/src/wheels" "$debian/src/debs" "$debian/carried/"
    timed "with internet: make install-table" "$logs-table.log" inside make -C /src install-table HEAD=127.0.0.1 TABLE=5
    fact "kiosk --version" "$(inside kiosk --version)"
    doctor inside
    draws
    speaks
    inside /opt/othello-kiosk/current/bin/python -m pip install --quiet pytest pytest-timeout hypothesis >"$logs-pytest.log" 2>&1
    timed "tests of match, journal, link, screen, hardware" "$logs-tests.log" tests
    fact "" "$(tail -n 1 "$logs-tests.log")"
    ! grep -E '^(FAILED|ERROR)' "$logs-tests.log" || failed=yes
    inside make -C /src uninstall >/dev/null
    [ ! -e "$debian/opt/othello-kiosk" ] || fail "uninstall leaves the programs"
    fact "uninstall" "programs gone"
    leave

    # The card of docs/setup/install.md for halls without internet, as a bundle.
    mv "$debian/src" "$folder/$release-src"
    mv "$debian/carried"/* "$folder/$release-src/"
    card=$folder/$release-card
    rm -rf "$card"
    "$folder/$release-src/systemd/imager/bundle.sh" "$card" 127.0.0.1 >/dev/null
    echo 5 >"$card/othello/table"
    enter offline
    mkdir -p "$debian/boot/firmware"
    cp -r "$card/othello" "$debian/boot/firmware/"
    ! alone getent hosts deb.debian.org >/dev/null || fail "the namespace without network has one"
    timed "without: first-boot.sh (bundle of $(du -sm "$card" | cut -f 1) MB)" "$logs-offline.log" alone bash /boot/firmware/othello/first-boot.sh
    doctor alone
    draws
    mv "$folder/$release-src" "$debian/src"
    timed "without: make install-head" "$logs-head.log" alone make -C /src install-head WHEELS=wheels TABLES=1-8
    fact "" "version $(readlink "$debian/opt/othello-kiosk/current") in use, $(inside bash -c 'python3 -c "import json; print(len(json.load(open(\"/var/lib/othello-head/keys.json\"))[\"keys\"]))"') keys"
    leave
}

# What the table needs to draw without a desktop, and to read its pins.
draws() {
    fact "lgpio, KMSDRM in SDL" "$(inside /opt/othello-kiosk/current/bin/python - <<'PY'
import ctypes, os, tempfile
os.environ["LG_WD"] = tempfile.mkdtemp()
import lgpio
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
import pygame
from kiosk.doctor.table_checks import DRAWING_LIBRARIES
for library in DRAWING_LIBRARIES:
    ctypes.CDLL(library)
sdl = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps") if "libSDL2-" in line))
sdl.SDL_GetVideoDriver.restype = ctypes.c_char_p
drivers = [sdl.SDL_GetVideoDriver(n).decode() for n in range(sdl.SDL_GetNumVideoDrivers())]
assert "kmsdrm" in [d.lower() for d in drivers], drivers
print("lgpio imports, drivers", *drivers)
PY
)"
}

# A head and a table of that installation connect to each other.
speaks() {
    inside rm -rf /tmp/hall
    inside install -d -m 700 /tmp/hall
    inside kiosk keys new --tables 5 --out /tmp/hall/keys >/dev/null
    inside bash -c 'cat >/tmp/hall/head.toml <<T
data = "/tmp/hall/head"
keys = "/tmp/hall/keys/keys.json"
host = "127.0.0.1"
port = 18043
T
cat >/tmp/hall/table.toml <<T
table = 5
data = "/tmp/hall/table"
[head]
url = "ws://127.0.0.1:18043/link"
key_file = "/tmp/hall/keys/table-5.json"
[buttons]
factory = "none"
[screen]
enabled = false
T'
    # setpriv: they end with this script, however it ends; exec: the process number is theirs.
    run() { exec setpriv --pdeathsig TERM chroot "$debian" env -i "${environment[@]}" "$@"; }
    (run kiosk head --config /tmp/hall/head.toml) >"$folder/$release-head.out" 2>&1 &
    head=$!
    (run kiosk table --config /tmp/hall/table.toml) >"$folder/$release-table.out" 2>&1 &
    table=$!
    local began=$SECONDS
    until inside python3 -c "
import sqlite3
print(sqlite3.connect('file:/tmp/hall/head/head.sqlite?mode=ro', uri=True).execute('select count(*) from records').fetchone()[0])" 2>/dev/null |
        grep -qv '^0$'; do
        [ $((SECONDS - began)) -lt 600 ] || { kill $head $table; fail "no record of the table at the head: $(tail -n 3 "$folder/$release"-{head,table}.out)"; }
        sleep 1
    done
    kill $head $table
    wait $head $table 2>/dev/null || true
    fact "table 5 and head, both arm64" "a record of the table is committed at the head after $((SECONDS - began)) s"
}

tests() {
    inside bash -c 'cd /src && /opt/othello-kiosk/current/bin/python -m pytest -q -p no:cacheprovider -o timeout=1800 tests/engine/match \
        tests/kiosk/table/journal/test_journal_and_link_outbox.py tests/kiosk/link/session/test_link_session.py tests/kiosk/link/test_table_keys.py tests/kiosk/link/test_link_enrolment.py \
        tests/kiosk/link/test_websocket_transport.py tests/kiosk/table/screen/test_pygame_screen.py tests/hardware' || [ $? = 1 ]
}

debian=$folder/none
failed=no
trap clean_up EXIT
for release in "${releases[@]}"; do one_release; done
[ $failed = no ] || fail "tests"
