"""IS102 missing-property: an array that every state needs is absent.

What it does
    Looks in /ibm,opal/power-mgt for names, latencies, residencies and flags, and for the control
    register's values and masks: PSSCR on ISA 3.0 processors, PMICR before. A node with none of
    them is IS104.

Why is this bad
    Linux reads all or nothing: without one of them no state is registered and CPUs only snooze.
    The binding calls the residency optional on POWER8; Linux has required it since 4.19, older
    kernels fill in 100 us for nap and 300 ms for sleep. No Linux reads the PMICR properties;
    without them only fwts and op-test fail the tree, hence a warning.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-names = "nap";
    +             ibm,cpu-idle-state-latencies-ns = <4000>;
    +             ibm,cpu-idle-state-flags = <0x11000>;
    +             ibm,cpu-idle-state-pmicr = <0 0>;
    +             ibm,cpu-idle-state-pmicr-mask = <0 0>;

Use instead
                  ibm,cpu-idle-state-latencies-ns = <4000>;
    +             ibm,cpu-idle-state-residency-ns = <100000>;

Ground
    Linux arch/powerpc/platforms/powernv/idle.c pnv_parse_cpuidle_dt(), residency mandatory
    since 9c7b185ab2fe; Documentation/devicetree/bindings/powerpc/opal/power-mgt.txt; fwts
    power_mgmt label DTPropertyReadError.

IS103 ragged-property: a property's length is no whole number of entries.

What it does
    Checks that latencies, residencies and flags are a multiple of 4 bytes long, PSSCR and PMICR
    values and masks a multiple of 8, and ibm,enabled-stop-levels exactly 4.

Why is this bad
    A tree like that was damaged or written by hand. Flags that cannot be counted lose every
    state, and Linux says "Could not allocate memory for dt parsing"; in the other arrays the odd
    bytes are ignored, or the array is too short (IS101). fwts rounds the length down and sees
    nothing.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-flags = [00 10 00 00 00 10 10];

Use instead
    -             ibm,cpu-idle-state-flags = [00 10 00 00 00 10 10];
    +             ibm,cpu-idle-state-flags = [00 10 00 00 00 10 10 00];

Ground
    Linux drivers/of/property.c of_property_count_elems_of_size() as called by
    pnv_parse_cpuidle_dt(); skiboot core/device.c dt_property_get_cell().

IS106 missing-enabled-stop-levels: an ISA 3.0 tree does not say which stop levels may be used.

What it does
    Looks for ibm,enabled-stop-levels in /ibm,opal/power-mgt of a POWER9 or later.

Why is this bad
    The property comes from hostboot by way of skiboot's HDAT parser. skiboot takes an absent one
    as 0 and then exports no state at all, so a tree with states and without this property has
    been edited. fwts stops its idle-state test here.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-names = "stop0_lite";
    +             ibm,cpu-idle-state-psscr = <0 0x330>;

Use instead
              power-mgt {
    +             ibm,enabled-stop-levels = <0xec000000>;

Ground
    skiboot hdata/spira.c add_stop_levels() and hw/slw.c add_cpu_idle_state_properties(); fwts
    power_mgmt label DTPropertyMissing.

IS113 foreign-register-properties: the tree has the control register of another processor.

What it does
    Looks for PSSCR properties on POWER7 and POWER8, and for PMICR properties on ISA 3.0
    processors. A tree that does not name its processor counts as ISA 3.0 if it has PSSCR.

Why is this bad
    skiboot writes one pair or the other. Both together, or the wrong one, mean that nodes of two
    machines were mixed or that the tree was edited; Linux ignores the foreign pair, and may miss
    the one it needs (IS102).

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-psscr = <0 0x330>;
    +             ibm,cpu-idle-state-psscr-mask = <0 0x3003ff>;
    +             ibm,cpu-idle-state-pmicr = <0 0>;

Use instead
    -             ibm,cpu-idle-state-pmicr = <0 0>;

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties(), has_stop_inst; Linux
    pnv_parse_cpuidle_dt() reads PSSCR under CPU_FTR_ARCH_300 and PMICR never.

IS116 unterminated-names: the list of names does not end with a NUL.

What it does
    Looks at the last byte of ibm,cpu-idle-state-names.

Why is this bad
    Linux refuses a string that runs to the end of its property, and with it the whole node: no
    state is registered, and the log says that the names are missing. skiboot never writes that;
    the property was cut off or built by hand.

Example
    POWER_MGT of trees.py, but
              power-mgt {
    +             ibm,cpu-idle-state-names = [73 74 6f 70 30];

Use instead
    -             ibm,cpu-idle-state-names = [73 74 6f 70 30];
    +             ibm,cpu-idle-state-names = [73 74 6f 70 30 00];

Ground
    Linux drivers/of/property.c of_property_read_string_helper() returns -EILSEQ, which
    pnv_parse_cpuidle_dt() takes as a missing property.
"""

