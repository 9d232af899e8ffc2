"""Takes a rule's documentation page apart: its title, sections and example specs."""

import re
import textwrap

SECTIONS = ("What it does", "Why is this bad", "Example", "Use instead", "Ground")


def sections(page: str) -> dict[str, str]:
    """Section title -> dedented body."""
    found: dict[str, list[str]] = {}
    body: list[str] = []
    for line in page.splitlines()[1:]:
        if line in SECTIONS:
            body = found.setdefault(line, [])
        else:
            body.append(line)
    return {title: textwrap.dedent("\n".join(lines)).strip("\n") for title, lines in found.items()}


def title(page: str) -> tuple[str, str, str]:
    """Code, name and summary of the first line."""
    match = re.fullmatch(r"(IS\d{3}) ([a-z0-9-]+): (.+)", page.splitlines()[0])
    assert match, f"expected 'ISnnn name: summary', found {page.splitlines()[0]!r}"
    return match[1], match[2], match[3]
