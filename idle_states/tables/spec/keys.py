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
    "processors",
    "provenance",
    "states",
    "override",
    "drop",
)
OF_TABLES = ("cpu", "firmware", "partition", "register", "mask", "historical")
OF_ACPI = ("processors",)
OF_TREES = ("architecture", "cpus", "domains-at", "domains", "timer-always-on")
"""Keys of one kind of spec that others do not have."""
X86 = "x86"
"""The architecture of specs of ACPI."""
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
STATE_OF_ACPI = ("type", "mwait", "port", "register", "power-mw", "lpi-residency")
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
    *STATE_OF_ACPI,
    "before",
)
REVISION_KEYS = ("generation", "pvr", "chips", "levels", "supported", "kernels")
"""Keys of `cpu` in every spec; the others are those of a spec that defines its processor."""
HARDWARE_KEYS = ("isa", "levels", "grouped-levels", "timebase-stops-from", "fast-sleep")
"""The keys that a new processor takes from that of the spec that it extends."""
CPU_KEYS = (
    *REVISION_KEYS,
    *(key for key in HARDWARE_KEYS if key != "levels"),
    "linux-restores",
    "machine",
    "boost-state",
    "versions",
)
VERSION_KEYS = ("pvr", "chips", "linux", "testers")
CHIP_KEYS = ("name", "cfam-id", "skiboot", "sleeps-from-ec")
FIRMWARE_KEYS = ("array", "file", "ec", "quirk", "fused-core", "copy-of", "shares", "skiboot")
STATE_OF_TABLES = ("latency", "flags", "psscr", "pmicr", "mask", "cpuidle", "reason")
PROVENANCE_KEYS = ("kind", "source", "confidence", "note")
PROVENANCE_KINDS = ("commit", "measured", "estimate", "architecture", "file")
CONFIDENCES = ("high", "medium", "low")
