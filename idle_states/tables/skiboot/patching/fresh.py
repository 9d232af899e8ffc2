"""Text of values where there is none to start from: our own writer's, by the tree's names."""

from collections.abc import Iterator, Sequence

from ....base.model.table import Flag, IdleState, Register
from ....base.reading.c.lexer import tokens
from ..c_table.builtin import DEFINITIONS, FLAG_NAMES
from ..c_table.names import string_literal
from ..c_table.writer import control_terms, flag_terms, mask_text
from . import numbers
from .source import SourceText
from .terms import Sum

_BIT_OF_NAME = {name: int(flag) for flag, name in FLAG_NAMES.items()}
_NAMES = frozenset(head.partition("(")[0] for head in DEFINITIONS)
"""Macros our writer leans on; whether the tree has them is another question."""


def number_of(state: IdleState, field: str) -> int:
    """Returns the value of a field of the row as the C struct holds it: a residency of
    None is 0."""
    if field == "latency":
        return state.latency_ns
    if field == "residency":
        return state.residency_ns or 0
    return int(getattr(state, field))


def fresh(source: SourceText, field: str, state: IdleState, register: Register) -> str:
    """Returns C text for a field's value: macros that the tree defines, a number where there are
    none."""
    if field == "name":
        return string_literal(state.name)
    value = number_of(state, field)
    if field in ("latency", "residency"):
        return numbers.plain(value)
    if field == "flags":
        return _joined(source, "flags", list(_flag_terms(source, value, register))) or "0"
    terms = control_terms(state, register) if field == "control" else [mask_text(value, register)]
    names = {word.text for term in terms for word in tokens(term)} & _NAMES
    if all(source.knows(name) for name in names):
        return _joined(source, "pm_ctrl_reg_val", terms)
    return numbers.register(value)


def _flag_terms(source: SourceText, value: int, register: Register) -> Iterator[str]:
    """Yields the terms that the writer would use, under the tree's names for them. A flag for which
    the tree has no name is left out if it is not set, else written as a number."""
    for term in flag_terms(value, register):
        factor, product, name = term.partition("*")
        if not product:
            yield term
        elif tree_name := source.flag_names.get(_BIT_OF_NAME[name]):
            yield f"{factor}*{tree_name}"
        elif factor == "1":
            yield f"{_BIT_OF_NAME[name]:#010x}"


def is_flag(bit: int) -> bool:
    return bit in Flag._value2member_map_


def _joined(source: SourceText, member: str, terms: Sequence[str]) -> str:
    return Sum.default_separator(member, source.newline).join(terms)
