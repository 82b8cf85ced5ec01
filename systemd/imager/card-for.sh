#!/usr/bin/env bash
# Makes a freshly written card the next table:  card-for.sh BUNDLE KEYS BOOT-PARTITION
# KEYS is the folder that `kiosk keys new --out KEYS` made. The number is counted up by itself; nothing is typed. It is
# the lowest number that has a key and no card yet; BUNDLE/cards remembers them. A card again: NUMBER=7 card-for.sh ...
# NUMBER=0: a spare without number and key; it shows a QR code and gets both at the head's page.
set -euo pipefail
[ $# = 3 ] || { echo "usage: [NUMBER=N] card-for.sh BUNDLE KEYS BOOT-PARTITION" >&2; exit 2; }
bundle=$1 keys=$2 boot=$3
[ -f "$bundle/othello/othello-kiosk.tar.gz" ] || { echo "card-for.sh: $bundle is no bundle; make one with bundle.sh" >&2; exit 2; }
[ -f "$boot/cmdline.txt" ] || { echo "card-for.sh: $boot is not the boot partition of a Pi's card (no cmdline.txt)" >&2; exit 2; }
touch "$bundle/cards"

number=${NUMBER:-}
if [ -z "$number" ]; then
    for candidate in $(find "$keys" -maxdepth 1 -name 'table-*.json' -printf '%f\n' | tr -dc '0-9\n' | sort -n); do
        if ! grep -qxF "$candidate" "$bundle/cards"; then number=$candidate; break; fi
    done
fi
[ -n "$number" ] || { echo "card-for.sh: every key in $keys has its card" >&2; exit 1; }
[ "$number" = 0 ] || [ -f "$keys/table-$number.json" ] || { echo "card-for.sh: no key $keys/table-$number.json" >&2; exit 2; }

# A card with the ready image (make-image.sh) lacks only these three files; any other gets all, and installs itself.
ready=no
if [ -e "$boot/othello/README.txt" ]; then ready=yes; fi
if [ $ready = yes ]; then
    # Its README.txt says to edit table.txt and head.txt; files without .txt would take precedence.
    sed 's/$/\r/' "$bundle/othello/head" >"$boot/othello/head.txt"
    printf '%s\r\n' "$number" >"$boot/othello/table.txt"
    rm -f "$boot/othello/head" "$boot/othello/table"
else
    cp -r "$bundle/othello" "$bundle/firstrun.sh" "$bundle/user-data" "$bundle/meta-data" "$bundle/network-config" "$boot/"
    printf '%s\n' "$number" >"$boot/othello/table"
fi
if [ "$number" = 0 ]; then rm -f "$boot/othello/key.json"; else cp "$keys/table-$number.json" "$boot/othello/key.json"; fi
# Bookworm has no cloud-init: its first start runs firstrun.sh, which removes these three parameters again.
if [ $ready = no ] && ! grep -q 'systemd.run=' "$boot/cmdline.txt"; then
    sed -i '1s|[[:space:]]*$| systemd.run=/boot/firmware/firstrun.sh systemd.run_success_action=reboot systemd.unit=kernel-command-line.target|' "$boot/cmdline.txt"
fi
[ "$number" = 0 ] || grep -qxF "$number" "$bundle/cards" || printf '%s\n' "$number" >>"$bundle/cards"
sync
if [ "$number" = 0 ]; then echo "this card is a spare"; else echo "this card is table $number"; fi
