"""All machines that can be booted."""

from .machine import Machine
from .powernv.machines import POWERNV
from .q35.machine import Q35
from .virt.machines import VIRT

MACHINES: dict[str, Machine] = {**POWERNV, **VIRT, Q35.name: Q35}
"""Name -> machine."""
