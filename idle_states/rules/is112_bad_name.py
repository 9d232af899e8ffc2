"""IS112 bad-name: a name is empty, or has characters that are not printable ASCII.

What it does
    Looks at each character of each name; blanks inside a name are allowed.

Why is this bad
    The names travel as a list of NUL-terminated strings. A NUL inside one makes two of it and
    shifts all that follow; an empty one leaves its sysfs file blank. Control characters and
    anything beyond ASCII reach consoles, logs and sysfs as raw bytes. In a device tree they are
    the sign of a damaged property.

Example
    extends: power9
    override:
      stop2: {name: "stop2\\t"}

Use instead
    extends: power9
    override:
      stop2: {name: "stop2"}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties() copies up to the first NUL; Devicetree
    Specification, section 2.2.4: a string is printable and null-terminated.
"""

from collections.abc import Iterator

from ..findings import Finding, Severity
from ..pipeline import Subject
from .rule import Rule

RULE = Rule("IS112", "bad-name", Severity.ERROR)


def check(subject: Subject) -> Iterator[Finding]:
    for index, state in enumerate(subject.table.states):
        bad = next((char for char in state.name if not " " <= char <= "~"), None)
        if bad is None and state.name.strip():
            continue
        if bad is None:
            message = f"expected a name for state {index}, found {state.name!a}"
        else:
            message = f"expected printable ASCII in a name, found {_shown(bad)} in {state.name!a}"
        yield RULE.finding(subject, message, subject.at(index, "name"))


def _shown(char: str) -> str:
    """The character's number; a byte that was no UTF-8 is kept as a surrogate and shown as such."""
    code = ord(char)
    return f"byte {code - 0xDC00:#04x}" if 0xDC80 <= code <= 0xDCFF else f"U+{code:04X}"
