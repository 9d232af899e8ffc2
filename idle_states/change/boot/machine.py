"""A machine of QEMU's, as every one of them is described."""

from ...base.dataclass import dataclass

GUEST = "panic=-1 cryptomgr.notests"
"""The command line of every guest's kernel. panic=-1: a guest that panics ends, and QEMU with it.
cryptomgr.notests: to try its ciphers takes a fifth of an emulated boot."""


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine, and what the distribution has for it.

    name          as users call it
    architecture  Debian's name of it
    program       of QEMU, and `package`, the Debian package that has it
    options       of QEMU's command line
    arguments     of the kernel's
    kernel        Debian package, and `members`, the kernel and, where it is wanted, its
                  configuration in it; `full_kernel`, where a suite has no other
    suite         Debian release of kernel and busybox; None: this machine's own
    cpus          number of CPUs unless told otherwise; `cpus_max`, the greatest
    """

    name: str
    architecture: str
    program: str
    package: str
    options: tuple[str, ...]
    arguments: str
    kernel: str
    members: tuple[str, ...]
    full_kernel: str | None
    suite: str | None
    cpus: int
    cpus_max: int
