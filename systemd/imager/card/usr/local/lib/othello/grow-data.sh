#!/bin/sh
# Enlarges the data partition to the end of the card, once. The partition table is one sector, so a power cut leaves the
# old one or the new one. systemd-growfs enlarges the file system when it is mounted.
set -eu
data=$(basename "$(readlink -f /dev/disk/by-partuuid/0b3110c8-03)")
disk=$(basename "$(dirname "$(readlink -f "/sys/class/block/$data")")")
end=$(($(cat "/sys/class/block/$data/start") + $(cat "/sys/class/block/$data/size")))
room=$(($(cat "/sys/class/block/$disk/size") - end))
[ "$room" -gt 8192 ] || exit 0 # 4 MiB
# udev re-reads a disk that was written, and its partitions vanish for a moment: nothing may be mounted meanwhile.
udevadm lock --device="/dev/$disk" sh -ec "
    echo ', +' | sfdisk --quiet --no-reread --no-tell-kernel -N 3 /dev/$disk
    partx --update --nr 3 /dev/$disk"
udevadm settle
echo "the data partition has grown by $((room / 2048)) MiB"
