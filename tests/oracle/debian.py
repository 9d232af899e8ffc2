"""Files out of Debian packages, leaving the system's apt configuration and state alone.

Everything is kept below ``build/deps`` of the repository and fetched once. A download
uses a throw-away apt configuration whose archive is the one the machine itself uses.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from . import Unavailable

CACHE = Path(__file__).resolve().parents[2] / "build" / "deps"

KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
SOURCES = Path("/usr/src")

#: What :func:`linux_source` extracts unless told otherwise.
LINUX_IDLE_MEMBERS = (
    "arch/powerpc/include/asm/opal-api.h",
    "arch/powerpc/platforms/powernv/idle.c",
    "drivers/cpuidle",
    "include/linux/cpuidle.h",
    "kernel/sched/idle.c",
)

#: What could not be had, so that a run without network waits but once for each.
_failures: dict[str, Unavailable] = {}

_APT_CONFIGURATION = """\
#clear APT::Architectures;
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear Acquire::IndexTargets::deb::DEP-11;
APT::Architecture "{architecture}";
APT::Architectures {{ "{architecture}"; }};
APT::Sandbox::User "root";
APT::Update::Error-Mode "any";
Acquire::Languages {{ "none"; }};
Acquire::Retries "2";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
Dir::Etc::SourceList "{directory}/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::Etc::Preferences "/dev/null";
Dir::Etc::PreferencesParts "/dev/null";
Dir::State "{directory}/state";
Dir::State::status "{directory}/status";
Dir::Cache "{directory}/cache";
"""


def source_tree(package: str = "qemu", member: str = "roms/skiboot") -> Path:
    """The directory `member` of a source package."""

    def make(fresh: Path, scratch: Path) -> None:
        apt = _PrivateApt(scratch, "deb-src", _native_architecture())
        apt.get("source", "--download-only", "--tar-only", package)
        for archive in sorted(scratch.glob(f"{package}_*.tar.*")):
            if _untar(archive, fresh, [f"*/{member}/*"], strip=1 + len(Path(member).parts)):
                return
        raise Unavailable(f"the source package {package} has no {member}/")

    return _cached(f"{package}/{member.replace('/', '-')}", make)


def binary_tree(package: str, members: Sequence[str] = (), architecture: str | None = None) -> Path:
    """An unpacked binary package, or only the `members` (patterns as of tar) of it.

    A package that has none of them but exactly one dependency stands for that
    dependency: ``linux-image-powerpc64le`` for the newest image of that name.
    """
    architecture = architecture or _native_architecture()

    def make(fresh: Path, scratch: Path) -> None:
        apt = _PrivateApt(scratch, "deb", architecture)
        name = package
        for _ in range(3):
            if _undeb(apt.download(name), fresh, [f"./{member}" for member in members]):
                return
            dependencies = apt.dependencies(name)
            if len(dependencies) != 1:
                break
            (name,) = dependencies
        raise Unavailable(f"the package {package} ({architecture}) has no {' or '.join(members)}")

    return _cached(f"{package}_{architecture}/{_digest(members)}", make)


def binary_file(package: str, member: str, architecture: str | None = None) -> Path:
    """One file of a binary package; `member` may be a pattern such as ``boot/vmlinux-*``."""
    return next(binary_tree(package, [member], architecture).glob(member))


def linux_source(version: str = "6.1", members: Sequence[str] = LINUX_IDLE_MEMBERS) -> Path:
    """A directory with the given files and directories of the distribution's kernel source.

    The archive in ``/usr/src`` is used if linux-source-VERSION is installed.
    """
    package = f"linux-source-{version}"
    archive = SOURCES / f"{package}.tar.xz"
    if not archive.is_file():
        archive = binary_file(package, f"usr/src/{package}.tar.xz")
    status = archive.stat()
    key = _digest([*sorted(members), str(status.st_size), str(status.st_mtime_ns)])

    def make(fresh: Path, scratch: Path) -> None:
        if not _untar(archive, fresh, [f"{package}/{member}" for member in members], strip=1):
            raise Unavailable(f"{archive} lacks one of {', '.join(members)}")

    return _cached(f"{package}/{key}", make)


def _cached(name: str, make: Callable[[Path, Path], None]) -> Path:
    """``CACHE/name``, made at most once: `make(fresh, scratch)` fills `fresh`, then a rename."""
    target = CACHE / name
    if target.is_dir():
        return target
    if name in _failures:
        raise _failures[name]
    try:
        _make_once(target, make)
    except Unavailable as reason:
        _failures[name] = reason
        raise
    return target


def _make_once(target: Path, make: Callable[[Path, Path], None]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with _lock(target.with_name(f".{target.name}.lock")):
        if not target.is_dir():
            with tempfile.TemporaryDirectory(prefix=".new-", dir=CACHE) as directory:
                fresh, scratch = Path(directory, "fresh"), Path(directory, "scratch")
                fresh.mkdir()
                scratch.mkdir()
                make(fresh, scratch)
                fresh.rename(target)


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


class _PrivateApt:
    """apt with configuration, lists and cache of its own, all in `directory`."""

    def __init__(self, directory: Path, kind: str, architecture: str) -> None:
        self.directory = directory
        self.configuration = directory / "apt.conf"
        for part in ("state/lists/partial", "cache/archives/partial"):
            (directory / part).mkdir(parents=True)
        (directory / "status").touch()
        source = f"{kind} [signed-by={KEYRING}] {_archive()} main\n"
        (directory / "sources.list").write_text(source)
        self.configuration.write_text(
            _APT_CONFIGURATION.format(directory=directory, architecture=architecture)
        )
        self.get("update")

    def get(self, *arguments: str) -> str:
        return self._run("apt-get", *arguments)

    def download(self, package: str) -> Path:
        self.get("download", package)
        return next(self.directory.glob(f"{package}_*.deb"))

    def dependencies(self, package: str) -> list[str]:
        listed = self._run("apt-cache", "depends", "--important", package)
        return re.findall(r"^ *Depends: (\S+)$", listed, re.MULTILINE)

    def _run(self, program: str, *arguments: str) -> str:
        return _run([program, "-c", str(self.configuration), *arguments], self.directory)


def _archive() -> str:
    """Address and suite of the archive this machine's main packages come from."""
    if not KEYRING.is_file():
        raise Unavailable(f"{KEYRING} is missing: not Debian, or no archive keyring")
    release = platform.freedesktop_os_release()
    form = "$(RELEASE) $(COMPONENT) $(REPO_URI)"
    listed = _run(["apt-get", "indextargets", "--no-release-info", "--format", form])
    suites = {release.get("VERSION_CODENAME"), "oldstable", "stable", "testing", "unstable", "sid"}
    for line in listed.splitlines():
        suite, component, address = line.split(maxsplit=2)
        if component == "main" and suite in suites:
            return f"{address} {suite}"
    raise Unavailable("no Debian archive among this machine's apt sources")


