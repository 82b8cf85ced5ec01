#!/usr/bin/env bash
# Makes a ready card image on a Debian machine:  sudo systemd/imager/make-image.sh FOLDER [HEAD] [URL]
#
# FOLDER gets othello-table.img.xz, and os-list.json for `rpi-imager --repo`. HEAD is the head's address that a card has
# before anybody changes it (192.168.10.1); URL is where FOLDER will be served (file://FOLDER).
#
# UPDATE_KEY=FILE lets the head update these tables (docs/setup/updates.md).
#
# The card: Debian 13 (arm64) with the kernel for a Pi 3, 4, 400, Zero 2; a root that is only read, under an overlay in
# memory (card/etc/initramfs-tools); a data partition that takes the rest of the card (card/etc/fstab); the table as
# install.sh installs it; no login, no ssh. Whoever has the card can edit othello/ on its boot partition (card.sh).
#
# FOLDER/made keeps Debian and the Python packages, and makes the next image in minutes; remove it for a new Debian.
# Debian's own scripts for arm64 run under qemu-user; all that is Python runs on this machine's processor. No loop devices
# and no mounts but /proc are needed. Needs (apt): mmdebstrap
# qemu-user-static arch-test mtools dosfstools e2fsprogs xz-utils python3-venv gcc-aarch64-linux-gnu libc6-dev-arm64-cross swig
set -euo pipefail

