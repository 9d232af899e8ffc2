"""Boots of QEMU's virt machines of Arm and RISC-V, whose CPUs list the idle states of a TABLE."""
