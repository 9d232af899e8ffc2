"""Faults that can be planted in Python: an operator or a constant taken for another."""

import ast
import re
from bisect import bisect
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from operator import attrgetter

_SWAPS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.And: ("and", "or"),
    ast.Or: ("or", "and"),
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "+"),
    ast.FloorDiv: ("//", "*"),
    ast.Mod: ("%", "//"),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Bytes of a source replaced by others. line: counted from 1."""

    line: int
    start: int
    end: int
    was: str
    now: str

    def planted(self, source: bytes) -> bytes:
        return source[: self.start] + self.now.encode() + source[self.end :]


def faults(source: bytes, lines: Collection[int]) -> list[Fault]:
    """Returns every fault on some lines of a source, in their order."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = (
        Fault(bisect(starts, start), start, end, source[start:end].decode(), now)
        for start, end, now in _swapped(source, starts)
    )
    return sorted((each for each in found if each.line in lines), key=attrgetter("start"))


_Swap = tuple[int, int, str]
"""The beginning and the end of the bytes to replace, and what takes their place."""


def _swapped(source: bytes, starts: list[int]) -> Iterator[_Swap]:
    for node in _code(ast.parse(source)):
        match node:
            case ast.Compare(left, operators, values):
                operands = [left, *values]
                for at, operator in enumerate(operators):
                    yield from _between(source, starts, operands[at : at + 2], operator)
            case ast.BoolOp(operator, values):
                for at in range(len(values) - 1):
                    yield from _between(source, starts, values[at : at + 2], operator)
            case ast.BinOp(left, operator, right):
                yield from _between(source, starts, [left, right], operator)
            case ast.UnaryOp(ast.Not(), operand):
                yield _start(node, starts), _start(operand, starts), ""
            case ast.Constant(bool(value)):
                yield _start(node, starts), _end(node, starts), str(not value)
            case ast.Constant(int(value)):
                yield _start(node, starts), _end(node, starts), str(value + 1)


def _code(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those of annotations and decorators."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns", "decorator_list"):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield from _code(each)


def _between(
    source: bytes, starts: list[int], operands: list[ast.expr], operator: ast.AST
) -> Iterator[_Swap]:
    """The swap of the operator between two operands, which may stand in brackets."""
    if type(operator) not in _SWAPS:
        return
    was, now = _SWAPS[type(operator)]
    left, right = operands
    begin = _end(left, starts)
    text = source[begin : _start(right, starts)]
    words = rb"\s+".join(re.escape(word) for word in was.encode().split())
    place = re.search(rb"(?<![<>=!\w])" + words + rb"(?![=\w])", text)
    if place is not None:
        yield begin + place.start(), begin + place.end(), now


def _start(node: ast.expr, starts: list[int]) -> int:
    return starts[node.lineno - 1] + node.col_offset


def _end(node: ast.expr, starts: list[int]) -> int:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return starts[node.end_lineno - 1] + node.end_col_offset
