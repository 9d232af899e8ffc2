"""Evaluates C's integer constant expressions with C's types, as the compiler would.

The types are those of LP64, which skiboot's target and 64-bit Linux have: int has 32 bits, long 64.
Signed overflow is reported, because skiboot's build turns the compiler's warning about it into an
error.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from .. import limits
from .lexer import Token, UnsupportedC, integer_literal, literal_bytes


class IntType(NamedTuple):
    """An integer type of C."""

    bits: int
    signed: bool

    def holds(self, value: int) -> bool:
        """Tells whether the type has the value."""
        low = -(1 << self.bits - 1) if self.signed else 0
        return low <= value < 1 << (self.bits - 1 if self.signed else self.bits)

    def wrapped(self, value: int) -> int:
        """The value converted to the type: the lowest bits of it."""
        value &= (1 << self.bits) - 1
        return value - (1 << self.bits) if self.signed and value >> self.bits - 1 else value

    def __str__(self) -> str:
        return ("" if self.signed else "unsigned ") + ("int" if self.bits == 32 else "long")


INT, UINT = IntType(32, True), IntType(32, False)
LONG, ULONG = IntType(64, True), IntType(64, False)

_CASTS = {
    "int": INT, "signed": INT, "signed int": INT, "s32": INT, "int32_t": INT,
    "unsigned": UINT, "unsigned int": UINT, "u32": UINT, "uint32_t": UINT,
    "long": LONG, "long int": LONG, "long long": LONG, "s64": LONG, "int64_t": LONG,
    "unsigned long": ULONG, "unsigned long int": ULONG, "unsigned long long": ULONG,
    "u64": ULONG, "uint64_t": ULONG,
}  # fmt: skip
_CAST_WORDS = frozenset(word for name in _CASTS for word in name.split())

_PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6,
    "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8, "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip

MAX_DEPTH = limits.C_EXPRESSION_DEPTH
"""Nesting of parentheses, unary operators and conditionals; people use about three."""


class Constant(NamedTuple):
    """The value and type of an evaluated expression."""

    value: int
    type: IntType


def evaluate(
    expression: Sequence[Token],
    start: int,
    end: int,
    *,
    in_if: bool = False,
    unsettled: Mapping[str, str] | None = None,
) -> Constant:
    """Returns the value and type of an expression.

    expression  its tokens, with all macros expanded
    start, end  the expression's place in the file, for errors at its end
    in_if       it is the condition of an #if: integers have 64 bits, a name is 0
    unsettled   macro -> why the file itself must define it, for the error where it does not
    Raises UnsupportedC.
    """
    return _Evaluation(expression, start, end, in_if, unsettled or {}).whole()


def stored(constant: Constant, bits: int, start: int, end: int, *, signed: bool = False) -> int:
    """Returns a value as a member of so many bits holds it. start, end: where its expression is.
    Raises UnsupportedC for a value that neither the signed nor the unsigned type has."""
    if not -(1 << bits - 1) <= constant.value < 1 << bits:
        message = f"expected a value of {bits} bits, found {constant.value}"
        raise UnsupportedC(message, start, end)
    return IntType(bits, signed).wrapped(constant.value)


class _Evaluation:
    def __init__(
        self,
        expression: Sequence[Token],
        start: int,
        end: int,
        in_if: bool,
        unsettled: Mapping[str, str],
    ) -> None:
        self.tokens = expression
        self.next = 0
        self.depth = 0
        self.in_if = in_if
        self.unsettled = unsettled
        self.evaluated = True
        self.edge = Token("sign", "", start, end)

    def whole(self) -> Constant:
        result = self.conditional()
        if self.next < len(self.tokens):
            raise self.unexpected("an operator or ','")
        return result

    def peek(self) -> Token:
        return self.tokens[self.next] if self.next < len(self.tokens) else self.edge

    def take(self) -> Token:
        token = self.peek()
        self.next += 1
        return token

    def expect(self, sign: str) -> None:
        if self.peek().text != sign:
            raise self.unexpected(f"{sign!r}")
        self.next += 1

    def unexpected(self, expected: str) -> UnsupportedC:
        token = self.peek()
        found = token.text[:40] or "the end of the expression"
        return UnsupportedC(f"expected {expected}, found {found}", token.start, token.end)

    def descend(self, token: Token) -> None:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = f"expected at most {MAX_DEPTH} levels of nesting, found more"
            raise UnsupportedC(message, token.start, token.end)

    def conditional(self) -> Constant:
        self.descend(self.peek())
        condition = self.binary(1)
        if self.peek().text == "?":
            self.take()
            chosen = self.operand(self.conditional, bool(condition.value))
            self.expect(":")
            other = self.operand(self.conditional, not condition.value)
            common = _common(chosen.type, other.type)
            value = chosen.value if condition.value else other.value
            condition = Constant(common.wrapped(value), common)
        self.depth -= 1
        return condition

    def binary(self, least: int) -> Constant:
        left = self.unary()
        while (level := _PRECEDENCE.get(self.peek().text, 0)) >= least:
            operator = self.take()
            settled = (operator.text == "&&" and not left.value) or (
                operator.text == "||" and bool(left.value)
            )
            right = self.operand(partial(self.binary, level + 1), not settled)
            if self.evaluated:
                left = _combined(operator, left, right)
            else:
                left = Constant(0, _result_type(operator, left, right))
        return left

    def operand(self, read: Callable[[], Constant], evaluated: bool) -> Constant:
        """Reads an operand. evaluated: false for one that C skips, as after `0 &&`; errors in its
        value are then ignored."""
        outer, self.evaluated = self.evaluated, self.evaluated and evaluated
        found = read()
        self.evaluated = outer
        return found

    def unary(self) -> Constant:
        token = self.take()
        if token.kind == "sign":
            if token.text in ("+", "-", "~", "!"):
                self.descend(token)
                operand = self.unary()
                self.depth -= 1
                if not self.evaluated:
                    return Constant(0, INT if token.text == "!" else operand.type)
                return _signed(token, operand)
            if token.text == "(":
                return self.parenthesis(token)
        elif token.kind == "number":
            return self.number(token)
        elif token.kind == "character":
            return Constant(_character(token), LONG if self.in_if else INT)
        elif token.kind == "name":
            return self.name(token)
        self.next -= 1
        raise self.unexpected("a value")

    def parenthesis(self, opening: Token) -> Constant:
        if not self.in_if and self.peek().text in _CAST_WORDS:
            target = self.cast()
            self.descend(opening)
            operand = self.unary()
            self.depth -= 1
            return Constant(target.wrapped(operand.value), target)
        result = self.conditional()
        self.expect(")")
        return result

    def cast(self) -> IntType:
        first = self.peek()
        words: list[str] = []
        while self.peek().text in _CAST_WORDS and len(words) < 4:
            words.append(self.take().text)
        self.expect(")")
        target = _CASTS.get(" ".join(words))
        if target is None:
            message = f"expected an integer type, found {' '.join(words)}"
            raise UnsupportedC(message, first.start, first.end)
        return target

    def number(self, token: Token) -> Constant:
        value, decimal, suffix = integer_literal(token)
        if self.in_if:
            return Constant(value, ULONG if "u" in suffix or not LONG.holds(value) else LONG)
        candidates = [LONG, ULONG] if "l" in suffix else [INT, UINT, LONG, ULONG]
        if "u" in suffix:
            candidates = [candidate for candidate in candidates if not candidate.signed]
        elif decimal:
            candidates = [candidate for candidate in candidates if candidate.signed]
        for candidate in candidates:
            if candidate.holds(value):
                return Constant(value, candidate)
        message = f"expected a decimal constant that fits long, found {token.text}"
        raise UnsupportedC(message, token.start, token.end)

    def name(self, token: Token) -> Constant:
        if self.in_if:
            return Constant(0, LONG)
        if token.text in token.hidden:
            message = f"expected a macro that ends, found {token.text}, which expands to itself"
        elif self.peek().text == "(":
            message = f"expected a constant, found a call of {token.text}, which is no known macro"
        elif token.text in self.unsettled:
            why = self.unsettled[token.text]
            message = f"expected a #define of {token.text}, found none; {why}"
        else:
            message = f"expected a constant or a known macro, found {token.text}"
        raise UnsupportedC(message, token.start, token.end)


def _common(left: IntType, right: IntType) -> IntType:
    """The type that both operands are converted to, by C's usual arithmetic conversions."""
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    return left if not left.signed else right


