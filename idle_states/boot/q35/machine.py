"""QEMU's machine q35: the x86 processors of a guest, and what they answer."""

NAME = "q35"
ARCHITECTURE = "amd64"
"""Debian's name of it."""
PROGRAM, PACKAGE = "qemu-system-x86_64", "qemu-system-x86"
KERNEL = "linux-image-cloud-amd64", "boot/vmlinuz-*", "boot/config-*"
"""Debian package, and the kernel and its configuration in it."""
FULL_KERNEL = "linux-image-amd64"
"""Where a suite has no other."""
OPTIONS = ("-M", "q35,accel=tcg")
CPU = "Skylake-Client,+monitor"
"""A processor that intel_idle has a table for, with MWAIT."""
CONSOLE = "ttyS0"
CPUS_MAX = 8
PROCESSOR = "\\_SB.CPUS.C{:03X}"
"""Path of a processor, by its number."""
MONITOR_ECX, SUBSTATES = 3, 0
"""CPUID leaf 5 under TCG (target/i386/cpu.c cpu_x86_cpuid()): MONITOR's extensions are there, but
MWAIT has no sub-states of any C-state. intel_idle ends with ENODEV, and ACPI's entries of fixed
hardware are refused."""
