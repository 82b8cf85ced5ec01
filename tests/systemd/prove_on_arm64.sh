#!/usr/bin/env bash
# The installation on the Pi's processor, emulated:  sudo tests/systemd/prove_on_arm64.sh [FOLDER [bookworm|trixie]]
# Makes an arm64 Debian in FOLDER (kept, so that the next run is faster), installs head and table into it with the
# installer and with arm64 wheels, and runs them and the tests of journal, link and table there. About 20 minutes.
# On trixie (Python 3.13) lgpio is built there, as `make wheels` builds it on a Pi.
# Needs: apt install debootstrap qemu-user-static; a kernel with binfmt_misc.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 2; }
folder=$(readlink -f "${1:-/var/tmp/othello-arm64}")
source=$(cd "$(dirname "$0")/../.." && pwd)
release=${2:-bookworm}
debian=$folder/$release
wheels=$folder/wheels-$release
case $release in
bookworm) minor=11 tools='' ;;
trixie) minor=13 tools=,swig,gcc,libc6-dev,python3-dev ;;
*) echo "bookworm or trixie, not $release" >&2; exit 2 ;;
esac
python=${PYTHON:-python3}
mkdir -p "$wheels"
# A Pi 4's processor. Without a name qemu shows all it knows, SVE too, which no Pi has: OpenBLAS then takes kernels that
# qemu 7.2 computes wrongly (the camera's network read nothing).
export QEMU_CPU=cortex-a72

fact() { printf '%-52s %s\n' "$1" "$2"; }
fail() { printf 'FAILED: %s\n' "$*"; exit 1; }
inside() { chroot "$debian" env -i QEMU_CPU=$QEMU_CPU PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root "$@"; }

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

if [ ! -e "$debian/.made" ]; then
    packages=python3,python3-venv,make,procps,kmod,udev,systemd,libegl1,libgl1,libgbm1,fonts-noto-cjk$tools
    debootstrap --arch=arm64 --variant=minbase --include="$packages" "$release" "$debian" >"$folder/debootstrap.log" 2>&1 ||
        { tail -n 5 "$folder/debootstrap.log" >&2; exit 1; }
    touch "$debian/.made"
fi
for place in proc dev dev/pts; do mountpoint -q "$debian/$place" || mount --bind "/$place" "$debian/$place"; done
clean_up() {
    for place in dev/pts dev proc; do umount "$debian/$place" || true; done
    if [ "$registered" = yes ]; then echo -1 >$binfmt/qemu-aarch64; fi
}
trap clean_up EXIT
fact "machine" "$(inside uname -m), Debian $(cat "$debian/etc/debian_version"), $(inside python3 --version)"

# What `make wheels` makes on a Pi; and what the tests need.
mapfile -t wanted < <("$python" - "$source/pyproject.toml" $minor <<'PY'
import sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))
wanted = project["project"]["dependencies"]
if sys.argv[2] == "11":
    wanted += project["project"]["optional-dependencies"]["pi"]
wanted += [w for w in project["dependency-groups"]["dev"] if isinstance(w, str) and w.startswith(("pytest", "hypothesis"))]
print("setuptools>=77", "wheel", "pip", *(w.replace(" ", "") for w in wanted), sep="\n")
PY
)
platforms=()
for platform in manylinux_2_17 manylinux2014 manylinux_2_28 manylinux_2_31 manylinux_2_34; do
    platforms+=(--platform "${platform}_aarch64")
done
"$python" -m pip download --quiet --quiet --disable-pip-version-check --dest "$wheels" --only-binary=:all: "${platforms[@]}" \
    --python-version 3.$minor --implementation cp --abi cp3$minor --abi abi3 --abi none "${wanted[@]}" ||
    fail "a wheel is missing for arm64"
fact "every dependency has an arm64 wheel" "$(find "$wheels" -name '*.whl' | wc -l) wheels"
if [ $minor = 13 ] && ! compgen -G "$wheels/lgpio-*" >/dev/null; then
    "$python" -m pip download --quiet --quiet --disable-pip-version-check --dest "$folder" --no-deps --no-binary lgpio 'lgpio>=0.2.2,<1'
    rm -rf "$debian/build" && mkdir "$debian/build" && cp -a "$folder"/lgpio-*.tar.gz "$wheels" "$debian/build/"
    inside bash -c "python3 -m venv /build/v && PYPI=1 /build/v/bin/python -m pip wheel --quiet --no-index --no-deps \
        --find-links /build/wheels-trixie --wheel-dir /build /build/lgpio-*.tar.gz" >"$folder/lgpio.log" 2>&1 ||
        fail "lgpio: $(tail -n 5 "$folder/lgpio.log")"
    cp "$debian"/build/lgpio-*.whl "$wheels/"
