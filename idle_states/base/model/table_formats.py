"""The formats of a TABLE: each is a module format_NAME of `sources/`."""

FORMATS = {
    "skiboot": "a skiboot tree",
    "acpi": "ACPI tables",
    "directory": "a directory like /proc/device-tree",
    "dtb": "a dtb",
    "tar": "a tar archive of a device tree",
    "sysfs": "a dump of cpuidle sysfs",
    "lid": "a skiboot.lid",
    "dts": "a dts",
    "c": "a C source of skiboot",
    "driver": "a C source of a Linux cpuidle driver",
    "log": "a log of firmware or kernel",
    "spec": "a spec",
}
"""NAME -> what messages call it. What is told by a magic number comes first, the spec, which takes
any text, last."""
