"""IS404 state-lost: firmware exports a state and the kernel does not register it.

What it does
    Follows the exported states into each kernel and reports the states that cpuidle lacks, with the
    kernel's reason. Not reported where the spec says `cpuidle: no`; a note where C and device trees
    cannot say it (latency above the limit, winkle) and where the kernel does not read the tree. A
    node given up as a whole is IS406, a processor the kernel does not know IS408.

Why is this bad
    The state is never entered, the log mostly does not mention it, and tuning the row changes
    nothing. What the state was to save is not saved.

Example
    extends: power9
    drop: [stop8, stop11]
    override:
      stop2: {psscr: {rl: 2, mtl: 3, tr: 3, esl: 1}}

Use instead
    -   stop2: {psscr: {rl: 2, mtl: 3, tr: 3, esl: 1}}
    +   stop2: {psscr: {rl: 2, mtl: 3, tr: 3, esl: 1, ec: 1}}

Ground
    Linux drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states() and
    arch/powerpc/platforms/powernv/idle.c pnv_arch300_idle_init(), as far as the release has them.

IS406 all-states-lost: the kernel cannot parse the node and drops every state.

What it does
    Reports trees, and tables whose export would be such a tree, that a kernel gives up on: an
    array absent or too short, lengths that differ (4.12 to 4.18), names without an end.

Why is this bad
    Linux parses all or nothing. One bad array leaves "cpuidle-powernv : Only Snooze is
    available", and before it a message that may name the wrong property. With the ladder
    governor that is a crash, up to e5c9ffc6ae1b.

Example
    extends: power9
    override:
      stop2: {residency: none}

Use instead
    -   stop2: {residency: none}
    +   stop2: {residency: 100us}

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt() since 9c7b185ab2fe (4.19),
    drivers/cpuidle/cpuidle-powernv.c powernv_add_idle_states() before.

IS407 kernel-oops: a kernel crashes over the tree.

What it does
    Reports trees, and tables whose export would be such a tree, that a kernel does not survive:
    fewer names than states, and up to 4.7 more states than the driver has room for.

Why is this bad
    The machine does not boot, or the kernel overwrites what lies behind its array. The tree
    comes from firmware, so no kernel parameter but powersave=off helps.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-names = "stop0_lite";
    +             ibm,cpu-idle-state-latencies-ns = <1000 2000>;
    +             ibm,cpu-idle-state-residency-ns = <10000 20000>;
    +             ibm,cpu-idle-state-flags = <0x100000 0x101000>;
    +             ibm,cpu-idle-state-psscr = <0x0 0x330 0x0 0x300330>;
    +             ibm,cpu-idle-state-psscr-mask = <0x0 0x3003ff 0x0 0x3003ff>;

Use instead
    -             ibm,cpu-idle-state-names = "stop0_lite";
    +             ibm,cpu-idle-state-names = "stop0_lite", "stop0";

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt(): a count of names below
    the states passes the test, and the rest are null pointers; cpuidle-powernv.c up to 4.7,
    MAX_POWERNV_IDLE_STATES. Concluded from the code.

IS408 unknown-pvr: a kernel has no stop states for the table's processor.

What it does
    Compares the table's processor version with those each kernel has a stop driver for. Kernels
    before 4.8 have none for any.

Why is this bad
    Such a kernel parses the tree and registers snooze alone, without a message. It is not the
    table's mistake, hence a note: but a measurement of the table with that kernel measures snooze.
    POWER11 takes POWER10's table, and Linux accepts its PVR since 6.19.

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

from ...base.model.power_mgt import NAMES
from ...base.model.stages import Lost
from ...base.model.table import Flag
from ..linux.spec_pvrs import first_driver
from .is4_kernels import PARSE_CAUSES, gave_up, knows_processor, place, row_of
from .rule import KernelView, Rule, Severity, Subject, Verdict, Verdicts

LOST = Rule("IS404", "state-lost", Severity.WARNING)
ALL_LOST = Rule(
    "IS406",
    "all-states-lost",
    Severity.ERROR,
    aliases=("linux:cpuidle-powernv : Only Snooze is available",),
)
OOPS = Rule("IS407", "kernel-oops", Severity.ERROR)
UNKNOWN_PVR = Rule("IS408", "unknown-pvr", Severity.NOTE, forms=("spec", "dt"))
RULES = (LOST, ALL_LOST, OOPS, UNKNOWN_PVR)


@LOST.of_each_driver
def check_lost(view: KernelView) -> Verdicts:
    if gave_up(view.driver) or not knows_processor(view):
        return
    for lost in view.driver.lost:
        severity = _severity(view.subject, lost)
        if severity is not None:
            where = place(view.subject, lost.index)
            yield Verdict(where, f"{lost.state} is lost: {lost.reason}", severity)


def _severity(subject: Subject, lost: Lost) -> Severity | None:
    row = row_of(subject, lost.index)
    state = None if row is None else subject.table.states[row]
    if state is not None and not state.cpuidle:
        return None
    if lost.cause == "static":
        return Severity.NOTE
    winkle = state is not None and state.has(Flag.WINKLE_ENABLED)
    if subject.form != "spec" and (winkle or lost.cause == "over-threshold"):
        return Severity.NOTE
    return Severity.WARNING


@ALL_LOST.of_each_driver
def check_all(view: KernelView) -> Verdicts:
    causes = [lost for lost in view.driver.lost if lost.cause in PARSE_CAUSES]
    messages = [line.text for line in view.driver.messages if line.level in ("warning", "error")]
    log = f'; the log says "{messages[0]}"' if messages else ""
    for lost in causes[:1]:
        yield Verdict(view.subject.at(None), lost.reason + log)


@OOPS.of_each_driver
def check_fatal(view: KernelView) -> Verdicts:
    fatal, node = view.driver.fatal, view.subject.node
    if fatal is not None:
        about_names = node is not None and fatal.startswith(NAMES)
        where = node.at(NAMES) if about_names and node else view.subject.at(None)
        yield Verdict(where, f"the kernel crashes: {fatal}")


@UNKNOWN_PVR.of_each_driver
def check_pvr(view: KernelView) -> Verdicts:
    subject, features = view.subject, view.release.features
    if gave_up(view.driver) or knows_processor(view) or not subject.exported_indices:
        return
    cpu = subject.cpu
    whose = f" for {cpu.version} ({cpu.generation})" if features.stop else ""
    version = cpu.processor.version(cpu.pvr)
    if features.stop and version is not None and version.linux is None:
        whose += ", and no modelled kernel that checks the PVR has one"
    since = first_driver(cpu) if features.stop else ""
    yield Verdict(
        subject.at(None, "cpu"),
        f"the kernel has no stop driver{whose}, so it registers none of the states{since}",
    )