from ...base.model import power_mgt as dt
from .is1_arrays import UNREAD, PowerNode, expected_arrays, has_arrays, power_nodes
from .rule import Rule, Severity, Verdict, Verdicts

MISSING = Rule(
    "IS102",
    "missing-property",
    Severity.ERROR,
    aliases=("fwts:DTPropertyReadError",),
    forms=("dt",),
)
RAGGED = Rule("IS103", "ragged-property", Severity.ERROR, forms=("dt",))
NO_LEVELS = Rule(
    "IS106",
    "missing-enabled-stop-levels",
    Severity.WARNING,
    aliases=("fwts:DTPropertyMissing",),
    forms=("dt",),
)
FOREIGN = Rule("IS113", "foreign-register-properties", Severity.WARNING, forms=("dt",))
UNTERMINATED = Rule("IS116", "unterminated-names", Severity.ERROR, forms=("dt",))
RULES = (MISSING, RAGGED, NO_LEVELS, FOREIGN, UNTERMINATED)


@MISSING.of_each(power_nodes)
def check_missing(of: PowerNode) -> Verdicts:
    subject, node = of.subject, of.node
    for name in expected_arrays(subject.cpu) if has_arrays(node) else ():
        if name in node.properties:
            continue
        severity = None
        kernels: tuple[str, ...] = ()
        outcome = "Linux registers no state without it"
        if name in UNREAD:
            severity = Severity.WARNING
            outcome = "Linux does not read it, fwts fails the tree"
        elif name == dt.RESIDENCIES and not subject.cpu.isa300:
            outcome = "Linux from 4.19 on registers no state without it"
            kernels = tuple(r.name for r in subject.kernels if r.features.parse == "platform")
            severity = None if kernels else Severity.WARNING
        message = f"expected the property {name}, found none; {outcome}"
        yield Verdict(node.at(name), message, severity, kernels=kernels)


@RAGGED.of_each(power_nodes)
def check_lengths(of: PowerNode) -> Verdicts:
    node = of.node
    for name, size in dt.CELL_BYTES.items():
        length = len(node.properties.get(name, b""))
        if length % size:
            message = f"expected a multiple of {size} bytes in {name}, found {length}"
            yield Verdict(node.at(name), message)
    levels = node.properties.get(dt.STOP_LEVELS)
    if levels is not None and len(levels) != 4:
        message = f"expected 4 bytes in {dt.STOP_LEVELS}, found {len(levels)}"
        yield Verdict(node.at(dt.STOP_LEVELS), message)


@NO_LEVELS.of_each(power_nodes)
def check_levels(of: PowerNode) -> Verdicts:
    if of.subject.cpu.isa300 and dt.STOP_LEVELS not in of.node.properties:
        outcome = "firmware exports no stop state without it"
        yield Verdict(
            of.node.at(dt.STOP_LEVELS), f"expected {dt.STOP_LEVELS}, found none; {outcome}"
        )


@FOREIGN.of_each(power_nodes)
def check_register(of: PowerNode) -> Verdicts:
    cpu, properties = of.subject.cpu, of.node.properties
    for name in (dt.PMICR, dt.PMICR_MASK) if cpu.isa300 else (dt.PSSCR, dt.PSSCR_MASK):
        if name in properties:
            found = f"{len(properties[name])} bytes; Linux ignores it"
            message = f"expected no {name} on {cpu.generation}, found {found}"
            yield Verdict(of.node.at(name), message)


@UNTERMINATED.of_each(power_nodes)
def check_names(of: PowerNode) -> Verdicts:
    data = of.node.properties.get(dt.NAMES)
    if data and not data.endswith(b"\0"):
        found = f"{data[-1]:#04x}; Linux registers no state"
        yield Verdict(
            of.node.at(dt.NAMES), f"expected a NUL at the end of {dt.NAMES}, found {found}"
        )
