"""IS615 mixed-parameter-formats: suspend parameters of one tree are in two formats.

What it does
    Tells the formats of arm,psci-suspend-param apart by bits that one of them alone has: bit 30, or
    any other above bit 25 or between 17 and 23, of the extended StateID; bit 16 without these, of
    the original format.

Why is this bad
    Firmware takes one format, and says which. Linux holds every parameter against that one's mask
    when it starts, and one that does not fit leaves all CPUs without a driver.

Example
    TWO_STATES of trees.py, but
    -         arm,psci-suspend-param = <0x10001>;
    +         arm,psci-suspend-param = <0x40000003>;

Use instead
    -         arm,psci-suspend-param = <0x40000003>;
    +         arm,psci-suspend-param = <0x1010000>;

Ground
    Arm DEN0022, CPU_SUSPEND, power_state; Linux drivers/firmware/psci/psci.c
    psci_power_state_is_valid(), which PSCI_FEATURES decides on.

IS618 shared-parameter: two states of one list are entered with the same parameter.

What it does
    Compares the suspend parameters of the enabled states of one CPU's list, and of one power
    domain.

Why is this bad
    Firmware does the same for both, whatever their times say. Mostly a node was copied and its
    parameter forgotten, so the state that was meant does not exist.

Example
    TWO_STATES of trees.py, but
    -         arm,psci-suspend-param = <0x10001>;
    +         arm,psci-suspend-param = <0x10000>;

Use instead
    TWO_STATES of trees.py

Ground
    Linux drivers/cpuidle/cpuidle-psci.c psci_cpu_suspend_enter(), cpuidle-riscv-sbi.c: the
    parameter is all that reaches firmware.

IS620 cluster-at-cpu-level: a cluster's state asks for the CPU alone.

What it does
    Looks at nodes called cluster-... in a CPU's list, with a parameter in the original format: its
    bits 24 and 25, the highest level that the state is of, are 0.

Why is this bad
    Level 0 is the CPU. Firmware leaves the cluster on, while the times are those of turning it off:
    the state costs what it does not save. Usually the bits were forgotten.

Example
    TWO_STATES of trees.py, but
    -     deep: deep {
    +     deep: cluster-sleep {

Use instead
    -         arm,psci-suspend-param = <0x10001>;
    +         arm,psci-suspend-param = <0x1010001>;

Ground
    Arm DEN0022, CPU_SUSPEND, power_state, original format, PowerLevel; Linux
    Documentation/devicetree/bindings/cpu/idle-states.yaml, names of nodes.

IS630 parameters-not-increasing: a state has a lower suspend parameter than the state before it.

What it does
    Compares the suspend parameters of neighbours in one CPU's list, and in one power domain, where
    both power down or neither does. Not reported where the times are not in order, either: then
    IS204 or IS205 reports it.

Why is this bad
    Firmware numbers its states by depth: of all boards of Linux 7.1 not one has parameters that
    fall from one state to a deeper one, but for a list that is in the wrong order. Either two
    states are listed in the wrong order, or the times of one are another's. PSCI leaves StateIDs to
    the platform, which is why this is a warning of medium confidence.

Example
    TWO_STATES of trees.py, but
    -         arm,psci-suspend-param = <0x10000>;
    +         arm,psci-suspend-param = <0x10002>;
              entry-latency-us = <300>;
    -         exit-latency-us = <600>;
    +         exit-latency-us = <500>;
              min-residency-us = <2000>;

Use instead
    -         arm,psci-suspend-param = <0x10002>;
    +         arm,psci-suspend-param = <0x10000>;

Ground
    Arm DEN0022, CPU_SUSPEND, power_state, recommended StateID encoding: each level's share grows
    with depth; docs/mainline.md.
"""

from itertools import pairwise

from ..devicetree.idle_nodes import row_nodes
from ..linux.suspend_parameter import PSCI_PARAMETER, Parameter, formats, parameter_of
from .competing import competing
from .is6_nodes import StateNode, listed_by, own_nodes, speaks_for_tree
from .rows import StateRow, repeated
from .rule import Confidence, Rule, Severity, Subject, Verdict, Verdicts

MIXED = Rule("IS615", "mixed-parameter-formats", Severity.WARNING, forms=("nodes",))
SHARED = Rule("IS618", "shared-parameter", Severity.ERROR, forms=("nodes",))
LEVEL = Rule("IS620", "cluster-at-cpu-level", Severity.WARNING, Confidence.MEDIUM, forms=("nodes",))
FALLING = Rule(
    "IS630", "parameters-not-increasing", Severity.WARNING, Confidence.MEDIUM, forms=("nodes",)
)
RULES = (MIXED, SHARED, LEVEL, FALLING)


@MIXED.of_table
def check_formats(subject: Subject) -> Verdicts:
    found = formats(listed_by(subject))
    if len(found) > 1 and speaks_for_tree(subject):
        (first, node), (second, other) = found.items()
        values = [f"{one.u32(PSCI_PARAMETER) or 0:#x}" for one in (node, other)]
        yield Verdict(
            other.at(PSCI_PARAMETER),
            f"expected parameters in one format, found {second} in {other.name} ({values[1]}), "
            f"{first} in {node.name} ({values[0]})",
            related=((node.at(PSCI_PARAMETER), f"the {first} format"),),
        )


@SHARED.of_each(competing)
def check_values(group: list[StateRow]) -> Verdicts:
    for first, row in repeated(group, _value):
        nodes = row_nodes(listed_by(row.subject))
        one, other = nodes[first.number], nodes[row.number]
        yield row.verdict(
            "control",
            f"{one.name} and {other.name} are both entered with parameter {_value(row):#x}",
            related=[(first.at("control"), f"{one.name} is here")],
        )


def _value(row: StateRow) -> int | None:
    parameter = _parameter(row)
    return parameter.value if parameter else None


def _parameter(row: StateRow) -> Parameter | None:
    listed = listed_by(row.subject)
    return parameter_of(listed, row_nodes(listed)[row.number])


@LEVEL.of_each(own_nodes)
def check_level(each: StateNode) -> Verdicts:
    name, parameter = each.node.name, parameter_of(each.listed, each.node)
    if parameter and parameter.level == 0 and name.startswith("cluster-"):
        message = f"expected a level above 0 in {name}'s parameter {parameter.value:#x}"
        yield Verdict(each.at_row("control"), f"{message}, found {parameter}")


@FALLING.of_each(competing)
def check_order(group: list[StateRow]) -> Verdicts:
    for before, row in pairwise(group):
        first, second = _parameter(before), _parameter(row)
        if not first or not second or first.power_down != second.power_down:
            continue
        if second.value < first.value and _costs(before) <= _costs(row):
            yield row.verdict(
                "control",
                f"{row.name} has parameter {second.value:#x}, {before.name} before it "
                f"{first.value:#x}: firmware usually numbers deeper states higher; check the order",
                related=[(before.at("control"), f"{before.name} is here")],
            )


def _costs(row: StateRow) -> tuple[int, int]:
    return row.state.residency_ns or 0, row.state.latency_ns
