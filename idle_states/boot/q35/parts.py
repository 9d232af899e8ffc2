"""What a boot of q35 needs: QEMU, a kernel and busybox."""

import sys
from functools import partial
from pathlib import Path

from ...reading import opening
from ..debian import Packages, Unavailable
from ..guest_parts import GuestParts
from ..parts import listed, packages_in, qemu_program
from .machine import ARCHITECTURE, FULL_KERNEL, KERNEL, PACKAGE, PROGRAM


def parts(
    cache: Path | None = None, kernel: Path | None = None, suite: str | None = None
) -> GuestParts:
    """The distribution's parts, fetched if necessary.

    cache   where boots keep what they fetch (default: parts.boot_cache)
    kernel  another kernel; the configuration is then looked for beside it, as config-* of vmlinuz-*
    suite   the Debian release whose kernel it is to be; None: this machine's own
    Raises Unavailable.
    """
    packages = packages_in(cache)
    qemu = qemu_program(PROGRAM, PACKAGE)
    busybox = packages.binary_file("busybox-static", "*bin/busybox", ARCHITECTURE)
    if kernel is None:
        stock, stock_config = stock_kernel(packages, suite)
        return GuestParts(qemu, stock, busybox, stock_config)
    if not opening.is_file(kernel):
        raise Unavailable(f"expected a file, found no {kernel}")
    config = kernel.with_name(kernel.name.replace("vmlinuz", "config", 1))
    known = config != kernel and opening.is_file(config)
    return GuestParts(qemu, kernel.resolve(), busybox, config if known else None)


def stock_kernel(packages: Packages, suite: str | None = None) -> tuple[Path, Path]:
    """The kernel of a Debian release and its configuration: that for guests, else the one for all
    machines, which since 7.1 lie in packages of their own. suite: None for this machine's own."""
    package, *members = KERNEL
    try:
        tree = packages.binary_tree(package, members, ARCHITECTURE, suite)
    except Unavailable:
        kernel = packages.binary_file(FULL_KERNEL, "*/vmlinuz", ARCHITECTURE, suite)
        base = f"linux-base-{kernel.parent.name}"
        return kernel, packages.binary_file(base, "*/config", ARCHITECTURE, suite)
    kernel, config = (next(iter(sorted(tree.glob(member)))) for member in members)
    return kernel, config


def main() -> int:
    """What `listed` does, of the parts of q35."""

    def shown() -> str:
        found = parts()
        return f"{found.qemu}, {found.kernel}, {found.busybox}"

    return listed({"q35": partial(shown)})


if __name__ == "__main__":
    sys.exit(main())
