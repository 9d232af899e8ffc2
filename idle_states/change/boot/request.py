"""The request for a boot."""

from pathlib import Path

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.options import Annotated, Option
from ...lab.record.script import GOVERNORS as RECORDED
from ...tables.linux.governors import governor_names
from ...tables.linux.request_parts import TABLE
from .machine import Machine
from .machines import MACHINES
from .powernv.machines import POWERNV
from .q35.machine import Q35
from .virt.machines import VIRT
from .workload import EVERYTHING, GuestWorkload

TIME_LIMIT_S = 240.0
"""A boot takes 8 to 20 s on an idle machine of two cores."""
_OF_SKIBOOT = ("lid", "tree", "patch", "levels")
_NO_STATES = {
    "q35": "QEMU's tables have no _CST",
    **dict.fromkeys(VIRT, "QEMU's tree lists no states"),
}


@dataclass(frozen=True, slots=True)
class BootRequest:
    """The options of a boot. Raises UsageError for unusable values, alone or with the machine.

    machine    a name in MACHINES
    table      TABLE that replaces the machine's table in firmware (None: firmware's own), or whose
               states the machine's CPUs are to have
    lid, tree  firmware of powernv; neither: QEMU's own image
    patch      a SERIES for the tree, as `change_of` takes it
    levels     ibm,enabled-stop-levels; None: QEMU's
    kernel     None: the distribution's
    suite      the Debian release whose kernel it is; None: as the machine has it
    cpu        None: the processors of q35.machine
    workload   what runs while decisions are recorded, where they can be, and between two looks at
               the counters; None: no decisions are recorded, and everything runs
    """

    machine: Annotated[
        str,
        Option(
            "--machine",
            "powernv8, powernv9, powernv10, virt-arm64, virt-riscv64 or q35",
            metavar="M",
            required=True,
            after="--patch",
        ),
    ]
    table: Annotated[str | None, TABLE] = None
    lid: Annotated[
        Path | None,
        Option(
            "--lid", "skiboot.lid to boot; only a copy is changed", metavar="FILE", only="firmware"
        ),
    ] = None
    tree: Annotated[
        Path | None,
        Option(
            "--tree",
            "skiboot's source, built in a copy: this runs the tree's make, as you",
            metavar="DIR",
            only="firmware",
        ),
    ] = None
    patch: Annotated[
        str | None,
        Option(
            "--patch",
            "boot --tree without and with this change: descriptions as for patch, or patches "
            "as mailed",
            metavar="SERIES",
        ),
    ] = None
    smp: Annotated[
        int | None, Option("--smp", "CPUs (default: 1; of virt, q35: 2)", metavar="N")
    ] = None
    workload: Annotated[
        GuestWorkload | None,
        Option(
            "--workload",
            "storm, ping-pong, periodic, idle or mixed: what the guest does while it is watched",
            metavar="W",
            reads="change.boot.workload.workload",
        ),
    ] = None
    governor: Annotated[str, Option("--governor", "default: the kernel's", metavar="G")] = ""
    levels: Annotated[
        int | None,
        Option(
            "--levels",
            "stop levels to enable in firmware's tree, such as 0xec000000",
            metavar="MASK",
            reads="base.model.table.mask_of",
        ),
    ] = None
    cpu: Annotated[
        str | None, Option("--cpu", "processor model of q35, as for QEMU's -cpu", metavar="MODEL")
    ] = None
    append: Annotated[
        str | None,
        Option(
            "--append",
            'for q35: more kernel command line, such as "processor.max_cstate=2"',
            metavar="WORDS",
        ),
    ] = None
    kernel: Annotated[
        Path | None, Option("--vmlinux", "another kernel to boot", metavar="FILE")
    ] = None
    suite: str | None = None
    time_limit_s: Annotated[
        float,
        Option(
            "--time-limit",
            "time limit for the guest (default: 240s)",
            metavar="TIME",
            reads="base.model.units.fractional_s",
        ),
    ] = TIME_LIMIT_S

    def __post_init__(self) -> None:
        self._check_processors()
        if self.machine not in MACHINES:
            raise UsageError(f"expected a machine of {', '.join(MACHINES)}, found {self.machine!r}")
        if self.machine not in POWERNV:
            self._check_table()
        self._check_guest()
        if self.machine in POWERNV:
            self._check_firmware()

    @property
    def of_machine(self) -> Machine:
        return MACHINES[self.machine]

    @property
    def cpus(self) -> int:
        """Number of CPUs."""
        return self.of_machine.cpus if self.smp is None else self.smp

    @property
    def arguments(self) -> tuple[str, ...]:
        """More words for the kernel's command line."""
        return tuple((self.append or "").split())

    @property
    def work(self) -> GuestWorkload:
        """Returns what the guest does between two looks at its counters."""
        return self.workload or EVERYTHING

    def _check_processors(self) -> None:
        for option in ("cpu", "append"):
            if getattr(self, option) is not None and self.machine != Q35.name:
                raise UsageError(
                    f"expected --{option} with {Q35.name}, found it with {self.machine}"
                )

    def _check_table(self) -> None:
        """Checks the TABLE of a machine without skiboot. Raises UsageError."""
        for option in _OF_SKIBOOT:
            if getattr(self, option) is not None:
                raise UsageError(
                    f"expected --{option} with a powernv machine, found it with {self.machine}: "
                    "it has no skiboot"
                )
        if self.table is None:
            raise UsageError(
                f"expected a TABLE with {self.machine}, found none: {_NO_STATES[self.machine]}"
            )

    def _check_guest(self) -> None:
        cpus_max = self.of_machine.cpus_max
        if not 1 <= self.cpus <= cpus_max:
            raise UsageError(
                f"expected 1 to {cpus_max} CPUs with {self.machine}, found {self.cpus}"
            )
        if not self.time_limit_s > 0:
            raise UsageError(f"expected a time limit above 0 s, found {self.time_limit_s:g}")
        known = RECORDED if self.machine in POWERNV else governor_names()
        if self.governor and self.governor not in known:
            raise UsageError(f"expected a governor of {', '.join(known)}, found {self.governor!r}")
        recorded = self.workload is not None and self.machine != Q35.name
        if recorded and self.governor and self.governor not in RECORDED:
            raise UsageError(
                f"expected a governor whose decisions can be recorded ({', '.join(RECORDED)}) with "
                f"--workload, found {self.governor!r}"
            )

    def _check_firmware(self) -> None:
        """Checks a machine with skiboot. Raises UsageError."""
        if self.patch is not None and self.tree is None:
            raise UsageError("expected --patch with --tree DIR, the source that it changes")
        if self.patch is not None and self.table is not None:
            raise UsageError(
                "expected a TABLE or --patch, found both: --patch compares the tree's own table "
                "before and after"
            )
        if self.workload is not None and self.cpus < self.workload.cpus_min:
            raise UsageError(
                f"expected --smp {self.workload.cpus_min} or more with {self.workload.name}, found "
                f"{self.cpus}: {self.workload.why}"
            )
        if self.levels is not None and self.machine == "powernv8":
            raise UsageError(
                "expected --levels with powernv9 or powernv10: powernv8 has no stop levels"
            )
