#!/usr/bin/env bash
# Installs, updates, rolls back and removes the Othello programs (docs/setup/install.md).
#
#   install.sh table [HEAD]     this machine is a table; HEAD is the head's address (none: a free clock at a club)
#   install.sh head             this machine is the head table
#   install.sh use VERSION      go back, or forward, to an installed version
#   install.sh versions         what is installed; * marks the version in use
#   install.sh stage            builds this version beside the one in use, and prints its name (docs/setup/updates.md)
#   install.sh fetch            what a table takes from the internet, into debs/ and wheels/ (make wheels)
#   install.sh uninstall        removes the programs; configuration, keys and data stay
#
# Every version has a directory of its own below /opt/othello-kiosk, complete with its system files, and `current` points
# to the one in use, `trusted` to the one that makes updates: the last that was installed by hand or found well. Nothing is changed in place: an update that is broken off leaves the old version running.
#
# DESTDIR=DIR   lays the files out below DIR and starts nothing (images, tests)
# TABLE=N       number of the table, else of the boot partition's file othello/table, else 1; 0: a spare, which gets
#               its number with its key
# TABLES=1-60   tables for which a new head makes keys
# WHEELS=DIR    takes all Python packages from DIR and asks no network for them; Debian's come from debs/ where that is
# EXTRAS=A,B    extras of pyproject.toml that this machine gets besides those of its roles and its configuration, such as
#               camera; later versions have them too. For fetch: what is fetched (table; without EXTRAS everything)
# UPDATE_KEY=FILE  the public key of whoever makes updates for this machine (kiosk update key)
# APT=no        asks apt for nothing
set -euo pipefail

HERE=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
SOURCE=$(dirname "$HERE")
DESTDIR=${DESTDIR:-}
DESTDIR=${DESTDIR%/}
OPT=/opt/othello-kiosk
ETC=/etc/othello-kiosk
WANTS=/etc/systemd/system/multi-user.target.wants
TABLES=${TABLES:-1-60}
KEEP=3
PYTHON=${PYTHON:-python3}

say() { printf '%s\n' "$*"; }
die() { printf 'install.sh: %s\n' "$*" >&2; exit 2; }
live() { [ -z "$DESTDIR" ]; }
on_a_pi() { [[ $(uname -m) = aarch64 || $(uname -m) = arm* ]]; }

# source below systemd/, destination, roles that need it
system_files() {
    cat <<-'LIST'
	sysusers.conf          /etc/sysusers.d/othello-kiosk.conf               table head
	tmpfiles.conf          /etc/tmpfiles.d/othello-kiosk.conf               table head
	udev.rules             /etc/udev/rules.d/70-othello-kiosk.rules         table head
	polkit.rules           /etc/polkit-1/rules.d/70-othello-kiosk.rules     table
	modules-load.conf      /etc/modules-load.d/othello-kiosk.conf           table head
	journald.conf          /etc/systemd/journald.conf.d/othello-kiosk.conf  table head
	watchdog.conf          /etc/systemd/system.conf.d/othello-kiosk.conf    table head
	othello-table.service  /etc/systemd/system/othello-table.service        table
	othello-card.service   /etc/systemd/system/othello-card.service         table
	othello-update.service /etc/systemd/system/othello-update.service       table
	othello-update.path    /etc/systemd/system/othello-update.path          table
	othello-head.service   /etc/systemd/system/othello-head.service         head
	chrony-head.conf       /etc/chrony/conf.d/othello-head.conf             head
	LIST
}

# A machine's roles are the configurations it has; one machine may be both.
roles() {
    local role
    for role in table head; do
        if [ -e "$DESTDIR$ETC/$role.toml" ]; then echo "$role"; fi
    done
}

services() {
    local role
    for role in $(roles); do
        echo "othello-$role.service"
        if [ "$role" = table ]; then printf '%s\n' othello-card.service othello-update.path; fi
    done
}

current() { readlink "$DESTDIR$OPT/current" 2>/dev/null || true; }
trusted() { readlink "$DESTDIR$OPT/trusted" 2>/dev/null || true; }

