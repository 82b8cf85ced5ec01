#!/usr/bin/env bash
# Tests a card that was prepared without typing, and a read-only system, under a real systemd:
#   sudo tests/systemd/prove_cards.sh [FOLDER]
# FOLDER holds the Debian that prove_in_nspawn.sh made. About 5 minutes. The card's first start (firstrun.sh from the
# kernel's command line), its second (the installation), and a third on a root under an overlay in memory.
set -euo pipefail
[ "$(id -u)" = 0 ] || { echo "needs root" >&2; exit 2; }
folder=$(readlink -f "${1:-/var/tmp/othello-nspawn}")
source=$(cd "$(dirname "$0")/../.." && pwd)
debian=$folder/debian boot=$debian/boot/firmware
[ -e "$debian/.made" ] || { echo "run prove_in_nspawn.sh first" >&2; exit 2; }
export PATH=$source/.venv/bin:$PATH

fact() { printf '%-52s %s\n' "$1" "$2"; }
fail() { printf 'FAILED: %s\n' "$*"; tail -n 20 "$folder/cards.log"; exit 1; }
nspawn() { systemd-nspawn --quiet --directory="$debian" --machine="othello-$$" --boot --register=no --keep-unit "$@"; }
leader=
start() { # options of nspawn: boots in the background and waits for the leader
    setsid systemd-nspawn --quiet --directory="$debian" --machine="othello-$$" --boot --register=no --keep-unit "$@" \
        </dev/null >>"$folder/cards.log" 2>&1 &
    nspawn=$!
    for _ in $(seq 200); do
        leader=$(awk '{print $NF}' "/proc/$nspawn/task/$nspawn/children" 2>/dev/null || true)
        if [ -n "$leader" ] && inside systemctl is-system-running 2>/dev/null | grep -q 'running\|degraded\|starting'; then return; fi
        sleep 0.3
    done
    fail "it does not boot"
}
inside() {
    nsenter --target "$leader" --mount --uts --ipc --pid --net --cgroup --root="/proc/$leader/root" --wd="/proc/$leader/root" \
        env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb "$@"
}
stop() { kill -TERM "$nspawn" 2>/dev/null || true; wait "$nspawn" 2>/dev/null || true; leader=; }
trap stop EXIT
until_true() { # seconds, description, command...
    local end=$((SECONDS + $1)) what=$2
    shift 2
    until "$@" >/dev/null 2>&1; do [ $SECONDS -lt $end ] || fail "$what"; sleep 0.5; done
}
status() { inside systemctl show -p StatusText --value othello-table.service; }
says() { status | grep -q "$1"; }

: >"$folder/cards.log"
make -C "$source" -s wheels >"$folder/wheels.log" 2>&1 || fail "$(tail -n 5 "$folder/wheels.log")"
rm -rf "$source/debs" # what this machine lacks, not that one
rm -rf "$debian"/{etc,opt}/othello-kiosk "$debian"/var/lib/othello-* "$debian/boot/firmware" "$folder"/{bundle,keys,data}
mkdir -p "$boot" "$folder/data"
printf 'console=tty1 root=PARTUUID=1-02 rootwait\n' >"$boot/cmdline.txt"
kiosk keys new --tables 1-60 --out "$folder/keys" >/dev/null
"$source/systemd/imager/bundle.sh" "$folder/bundle" 127.0.0.1 >/dev/null
fact "card-for.sh" "$("$source/systemd/imager/card-for.sh" "$folder/bundle" "$folder/keys" "$boot")"

# The kernel parameters that card-for.sh wrote, with a power-off instead of the restart.
read -r -a words < <(grep -o 'systemd\.[^ ]*' "$boot/cmdline.txt" | sed 's/=reboot/=poweroff/' | xargs)
nspawn "${words[@]}" </dev/null >>"$folder/cards.log" 2>&1 || fail "the first start"
[ -e "$debian/etc/systemd/system/othello-first-boot.service" ] || fail "the first start left no unit"
[ "$(cat "$boot/cmdline.txt")" = "console=tty1 root=PARTUUID=1-02 rootwait" ] || fail "cmdline.txt keeps the words"
fact "first start (systemd.run=firstrun.sh)" "a unit for the next start; the words are taken away"

begun=$SECONDS
start
until_true 300 "the second start installs nothing" test -e "$debian/opt/othello-kiosk/current"
until_true 60 "no key" test -e "$debian/var/lib/othello-kiosk/key.json"
fact "second start: installed from the card, nobody typed" "$((SECONDS - begun)) s"
[ "$(stat -c %a "$debian/var/lib/othello-kiosk/key.json")" = 600 ] || fail "others can read the key"
[ ! -e "$boot/othello/key.json" ] || fail "the key is still on the boot partition"
grep -q '^table = 1' "$debian/etc/othello-kiosk/table.toml" || fail "the number"
printf '\n[screen]\nenabled = false\n' >>"$debian/etc/othello-kiosk/table.toml" # a container has no display
until_true 60 "the first start goes on" inside systemctl restart othello-table.service
until_true 60 "table 1 does not run" says 'table 1: '
fact "table 1" "$(status)"
stop

# The root under an overlay in memory, the data on a separate file system (docs/setup/install.md).
cp -a "$debian/var/lib/othello-kiosk/." "$folder/data/"
chown --reference="$debian/var/lib/othello-kiosk" "$folder/data"
chmod 700 "$folder/data"
start --volatile=overlay --bind="$folder/data:/var/lib/othello-kiosk"
until_true 60 "table 1 does not run on a root under an overlay" says 'table 1: '
fact "root under an overlay in memory" "$(status)"
inside bash -c 'echo lost >/etc/written-in-memory'
[ ! -e "$debian/etc/written-in-memory" ] || fail "the root can be written"
segments() { find "$folder/data/journal" -name '*.journal' | wc -l; }
before=$(segments)
more() { [ "$(segments)" -gt "$before" ]; }
inside systemctl kill -s KILL othello-table.service
until_true 60 "no journal on the data partition" more
until_true 60 "the killed table does not come back" says 'table 1: '
inside kiosk doctor --json >"$folder/doctor.json" 2>&1 || true
if grep -q 'kept in memory' "$folder/doctor.json"; then fail "the doctor takes the data for memory"; fi
fact "what is written there" "the system: nothing; the journal: on the data partition"
stop
echo "CARDS PROVED"
