"""IS511 number-not-in-change: a commit's message sets a time that its change does not.

What it does
    When a range of commits is reviewed, looks for sentences in each message that set, raise or
    lower a latency or residency to a value, from one to another, or by a factor, and for the rows
    to which that happens. A figure that is merely mentioned counts for nothing, nor do quotations
    and tables of measurements; and nothing is said of commits that leave all times alone.

Why is this bad
    One of the two is not what was meant, and the message is what people will remember.

Example
    slw: Correct stop0_lite

    Raise its exit latency from 200ns to 1us.

    stop0_lite 200ns/2us -> 2us/20us

Use instead
    slw: Correct stop0_lite

    Raise its exit latency from 200ns to 2us.

    stop0_lite 200ns/2us -> 2us/20us

Ground
    This tool's own rule; idle_states/review/message_claims.py. skiboot 51974cab7 and 87f33f499
    are messages whose numbers agree with their changes.
"""

from ..findings import Confidence, Severity
from .rule import Rule

RULE = Rule(
    "IS511",
    "number-not-in-change",
    Severity.WARNING,
    Confidence.MEDIUM,
    forms=("spec", "c"),
)
