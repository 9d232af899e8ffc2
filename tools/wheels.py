"""Builds the wheels of a release: python -m tools.wheels [--twice] [PLATFORM ...]

One wheel for all Pythons from 3.11 on (cp311-abi3) per platform, into dist/. Every platform's is
compiled alike, by Debian's gcc for it and with the Python headers of its own Debian package, so
that nothing of the Python that runs this goes into a wheel. The platform tag is what auditwheel
reads off the symbol versions. A wheel that tools/wheel_audit.py complains of is not kept. --twice
builds each again in another place, and compares the bytes. Exits with 1 if there is a complaint,
with 3 if a program or package is missing.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from idle_states.change.boot.debian import Packages, Unavailable
from tools import wheel_audit
from tools.command_line import parsed

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
WORK = ROOT / "build" / "wheels"
SUITE = "bookworm"
"""Debian's suite whose Python headers are compiled against, whatever this machine has."""
HEADERS = ("libpython3.11-dev", "3.11")
"""Their package, and its Python: the oldest that setup.cfg takes."""


class Refused(Exception):
    """A wheel that must not be released; the message says why."""


@dataclass(frozen=True, slots=True)
class Platform:
    """name: uname -m's; debian: Debian's; triplet: gcc's; machine: e_machine in ELF."""

    name: str
    debian: str
    triplet: str
    machine: int

    @property
    def gcc(self) -> str:
        return f"{self.triplet}-gcc"

    @property
    def packages(self) -> str:
        """Debian's packages of a compiler for it."""
        return f"gcc-{self.triplet.replace('_', '-')} libc6-dev-{self.debian}-cross"


PLATFORMS = {
    each.name: each
    for each in (
        Platform("x86_64", "amd64", "x86_64-linux-gnu", 62),
        Platform("ppc64le", "ppc64el", "powerpc64le-linux-gnu", 21),
        Platform("aarch64", "arm64", "aarch64-linux-gnu", 183),
    )
}


def named(names: Sequence[str]) -> list[Platform]:
    """The platforms of these names; all if there are none. Ends the program for one unknown."""
    for name in names:
        if name not in PLATFORMS:
            print(f"expected {' or '.join(PLATFORMS)}, found {name}", file=sys.stderr)
            raise SystemExit(2)
    return [PLATFORMS[name] for name in names or PLATFORMS]


def build(platform: Platform, work: Path) -> Path:
    """A wheel below `work`, which is made anew. Raises Unavailable and Refused."""
    if shutil.which(platform.gcc) is None:
        raise Unavailable(f"{platform.gcc} is not installed (apt-get install {platform.packages})")
    shutil.rmtree(work, ignore_errors=True)
    source, log = work / "source", work / "build.log"
    copy_sources(source)
    write_sysconfig(platform, work / "sysconfig")
    variables = {
        "PYTHONPATH": str(work / "sysconfig"),
        "_PYTHON_SYSCONFIGDATA_NAME": "_sysconfigdata_wheels",
        "_PYTHON_HOST_PLATFORM": f"linux-{platform.name}",
    }
    output = run("build", "--wheel", "--no-isolation", "--outdir", work, source, **variables)
    log.write_text(output, "utf-8")
    (built,) = work.glob("*.whl")
    audited = json.loads(run("auditwheel", "show", "--json", built))
    run("wheel", "tags", "--remove", "--platform-tag", audited["overall_tag"], built)
    (wheel,) = work.glob("*.whl")
    libraries = audited["versioned_symbols"].items()
    needed = "; ".join(f"{name} {', '.join(versions)}" for name, versions in libraries)
    print(f"{wheel.name}: needs {needed}", flush=True)
    return wheel


