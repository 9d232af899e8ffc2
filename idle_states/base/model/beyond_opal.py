"""Tables that do not come by way of OPAL: held by a running kernel, listed by a tree's CPUs, built
into a driver of Linux, or given by ACPI.

`IdleTable.states` has the same rows as every table has them; the values here add what only the
running kernel, the tree's CPU nodes, the driver's source or ACPI's objects tell: each is an
`IdleTable.origin`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import ClassVar, Literal, Self

from ..dataclass import dataclass, field
from .acpi_objects import (
    AcpiObject,
    AcpiProcessor,
    CstEntry,
    Fadt,
    LpiLevel,
    LpiState,
    Malformed,
    cst_entries,
    lpi_states,
)
from .findings import Location


@dataclass(frozen=True, slots=True)
class SysfsState:
    """One cpuidle/stateN directory of sysfs. Counters are None where the kernel does not have them.

    latency_us, residency_us, time_us  as printed, in us
    disabled                           by the user or from the start; the kernel's later reasons do
                                       not show
    default_disabled                   CPUIDLE_FLAG_OFF: off from the start (default_status); None
                                       where the kernel does not say
    lines                              attribute -> its line in the dump
    """

    name: str
    description: str
    latency_us: int
    residency_us: int
    disabled: bool = False
    usage: int | None = None
    time_us: int | None = None
    above: int | None = None
    below: int | None = None
    rejected: int | None = None
    default_disabled: bool | None = None
    lines: Mapping[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def row(self) -> tuple[str, int, int]:
        """The part that must not change between two dumps."""
        return self.name, self.latency_us, self.residency_us


@dataclass(frozen=True, slots=True)
class Dump:
    """The contents of a dump of cpuidle's sysfs, as far as it goes.

    cpus     CPU -> its states, by number
    drivers  CPU -> its driver's name
    limits   CPU -> its pm_qos_resume_latency_us, as printed
    texts    of the machine: current_governor, version (as in /proc), CONFIG_HZ,
             processor/parameters/max_cstate and the like -> the text
    missed   what it should have and has not, or cannot be read of it, in words
    """

    name: str
    cpus: Mapping[int, tuple[SysfsState, ...]]
    drivers: Mapping[int, str] = field(default_factory=dict)
    limits: Mapping[int, str] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    missed: tuple[str, ...] = ()

    @property
    def governor(self) -> str:
        """The current governor; "" where the dump does not tell."""
        return self.texts.get("current_governor") or self.texts.get("current_governor_ro", "")

    @property
    def kernel(self) -> str:
        """The kernel as it calls itself, best with its build; "" where the dump does not tell."""
        return self.texts.get("version") or self.texts.get("osrelease", "")

    @property
    def hz(self) -> int | None:
        """CONFIG_HZ; None where the dump does not tell."""
        text = self.texts.get("CONFIG_HZ", "")
        return int(text) if text.isdigit() and len(text) < 5 and int(text) else None

    def limit_us(self, cpu: int) -> int | None:
        """The CPU's latency limit in us; None for none, or where the dump does not tell."""
        text = self.limits.get(cpu, "0")
        # the kernel prints n/a for a limit of 0 and 0 for no limit
        return 0 if text == "n/a" else int(text) if text.isdigit() and int(text) else None


@dataclass(frozen=True, slots=True)
class Held:
    """The cpuidle states that some CPUs of a running machine share.

    states     all states, by number, with the counters of all CPUs
    first_row  number of the first state that is a row of the table; those before it are the
               kernel's own (snooze, POLL, WFI)
    cpus       CPUs with this table
    driver     name in cpuidle/driver/name; "" where the dump does not tell
    governor   name in cpuidle/current_governor; likewise
    kernel     as it calls itself: uname -r, or the line of /proc/version; likewise
    limit_us   latency limit of these CPUs; None: none is known
    dump       the dump that they are from, with the other CPUs; None of states made otherwise
    """

    states: tuple[SysfsState, ...]
    first_row: int = 0
    cpus: tuple[int, ...] = ()
    driver: str = ""
    governor: str = ""
    kernel: str = ""
    limit_us: int | None = None
    dump: Dump | None = field(default=None, compare=False, repr=False)

    form: ClassVar[Literal["sysfs"]] = "sysfs"

    def of_row(self, row: int) -> SysfsState:
        """The state that a row of the table shows."""
        return self.states[self.first_row + row]


