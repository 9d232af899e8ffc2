"""The keys of a spec, in the order in which they are written."""

TOP_KEYS = (
    "name",
    "title",
    "note",
    "historical",
    "extends",
    "cpu",
    "firmware",
    "partition",
    "register",
    "mask",
    "architecture",
    "cpus",
    "domains-at",
    "domains",
    "timer-always-on",
    "provenance",
    "states",
    "override",
    "drop",
)
OF_TABLES = ("cpu", "firmware", "partition", "register", "mask", "historical")
OF_TREES = ("architecture", "cpus", "domains-at", "domains", "timer-always-on")
"""Keys of the one kind of spec that the other does not have."""
STATE_OF_TREES = (
    "entry",
    "exit",
    "wakeup",
    "timer-stop",
    "parameter",
    "description",
    "label",
    "node",
    "compatible",
    "status",
    "properties",
)
STATE_KEYS = (
    "name",
    "latency",
    "residency",
    "flags",
    "psscr",
    "pmicr",
    "mask",
    "scope",
    "cpuidle",
    "reason",
    "note",
    "measured",
    "power",
    "provenance",
    *STATE_OF_TREES,
    "before",
)
STATE_OF_TABLES = ("latency", "flags", "psscr", "pmicr", "mask", "cpuidle", "reason")
PROVENANCE_KEYS = ("kind", "source", "confidence", "note")
PROVENANCE_KINDS = ("commit", "measured", "estimate", "architecture", "file")
CONFIDENCES = ("high", "medium", "low")
