#!/usr/bin/env bash
# Runs as root inside a Debian that systemd has booted, with this repository in /src and its packages in /src/wheels
# (see prove_in_nspawn.sh). Installs head and table, and prints what it proved; the first failure ends it.
set -euo pipefail
cd /src
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin WHEELS=wheels
TABLE_UNIT=othello-table.service

fact() { printf '%-52s %s\n' "$1" "$2"; }
fail() { printf 'FAILED: %s\n' "$*"; journalctl -u 'othello-*' -n 40 --no-pager || true; exit 1; }
until_true() { # description, command...
    local what=$1 end=$((SECONDS + 30))
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

make -s install-head TABLES=1-8 >/tmp/head.log 2>&1 || fail "$(tail -n 5 /tmp/head.log)"
mkdir -p /boot/firmware/othello
printf '5\r\n' >/boot/firmware/othello/table
cp /var/lib/othello-head/table-5.json /boot/firmware/othello/key.json
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

# An update from the head that works, and one whose program does not start (docs/updates.md).
installed=$(readlink /opt/othello-kiosk/current)
give_update 90.0.0 true
start=$SECONDS
row=$(python3 tests/systemd/prove_update.py 'done') || fail "$row"
[ "$(readlink /opt/othello-kiosk/current) $(readlink /opt/othello-kiosk/trusted)" = "90.0.0 90.0.0" ] || fail "$row"
fact "update to 90.0.0 from the head ($((SECONDS - start)) s)" "$row"
give_update 91.0.0 'echo "raise SystemExit(3)" >>kiosk/commands/table.py'
start=$SECONDS
row=$(python3 tests/systemd/prove_update.py 'failed') || fail "$row"
[ "$(readlink /opt/othello-kiosk/current) $(readlink /opt/othello-kiosk/trusted)" = "90.0.0 90.0.0" ] || fail "$row"
until_true "the table does not reach the head with its old version" connected
fact "update to 91.0.0, which does not start ($((SECONDS - start)) s)" "$row"
"/opt/othello-kiosk/$installed/systemd/install.sh" use "$installed" >/dev/null

# The head pairs in a process of its own, under the same restrictions.
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
