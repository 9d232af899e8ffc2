"""Installs and tests the wheels of dist/ on the machines they are for: as root, on Debian,

    python -m tools.try_wheels [PLATFORM ...]

A machine is a minimal Debian without a compiler below build/machines, made by debootstrap once; one
of another architecture runs under qemu-user, which is right in its results and slow. There pip
installs the wheel and, by hash, the packages it requires; the tool runs, and TESTS test the wheel's
modules, not this checkout's. Archive, package index, proxies and certificates are this machine's.
Exits with 1 if something fails there, with 3 if a machine cannot be had.
"""

import os
import platform as this
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from idle_states.change.boot.debian import Unavailable, archive
from tools import wheel_audit
from tools.command_line import parsed
from tools.install import EXTRAS, NEEDED, closure, locked
from tools.wheels import DIST, ROOT, SUITE, Platform, named

MACHINES = ROOT / "build" / "machines"
INCLUDED = "python3,python3-venv,ca-certificates"
TESTS = (
    *(
        "tests/tables/linux/governors/core",
        "tests/tables/linux/governors",
        "tests/tables/devicetree/test_fdt.py",
    ),
    "tests/lab/simulation/test_core.py",
)
NOT_HERE = "not in_time"
"""Tests that measure time say nothing under emulation."""
CERTIFICATES = Path("etc/ssl/certs/ca-certificates.crt")

_BINFMT = Path("/proc/sys/fs/binfmt_misc")
_MAGIC = (
    r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x{machine:02x}\x00",
    r"\xff\xff\xff\xff\xff\xff\xff\xfc\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\x00",
)
"""ELF, 64 bits, little-endian, executable or shared; and which of its bits count."""
_PASSED = re.compile(r"PIP_(?:(?:EXTRA_)?INDEX_URL|TRUSTED_HOST|DEFAULT_TIMEOUT)|\w+_proxy", re.I)

INSTALL = """\
if command -v gcc cc; then echo "expected a machine without a compiler" >&2; exit 1; fi
rm -rf /trial
python3 -m venv /trial
pip() {{ /trial/bin/pip install --quiet --disable-pip-version-check "$@"; }}
pip --require-hashes -r /checkout/requirements/build.txt
pip --require-hashes --no-build-isolation -r /checkout/requirements/run.txt
pip --no-deps {wheel}
uname -m
/trial/bin/idle-states --version | tee /trial/version
grep -q '^core: ' /trial/version
mkdir /trial/empty
cd /trial/empty
/trial/bin/idle-states check >said || {{ cat said; exit 1; }}
grep '^[0-9]* tables' said
"""
TEST = """\
cd /checkout
/trial/bin/pip install -q --disable-pip-version-check --require-hashes -r requirements/tests.txt
/trial/bin/python -c 'import idle_states; print(idle_states.__file__)'
/trial/bin/python -m pytest -q -p no:cacheprovider -k {but} {tests}
"""


def program(name: str, package: str) -> str:
    """The path of a program. Raises Unavailable."""
    found = shutil.which(name)
    if found is None:
        raise Unavailable(f"{name} is not installed (apt-get install {package})")
    return found


