"""The real Linux idle drivers as an oracle, compiled on the host against a shim of the kernel.

Nothing of the kernel is kept here. Its sources are read from a kernel tree when an oracle is
built, and compiled beside the shim in ``shim/``, which is ours.
"""

__all__ = ["VERSION2FILES"]

_BINDINGS = "Documentation/devicetree/bindings"
_FILES = (
    "Makefile",
    "arch/arm/include/asm",
    "arch/arm/mach-imx",
    "arch/arm/mach-omap2",
    "arch/arm/mach-s3c",
    "arch/mips/include/asm",
    "arch/powerpc/include/asm",
    "arch/powerpc/platforms/powernv/idle.c",
    "arch/sh/include/asm",
    "arch/sh/kernel/cpu/shmobile",
    "arch/x86/include/asm",
    "arch/x86/kernel/acpi/cstate.c",
    "arch/x86/kernel/apm_32.c",
    "drivers/acpi/acpi_processor.c",
    "drivers/acpi/processor_idle.c",
    "drivers/cpuidle",
    "drivers/idle",
    "drivers/of/base.c",
    "include/acpi",
    "include/linux",
    "kernel/sched",
    "lib/ctype.c",
    "lib/kstrtox.c",
    "lib/kstrtox.h",
    "lib/sort.c",
)
VERSION2FILES = {
    "6.1": (
        *_FILES,
        f"{_BINDINGS}/arm",
        f"{_BINDINGS}/cpu",
        f"{_BINDINGS}/power",
        f"{_BINDINGS}/riscv",
        "arch/*/boot/dts",
        "arch/arm/mach-davinci",
        "drivers/base/power",
        "include/dt-bindings",
        "scripts/dtc/include-prefixes",
    ),
    "6.12": (*_FILES, "drivers/pmdomain"),
}
"""The files that are read of the sources of Debian's kernels, in one place: to unpack one file
takes as long as to unpack all."""
