"""IS931 not-a-device-tree: something that looks like a device tree and is not one.

What it does
    Raised when a blob breaks its format (offsets or sizes outside the file, an unknown version,
    unbalanced nodes, a name or value beyond its block), when dtc refuses a source, with its
    complaints at their places, and for directories with names or a depth no tree has. Exit
    status 3.

Why is this bad
    A blob like that was cut off or damaged. Kernels and firmware refuse it or read beyond it;
    whatever could be read of the idle states would prove nothing.

Example
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = <0x100000 0x101000>
            };
        };
    };

Use instead
    / {
        ibm,opal {
            power-mgt {
                ibm,cpu-idle-state-flags = <0x100000 0x101000>;
            };
        };
    };

Ground
    Devicetree Specification v0.4, chapters 5 (blobs) and 6 (sources).
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS931", "not-a-device-tree", Severity.ERROR, forms=("dt",))
