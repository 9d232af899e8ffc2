"""IS990 internal-error: the tool itself failed on an input.

What it does
    Raised by audit, so that a run over many inputs goes on. The message names the exception and
    the place in the tool.

Why is this bad
    Nothing is known about the input. It is a mistake of this tool, to be reported with the input.

Example
    idle-states audit trees/

Use instead
    idle-states audit trees/ --jobs 1

Ground
    None: a correct tool never reports it.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS990", "internal-error", Severity.ERROR)