versions() {
    local dir
    for dir in "$DESTDIR$OPT"/*/; do
        if [ -e "$dir/.complete" ] && [ ! -L "${dir%/}" ]; then basename "$dir"; fi
    done | sort -V
}

# Prints the Debian packages that a role needs.
needed() {
    printf '%s\n' python3 python3-venv chrony
    # What SDL needs to draw without X.
    if [ "$1" = table ]; then
        printf '%s\n' libdrm2 libgbm1 libegl1 libgles2 libgl1-mesa-dri
        # the device is shut down on its screen; the sound card's settings
        printf '%s\n' polkitd libasound2-data
    fi
}

# lgpio has wheels up to Python 3.12; for Trixie's 3.13 it is built, unless WHEELS has one that was.
build_tools() {
    if on_a_pi && [ -z "${WHEELS:-}" ] && "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 13))'; then
        printf '%s\n' swig gcc libc6-dev python3-dev
    fi
}

# Prints those names on standard input that are not installed.
missing() {
    local name
    while read -r name; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$name" 2>/dev/null)" = installed ] || echo "$name"
    done
}

apt_install() {
    command -v apt-get >/dev/null || die "no apt-get here; install python3-venv and chrony, then set APT=no"
    DEBIAN_FRONTEND=noninteractive apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

packages() {
    live || return 0
    local names
    mapfile -t names < <({ needed "$1" && build_tools; } | missing)
    if [ ${#names[@]} = 0 ]; then return; fi
    if [ -d "$SOURCE/debs" ]; then
        say "debs/: ${names[*]}"
        # Packages that are installed in the same or a newer version are kept.
        DEBIAN_FRONTEND=noninteractive dpkg --install --skip-same-version --refuse-downgrade "$SOURCE"/debs/*.deb >/dev/null ||
            say "not all of debs/ could be installed here; what is missing says: sudo kiosk doctor"
    elif [ "${APT:-yes}" != no ]; then
        say "apt: ${names[*]}"
        apt_install "${names[@]}"
    fi
}

# Downloads what a table needs into debs/ and wheels/ beside systemd/, for machines like this one without internet.
fetch() {
    local names place
    [ "$(id -u)" = 0 ] || die "needs root: sudo make wheels"
    place=$(mktemp -d)
    mapfile -t names < <(needed table | missing)
    if [ ${#names[@]} = 0 ]; then
        say "no package of Debian is missing here, so debs/ is not made; do this on a freshly written card"
    else
        say "debs/: ${names[*]}"
        mkdir -p "$SOURCE/debs" "$place/partial"
        apt_install --download-only -o "Dir::Cache::archives=$place" "${names[@]}"
        mv "$place"/*.deb "$SOURCE/debs/"
    fi
    mapfile -t names < <({ echo python3-venv && WHEELS='' build_tools; } | missing)
    if [ ${#names[@]} -gt 0 ]; then apt_install "${names[@]}"; fi
    "$PYTHON" -m venv "$place/venv"
    PYPI=1 "$place/venv/bin/python" -m pip wheel --quiet --disable-pip-version-check --wheel-dir "$SOURCE/wheels" \
        "setuptools>=77" wheel "$(copied "$place" "${EXTRAS:-all}")"
    rm -rf "$place" "$SOURCE"/wheels/othello_kiosk-*.whl
    say "wheels/: $(find "$SOURCE/wheels" -name '*.whl' | wc -l)"
}

# Prints the extras of this machine, separated by commas. $1: its new role, if it gets one.
extras() {
    {
        { roles; echo "${1:-}"; } | sed 's/^head$/head camera postgres publish/'
        if grep -qs '^source = "camera"' "$DESTDIR$ETC/table.toml"; then echo camera; fi
        if [ -n "$(current)" ]; then cat "$DESTDIR$OPT/current/extras" 2>/dev/null || true; fi
        echo "${EXTRAS:-}"
    } | tr -s ', ' '\n' | sed '/^$/d' | sort -u | paste -sd,
}

# Prints what pip installs, with the extras $2: a copy of the source without caches, because building writes into it.
copied() {
    local extras=$2
    mkdir "$1/copy"
    local guide=()  # only a head shows it, and the cards of tables have none
    if [ -d "$SOURCE/docs/guide" ]; then guide=(setup.py docs/guide); fi
    tar -C "$SOURCE" -c --exclude=__pycache__ pyproject.toml README.md LICENSE engine hardware kiosk "${guide[@]}" | tar -C "$1/copy" -xp
    if on_a_pi; then extras+=,pi; fi
    echo "$1/copy[$extras]"
}

# Prints the name of the new version: 0.1.0, and 0.1.0-2 if that is there already.
new_version() {
    local base name n=1
    base=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$SOURCE/pyproject.toml")
    [ -n "$base" ] || die "$SOURCE/pyproject.toml names no version"
    name=$base
    while [ -e "$DESTDIR$OPT/$name/.complete" ]; do
        n=$((n + 1))
        name=$base-$n
    done
    echo "$name"
}

build() {
    local version=$1 extras=$2 dir place pip=()
    dir=$DESTDIR$OPT/$version
    "$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || die "Python 3.11 or later is needed"
    export PYPI=1 # lgpio's own word: where it is built, its C library is built into it
    if [ -n "${WHEELS:-}" ]; then pip=(--no-index --find-links "$(cd "$WHEELS" && pwd)"); fi
    rm -rf "$dir" # what an installation that was broken off left
    mkdir -p "$dir"
    "$PYTHON" -m venv "$dir"
    place=$(mktemp -d)
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check "${pip[@]}" "$(copied "$place" "$extras")"
    rm -rf "$place"
    cp -a "$HERE" "$dir/systemd"
    cp "$SOURCE/pyproject.toml" "$dir/"
    echo "$extras" >"$dir/extras"
    if ! live; then # the environment will live at another place than it was made at
        grep -rlIF "$DESTDIR/" "$dir/bin" "$dir/pyvenv.cfg" | xargs -r sed -i "s|$DESTDIR/|/|g"
    fi
    "$PYTHON" -m compileall -q "$dir/lib" >/dev/null 2>&1 || true
    live && sync -f "$dir"
    : >"$dir/.complete"
}

configure() {
    local role=$1 head=$2 file=$DESTDIR$ETC/$1.toml
    mkdir -p "$DESTDIR$ETC"
    if [ -n "${UPDATE_KEY:-}" ]; then install -m 0644 "$UPDATE_KEY" "$DESTDIR$ETC/update-key"; fi
    if [ -e "$file" ]; then
        say "$ETC/$role.toml stays as it is"
        return
    fi
    local url='' number=${TABLE:-1}
    [[ $number =~ ^(0|[1-9][0-9]{0,3})$ ]] || die "TABLE=$number is no table number"
    if [ "$role" = table ] && [ -n "$head" ]; then url=$(head_url "$head"); fi
    sed -e "s|@TABLE@|$number|" -e "s|@HEAD_URL@|$url|" "$HERE/$role.toml" >"$file.new"
    # Without a head the section is removed: the table is a free clock.
    if [ "$role" = table ] && [ -z "$head" ]; then sed -i '/^\[head\]/,/^$/d' "$file.new"; fi
    on_a_pi || sed -i 's|^factory = .*|factory = "none"               # no GPIO pins on this machine|' "$file.new"
    mv "$file.new" "$file"
    say "$ETC/$role.toml written"
}

# 192.168.10.1, head.local:8043, [fd00::1]:8043 or a whole ws:// address
head_url() {
    [[ $1 =~ ^(wss?://)?(\[[0-9a-fA-F:]+\]|[A-Za-z0-9.-]+)(:[0-9]+)?(/[A-Za-z0-9/._-]*)?$ ]] ||
        die "HEAD=$1 is no address; give one like 192.168.10.1"
    echo "${BASH_REMATCH[1]:-ws://}${BASH_REMATCH[2]}${BASH_REMATCH[3]:-:8043}${BASH_REMATCH[4]:-/link}"
}

# The head's host, for chrony, from the configuration in force.
head_host() {
    sed -n 's|^url = "wss\{0,1\}://\[\{0,1\}\([0-9A-Za-z.:-]*\)\]\{0,1\}:[0-9]*/.*|\1|p' "$DESTDIR$ETC/table.toml" | head -n 1
}

