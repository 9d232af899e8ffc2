"""IS507 not-as-predicted: a running machine has other idle states than the model of its kernel.

What it does
    In an audit of a collection, follows the device tree through the model of the kernel that the
    collection names, and compares the result with the machine's own sysfs, state by state: name,
    exit latency, target residency, missing states, and additional states. On OPAL also the lines of
    the kernel log, as far as the log goes back to the boot. Where the kernel is not known exactly,
    the nearer end counts. Of Arm and RISC-V machines, CPUs are compared with the list of the tree
    that is nearest.

Why is this bad
    The machine does not run what its tree says: the tree was changed after the boot, the kernel
    has changes of its own, a parameter leaves states out, firmware refused them, or the model is
    wrong. The other findings on the table are then about another machine.

Example
    idle-states audit machine.tar, where state1/latency is 2 and the tree says 1 us

Use instead
    Find out which of them is wrong; a wrong model is a fault of this tool.

Ground
    This tool's own rule; idle_states/tables/audit/running.py.
"""

from .rule import Confidence, Rule, Severity

RULES = (Rule("IS507", "not-as-predicted", Severity.WARNING, Confidence.MEDIUM),)
