#!/bin/bash
# For images without cloud-init (Raspberry Pi OS Bookworm): started by systemd.run= in cmdline.txt before anything else
# at the first start. It only creates a unit that installs the table once the machine is up, and then removes itself.
set -u

cat >/etc/systemd/system/othello-first-boot.service <<'UNIT'
[Unit]
Description=Othello table: first installation from the boot partition
Wants=network-online.target
After=network-online.target
ConditionPathExists=!/opt/othello-kiosk/current

[Service]
Type=oneshot
ExecStart=/bin/bash -c 'for d in /boot/firmware /boot; do [ -x $d/othello/first-boot.sh ] && exec bash $d/othello/first-boot.sh; done; exit 1'
StandardOutput=journal+console

[Install]
WantedBy=multi-user.target
UNIT
mkdir -p /etc/systemd/system/multi-user.target.wants
ln -sf ../othello-first-boot.service /etc/systemd/system/multi-user.target.wants/othello-first-boot.service

for cmdline in /boot/firmware/cmdline.txt /boot/cmdline.txt; do
    if [ -f "$cmdline" ]; then sed -i 's| systemd\.[^ ]*||g' "$cmdline"; fi
done
exit 0
