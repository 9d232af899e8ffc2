"""All rules there are, found by looking into this directory."""

import importlib
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from ..wording import suggestion
from .rule import LoadedRule

_FILE = re.compile(r"is[0-9]{3}_\w+")


@lru_cache(maxsize=1)
def rules() -> tuple[LoadedRule, ...]:
    """Every rule in the order of its code."""
    names = sorted(
        file.stem for file in Path(__file__).parent.glob("is*.py") if _FILE.fullmatch(file.stem)
    )
    return tuple(LoadedRule.of(importlib.import_module(f"{__package__}.{name}")) for name in names)


class WrongRule(TypeError):
    """A rule that requires what no rule is, or in the end itself."""


@lru_cache(maxsize=1)
def code2requires() -> Mapping[str, tuple[str, ...]]:
    """Code -> the rules it requires, each code after those."""
    return {entry.rule.code: entry.rule.requires for entry in in_order(rules())}


def in_order(loaded: Iterable[LoadedRule]) -> tuple[LoadedRule, ...]:
    """The rules, each after those it requires, else in the order given. Raises WrongRule."""
    code2loaded = {entry.rule.code: entry for entry in loaded}
    sorter = TopologicalSorter({code: entry.rule.requires for code, entry in code2loaded.items()})
    try:
        codes = tuple(sorter.static_order())
    except CycleError as error:
        raise WrongRule(f"expected rules to require earlier ones, found {error.args[1]}") from None
    for entry in code2loaded.values():
        for code in entry.rule.requires:
            if code not in code2loaded:
                hint = suggestion(code, code2loaded)
                raise WrongRule(f"{entry.rule.code} requires {code!r}, which is no rule{hint}")
    return tuple(code2loaded[code] for code in codes)


def rule_named(text: str) -> LoadedRule | None:
    """By code, in any case, or by name: "is203", "residency-tie"."""
    wanted = text.lower()
    for loaded in rules():
        if wanted in (loaded.rule.code.lower(), loaded.rule.name):
            return loaded
    return None


@lru_cache(maxsize=1)
def known_codes() -> frozenset[str]:
    return frozenset(loaded.rule.code for loaded in rules())
