"""A boot of a virt machine from start to end: puts a TABLE's states into the machine's tree, boots
it, and compares the boot with the models."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from ...devicetree import fdt
from ...devicetree.tree import Node
from ...findings import UsageError, unreadable
from ...reading.sysfs import SysfsState
from ...sources import Source, one_table, read_sources
from .. import qemu
from ..guest_parts import DEFAULT_GOVERNOR, GuestParts, check_governor, hz_of, not_set
from ..predict import Stage
from ..predict_decisions import decision_stages
from ..registered import governor_in, held_by
from ..run import EMULATED, Clock, Surroundings, digests, keep
from ..usage import counted_in, usage_stage
from .boot import VirtBooted, boot, tree_of
from .domains import domain_stages, entered_domains
from .graft import Grafted, chosen, cpus_of, graft
from .machines import VirtMachine
from .parts import parts
from .predict import VirtPredicted, predict, stages
from .request import VirtRequest
from .result import VirtResult

_FILES = {"cpuidle.txt": "cpuidle", "kernel-log.txt": "dmesg", "power-domains.txt": "domains"}
_OPTIONS = {
    "virt-arm64": ("CPU_IDLE", "ARM_PSCI_CPUIDLE", "ARM_PSCI_CPUIDLE_DOMAIN", "DEBUG_FS"),
    "virt-riscv64": ("CPU_IDLE", "RISCV_SBI_CPUIDLE", "DT_IDLE_GENPD", "DEBUG_FS"),
}
"""What a kernel must be configured with, for a boot to show all."""
_NO_OSI = "power domains in use: QEMU's PSCI offers no OS-initiated mode"


def run(request: VirtRequest, around: Surroundings) -> VirtResult:
    """Boots as requested and compares the boot with the models.

    Raises UsageError, what reading a TABLE raises, CannotGenerate for a table that the machine
    cannot have, BootFailure, debian.Unavailable, OSError.
    """
    machine = request.of_machine
    sources = _sources(request.table)
    tree = sources[0].tree
    assert tree is not None
    places = _places(request, machine, sources, tree)
    around.say("fetching what a boot needs")
    having = parts(machine, around.cache_directory, request.kernel)
    check_governor(request.governor, having.options())
    with around.directory(request.machine) as directory:
        blob = tree_of(having, machine, request.smp, directory)
        grafted = graft(blob.root, tree, places, sources[0].file)
        data = fdt.write(grafted.root, blob.reservations, blob.boot_cpu)
        keep(directory, {"given.dtb": data})
        inputs = ((sources[0].file, sources[0].sha256), *digests(having.kernel))
    clock = Clock(around.progress)
    booted = boot(having, request, data, logs=directory, progress=clock)
    texts = {name: booted.sections[part].encode() for name, part in _FILES.items()}
    keep(directory, {"tree.dtb": booted.fdt, **texts})
    return _result(request, grafted, booted, having, inputs, clock.elapsed_s, directory)


def _result(
    request: VirtRequest,
    grafted: Grafted,
    booted: VirtBooted,
    having: GuestParts,
    inputs: tuple[tuple[str, str], ...],
    qemu_s: float,
    directory: Path,
) -> VirtResult:
    machine, options = request.of_machine, booted.options or having.options()
    predicted = predict(machine, grafted.root, booted)
    governor = governor_in(booted.sections) or DEFAULT_GOVERNOR
    usage = usage_stage(
        predicted,
        machine.refuses,
        booted.sections,
        governor,
        hz_of(options),
    )
    judged = (
        *stages(predicted, machine, grafted.nodes, booted, request.governor),
        *(_decided(predicted, booted, usage, directory) if request.recorded else (usage,)),
        *domain_stages(predicted, machine, booted),
    )
    counted = counted_in(booted.sections)
    return VirtResult(
        request=request,
        table=inputs[0][0],
        places=grafted.cpus,
        predicted=predicted,
        stages=judged,
        governor=governor,
        found=held_by(booted.sections),
        counted=counted,
        domains=entered_domains(booted),
        unconfirmed=tuple(_unconfirmed(predicted, machine, options, counted)),
        qemu=qemu.version(having.qemu),
        qemu_s=qemu_s,
        inputs=inputs,
        directory=directory,
    )


def _decided(
    predicted: VirtPredicted, booted: VirtBooted, usage: Stage, directory: Path
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


def _places(
    request: VirtRequest, machine: VirtMachine, sources: list[Source], tree: Node
) -> tuple[str, ...]:
    listed = next((s.table.listed for s in sources if s.table and s.table.listed), None)
    file = sources[0].file
    if listed is None:
        raise unreadable(file, "expected CPUs that list idle states (Arm, RISC-V), found none")
    if listed.riscv != machine.riscv:
        names = "RISC-V", "Arm"
        wanted, found = names if machine.riscv else names[::-1]
        message = f"expected CPUs of {wanted} with {machine.name}, found {found}'s"
        raise unreadable(file, message)
    lists = [one.cpus for one in listed.siblings or (listed,)]
    count = len(cpus_of(tree))
    if count < request.smp:
        raise UsageError(
            f"expected --smp {count} or less with {file}, which has {count} CPUs, found "
            f"{request.smp}"
        )
    return chosen(tree, lists, request.smp)


def _unconfirmed(
    predicted: VirtPredicted,
    machine: VirtMachine,
    options: Mapping[str, str] | None,
    counted: Mapping[int, tuple[SysfsState, ...]],
) -> Iterator[str]:
    said: dict[str, None] = {}
    for cpu, driver in sorted(predicted.number2driver.items()):
        for lost in driver.lost:
            said[f"{lost.state}: when it is entered: {lost.reason}"] = None
        for state, counts in zip(driver.states, counted.get(cpu, ()), strict=False):
            refusal = machine.refuses(state.parameter) if state.parameter is not None else ""
            if refusal:
                said[f"{state.name}: what entering it does: {refusal}"] = None
            elif not (counts.usage or counts.rejected):
                said[f"{state.name}: CPU {cpu} was never led there"] = None
    yield from said
    if any(driver.domains for driver in predicted.drivers.values()) and not machine.offers.osi:
        yield _NO_OSI
    yield from not_set(options, _OPTIONS[machine.name])
    yield EMULATED
