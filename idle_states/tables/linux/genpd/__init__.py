"""Power domains of CPUs (Arm, RISC-V): which state a cluster enters once its last CPU idles.

Model of genpd (drivers/pmdomain/core.c, before 6.7 drivers/base/power/domain.c) and of its
governor for CPUs (drivers/pmdomain/governor.c, before drivers/base/power/domain_governor.c).

    tables     the domains and their states, as a kernel has them
    features   how both changed over the releases
    governor   which state fits: power_down_ok()
    gates      when a domain is turned off at all, and those it is part of
    reading    the domains that a kernel makes of a tree
    running    a machine's domains while its CPUs idle and wake
"""
