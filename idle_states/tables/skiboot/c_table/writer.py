"""Idle tables -> C for skiboot's hw/slw.c and hw/slw-p8.c, in the style of those files."""

from collections.abc import Iterable, Iterator, Sequence

from ....base.model.findings import CannotGenerate, Finding, Location, cannot_generate
from ....base.model.table import (
    KNOWN_FLAGS,
    NAME_BYTES,
    PSSCR_MASK,
    RL_MASK,
    Flag,
    IdleState,
    IdleTable,
    Psscr,
    Register,
)
from ....base.reading.c.lexer import encoded
from ....base.resources import template
from .builtin import (
    DEFINITIONS,
    FLAG_NAMES,
    PMICR_MASK_NAMES,
    PMICR_NAMES,
    PSSCR_BITS,
    PSSCR_CALLS,
    PSSCR_MASK_NAME,
    PSSCR_RL_MASK_NAME,
)
from .names import comment_lines, identifier_from, is_identifier, string_literal

TEMPLATE = "c_table.c.j2"
COMMENT_BESIDE_BRACE = 60
"""Characters of a note that stand beside a row's brace; longer ones get lines of their own."""

CONTEXT_FLAGS = (
    Flag.DEC_STOP,
    Flag.TIMEBASE_STOP,
    Flag.LOSE_USER_CONTEXT,
    Flag.LOSE_HYP_CONTEXT,
    Flag.LOSE_FULL_CONTEXT,
)
"""Flags that skiboot's tables spell out in every row, as 0*X or 1*X."""
_CLASS_FLAGS = tuple(flag for flag in Flag if flag not in (*CONTEXT_FLAGS, Flag.USE_PMICR))

_COLUMN_OF_OPERATOR = {"flags": "\t\t       ", "pm_ctrl_reg_val": "\t\t\t\t "}


def write(tables: Sequence[IdleTable], *, self_test: bool = False) -> str:
    """Returns C text with one `static struct cpu_idle_states NAME[]` for each table.

    NAME is `firmware.array` of the table; where it has none, it is made of the table's name. A
    residency of None is left out: such a table is of a struct without that member.

    self_test  adds a main() that is compiled with `gcc -DIDLE_STATES_SELF_TEST`, and with
               -DIDLE_STATES_TREE takes the macros of a skiboot tree. It compares every member
               with a plain number and prints "ok N rows", or for each difference
               "ARRAY[ROW].MEMBER: expected X, found Y" and ends with status 1.
    Raises CannotGenerate (IS933), with all reasons, if C cannot express a table.
    """
    findings = list(_obstacles(tables))
    if findings:
        raise CannotGenerate(findings)
    parts = [_self_test(tables)] if self_test else []
    rendered = [_Rendered(table) for table in tables]
    text = template(TEMPLATE).render(tables=rendered, self_tests=parts)
    return text.rstrip("\n") + "\n"


def array_name(table: IdleTable) -> str:
    """The array's name: the firmware's, else made of the table's."""
    if table.firmware.array:
        return table.firmware.array
    made = identifier_from(table.name)
    if not made or made.endswith("cpu_idle_states"):
        return made
    return f"{made}_cpu_idle_states"


# The scan: everything that C cannot express.


def _obstacles(tables: Sequence[IdleTable]) -> Iterator[Finding]:
    yield from _no_common_struct(tables)
    first: dict[str, IdleTable] = {}
    for table in tables:
        yield from _table_obstacles(table)
        array = array_name(table)
        earlier = first.setdefault(array, table)
        if earlier is not table and array:
            message = f"expected each array once, found {array} for {earlier.name} and {table.name}"
            yield _finding(table, message, None)
        for index, state in enumerate(table.states):
            for field, message in _state_obstacles(state):
                yield _finding(table, message, index, field)


def _table_obstacles(table: IdleTable) -> Iterator[Finding]:
    if table.register is Register.NONE:
        message = (
            f"expected a table with PSSCR or PMICR, found {table.name!a}, which firmware does not "
            "export"
        )
        yield _finding(table, message, None)
    array = array_name(table)
    if not is_identifier(array):
        message = f"expected an identifier of C as the array's name, found {array!a}"
        yield _finding(table, message, None)


def _no_common_struct(tables: Sequence[IdleTable]) -> Iterator[Finding]:
    """Reports rows with a residency of None beside rows that have one: in a struct with that member
    they would have 0."""
    rows = [(table, index) for table in tables for index in range(len(table.states))]
    without = [item for item in rows if item[0].states[item[1]].residency_ns is None]
    if without and len(without) < len(rows):
        table, index = without[0]
        message = (
            f"expected a target residency, as other rows have, found none in {len(without)} of "
            f"{len(rows)}; in C it would be 0"
        )
        yield _finding(table, message, index, "residency")


def _state_obstacles(state: IdleState) -> Iterator[tuple[str, str]]:
    name = encoded(state.name)
    if name.decode("utf-8", "surrogateescape") != state.name:
        yield "name", f"expected a name of characters, found a lone surrogate in {state.name!a}"
    if len(name) > NAME_BYTES:
        yield "name", f"expected a name of at most {NAME_BYTES} bytes, found {state.name!a}"
    if b"\0" in name:
        yield "name", f"expected a name without NUL, found {state.name!a}"
    for field, value, most in state.misfits():
        yield field, f"expected {field} to fit u{most.bit_length()}, found {value}"


def _finding(table: IdleTable, message: str, index: int | None, field: str = "state") -> Finding:
    where = table.where if index is None else table.states[index].where
    place = where.get(field) or where.get("table") or where.get("state")
    place = place or Location(table.path(index, "" if field == "state" else field))
    return cannot_generate(message, place, table.name)


# Rendering: what the template puts in place.


