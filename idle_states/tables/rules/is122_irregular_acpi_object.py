"""IS122 irregular-acpi-object: a _CST or _LPI that is not as ACPI defines it, or is not read whole.

What it does
    Raised when ACPI tables are read: for a _CST or _LPI with elements of other kinds than ACPI's,
    C-states out of order or of type 0, a wrong number of states, an object that is defined twice or
    does not evaluate, for one that depends on ports or on memory that firmware fills, and for AML
    that was not understood.

Why is this bad
    The kernel's ACPICA repairs some of this without a word: it sorts C-states by type, drops those
    of type 0 and sets their number right. What it cannot repair the driver skips, and the state is
    not there. What depends on firmware's memory is evaluated as if that were 0, so that the machine
    may have more states, or others; its cpuidle sysfs tells.

Example
    ONE_CST of trees.py, but
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000},
    -             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 40, 500}
    +             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 40, 500},
    +             Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000}

Use instead
    ONE_CST of trees.py

Ground
    ACPI specification 6.5, 8.4.1.1 (_CST) and 8.4.3.3 (_LPI); Linux
    drivers/acpi/acpica/nsrepair2.c, acpi_ns_repair_CST().
"""

from .rule import Rule, Severity

RULE = Rule("IS122", "irregular-acpi-object", Severity.WARNING, forms=("acpi",))
