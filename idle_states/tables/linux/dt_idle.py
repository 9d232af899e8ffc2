"""The states that Linux registers from the idle-state nodes listed by CPUs (Arm and RISC-V).

Model of drivers/cpuidle/dt_idle_states.c dt_init_idle_driver() and of the drivers that call it:
cpuidle-psci.c, cpuidle-arm.c, cpuidle-riscv-sbi.c. In all of them, one bad node of one CPU leaves
every CPU without a driver.
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache

from ...base.dataclass import dataclass, field, replace
from ...base.model.beyond_opal import IdleList, ListedNode
from ...base.model.stages import Changed, Level, Lost, Message
from ...base.model.table import U32_MAX, IdleTable
from ..devicetree.idle_nodes import (
    ENTRY,
    EXIT,
    RESIDENCY,
    TIMER_STOP,
    WAKEUP,
    latency_us,
    missing_times,
    row_nodes,
)
from .convert import NAME_LENGTH, STATE_MAX
from .driver_table import DriverState, DriverTable
from .dt_domains import ATTACH, TREES, Domains, Identical, attach, domains_of
from .dt_idle_features import DtIdleFeatures, features
from .genpd.features import HISTORY
from .genpd.reading import TreeDomains, cautions, lost_rows, made_of, wrapped_times
from .genpd.tables import CpuDomain
from .psci_firmware import USUAL_FIRMWARE, PsciFirmware
from .releases import Release, folded
from .suspend_parameter import log_prefix, parameter_name, reject_parameter

PARSER = "drivers/cpuidle/dt_idle_states.c dt_init_idle_driver()"
PSCI = "drivers/cpuidle/cpuidle-psci.c psci_dt_cpu_init_idle()"
PSCI_FIRMWARE = "drivers/firmware/psci.c psci_dt_cpu_init_idle()"
ARM = "drivers/cpuidle/cpuidle-arm.c arm_idle_init_cpu()"
SBI = "drivers/cpuidle/cpuidle-riscv-sbi.c sbi_cpuidle_dt_init_states()"
SBI_DOMAINS = "drivers/cpuidle/cpuidle-riscv-sbi.c sbi_genpd_probe()"
FAUX_FAILED = Message("error", "CPUidle PSCI: Failed to create psci-cpuidle device")
WFI_US = (1, 1)
"""Exit latency and target residency of state 0, compiled into every one of the drivers."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The reason why a list gives no driver. index: position in the list; None: for all of it."""

    cause: str
    reason: str
    ground: str
    index: int | None = None


@dataclass(slots=True)
class Parsed:
    """A list as one kernel reads it.

    firmware  what PSCI's offers (Arm)
    states    index in the list of each registered state
    """

    listed: IdleList
    known: DtIdleFeatures
    firmware: PsciFirmware
    states: list[int] = field(default_factory=list)
    disabled: list[int] = field(default_factory=list)
    beyond: list[int] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    failure: Failure | None = None

    @property
    def nodes(self) -> tuple[ListedNode, ...]:
        return self.listed.nodes(self.known.hierarchy)

    @property
    def generic(self) -> bool:
        """The generic driver of Arm's CPUs registers the states."""
        return not (self.listed.riscv or self.known.psci)

    @property
    def given(self) -> tuple[ListedNode, ...]:
        """The nodes whose suspend parameters belong to the states: PSCI's firmware driver does not
        look at power domains."""
        return self.listed.nodes(self.known.hierarchy and not self.generic)

    def say(self, level: Level, text: str) -> None:
        self.messages.append(Message(level, text))

    def say_of_hart(self, level: Level, text: str) -> None:
        hart = self.listed.cpus[0].rpartition("@")[2]
        with suppress(ValueError):
            self.say(level, f"{log_prefix(True)}HART{int(hart, 16)}: {text}")


