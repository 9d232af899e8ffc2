"""Boots of QEMU's virt machines of Arm and RISC-V, whose CPUs list the idle states of a TABLE.

machines  the machines, and what QEMU's firmware does with a suspend parameter
parts     QEMU, kernel and busybox of the distribution
graft     the TABLE's nodes put into the machine's own tree
guest     what the guest prints
predict   the models' predictions beside what it printed
usage     which states it can have entered
domains   power domains, likewise
run       all of it
"""
