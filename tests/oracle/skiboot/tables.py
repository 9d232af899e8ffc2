"""The values of a skiboot tree's idle-state tables, as a compiler sees them."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TypedDict

from ..compiling import gcc
from .csource import STUBS, Tree, tree_includes

_PROGRAM = """\
#include <stdbool.h>
#include <stdint.h>
#include <bitutils.h>
#include <opal-api.h>

{type}

{arrays}

#include "dump.h"

int main(void)
{{
{calls}
    return 0;
}}
"""


class Row(TypedDict):
    """One idle state; `name` has at most 16 characters of one byte each (Latin-1)."""

    name: str
    latency_ns: int
    residency_ns: int
    flags: int
    control: int
    mask: int


def dump_tables(tree: Path, sources: Mapping[str, str] | None = None) -> dict[str, list[Row]]:
    """Compile and run the tree's tables: the rows of each array.

    A definition in `sources` (array name -> C text) takes the place of the tree's, or is
    added if the tree has none of that name. The compiler is strict: -Wall -Wextra -Werror.
    """
    skiboot = Tree(tree)
    arrays = {**skiboot.arrays, **(sources or {})}
    program = _PROGRAM.format(
        type=skiboot.idle_state_type(),
        arrays="\n\n".join(arrays.values()),
        calls="\n".join(f"    DUMP({name});" for name in arrays),
    )
    return dumped(program, *tree_includes(skiboot))


def dumped(program: str, *options: str) -> dict[str, list[Row]]:
    """The rows of each array that a C program prints with the DUMP() of stubs/dump.h."""
    with tempfile.TemporaryDirectory() as directory:
        source, binary = Path(directory, "tables.c"), Path(directory, "tables")
        source.write_text(program)
        gcc("-Wall", "-Wextra", "-Werror", f"-I{STUBS}", *options, "-o", binary, source)
        done = subprocess.run([binary], capture_output=True, text=True, check=True)
    tables: dict[str, list[Row]] = {}
    rows: list[Row] = []
    for line in done.stdout.splitlines():
        name, *values = line.split(",")
        if values:
            rows.append(_row(bytes.fromhex(name).decode("latin-1"), *map(int, values)))
        else:
            rows = tables.setdefault(name, [])
    return tables


def _row(name: str, latency: int, residency: int, flags: int, control: int, mask: int) -> Row:
    return {
        "name": name,
        "latency_ns": latency,
        "residency_ns": residency,
        "flags": flags,
        "control": control,
        "mask": mask,
    }
