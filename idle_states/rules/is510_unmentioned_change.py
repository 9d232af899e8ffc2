"""IS510 unmentioned-change: a commit changes a state that its message does not mention.

What it does
    When a range of commits is reviewed, compares the states that each commit changes in a table
    with those its message names. A message that names none of them, or speaks of all states, is
    taken at its word; one that names flags or register fields covers rows of which nothing else
    changes. Ranges and lists (stop4-5, stop[0,1]_lite) are understood.

Why is this bad
    Reviewers look at what a message announces. The commit that corrected POWER9's stop0_lite made
    stop0 nearly seven times slower to leave on the way, and the message is silent about it.

Example
    slw: Correct stop0_lite

    Raise its exit latency to 1us and its residency to 10us.

    stop0_lite 200ns/2us -> 1us/10us
    stop0 300ns/3us -> 2us/20us

Use instead
    slw: Correct stop0_lite and stop0

    Raise the exit latency of the first to 1us, of the second to 2us.

    stop0_lite 200ns/2us -> 1us/10us
    stop0 300ns/3us -> 2us/20us

Ground
    skiboot 51974cab7 (2017-08-23), whose message names stop0_lite only.
"""

from ..findings import Confidence, Severity
from .rule import Rule

RULE = Rule(
    "IS510",
    "unmentioned-change",
    Severity.WARNING,
    Confidence.MEDIUM,
    forms=("spec", "c"),
)
