"""A simulation's workload, machine and parameters as requested, and as read from their files."""

import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from ...base.dataclass import dataclass
from ...base.model.findings import UsageError
from ...base.reading import opening
from ...base.reading.budget import within_budget
from ...base.reading.inputs import Input
from ...base.wording import suggestion
from ..record.convert import as_recording
from . import placement, topology_file, workloads, workloads_file, workloads_trace
from . import topology as topologies
from .placement import Policy
from .programs import Workload
from .topology import Topology
from .workload_request import WorkloadRequest, time_ns

CPUS = 8
_TASKS = re.compile(rb"^tasks[ ]*:", re.MULTILINE)
"""The key by which a workload's YAML is told from a trace."""
_SECOND_NS = 1_000_000_000
_DURATION_MAX_NS = 1_000_000 * _SECOND_NS


@dataclass(frozen=True, slots=True)
class Given:
    """The parts of a simulation. files: (name, SHA-256) of every file read."""

    workload: Workload
    topology: Topology
    policy: Policy
    duration_ns: int
    files: tuple[tuple[str, str], ...]


def given(
    request: WorkloadRequest, say: Callable[[str], None] = lambda message: None, cpus: int = CPUS
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
    """Returns the policy, as placement.parse() does. Raises UsageError, which names the option."""
    try:
        return placement.parse(text)
    except placement.BadPlacement as error:
        raise UsageError(f"--placement: {error}") from None


def _workload(text: str, say: Callable[[str], None]) -> tuple[Workload, int, list[tuple[str, str]]]:
    """Returns the workload, the default duration in ns, and (name, SHA-256) of its file."""
    found = workloads.built_in(text)
    if found is not None:
        return found, _SECOND_NS, []
    path, is_standard_input = Path(text), text == opening.STANDARD_INPUT
    if path.suffix.lower() in (".yaml", ".yml") or (
        is_standard_input and _TASKS.search(opening.beginning_of_standard_input())
    ):
        with within_budget(text):
            data = opening.read_operand(text) if is_standard_input else opening.read(path)
            digest = hashlib.sha256(data).hexdigest()
            return workloads_file.read(data, text), _SECOND_NS, [(text, digest)]
    if not is_standard_input and opening.kind_of(path) not in (opening.FILE, "a pipe"):
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
