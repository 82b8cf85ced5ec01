#!/usr/bin/env bash
# Runs as root inside a Debian that systemd has booted, with this repository in /src and its packages in /src/wheels
# (see prove_in_nspawn.sh). Installs head and table, and prints what it proved; the first failure ends it.
# prove_inside.sh updates ends in the middle of a version's trial; after a power cut goes on: prove_inside.sh returned
set -euo pipefail
cd /src
part=${1:-all}
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin WHEELS=wheels
TABLE_UNIT=othello-table.service

fact() { printf '%-52s %s\n' "$1" "$2"; }
fail() { printf 'FAILED: %s\n' "$*"; journalctl -u 'othello-*' -n 40 --no-pager || true; exit 1; }
until_true() { # description, command...; WAIT_S: seconds that it may take (30)
    local what=$1 end=$((SECONDS + ${WAIT_S:-30}))
    shift
    until "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $end ] || fail "$what"
        sleep 0.05
    done
}
pid() { systemctl show -p MainPID --value "$TABLE_UNIT"; }
is_back() { [ "$(systemctl is-active "$TABLE_UNIT")" = active ] && [ "$(pid)" != "$1" ] && [ "$(pid)" != 0 ]; }
connected() { systemctl show -p StatusText --value "$TABLE_UNIT" | grep -q 'head connected'; }
# signal, times -> median and largest time in ms from the signal until the table is ready again
measure() {
    local old start
    for _ in $(seq "$2"); do
        old=$(pid)
        start=$(date +%s%3N)
        kill "-$1" "$old"
        until_true "the table does not come back after $1" is_back "$old"
        echo $(($(date +%s%3N) - start))
    done | sort -n | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)], a[NR]}'
}

links() { echo "current $(readlink /opt/othello-kiosk/current), trusted $(readlink /opt/othello-kiosk/trusted)"; }
versions() { /opt/othello-kiosk/current/systemd/install.sh versions | xargs; }
returned() { [ "$(readlink /opt/othello-kiosk/current)" = "$1" ] && [ ! -e /var/lib/othello-update/trial ]; }
on_trial() { grep -qF "\"$1\"" /var/lib/othello-update/trial; }
DOES_NOT_START='echo "raise SystemExit(3)" >>kiosk/commands/table.py'

# A later version of the sources, and its signed update at the head
give_update() { # version, what is done to its sources
    rm -rf /root/next
    mkdir /root/next
    cp -a pyproject.toml README.md LICENSE engine hardware kiosk systemd /root/next/
    sed -i "s/^version = .*/version = \"$1\"/" /root/next/pyproject.toml
    (cd /root/next && eval "$2")
    kiosk update make /root/next --wheels wheels --key /root/maker/update-signing.json --out "/root/$1.update" >/dev/null
    kiosk update give "/root/$1.update" --head /var/lib/othello-head >/dev/null
}

# A version from the head, what is done to its sources, how it ends, and "current trusted" at the end. Every change of the
# two links and of the installer's report is printed when it is seen.
updated() {
    local start=$SECONDS watch row
    give_update "$1" "$2"
    (
        before=''
        while sleep 0.2; do
            now="$(links); $(sed 's/.*"stage":"\([a-z-]*\)".*/\1/' /var/lib/othello-update/result.json 2>/dev/null || true)"
            if [ "$now" != "$before" ]; then fact "  after $((SECONDS - start)) s" "$now"; fi
            before=$now
        done
    ) &
    watch=$!
    row=$(python3 tests/systemd/prove_update.py "$3" "${4% *}") || fail "$row"
    kill "$watch"
    [ "$(readlink /opt/othello-kiosk/current) $(readlink /opt/othello-kiosk/trusted)" = "$4" ] || fail "$row"
    fact "update to $1 from the head: $3 ($((SECONDS - start)) s)" "$row"
}

if [ "$part" = returned ]; then
    WAIT_S=300 until_true "the version before does not return" returned 90.0.0
    fact "after the power cut the version before returned" "$SECONDS s after the start: $(links)"
    until_true "the table does not reach the head" connected
    row=$(python3 tests/systemd/prove_update.py look failed 90.0.0) || fail "$row"
    fact "at /devices" "$row"
    fact "versions installed (* in use)" "$(versions)"
    echo "ALL PROVED on Debian $(cat /etc/debian_version), systemd $(systemctl --version | awk 'NR == 1 {print $2}')"
    exit
fi

make -s install-head TABLES=1-8 >/tmp/head.log 2>&1 || fail "$(tail -n 5 /tmp/head.log)"
mkdir -p /boot/firmware/othello
printf '5\r\n' >/boot/firmware/othello/table
cp /var/lib/othello-head/table-5.json /boot/firmware/othello/key.json
rm -rf /root/maker /root/cookies # of a run before
kiosk update key --out /root/maker >/dev/null
UPDATE_KEY=/root/maker/update-key make -s install-table HEAD=127.0.0.1 >/tmp/table.log 2>&1 || fail "$(tail -n 5 /tmp/table.log)"
# A container has no display.
sed -i 's/^\[screen\]$/&\nenabled = false/' /etc/othello-kiosk/table.toml
systemctl restart "$TABLE_UNIT"
until_true "table 5 does not reach the head" connected
fact "table 5 (number and key from the card)" "$(systemctl show -p StatusText --value "$TABLE_UNIT")"
[ ! -e /boot/firmware/othello/key.json ] || fail "the key is still on the boot partition"

