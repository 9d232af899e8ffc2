"""Boots of QEMU's x86 machine q35, whose processors have the _CST and _LPI of a TABLE."""
