"""Boots of QEMU's powernv machines, with OPAL, whose firmware has the table of a TABLE.

machines  the machines
build     an image built of skiboot's sources
change    what patches make of these
image     the image that is booted
levels    stop levels that firmware is told of
predict   the models' predictions beside what the guest printed
boot      a boot from TABLE to verdict
twice     two of them, before and after a tree is patched
"""
