#!/bin/sh
# Installs the Debian packages the tests use, if they are missing and we may; else names the command.
# Without them the tests that need them are skipped, each with its reason.
set -u

wanted=
need() { command -v "$1" >/dev/null 2>&1 || wanted="$wanted $2"; }
need gcc gcc
need git git
need dtc device-tree-compiler
need dpkg-source dpkg-dev
need xz xz-utils
need trace-cmd trace-cmd
need busybox busybox
need shellcheck shellcheck
need ministat ministat
need qemu-system-ppc64 qemu-system-ppc
need powerpc64-linux-gnu-gcc gcc-powerpc64-linux-gnu
need cpio cpio
need setpriv util-linux
[ -e /usr/include/stdio.h ] || wanted="$wanted libc6-dev"
include=$("${PYTHON:-python3}" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$include/Python.h" ] || wanted="$wanted python3-dev"
browser=chromium
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && browser=
done

install() {
    [ -z "$1" ] && return
    if ! command -v apt-get >/dev/null 2>&1; then
        echo "the tests would use: $1 (Debian's names); tests that need them are skipped" >&2
    elif [ "$(id -u)" -ne 0 ]; then
        echo "the tests would use: apt-get install $1; tests that need them are skipped" >&2
    else
        echo "installing $1" >&2
        # shellcheck disable=SC2086
        { DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $1 ||
          { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $1; }
        } >/dev/null || echo "could not install $1; tests that need them are skipped" >&2
    fi
}

install "${wanted# }"
# apart, since some distributions have it as a snap only
install "$browser"
exit 0