def compatibles(listed: IdleList) -> tuple[str, ...]:
    """Returns the compatible strings of which a driver requires one in each node of the list."""
    if listed.riscv:
        return ("riscv,idle-state",)
    if listed.enable_method == "psci":
        return ("arm,idle-state",)
    return ("arm,idle-state", "qcom,idle-state-spc")


def parse(
    listed: IdleList, known: DtIdleFeatures, firmware: PsciFirmware = USUAL_FIRMWARE
) -> Parsed:
    """dt_init_idle_driver(), and what the driver does with it, for one CPU. Arguments as of
    Parsed."""
    found = Parsed(listed, known, firmware)
    found.failure = _no_driver(listed, known)
    if found.failure is None:
        found.failure = _read(found)
        if found.failure is None and not (found.states if known.counts_enabled else found.nodes):
            reason = "its CPUs list no idle state, and the driver does not register for WFI only"
            found.failure = Failure("no-list", reason, PARSER)
        if found.failure is not None and listed.riscv:
            found.say_of_hart("debug", "failed to parse DT idle states")
        if found.failure is None:
            found.failure = _method(found) or _parameters(found) or _attach(found)
            if found.failure is not None:
                _say_failed(found)
        if found.failure is not None and listed.riscv:
            found.say_of_hart("debug", "idle driver init failed")
    if not _tried(listed, known):
        found.messages.clear()
    return found


def register(
    table: IdleTable, release: Release, firmware: PsciFirmware = USUAL_FIRMWARE
) -> DriverTable:
    """The driver's table for the CPUs of a list (`table.origin`). firmware: as for parse()."""
    listed = table.origin
    assert listed.form == "nodes"
    known = features(release)
    chosen = listed
    if not known.per_cpu and listed.siblings:
        chosen = listed.siblings[0]
    domains = domains_made(listed, known, firmware)
    found = Parsed(chosen, known, firmware, messages=[*domains.messages])
    if listed.riscv and known.riscv and domains.problem:
        reason = f"power domains cannot be made: {domains.problem}"
        found.failure = Failure("power-domain", reason, SBI_DOMAINS)
    else:
        found = parse(chosen, known, firmware)
        found.messages[:0] = domains.messages
    failure = found.failure or _unequal(listed, known) or _other_failure(listed, known, firmware)
    faux = known.faux and listed.enable_method == "psci"
    if failure and faux and _tried(listed, known):
        found.messages.append(FAUX_FAILED)
    states = () if failure else tuple(_registered(listed, found))
    genpd = folded(HISTORY, release)
    above = made_of(listed, known, genpd, domains, bool(states), firmware.osi)
    return DriverTable(
        kernel=release.name,
        states=states,
        lost=(*_lost(listed, found, failure), *lost_rows(listed, above)),
        changed=(*(_changed(listed, found) if not failure else ()), *wrapped_times(listed, above)),
        messages=tuple(found.messages),
        offline="",
        domains=above,
        domain_notes=tuple(cautions(listed, genpd, firmware.osi)) if above else (),
    )


def tree_domains(
    listed: IdleList, release: Release, firmware: PsciFirmware = USUAL_FIRMWARE
) -> tuple[CpuDomain, ...]:
    """The power domains that any CPU of the list's tree sits in, those within others first, where
    the CPUs have drivers. firmware: as for parse()."""
    known, genpd = features(release), folded(HISTORY, release)
    made = domains_made(listed, known, firmware)
    tree = TreeDomains(listed)
    found: dict[str, CpuDomain] = {}
    for each in listed.of_tree:
        one = replace(each, siblings=listed.siblings)
        for domain in made_of(one, known, genpd, made, True, firmware.osi, tree):
            found.setdefault(domain.path, domain)
    return tuple(sorted(found.values(), key=lambda domain: len(domain.numbers)))


def _tried(listed: IdleList, known: DtIdleFeatures) -> bool:
    """dt_idle_state_present(): PSCI's faux device is made if the first CPU's first state is one."""
    if not known.faux or listed.enable_method != "psci":
        return True
    nodes = listed.of_tree[0].nodes(known.hierarchy)
    return bool(nodes) and "arm,idle-state" in nodes[0].strings("compatible")


