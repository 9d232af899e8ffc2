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
    -   stop2: {name: "stop2\\t"}
    +   stop2: {name: "stop2"}

Ground
    skiboot hw/slw.c add_cpu_idle_state_properties() copies up to the first NUL; Devicetree
    Specification, section 2.2.4: a string is printable and null-terminated.
"""

from .rows import StateRow, every_row
from .rule import Rule, Severity, Verdicts

RULE = Rule("IS112", "bad-name", Severity.ERROR)


@RULE.of_each(every_row)
def check(row: StateRow) -> Verdicts:
    bad = next((char for char in row.name if not " " <= char <= "~"), None)
    if bad is not None:
        found = f"{_shown(bad)} in {row.name!a}"
        yield row.verdict("name", f"expected printable ASCII in a name, found {found}")
    elif not row.name.strip():
        yield row.verdict("name", f"expected a name for state {row.number}, found {row.name!a}")


def _shown(char: str) -> str:
    """The character's number; a byte that was no UTF-8 is kept as a surrogate and shown as such."""
    code = ord(char)
    return f"byte {code - 0xDC00:#04x}" if 0xDC80 <= code <= 0xDCFF else f"U+{code:04X}"