def _character(token: Token) -> int:
    content = literal_bytes(token)
    if len(content) != 1:
        message = f"expected one character, found {token.text[:24]!a}"
        raise UnsupportedC(message, token.start, token.end)
    return IntType(8, True).wrapped(content[0])


def _signed(operator: Token, operand: Constant) -> Constant:
    value, kind = operand
    if operator.text == "!":
        return Constant(int(not value), INT)
    if operator.text == "~":
        return Constant(kind.wrapped(~value), kind)
    return _checked(operator, value if operator.text == "+" else -value, kind)


def _checked(operator: Token, value: int, kind: IntType) -> Constant:
    if kind.signed and not kind.holds(value):
        message = f"expected a value that fits {kind}, found {value} (signed overflow)"
        raise UnsupportedC(message, operator.start, operator.end)
    return Constant(kind.wrapped(value), kind)


def _result_type(operator: Token, left: Constant, right: Constant) -> IntType:
    if operator.text in ("<<", ">>"):
        return left.type
    if operator.text in ("&&", "||", "==", "!=", "<", ">", "<=", ">="):
        return INT
    return _common(left.type, right.type)


def _combined(operator: Token, left: Constant, right: Constant) -> Constant:
    sign = operator.text
    if sign in ("<<", ">>"):
        return _shifted(operator, left, right)
    if sign in ("&&", "||"):
        both = (bool(left.value), bool(right.value))
        return Constant(int(all(both) if sign == "&&" else any(both)), INT)
    kind = _common(left.type, right.type)
    a, b = kind.wrapped(left.value), kind.wrapped(right.value)
    if sign in ("==", "!=", "<", ">", "<=", ">="):
        outcome = {
            "==": a == b, "!=": a != b, "<": a < b, ">": a > b, "<=": a <= b, ">=": a >= b,
        }[sign]  # fmt: skip
        return Constant(int(outcome), INT)
    if sign in ("/", "%"):
        if b == 0:
            message = f"expected a divisor other than 0, found {sign} 0"
            raise UnsupportedC(message, operator.start, operator.end)
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return _checked(operator, quotient if sign == "/" else a - quotient * b, kind)
    if sign == "|":
        return Constant(a | b, kind)
    if sign == "&":
        return Constant(a & b, kind)
    if sign == "^":
        return Constant(a ^ b, kind)
    return _checked(operator, a + b if sign == "+" else a - b if sign == "-" else a * b, kind)


def _shifted(operator: Token, left: Constant, right: Constant) -> Constant:
    """The result has the left operand's type; a bit may be shifted into the sign, not beyond."""
    value, kind = left
    if not 0 <= right.value < kind.bits:
        message = f"expected a shift by 0 to {kind.bits - 1} bits of {kind}, found {right.value}"
        raise UnsupportedC(message, operator.start, operator.end)
    if operator.text == ">>":
        return Constant(value >> right.value, kind)
    if kind.signed and (value < 0 or value << right.value >= 1 << kind.bits):
        message = f"expected a shift that fits {kind}, found {value} << {right.value}"
        raise UnsupportedC(message, operator.start, operator.end)
    return Constant(kind.wrapped(value << right.value), kind)