def copy_sources(into: Path) -> None:
    """Copies the files that git tracks, as they are now, with the same modes for every user."""
    for name in wheel_audit.tracked(ROOT):
        source, target = ROOT / name, into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
        target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def write_sysconfig(platform: Platform, into: Path) -> None:
    """Writes what setuptools asks Python's configuration for, as a Python on the platform would
    say it. pyconfig.h is chosen by the compiler's own macros (Debian's header includes the right
    one)."""
    package, version = HEADERS
    members = ("usr/include/*",)
    headers = Packages(WORK / "headers").binary_tree(package, members, platform.debian, SUITE)
    include = headers / "usr" / "include"
    python = f"{include}/python{version}"
    configuration = {
        "AR": f"{platform.triplet}-ar",
        "ARFLAGS": "rcs",
        "CC": platform.gcc,
        "CCSHARED": "-fPIC",
        "CFLAGS": f"-DNDEBUG -fwrapv -Wall -g0 -I{include}",
        "CONFINCLUDEPY": python,
        "CXX": f"{platform.triplet}-g++",
        "EXT_SUFFIX": f".cpython-{version.replace('.', '')}-{platform.triplet}.so",
        "INCLUDEPY": python,
        "LDCXXSHARED": f"{platform.triplet}-g++ -shared -Wl,-s",
        "LDSHARED": f"{platform.gcc} -shared -Wl,-s",
        "Py_ENABLE_SHARED": 0,
        "SHLIB_SUFFIX": ".so",
    }
    into.mkdir(parents=True)
    text = f"build_time_vars = {configuration!r}\n"
    Path(into, "_sysconfigdata_wheels.py").write_text(text, "utf-8")


def run(module: str, *words: str | Path, **variables: str) -> str:
    """Returns what a program of Python's prints. Raises Refused, with all that it said, if it
    fails."""
    command = [sys.executable, "-m", module, *map(str, words)]
    done = subprocess.run(
        command,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        errors="replace",
    )
    if done.returncode:
        raise Refused(f"{module} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def last_commit() -> str:
    """Returns when the sources were committed, or packed into an sdist, in seconds since 1970."""
    if not (ROOT / ".git").exists():
        return str(int((ROOT / "setup.py").stat().st_mtime))
    command = ["git", "log", "-1", "--format=%ct"]
    return subprocess.check_output(command, cwd=ROOT, text=True).strip()


def release(platform: Platform, twice: bool) -> Path:
    """The platform's wheel in dist/, audited. Raises Unavailable and Refused."""
    wheel = build(platform, WORK / platform.name)
    specs = wheel_audit.prepared(ROOT, WORK)
    wanted = wheel_audit.expected(ROOT, specs)
    complaints = [*wheel_audit.complaints(wheel, wanted, platform.machine)]
    if complaints:
        log = WORK / platform.name / "build.log"
        raise Refused("\n".join([*complaints, f"see {log.relative_to(ROOT)}"]))
    for words in (
        ("twine", "check", "--strict"),
        ("check_wheel_contents",),
        ("abi3audit", "--strict"),
    ):
        run(*words, wheel)
    if twice:
        again = build(platform, WORK / f"{platform.name}-again")
        if (again.name, again.read_bytes()) != (wheel.name, wheel.read_bytes()):
            raise Refused(f"built again, {again.name} has other bytes than {wheel.name}")
    DIST.mkdir(exist_ok=True)
    for old in DIST.glob(f"idle_states-*_{platform.name}.whl"):
        old.unlink()
    return Path(shutil.copy2(wheel, DIST / wheel.name))


def main(words: Sequence[str] | None = None) -> int:
    """Builds the platforms that are named. Returns the exit status."""
    arguments = parsed(__doc__, "--twice", "[PLATFORM...]", words=words)
    os.umask(0o022)
    # the date of files in a wheel
    os.environ.setdefault("SOURCE_DATE_EPOCH", last_commit())
    status = 0
    for platform in named(arguments.platform):
        try:
            wheel = release(platform, arguments.twice)
        except (Refused, Unavailable) as reason:
            print(f"no wheel for {platform.name}: {reason}", file=sys.stderr)
            status = max(status, 3 if isinstance(reason, Unavailable) else 1)
        else:
            digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
            again = ", the same bytes twice" if arguments.twice else ""
            print(f"{wheel.relative_to(ROOT)}: sha256 {digest}{again}", flush=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
