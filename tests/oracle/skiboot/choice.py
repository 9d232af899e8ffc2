"""The table that a skiboot tree takes for a machine, by the tree's own conditions, compiled.

The statement of add_cpu_idle_state_properties() that chooses is compiled by itself, of any era:
each function that it calls returns 0 there, and each variable of the rest of the firmware is 0.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from idle_states.tables.skiboot.choosing import MachineKind, generation_of

from ..compiling import gcc
from .csource import Tree, blanked
from .export import ENTRY

LEVELS = (0x0F, 0x10, 0x11, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x24, 0xFF)
_EIGHT = "find_cpu_idle_state_properties_p8"
_ENUMS = ("proc_gen", "proc_chip_type", "proc_chip_quirks")
_KNOWN = frozenset(
    "if else for while do return sizeof struct const static void char int long unsigned bool true "
    "false NULL u8 u16 u32 u64 uint8_t uint16_t uint32_t uint64_t dt_property cpu_idle_states "
    "states nr_states chip proc_chip proc_chip_quirks chip_quirk this_cpu next_chip ARRAY_SIZE "
    f"MAX_NAME_LEN defined ifdef endif ifndef CONFIG_P8 proc_gen {_EIGHT}".split()
)
_PROGRAM = """\
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
typedef uint8_t u8; typedef uint16_t u16; typedef uint32_t u32; typedef uint64_t u64;
#define CONFIG_P8 1
{type}
{enums}
struct dt_property {{ u32 len; char prop[8]; }};
struct proc_chip {{ int type, ec_level; }};
static struct proc_chip the_chip, *chip = &the_chip;
static struct {{ bool is_fused_core; }} the_cpu;
static long proc_gen, proc_chip_quirks;
#define chip_quirk(quirk) (proc_chip_quirks & (quirk))
#define this_cpu() (&the_cpu)
#define next_chip(before) (&the_chip)
#define ARRAY_SIZE(array) 1
static struct cpu_idle_states *states;
static int nr_states;
{arrays}
{stubs}
{eight}
static void choose(void)
{{
{statement}
}}
#undef printf
static void all(const char *name, int type, long generation)
{{
    static const int levels[] = {{ {levels} }};
    static const struct {{ const char *name; long value; }} quirks[] = {{ {{ "-", 0 }}, {quirks} }};
    for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++)
        for (unsigned j = 0; j < sizeof quirks / sizeof *quirks; j++)
            for (int fused = 0; fused < 2; fused++) {{
                const char *array = "-";
                the_chip.type = type, the_chip.ec_level = levels[i], the_cpu.is_fused_core = fused;
                proc_gen = generation, proc_chip_quirks = quirks[j].value, states = 0;
                choose();
{names}
                printf("%s %d %s %d %s\\n", name, levels[i], quirks[j].name, fused, array);
            }}
}}
int main(void)
{{
{calls}
    return 0;
}}
"""


def chosen(root: Path) -> dict[MachineKind, str]:
    """The array that the tree takes for each chip it has, at each of LEVELS, with each quirk or
    none, with and without fused cores; "" where it takes none."""
    with tempfile.TemporaryDirectory() as directory:
        source, binary = Path(directory, "choice.c"), Path(directory, "choice")
        source.write_text(_text(Tree(root)))
        gcc("-w", "-O0", "-o", binary, source)
        done = subprocess.run([binary], capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        chip, level, quirk, fused, array = line.split()
        quirks = frozenset({quirk} - {"-"})
        found[MachineKind(chip, int(level), quirks, fused == "1")] = array.strip("-")
    return found


def _text(tree: Tree) -> str:
    function = tree.function(ENTRY)
    statement = _statement(function) if function else ""
    if not statement:
        raise ValueError(f"{tree.root} has no statement that chooses a table")
    eight = tree.function(_EIGHT) or ""
    enums = {name: tree.enum(name) or "" for name in _ENUMS}
    chips = tree.enumerators("proc_chip_type")
    generations = tree.enumerators("proc_gen")
    return _PROGRAM.format(
        type=tree.idle_state_type(),
        enums="\n".join(text.rpartition("}")[0] + "};" for text in enums.values() if text),
        arrays="\n".join(f"static struct cpu_idle_states {name}[1];" for name in tree.arrays),
        stubs="\n".join(_stubs(statement + eight, {*tree.arrays, *_words(*enums.values())})),
        eight=eight,
        statement=statement,
        levels=", ".join(map(str, LEVELS)),
        quirks=", ".join(f'{{ "{name}", {name} }}' for name in tree.enumerators(_ENUMS[2])),
        names="\n".join(
            f'                if (states == {name}) array = "{name}";' for name in tree.arrays
        ),
        calls="\n".join(_call(chip, generations) for chip in chips),
    )


def _call(chip: str, generations: Sequence[str]) -> str:
    short = chip.removeprefix("PROC_CHIP_")
    generation = f"proc_gen_p{generation_of(short)}"
    return f'    all("{short}", {chip}, {generation if generation in generations else 0});'


def _words(*texts: str) -> set[str]:
    return {word for text in texts for word in re.findall(r"\b[A-Za-z_]\w*", blanked(text))}


def _stubs(text: str, known: set[str]) -> Iterator[str]:
    """A definition for each name that a text takes from the rest of the firmware."""
    names = dict(re.findall(r"(?<![\w.>])([A-Za-z_]\w*)\s*(\(?)", blanked(text)))
    for name, call in sorted(names.items()):
        if name not in _KNOWN | known:
            yield f"#define {name}(...) 0" if call else f"static long {name};"


def _statement(function: str) -> str:
    """The first `if` of a function that asks for the chip, with its else and what stands between it
    and the one before."""
    code = blanked(function)
    for match in re.finditer(r"\bif\s*\(", code):
        head = code[: match.start()]
        if head.count("{") - head.count("}") == 1:
            end = _end(code, match.start())
            if "PROC_CHIP_" in code[match.start() : end]:
                return function[match.start() : end]
    return ""


def _end(code: str, at: int) -> int:
    """The end of the `if` with blocks that begins there, with its else."""
    while True:
        position, depth = code.index("{", at) + 1, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(code[position], 0)
            position += 1
        more = re.compile(r"\s*else\b").match(code, position)
        if more is None:
            return position
        at = more.end()
