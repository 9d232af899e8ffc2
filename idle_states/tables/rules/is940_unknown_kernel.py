"""IS940 unknown-kernel: what a kernel does cannot be told, because it is not known itself.

What it does
    A kernel that is not known itself is worked out as each of the known kernels around it: a build
    of a distribution that lies between two that were read, or a name such as el9 or debian-12 that
    spans several. A finding with all of them is a finding. One with some of them only becomes this
    warning, which names these and the others. Other commands give both answers, side by side.

Why is this bad
    The kernel that runs may be either.

Example
    idle-states check power9 --kernel el8

Use instead
    idle-states check power9 --kernel 4.18.0-553.el8_10

Ground
    This tool's own rule; idle_states/tables/linux/brackets.py. `uname -r` of the machine tells its
    build; `idle-states kernels NAME` lists how well it is known.
"""

from .rule import Rule, Severity

RULES = (Rule("IS940", "unknown-kernel", Severity.WARNING),)
