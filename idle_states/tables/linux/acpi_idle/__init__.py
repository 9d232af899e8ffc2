"""acpi_idle: what it registers for a processor's _CST, FADT or _LPI, by release.

machine   what processors and firmware answer, and the driver's parameters
features  how the driver changed over the releases
cst       _CST as the kernel takes it apart
slots     C-states: of _CST or of the FADT, checked, their latencies put in order
lpi       _LPI: the states of a processor and of the containers around it, combined
start     the driver's start, from the objects to the registered states
several   its start on processors whose objects differ
told      the processors and parameters of a running machine
register  a table of ACPI's: what acpi_idle, or intel_idle in its place, registers of it
"""
