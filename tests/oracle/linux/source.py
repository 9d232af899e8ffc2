"""Reading a kernel tree and cutting its C: leave functions out, pick constants, list headers."""

import re
from collections.abc import Iterator
from pathlib import Path

from .. import OracleError

__all__ = [
    "KABI",
    "SHADOWS",
    "OracleError",
    "constants",
    "functions",
    "includes",
    "keep_functions",
    "read",
    "release",
]

SHADOWS = "rh_cpuidle_state_usage rh_cpuidle_device"
"""The members that RHEL 8 keeps elsewhere, so that the structures stay as modules know them."""
KABI = """\
#define RH_KABI_DEPRECATE(type, name) type name;
#define RH_KABI_EXTEND(member) member;
#define RH_KABI_FILL_HOLE(member) member;
#define RH_KABI_REPLACE(old, member) member;
"""
# Comments, literals and directives are matched whole: a brace inside one is not seen.
_TOKEN = re.compile(
    r"(?P<comment>/\*.*?\*/|//[^\n]*)"
    r"|(?P<literal>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    r"|(?P<directive>^[ \t]*\#(?:\\\n|/\*.*?\*/|[^\n])*)"
    r"|(?P<mark>[{};])",
    re.DOTALL | re.MULTILINE,
)
_FUNCTION_HEAD = re.compile(r"\b(?P<name>\w+)\s*\([^{}]*\)\s*\Z")


def read(tree: Path, name: str) -> str:
    """The text of the tree's file `name`."""
    try:
        return (tree / name).read_text(encoding="utf-8")
    except OSError as error:
        raise OracleError(f"{name}: {error.strerror} in {tree}") from error


def release(tree: Path) -> str:
    """The kernel release that the tree's Makefile names, such as 6.1.192."""
    makefile = read(tree, "Makefile")
    keys = ("VERSION", "PATCHLEVEL", "SUBLEVEL")
    parts = (re.search(rf"^{key} = (\d+)$", makefile, re.MULTILINE) for key in keys)
    return ".".join(part[1] if part else "?" for part in parts)


def functions(text: str) -> Iterator[tuple[str, int, int]]:
    """The name, start and end of each function defined in `text`, with the comment above it."""
    depth = 0
    head = name = ""
    start = position = 0
    for token in _TOKEN.finditer(text):
        if depth == 0:
            head += text[position : token.start()]
        position = token.end()
        if token["mark"] == "{":
            if depth == 0:
                match = _FUNCTION_HEAD.search(head)
                name = match["name"] if match else ""
            depth += 1
        elif token["mark"] == "}":
            depth -= 1
        if depth:
            continue
        ends_function = token["mark"] == "}" and name != ""
        if ends_function:
            yield name, start, position
        if ends_function or token["directive"] or token["mark"] == ";":
            head, name, start = "", "", position


def keep_functions(text: str, names: frozenset[str]) -> str:
    """`text` with every function blanked but those named; all else and the line numbers stay."""
    missing = set(names)
    pieces: list[str] = []
    position = 0
    for name, start, end in functions(text):
        if name in names:
            missing.discard(name)
            continue
        pieces += text[position:start], "\n" * text.count("\n", start, end)
        position = end
    if missing:
        raise OracleError(f"functions not found: {', '.join(sorted(missing))}")
    return "".join([*pieces, text[position:]])


def constants(text: str, pattern: str) -> str:
    """The one-line macros without parameters in `text` whose name matches `pattern`."""
    define = rf"^[ \t]*#[ \t]*define[ \t]+(?:{pattern})[ \t]+[^\n]*[^\n\\]$"
    lines = re.findall(define, text, re.MULTILINE)
    if not lines:
        raise OracleError(f"no macro matches {pattern}")
    return "\n".join(lines) + "\n"


def includes(text: str) -> list[str]:
    """The headers that `text` includes, in order."""
    return re.findall(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"]+)[>\"]", text, re.MULTILINE)
