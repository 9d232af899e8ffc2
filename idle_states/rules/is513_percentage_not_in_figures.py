"""IS513 percentage-not-in-figures: a message claims a percentage that its figures contradict.

What it does
    Holds a change in percent that a sentence speaks of ("a 50% improvement", "roughly 30% more")
    against the figures that follow the sentence at once; one in the subject, against all runs that
    the message compares. It agrees if it lies within the uncertainty of the averages' difference at
    the level that is printed (95 % if none is), or is the medians' difference, relative to either
    set, rounded as people round: 50 may be 45 to 55. It may also agree with any other figures of
    the message. Where no figures follow a sentence, the percentage is not checked.

Why is this bad
    The sentence is what is remembered and quoted; the figures are what was measured.

Example
    slw: Correct stop0_lite

    With these values, we see a 50% improvement:

        N           Min           Max        Median           Avg        Stddev
    x 100           200           400           300           300            45
    + 100           250           600           510           505            85

    stop0_lite 200ns/2us -> 1us/10us

Use instead
    slw: Correct stop0_lite

    With these values, we see a 68% improvement:

        N           Min           Max        Median           Avg        Stddev
    x 100           200           400           300           300            45
    + 100           250           600           510           505            85

    stop0_lite 200ns/2us -> 1us/10us

Ground
    The message of skiboot 51974cab7 says 50 % above figures that say 68.8 % +/- 8.3 % (99 %
    confidence); only the largest samples differ by 50.1 %.
"""

from ..findings import Confidence, Severity
from .rule import Rule

RULE = Rule(
    "IS513",
    "percentage-not-in-figures",
    Severity.WARNING,
    Confidence.MEDIUM,
    forms=("spec", "c"),
)
