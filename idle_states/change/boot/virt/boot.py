"""A boot of a virt machine: a TABLE's states in the machine's tree, from the request to the
verdict."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ....base.dataclass import dataclass
from ....base.files import naming
from ....base.model.beyond_opal import SysfsState
from ....base.model.findings import UsageError, unreadable
from ....base.reading import launching, limits, opening
from ....tables.devicetree import fdt
from ....tables.devicetree.tree import Node
from ....tables.sources import Source, one_table, read_sources
from ..boot import BootFailure, PreparedBoot, Preparing, Say
from ..booted import Booted
from ..guest import GuestScript
from ..kept import EMULATED, digests, keep
from ..kernel_config import DEFAULT_GOVERNOR, check_governor, hz_of, not_set
from ..parts import Parts
from ..predict_decisions import decision_stages
from ..registered import governor_in, held_by
from ..request import BootRequest
from ..result import GuestResult
from ..stage import Stage
from ..usage import counted_in, usage_stage
from .domains import domain_stages, entered_domains
from .graft import Grafted, chosen, cpus_of, graft
from .machines import VIRT, VirtMachine
from .predict import VirtPredicted, predict, stages

SCRIPT = GuestScript(
    "guest_virt.sh.j2",
    (
        *("fdt", "uname", "config", "cpuidle", "dmesg", "cpus", "governors", "psci", "domains"),
        *("before", "after", "domains_before", "domains_after"),
    ),
    ("recorder", "recording"),
    seconds=2,
    buffer_kb=2048,
)
"""The guest prints the flat device tree, the kernel's name and (where it holds it) its
configuration, attributes of every CPU's idle states, the kernel's log, the CPUs and their nodes,
the governors, what PSCI can do (Arm), the power domains; states and domains before and after the
work; where decisions are recorded, the recording script's standard error, and the recording.

Where firmware refuses a state, a CPU asks again at once and fills any trace buffer, all of which
the console has to print: so that is small."""
_KEPT = {
    "tree.dtb": "fdt",
    "cpuidle.txt": "cpuidle",
    "kernel-log.txt": "dmesg",
    "power-domains.txt": "domains",
}
_DUMP_BOUNDS = launching.Bounds(time_s=limits.VERSION_S, output_bytes=limits.VERSION_BYTES)
_OPTIONS = {
    "virt-arm64": ("CPU_IDLE", "ARM_PSCI_CPUIDLE", "ARM_PSCI_CPUIDLE_DOMAIN", "DEBUG_FS"),
    "virt-riscv64": ("CPU_IDLE", "RISCV_SBI_CPUIDLE", "DT_IDLE_GENPD", "DEBUG_FS"),
}
"""Options that a kernel must be configured with, for a boot to show all."""
_NO_OSI = "power domains in use: QEMU's PSCI offers no OS-initiated mode"


@dataclass(frozen=True, slots=True)
class VirtResult(GuestResult):
    """domains: (name of a power domain, number of its state, how often it was entered during the
    work)."""

    predicted: VirtPredicted
    domains: tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, slots=True)
class VirtBoot(PreparedBoot):
    """tree: the blob that QEMU is given."""

    script = SCRIPT
    kept = _KEPT
    tree: bytes
    grafted: Grafted

    def given(self, scratch: Path) -> list[str]:
        blob = scratch / "tree.dtb"
        with naming(blob):
            blob.write_bytes(self.tree)
        return ["-dtb", str(blob)]

    def judged(self, booted: Booted, qemu: str, qemu_s: float) -> VirtResult:
        machine, options = VIRT[self.request.machine], booted.options or self.parts.options()
        sections = booted.sections
        predicted = predict(machine, self.grafted.root, booted)
        governor = governor_in(sections) or DEFAULT_GOVERNOR
        usage = usage_stage(predicted, machine.refuses, sections, governor, hz_of(options))
        recorded = self.request.workload is not None
        counted = counted_in(sections)
        return VirtResult(
            request=self.request,
            predicted=predicted,
            stages=(
                *stages(predicted, machine, self.grafted.nodes, booted, self.request.governor),
                *(_decided(predicted, booted, usage, self.directory) if recorded else (usage,)),
                *domain_stages(predicted, machine, booted),
            ),
            found=held_by(sections),
            unconfirmed=tuple(_unconfirmed(predicted, machine, options, counted)),
            qemu=qemu,
            qemu_s=qemu_s,
            inputs=self.inputs,
            directory=self.directory,
            table=self.inputs[0][0],
            places=self.grafted.cpus,
            governor=governor,
            counted=counted,
            domains=entered_domains(booted),
        )


def read(request: BootRequest) -> Preparing:
    """Reads the TABLE. Raises UsageError, what reading a TABLE raises.

    To prepare the boot puts the states into the machine's tree. It raises UsageError for a governor
    that the kernel lacks, CannotGenerate for a table that the machine cannot have, BootFailure,
    OSError.
    """
    assert request.table is not None
    sources = _sources(request.table)
    source, tree = sources[0], sources[0].tree
    assert tree is not None
    places = _places(request, sources, tree)

    def prepared(parts: Parts, directory: Path, cache: Path, say: Say) -> VirtBoot:
        check_governor(request.governor, parts.options())
        blob = tree_of(parts, VIRT[request.machine], request.cpus, directory)
        grafted = graft(blob.root, tree, places, source.file)
        data = fdt.write(grafted.root, blob.reservations, blob.boot_cpu)
        keep(directory, {"given.dtb": data})
        inputs = ((source.file, source.sha256), *digests(parts.kernel))
        return VirtBoot(request, parts, inputs, directory, data, grafted)

    return prepared


def tree_of(parts: Parts, machine: VirtMachine, smp: int, directory: Path) -> fdt.Blob:
    """The machine's own device tree, which QEMU dumps. Raises BootFailure, OSError."""
    dumped = directory.absolute() / "machine.dtb"
    first, model, *others = machine.options
    words = [first, f"{model},dumpdtb={dumped}", *others, "-smp", str(smp)]
    launching.run(str(parts.qemu), words, _DUMP_BOUNDS, str(parts.qemu))
    if not opening.is_file(dumped):
        raise BootFailure("QEMU", f"expected QEMU to write {dumped}, found no file", dumped)
    return fdt.read_blob(opening.read(dumped), str(dumped))


