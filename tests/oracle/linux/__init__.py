"""The real Linux idle drivers as an oracle, compiled on the host against a shim of the kernel.

Nothing of the kernel is kept here. Its sources are read from a kernel tree when an oracle is
built, and compiled beside the shim in ``shim/``, which is ours.
"""

__all__ = ["KERNEL_FILES"]

#: What the oracles read from a kernel tree; unpacking is the same work for one file as for all.
KERNEL_FILES = (
    "Makefile",
    "arch/powerpc/include/asm/cpuidle.h",
    "arch/powerpc/include/asm/opal-api.h",
    "arch/powerpc/include/asm/reg.h",
    "arch/powerpc/platforms/powernv/idle.c",
    "drivers/base/power/domain.c",
    "drivers/cpuidle",
    "drivers/of/base.c",
    "include/linux/cpuidle.h",
    "kernel/sched/idle.c",
    "kernel/sched/pelt.c",
    "kernel/sched/pelt.h",
    "kernel/sched/sched-pelt.h",
)
