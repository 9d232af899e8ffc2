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
    DefinitionBlock ("", "DSDT", 2, "OWN", "IDLE", 1) {
        Device (\\_SB.CPU0) {
            Name (_HID, "ACPI0007")
            Name (_UID, 0)
            Name (_CST, Package () {
                2,
                Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000},
                Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 40, 500}
            })
        }
        Device (\\_SB.CPU1) {
            Name (_HID, "ACPI0007")
            Name (_UID, 1)
            Name (_CST, Package () {
                1,
                Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000}
            })
        }
    }

Use instead
    DefinitionBlock ("", "DSDT", 2, "OWN", "IDLE", 1) {
        Device (\\_SB.CPU0) {
            Name (_HID, "ACPI0007")
            Name (_UID, 0)
            Name (_CST, Package () {
                2,
                Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000},
                Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 40, 500}
            })
        }
        Device (\\_SB.CPU1) {
            Name (_HID, "ACPI0007")
            Name (_UID, 1)
            Name (_CST, Package () {
                2,
                Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000},
                Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x20, 3)}, 2, 40, 500}
            })
        }
    }

Ground
    Linux drivers/acpi/processor_idle.c, acpi_processor_setup_cpuidle_cx() and acpi_idle_enter(),
    held to the kernel by guests of q35 booted with such tables. Not told of machines whose
    intel_idle starts.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..linux.driver_table import DriverTable
from ..linux.releases import Release
from ..pipeline import Subject
from ..wording import joined
from .is4_acpi import crashes
from .rule import Judged, Rule, per_kernel

RULE = Rule("IS417", "unequal-cst", Severity.ERROR, forms=("acpi",))


def check(subject: Subject) -> Iterator[Finding]:
    from ..linux.acpi_idle.register import OTHERS
    from ..linux.acpi_idle.several import ENTERS

    for where, message, kernels in crashes(subject, ENTERS):
        yield RULE.finding(subject, message, where, kernels=kernels)

    def judge(driver: DriverTable, release: Release) -> Iterator[Judged]:
        lost = [lost for lost in driver.lost if lost.cause == OTHERS]
        if lost:
            names = joined([each.state for each in lost])
            yield subject.at(None), f"{names}: never entered, for {lost[0].reason}"

    for where, message, kernels in per_kernel(subject, judge):
        yield RULE.finding(subject, message, where, severity=Severity.WARNING, kernels=kernels)
