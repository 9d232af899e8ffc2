"""IS418 unrepairable-cst: a _CST over which ACPICA, which repairs it, leaves its memory.

What it does
    Reports a _CST that is an empty package, or has a C-state without a type, such as one of a
    register alone: the kernel's ACPICA, which sorts C-states by type before any driver sees them,
    reads beyond the package or through a null pointer. So it does where the number of C-states or
    a type is an object of another kind that it cannot convert.

Why is this bad
    The kernel crashes at boot, when acpi_idle evaluates the processors' objects, whichever
    processor has it.

Example
    DefinitionBlock ("", "DSDT", 2, "OWN", "IDLE", 1) {
        Device (\\_SB.CPU0) {
            Name (_HID, "ACPI0007")
            Name (_UID, 0)
            Name (_CST, Package () {
                1,
                Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}}
            })
        }
    }

Use instead
    DefinitionBlock ("", "DSDT", 2, "OWN", "IDLE", 1) {
        Device (\\_SB.CPU0) {
            Name (_HID, "ACPI0007")
            Name (_UID, 0)
            Name (_CST, Package () {
                1,
                Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000}
            })
        }
    }

Ground
    Linux drivers/acpi/acpica/nsrepair2.c, acpi_ns_repair_CST(), alike from 6.1 to 7.3; booted in a
    q35 guest by `idle-states boot`. Not told of machines whose intel_idle starts.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .is4_acpi import crashes
from .rule import Rule

RULE = Rule("IS418", "unrepairable-cst", Severity.ERROR, forms=("acpi",))


def check(subject: Subject) -> Iterator[Finding]:
    from ..linux.acpi_idle.several import REPAIRS

    for where, message, kernels in crashes(subject, REPAIRS):
        yield RULE.finding(subject, message, where, kernels=kernels)
