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

STEPS = {
    "skiboot": "give one of the tree's C sources with tables, such as TREE/hw/slw.c",
    "acpi": "print the machine's tables again, as root: acpidump > acpi.txt",
    "directory": "give /proc/device-tree, or pack it: tar -cf tree.tar -C /proc/device-tree/ .",
    "dtb": "copy a machine's tree again, as root: cat /sys/firmware/fdt > machine.dtb",
    "tar": "pack the tree again: tar -cf tree.tar -C /proc/device-tree/ .",
    "sysfs": "gather it again, as root: idle-states collect > c.sh; sh c.sh > machine.tar",
    "lid": "build the image again, or give the skiboot tree that it was built from",
    "dts": "correct the source until `dtc -I dts -O dtb -o board.dtb FILE` compiles it, or give a "
    ".dtb; a source with #include needs its whole source tree",
    "c": "compare with C that can be read: idle-states generate power9 --to c",
    "driver": "give the file as a release has it, or try: idle-states show --platform skx",
    "log": "print the log again: dmesg > kernel.log, or cat /sys/firmware/opal/msglog > opal.log",
    "spec": "see idle-states explain RULE and, as a model, idle-states generate power9 --to yaml",
}
"""NAME -> what to do where it cannot be read; RULE stands for the finding's."""
