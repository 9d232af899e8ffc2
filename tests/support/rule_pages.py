"""Takes a rule's documentation page apart: its title, sections and examples."""

import re
import textwrap

SECTIONS = ("What it does", "Why is this bad", "Example", "Use instead", "Ground")
THRESHOLDS = "Thresholds"
"""The section of a page whose rule has any."""
_AND_SO_ON = re.compile(
    r"^(?P<row>.*\{name: (?P<first>[^,}]+).*)\n *# and so on to (?P<last>.+)$", re.MULTILINE
)


def sections(page: str) -> dict[str, str]:
    """Returns section title -> body without its indent."""
    found: dict[str, list[str]] = {}
    body: list[str] = []
    for line in page.splitlines()[1:]:
        if line in (*SECTIONS, THRESHOLDS):
            body = found.setdefault(line, [])
        else:
            body.append(line)
    return {title: textwrap.dedent("\n".join(lines)).strip("\n") for title, lines in found.items()}


def title(page: str) -> tuple[str, str, str]:
    """Returns code, name and summary from the page's first line."""
    match = re.fullmatch(r"(IS\d{3}) ([a-z0-9-]+): (.+)\.", page.splitlines()[0])
    assert match, f"expected 'ISnnn name: summary.', found {page.splitlines()[0]!r}"
    return match[1], match[2], match[3]


def is_dts(example: str) -> bool:
    return example.startswith(("/ {", "/dts-v1/"))


def is_asl(example: str) -> bool:
    """Tells whether it is the source of an ACPI table."""
    return example.startswith("DefinitionBlock ")


def is_dump(example: str) -> bool:
    """Tells whether it is a dump of cpuidle's sysfs."""
    return example.startswith("cpu0/cpuidle/")


def is_c(example: str) -> bool:
    """Tells whether it is the source of a driver of Linux."""
    return re.search(r"struct cpuidle_(?:state|driver) ", example) is not None


def option(example: str, name: str) -> str | None:
    """Returns what a comment line "# platform: op920", "# kernels: 4.11, 4.13" or "// kernel: 7.1"
    sets for an example."""
    match = re.search(rf"^(?:#|//) {name}s?: (.+)$", example, re.MULTILINE)
    return match[1] if match else None


def written_out(example: str) -> str:
    """The example, with rows in place of each comment "# and so on to NAME"."""
    return _AND_SO_ON.sub(_repeated, example)


def _repeated(match: re.Match[str]) -> str:
    first, last = match["first"], match["last"]
    digits = re.search(r"\d+", first)
    assert digits, f"expected a number in {first!r}"
    before, after = first[: digits.start()], first[digits.end() :]
    width = len(digits[0])
    names = []
    for number in range(int(digits[0]), 10**width):
        names.append(f"{before}{number:0{width}}{after}")
        if names[-1] == last:
            break
    assert names[-1] == last, f"expected {last!r} to continue {first!r}"
    return "\n".join(match["row"].replace(first, name) for name in names)
