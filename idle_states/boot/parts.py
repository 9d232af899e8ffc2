"""What a boot needs: QEMU, a skiboot.lid, a kernel and busybox for the guest.

All but QEMU is fetched from the distribution's archive and unpacked below a cache, not installed.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from ..dataclass import dataclass
from ..reading import launching, opening
from ..reading.cache import own_cache
from .debian import Packages, Unavailable

QEMU = "qemu-system-ppc64"
QEMU_PACKAGE = "qemu-system-ppc"
ARCHITECTURE = "ppc64el"
_LID = "usr/share/qemu/skiboot.lid"


@dataclass(frozen=True, slots=True)
class Parts:
    """qemu: the program; the others are files: firmware image, guest kernel, guest busybox."""

    qemu: Path
    lid: Path
    kernel: Path
    busybox: Path


def boot_cache() -> Path:
    """Directory in which boots keep what they fetch ("parts"), what they build ("skiboot") and,
    unless told otherwise, their logs ("logs"). Raises Unavailable without a home directory."""
    try:
        return own_cache() / "boot"
    except OSError as error:
        why = error.strerror and f"{error.filename}: {error.strerror}"
        message = f"expected a cache (XDG_CACHE_HOME, or below the home directory): {why or error}"
        raise Unavailable(message) from None


def parts(
    cache: Path | None = None, *, lid: Path | None = None, kernel: Path | None = None
) -> Parts:
    """The distribution's parts, fetched if necessary; `lid` and `kernel` replace two of them.

    cache  where boots keep what they fetch (default: boot_cache)
    Raises Unavailable.
    """
    packages = packages_in(cache)
    return Parts(
        qemu_program(),
        _given(lid) if lid else stock_lid(packages),
        _given(kernel) if kernel else stock_kernel(packages),
        stock_busybox(packages),
    )


def packages_in(cache: Path | None = None) -> Packages:
    """The distribution's packages, kept in a cache of boots (default: boot_cache)."""
    return Packages(((cache or boot_cache()) / "parts").resolve())


def qemu_program(program: str = QEMU, package: str = QEMU_PACKAGE) -> Path:
    """The installed program; package: the Debian package that has it. Raises Unavailable."""
    found = launching.find(program)
    if found is None:
        raise Unavailable(f"{program} is not installed (Debian package {package})")
    return Path(found)


def stock_lid(packages: Packages) -> Path:
    """QEMU's skiboot.lid: the installed one, else from the archive."""
    installed = Path("/") / _LID
    return (
        installed if opening.is_file(installed) else packages.binary_file("qemu-system-data", _LID)
    )


def stock_kernel(packages: Packages) -> Path:
    return packages.binary_file("linux-image-powerpc64le", "boot/vmlinux-*", ARCHITECTURE)


def stock_busybox(packages: Packages) -> Path:
    # from Debian 13 on in usr/bin
    return packages.binary_file("busybox-static", "*bin/busybox", ARCHITECTURE)


def skiboot_source(packages: Packages) -> Path:
    """The skiboot tree that is part of QEMU's source package."""
    return packages.source_tree("qemu", "roms/skiboot")


def _given(path: Path) -> Path:
    if not opening.is_file(path):
        raise Unavailable(f"expected a file, found no {path}")
    return path.resolve()


def listed(name2part: Mapping[str, Callable[[], object]]) -> int:
    """Fetches every part and prints where it is, or why it cannot be had. Returns 3 if one is
    missing, else 0."""
    status = 0
    for name, part in name2part.items():
        try:
            print(f"{name}: {part()}")
        except Unavailable as reason:
            print(f"{name}: missing: {reason}", file=sys.stderr)
            status = 3
    return status


def main() -> int:
    """What `listed` does, of the parts of a powernv machine."""
    packages = packages_in()
    name2part: dict[str, Callable[[Packages], Path]] = {
        "skiboot.lid": stock_lid,
        "kernel": stock_kernel,
        "busybox": stock_busybox,
        "skiboot source": skiboot_source,
    }
    fetched = {name: partial(part, packages) for name, part in name2part.items()}
    return listed({"qemu": qemu_program, **fetched})


if __name__ == "__main__":
    sys.exit(main())