def _decided(
    predicted: VirtPredicted, booted: Booted, usage: Stage, directory: Path
) -> tuple[Stage, Stage]:
    """The stage of the recorded decisions, and that of usage with the counters that they add up
    to."""
    selected, counters, _ = decision_stages(predicted, booted.recorded, directory)
    if selected.agree is None or counters.agree is None:
        return selected, usage
    differences = (*usage.differences, *counters.differences)
    judged = usage.judged + counters.judged
    return selected, Stage.of(usage.name, differences, judged, note=usage.note)


def _sources(table: str) -> list[Source]:
    """The sources of a TABLE that is one device tree, one for each list of its CPUs."""
    found = read_sources(table)
    sources = [each for each in found if each.table is not None] or [one_table(found, table)]
    if any(source.tree is None for source in sources):
        message = "expected CPUs that list idle states (Arm, RISC-V), found a table of another form"
        raise unreadable(sources[0].file, message)
    if len({source.file for source in sources}) > 1:
        files = ", ".join(sorted({source.file for source in sources}))
        raise UsageError(f"expected one device tree, found {files}")
    return sources


def _places(request: BootRequest, sources: list[Source], tree: Node) -> tuple[str, ...]:
    machine = VIRT[request.machine]
    origins = (source.table.origin for source in sources if source.table)
    listed = next((origin for origin in origins if origin.form == "nodes"), None)
    file = sources[0].file
    if listed is None:
        raise unreadable(file, "expected CPUs that list idle states (Arm, RISC-V), found none")
    if listed.riscv != machine.riscv:
        names = "RISC-V", "Arm"
        wanted, found = names if machine.riscv else names[::-1]
        message = f"expected CPUs of {wanted} with {machine.name}, found {found}'s"
        raise unreadable(file, message)
    lists = [one.cpus for one in listed.of_tree]
    count = len(cpus_of(tree))
    if count < request.cpus:
        raise UsageError(
            f"expected --smp {count} or less with {file}, which has {count} CPUs, found "
            f"{request.cpus}"
        )
    return chosen(tree, lists, request.cpus)


def _unconfirmed(
    predicted: VirtPredicted,
    machine: VirtMachine,
    options: Mapping[str, str] | None,
    counted: Mapping[int, tuple[SysfsState, ...]],
) -> Iterator[str]:
    notes: dict[str, None] = {}
    for cpu, driver in sorted(predicted.number2driver.items()):
        for lost in driver.lost:
            notes[f"{lost.state}: when it is entered: {lost.reason}"] = None
        for state, counts in zip(driver.states, counted.get(cpu, ()), strict=False):
            refusal = machine.refuses(state.parameter) if state.parameter is not None else ""
            if refusal:
                notes[f"{state.name}: what entering it does: {refusal}"] = None
            elif not (counts.usage or counts.rejected):
                notes[f"{state.name}: CPU {cpu} never reached it"] = None
    yield from notes
    if any(driver.domains for driver in predicted.drivers.values()) and not machine.offers.osi:
        yield _NO_OSI
    yield from not_set(options, _OPTIONS[machine.name])
    yield EMULATED