if [ $# = 0 ] || [ "$(id -u)" != 0 ]; then
    sed -n '2,/^set -eu/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
out=$(mkdir -p "$1" && cd "$1" && pwd)
head=${2:-192.168.10.1} url=${3:-file://$out}
made=$out/made tools=$out/made/tools root=$out/made/tools/target release=trixie minor=13
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$source/pyproject.toml")
mkdir -p "$made"
# All times in the image are that of the last commit, so that builds are reproducible.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$source" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
PARTS=$(sed -n 's/^DISK = 0x\(........\).*/\L\1/p' "$here/image.py")

say() { printf '%s make-image.sh: %s\n' "$(date +%H:%M:%S)" "$*"; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 HOME=/root "$@"; }

binfmt=/proc/sys/fs/binfmt_misc
[ -e $binfmt/register ] || mount -t binfmt_misc binfmt_misc $binfmt
if [ ! -e $binfmt/qemu-aarch64 ]; then
    elf='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
    mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
    printf '%s' ":qemu-aarch64:M::$elf:$mask:$(command -v qemu-aarch64-static):FP" >$binfmt/register
fi

# --- Debian, kept in made/debian.tar --------------------------------------------------------------------------------
if [ ! -s "$made/debian.tar" ]; then
    say "Debian $release"
    packages=systemd-sysv,udev,kmod,procps,iproute2,netbase,tzdata,chrony,fdisk,e2fsprogs,dosfstools
    packages+=,linux-image-arm64,raspi-firmware,initramfs-tools,zstd,python3,python3-venv
    packages+=,libdrm2,libgbm1,libegl1,libgles2,libgl1-mesa-dri,polkitd,libasound2-data
    # The overlay script is copied before the packages are configured, so that the initramfs is built once, with it.
    mmdebstrap --format=tar --arch=arm64 --variant=minbase --components='main non-free-firmware' --include=$packages \
        --dpkgopt=force-confold --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --essential-hook="cp -r '$here/card/etc' '$here/card/usr' \"\$1/\"" \
        $release "$made/debian.tar.new" >"$made/debian.log" 2>&1 || { tail -n 5 "$made/debian.log" >&2; exit 1; }
    mv "$made/debian.tar.new" "$made/debian.tar"
fi

# --- Python packages for it, kept in made/wheels --------------------------------------------------------------------
if ! compgen -G "$made/wheels/lgpio-*-cp3$minor-*" >/dev/null; then
    say "Python packages"
    mapfile -t wanted < <(python3 -c '
import sys, tomllib
project = tomllib.load(open(sys.argv[1], "rb"))["project"]
extras = project["optional-dependencies"]
wanted = [*project["dependencies"], *extras["table"], *extras["camera"]]
print("setuptools>=77", "wheel", *(one.replace(" ", "") for one in wanted), sep="\n")' "$source/pyproject.toml")
    platforms=()
    for libc in 17 28 31 34 39; do platforms+=(--platform "manylinux_2_${libc}_aarch64"); done
    pip() { python3 -m pip --quiet --disable-pip-version-check "$@"; }
    pip download --dest "$made/wheels" --only-binary=:all: "${platforms[@]}" --platform manylinux2014_aarch64 \
        --python-version 3.$minor --implementation cp --abi cp3$minor --abi abi3 --abi none "${wanted[@]}"
    # lgpio has no wheel for Python 3.13: it is cross-compiled, with the headers of that Python.
    pip download --dest "$made" --no-deps --no-binary lgpio 'lgpio>=0.2.2,<1'
    [ -d "$made/headers/usr" ] || mmdebstrap --arch=arm64 --variant=extract --include=libpython3.$minor-dev $release "$made/headers" >"$made/headers.log" 2>&1
    include=$made/headers/usr/include
    python3 -m venv "$made/venv"
    "$made/venv/bin/pip" install --quiet --no-index --find-links "$made/wheels" setuptools wheel
    PYPI=1 CC=aarch64-linux-gnu-gcc LDSHARED='aarch64-linux-gnu-gcc -shared -s' CFLAGS="-I$include/python3.$minor -idirafter $include" \
        SETUPTOOLS_EXT_SUFFIX=.cpython-3$minor-aarch64-linux-gnu.so _PYTHON_HOST_PLATFORM=linux-aarch64 \
        "$made/venv/bin/pip" wheel --quiet --no-deps --no-build-isolation --no-index --wheel-dir "$made/built" "$made"/lgpio-*.tar.gz
    "$made/venv/bin/python" -m wheel tags --remove --python-tag cp3$minor --abi-tag cp3$minor "$made"/built/lgpio-*.whl >/dev/null
    mv "$made"/built/lgpio-*.whl "$made/wheels/"
fi

# --- the table in it -------------------------------------------------------------------------------------------------
say "the table"
[ -e "$tools/usr/bin/python3" ] || mmdebstrap --variant=minbase --include=python3-venv $release "$tools" >"$made/tools.log" 2>&1
rm -rf --one-file-system "$root" "$tools/build"
mkdir -p "$root" "$tools/build/bin"
tar -xf "$made/debian.tar" -C "$root"
cp -r "$here/card/." "$root/"
mkdir -p "$root/data"
(cd "$source" && cp -r pyproject.toml README.md LICENSE engine hardware kiosk systemd "$made/wheels" "$tools/build/")
# The same Python version of this machine installs the packages for arm64; only uname has to answer differently.
printf '#!/bin/sh\necho aarch64\n' >"$tools/build/bin/uname"
chmod +x "$tools/build/bin/uname"
mount -t proc proc "$tools/proc"
trap 'umount "$tools/proc" "$root/proc" 2>/dev/null || true' EXIT
ln -sfn /proc/self/fd "$tools/dev/fd" # bash's <(...)
chroot "$tools" env -i PATH=/build/bin:/usr/bin:/bin LANG=C.UTF-8 HOME=/root _PYTHON_HOST_PLATFORM=linux-aarch64 \
    SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" DESTDIR=/target WHEELS=/build/wheels EXTRAS=camera TABLE=0 /build/systemd/install.sh table "$head"
umount "$tools/proc"
mount -t proc proc "$root/proc"
inside systemd-sysusers /etc/sysusers.d/othello-kiosk.conf
inside systemd-tmpfiles --create /etc/tmpfiles.d/othello-kiosk.conf
inside systemctl --quiet enable othello-grow.service systemd-networkd.service chrony.service
# No login anywhere: no password, no getty on any terminal, no shell when something fails.
inside passwd --quiet --lock root
inside systemctl --quiet mask getty@.service getty-static.service serial-getty@.service autovt@.service console-getty.service \
    debug-shell.service
umount "$root/proc"
rm -rf "$made/root"
mv "$root" "$made/root"
root=$made/root
ln -sf /usr/share/zoneinfo/Asia/Tokyo "$root/etc/localtime"
echo othello-table >"$root/etc/hostname"
if [ -n "${UPDATE_KEY:-}" ]; then install -m 0644 "$UPDATE_KEY" "$root/etc/othello-kiosk/update-key"; fi
: >"$root/etc/machine-id"
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin "$root"/var/log/*.log "$root"/var/log/apt/* \
    "$root"/var/cache/debconf/*-old "$root"/var/lib/dpkg/*-old "$root"/tmp/* "$root"/boot/vmlinuz* "$root"/boot/initrd*

# --- the three partitions --------------------------------------------------------------------------------------------
say "partitions"
boot=$made/boot data=$made/data
rm -rf "$boot" "$data"
mkdir -p "$data/versions/upper" "$data/versions/work" "$data/log" "$data/update"
mv "$root/boot/firmware" "$boot"
mkdir -p "$root/boot/firmware" "$root/var/log/journal" "$boot/othello"
cp -a "$root/var/lib/othello-kiosk" "$data/kiosk"
chmod 2755 "$data/log"
# panic: a failed start is repeated, and never ends at a prompt.
echo "console=tty1 root=PARTUUID=$PARTS-02 ro rootwait quiet loglevel=3 panic=10 net.ifnames=0 vt.global_cursor_default=0" >"$boot/cmdline.txt"
sed 's/$/\r/' "$here/README.txt" >"$boot/othello/README.txt"
printf '0\r\n' >"$boot/othello/table.txt"
printf '%s\r\n' "$head" >"$boot/othello/head.txt"
find "$root" "$boot" "$data" -newermt "@$SOURCE_DATE_EPOCH" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +

rm -f "$made"/{boot,root,data}.img
truncate -s 256M "$made/boot.img"
mkfs.vfat -F 32 -n OTHELLO -i "$PARTS" --invariant "$made/boot.img" >/dev/null
mcopy -s -m -i "$made/boot.img" "$boot"/* ::/
ext4() { # NAME SIZE OPTIONS...
    local uuid
    uuid=$PARTS-0000-4000-8000-$(printf '%-12s' "$1" | od -An -tx1 | tr -d ' \n' | cut -c 1-12)
    E2FSPROGS_FAKE_TIME=$SOURCE_DATE_EPOCH mke2fs -q -t ext4 -b 4096 -m 0 -L "othello-$1" -d "$made/$1" -U "$uuid" \
        -E "hash_seed=$uuid,lazy_itable_init=0,nodiscard" "${@:3}" "$made/$1.img" "$2"
}
# A quarter more than the files, for the file system's own structures; it is read-only and needs no journal.
ext4 root "$(($(du -sm "$root" | cut -f 1) * 5 / 4 + 64))M" -O ^has_journal
ext4 data 256M -J size=16
"$here/image.py" join "$out/othello-table.img" "$made"/{boot,root,data}.img

say "compression"
nice xz -T0 -2 -k -f "$out/othello-table.img"
cp "$here/othello.svg" "$out/"
"$here/image.py" list "$out/othello-table.img.xz" "$url" "$version" >"$out/os-list.json"
say "done: $(stat -c %s "$out/othello-table.img.xz") bytes; rpi-imager --repo $url/os-list.json"
