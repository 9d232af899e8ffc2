"""C tables of skiboot, written, compiled and read."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from idle_states.base.model.findings import Location, Unreadable
from idle_states.base.model.table import Firmware, IdleState, IdleTable, Register
from idle_states.tables.skiboot import c_table

UGLY_NAMES = (
    "stop0_lite", 'quo"te', "back\\slash", "??=??/??", "a\\n\\012", "??", "%s%n", "/*x*/", "//y",
    "'", "\\", '"', "exactly16letters", " lead", "trail ", "0", "\x01\x7f7", "naïve", "\udcff1",
)  # fmt: skip


def run_c(gcc: str, directory: Path, text: str, *options: str) -> tuple[int, str]:
    """Compiles with every warning an error and runs: exit status and output."""
    source, program = directory / "table.c", directory / "table"
    source.write_text(text, encoding="utf-8", errors="surrogateescape")
    strict = ["-Wall", "-Wextra", "-Werror", *options]
    subprocess.run([gcc, *strict, "-o", program, source], check=True)
    done = subprocess.run([program], capture_output=True, text=True, errors="surrogateescape")
    return done.returncode, done.stdout


def values(table: IdleTable) -> list[tuple[str, int, int | None, int, int, int]]:
    return [state.values() for state in table.states]


def made(states: list[IdleState], register: Register = Register.PSSCR) -> IdleTable:
    return IdleTable("made", tuple(states), register, firmware=Firmware("made_up"))


def rows(
    body: str, before: str = "", defines: dict[str, str] | None = None
) -> tuple[IdleState, ...]:
    """The states of one array with the given rows."""
    text = f"{before}\nstatic struct cpu_idle_states x[] = {{\n{body}\n}};\n"
    (table,) = c_table.read(text, "x.c", defines=defines)
    return table.states


def complaint(text: str) -> tuple[Location, str]:
    """The only finding on some C."""
    with pytest.raises(Unreadable) as caught:
        c_table.read(text, "x.c")
    (finding,) = caught.value.findings
    assert caught.value.texts == {"x.c": text}
    assert (finding.rule, finding.name) == ("IS932", "unsupported-c")
    return finding.location, finding.message
