"""All rules there are, found by looking into this directory."""

import importlib
import os
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache

from ...base.patterns import pattern
from ...base.wording import suggestion
from .loaded import LoadedRule
from .rule import OPAL_FORMS

_FILE = pattern(r"is([0-9]{3})((?:_[0-9]{3})*)(?:_to_([0-9]{3}))?_[a-z]\w+\.py")
"""The name of a module of one rule or of several: is101_107_115_NAME.py, is701_to_706_NAME.py."""
_FORMS2FAMILIES: dict[tuple[str, ...], str] = {
    (): "is114 is117 is118 is121 is122 is123 is51 is601 is7 is9",
    OPAL_FORMS: "is104 is105 is108 is112 is201 is202 is207 is208 is211 is212 is216 is217 is218 "
    "is219 is3 is404 is405 is406 is407 is408 is409 is410 is411 is412 is422 is423 is5",
    (*OPAL_FORMS, "sysfs"): "is210 is402 is420",
    ("dt",): "is101 is102 is103 is106 is107 is113 is115 is116 is119 is120 is316 is331",
    ("spec",): "is213 is220 is221 is332 is421 is505 is506",
    ("spec", "c"): "is109 is110 is214 is320 is321 is322 is327 is502 is503",
    ("nodes",): "is6",
    ("driver",): "is413 is414 is416",
    ("driver", "sysfs"): "is415",
    ("sysfs",): "is427 is428 is429 is430",
    ("acpi",): "is417 is418 is424 is425",
}
"""Forms of tables -> what the codes of some rules begin with that look at no others; those that
look at none are for what is found elsewhere. They are imported only where such a table is checked;
a rule that is not here always is."""


@lru_cache(maxsize=1)
def rules() -> tuple[LoadedRule, ...]:
    """Every rule in the order of its code."""
    return tuple(rule_of(code) for code in _code2name())


@cache
def rules_on(form: str) -> tuple[LoadedRule, ...]:
    """Returns the rules that look at tables of a form, in the order of their codes."""
    others = (names for forms, names in _FORMS2FAMILIES.items() if form not in forms)
    elsewhere = tuple(" ".join(others).upper().split())
    loaded = (rule_of(code) for code in _code2name() if not code.startswith(elsewhere))
    return tuple(each for each in loaded if each.rule.checks and form in each.rule.forms)


@lru_cache(maxsize=1)
def _code2name() -> dict[str, str]:
    """A rule's code -> the name of its file, from all of these names."""
    code2name = {}
    for file in os.listdir(os.path.dirname(__file__)):
        if match := _FILE.fullmatch(file):
            numbers = [match[1], *match[2].split("_")[1:]]
            if match[3]:
                numbers = [str(number) for number in range(int(match[1]), int(match[3]) + 1)]
            code2name.update({f"IS{number}": file[:-3] for number in numbers})
    return dict(sorted(code2name.items()))


@cache
def _load(name: str) -> dict[str, LoadedRule]:
    """Code -> rule of a file."""
    loaded = LoadedRule.all_of(importlib.import_module(f"{__package__}.{name}"))
    return {each.rule.code: each for each in loaded}


def rule_of(code: str) -> LoadedRule:
    """Returns the rule of a code; imports its file alone."""
    return _load(_code2name()[code])[code]


class WrongRule(TypeError):
    """A rule that requires what no rule is, or in the end itself."""


def code2requires(codes: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
    """Code -> the rules it requires, each code after those: of the codes and what they require."""
    return _code2requires(frozenset(codes))


@lru_cache(maxsize=1024)
def _code2requires(codes: frozenset[str]) -> Mapping[str, tuple[str, ...]]:
    wanted = dict.fromkeys(codes)
    loaded = []
    while wanted:
        loaded.append(rule_of(wanted.popitem()[0]))
        known = {each.rule.code for each in loaded}
        wanted |= dict.fromkeys(code for code in loaded[-1].rule.requires if code not in known)
    return {entry.rule.code: entry.rule.requires for entry in in_order(loaded)}


def in_order(loaded: Iterable[LoadedRule]) -> tuple[LoadedRule, ...]:
    """The rules: those that require none, those that require only these, and so on; in the order
    of their codes where that does not say. Raises WrongRule."""
    code2loaded = {entry.rule.code: entry for entry in loaded}
    depths: dict[str, int] = {}

    def depth(code: str, by: tuple[str, ...] = ()) -> int:
        if code in by:
            way = [*by[by.index(code) :], code]
            raise WrongRule(f"expected rules to require earlier ones, found {way}")
        if code not in code2loaded:
            hint = suggestion(code, code2loaded)
            raise WrongRule(f"{by[-1]} requires {code!r}, which is no rule{hint}")
        if code not in depths:
            required = code2loaded[code].rule.requires
            depths[code] = max((depth(one, (*by, code)) + 1 for one in required), default=0)
        return depths[code]

    return tuple(code2loaded[code] for code in sorted(code2loaded, key=lambda c: (depth(c), c)))


def rule_named(text: str) -> LoadedRule | None:
    """By code, in any case, or by name: "is203", "residency-tie"."""
    wanted = text.lower()
    for loaded in rules():
        if wanted in (loaded.rule.code.lower(), loaded.rule.name):
            return loaded
    return None


@lru_cache(maxsize=1)
def known_codes() -> frozenset[str]:
    return frozenset(_code2name())
