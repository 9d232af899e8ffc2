"""Boots of QEMU's x86 machine q35, whose processors have the _CST and _LPI of a TABLE.

aml      ACPI tables as bytes
machine  the machine, and what its processors answer
parts    QEMU, kernel and busybox of the distribution
objects  a TABLE's objects, given to the machine's processors
guest    what the guest prints
boot     a boot, and what was seen of it; a kernel that crashes among it
predict  the models' predictions beside that
run      all of it
"""