def _native_architecture() -> str:
    return _run(["dpkg", "--print-architecture"]).strip()


def _run(command: Sequence[str], directory: Path | None = None) -> str:
    """Standard output of `command`; any failure is `Unavailable` with its last words."""
    if shutil.which(command[0]) is None:
        raise Unavailable(f"{command[0]} is not installed")
    done = subprocess.run(
        command, cwd=directory, env={**os.environ, "LC_ALL": "C"}, capture_output=True, text=True
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Unavailable(f"{command[0]}: {last}")
    return done.stdout


def _untar(archive: Path, into: Path, members: Sequence[str], strip: int = 0) -> bool:
    """Extract `members` (patterns; all, if none are given); whether each was there."""
    command = _tar(archive, into, members, strip)
    return subprocess.run(command, stderr=subprocess.DEVNULL).returncode == 0


def _undeb(package: Path, into: Path, members: Sequence[str]) -> bool:
    """As `_untar`, from a binary package."""
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as deb:
        command = _tar("-", into, members)
        tar = subprocess.run(command, stdin=deb.stdout, stderr=subprocess.DEVNULL)
    return tar.returncode == 0 and deb.returncode == 0


def _tar(archive: Path | str, into: Path, members: Sequence[str], strip: int = 0) -> list[str]:
    """The tar command for both; `-` is its standard input."""
    options = ["--no-same-owner", "--no-same-permissions", f"--strip-components={strip}"]
    return ["tar", "-x", "-f", str(archive), "-C", str(into), *options, "--wildcards", *members]


def _digest(words: Sequence[str]) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:12] if words else "all"