@dataclass(frozen=True, slots=True)
class BuiltInState:
    """A struct cpuidle_state as the compiler stores it. Times in us.

    description  its member desc
    flags        CPUIDLE_FLAG_* and the driver's own bits
    flag_names   names of the set bits, of those that the headers name; others as 0x...; without the
                 bits of the hint
    power_usage  "in mW"; -1 where the driver says UINT_MAX
    mwait_hint   what MWAIT is given (bits 24 to 31 of flags); None in drivers that do not use MWAIT
    beyond_us    nanoseconds of both times beyond these us, where the source gives ns alone
    """

    name: str
    description: str
    exit_latency_us: int
    target_residency_us: int
    flags: int = 0
    flag_names: tuple[str, ...] = ()
    power_usage: int = 0
    mwait_hint: int | None = None
    beyond_us: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class MatchedCpu:
    """A processor of the list by which intel_idle chooses its table (struct x86_cpu_id).

    name      as the kernel's headers call it: SKYLAKE_X
    vendor    X86_VENDOR_*: 0 for Intel
    family, model   of CPUID leaf 1
    entry     the struct idle_cpu that it leads to; processors of one entry are treated alike
    table     the array of that entry; "" for none: its states come from ACPI
    settings  the other members of that entry that are not 0, in their order: use_acpi,
              disable_promotion_to_c1e, auto_demotion_disable_flags and the like
    """

    name: str
    vendor: int
    family: int
    model: int
    entry: str
    table: str
    settings: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class TableUse:
    """A place where a driver's source uses a table: what chooses, registers or changes it.

    function    the function that it is in; "" for none, as in a table of device ids
    conditions  the if, else, switch and loops around it there, the outermost first
    text        the statement, or the row of such a table
    """

    function: str
    conditions: tuple[str, ...]
    text: str
    where: Location = field(default=Location(), compare=False)


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A table in the source of a Linux driver, as it is compiled: a struct cpuidle_driver, or an
    array of struct cpuidle_state that a driver makes its own states of.

    states       all states, by number
    first_row    number of the first state that is a row of the table; state 0 is none where it is
                 what any CPU does (WFI, wait, polling)
    count        state_count; None where the source gives none, as for arrays and for drivers that
                 count when they start
    safe         safe_state_index
    driver       the driver's name; "" for an array
    governor     the governor that the driver asks for; "" for none
    archs        the architectures whose headers give these values; () where the source needs none
    uses         what else the source does with the table, in its order
    cpus         of an array of intel_idle: the processors that have it when the driver starts
    machine      of a packaged table of intel_idle: the machine it was named by, "skx"
    by_release   each release has figures of its own for it, which are packaged; False: these count
    """

    states: tuple[BuiltInState, ...]
    first_row: int = 0
    count: int | None = None
    safe: int = 0
    driver: str = ""
    governor: str = ""
    archs: tuple[str, ...] = ()
    uses: tuple[TableUse, ...] = ()
    cpus: tuple[MatchedCpu, ...] = ()
    machine: str = ""
    by_release: bool = False

    form: ClassVar[Literal["driver"]] = "driver"

    def of_row(self, row: int) -> BuiltInState:
        """The state that a row of the table shows."""
        return self.states[self.first_row + row]

    @property
    def is_intel_idle(self) -> bool:
        """Tells whether it is an array of intel_idle, whose states are entered by MWAIT."""
        return any(state.mwait_hint is not None for state in self.states)


@dataclass(frozen=True, slots=True)
class AcpiIdle:
    """The ACPI objects for the idle states of some processors, unchanged.

    processors  those with equal objects
    cst         _CST as it evaluates; None for none. `acpi_objects.cst_entries` has its C-states
    lpi         the processors' own level and the containers (ACPI0010) above it, the innermost
                first; () where no level has a _LPI. `acpi_objects.lpi_states` has a level's states
    fadt        of the machine; None where the input has none
    arch        "x86", "arm64" or "riscv64" by the interrupt controllers of the processors (MADT);
                "" where the input has no such table
    evaluated   by acpiexec; False if the objects were read as they stand in the tables
    depends     they are otherwise where ports, or memory that firmware fills, are not 0
    machine     all processors of the machine that have objects, these among them, in groups of
                equal ones in the order of their first; () where these are all
    """

    processors: tuple[AcpiProcessor, ...]
    cst: AcpiObject = None
    lpi: tuple[LpiLevel, ...] = ()
    fadt: Fadt | None = None
    arch: str = ""
    evaluated: bool = field(default=False, compare=False)
    depends: bool = field(default=False, compare=False)
    machine: "tuple[AcpiIdle, ...]" = field(default=(), compare=False, repr=False)

    form: ClassVar[Literal["acpi"]] = "acpi"

    @classmethod
    def of_states(
        cls,
        processors: Sequence[AcpiProcessor],
        entries: Sequence[CstEntry],
        names: Sequence[str] = (),
        residencies_us: Sequence[int] = (),
    ) -> Self:
        """The _CST of an x86 machine, and, where residencies are given, a _LPI of the same states.
        Its names are those of _LPI."""
        cst = [
            (bytes(each.register), each.kind, each.latency_us, each.power_mw) for each in entries
        ]
        states = zip(residencies_us, entries, names, strict=True) if residencies_us else ()
        lpi: list[AcpiObject] = [
            (residency_us, each.latency_us, 1, 0, 0, 0, bytes(each.register), 0, 0, name)
            for residency_us, each, name in states
        ]
        levels = [LpiLevel(each.path, (0, 1, len(lpi), *lpi)) for each in processors[:1] if lpi]
        return cls(tuple(processors), (len(cst), *cst), tuple(levels), arch="x86")

    @property
    def rows(self) -> "tuple[AcpiEntry, ...]":
        """The table's rows in their order: the C-states of _CST, else the states of all levels
        of _LPI, the processors' own first."""
        found = self.entries(cst=self.cst is not None)
        return tuple(each for each in found if not isinstance(each.entry, Malformed))

    @property
    def malformed(self) -> "tuple[AcpiEntry, ...]":
        """The entries of _CST and _LPI that violate the ACPI specification."""
        found = (*self.entries(cst=True), *self.entries(cst=False))
        return tuple(each for each in found if isinstance(each.entry, Malformed))

    def entries(self, *, cst: bool) -> "Iterator[AcpiEntry]":
        """The elements of _CST, or of _LPI, good or not; one for an object that is none."""
        if not cst:
            for level in self.lpi:
                if level.lpi is not None:
                    yield from _entries(f"{level.path}._LPI", level.lpi, lpi_states, 3)
        elif self.cst is not None:
            yield from _entries(f"{self.processors[0].path}._CST", self.cst, cst_entries, 1)


