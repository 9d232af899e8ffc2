"""IS990 internal-error: the tool itself failed on an input.

What it does
    Reported by every command in place of a traceback: for an exception that nobody expected in a
    reader, a rule, a model or a form of output. The message names the exception and the place in
    the tool. Other inputs, and other rules on the same input, are reported all the same. The exit
    status is 3. It cannot be suppressed. Where the variable IDLE_STATES_TRACEBACK is set, the
    first such exception ends the run, and its traceback is printed. Also reported by audit if the
    process that audits an input ends twice: killed, out of memory, at a limit, or by a crash.

Why is this bad
    Nothing is known about the input. It is a mistake of this tool, to be reported with the input.

Example
    idle-states audit trees/

Use instead
    idle-states audit trees/ --jobs 1

Ground
    None: a correct tool never reports it.
"""

from .rule import Rule, Severity

RULE = Rule("IS990", "internal-error", Severity.ERROR)