def domains_made(listed: IdleList, known: DtIdleFeatures, firmware: PsciFirmware) -> Domains:
    """The power domains that the driver makes before it looks at CPUs."""
    driver = known.riscv if listed.riscv else known.hierarchy and known.psci
    if not driver or not (firmware.osi or listed.riscv or known.domains_always):
        return Domains()
    return domains_of(listed, known, firmware)


def _attach(found: Parsed) -> Failure | None:
    """The CPU's power domain, which is looked at in OS-initiated mode only."""
    listed, known, firmware = found.listed, found.known, found.firmware
    if listed.riscv:
        attaches = all(other.names_domains for other in listed.of_tree)
    else:
        attaches = firmware.osi and listed.enable_method == "psci"
    problem = attach(listed, known, domains_made(listed, known, firmware)) if attaches else ""
    return Failure("power-domain", problem, ATTACH) if problem else None


def _say_failed(found: Parsed) -> None:
    if found.listed.riscv:
        found.say_of_hart("error", "failed to init idle states")
    elif found.generic:
        if found.known.says_unsupported:
            cpu = found.listed.numbers[0]
            found.say("error", f"CPUidle arm: CPU {cpu} failed to init idle CPU ops")
    elif found.listed.enable_method == "psci":
        found.say("error", f"CPUidle PSCI: CPU {found.listed.numbers[0]} failed to PSCI idle")


def _no_driver(listed: IdleList, known: DtIdleFeatures) -> Failure | None:
    if listed.riscv and not known.riscv:
        return Failure("no-driver", "this kernel has no driver for RISC-V's idle states", SBI)
    if not listed.riscv and not known.arm:
        return Failure("no-driver", "this kernel does not read idle states from the tree", PARSER)
    if not listed.riscv and not listed.enable_method:
        return Failure("no-method", "its CPUs have no enable-method, and so no driver", ARM)
    return None


def _read(found: Parsed) -> Failure | None:
    listed, known, nodes = found.listed, found.known, found.nodes
    for index, node in enumerate(nodes):
        foreign = not set(node.strings("compatible")) & set(compatibles(listed))
        if foreign and known.compatible_first:
            return _foreign(index, node, listed)
        if known.skips_disabled and not node.available:
            found.disabled.append(index)
            continue
        if len(found.states) == STATE_MAX - 1:
            found.beyond = list(range(index, len(nodes)))
            text = "DT idle-states: State index reached static CPU idle driver states array size"
            found.say("warning", text)
            return None
        missing = missing_times(node)
        if missing and not foreign:
            found.say("debug", f"DT idle-states:  * {node.path} missing {missing[0]} property")
        if missing or foreign:
            code = -19 if foreign else -22
            text = f"DT idle-states: Parsing idle state node {node.path} failed with err {code}"
            found.say("error", text)
            if foreign:
                return _foreign(index, node, listed)
            return Failure("missing-time", f"{node.name} has no {missing[0]}", PARSER, index)
        found.states.append(index)
    return None


def _foreign(index: int, node: ListedNode, listed: IdleList) -> Failure:
    expected = " or ".join(compatibles(listed))
    reason = f"{node.name} is not compatible with {expected}"
    return Failure("foreign-compatible", reason, PARSER, index)


def _method(found: Parsed) -> Failure | None:
    """Says whether a driver can enter the states, by the CPU's enable-method."""
    method = found.listed.enable_method
    if method == "spin-table":
        return Failure("no-suspend", "CPUs of the method spin-table cannot be suspended", ARM)
    if method == "psci" and found.generic and not found.known.generic:
        reason = "this kernel is built without a driver that enters PSCI's idle states"
        return Failure("no-driver", reason, f"{ARM}, CONFIG_ARM_PSCI_CPUIDLE")
    return None


