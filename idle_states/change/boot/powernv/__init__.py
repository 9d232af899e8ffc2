"""Boots of QEMU's powernv machines, with OPAL, whose firmware has the table of a TABLE."""