verify=$(systemd-analyze verify "$TABLE_UNIT" othello-head.service othello-card.service othello-update.service 2>&1 | grep othello || true)
[ -z "$verify" ] || fail "$verify"
fact "systemd-analyze verify" "nothing to say"
[ "$(systemctl is-enabled getty@tty1.service || true)" = masked ] || fail "there is a login on tty1"
fact "login on the display" "masked"
kiosk doctor >/tmp/doctor.log || fail "$(cat /tmp/doctor.log)"
fact "kiosk doctor (as the programs' own users)" "nothing is missing"
if runuser -u othello-table -- cat /var/lib/othello-head/keys.json >/dev/null 2>&1; then fail "the table can read the keys"; fi
fact "the head's keys, read as the table's user" "refused"

# An update from the head that works, and one whose program does not start (docs/setup/updates.md).
installed=$(readlink /opt/othello-kiosk/current)
updated 90.0.0 true 'done' "90.0.0 90.0.0"
updated 91.0.0 "$DOES_NOT_START" failed "90.0.0 90.0.0"
until_true "the table does not reach the head with its old version" connected
if [ "$part" = updates ]; then
    fact "versions installed (* in use)" "$(versions)"
    give_update 92.0.0 "$DOES_NOT_START"
    row=$(python3 tests/systemd/prove_update.py offer) || fail "$row"
    WAIT_S=900 until_true "92.0.0 is not on trial" on_trial 92.0.0
    sleep 10 # it fails meanwhile, again and again
    fact "92.0.0 is on trial, its program does not start" "$(links); $(systemctl show -P NRestarts "$TABLE_UNIT") restarts"
    exit
fi
"/opt/othello-kiosk/$installed/systemd/install.sh" use "$installed" >/dev/null

# The head computes pairings in a separate process, under the same restrictions.
python3 - >/var/lib/othello-head/event.json <<'EVENT'
import json
print(json.dumps({"schema": "othello-event/1", "name": "Proof", "format": "m43-open",
                  "players": [{"id": f"p{n}", "name": f"P{n}", "grade": "1d"} for n in range(1, 17)]}))
EVENT
chown othello-head: /var/lib/othello-head/event.json
printf 'event = "/var/lib/othello-head/event.json"\nauto = true\n' >>/etc/othello-kiosk/head.toml
systemctl restart othello-head.service
playing() { systemctl show -p StatusText --value "$TABLE_UNIT" | grep -q 'setup, head connected'; }
until_true "the head gives table 5 no game" playing
fact "round 1 paired, published, at the table" "$(systemctl show -p StatusText --value "$TABLE_UNIT")"

cp /var/lib/othello-kiosk/key.json /root/key.json
kiosk keys forget --config /etc/othello-kiosk/table.toml >/dev/null
systemctl restart "$TABLE_UNIT"
waits() { systemctl show -p StatusText --value "$TABLE_UNIT" | grep -q 'waits for a key'; }
until_true "a table without a key does not wait for one" waits
sleep 6 # longer than its watchdog
fact "without a key, longer than the watchdog" "$(systemctl show -p StatusText --value "$TABLE_UNIT"), $(systemctl show -p NRestarts --value "$TABLE_UNIT") restarts"
cp /root/key.json /boot/firmware/othello/key.json
systemctl restart othello-card.service "$TABLE_UNIT"
until_true "the key from the card does not serve" connected

read -r median most < <(measure STOP 5)
[ "$most" -lt 8000 ] || fail "a hung table took $most ms"
fact "table hung (SIGSTOP) 5 times, ms until ready" "median $median, max $most (8000 allowed)"
[ "$(journalctl -u "$TABLE_UNIT" --no-pager | grep -c 'Fatal Python error: Aborted')" -ge 1 ] || fail "no stacks of the hung loop in the log"
fact "where the loop hung" "in the log"
read -r median most < <(measure KILL 50)
fact "table killed (SIGKILL) 50 times, ms until ready" "median $median, max $most, all came back"
until_true "the table does not reach the head again" connected

records() { runuser -u othello-table -- ls /var/lib/othello-kiosk/journal | wc -l; }
before=$(basename "$(readlink /opt/othello-kiosk/current)")
make -s install-table HEAD=127.0.0.1 >/tmp/update.log 2>&1 || fail "$(tail -n 5 /tmp/update.log)"
after=$(readlink /opt/othello-kiosk/current)
[ "$after" != "$before" ] || fail "no new version"
until_true "the updated table does not reach the head" connected
fact "update" "$before -> $after"
"/opt/othello-kiosk/current/systemd/install.sh" use "$before" >/dev/null 2>&1
until_true "the rolled back table does not reach the head" connected
grep -q "/opt/othello-kiosk/$before/" "/proc/$(pid)/maps" || fail "another version runs"
fact "rollback" "$after -> $before"

files=$(records)
make -s uninstall >/dev/null 2>&1
for gone in /opt/othello-kiosk "/etc/systemd/system/$TABLE_UNIT" /usr/local/bin/kiosk; do
    [ ! -e "$gone" ] || fail "$gone is left"
done
[ "$(records)" = "$files" ] || fail "journals are gone"
for kept in /var/lib/othello-head/head.sqlite /var/lib/othello-kiosk/key.json /etc/othello-kiosk/table.toml; do
    [ -s "$kept" ] || fail "$kept is gone"
done
fact "uninstall" "programs gone, data, keys and configuration there"
echo "ALL PROVED on Debian $(cat /etc/debian_version), systemd $(systemctl --version | awk 'NR == 1 {print $2}')"
