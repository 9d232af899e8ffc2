"""IS101 unequal-array-lengths: a property has fewer entries than there are flags.

What it does
    Compares the number of entries in each array of /ibm,opal/power-mgt with the number of
    flags, which is the number of states. IS107 counts the names, IS115 looks for extra entries.

Why is this bad
    The arrays are parallel: entry n of each describes state n. Linux, from 4.19 on, reads all or
    nothing: one array that is too short loses every state, and the log blames a "missing"
    property. Short PMICR arrays are a warning: Linux does not read them, but fwts and op-test
    fail the tree.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-flags = <0x100000 0x101000>;
    +             ibm,cpu-idle-state-latencies-ns = <1000>;

Use instead
    -             ibm,cpu-idle-state-latencies-ns = <1000>;
    +             ibm,cpu-idle-state-latencies-ns = <1000 2000>;

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt() asks each array for as
    many entries as there are flags (9c7b185ab2fe); fwts power_mgmt label SizeMismatch; op-test
    DeviceTreeValidation.py "Array size mismatch".

IS107 fewer-names-than-states: the kernel oopses at boot.

What it does
    Counts the strings in ibm,cpu-idle-state-names and compares them with the flags.

Why is this bad
    Every other short array makes Linux give up on the node. Of the names it asks for one per
    state, gets the number there are, which is no error, and then copies each, the missing ones
    from a null pointer (4.8 to 4.18: from an uninitialised one).

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-flags = <0x100000 0x101000>;
    +             ibm,cpu-idle-state-names = "stop0_lite";

Use instead
    -             ibm,cpu-idle-state-names = "stop0_lite";
    +             ibm,cpu-idle-state-names = "stop0_lite", "stop0";

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt() tests
    of_property_read_string_array() for a negative result only (9c7b185ab2fe, read in 6.1); fwts
    power_mgmt label SizeMismatch; op-test "Array size mismatch".

IS115 extra-array-entries: a property has more entries than there are flags.

What it does
    Compares the number of entries in each array of /ibm,opal/power-mgt, names included, with the
    number of flags.

Why is this bad
    Linux 4.12 to 4.18 takes no state from such a tree (an error, if one of them is asked for).
    Others ignore the surplus without a word: the tree works, but if the flag that is missing was
    not the last, every state behind it has its neighbour's latency and PSSCR. fwts and op-test
    fail the tree.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-flags = <0x100000 0x101000>;
    +             ibm,cpu-idle-state-latencies-ns = <1000 2000 5000>;

Use instead
    -             ibm,cpu-idle-state-flags = <0x100000 0x101000>;
    +             ibm,cpu-idle-state-flags = <0x100000 0x101000 0x101000>;

Ground
    Linux drivers/of/property.c: a property may be longer than what is read of it; the comparison
    of sizes came with ecad4502a2c6 and went with 9c7b185ab2fe; fwts power_mgmt label
    SizeMismatch; op-test DeviceTreeValidation.py "Array size mismatch".
"""

from collections.abc import Iterator

from ...base.dataclass import dataclass
from ...base.model.power_mgt import NAMES
from .is1_arrays import UNREAD, PowerNode, expected_arrays, power_nodes, state_count
from .rule import Rule, Severity, Subject, Verdict, Verdicts

_LABELS = ("fwts:SizeMismatch", "op-test:Array size mismatch")
SHORT = Rule(
    "IS101",
    "unequal-array-lengths",
    Severity.ERROR,
    aliases=_LABELS,
    forms=("dt",),
    requires=("IS103",),
)
NAMELESS = Rule("IS107", "fewer-names-than-states", Severity.ERROR, aliases=_LABELS, forms=("dt",))
LONG = Rule("IS115", "extra-array-entries", Severity.WARNING, aliases=_LABELS, forms=("dt",))
RULES = (SHORT, NAMELESS, LONG)


@dataclass(frozen=True, slots=True)
class ArrayProperty:
    """A property that should have an entry for each state."""

    of: PowerNode
    name: str
    found: int
    wanted: int

    def unequal(self, outcome: str, what: str = "entries") -> str:
        return (
            f"expected {self.wanted} {what} in {self.name}, as many as flags, found "
            f"{self.found}; {outcome}"
        )


def arrays(subject: Subject) -> Iterator[ArrayProperty]:
    for of in power_nodes(subject):
        wanted = state_count(of.node)
        for name in expected_arrays(subject.cpu) if wanted is not None else ():
            found = of.node.count(name)
            if found is not None and wanted is not None:
                yield ArrayProperty(of, name, found, wanted)


@SHORT.of_each(arrays)
def check_entries(array: ArrayProperty) -> Verdicts:
    if array.found < array.wanted and array.name != NAMES:
        unread = array.name in UNREAD
        outcome = (
            "Linux does not read it, fwts fails it" if unread else ("Linux registers no state")
        )
        severity = Severity.WARNING if unread else None
        yield Verdict(array.of.node.at(array.name), array.unequal(outcome), severity)


@NAMELESS.of_each(arrays)
def check_names(array: ArrayProperty) -> Verdicts:
    if array.found < array.wanted and array.name == NAMES:
        # An empty property is an error to the kernel, not a short success.
        outcome = "copies the rest from a null pointer" if array.found else "registers no state"
        message = array.unequal(f"Linux {outcome}", "names")
        yield Verdict(array.of.node.at(array.name), message)


@LONG.of_each(arrays)
def check_surplus(array: ArrayProperty) -> Verdicts:
    if array.found <= array.wanted:
        return
    kernels = [each.name for each in array.of.subject.kernels if each.features.sizes_checked]
    fatal = bool(kernels) and array.name not in UNREAD
    outcome = "these kernels register no state" if fatal else "Linux ignores the surplus"
    yield Verdict(
        array.of.node.at(array.name, array.wanted),
        array.unequal(outcome),
        Severity.ERROR if fatal else None,
        kernels=tuple(kernels) if fatal else (),
    )
