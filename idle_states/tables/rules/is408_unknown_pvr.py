"""IS408 unknown-pvr: a kernel has no stop states for the table's processor.

What it does
    Compares the table's processor version with those each kernel has a stop driver for. Kernels
    before 4.8 have none for any.

Why is this bad
    Such a kernel parses the tree, registers snooze alone and says nothing about it. It is not
    the table's mistake, hence a note: but whoever measures the table with that kernel measures
    snooze. POWER11 takes POWER10's table, and Linux accepts its PVR since 6.19.

Example
    # kernel: 6.12
    extends: power11

Use instead
    # kernel: 6.19
    extends: power11

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(), fbe409d138b1 for POWER11;
    3005c597ba46 (4.8) for stop states at all. skiboot 8cd82f715 for POWER11's table.
"""

from ...base.model.processors import VERSIONS
from .is4_kernels import gave_up, knows_processor
from .rule import KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule("IS408", "unknown-pvr", Severity.NOTE, forms=("spec", "dt"))


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    subject, features = view.subject, view.release.features
    if gave_up(view.driver) or knows_processor(view) or not subject.exported_indices:
        return
    cpu = subject.cpu
    whose = f" for PVR {cpu.pvr:#06x} ({cpu.generation})" if features.stop else ""
    version = VERSIONS.get(cpu.pvr)
    if features.stop and version is not None and version.linux is None:
        whose += ", nor has any modelled kernel that looks at it"
    yield Verdict(
        subject.at(None, "cpu"),
        f"the kernel has no stop driver{whose}, so it registers none of the states",
    )
