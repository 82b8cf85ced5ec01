#!/usr/bin/env bash
# Turns a freshly written card into a table, once, with nobody typing: run by cloud-init (user-data) or by the unit that
# firstrun.sh makes. Everything comes from the folder othello/ of the boot partition:
#   othello-kiosk.tar.gz   this repository, as made by bundle.sh, with what it takes from the internet in wheels/ and debs/
#   table, head            the table's number, the head's address
#   key.json               the table's key
set -euo pipefail

# cloud-init and firstrun.sh may both start this script on one card; it must run once.
exec 9>/run/othello-first-boot.lock
flock 9
if [ -e /opt/othello-kiosk/current ]; then exit 0; fi

for place in /boot/firmware/othello /boot/othello; do
    if [ -d "$place" ]; then break; fi
done
[ -f "$place/othello-kiosk.tar.gz" ] || { echo "first-boot.sh: no othello-kiosk.tar.gz in $place" >&2; exit 1; }

# Set the clock forward: certificates and apt fail with a clock that is years behind.
newest=$(stat -c %Y "$place/othello-kiosk.tar.gz")
if [ "$(date +%s)" -lt "$newest" ]; then date -s "@$newest" >/dev/null; fi

number=$(tr -dc '0-9' <"$place/table" 2>/dev/null || true)
head=$(tr -dc 'A-Za-z0-9.:[]-' <"$place/head" 2>/dev/null || true)

source=$(mktemp -d /var/tmp/othello.XXXXXX)
trap 'rm -rf "$source"' EXIT
tar -xzf "$place/othello-kiosk.tar.gz" -C "$source"

export TABLE=${number:-0}
if [ -d "$source/wheels" ]; then export WHEELS=$source/wheels; fi
# Without internet apt is not used; kiosk doctor names packages that are missing in debs/ too.
if ! timeout 20 getent hosts deb.debian.org >/dev/null; then export APT=no; fi

"$source/systemd/install.sh" table "$head"
hostnamectl hostname "othello-table-$TABLE" || true
