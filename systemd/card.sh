#!/usr/bin/env bash
# Imports a table's number, head address and key from the boot partition of its card, at every start of the machine.
#
# The boot partition can be written on any computer, so a spare becomes table 7 by one small file (systemd/imager):
#   othello/table      the number; 0: a spare, which gets its number with its key
#   othello/head       the head's address
#   othello/table.toml the whole configuration (docs/reference/configuration.md); then table and head are not read
#   othello/key.json   the table's key; moved to where only the table program can read it, and then erased here
#   othello/new-key    an empty file: the table forgets its key and shows a QR code for another one
# table.txt and head.txt are read where there is no table or head: a double click opens them on any computer.
set -euo pipefail

ROOT=${DESTDIR:-}
CONFIG=$ROOT/etc/othello-kiosk/table.toml
CHRONY=$ROOT/etc/chrony/conf.d/othello-table.conf
KEY=$ROOT/var/lib/othello-kiosk/key.json

say() { printf 'card.sh: %s\n' "$*" >&2; }

for place in "$ROOT/boot/firmware/othello" "$ROOT/boot/othello"; do
    if [ -d "$place" ]; then break; fi
done
[ -d "$place" ] && [ -e "$CONFIG" ] || exit 0

# Files from other computers may end in CR LF, or begin with a byte order mark.
word() {
    local file
    for file in "$1" "$1.txt"; do
        if [ -f "$file" ]; then tr -d '\r\357\273\277 \t' <"$file" | head -n 1; return; fi
    done
}

# Replaces an existing file with standard input if that differs, atomically.
replace() {
    local new
    new=$(cat)
    if [ ! -e "$1" ] || [ "$new" = "$(cat "$1")" ]; then return 0; fi
    printf '%s\n' "$new" >"$1.new"
    sync "$1.new"
    mv "$1.new" "$1"
    say "$2"
}

number=$(word "$place/table") head=$(word "$place/head")
if [ -s "$place/table.toml" ]; then
    number='' head=''
    sed '1s/^\xef\xbb\xbf//; s/\r$//' "$place/table.toml" | replace "$CONFIG" "othello/table.toml is the configuration"
fi

if [[ $number =~ ^(0|[1-9][0-9]{0,3})$ ]]; then
    sed "s|^table = .*|table = $number|" "$CONFIG" | replace "$CONFIG" "table = $number"
elif [ -n "$number" ]; then
    say "othello/table holds '$number', which is not a table number; the table stays what it was"
fi

if [[ $head =~ ^(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(:[0-9]+)?$ ]]; then
    url=ws://${BASH_REMATCH[1]}${BASH_REMATCH[2]:-:8043}/link host=${BASH_REMATCH[1]#[}
    sed "s|^url = .*|url = \"$url\"|" "$CONFIG" | replace "$CONFIG" "url = $url"
    sed "s|@HEAD_HOST@|${host%]}|" "$(dirname "$0")/chrony-table.conf" | replace "$CHRONY" "the time comes from ${host%]}"
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
    # Overwritten before removal: anybody with the card can read the boot partition.
    size=$(stat -c %s "$place/key.json")
    head -c "$size" /dev/zero | dd of="$place/key.json" conv=notrunc,fsync status=none
    rm -f "$place/key.json"
    say "the key has moved to $KEY"
fi