def _parameters(found: Parsed) -> Failure | None:
    """Checks the parameters of as many nodes as there are states, from the start of the list,
    whether these nodes are disabled or not."""
    listed, known, nodes = found.listed, found.known, found.given
    if parameter_name(listed) is None:
        return None
    count = len(found.states) + (0 if known.counts_enabled else len(found.disabled))
    if found.generic or not known.hierarchy:
        # before 5.6, what knows PSCI counts the list for itself
        count = len(nodes)
        if not count:
            reason = "its CPUs have no cpu-idle-states of their own"
            return Failure("no-list", reason, _ground(listed, found.generic))
    prefix = "psci: " if found.generic else ""
    mark = " * " if found.generic and known.marks_missing else ""
    for index, node in enumerate(nodes[:count]):
        rejected = reject_parameter(listed.riscv, node, found.firmware, prefix=prefix, mark=mark)
        if rejected:
            found.messages.append(rejected.message)
            reason = f"{node.name} {rejected.problem}"
            own = nodes == found.nodes
            ground = _ground(listed, found.generic)
            return Failure("bad-parameter", reason, ground, index if own else None)
    return None


def _parameter(given: tuple[ListedNode, ...], index: int, name: str | None) -> int | None:
    return given[index].u32(name) if name and index < len(given) else None


def _ground(listed: IdleList, generic: bool = False) -> str:
    if listed.riscv:
        return SBI
    psci = PSCI_FIRMWARE if generic else PSCI
    return psci if listed.enable_method == "psci" else ARM


def _unequal(listed: IdleList, known: DtIdleFeatures) -> Failure | None:
    """In releases with one driver for all CPUs, every list had to begin like the first one's."""
    if known.per_cpu or not listed.siblings:
        return None
    for index, node in enumerate(listed.siblings[0].nodes(False)):
        if known.skips_disabled and not node.available:
            continue
        for other in listed.siblings:
            there = other.flat[index] if index < len(other.flat) else None
            if there is None or there.path != node.path:
                reason = f"{node.name} is not state {index} of every CPU, as this kernel demands"
                return Failure("unequal-lists", reason, f"{PARSER}, idle_state_valid()", index)
    return None


def never_started(listed: IdleList) -> bool:
    """Tells whether these CPUs are no CPUs to arm64: smp_cpu_setup() needs an enable-method of all
    but the one that boots, which is taken to be the first. (32-bit Arm would start them.)"""
    return not (listed.riscv or listed.enable_method or 0 in listed.numbers)


def _other_failure(
    listed: IdleList, known: DtIdleFeatures, firmware: PsciFirmware
) -> Failure | None:
    """A CPU whose list gives no driver makes the kernel unregister the other CPUs' drivers."""
    if not known.per_cpu:
        return None
    psci = known.psci and listed.enable_method == "psci"
    return _first_failure(Identical(listed.siblings), psci, known, firmware)


@lru_cache(maxsize=TREES * 16)
def _first_failure(
    siblings: Identical[tuple[IdleList, ...]],
    psci: bool,
    known: DtIdleFeatures,
    firmware: PsciFirmware,
) -> Failure | None:
    for other in siblings.value:
        if never_started(other):
            continue
        failure = parse(replace(other, siblings=siblings.value), known, firmware).failure
        if psci and other.enable_method != "psci":
            reason = f"its enable-method is {other.enable_method or 'missing'}, not psci"
            failure = Failure("no-psci", reason, PSCI)
        if failure is not None:
            cpu = other.cpus[0].rpartition("/")[2]
            reason = f"{cpu} gets no driver, and then no CPU does: {failure.reason}"
            return Failure("other-cpu", reason, f"{_ground(other)}, out_fail")
    return None


