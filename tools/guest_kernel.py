"""Builds a small Linux for the guests of QEMU's virt machines from Debian's source package, with
what Debian's own kernels for them leave out: the governor teo.

    python -m tools.guest_kernel [MACHINE:SUITE ...]       default: KERNELS
    python -m tools.guest_kernel virt-arm64:trixie-backports

MACHINE is a name of boot/virt/machines.py, SUITE the Debian suite that has the source package. For
each it prints the image, which `idle-states boot --vmlinux` takes. Images stay in the cache of
boots, and are built again only where something below changes. Nothing is installed: 3 if a program
or a package is missing, 1 if a build fails.

That of virt-riscv64 builds (Linux 7.3), but QEMU 7.2 was not seen to get beyond OpenSBI with it: it
is not among KERNELS.
"""

import gzip
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from pathlib import Path

from idle_states.base.reading import launching
from idle_states.change.boot.debian import Packages, Unavailable, untar
from idle_states.change.boot.parts import packages_in
from idle_states.change.boot.virt.machines import VIRT, VirtMachine
from tools.command_line import parsed

_SOURCE = "linux-source"
_MEMBERS = ("usr/src/linux-source-*.tar.xz", "usr/share/doc/linux-source-*/changelog.Debian.gz")
_CHANGE = re.compile(rb"^linux \(([^)]+)\)", re.MULTILINE)
_DATED = re.compile(rb"^ -- .*>  (.*)$", re.MULTILINE)
_PROGRAMS = {"make": "make", "gcc": "gcc", "flex": "flex", "bison": "bison", "bc": "bc"}
_LAST_LINES = 15

_GUEST = (
    # without EXPERT, some options cannot be left out
    *("EXPERT", "BUG", "SMP", "HIGH_RES_TIMERS", "NO_HZ_IDLE", "HZ_250"),
    *("FUTEX", "POSIX_TIMERS", "MULTIUSER"),
    *("PRINTK", "TTY", "BINFMT_ELF", "BINFMT_SCRIPT", "BLK_DEV_INITRD", "RD_GZIP"),
    *("PROC_FS", "SYSFS", "DEBUG_FS", "IKCONFIG", "IKCONFIG_PROC"),
)
"""The programs that the guest's script runs on."""
IDLE = (
    *("PM", "CPU_IDLE", "CPU_IDLE_GOV_LADDER", "CPU_IDLE_GOV_MENU", "CPU_IDLE_GOV_TEO"),
    # what records decisions; before 6.10, kprobes were for kernels with modules alone
    *("KALLSYMS", "MODULES", "KPROBES", "PERF_EVENTS", "FTRACE", "ENABLE_DEFAULT_TRACERS"),
    "KPROBE_EVENTS",
)


@dataclass(frozen=True, slots=True)
class Architecture:
    """The configuration and the targets by which a machine's kernel is built.

    name     Linux's name of the architecture
    triplet  of the cross compiler
    options  beside those of every guest; of names with "|" between them, releases have one
    image    path of the image in the build
    """

    name: str
    triplet: str
    options: tuple[str, ...]
    image: str


ARCHITECTURES = {
    "virt-arm64": Architecture(
        "arm64",
        "aarch64-linux-gnu",
        # the platform brings power domains in: PM_GENERIC_DOMAINS can only be selected
        (
            *("ARCH_VEXPRESS", "SERIAL_AMBA_PL011", "SERIAL_AMBA_PL011_CONSOLE"),
            *("ARM_PSCI_CPUIDLE", "ARM_PSCI_CPUIDLE_DOMAIN"),
        ),
        "arch/arm64/boot/Image.gz",
    ),
    "virt-riscv64": Architecture(
        "riscv",
        "riscv64-linux-gnu",
        (
            *("ARCH_RV64I", "RISCV_ISA_C", "FPU", "RISCV_SBI", "ARCH_VIRT|SOC_VIRT"),
            *("SERIAL_8250", "SERIAL_8250_CONSOLE", "SERIAL_OF_PLATFORM", "RISCV_SBI_CPUIDLE"),
        ),
        "arch/riscv/boot/Image",
    ),
}
KERNELS = (("virt-arm64", "trixie-backports"),)
"""(machine, Debian suite of the source) of the kernels that nightly_virt boots."""


class BuildFailed(Exception):
    """The kernel cannot be configured or built; the message says why."""


