"""The tables of Linux's cpuidle drivers as gcc stores them.

Of a driver's file its own directives, enums, structs and tables are compiled, with the structs and
flags of the tree's cpuidle.h and the macros of its architecture's header; functions are cut out.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from .. import OracleError
from ..compiling import CompileError, gcc

HEADERS = {
    "asm/cpuidle.h": "arch/arm/include/asm/cpuidle.h",
    "asm/idle.h": "arch/mips/include/asm/idle.h",
}
"""The headers with macros for whole rows; files that need others do not compile."""
TABLE = re.compile(r"struct cpuidle_(driver|state)\s+(\w+)\s*(\[[^\]]*\])?[^;(){}]*=\s*\{")

_COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|("(?:[^"\\\n]|\\.)*")', re.DOTALL)
_UNDECLARED = re.compile(r"error: [‘'](\w+)[’'] undeclared")
_PRELUDE = """
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#define BIT(n) (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define __read_mostly
#define __initdata
#define THIS_MODULE NULL
typedef unsigned char u8; typedef unsigned int u32; typedef unsigned long long u64;
typedef long long s64; typedef _Bool bool;
struct cpuidle_device; struct cpuidle_driver; struct module; struct cpumask;
"""
_PRINT = r"""
static void text(const char *s, size_t most)
{
    putchar('"');
    for (; s && most-- && *s; s++)
        printf(*s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    putchar('"');
}
static void states(const struct cpuidle_state *s, int count)
{
    printf("[");
    for (int i = 0; i < count; i++, s++) {
        printf("%s[", i ? ", " : "");
        text(s->name, sizeof(s->name)); printf(", "); text(s->desc, sizeof(s->desc));
        printf(", %u, %u, %u, %d]", s->exit_latency, s->target_residency, s->flags, s->power_usage);
    }
    printf("]");
}
"""


def with_tables(tree: Path) -> list[Path]:
    """The C files of a tree, below arch and drivers/cpuidle, that have such a table."""
    files = [*(tree / "drivers/cpuidle").rglob("*.c"), *(tree / "arch").rglob("*.c")]
    return sorted(f for f in files if TABLE.search(_bare(f.read_text("utf-8", "replace"))))


def compiled(tree: Path, file: Path) -> dict[str, dict[str, Any]]:
    """Table -> "states" as (name, desc, exit_latency, target_residency, flags, power_usage), of a
    driver "count", "safe" and "name" beside."""
    source = _bare(file.read_text("utf-8", "replace"))
    api = _bare((tree / "include/linux/cpuidle.h").read_text())
    parts = [_PRELUDE, *re.findall(r"^#define CPUIDLE_\w+[^(\n][^\n]*$", api, re.M)]
    for struct in ("cpuidle_state", "cpuidle_driver"):
        parts += re.findall(rf"^struct {struct} \{{.*?^\}};", api, re.M | re.DOTALL)
    for name, path in HEADERS.items():
        if f"<{name}>" in source:
            text = _bare((tree / path).read_text())
            parts += re.findall(r"^#define \w+_CPUIDLE_\w+(?:[^\n]*\\\n)*[^\n]*$", text, re.M)
    tables = list(TABLE.finditer(source))
    sized = set(re.findall(r"state_count\s*=\s*ARRAY_SIZE\((\w+)\)", source))
    body = list(_kept(source, sized))
    printing = []
    for kind, name, _ in (match.groups() for match in tables):
        printing.append(f'printf("%s\\"{name}\\": {{\\"states\\": ", many++ ? ", " : "");')
        if kind == "driver":
            printing.append(f"states({name}.states, CPUIDLE_STATE_MAX);")
            printing.append(
                f'printf(", \\"count\\": %d, \\"safe\\": %d, \\"name\\": ", {name}.state_count, '
                f"{name}.safe_state_index); text({name}.name, 99);"
            )
        else:
            printing.append(f"states({name}, ARRAY_SIZE({name}));")
        printing.append('printf("}");')
    main = 'int main(void) { int many = 0; printf("{"); ' + "\n".join(printing) + ' puts("}"); }'
    return _run([*parts, "/* the file */", *body, _PRINT, main], source)


def _run(parts: list[str], source: str) -> dict[str, dict[str, Any]]:
    """Compiles and runs; what the table names and functions define is declared, as gcc asks."""
    declared: dict[str, str] = {}
    with TemporaryDirectory() as scratch:
        program, text = Path(scratch, "tables"), Path(scratch, "tables.c")
        for _ in range(6):
            middle = parts.index("/* the file */")
            text.write_text("\n".join([*parts[:middle], *declared.values(), *parts[middle:]]))
            try:
                gcc("-w", "-o", program, text)
                break
            except CompileError as error:
                missing = set(_UNDECLARED.findall(str(error))) - set(declared)
                if not missing:
                    raise
                for name in missing:
                    enters = re.search(rf"\.enter\w*\s*=\s*&?\s*{name}\b", source)
                    declared[name] = (
                        f"int __attribute__((weak)) {name}();" if enters else f"enum {{ {name} }};"
                    )
        else:
            raise OracleError("gcc asks for ever more")
        output = subprocess.run([program], capture_output=True, check=True, text=True).stdout
    found: dict[str, dict[str, Any]] = json.loads(output)
    return found


def _bare(text: str) -> str:
    return _COMMENT.sub(lambda match: match[1] or " ", text)


def _kept(source: str, sized: set[str]) -> Iterator[str]:
    """The directives but #include, enums, structs, tables and the arrays that are counted."""
    lines = re.sub(r"\\\n", " ", source).split("\n")
    item: list[str] = []
    depth = 0
    for line in lines:
        if line.lstrip().startswith("#") and depth == 0:
            if re.match(r"\s*#\s*define", line):
                yield line
            item = []
            continue
        item.append(line)
        depth += line.count("{") - line.count("}")
        text = "\n".join(item).strip()
        if depth or not text.endswith((";", "}")):
            continue
        item = []
        array = re.match(r"static (?:const )?(?:struct )?\w+ (\w+)\[[^;={]*=\s*\{", text)
        struct = re.match(r"struct (\w+)\s*\{", text)
        if (
            re.match(rf"(static )?(const )?{TABLE.pattern}", text)
            or re.match(r"enum \w*\s*\{", text)
            or (array and array[1] in sized)
            or (struct and re.search(rf"struct {struct[1]} ({'|'.join(sized) or '!'})\[", source))
        ):
            yield text