@dataclass(frozen=True, slots=True)
class AcpiEntry:
    """An element of _CST or _LPI. object: path of that; index: of the element in the package, None
    for the object as a whole."""

    object: str
    index: int | None
    entry: CstEntry | LpiState | Malformed

    @property
    def path(self) -> str:
        return self.object if self.index is None else f"{self.object}[{self.index}]"


def _entries(
    path: str,
    found: AcpiObject,
    read: "Callable[[AcpiObject], Sequence[CstEntry | LpiState | Malformed]]",
    first: int,
) -> Iterator[AcpiEntry]:
    try:
        for index, entry in enumerate(read(found), first):
            yield AcpiEntry(path, index, entry)
    except Malformed as error:
        yield AcpiEntry(path, None, error)


@dataclass(frozen=True, slots=True)
class ListedNode:
    """An idle-state node of a device tree, its properties as raw bytes.

    where   place of the node
    places  property -> its place
    """

    path: str
    properties: Mapping[str, bytes] = field(default_factory=dict)
    where: Location = field(default=Location(), compare=False, repr=False)
    places: Mapping[str, Location] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        """The node's name without its unit address, as Linux's node->name."""
        return self.path.rpartition("/")[2].partition("@")[0]

    def u32(self, name: str) -> int | None:
        """Returns the first cell, as of_property_read_u32() does; None if absent or shorter."""
        data = self.properties.get(name, b"")
        return int.from_bytes(data[:4], "big") if len(data) >= 4 else None

    def strings(self, name: str) -> tuple[str, ...]:
        data = self.properties.get(name, b"")
        parts = (data[:-1] if data.endswith(b"\0") else data).split(b"\0") if data else []
        return tuple(part.decode("utf-8", "surrogateescape") for part in parts)

    @property
    def available(self) -> bool:
        """Tells whether Linux takes the node for available by its status:
        of_device_is_available()."""
        if "status" not in self.properties:
            return True
        return self.strings("status")[:1] in (("okay",), ("ok",))

    def at(self, name: str) -> Location:
        return self.places.get(name, self.where).at(f"{self.path}:{name}")


@dataclass(frozen=True, slots=True)
class Broken:
    """An entry of a phandle list that refers to no node.

    property, index  the list, and the entry's position in it
    reason           why the entry leads nowhere
    """

    property: str
    index: int
    reason: str
    where: Location = field(default=Location(), compare=False)


