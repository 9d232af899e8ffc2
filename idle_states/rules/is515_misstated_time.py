"""IS515 misstated-time: a message states a row's latency or residency, and the row has another.

What it does
    Compares with the rows of the change: what a message says they have so far ("currently exposes
    the latency of stop0_lite as 200ns"), rows of a table in the message (a state and two times,
    below a line that names latency and residency), and a residency said to be so many times the
    latency. Times that a message sets are IS511's; measured times are left alone.

Why is this bad
    The message was written for another version of the change, or one of both is a slip.

Example
    slw: Correct stop0_lite

    stop0_lite has these values afterwards:

               latency  residency
    stop0lite  1us      20us

    stop0_lite 200ns/2us -> 1us/10us

Use instead
    slw: Correct stop0_lite

    stop0_lite has these values afterwards:

               latency  residency
    stop0lite  1us      10us

    stop0_lite 200ns/2us -> 1us/10us

Ground
    This tool's own rule; idle_states/review/claims/times.py. skiboot 51974cab7 and 1cb7b37c9 are
    messages whose times agree with their rows.
"""

from ..findings import Confidence, Severity
from .rule import Rule

RULE = Rule(
    "IS515",
    "misstated-time",
    Severity.WARNING,
    Confidence.MEDIUM,
    forms=("spec", "c"),
)