fi
fact "lgpio" "$(basename "$wheels"/lgpio-*.whl)"

rm -rf "$debian/src" "$debian"/{etc,opt}/othello-kiosk "$debian"/var/lib/othello-*
mkdir "$debian/src"
(cd "$source" && cp -a Makefile pyproject.toml README.md LICENSE engine hardware kiosk systemd tests docs "$debian/src/")
cp -a "$wheels" "$debian/src/wheels"
inside env APT=no WHEELS=/src/wheels TABLES=1-8 /src/systemd/install.sh head >"$folder/head.log" 2>&1 || fail "$(tail -n 5 "$folder/head.log")"
inside env APT=no WHEELS=/src/wheels TABLE=5 /src/systemd/install.sh table 127.0.0.1 >"$folder/table.log" 2>&1 ||
    fail "$(tail -n 5 "$folder/table.log")"
fact "install.sh head, install.sh table" "version $(readlink "$debian/opt/othello-kiosk/current") in use"
fact "kiosk --version" "$(inside kiosk --version)"
fact "lgpio, KMSDRM in SDL" "$(inside /opt/othello-kiosk/current/bin/python - <<'PY'
import ctypes, lgpio, os
os.environ["PYGAME_HIDE_SUPPORT_PROMPT"] = "1"
import pygame
sdl = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps") if "libSDL2-" in line))
sdl.SDL_GetVideoDriver.restype = ctypes.c_char_p
drivers = [sdl.SDL_GetVideoDriver(n).decode() for n in range(sdl.SDL_GetNumVideoDrivers())]
assert "kmsdrm" in [d.lower() for d in drivers], drivers
print("lgpio imports, drivers", *drivers)
PY
)"

# A head and a table of that installation speak with each other.
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
# setpriv: they end with this script, whatever becomes of it; exec: the process number is theirs.
run() { exec setpriv --pdeathsig TERM chroot "$debian" env -i QEMU_CPU=$QEMU_CPU PATH=/usr/local/bin:/usr/bin:/bin LANG=C.UTF-8 HOME=/root "$@"; }
(run kiosk head --config /tmp/hall/head.toml) >"$folder/head.out" 2>&1 &
head=$!
(run kiosk table --config /tmp/hall/table.toml) >"$folder/table.out" 2>&1 &
table=$!
end=$((SECONDS + 120))
until inside python3 -c "
import sqlite3
print(sqlite3.connect('file:/tmp/hall/head/head.sqlite?mode=ro', uri=True).execute('select count(*) from records').fetchone()[0])" 2>/dev/null |
    grep -qv '^0$'; do
    [ $SECONDS -lt $end ] || { kill $head $table; fail "no record of the table at the head: $(tail -n 3 "$folder"/{head,table}.out)"; }
    sleep 1
done
kill $head $table
wait $head $table 2>/dev/null || true
fact "table 5 and head, both arm64" "a record of the table is committed at the head"

inside /opt/othello-kiosk/current/bin/python -m pip install --quiet --no-index --find-links /src/wheels pytest pytest-timeout hypothesis
inside bash -c 'cd /src && /opt/othello-kiosk/current/bin/python -m pytest -q -p no:cacheprovider -o timeout=600 tests/engine/match \
    tests/kiosk/table/journal/test_journal.py tests/kiosk/link/session/test_link_session.py tests/kiosk/link/test_link_keys.py tests/kiosk/link/test_link_enrolment.py \
    tests/kiosk/link/test_link_network.py tests/kiosk/table/screen/test_screen.py tests/hardware' >"$folder/tests.log" 2>&1 || true
fact "tests of match, journal, link, screen, hardware" "$(tail -n 1 "$folder/tests.log")"
grep -E '^(FAILED|ERROR)' "$folder/tests.log" || true
inside /src/systemd/install.sh uninstall >/dev/null
[ ! -e "$debian/opt/othello-kiosk" ] || fail "uninstall leaves the programs"
fact "uninstall" "programs gone"
