#!/usr/bin/env bash
# FAULTS.md 19 and the installation, under a real systemd:  sudo tests/systemd/prove_in_nspawn.sh [FOLDER]
# FOLDER holds the Debian that debootstrap makes (kept, so that the next run is faster). About 5 minutes and 1.5 GB.
# Needs: apt install debootstrap systemd-container. No kernel module, no network bridge, no machined.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 2; }
folder=$(readlink -f "${1:-/var/tmp/othello-nspawn}")
source=$(cd "$(dirname "$0")/../.." && pwd)
debian=$folder/debian
mkdir -p "$folder"

if [ ! -e "$debian/.made" ]; then
    packages=systemd,systemd-sysv,dbus,udev,python3,python3-venv,make,procps,kmod,chrony,fonts-noto-cjk
    packages+=,libdrm2,libgbm1,libegl1,libgles2,libgl1-mesa-dri
    debootstrap --variant=minbase --include="$packages" bookworm "$debian" >"$folder/debootstrap.log" 2>&1 ||
        { tail -n 5 "$folder/debootstrap.log" >&2; exit 1; }
    touch "$debian/.made"
fi
make -C "$source" -s wheels >"$folder/wheels.log" 2>&1 || { tail -n 5 "$folder/wheels.log" >&2; exit 1; }
rm -rf "$debian/src" "$debian"/{etc,opt}/othello-kiosk "$debian"/var/lib/othello-*
mkdir "$debian/src"
(cd "$source" && cp -a Makefile pyproject.toml README.md LICENSE engine hardware kiosk systemd tests wheels "$debian/src/")

setsid systemd-nspawn --quiet --directory="$debian" --machine="othello-$$" --boot --register=no --keep-unit \
    </dev/null >"$folder/console.log" 2>&1 &
nspawn=$!
trap 'kill -TERM "$nspawn" 2>/dev/null; wait "$nspawn" 2>/dev/null || true' EXIT

leader=
for _ in $(seq 100); do
    leader=$(awk '{print $NF}' "/proc/$nspawn/task/$nspawn/children" 2>/dev/null || true)
    if [ -n "$leader" ] && grep -q 'Multi-User System' "$folder/console.log"; then break; fi
    sleep 0.3
done
[ -n "$leader" ] || { tail "$folder/console.log" >&2; exit 1; }
cd /
nsenter --target "$leader" --mount --uts --ipc --pid --net --cgroup --root="/proc/$leader/root" --wd="/proc/$leader/root/src" \
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb bash /src/tests/systemd/prove_inside.sh
