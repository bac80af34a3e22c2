#!/usr/bin/env bash
# bare_root.sh FOLDER [CTEST-OPTION ...]: README's two commands, and the page, on a Debian 12 on which nothing was installed, so what
# a script or a test takes for granted is missing: a root of debootstrap's minbase, made in FOLDER where it is not
# there, with a clone of the last commit. Takes root, a mirror of Debian ($DEBIAN_MIRROR) and PyPI once; the whole is
# some 20 GB and hours. What follows FOLDER goes to ctest. Files that $BARE_ROOT_FILES names are copied: settings of
# pip, certificates of a proxy in /usr/local/share/ca-certificates (those in /etc/ssl/certs are made anew); with $CCACHE_DIR, ccache is installed and uses that folder.
set -euo pipefail
[ $# -gt 0 ] && [[ $1 != -* ]] || { echo "usage: .ci/bare_root.sh FOLDER [CTEST-OPTION ...]" >&2; exit 2; }
root=$(realpath -m "$1")
shift
cd "$(dirname "$0")/.."
[ "$(id -u)" -eq 0 ] || { echo "bare_root.sh: a bare root takes chroot; expected to be run as root" >&2; exit 2; }
. cmake/install_packages.sh
install_packages debootstrap git
if [ ! -e "$root/made" ]; then
  mkdir -p "$root"
  debootstrap --variant=minbase bookworm "$root" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$root/made.log" ||
    { tail "$root/made.log" >&2; exit 1; }
  printf '#!/bin/sh\nexit 101\n' > "$root/usr/sbin/policy-rc.d"  # packages start no services
  chmod +x "$root/usr/sbin/policy-rc.d"
  touch "$root/made"
fi
cp /etc/resolv.conf "$root/etc"
for file in ${BARE_ROOT_FILES:-}; do install -D "$file" "$root$file"; done
clone=$root/logdepth  # what was built and fetched there stays
if [ -e "$clone" ]; then
  git -C "$clone" fetch --quiet "$PWD" HEAD
  git -C "$clone" checkout --quiet --detach FETCH_HEAD
else
  git clone --quiet --no-hardlinks . "$clone"
fi
# Mounts and processes of its own; they end with the last process.
unshare --mount --pid --fork --kill-child -- bash -euo pipefail -c '
  root=$1 cache=$2
  shift 2
  mount --make-rprivate /
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"  # with the groups of /sys/fs/cgroup
  mount -t tmpfs tmpfs "$root/dev"
  for device in null zero full random urandom tty; do
    touch "$root/dev/$device"
    mount --bind "/dev/$device" "$root/dev/$device"
  done
  mkdir "$root"/dev/{pts,shm}
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  mount -t tmpfs tmpfs "$root/dev/shm"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  set_up=true
  if [ -n "$cache" ]; then
    mkdir -p "$root/ccache" "$cache"
    mount --bind "$cache" "$root/ccache"
    set_up="apt-get update -qq && apt-get install -y -q --no-install-recommends ccache >/dev/null"
  fi
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root ${cache:+CCACHE_DIR=/ccache} chroot "$root" bash -euo pipefail -c "
    cd /logdepth
    $set_up
    ./setup.sh 2>&1 | tee /setup.log
    ./make_playground.sh  # the tests compare its program with the native one
    status=0
    ./test.sh -- \"\$@\" 2>&1 | tee /test.log || status=\$?
    python3 .ci/check_setup.py /setup.log .
    [ \$status -eq 0 ] || python3 .ci/failed_tests.py build/release
    python3 .ci/check_tests.py /test.log build/release && exit \$status
  " inside "$@"
' inside "$root" "${CCACHE_DIR:-}" "$@"
