"""Files out of Debian packages for the oracles, kept below ``build/deps`` of the repository."""

from __future__ import annotations

from pathlib import Path

from idle_states.change.boot.debian import Packages, digest, own_suite, untar

from . import Unavailable
from .linux import VERSION2FILES

SOURCES = Path("/usr/src")
VERSION2SUITE = {"6.1": "bookworm", "6.12": "trixie"}
"""The suite whose kernel a release is; others do not have it."""

_packages = Packages(Path(__file__).resolve().parents[2] / "build" / "deps")
binary_tree = _packages.binary_tree
binary_file = _packages.binary_file


def source_tree(
    package: str = "qemu", member: str = "roms/skiboot", suite: str | None = None
) -> Path:
    """The directory `member` of a source package; `suite` if not this machine's own."""
    return _packages.source_tree(package, member, suite)


def elsewhere(suite: str | None) -> str | None:
    """A suite to name for a package of it; None where it is this machine's own."""
    return None if suite == own_suite() else suite


def linux_source(version: str = "6.1") -> Path:
    """A directory with what the oracles read of the distribution's kernel source, VERSION2FILES.

    The archive in ``/usr/src`` is used if linux-source-VERSION is installed.
    """
    members = VERSION2FILES[version]
    package = f"linux-source-{version}"
    archive = SOURCES / f"{package}.tar.xz"
    if not archive.is_file():
        suite = elsewhere(VERSION2SUITE.get(version))
        archive = binary_file(package, f"usr/src/{package}.tar.xz", suite=suite)
    status = archive.stat()
    key = digest([*sorted(members), str(status.st_size), str(status.st_mtime_ns)])

    def make(fresh: Path, scratch: Path) -> None:
        if not untar(archive, fresh, [f"{package}/{member}" for member in members], strip=1):
            raise Unavailable(f"{archive} lacks one of {', '.join(members)}")

    return _packages.made(f"{package}/{key}", make)
