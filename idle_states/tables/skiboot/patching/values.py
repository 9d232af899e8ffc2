"""One value's text -> the text of another value, changed as little as its form allows.

Each way to write it is tried in turn, from the least change to a new text; the first that a
compiler would read as the value wanted is taken. A way that would drop a macro of the file's own
is never taken: other rows may mean it too.
"""

from collections.abc import Callable, Iterator, Sequence

from ....base.dataclass import dataclass
from ....base.model.table import Flag, IdleState, Psscr, Register
from ....base.reading.c.lexer import Token, tokens
from ..c_table.builtin import PSSCR_BITS, PSSCR_CALLS
from ..c_table.names import string_literal
from ..c_table.structure import Span
from ..c_table.writer import CONTEXT_FLAGS
from . import numbers
from .fresh import fresh, is_flag, number_of
from .source import EditRefused, SourceText, comments_in, literals_restored, without_comments
from .terms import Sum

BITS = {"latency": 32, "residency": 32, "flags": 32, "control": 64, "mask": 64}


@dataclass(frozen=True, slots=True)
class Old:
    """The value as it stands. text: of the file; code: the same, comments blanked."""

    source: SourceText
    span: Span
    text: str
    code: str
    value: int
    bits: int

    @classmethod
    def of(cls, source: SourceText, span: Span, field: str) -> "Old":
        code = source.clean.code[span.start : span.end]
        bits = BITS[field]
        value = source.value(code, span.start)
        assert value is not None, "c_table.read has evaluated it"
        text = source.text[span.start : span.end]
        return cls(source, span, text, code, value & (1 << bits) - 1, bits)

    def reads_as(self, text: str, value: int) -> bool:
        found = self.source.value(text, self.span.start)
        return found is not None and found & (1 << self.bits) - 1 == value

    def value_of(self, words: Sequence[Token]) -> int | None:
        return self.source.value(" ".join(word.text for word in words), self.span.start)

    @property
    def tokens(self) -> list[Token]:
        return tokens(self.code)


def rewritten(
    source: SourceText, span: Span, field: str, state: IdleState, register: Register
) -> str:
    """Returns new text for a field's value at `span`, which reads as the state's value. Raises
    EditRefused."""
    if field == "name":
        return _name(source, span, state.name)
    old = Old.of(source, span, field)
    new = number_of(state, field)
    ways: list[Callable[[], Iterator[str]]] = {
        "latency": [lambda: _digits(old, new), lambda: _anew(old, numbers.plain(new))],
        "flags": [
            lambda: _digits(old, new, only_literal=True),
            lambda: _toggled(old, new),
            lambda: _digits(old, new),
            lambda: _anew(old, fresh(source, field, state, register)),
        ],
        "control": [
            lambda: _psscr_fields(old, new),
            lambda: _digits(old, new),
            lambda: _anew(old, fresh(source, field, state, register)),
        ],
        "mask": [
            lambda: _digits(old, new),
            lambda: _anew(old, fresh(source, field, state, register)),
        ],
    }["latency" if field == "residency" else field]
    kept = source.foreign_macros(old.code, span.start)
    for way in ways:
        for text in way():
            left = source.foreign_macros(text, span.start)
            if old.reads_as(text, new) and all(left.count(m) >= kept.count(m) for m in kept):
                return text
    raise _refusal(old, kept, new)


def _name(source: SourceText, span: Span, name: str) -> str:
    code = source.clean.code[span.start : span.end]
    text = source.text[span.start : span.end]
    words = literals_restored(code, text)
    if any(word.kind != "string" for word in words):
        raise EditRefused(
            f"expected a name in quotes, found {text[:40]}; change it by hand", span.start, span.end
        )
    made = string_literal(name)
    if len(words) == 1:
        return text[: words[0].start] + made + text[words[0].end :]
    return _with_comments(text, words, made)


def _with_comments(text: str, words: Sequence[Token], made: str) -> str:
    """Returns the text with `made` in place of all tokens `words`, followed by the comments between
    them."""
    start, end = words[0].start, words[-1].end
    return " ".join([text[:start] + made, *comments_in(text[start:end])]) + text[end:]


def _anew(old: Old, made: str) -> Iterator[str]:
    yield _with_comments(old.text, old.tokens, made)


