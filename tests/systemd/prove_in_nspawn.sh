#!/usr/bin/env bash
# Tests FAULTS.md 19 and the installation under a real systemd:  sudo tests/systemd/prove_in_nspawn.sh [FOLDER] [updates]
# FOLDER holds the Debian that debootstrap makes (kept, so that the next run is faster). About 5 minutes and 1.5 GB.
# updates: only updates from the head (docs/setup/updates.md): one that works, one that does not start and returns, and one
# that does not start while the power is cut in its trial.
# Needs: apt install debootstrap systemd-container. No kernel module, no network bridge, no machined.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 2; }
folder=$(readlink -f "${1:-/var/tmp/othello-nspawn}")
source=$(cd "$(dirname "$0")/../.." && pwd)
debian=$folder/debian
mkdir -p "$folder"

if [ ! -e "$debian/.made" ]; then
    packages=systemd,systemd-sysv,dbus,udev,python3,python3-venv,make,procps,kmod,chrony
    packages+=,libdrm2,libgbm1,libegl1,libgles2,libgl1-mesa-dri
    debootstrap --variant=minbase --include="$packages" bookworm "$debian" >"$folder/debootstrap.log" 2>&1 ||
        { tail -n 5 "$folder/debootstrap.log" >&2; exit 1; }
    touch "$debian/.made"
fi
make -C "$source" -s wheels >"$folder/wheels.log" 2>&1 || { tail -n 5 "$folder/wheels.log" >&2; exit 1; }
rm -rf "$debian/src" "$debian"/{etc,opt}/othello-kiosk "$debian"/var/lib/othello-*
mkdir "$debian/src"
(cd "$source" && cp -a Makefile pyproject.toml README.md LICENSE engine hardware kiosk systemd tests wheels "$debian/src/")

nspawn='' leader=''
trap 'kill -TERM "$nspawn" 2>/dev/null; wait "$nspawn" 2>/dev/null || true' EXIT
power_on() {
    setsid systemd-nspawn --quiet --directory="$debian" --machine="othello-$$" --boot --register=no --keep-unit \
        </dev/null >"$folder/console.log" 2>&1 &
    nspawn=$! leader=''
    for _ in $(seq 400); do
        leader=$(awk '{print $NF}' "/proc/$nspawn/task/$nspawn/children" 2>/dev/null || true)
        if [ -n "$leader" ] && grep -q 'Multi-User System' "$folder/console.log"; then return 0; fi
        sleep 0.3
    done
    tail "$folder/console.log" >&2
    return 1
}
# Kill every process of the machine at once, without a signal that it could handle.
power_cut() {
    kill -KILL "$leader"
    wait "$nspawn" 2>/dev/null || true
}
inside() {
    nsenter --target "$leader" --mount --uts --ipc --pid --net --cgroup --root="/proc/$leader/root" --wd="/proc/$leader/root/src" \
        env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb bash /src/tests/systemd/prove_inside.sh "$@"
}
cd /
power_on
inside "${2:-all}"
if [ "${2:-all}" = updates ]; then
    power_cut
    in_use=$(readlink "$debian/opt/othello-kiosk/current") trusted=$(readlink "$debian/opt/othello-kiosk/trusted")
    printf '%-52s %s\n' "the power is cut in the trial" "the disk says: current $in_use, trusted $trusted"
    [ "$in_use $trusted" = "92.0.0 90.0.0" ]
    power_on
    inside returned
fi
