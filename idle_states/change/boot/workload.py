"""The workloads of a guest while its governor's decisions are recorded: shell loops for busybox."""

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError

KINDS = {
    # short sleeps of different lengths: the shell's own, and those of a program it starts
    "storm": (
        "[ -p /never ] || mkfifo /never; exec 3<> /never; "
        "while :; do read -r -t 0.001 line <&3; usleep 150; read -r -t 0.003 line <&3; "
        "read -r -t 0.001 line <&3; usleep 700; done"
    ),
    # two tasks hand a line to and fro over pipes, on two CPUs if there are
    "ping_pong": (
        "[ -p /ping ] || mkfifo /ping /pong; "
        "taskset 1 sh -c 'while read -r line; do echo x; done < /ping > /pong' & "
        "exec taskset {pong_cpus} sh -c "
        "'echo x; while read -r line; do echo x; done' > /ping < /pong"
    ),
    # wake-ups at an even period
    "periodic": "while :; do usleep 8000; done",
    # nothing but what the kernel does by itself
    "idle": "exec sleep 1000",
}
"""Name -> body of a shell function that runs until it is killed."""

MIXED = "mixed"
WORKLOADS = (*(name.replace("_", "-") for name in KINDS), MIXED)
STEPS = 15
"""Number of steps that each kind runs; a step takes a tenth of a second or more."""


@dataclass(frozen=True, slots=True)
class GuestWorkload:
    """A guest's workload: the functions `kinds` of KINDS one after the other, for `steps` each."""

    name: str
    kinds: tuple[str, ...]
    steps: int = STEPS

    @property
    def cpus_min(self) -> int:
        """Fewest CPUs on which a governor decides anything while it runs."""
        return 2 if self.kinds == ("ping_pong",) else 1

    @property
    def why(self) -> str:
        """The reason why fewer CPUs do not suffice; "" where 1 does."""
        if self.cpus_min == 1:
            return ""
        return "on one CPU one of its two tasks can always run, so that it never idles"

    def loads(self, smp: int) -> list[tuple[str, str]]:
        """(name, body) of the functions. smp: number of CPUs of the guest."""
        cpus = "2" if smp > 1 else "1"
        return [(kind, KINDS[kind].replace("{pong_cpus}", cpus)) for kind in self.kinds]


def workload(name: str) -> GuestWorkload:
    """The workload of a name in WORKLOADS. Raises UsageError for any other name."""
    if name not in WORKLOADS:
        raise UsageError(f"expected a workload of {', '.join(WORKLOADS)}, found {name!r}")
    kinds = tuple(KINDS) if name == MIXED else (name.replace("-", "_"),)
    return GuestWorkload(name, kinds)


EVERYTHING = workload(MIXED)
"""The workload of a guest that starts without OPAL unless told otherwise."""
