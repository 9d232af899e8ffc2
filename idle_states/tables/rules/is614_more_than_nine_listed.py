"""IS614 more-than-nine-listed: a CPU lists more idle states than Linux takes.

What it does
    Counts the states that each kernel registers of a list: nine, as WFI is the tenth of cpuidle.
    Disabled ones do not count.

Why is this bad
    The rest is left out with a warning in the kernel's log. As lists are ordered by depth, the
    deepest states are lost.

Example
    TEN_STATES of is6_trees.py

Use instead
    -             cpu-idle-states = <&s0 &s1 &s2 &s3 &s4 &s5 &s6 &s7 &s8 &s9>;
    +             cpu-idle-states = <&s0 &s1 &s2 &s3 &s4 &s5 &s6 &s7 &s8>;
    -     s9: s9 {
    -         compatible = "arm,idle-state";
    -         arm,psci-suspend-param = <0x10009>;
    -         entry-latency-us = <300>;
    -         exit-latency-us = <600>;
    -         min-residency-us = <11000>;
    -     };

Ground
    Linux drivers/cpuidle/dt_idle_states.c dt_init_idle_driver(), CPUIDLE_STATE_MAX.
"""

from ...base.wording import joined
from ..linux.convert import STATE_MAX
from .rule import KernelView, Rule, Severity, Verdict, Verdicts

RULE = Rule("IS614", "more-than-nine-listed", Severity.ERROR, forms=("nodes",))


@RULE.of_each_driver
def check(view: KernelView) -> Verdicts:
    beyond = [lost for lost in view.driver.lost if lost.cause == "beyond-ten"]
    if beyond:
        named = joined([lost.state for lost in beyond])
        message = f"expected at most {STATE_MAX - 1} states in a list; Linux leaves out {named}"
        yield Verdict(view.subject.at(beyond[0].index, "name"), message)