def emulate(platform: Platform) -> None:
    """Has the kernel start the platform's programs by qemu-user, until it is booted again."""
    if platform.name == this.machine():
        return
    qemu = f"qemu-{platform.name}"
    if not Path(_BINFMT, "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "none", _BINFMT], check=True)
    if not Path(_BINFMT, qemu).exists():
        path = program(f"{qemu}-static", "qemu-user-static")
        magic, mask = _MAGIC
        row = f":{qemu}:M::{magic.format(machine=platform.machine)}:{mask}:{path}:F"
        Path(_BINFMT, "register").write_text(row, "ascii")


def machine(platform: Platform) -> Path:
    """The root directory of a minimal Debian. Raises Unavailable."""
    root = MACHINES / platform.debian
    made, log = root.with_suffix(".made"), root.with_suffix(".log")
    if not made.exists():
        debootstrap = program("debootstrap", "debootstrap")
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir(parents=True)
        mirror, suite = archive(SUITE).split()
        options = [f"--arch={platform.debian}", "--variant=minbase", f"--include={INCLUDED}"]
        command = ["unshare", "--mount", debootstrap, *options, suite, str(root), mirror]
        with log.open("w", encoding="utf-8") as output:
            done = subprocess.run(command, stdout=output, stderr=output, check=False)
        if done.returncode:
            raise Unavailable(f"debootstrap failed; see {log.relative_to(ROOT)}")
        made.touch()
    for name in ("etc/resolv.conf", "etc/hosts", "etc/pip.conf"):
        if Path("/", name).exists():
            shutil.copy(Path("/", name), root / name)
    own = Path(os.environ.get("SSL_CERT_FILE") or Path("/", CERTIFICATES))
    shutil.copy(own, root / CERTIFICATES)
    return root


def furnish(root: Path, wheel: Path) -> None:
    """Puts a wheel and its tests on a machine. Of the package there are the C sources only, which
    tests of the core read: without an __init__.py they do not hide the installed package."""
    shutil.copy(wheel, root / wheel.name)
    shutil.rmtree(root / "checkout", ignore_errors=True)
    for name in wheel_audit.tracked(ROOT):
        if name.startswith(("requirements/", "tests/", "tools/")) or name.endswith(
            (".c", ".h", ".cfg")
        ):
            target = root / "checkout" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, target)
    needed = "".join(each.text for each in closure(NEEDED, locked(EXTRAS)))
    Path(root, "checkout/requirements/tests.txt").write_text(needed, "utf-8")


def run(root: Path, script: str) -> int:
    """Runs a shell script on a machine, as root of it. Returns its exit status. What is mounted for
    it is gone afterwards."""
    enter = (
        'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" sh -ec "$1"'
    )
    passed = {name: text for name, text in os.environ.items() if _PASSED.fullmatch(name)}
    environment = {
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
        "HOME": "/root",
        "LANG": "C.UTF-8",
        "PIP_CERT": str(Path("/", CERTIFICATES)),
        "PIP_ROOT_USER_ACTION": "ignore",
        **passed,
    }
    command = ["unshare", "--mount", "sh", "-ec", enter, str(root), script]
    return subprocess.run(command, env=environment, stdin=subprocess.DEVNULL).returncode


def attempt(platform: Platform) -> bool:
    """Tells whether a platform's wheel installs, runs and passes the tests. Raises Unavailable."""
    wheels = [*DIST.glob(f"idle_states-*_{platform.name}.whl")]
    if len(wheels) != 1:
        raise Unavailable(f"expected one wheel in dist/, found {len(wheels)} (make wheels)")
    wanted = wheel_audit.expected(ROOT, wheel_audit.prepared(ROOT, MACHINES))
    for complaint in wheel_audit.complaints(wheels[0], wanted, platform.machine):
        raise Unavailable(f"expected a wheel of this checkout (make wheels): {complaint}")
    emulate(platform)
    root = machine(platform)
    furnish(root, wheels[0])
    for script in (
        INSTALL.format(wheel=f"/{wheels[0].name}"),
        TEST.format(but=shlex.quote(NOT_HERE), tests=shlex.join(TESTS)),
    ):
        began = time.monotonic()
        status = run(root, script)
        print(
            f"{platform.name}: exit status {status}, {time.monotonic() - began:.0f} s", flush=True
        )
        if status:
            return False
    return True


def main(words: Sequence[str] | None = None) -> int:
    """Tries the platforms that are named. Returns the exit status."""
    platforms = named(parsed(__doc__, "[PLATFORM...]", words=words).platform)
    if os.geteuid():
        print("expected to be root: machines are made and entered by debootstrap and chroot")
        return 3
    status = 0
    for platform in platforms:
        print(f"== {platform.name}", flush=True)
        try:
            passed = attempt(platform)
        except Unavailable as reason:
            print(f"{platform.name} cannot be tried: {reason}", file=sys.stderr)
            status = 3
        else:
            status = max(status, 0 if passed else 1)
    return status


if __name__ == "__main__":
    sys.exit(main())
