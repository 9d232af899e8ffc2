"""Finds what a boot needs: QEMU, a kernel and busybox for the guest, skiboot.lid for powernv.

All but QEMU is fetched from the distribution's archive and unpacked below a cache, not installed.
"""

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ...base.dataclass import dataclass
from ...base.reading import launching, opening
from ...base.reading.cache import own_cache
from .debian import Packages, Unavailable
from .kernel_config import options_in
from .machine import Machine
from .machines import MACHINES
from .powernv.machines import POWERNV

_LID = "usr/share/qemu/skiboot.lid"


@dataclass(frozen=True, slots=True)
class Parts:
    """The files of a boot.

    qemu             the program
    kernel, busybox  the guest's
    config           the kernel's configuration; None: it is not known
    lid              firmware of powernv; None with other machines
    """

    qemu: Path
    kernel: Path
    busybox: Path
    config: Path | None = None
    lid: Path | None = None

    def options(self) -> dict[str, str] | None:
        """Returns the options that the kernel is configured with, without CONFIG_; None where they
        are not known."""
        if self.config is None:
            return None
        return options_in(opening.read(self.config).decode("utf-8", "replace"))


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
    machine: Machine,
    cache: Path | None = None,
    *,
    lid: Path | None = None,
    kernel: Path | None = None,
    suite: str | None = None,
) -> Parts:
    """Returns the distribution's parts, fetched if necessary; `lid` and `kernel` replace two of
    them. The configuration of such a kernel is looked for beside it, as config-* of vmlinuz-*.

    cache  where boots keep what they fetch (default: boot_cache)
    suite  Debian release of the kernel; None: the machine's
    Raises Unavailable.
    """
    packages = packages_in(cache)
    qemu = qemu_program(machine)
    firmware = None
    if machine.name in POWERNV:
        firmware = _given(lid) if lid else stock_lid(packages)
    config: Path | None = None
    if kernel is None:
        image, config = stock_kernel(machine, packages, suite or machine.suite)
    else:
        image = _given(kernel)
        beside = kernel.with_name(kernel.name.replace("vmlinuz", "config", 1))
        if beside != kernel and opening.is_file(beside):
            config = beside.resolve()
    busybox = packages.binary_file(
        # from Debian 13 on in usr/bin
        "busybox-static",
        "*bin/busybox",
        machine.architecture,
        machine.suite,
    )
    return Parts(qemu, image, busybox, config, firmware)


def packages_in(cache: Path | None = None) -> Packages:
    """Returns the distribution's packages, kept in a cache of boots (default: boot_cache)."""
    return Packages(((cache or boot_cache()) / "parts").resolve())


def qemu_program(machine: Machine) -> Path:
    """Returns the installed program. Raises Unavailable."""
    found = launching.find(machine.program)
    if found is None:
        raise Unavailable(f"{machine.program} is not installed (Debian package {machine.package})")
    return Path(found)


def stock_lid(packages: Packages) -> Path:
    """Returns QEMU's skiboot.lid: the installed one, else from the archive."""
    installed = Path("/") / _LID
    return (
        installed if opening.is_file(installed) else packages.binary_file("qemu-system-data", _LID)
    )


def stock_kernel(
    machine: Machine, packages: Packages, suite: str | None
) -> tuple[Path, Path | None]:
    """Returns the kernel of a Debian release and its configuration, None where the machine asks for
    none.

    The kernel is that for guests, else the one for all machines: these lie in packages of their own
    since 7.1.
    """
    architecture = machine.architecture
    try:
        tree = packages.binary_tree(machine.kernel, machine.members, architecture, suite)
    except Unavailable:
        if machine.full_kernel is None:
            raise
        full = packages.binary_file(machine.full_kernel, "*/vmlinuz", architecture, suite)
        base = f"linux-base-{full.parent.name}"
        return full, packages.binary_file(base, "*/config", architecture, suite)
    kernel, *config = (next(iter(sorted(tree.glob(member)))) for member in machine.members)
    return kernel, config[0] if config else None


def _given(path: Path) -> Path:
    if not opening.is_file(path):
        raise Unavailable(f"expected a file, found no {path}")
    return path.resolve()


def main() -> int:
    """Fetches the parts of all machines and prints where they are, or why they cannot be had.
    Returns 3 if one is missing, else 0."""
    packages = packages_in()

    def part(machine: Machine) -> str:
        found = parts(machine)
        files = found.qemu, found.lid, found.kernel, found.busybox
        return ", ".join(str(file) for file in files if file is not None)

    name2part: dict[str, Callable[[], object]] = {
        **{machine.name: partial(part, machine) for machine in MACHINES.values()},
        "skiboot source": partial(packages.source_tree, "qemu", "roms/skiboot"),
    }
    status = 0
    for name, found in name2part.items():
        try:
            print(f"{name}: {found()}")
        except Unavailable as reason:
            print(f"{name}: missing: {reason}", file=sys.stderr)
            status = 3
    return status


if __name__ == "__main__":
    sys.exit(main())
