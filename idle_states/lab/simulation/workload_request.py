"""The request for what is simulated, but for the table: workload, machine, time, parameters."""

from typing import TYPE_CHECKING

from ...base.dataclass import dataclass, field
from ...base.model.findings import UsageError
from ...base.model.units import nanoseconds
from ...base.options import Annotated, Argument, Option
from .costs import HEADING, Costs, check_costs

if TYPE_CHECKING:
    from ..replay.machine import CpuTable

_SEEDS_MAX, _RUNS_MAX = (1 << 64) - 1, 10_000
PLACEMENT = (
    "recent_used_cpu=on|off,cpu_smt_mask=cpu_smallcore_map|cpu_sibling_map,"
    "sched_cluster=0|1 or cluster=off|spread|pack (default: the first of each; recent and "
    "smt=small|big are short for the first two)"
)


@dataclass(frozen=True, slots=True)
class WorkloadRequest:
    """The workload to simulate. Raises UsageError for contradictory or unusable options.

    workload   one of workloads.BUILT_IN with its parameters, a YAML file, a trace of cpu_idle or
               a recording
    topology   as topology.parse() takes it, or a file; None: as many CPUs as the workload binds
               tasks to if all its tasks are bound, otherwise as many as the trees of tables with
               power domains have, otherwise at least 8
    placement  as placement.parse() takes it
    """

    workload: Annotated[
        str, Argument("WORKLOAD", "name or file", fills="lab.simulation.experiments.filled")
    ]
    topology: Annotated[
        str | None,
        Option(
            "--topology",
            "preset (clusters-24, power8, power9, power9-fused, power10, lpar-smt8, smt4, smt8, "
            "smt8-fused), cpus=16,threads=4 with ,fused=yes ,pair=2 ,quad=2 ,cluster=8 or ,llc=16, "
            "a device tree or YAML (default: cpus=8, or the CPUs to which all tasks are bound)",
            metavar="T",
        ),
    ] = None
    placement: Annotated[str, Option("--placement", PLACEMENT, metavar="P")] = ""
    duration: Annotated[
        str | None, Option("--duration", "to simulate (default: 1s; a trace's)", metavar="TIME")
    ] = None
    seed: Annotated[int, Option("--seed", "default: 1", metavar="N")] = 1
    runs: Annotated[
        int, Option("--runs", "number of seeds, from --seed on (default: 1)", metavar="N")
    ] = 1
    exits: Annotated[
        tuple[str, ...],
        Option(
            "--exit",
            "the hardware's real exit latency (default: the table's)",
            metavar="STATE=TIME",
            heading=HEADING,
        ),
    ] = ()
    costs: Costs = field(default_factory=Costs)

    def __post_init__(self) -> None:
        if not 1 <= self.runs <= _RUNS_MAX:
            raise UsageError(f"expected --runs from 1 to {_RUNS_MAX}, found {self.runs}")
        most = _SEEDS_MAX + 1 - self.runs
        if not 0 <= self.seed <= most:
            raise UsageError(f"expected --seed from 0 to {most}, found {self.seed}")
        check_costs(self.costs)

    @property
    def seeds(self) -> range:
        return range(self.seed, self.seed + self.runs)

    def exits_ns(self, table: "CpuTable") -> dict[str, int]:
        """Returns state name -> real exit latency in ns. Raises UsageError."""
        found = {}
        for text in self.exits:
            name, equals, time = text.partition("=")
            if not equals or name not in table.names:
                known = ", ".join(table.names)
                message = f"expected STATE=TIME with a state ({known}), found {text!r}"
                raise UsageError(f"--exit: {message}")
            found[name] = time_ns("--exit", time)
        return found


def time_ns(option: str, text: str) -> int:
    """Returns the ns of a time such as 200ns or 10us. option: named in the UsageError raised."""
    try:
        return nanoseconds(text)
    except ValueError as error:
        raise UsageError(f"{option}: {error}") from None
