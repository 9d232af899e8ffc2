"""IS417 unequal-cst: processors of one machine whose _CST give unequal numbers of C-states.

What it does
    Reports processors whose _CST comes to fewer C-states than that of the first processor with a
    usable one, and, as a warning, those whose _CST comes to more. What counts is what is left when
    a kernel has dropped the entries that it cannot use.

Why is this bad
    acpi_idle has one table of states for all processors, made of the first one's _CST, but enters
    each processor's own. A processor that has fewer follows a null pointer as soon as it is idle
    for long enough: the kernel crashes. The states that a processor has beyond the first one's are
    never entered.

Example
    TWO_CST of trees.py, but
          Device (\\_SB.CPU1) {
    -             2,
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000},
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 40, 500}
    +             1,
    +             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000}

Use instead
    TWO_CST of trees.py

Ground
    Linux drivers/acpi/processor_idle.c, acpi_processor_setup_cpuidle_cx() and acpi_idle_enter(),
    held to the kernel by guests of q35 booted with such tables. Not told of machines whose
    intel_idle starts.

IS418 unrepairable-cst: a _CST over which ACPICA, which repairs it, leaves its memory.

What it does
    Reports a _CST that is an empty package, or has a C-state without a type, such as one of a
    register alone: the kernel's ACPICA, which sorts C-states by type before any driver sees them,
    reads beyond the package or through a null pointer. So it does where the number of C-states or
    a type is an object of another kind that it cannot convert.

Why is this bad
    The kernel crashes at boot, when acpi_idle evaluates the processors' objects, whichever
    processor has it.

Example
    ONE_CST of trees.py, but
    -             2,
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000},
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 40, 500}
    +             1,
    +             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}}

Use instead
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}}
    +             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000}

Ground
    Linux drivers/acpi/acpica/nsrepair2.c, acpi_ns_repair_CST(), alike from 6.1 to 7.3; booted in a
    q35 guest by `idle-states boot`. Not told of machines whose intel_idle starts.
"""

from ...base.wording import joined
from .rule import KernelView, Rule, Severity, Verdict, Verdicts

UNEQUAL = Rule("IS417", "unequal-cst", Severity.ERROR, forms=("acpi",))
UNREPAIRABLE = Rule("IS418", "unrepairable-cst", Severity.ERROR, forms=("acpi",))
RULES = (UNEQUAL, UNREPAIRABLE)


def crash(view: KernelView, function: str) -> Verdicts:
    """Yields the verdict on a kernel that crashes in a function over the _CST of the table's own
    processors."""
    acpi, fatal = view.subject.table.origin, view.driver.fatal
    if fatal is None or acpi.form != "acpi" or not fatal.startswith(f"{function}()"):
        return
    if acpi.processors[0].path in view.driver.crashing:
        yield Verdict(view.subject.at(None), f"the kernel crashes: {fatal}")


@UNEQUAL.of_each_driver
def check_crash(view: KernelView) -> Verdicts:
    from ..linux.acpi_idle.several import ENTERS

    yield from crash(view, ENTERS)


@UNEQUAL.of_each_driver
def check_others(view: KernelView) -> Verdicts:
    from ..linux.acpi_idle.register import OTHERS

    lost = [lost for lost in view.driver.lost if lost.cause == OTHERS]
    if lost:
        names = joined([each.state for each in lost])
        message = f"{names}: never entered, for {lost[0].reason}"
        yield Verdict(view.subject.at(None), message, Severity.WARNING)


@UNREPAIRABLE.of_each_driver
def check_repairs(view: KernelView) -> Verdicts:
    from ..linux.acpi_idle.several import REPAIRS

    yield from crash(view, REPAIRS)
