"""Rows of a table as intel_idle.c has them: struct cpuidle_state NAME_cstates[]."""

from collections.abc import Iterator

from ....base.model.beyond_opal import BuiltInState
from ....base.model.findings import UsageError
from ....base.model.table import IdleTable


def write(table: IdleTable) -> str:
    """Returns the array of a table of intel_idle, to be put in place of the driver's own, with the
    row that ends it. Raises UsageError for other tables, and for texts that no C string holds as
    they are."""
    found = table.origin
    if found.form != "driver" or not found.is_intel_idle:
        raise UsageError(f"expected a table of intel_idle, found {table.name}")
    rows = "".join("".join(_row(state)) for state in found.states)
    return (
        f"static struct cpuidle_state {table.name}[] __initdata = {{\n{rows}"
        "\t{\n\t\t.enter = NULL }\n};\n"
    )


def _row(state: BuiltInState) -> Iterator[str]:
    for text in (state.name, state.description):
        if not text.isascii() or not text.isprintable() or set(text) & set('"\\'):
            raise UsageError(f"expected a printable name without quotes, found {text!r}")
    flags = [f"MWAIT2flg(0x{state.mwait_hint or 0:02x})", *state.flag_names]
    yield f'\t{{\n\t\t.name = "{state.name}",\n\t\t.desc = "{state.description}",\n'
    yield f"\t\t.flags = {' | '.join(flags)},\n"
    yield f"\t\t.exit_latency = {state.exit_latency_us},\n"
    yield f"\t\t.target_residency = {state.target_residency_us},\n"
    yield "\t\t.enter = &intel_idle,\n\t\t.enter_s2idle = intel_idle_s2idle, },\n"
