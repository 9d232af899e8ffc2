"""QEMU's machine q35: the x86 processors of a guest, and what they answer."""

from ..machine import GUEST, Machine

Q35 = Machine(
    name="q35",
    architecture="amd64",
    program="qemu-system-x86_64",
    package="qemu-system-x86",
    options=(
        *("-M", "q35,accel=tcg", "-m", "256M", "-nodefaults"),
        *("-display", "none", "-serial", "stdio"),
    ),
    arguments=f"console=ttyS0 {GUEST} oops=panic",
    kernel="linux-image-cloud-amd64",
    members=("boot/vmlinuz-*", "boot/config-*"),
    full_kernel="linux-image-amd64",
    suite=None,
    cpus=2,
    cpus_max=8,
)
"""Not quiet, so that the log shows where a boot ended that did not finish. oops=panic: else a guest
would wait for ever after a thread of the kernel has crashed."""
CPU = "Skylake-Client,+monitor"
"""A processor that intel_idle has a table for, with MWAIT."""
PROCESSOR = "\\_SB.CPUS.C{:03X}"
"""Path of a processor, by its number."""
MONITOR_ECX, SUBSTATES = 3, 0
"""CPUID leaf 5 under TCG (target/i386/cpu.c cpu_x86_cpuid()): MONITOR's extensions are there, but
MWAIT has no sub-states of any C-state. intel_idle ends with ENODEV, and ACPI's entries of fixed
hardware are refused."""