class _Rendered:
    """A table as the template takes it: comment and rows of lines."""

    def __init__(self, table: IdleTable) -> None:
        self.array = array_name(table)
        self.comment = [
            *comment_lines(table.title or table.name),
            *comment_lines(table.note),
            *comment_lines(f"Generated by idle-states from {table.name}."),
        ]
        self.rows = [
            {"opening": _opening(state), "members": _members(state, table.register)}
            for state in table.states
        ]


def _opening(state: IdleState) -> list[str]:
    """The row's opening brace with the state's note beside it; a long note follows on lines of its
    own."""
    lines = [*comment_lines(state.note), *comment_lines("" if state.cpuidle else state.reason)]
    if not lines:
        return ["{"]
    if len(lines) == 1 and len(lines[0]) <= COMMENT_BESIDE_BRACE:
        return [f"{{ /* {lines[0]} */"]
    return ["{", "\t/*", *(f"\t * {line}" for line in lines), "\t */"]


def _members(state: IdleState, register: Register) -> list[str]:
    values = {
        "name": string_literal(state.name),
        "latency_ns": str(state.latency_ns),
        "residency_ns": "" if state.residency_ns is None else str(state.residency_ns),
        "flags": _product("flags", flag_terms(state.flags, register)),
        "pm_ctrl_reg_val": _product("pm_ctrl_reg_val", control_terms(state, register)),
        "pm_ctrl_reg_mask": mask_text(state.mask, register),
    }
    return [f".{member} = {value}" for member, value in values.items() if value]


def _product(member: str, terms: Iterable[str]) -> str:
    return f" \\\n{_COLUMN_OF_OPERATOR[member]}| ".join(terms)


def flag_terms(flags: int, register: Register) -> list[str]:
    """Returns the terms that skiboot adds up to a row's flags: 0*X or 1*X for what is lost, then
    the stop class that is set.

    Rows of PMICR tables end with 0 or 1 times OPAL_USE_PMICR. Bits without a name follow as a
    number.
    """
    terms = [f"{int(bool(flags & flag))}*{FLAG_NAMES[flag]}" for flag in CONTEXT_FLAGS]
    terms += [f"1*{FLAG_NAMES[flag]}" for flag in _CLASS_FLAGS if flags & flag]
    if register is Register.PMICR or flags & Flag.USE_PMICR:
        terms.append(f"{int(bool(flags & Flag.USE_PMICR))}*{FLAG_NAMES[Flag.USE_PMICR]}")
    unknown = flags & ~KNOWN_FLAGS
    return [*terms, f"{unknown:#010x}"] if unknown else terms


def control_terms(state: IdleState, register: Register) -> list[str]:
    """Returns the terms of a row's pm_ctrl_reg_val: macros, and a number for bits without one.

    Of PSSCR: RL always, MTL and TR where they are not 0 or the mask has them, ESL and EC where they
    are set.
    """
    if register is Register.PMICR:
        return [_register_value(state.control, PMICR_NAMES)]
    psscr = state.psscr
    masked = Psscr.from_int(state.mask)
    terms = []
    rest = Psscr(psll=psscr.psll, other=psscr.other)
    for field, name in PSSCR_CALLS.items():
        value = getattr(psscr, field)
        if field == "rl" or value or getattr(masked, field):
            terms.append(f"{name}({value})")
    terms += [name for field, name in PSSCR_BITS.items() if getattr(psscr, field)]
    return [*terms, f"{int(rest):#x}UL"] if int(rest) else terms


def mask_text(mask: int, register: Register) -> str:
    """Returns the mask as its macro if that is all of it, otherwise as a number: the macro has no
    parentheses around it."""
    if register is Register.PMICR:
        return _register_value(mask, PMICR_MASK_NAMES)
    return _register_value(mask, {PSSCR_MASK: PSSCR_MASK_NAME, RL_MASK: PSSCR_RL_MASK_NAME})


def _register_value(value: int, names: dict[int, str]) -> str:
    return names.get(value) or (f"{value:#x}UL" if value else "0")


def _self_test(tables: Sequence[IdleTable]) -> dict[str, object]:
    """Returns the self-test's parts: macros and struct of its own, the checks of each array."""
    has_residency = any(s.residency_ns is not None for table in tables for s in table.states)
    members = [
        f"char name[{NAME_BYTES}]",
        "unsigned int latency_ns",
        *(["unsigned int residency_ns"] if has_residency else []),
        "unsigned long pm_ctrl_reg_val",
        "unsigned long pm_ctrl_reg_mask",
        "unsigned int flags",
    ]
    macros = [
        f"#define {head} {text}"
        for head, text in DEFINITIONS.items()
        if not head.startswith(("IDLE_", "PPC_BITMASK"))
    ]
    arrays = [
        {"name": array_name(table), "rows": len(table.states), "checks": list(_checks(table))}
        for table in tables
    ]
    rows = sum(len(table.states) for table in tables)
    return {"macros": macros, "members": members, "arrays": arrays, "rows": rows}


def _checks(table: IdleTable) -> Iterator[str]:
    """Calls that compare each member of each row with its value, written as a plain number."""
    array = array_name(table)
    for row, state in enumerate(table.states):
        yield f"NAME({array}, {row}, {string_literal(state.name)});"
        yield f"TIME({array}, {row}, latency_ns, {state.latency_ns});"
        if state.residency_ns is not None:
            yield f"TIME({array}, {row}, residency_ns, {state.residency_ns});"
        yield f"BITS({array}, {row}, flags, {state.flags:#x});"
        yield f"BITS({array}, {row}, pm_ctrl_reg_val, {state.control:#x});"
        yield f"BITS({array}, {row}, pm_ctrl_reg_mask, {state.mask:#x});"