def _digits(old: Old, new: int, only_literal: bool = False) -> Iterator[str]:
    """Yields texts with one number replaced: by the new value, or by its share where the number
    scales the whole value.

    only_literal  only where the value is a number alone
    """
    words = old.tokens
    if only_literal and len(words) != 1:
        return
    for word in words:
        if word.kind != "number":
            continue
        own = old.value_of([word])
        candidates = [new]
        if own and old.value and new * own % old.value == 0:
            candidates.append(new * own // old.value)
        for candidate in candidates:
            made = numbers.in_style_of(word.text, candidate)
            if word.text == "0" and old.bits == 64 and candidate > 9:
                made = numbers.register(candidate)
            yield old.text[: word.start] + made + old.text[word.end :]


def _toggled(old: Old, new: int) -> Iterator[str]:
    """Yields texts of flags: factors 0 and 1 of terms changed, a class's name replaced, terms added
    or dropped."""
    total = Sum.of(old.code, old.text)
    if total is None:
        return
    lacking, surplus = new & ~old.value, old.value & ~new
    products = False
    off: list[tuple[int, int]] = []
    for index, term in enumerate(total.terms):
        factor, name = term.factor, term.name
        if factor is None or name is None:
            continue
        unit, times = old.value_of([name]) or 0, old.value_of([factor])
        products = True
        if times == 0 and unit and unit & lacking == unit:
            total.replace(factor, "1")
            lacking &= ~unit
        elif times == 1 and unit & surplus and not unit & new:
            off.append((index, unit))
    names = old.source.flag_names
    for index, unit in off:
        term = total.terms[index]
        other = next((bit for bit in names if lacking & bit and _is_class(bit)), None)
        if _is_class(unit) and other is not None and term.name is not None:
            total.replace(term.name, names[other])
            lacking &= ~other
        elif term.factor is not None:
            total.replace(term.factor, "0")
        surplus &= ~unit
    for index, term in enumerate(total.terms):
        value = old.value_of(term.words) or 0
        if term.factor is None and value & surplus and not value & new:
            other = next((bit for bit in names if lacking & bit and _is_class(bit)), None)
            if len(term.words) == 1 and _is_class(value) and other is not None:
                total.replace(term.words[0], names[other])
                lacking &= ~other
            else:
                total.drop(index)
    for bit in (1 << shift for shift in range(32)):
        if lacking & bit:
            name_of = names.get(bit)
            made = f"{bit:#010x}" if name_of is None else f"1*{name_of}" if products else name_of
            total.append(made)
    yield total.text(Sum.default_separator("flags", old.source.newline))


def _is_class(bit: int) -> bool:
    return is_flag(bit) and Flag(bit) not in (*CONTEXT_FLAGS, Flag.USE_PMICR)


def _psscr_fields(old: Old, new: int) -> Iterator[str]:
    """Yields texts of a PSSCR value: arguments of RL(), MTL() and TR() replaced, ESL and EC added
    or dropped."""
    total = Sum.of(old.code, old.text)
    calls = {name: field for field, name in PSSCR_CALLS.items()}
    bits = {name: field for field, name in PSSCR_BITS.items()}
    if total is None or not any(term.callee in calls for term in total.terms):
        return
    have, want = Psscr.from_int(old.value), Psscr.from_int(new)
    pending = {
        field
        for field in (*PSSCR_CALLS, *PSSCR_BITS)
        if getattr(have, field) != getattr(want, field)
    }
    for index, term in enumerate(total.terms):
        field = calls.get(term.callee or "")
        if field in pending and term.argument is not None:
            made = numbers.in_style_of(term.argument.text, getattr(want, field))
            total.replace(term.argument, made)
            pending.discard(field)
        alone = term.words[0].text if len(term.words) == 1 else ""
        if (field := bits.get(alone)) in pending and not getattr(want, field or ""):
            total.drop(index)
            pending.discard(field)
    for field in (*PSSCR_CALLS, *PSSCR_BITS):
        if field in pending and getattr(want, field):
            name = PSSCR_CALLS.get(field)
            total.append(f"{name}({getattr(want, field)})" if name else PSSCR_BITS[field])
    rest, former = Psscr(psll=want.psll, other=want.other), Psscr(psll=have.psll, other=have.other)
    if rest != former:
        _rest(old, total, int(former), int(rest))
    yield total.text(Sum.default_separator("pm_ctrl_reg_val", old.source.newline))


def _rest(old: Old, total: Sum, former: int, rest: int) -> None:
    """Changes, in `total`, the number that stands for the bits no macro names.

    former, rest  its value before and after
    """
    for index, term in enumerate(total.terms):
        if not former or term.words[0].kind != "number" or old.value_of(term.words) != former:
            continue
        if not rest:
            total.drop(index)
        elif len(term.words) == 1:
            total.replace(term.words[0], numbers.in_style_of(term.words[0].text, rest))
        return
    if rest:
        total.append(f"{rest:#x}UL")


def _refusal(old: Old, kept: Sequence[str], new: int) -> EditRefused:
    start, end = old.span.start, old.span.end
    shown = " ".join(without_comments(old.text).replace("\\", " ").split())[:60]
    if kept:
        count = old.source.uses(kept[0])
        where = "used here alone" if count < 2 else f"used in {count} places of the tables"
        return EditRefused(
            f"expected a value that can be changed to {new:#x} here alone, found {shown}, which "
            f"is behind the macro {kept[0]}, {where}; change it by hand",
            start,
            end,
        )
    return EditRefused(f"expected a value that can become {new:#x}, found {shown}", start, end)
