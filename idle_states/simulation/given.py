"""A simulation's workload, machine and parameters as requested, and as read from their files."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from ..dataclass import dataclass, field
from ..findings import UsageError
from ..reading import opening
from ..reading.budget import within_budget
from ..reading.inputs import Input
from ..record.unconverted import as_recording
from ..replay.machine import CpuTable
from ..units import UNITS_NS
from ..wording import suggestion
from . import placement, topology_file, workloads, workloads_file, workloads_trace
from . import topology as topologies
from .placement import Policy
from .programs import Workload
from .setup import Costs, check_costs
from .topology import Topology

_TIME = re.compile(r"(\d{1,13})(ns|us|ms|s)", re.ASCII)
CPUS = 8
_SECOND_NS = 1_000_000_000
_DURATION_MAX_NS = 1_000_000 * _SECOND_NS
_SEEDS_MAX, _RUNS_MAX = (1 << 64) - 1, 10_000


@dataclass(frozen=True, slots=True)
class WorkloadRequest:
    """What to simulate. Raises UsageError for contradictory or unusable options.

    workload   one of workloads.BUILT_IN with its parameters, a YAML file, a trace of cpu_idle or
               a recording
    topology   text for topology.parse(), or a file; None: as many CPUs as the workload binds tasks
               to if all its tasks are bound, otherwise as many as the trees of tables with power
               domains have, otherwise at least 8
    placement  text for placement.parse()
    duration   simulated time, such as 20ms; None: the length of a trace, otherwise 1 s
    seed       seed of the first run; each later run adds 1
    runs       number of runs
    costs      parameters that neither the table nor the kernel determines
    exits      STATE=TIME: the real exit latency of a state, instead of the advertised one
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


@dataclass(frozen=True, slots=True)
class Given:
    """The parts of a simulation. files: (name, SHA-256) of every file read."""

    workload: Workload
    topology: Topology
    policy: Policy
    duration_ns: int
    files: tuple[tuple[str, str], ...]


def given(
    request: WorkloadRequest,
    say: Callable[[str], None] = lambda message: None,
    cpus: int = CPUS,
) -> Given:
    """Reads the files that a request names. say: called with messages for the user; cpus: how many
    there are at least where neither the request nor the workload says. Raises UsageError, and
    Unreadable for a bad file."""
    workload, duration_ns, files = _workload(request.workload, say)
    if request.duration is not None:
        duration_ns = time_ns("--duration", request.duration)
    if not 1 <= duration_ns <= _DURATION_MAX_NS:
        raise UsageError(f"expected --duration from 1ns to 1000000s, found {request.duration}")
    topology, machine_files = _topology(request.topology, workload, cpus)
    policy = policy_of(request.placement)
    misfit = workloads_file.misfit(workload, topology.cpus, files[0][0] if files else None)
    if misfit is not None:
        if files:
            raise misfit
        raise UsageError(misfit.findings[0].message)
    return Given(workload, topology, policy, duration_ns, (*files, *machine_files))


def policy_of(text: str) -> Policy:
    """As placement.parse(). Raises UsageError, which names the option."""
    try:
        return placement.parse(text)
    except placement.BadPlacement as error:
        raise UsageError(f"--placement: {error}") from None


def time_ns(option: str, text: str) -> int:
    """Returns the ns of a time such as 200ns or 10us. option: named in the UsageError raised."""
    match = _TIME.fullmatch(text)
    if match is None:
        raise UsageError(
            f"{option}: expected a time with its unit, such as 200ns or 10us, found {text!r}"
        )
    return int(match[1]) * UNITS_NS[match[2]]


def _workload(text: str, say: Callable[[str], None]) -> tuple[Workload, int, list[tuple[str, str]]]:
    """Returns the workload, the default duration in ns, and (name, SHA-256) of its file."""
    found = workloads.built_in(text)
    if found is not None:
        return found, _SECOND_NS, []
    path = Path(text)
    if path.suffix.lower() in (".yaml", ".yml"):
        with within_budget(text):
            data = opening.read(path)
            digest = hashlib.sha256(data).hexdigest()
            return workloads_file.read(data, text), _SECOND_NS, [(text, digest)]
    if opening.kind_of(path) not in (opening.FILE, "a pipe"):
        opening.expect_allowed(path)
        known = ", ".join(workloads.BUILT_IN)
        raise UsageError(
            f"expected a workload ({known}), YAML, a trace or a recording, found {text!r}"
            f"{suggestion(text.partition(':')[0], workloads.BUILT_IN)}"
        )
    source = as_recording(Input(text), say)
    traced, duration_ns = workloads_trace.read(source)
    return traced, duration_ns, [(text, source.sha256())]


def _topology(
    text: str | None, workload: Workload, cpus: int
) -> tuple[Topology, list[tuple[str, str]]]:
    """Returns the machine, and (name, SHA-256) of its file."""
    if text is None:
        bound = [task.cpu for task in workload.tasks if task.cpu is not None]
        # further CPUs would only idle, and their idle time would dominate the totals
        least = 1 if len(bound) == len(workload.tasks) else cpus
        return topologies.parse(f"cpus={max([least, *(cpu + 1 for cpu in bound)])}"), []
    path = Path(text)
    if text not in topologies.PRESETS and opening.is_file(path):
        digest = hashlib.sha256(opening.read(path)).hexdigest()
        return topology_file.read(path), [(text, digest)]
    try:
        return topologies.parse(text), []
    except topologies.BadTopology as error:
        raise UsageError(f"--topology: {error}") from None
