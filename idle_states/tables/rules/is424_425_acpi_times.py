"""IS424 acpi-time-wraps: a time of ACPI's does not fit the kernel's 32 bits.

What it does
    Looks for latencies and residencies of _CST and _LPI above 4294967295 us, and for latencies of
    _CST from which the driver makes a residency that does not fit: from 2147483648 us on for
    acpi_idle, which takes twice the latency, from 1431655766 us on for intel_idle, which takes
    three times the latency.

Why is this bad
    The slowest state becomes one of the fastest: it passes every latency limit, or is selected for
    every idle period. Firmware that means "never" leaves the state out.

Example
    ONE_CST of trees.py, but
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 40, 500}
    +             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 16)}, 2, 0x80000000, 1}

Use instead
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 16)}, 2, 0x80000000, 1}
    +             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 16)}, 2, 0x7fffffff, 1}

Ground
    Linux drivers/acpi/acpi_processor.c acpi_processor_evaluate_cst(), whose latency is a u32;
    drivers/acpi/processor_idle.c acpi_processor_setup_cpuidle_cx(); drivers/idle/intel_idle.c
    intel_idle_init_cstates_acpi().

IS425 times-of-another-processor: a processor's states have the times of the first one's.

What it does
    Reports C-states of a processor that acpi_idle registers with other times than its _CST says,
    because the first processor's _CST says others.

Why is this bad
    acpi_idle has one table of states for all processors. Governors choose by the first one's
    times, and enter the state of the processor's own: a latency limit that the first keeps is
    broken by the others.

Example
    TWO_CST of trees.py, but
          Device (\\_SB.CPU1) {
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 40, 500}
    +             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 90, 500}

Use instead
    TWO_CST of trees.py

Ground
    Linux drivers/acpi/processor_idle.c acpi_processor_setup_cpuidle_states(), which is called once,
    for the first processor.
"""

from .rows import every_row
from .rule import KernelView, Rule, Severity, Verdicts

WRAPS = Rule("IS424", "acpi-time-wraps", Severity.ERROR, forms=("acpi",))
OTHERS = Rule("IS425", "times-of-another-processor", Severity.WARNING, forms=("acpi",))
RULES = (WRAPS, OTHERS)
_A = {"latency": "an exit latency", "residency": "a residency"}
_THE = {"latency": "the exit latency", "residency": "the residency"}


@WRAPS.of_each_driver
def check_wrapping(view: KernelView) -> Verdicts:
    for changed in view.driver.changed:
        if changed.cause in ("wrapped", "by-latency-wrapped"):
            state = view.subject.table.states[changed.index]
            found = f"{changed.state} has an exit latency of {state.latency_ns // 1000} us"
            if changed.before != "none":
                found = f"{changed.state} has {_A[changed.field]} of {changed.before}"
            outcome = f"{_THE[changed.field]} wraps to {changed.after}"
            yield every_row(view.subject)[changed.index].verdict(
                changed.field, f"{found}; {outcome}"
            )


@OTHERS.of_each_driver
def check_leader(view: KernelView) -> Verdicts:
    for changed in view.driver.changed:
        if changed.cause == "of-leader":
            message = f"{changed.before} is registered as {changed.after}: {changed.reason}"
            yield every_row(view.subject)[changed.index].verdict("latency", message)
