"""Thresholds of rules as a project's configuration sets them."""

from ...base.wording import joined, suggestion
from ..rules.catalogue import known_codes, rule_of


def value_of(name: str, text: str) -> int:
    """Returns the value that a text sets a threshold to. name: "IS209.percent". Raises ValueError
    for a rule or threshold that there is not, and for a text that is no such value."""
    code = name.partition(".")[0]
    if code not in known_codes():
        hint = suggestion(code, known_codes())
        raise ValueError(f"expected the code of a rule before the dot, found {name!r:.80}{hint}")
    known = {each.name: each for each in rule_of(code).rule.thresholds}
    if name not in known:
        expected = joined(list(known), "or") if known else f"no threshold, as {code} has none"
        raise ValueError(f"expected {expected}, found {name!r:.80}")
    return known[name].read(text)
