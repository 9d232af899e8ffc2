"""What is simulated, but for the tables, as it is asked for: workload, machine, parameters."""

import hashlib
import re
from dataclasses import dataclass, field
from pathlib import Path

from ..findings import UsageError
from ..reading import opening
from ..reading.inputs import Input
from ..replay.machine import CpuTable
from ..units import UNITS_NS
from . import placement, topology_file, workloads, workloads_file, workloads_trace
from . import topology as topologies
from .placement import Policy
from .programs import Workload
from .setup import Costs, check_costs
from .topology import Topology

_TIME = re.compile(r"(\d{1,13})(ns|us|ms|s)", re.ASCII)
_CPUS = 8
_SECOND_NS = 1_000_000_000
_DURATION_MAX_NS = 1_000_000 * _SECOND_NS
_SEEDS_MAX, _RUNS_MAX = (1 << 64) - 1, 10_000


@dataclass(frozen=True, slots=True)
class WorkloadRequest:
    """What to simulate. Raises UsageError for what cannot be meant.

    workload   one of workloads.BUILT_IN with its parameters, a YAML file or a trace of cpu_idle
    topology   as topology.parse() takes it, or a file; None: 8 CPUs, or those to which all tasks
               are bound
    placement  as placement.parse() takes it
    duration   such as 20ms; None: as long as a trace, else 1 s
    seed, runs seeds from `seed` on, one for each run
    costs      parameters that no table or kernel says
    exits      each STATE=TIME: the exit latency that the hardware really has
    """

    workload: str
    topology: str | None = None
    placement: str = ""
    duration: str | None = None
    seed: int = 1
    runs: int = 1
    costs: Costs = field(default_factory=Costs)
    exits: tuple[str, ...] = ()

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

    def exits_ns(self, table: CpuTable) -> dict[str, int]:
        """State -> the exit latency that the hardware really has. Raises UsageError."""
        found = {}
        for text in self.exits:
            name, equals, time = text.partition("=")
            if not equals or name not in table.names:
                known = ", ".join(table.names)
                message = f"expected STATE=TIME with a state ({known}), found {text!r}"
                raise UsageError(f"--exit: {message}")
            found[name] = time_ns("--exit", time)
        return found


@dataclass(frozen=True, slots=True)
class Given:
    """What is simulated. files: with their SHA-256."""

    workload: Workload
    topology: Topology
    policy: Policy
    duration_ns: int
    files: tuple[tuple[str, str], ...]


def given(request: WorkloadRequest) -> Given:
    """Reads what a request names. Raises UsageError, and Unreadable for a file's fault."""
    workload, duration_ns, files = _workload(request.workload)
    if request.duration is not None:
        duration_ns = time_ns("--duration", request.duration)
    if not 1 <= duration_ns <= _DURATION_MAX_NS:
        raise UsageError(f"expected --duration from 1ns to 1000000s, found {request.duration}")
    topology, machine_files = _topology(request.topology, workload)
    try:
        policy = placement.parse(request.placement)
    except placement.BadPlacement as error:
        raise UsageError(f"--placement: {error}") from None
    misfit = workloads_file.misfit(workload, topology.cpus, files[0][0] if files else None)
    if misfit is not None:
        if files:
            raise misfit
        raise UsageError(misfit.findings[0].message)
    return Given(workload, topology, policy, duration_ns, (*files, *machine_files))


def time_ns(option: str, text: str) -> int:
    """Of 200ns or 10us. option: for the error. Raises UsageError."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{option}: expected a time with its unit, such as 200ns or 10us, found {text!r}"
        )
    return int(match[1]) * UNITS_NS[match[2]]


def _workload(text: str) -> tuple[Workload, int, list[tuple[str, str]]]:
    """The workload, for how long to simulate it unless that is said, and its file."""
    found = workloads.built_in(text)
    if found is not None:
        return found, _SECOND_NS, []
    path = Path(text)
    if path.suffix.lower() in (".yaml", ".yml"):
        data = opening.read(path)
        digest = hashlib.sha256(data).hexdigest()
        return workloads_file.read(data, text), _SECOND_NS, [(text, digest)]
    if opening.kind_of(path) not in (opening.FILE, "a pipe"):
        known = ", ".join(workloads.BUILT_IN)
        raise UsageError(f"expected a workload ({known}), YAML or a trace, found {text!r}")
    source = Input(text)
    traced, duration_ns = workloads_trace.read(source)
    return traced, duration_ns, [(text, source.sha256())]


def _topology(text: str | None, workload: Workload) -> tuple[Topology, list[tuple[str, str]]]:
    """The machine, and its file."""
    if text is None:
        bound = [task.cpu for task in workload.tasks if task.cpu is not None]
        # others would idle, and most of what is counted would be theirs
        least = 1 if len(bound) == len(workload.tasks) else _CPUS
        return topologies.parse(f"cpus={max([least, *(cpu + 1 for cpu in bound)])}"), []
    path = Path(text)
    if text not in topologies.PRESETS and opening.is_file(path):
        digest = hashlib.sha256(opening.read(path)).hexdigest()
        return topology_file.read(path), [(text, digest)]
    try:
        return topologies.parse(text), []
    except topologies.BadTopology as error:
        raise UsageError(f"--topology: {error}") from None