# Points a link below /opt to a version, atomically by a rename.
point() {
    ln -sfn "$2" "$DESTDIR$OPT/.$1"
    mv -T "$DESTDIR$OPT/.$1" "$DESTDIR$OPT/$1"
}

# Lays out the system files of one version and points `current` to it.
activate() {
    local version=$1 from=$DESTDIR$OPT/$1/systemd source to needs role host
    [ -e "$DESTDIR$OPT/$version/.complete" ] || die "version $version is not installed; there are: $(versions | xargs)"
    while read -r source to needs; do
        for role in $(roles); do
            if [[ " $needs " = *" $role "* ]]; then install -D -m 0644 "$from/$source" "$DESTDIR$to"; fi
        done
    done < <(system_files)
    if [ -e "$DESTDIR$ETC/table.toml" ]; then
        host=$(head_host)
        if [ -n "$host" ] && [ ! -e "$DESTDIR$ETC/head.toml" ]; then
            install -d "$DESTDIR/etc/chrony/conf.d"
            sed "s|@HEAD_HOST@|$host|" "$from/chrony-table.conf" >"$DESTDIR/etc/chrony/conf.d/othello-table.conf"
        fi
        # The display is the table's: no login on it, and no three keys that restart it.
        ln -sfn /dev/null "$DESTDIR/etc/systemd/system/getty@tty1.service"
        ln -sfn /dev/null "$DESTDIR/etc/systemd/system/ctrl-alt-del.target"
    fi
    install -d "$DESTDIR$WANTS"
    for source in $(services); do ln -sfn "../$source" "$DESTDIR$WANTS/$source"; done
    point current "$version"
    if [ ! -e "$DESTDIR$OPT/trusted/.complete" ]; then point trusted "$version"; fi
    install -d "$DESTDIR/usr/local/bin"
    ln -sfn "$OPT/current/bin/kiosk" "$DESTDIR/usr/local/bin/kiosk"
}

