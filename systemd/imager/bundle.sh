#!/usr/bin/env bash
# Makes the folder that all cards get, once for an event:  bundle.sh FOLDER HEAD
# For cards without internet, first bring debs/ and wheels/ here from a Pi with a fresh card (on it: sudo make wheels).
set -euo pipefail
[ $# = 2 ] || { echo "usage: bundle.sh FOLDER HEAD (the head's address, such as 192.168.10.1)" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
mkdir -p "$1/othello"
parts=(Makefile pyproject.toml README.md LICENSE engine hardware kiosk systemd)
for extra in wheels debs; do
    if [ -d "$root/$extra" ]; then parts+=("$extra"); fi
done
tar -C "$root" --exclude='__pycache__' --owner=0 --group=0 -czf "$1/othello/othello-kiosk.tar.gz" "${parts[@]}"
install -m 0755 "$here/first-boot.sh" "$1/othello/"
install -m 0755 "$here/firstrun.sh" "$1/"
cp "$here/user-data" "$here/meta-data" "$here/network-config" "$1/"
printf '%s\n' "$2" >"$1/othello/head"
echo "the bundle is in $1; write each card with: card-for.sh $1 KEYS BOOT-PARTITION"
