#!/bin/sh
# Installs the Debian packages the tests use, if they are missing and we may; else names the command.
# Without them the tests that need them are skipped, each with its reason.
set -u

wanted=
need() { command -v "$1" >/dev/null 2>&1 || wanted="$wanted $2"; }
need gcc gcc
need dtc device-tree-compiler
need dpkg-source dpkg-dev
need xz xz-utils
need trace-cmd trace-cmd
[ -e /usr/include/stdio.h ] || wanted="$wanted libc6-dev"
[ -z "$wanted" ] && exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "the tests would use:$wanted (Debian's names); tests that need them are skipped" >&2
elif [ "$(id -u)" -ne 0 ]; then
    echo "the tests would use: apt-get install$wanted; tests that need them are skipped" >&2
else
    echo "installing$wanted" >&2
    # shellcheck disable=SC2086
    { DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $wanted ||
      { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $wanted; }
    } >/dev/null || echo "could not install$wanted; tests that need them are skipped" >&2
fi
exit 0