start() {
    live || return 0
    systemd-sysusers /etc/sysusers.d/othello-kiosk.conf
    systemd-tmpfiles --create /etc/tmpfiles.d/othello-kiosk.conf || true
    if [ -e "$ETC/head.toml" ] && [ ! -e /var/lib/othello-head/keys.json ]; then
        runuser -u othello-head -- "$OPT/current/bin/kiosk" keys new --tables "$TABLES" --out /var/lib/othello-head
    fi
    if [ ! -d /run/systemd/system ]; then
        say "systemd does not run here: the services start with the machine"
        return 0
    fi
    systemctl daemon-reload
    systemctl restart systemd-modules-load.service systemd-journald.service || true
    udevadm control --reload || true
    udevadm trigger --subsystem-match=tty --subsystem-match=gpio || true
    systemctl try-reload-or-restart chrony.service 2>/dev/null || true
    if [ -e "$ETC/table.toml" ]; then
        systemctl set-default --quiet multi-user.target
        systemctl stop getty@tty1.service || true
    fi
    # shellcheck disable=SC2046 # a list of names
    systemctl restart $(services) ||
        say "a service does not start yet; what is missing says: sudo kiosk doctor (and journalctl -u 'othello-*' -e)"
}

# Removes all versions but the newest and those in use.
prune() {
    local dir
    find "$DESTDIR$OPT" -mindepth 2 -maxdepth 2 -name .complete -printf '%T@ %h\n' | sort -rn | tail -n +$((KEEP + 1)) |
        while read -r _ dir; do
            if [ "$(basename "$dir")" != "$(current)" ] && [ "$(basename "$dir")" != "$(trusted)" ]; then rm -rf "$dir"; fi
        done
}

install_role() {
    local role=$1 head=${2:-} version
    if live && [ "$(id -u)" != 0 ]; then die "needs root: sudo make install-$role"; fi
    if [ "$role" = table ] && [ -n "$head" ]; then head_url "$head" >/dev/null; fi
    packages "$role"
    version=$(new_version)
    say "version $version into $OPT/$version"
    build "$version" "$(extras "$role")"
    configure "$role" "$head"
    activate "$version"
    point trusted "$version"
    start
    prune
    say "done: version $version is in use. Check it with: sudo kiosk doctor"
}

# The privileged part of an update (kiosk/update/update_installer.py); it changes nothing that is running.
stage() {
    local version
    if live && [ "$(id -u)" != 0 ]; then die "needs root"; fi
    prune
    version=$(new_version)
    build "$version" "$(extras)"
    echo "$version"
}

uninstall() {
    local source to needs
    if live; then
        [ "$(id -u)" = 0 ] || die "needs root: sudo make uninstall"
        systemctl stop othello-update.path othello-table.service othello-card.service othello-head.service 2>/dev/null || true
    fi
    while read -r source to needs; do rm -f "$DESTDIR$to" "$DESTDIR$WANTS/$source"; done < <(system_files)
    rm -f "$DESTDIR/etc/chrony/conf.d/othello-table.conf" "$DESTDIR/usr/local/bin/kiosk"
    for masked in getty@tty1.service ctrl-alt-del.target; do
        if [ "$(readlink "$DESTDIR/etc/systemd/system/$masked" || true)" = /dev/null ]; then
            rm -f "$DESTDIR/etc/systemd/system/$masked"
        fi
    done
    rm -rf "${DESTDIR}$OPT"
    if live && [ -d /run/systemd/system ]; then systemctl daemon-reload; fi
    say "removed. Configuration and data stay: $ETC, /var/lib/othello-kiosk, /var/lib/othello-head"
}

case ${1:-} in
    table) install_role table "${2:-}" ;;
    head) install_role head ;;
    use)
        [ -n "${2:-}" ] || die "which version? There are: $(versions | xargs)"
        activate "$2"
        start
        say "version $2 is in use"
        ;;
    stage) stage ;;
    fetch) fetch ;;
    versions) versions | while read -r name; do
        if [ "$name" = "$(current)" ]; then say "* $name"; else say "  $name"; fi
    done ;;
    uninstall) uninstall ;;
    *) sed -n '2,/^set -euo/p' "$0" | sed '$d; s/^# \{0,1\}//' >&2 && exit 2 ;;
esac
