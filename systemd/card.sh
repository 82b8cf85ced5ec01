#!/usr/bin/env bash
# Takes a table's number, head and key from the boot partition of its card, at every start of the machine.
#
# The boot partition can be written on any computer, so a spare becomes table 7 by one small file (systemd/imager):
#   othello/table      the number; 0: a spare, which gets its number with its key
#   othello/head       the head's address, once
#   othello/key.json   the table's key; moved to where only the table program can read it, and then erased here
#   othello/new-key    an empty file: the table forgets its key and shows a QR code for another one
set -euo pipefail

ROOT=${DESTDIR:-}
CONFIG=$ROOT/etc/othello-kiosk/table.toml
KEY=$ROOT/var/lib/othello-kiosk/key.json

say() { printf 'card.sh: %s\n' "$*" >&2; }

for place in "$ROOT/boot/firmware/othello" "$ROOT/boot/othello"; do
    if [ -d "$place" ]; then break; fi
done
[ -d "$place" ] || exit 0

# Files from other computers may end in CR LF, or begin with a byte order mark.
word() { if [ -f "$1" ]; then tr -d '\r\357\273\277 \t' <"$1" | head -n 1; fi; }

# Replaces one line of the configuration; the file is always whole.
set_line() {
    local pattern=$1 line=$2
    if grep -qxF -- "$line" "$CONFIG" || ! grep -q -- "$pattern" "$CONFIG"; then return 0; fi
    sed "s|$pattern.*|$line|" "$CONFIG" >"$CONFIG.new"
    sync "$CONFIG.new"
    mv "$CONFIG.new" "$CONFIG"
    say "$line"
}

number=$(word "$place/table")
if [[ $number =~ ^(0|[1-9][0-9]{0,3})$ ]]; then
    if [ -e "$CONFIG" ]; then set_line '^table = ' "table = $number"; fi
elif [ -n "$number" ]; then
    say "othello/table holds '$number', which is no table number; the table stays what it was"
fi

head=$(word "$place/head")
if [[ $head =~ ^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(:[0-9]+)?$ ]]; then
    if [ -e "$CONFIG" ]; then set_line '^url = ' "url = \"ws://${BASH_REMATCH[1]}${BASH_REMATCH[2]:-:8043}/link\""; fi
elif [ -n "$head" ]; then
    say "othello/head holds '$head', which is no address; the head stays what it was"
fi

if [ -e "$place/new-key" ]; then
    rm -f "$KEY" "$place/new-key"
    say "the key is forgotten; the table asks for another one"
fi

if [ -s "$place/key.json" ]; then
    if [ -z "$ROOT" ]; then
        install -m 0600 -o othello-table -g othello-table "$place/key.json" "$KEY.new"
    else
        install -D -m 0600 "$place/key.json" "$KEY.new"
    fi
    sync "$KEY.new"
    mv "$KEY.new" "$KEY"
    sync "$(dirname "$KEY")"
    # Overwritten before it is removed: the boot partition can be read by everybody who holds the card.
    size=$(stat -c %s "$place/key.json")
    head -c "$size" /dev/zero | dd of="$place/key.json" conv=notrunc,fsync status=none
    rm -f "$place/key.json"
    say "the key has moved to $KEY"
fi
