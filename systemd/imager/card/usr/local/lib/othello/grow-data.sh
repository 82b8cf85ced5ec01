#!/bin/sh
# The data partition takes what the card has beyond the image; then there is nothing more to do. The table of partitions
# is one sector: a power cut leaves the old one or the new one. systemd-growfs enlarges the file system when it is mounted.
set -eu
data=$(basename "$(readlink -f /dev/disk/by-partuuid/0b3110c8-03)")
disk=$(basename "$(dirname "$(readlink -f "/sys/class/block/$data")")")
end=$(($(cat "/sys/class/block/$data/start") + $(cat "/sys/class/block/$data/size")))
room=$(($(cat "/sys/class/block/$disk/size") - end))
[ "$room" -gt 8192 ] || exit 0 # 4 MiB
echo ", +" | sfdisk --quiet --no-reread --no-tell-kernel -N 3 "/dev/$disk"
partx --update --nr 3 "/dev/$disk"
echo "the data partition has grown by $((room / 2048)) MiB"
