"""What a boot of a virt machine needs: QEMU, a kernel and busybox of the machine's architecture."""

import sys
from functools import partial
from pathlib import Path

from ...reading import opening
from ..debian import Packages, Unavailable
from ..guest_parts import GuestParts
from ..parts import listed, packages_in, qemu_program
from .machines import VIRT, VirtMachine

_CONFIG = "boot/config-*"


def parts(
    machine: VirtMachine, cache: Path | None = None, kernel: Path | None = None
) -> GuestParts:
    """The distribution's parts, fetched if necessary; `kernel` replaces its.

    cache  where boots keep what they fetch (default: parts.boot_cache)
    Raises Unavailable.
    """
    packages = packages_in(cache)
    qemu = qemu_program(machine.program, machine.package)
    busybox = stock_busybox(machine, packages)
    if kernel is None:
        stock, config = stock_kernel(machine, packages)
        return GuestParts(qemu, stock, busybox, config)
    if not opening.is_file(kernel):
        raise Unavailable(f"expected a file, found no {kernel}")
    return GuestParts(qemu, kernel.resolve(), busybox)


def stock_kernel(machine: VirtMachine, packages: Packages) -> tuple[Path, Path]:
    """The distribution's kernel and its configuration."""
    wanted = [machine.image, _CONFIG]
    tree = packages.binary_tree(machine.kernel, wanted, machine.architecture, machine.suite)
    found = [next(iter(sorted(tree.glob(name)))) for name in wanted]
    return found[0], found[1]


def stock_busybox(machine: VirtMachine, packages: Packages) -> Path:
    return packages.binary_file(
        "busybox-static", "*bin/busybox", machine.architecture, machine.suite
    )


def main() -> int:
    """What `listed` does, of the parts of all machines."""

    def part(machine: VirtMachine) -> str:
        found = parts(machine)
        return f"{found.qemu}, {found.kernel}, {found.busybox}"

    return listed({machine.name: partial(part, machine) for machine in VIRT.values()})


if __name__ == "__main__":
    sys.exit(main())
