"""A page for each rule, of its docstring, and one that lists them."""

import textwrap
from collections.abc import Iterator

from idle_states.base.report.help_pages import RULE_PAGE
from idle_states.tables.rules.catalogue import rules
from idle_states.tables.rules.loaded import LoadedRule

from .prose import fenced, inline, markdown

FOLDER = "rules"
_CODE = ("Example", "Use instead", "Thresholds")
_TITLES = (*_CODE, "What it does", "Why is this bad", "Ground")
_KINDS = {
    "1": "Shape",
    "2": "Values",
    "3": "Control register and flags",
    "4": "Effects in Linux",
    "5": "Drift between representations",
    "6": "Idle-state nodes of Arm and RISC-V",
    "7": "Logs of firmware and kernel",
    "9": "The tool itself",
}
_FORMS = {
    "spec": "specs",
    "c": "C",
    "dt": "device trees",
    "sysfs": "dumps of cpuidle sysfs",
    "driver": "the source of a Linux driver",
    "nodes": "idle-state nodes of Arm and RISC-V",
    "acpi": "ACPI tables",
}


def pages() -> Iterator[tuple[str, str]]:
    """(path, Markdown) of each page, the list first."""
    yield f"{FOLDER}/index.md", _index()
    code2name = {loaded.rule.code: loaded.rule.name for loaded in rules()}
    for loaded in rules():
        yield f"{FOLDER}/{loaded.rule.code}.md", _page(loaded, code2name)


def _index() -> str:
    lines = [
        "# Rules\n",
        "A published code never changes its meaning ([policy](../policy.md)). `idle-states explain "
        "IS203` shows a page in the terminal.",
    ]
    for digit, title in _KINDS.items():
        lines += [
            f"\n## {title}\n",
            "| rule | name | severity | what it finds |",
            "|---|---|---|---|",
        ]
        lines += [
            f"| [{each.rule.code}]({each.rule.code}.md) | {each.rule.name} | "
            f"{each.rule.severity} | {inline(each.summary)} |"
            for each in rules()
            if each.rule.code[2] == digit
        ]
    return "\n".join(lines) + "\n"


def sections(page: str) -> Iterator[tuple[str, str]]:
    """(title, its text without the indent) of a rule's page."""
    title, body = "", list[str]()
    for line in [*page.splitlines()[1:], ""]:
        if line in _TITLES:
            if title:
                yield title, textwrap.dedent("\n".join(body)).strip("\n")
            title, body = line, []
        else:
            body.append(line)
    if title:
        yield title, textwrap.dedent("\n".join(body)).strip("\n")


def _page(loaded: LoadedRule, code2name: dict[str, str]) -> str:
    rule = loaded.rule
    parts = [f"# {rule.code} {rule.name}", _sentence(loaded.summary)]
    for title, body in sections(loaded.page):
        code = fenced(body, _language(body)) if title in _CODE else markdown(body)
        parts.append(f"## {title}\n\n{code}")
    facts = [
        f"Severity {rule.severity}, confidence {rule.confidence}.",
        f"Looks at {', '.join(_FORMS[form] for form in rule.forms)}.",
    ]
    if rule.aliases:
        facts.append(f"Other tools: {inline('; '.join(rule.aliases))}.")
    if rule.requires:
        first = ", ".join(f"[{code} {code2name[code]}]({code}.md)" for code in rule.requires)
        facts.append(
            "Not reported where one of these already covers it for the same kernels and is not "
            f"less severe: {first}."
        )
    facts.append(
        f"To accept a finding in a spec: `# idle-states: ignore[{rule.code}] reason`; "
        "[elsewhere](../ci.md#baseline-of-a-tree-that-has-findings) in setup.cfg."
    )
    parts.append("## Facts\n\n" + "\n".join(f"- {fact}" for fact in facts))
    return "\n\n".join(parts) + "\n"


def _sentence(summary: str) -> str:
    first = summary.split(" ")[0]
    begin = summary[0].upper() if first.isalpha() else summary[0]
    return f"{inline(begin + summary[1:])}."


def _language(example: str) -> str:
    if example.startswith(("/ {", "/dts-v1/")):
        return "dts"
    if "struct cpuidle_" in example:
        return "c"
    return "yaml" if example.startswith(("extends:", "name:", "states:", "cpu:")) else "text"


assert RULE_PAGE.format(code="IS101") == f"{FOLDER}/IS101.html"
