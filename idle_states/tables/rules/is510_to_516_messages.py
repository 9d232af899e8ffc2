"""IS510 unmentioned-change: a commit changes a state that its message does not mention.

What it does
    When a range of commits is reviewed, compares the states that each commit changes in a table
    with those its message names. A message that names none of them, or means all states, is
    believed; one that names flags or register fields covers rows where nothing else changes. Ranges
    and lists (stop4-5, stop[0,1]_lite) are understood. An array that a commit adds to intel_idle is
    mentioned by its name, by a processor's that it is for, or as a table.

Why is this bad
    Reviewers look at what a message announces. The commit that corrected POWER9's stop0_lite made
    stop0 nearly seven times slower to leave on the way, and the message is silent about it.

Example
    slw: Correct stop0_lite

    Raise its exit latency to 1us and its residency to 10us.

    stop0_lite 200ns/2us -> 1us/10us
    stop0 300ns/3us -> 2us/20us

Use instead
    - slw: Correct stop0_lite
    + slw: Correct stop0_lite and stop0
    - Raise its exit latency to 1us and its residency to 10us.
    + Raise the exit latency of the first to 1us, of the second to 2us.

Ground
    skiboot 51974cab7 (2017-08-23), whose message names stop0_lite only.

IS511 number-not-in-change: a commit's message sets a time that its change does not.

What it does
    When a range of commits is reviewed, looks for sentences in each message that set, raise or
    lower a latency or residency to a value, from one to another, or by a factor, and for the rows
    to which that happens. A figure that is merely mentioned counts for nothing, nor do quotations
    and tables of measurements; commits that leave all times alone are not examined.

Why is this bad
    One of the two is not what was meant, and the message is what people will remember.

Example
    slw: Correct stop0_lite

    Raise its exit latency from 200ns to 1us.

    stop0_lite 200ns/2us -> 2us/20us

Use instead
    - Raise its exit latency from 200ns to 1us.
    + Raise its exit latency from 200ns to 2us.

Ground
    This tool's own rule; idle_states/change/review/message_claims.py. skiboot 51974cab7 and
    87f33f499 are messages whose numbers agree with their changes.

IS512 figures-do-not-follow: a message prints a difference that its own figures do not give.

What it does
    Reads the figures that a commit's message quotes: rows of N, Min, Max, Median, Avg, Stddev, as
    ministat prints them, and tables of means with percent, as mmtests does. Computes again what is
    printed beside them: difference, percentage, uncertainty, pooled deviation, and whether there is
    a difference at all. Ministat's t and the exact quantile both count as right, within the digits
    that are printed. A row that no samples can have is reported, too; one that a mailer has broken
    is joined again, or not checked.

Why is this bad
    Figures were copied from another run, or edited. They are no ground for a decision.

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
    -     41 +/- 6.2
    +     31 +/- 6.2

Ground
    Student's t with the pooled standard deviation; docs/validation.md holds it to ministat itself.
    The two blocks in the message of skiboot 51974cab7 give what they print, in ministat's form.

IS513 percentage-not-in-figures: a message claims a percentage that its figures contradict.

What it does
    Compares a change in percent in a sentence ("a 50% improvement", "roughly 30% more") with the
    figures that follow the sentence at once; one in the subject, with all runs that the message
    compares. It agrees if it lies within the uncertainty of the averages' difference at the level
    that is printed (95 % if none is), or is the medians' difference, relative to either set,
    rounded as people round: 50 may be 45 to 55. It may also agree with any other figures of the
    message. Where no figures follow a sentence, the percentage is not checked.

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
    - With these values, we see a 50% improvement:
    + With these values, we see a 68% improvement:

Ground
    The message of skiboot 51974cab7 says 50 % above figures that say 68.8 % +/- 8.3 % (99 %
    confidence); only the largest samples differ by 50.1 %.

IS514 misstated-rounding: a message says of kernels what those of its day do not do.

What it does
    Looks for sentences about the kernel that say which way it rounds nanoseconds of the device tree
    to microseconds, or as how many microseconds it lists a row's time, and asks the releases that
    were current when the commit was written: the newest long-term one, the newest, and the one that
    followed. A sentence that names a release, or describes what should or might be, is not checked.

Why is this bad
    Which table is right depends on it. 200 ns are 0 us for a kernel that truncates, level with
    snooze; for one that rounds up they are 1 us.

Example
    slw: Correct stop0_lite

    The kernel rounds up the latency to microseconds.

    stop0_lite 200ns/2us -> 1us/10us

Use instead
    - The kernel rounds up the latency to microseconds.
    + The kernel truncates the latency to microseconds.

Ground
    Linux 8d4e10e9ed94 (4.15 and 4.14.7) rounds up; before, powernv_add_idle_states() divided. The
    message of skiboot 51974cab7, written in August 2017, says that the kernel rounds up, to 0us.

IS515 misstated-time: a message states a row's latency or residency, and the row has another.

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
    - stop0lite  1us      20us
    + stop0lite  1us      10us

Ground
    This tool's own rule; idle_states/change/review/claims/times.py. skiboot 51974cab7 and 1cb7b37c9
    are messages whose times agree with their rows.

IS516 not-without-effect: a message says that nothing changes in function, and it does.

What it does
    Looks for "no functional change", "cleanup only", NFC and the like, about a whole commit. It is
    wrong where a table's state comes, goes or has other values (flags of drivers' states may be
    renumbered), and, with `review --run`, where a governor's decisions change. A sentence with an
    exception, or about some machines only, is ignored.

Why is this bad
    Nobody measures a change that is announced as none, and it is backported as one that is safe.

Example
    slw: Clean up stop0_lite

    No functional change.

    stop0_lite 200ns/2us -> 1us/10us

Use instead
    - No functional change.
    + Its times are now those of stop0.

Ground
    This tool's own rule; idle_states/change/review/claims/function.py. A commit to menu (6.15)
    announces no functional impact, and decides 0.5 % of the compared idle periods otherwise.
"""

from functools import partial

from .rule import Confidence, Rule, Severity

_rule = partial(Rule, severity=Severity.WARNING, confidence=Confidence.MEDIUM, forms=("spec", "c"))
RULES = (
    _rule("IS510", "unmentioned-change"),
    _rule("IS511", "number-not-in-change"),
    _rule("IS512", "figures-do-not-follow", confidence=Confidence.HIGH),
    _rule("IS513", "percentage-not-in-figures"),
    _rule("IS514", "misstated-rounding"),
    _rule("IS515", "misstated-time"),
    _rule("IS516", "not-without-effect", confidence=Confidence.HIGH),
)
