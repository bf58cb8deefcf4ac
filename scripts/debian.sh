#!/usr/bin/env bash
# Runs a command in a clean Debian of its own: scripts/debian.sh <suite> "<package>..." <command>... The system lies in
# target/debian/<suite>, made by debootstrap, with the packages in it. The command works on a copy (an overlay in memory) that
# goes with it, in a mount namespace of its own, so that whatever it installs or mounts is nowhere else. Of ours it sees, at
# their own paths, the work tree, Rust and the data that tests read; it builds into target/<suite>, because a newer Debian's
# libraries are not those of here. Needs root, or sudo.
# shellcheck source=scripts/lib.sh
source "$(dirname "$0")/lib.sh"

suite=$1
read -ra packages <<<"$2"
shift 2
system=$TARGET/debian/$suite
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

mkdir -p "$system"
exec 8<"$system"                       # one preparation at a time
flock 8
if [ ! -e "$system/done" ]; then
  command -v debootstrap >/dev/null || apt_install debootstrap
  say "Making a Debian $suite in $system"
  as_root debootstrap --variant=minbase "$suite" "$system" "$mirror" >"$TARGET/debian/$suite.log" 2>&1 ||
    { tail -n 3 "$TARGET/debian/$suite.log" >&2; die "no Debian $suite can be had from $mirror"; }
  # Nothing that is installed there may start a server, nor PostgreSQL's packages make a cluster.
  as_root sh -ec "printf '#!/bin/sh\nexit 101\n' >'$system/usr/sbin/policy-rc.d'; chmod 755 '$system/usr/sbin/policy-rc.d'
    mkdir -p '$system/etc/postgresql-common'; echo 'create_main_cluster = false' >'$system/etc/postgresql-common/createcluster.conf'
    touch '$system/done'"
fi

# What is run as root in the namespace: $1 is the system, $2 where the copy's changes go or nothing, $3 our directories.
# shellcheck disable=SC2016 # expanded there
inside='
  system=$1 changes=$2 ours=$3; shift 3
  if [ -n "$changes" ]; then
    mount -t tmpfs changes "$changes"
    mkdir "$changes/upper" "$changes/work" "$changes/system"
    mount -t overlay copy -o "lowerdir=$system,upperdir=$changes/upper,workdir=$changes/work" "$changes/system"
    system=$changes/system
    for directory in $ours; do
      mkdir -p "$system$directory"
      mount --bind "$directory" "$system$directory"
    done
  fi
  mount -t proc proc "$system/proc"
  mount --rbind /dev "$system/dev"
  cp -L /etc/resolv.conf "$system/etc/resolv.conf"
  # A machine behind a proxy trusts certificates of its own.
  certificates=/etc/ssl/certs/ca-certificates.crt
  if [ -n "$changes" ] && [ -e "$certificates" ]; then
    mkdir -p "$system/etc/ssl/certs"
    cp -L "$certificates" "$system$certificates"
  fi
  exec chroot "$system" "$@"'
environment=(HOME="$HOME" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)

if [ ${#packages[@]} -gt 0 ] && [ "$(cat "$system/packages" 2>/dev/null)" != "${packages[*]}" ]; then
  say "Installing there: ${packages[*]}"
  # shellcheck disable=SC2016 # expanded there
  as_root unshare -m bash -ec "$inside" inside "$system" '' '' env -i "${environment[@]}" sh -ec \
    'apt-get -q update; apt-get -q -y --no-install-recommends install "$@"; echo "$*" >/packages' install "${packages[@]}"
fi
exec 8<&-

cargo_home=$(realpath "${CARGO_HOME:-$HOME/.cargo}") rustup_home=$(realpath "${RUSTUP_HOME:-$HOME/.rustup}")
data=$(realpath -m "${PG_TOPDOWN_DATA:-$ROOT/../shared/data}")
ours=()
for directory in "$ROOT" "$TARGET" "$cargo_home" "$rustup_home" "$data"; do
  [ ! -d "$directory" ] || ours+=("$directory")
done
changes=$(mktemp -d)
trap 'rmdir "$changes"' EXIT
as_root unshare -m bash -ec "$inside" inside "$system" "$changes" "${ours[*]}" env -i "${environment[@]}" \
  CARGO_HOME="$cargo_home" RUSTUP_HOME="$rustup_home" PG_TOPDOWN_DATA="$data" CARGO_TARGET_DIR="$TARGET/$suite" \
  sh -ec 'cd "$1"; shift; PATH=$PATH:$CARGO_HOME/bin; exec "$@"' run "$ROOT" "$@"
