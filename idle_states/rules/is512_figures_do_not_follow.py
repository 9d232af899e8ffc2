"""IS512 figures-do-not-follow: a message prints a difference that its own figures do not give.

What it does
    Reads the figures that a commit's message quotes: rows of N, Min, Max, Median, Avg, Stddev, as
    ministat prints them, and tables of means with percent, as mmtests does. Computes again what is
    printed beside them: difference, percentage, uncertainty, pooled deviation, and whether there is
    a difference at all. Ministat's t and the exact quantile both count as right, within the digits
    that are printed. A row that no samples can have is reported, too; one that a mailer has broken
    is joined again, or not checked.

Why is this bad
    Figures were copied from another run, or edited. Whoever decides by them decides by nothing.

Example
    slw: Correct stop0_lite

    x before
    + after
        N           Min           Max        Median           Avg        Stddev
    x  20            90           120           101           102             8
    +  20           110           160           131           133            11
    Difference at 95.0% confidence
        41 +/- 6.2

    stop0_lite 200ns/2us -> 1us/10us

Use instead
    slw: Correct stop0_lite

    x before
    + after
        N           Min           Max        Median           Avg        Stddev
    x  20            90           120           101           102             8
    +  20           110           160           131           133            11
    Difference at 95.0% confidence
        31 +/- 6.2

    stop0_lite 200ns/2us -> 1us/10us

Ground
    Student's t with the pooled standard deviation; docs/validation.md holds it to ministat itself.
    The two blocks in the message of skiboot 51974cab7 give what they print, in ministat's form.
"""

from ..findings import Confidence, Severity
from .rule import Rule

RULE = Rule(
    "IS512",
    "figures-do-not-follow",
    Severity.WARNING,
    Confidence.HIGH,
    forms=("spec", "c"),
)