@dataclass(frozen=True, slots=True)
class DomainReference:
    """An entry of a power-domains list. path: of the node, "" for a phandle of 0; arguments: how
    many cells follow the phandle."""

    path: str
    arguments: int = 0


@dataclass(frozen=True, slots=True)
class PowerDomain:
    """A node where Linux looks for the CPUs' power domains: below PSCI's node on Arm, below
    /cpus/power-domains on RISC-V.

    provides  it has #power-domain-cells; other nodes are no power domains
    states    nodes of domain-idle-states, None for a reference that leads nowhere
    parent    the domain it is part of; None if it names none, or cannot be read
    """

    path: str
    provides: bool = True
    states: tuple[ListedNode | None, ...] = ()
    parent: DomainReference | None = None


@dataclass(frozen=True, slots=True)
class Misspelt:
    """A property that Linux does not read, one letter from one that it would.

    node   path of the CPU, power domain or idle state
    found  the property's name in the tree
    meant  the name that Linux reads
    """

    node: str
    found: str
    meant: str
    where: Location = field(default=Location(), compare=False, repr=False)

    @property
    def fault(self) -> str:
        """The fault as a finding says it."""
        node = self.node.rpartition("/")[2]
        return f"Linux does not read {self.found} of {node}; write {self.meant} instead"


@dataclass(frozen=True, slots=True)
class IdleList:
    """The idle states of CPUs that share a list (Arm and RISC-V).

    cpus           paths of the CPU nodes
    enable_method  enable-method of these CPUs; "" if they have none
    riscv          True for RISC-V CPUs, False for Arm
    numbers        the numbers of these CPUs, in the order of the tree
    flat           nodes of cpu-idle-states, None for a reference that leads nowhere
    own_domain     nodes of domain-idle-states of the CPU's own power domain, likewise
    above          nodes of the power domains above that one, the innermost domain first, each
                   node once; Linux makes no cpuidle states of them
    broken         the references that lead nowhere
    attached       the power domain that the CPUs name "psci" or "sbi"; None if they name none
    first_domain   path of the power domain they name first, whose states Linux reads; "" for none
    names_domains  the CPUs have both power-domains and power-domain-names
    power_domains  the power domains of the tree, in its order
    unlisted       the tree's nodes of idle states that are enabled, and that nothing refers to
    misspelt       properties of the tree's CPUs, power domains and idle states that are one letter
                   from one that Linux reads
    entry_methods  the tree's nodes that have entry-method
    timer_runs     Arm's architected timer is always-on: it runs while its CPU is powered down
    method_where   place of the first CPU's enable-method, or of where one belongs
    siblings       every IdleList of the tree, this one included
    """

    cpus: tuple[str, ...]
    enable_method: str = ""
    riscv: bool = False
    numbers: tuple[int, ...] = ()
    flat: tuple[ListedNode | None, ...] = ()
    own_domain: tuple[ListedNode | None, ...] = ()
    above: tuple[tuple[ListedNode, ...], ...] = ()
    broken: tuple[Broken, ...] = ()
    attached: DomainReference | None = None
    first_domain: str = ""
    names_domains: bool = False
    power_domains: tuple[PowerDomain, ...] = field(default=(), repr=False)
    unlisted: tuple[ListedNode, ...] = field(default=(), repr=False)
    misspelt: tuple[Misspelt, ...] = field(default=(), repr=False)
    entry_methods: tuple[ListedNode, ...] = field(default=(), repr=False)
    timer_runs: bool = False
    where: Location = field(default=Location(), compare=False, repr=False)
    method_where: Location = field(default=Location(), compare=False, repr=False)
    siblings: "tuple[IdleList, ...]" = field(default=(), compare=False, repr=False)

    form: ClassVar[Literal["nodes"]] = "nodes"

    @property
    def of_tree(self) -> "tuple[IdleList, ...]":
        """Every list of the tree; this one where no other is known."""
        return self.siblings or (self,)

    @property
    def domains(self) -> tuple[ListedNode, ...]:
        """The nodes of all power domains above the CPUs' own."""
        return tuple(node for nodes in self.above for node in nodes)

    def nodes(self, hierarchy: bool = True) -> tuple[ListedNode, ...]:
        """The state nodes in the order of of_get_cpu_state_node(), up to the first index without
        a node. At an index that both have, the power domain's node stands for the CPU's.

        hierarchy: whether the kernel looks at power domains (since 5.6)
        """
        found = []
        for own, flat in zip_longest(self.own_domain if hierarchy else (), self.flat):
            node = own or flat
            if node is None:
                break
            found.append(node)
        return tuple(found)
