#!/bin/sh
# Installs the Debian packages the tests use, if they are missing and we may; else names the command.
# Without them the tests that need them are skipped, each with its reason. What apt says goes to
# build/packages.log; where packages fail together, each is installed by itself.
set -u
cd "$(dirname "$0")/.." || exit
log=build/packages.log

wanted=
need() { command -v "$1" >/dev/null 2>&1 || wanted="$wanted $2"; }
need gcc gcc
need cpp cpp
need git git
need dtc device-tree-compiler
need iasl acpica-tools
need dpkg-source dpkg-dev
need xz xz-utils
need cpio cpio
need groff groff-base
need trace-cmd trace-cmd
need perf linux-perf
need busybox busybox
need shellcheck shellcheck
need ministat ministat
need cmark-gfm cmark-gfm
need qemu-system-ppc64 qemu-system-ppc
need qemu-system-aarch64 qemu-system-arm
need qemu-system-x86_64 qemu-system-x86
need qemu-system-riscv64 "qemu-system-misc opensbi"
need powerpc64-linux-gnu-gcc gcc-powerpc64-linux-gnu
[ -e /usr/include/stdio.h ] || wanted="$wanted libc6-dev"
include=$("${PYTHON:-python3}" -c 'import sysconfig; print(sysconfig.get_path("include"))')
[ -e "$include/Python.h" ] || wanted="$wanted python3-dev"
browser=chromium
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null 2>&1 && browser=
done
wanted="${wanted# }${browser:+ $browser}"

install() { DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" >>$log 2>&1; }

[ -n "$wanted" ] || exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "the tests would use: $wanted (Debian's names); tests that need them are skipped" >&2
elif [ "$(id -u)" -ne 0 ]; then
    echo "the tests would use: apt-get install $wanted; tests that need them are skipped" >&2
else
    echo "installing $wanted" >&2
    mkdir -p build
    # shellcheck disable=SC2086
    install $wanted || { apt-get update >>$log 2>&1; install $wanted; } ||
        for package in $wanted; do
            install "$package" ||
                echo "could not install $package (see $log); tests that need it are skipped" >&2
        done
fi
exit 0