def _registered(listed: IdleList, found: Parsed) -> Iterator[DriverState]:
    """Yields the states. `source` is the row of the list's table, where that has the node."""
    source, nodes, given = found.listed, found.nodes, found.given
    rows = _rows(listed, nodes)
    enter = "sbi" if source.riscv else source.enable_method or "platform"
    parameter = parameter_name(source)
    yield DriverState(0, "WFI", *WFI_US, "wfi")
    for number, index in enumerate(found.states, start=1):
        node = nodes[index]
        yield DriverState(
            number,
            node.name[:NAME_LENGTH],
            latency_us(node) or 0,
            node.u32(RESIDENCY) or 0,
            enter,
            rows[index],
            timer_stop=TIMER_STOP in node.properties,
            # its own node's only where no disabled one stands before it in the list
            parameter=_parameter(given, number - 1, parameter),
        )


def _rows(listed: IdleList, nodes: tuple[ListedNode, ...]) -> list[int | None]:
    """Returns the table's row of each list entry that a kernel reads; a node may occur twice."""
    own = [node.path for node in listed.nodes()]
    paths = [node.path for node in nodes]
    if paths == own[: len(paths)]:
        return [*range(len(paths))]
    rows = {node.path: row for row, node in reversed([*enumerate(row_nodes(listed))])}
    return [rows.get(path) for path in paths]


def _lost(listed: IdleList, found: Parsed, failure: Failure | None) -> Iterator[Lost]:
    read = {row: index for index, row in reversed([*enumerate(_rows(listed, found.nodes))])}
    for row, node in enumerate(listed.nodes()):
        index = read.get(row)
        if index is not None and index in found.disabled:
            yield Lost(row, node.name, "disabled", "its status is not okay", PARSER)
        elif failure is not None:
            reason = failure.reason
            if failure.index is not None and index != failure.index:
                reason = f"no CPU has a driver: {reason}"
            yield Lost(row, node.name, failure.cause, reason, failure.ground)
        elif index is None:
            cause, reason = "no-hierarchy", "this kernel does not look at power domains"
            if node.path in [other.path for other in listed.flat if other]:
                cause, reason = "other-list", "this kernel takes the first CPU's list for all"
            yield Lost(row, node.name, cause, reason, PARSER)
        elif index in found.beyond:
            reason = f"cpuidle has room for {STATE_MAX} states, WFI included"
            yield Lost(row, node.name, "beyond-ten", reason, PARSER)


def _changed(listed: IdleList, found: Parsed) -> Iterator[Changed]:
    """Yields names that are truncated, and parameters taken from another node."""
    source, nodes, given = found.listed, found.nodes, found.given
    rows = _rows(listed, nodes)
    name = parameter_name(source)
    for number, index in enumerate(found.states):
        node = nodes[index]
        row = rows[index]
        if row is None:
            continue
        if len(node.name) > NAME_LENGTH:
            reason = f"names are cut to {NAME_LENGTH} characters"
            shown = node.name[:NAME_LENGTH]
            yield Changed(row, node.name, "name", node.name, shown, reason, PARSER, "cut")
        entry, leave = node.u32(ENTRY) or 0, node.u32(EXIT) or 0
        if node.u32(WAKEUP) is None and entry + leave > U32_MAX:
            before, after = f"{entry} us + {leave} us", f"{latency_us(node)} us"
            reason = "the kernel adds entry and exit latency in 32 bits, and the sum wraps"
            yield Changed(row, node.name, "latency", before, after, reason, PARSER, "sum-wrapped")
        value = _parameter(given, number, name)
        if name is not None and node.u32(name) != value:
            whose = f"number {number + 1} of the list"
            reason = (
                f"the driver takes state {number + 1}'s from {whose}, {given[number].name}, "
                "disabled nodes included"
                if number < len(given)
                else f"cpu-idle-states has no {whose}, and the driver takes what memory holds there"
            )
            before, after = _shown(node.u32(name)), _shown(value)
            ground = _ground(source, found.generic)
            yield Changed(row, node.name, name, before, after, reason, ground, "of-another-state")


def _shown(value: int | None) -> str:
    return "none" if value is None else f"{value:#x}"
