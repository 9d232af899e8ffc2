"""Prints a rule's page: its check, the reason, an example, a correction. `list rules` has all."""

from ..base.dataclass import dataclass
from ..base.options import Annotated, Argument
from .output import FILE_ALONE, USUAL, Output


@dataclass(frozen=True, slots=True)
class ExplainCommand:
    """Options of `explain`."""

    rule: Annotated[str, Argument("RULE", "code or name: IS203, residency-tie")]
    out: Annotated[Output, FILE_ALONE] = USUAL


def run(given: ExplainCommand) -> int:
    from ..base.model.findings import UsageError
    from ..base.wording import suggestion
    from ..tables.rules.catalogue import rule_named, rules

    loaded = rule_named(given.rule)
    if loaded is None:
        known = [name for entry in rules() for name in (entry.rule.code, entry.rule.name)]
        raise UsageError(
            f"expected a rule (see idle-states list rules), found {given.rule!r}"
            f"{suggestion(given.rule, known)}"
        )
    rule = loaded.rule
    others = f" Other tools: {'; '.join(rule.aliases)}." if rule.aliases else ""
    cases = " (another in the cases named above)" if rule.varies else ""
    facts = f"Severity {rule.severity}{cases}, confidence {rule.confidence}.{others}"
    if rule.requires:
        code2name = {entry.rule.code: entry.rule.name for entry in rules()}
        first = ", ".join(f"{code} {code2name[code]}" for code in rule.requires)
        facts += (
            "\nNot reported where one of these already covers it for the same kernels and is not "
            f"less severe: {first}."
        )
    given.out.text(f"{loaded.page.rstrip()}\n\n{facts}\n")
    return 0
