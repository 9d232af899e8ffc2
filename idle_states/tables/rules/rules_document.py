"""rules."""

from collections.abc import Sequence
from typing import Annotated, Literal

from ...base.model.forms import Form, Limits, derived
from ..documents.findings_document import Code, Confidence, RuleName, SeverityName, Text
from .loaded import LoadedRule

Source = Literal["spec", "c", "dt", "sysfs", "nodes", "driver", "acpi"]


class Rule(Form[LoadedRule]):
    rule: Code = derived("rule.code")
    name: RuleName = derived("rule.name")
    severity: SeverityName = derived("rule.severity")
    confidence: Confidence = derived("rule.confidence")
    requires: Annotated[
        list[Code],
        Limits(uniqueItems=True),
        "Rules that must hold first: where one of them fires, and is as severe and as wide, this "
        "one is silent.",
    ] = derived("rule.requires")
    summary: Text
    forms: Annotated[
        list[Source], Limits(minItems=1, uniqueItems=True), "Kinds of source the rule can fire on."
    ] = derived("rule.forms")
    aliases: Annotated[
        list[Annotated[str, Limits(pattern="^[a-z-]+:.")]],
        "The names of the same check in other tools, as TOOL:LABEL.",
    ] = derived("rule.aliases")


class Rules(Form[Sequence[LoadedRule]]):
    rules: list[Rule] = derived(lambda rules: rules)