def guest_kernel(machine: VirtMachine, suite: str, packages: Packages) -> Path:
    """The image of a kernel; beside it lies its configuration.

    suite     Debian suite whose linux-source package is built
    packages  where the source and the image are kept
    Raises Unavailable for a program or package that cannot be had; BuildFailed.
    """
    how = ARCHITECTURES[machine.name]
    key = hashlib.sha256("\0".join((*_GUEST, *IDLE, *how.options)).encode()).hexdigest()[:12]

    def make(fresh: Path, scratch: Path) -> None:
        for program, package in {**_PROGRAMS, f"{how.triplet}-gcc": f"gcc-{how.triplet}"}.items():
            if launching.find(program) is None:
                raise Unavailable(f"{program} is not installed (Debian package {package})")
        source = packages.binary_tree(_SOURCE, _MEMBERS, suite=suite)
        (archive,), (changes,) = (sorted(source.glob(member)) for member in _MEMBERS)
        tree, build = scratch / "tree", scratch / "build"
        tree.mkdir()
        build.mkdir()
        untar(archive, tree, (), strip=1)
        _configure(how, tree, build)
        _make(
            how,
            tree,
            build,
            [f"-j{os.cpu_count() or 1}", Path(how.image).name],
            version_of(changes),
        )
        (build / how.image).rename(fresh / Path(how.image).name)
        (build / ".config").rename(fresh / "config")

    kept = packages.made(f"guest-kernel_{machine.architecture}/{suite}-{key}", make)
    return kept / Path(how.image).name


def _configure(how: Architecture, tree: Path, build: Path) -> None:
    """Writes the configuration: what is asked for and nothing else. Raises BuildFailed."""
    wanted = [names.split("|") for names in (*_GUEST, *IDLE, *how.options)]
    wanted_file = build / "asked"
    wanted_file.write_text("".join(f"CONFIG_{name}=y\n" for names in wanted for name in names))
    _make(how, tree, build, [f"KCONFIG_ALLCONFIG={wanted_file}", "allnoconfig"])
    held = set((build / ".config").read_text().splitlines())
    lost = [names for names in wanted if not any(f"CONFIG_{name}=y" in held for name in names)]
    if lost:
        missing = ", ".join("|".join(names) for names in lost)
        raise BuildFailed(f"the source has no {missing}, or nothing that they depend on")


def version_of(changes: Path) -> Mapping[str, str]:
    """Variables that let `uname -v` name Debian's version of the source, as Debian's kernels do."""
    log = gzip.decompress(changes.read_bytes())
    version, date = _CHANGE.search(log), _DATED.search(log)
    if version is None or date is None:
        raise BuildFailed(f"{changes.name} names no version")
    day = parsedate_to_datetime(date[1].decode()).date()
    return {
        "KBUILD_BUILD_VERSION_TIMESTAMP": f"Debian {version[1].decode()} ({day})",
        "KBUILD_BUILD_TIMESTAMP": str(day),
        "KBUILD_BUILD_VERSION": "1",
        "KBUILD_BUILD_USER": "idle-states",
        "KBUILD_BUILD_HOST": "guest",
    }


def _make(
    how: Architecture,
    tree: Path,
    build: Path,
    words: Sequence[str],
    variables: Mapping[str, str] | None = None,
) -> None:
    command = ["nice", "-n", "19", "make", "-s", f"O={build}", f"ARCH={how.name}"]
    command += [f"CROSS_COMPILE={how.triplet}-", *words]
    environment = {**os.environ, **(variables or {})}
    done = subprocess.run(
        command, cwd=tree, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )
    if done.returncode:
        last = "\n".join(done.stderr.splitlines()[-_LAST_LINES:])
        raise BuildFailed(f"make {words[-1]} ended with status {done.returncode}:\n{last}")


def main(words: Sequence[str]) -> int:
    wanted = parsed(__doc__, "[KERNEL...]", words=words).kernel
    status = 0
    packages = packages_in()
    for word in wanted or [":".join(each) for each in KERNELS]:
        name, _, suite = word.partition(":")
        if name not in VIRT or not suite:
            machines = " or ".join(VIRT)
            print(f"guest_kernel: expected {machines}, and :SUITE, found {word}", file=sys.stderr)
            return 2
        try:
            print(f"{word}: {guest_kernel(VIRT[name], suite, packages)}", flush=True)
        except Unavailable as reason:
            print(f"{word}: missing: {reason}", file=sys.stderr)
            status = 3
        except BuildFailed as failure:
            print(f"{word}: {failure}", file=sys.stderr)
            status = max(status, 1)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
