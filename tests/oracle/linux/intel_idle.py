"""intel_idle.c of a kernel tree: its tables as gcc stores them, what its initialization makes of a
machine."""

import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..compiling import answers, digest, gcc, made, write_all
from .harness import SHIM, unhex
from .source import KABI, SHADOWS, OracleError, functions, includes, keep_functions, read

DRIVER = "drivers/idle/intel_idle.c"
_ASM = "arch/x86/include/asm"
_FLAGS = (
    "-O1",
    "-w",
    # what only the entry functions call, which are dropped; later compilers make an error of it
    "-Wno-error=implicit-function-declaration",
    "-static",
    "-Wl,--unresolved-symbols=ignore-all",
    "-fno-strict-aliasing",
    "-fwrapv",
)
_NUMBERS = frozenset(
    "_parse_integer_fixup_radix _parse_integer_limit _parse_integer _kstrtoull kstrtoull "
    "kstrtouint".split()
)
"""The functions that read the numbers of parameters; not every release has all of them."""
_ENTERS = ("intel_idle", "intel_idle_irq", "intel_idle_ibrs", "intel_idle_xstate")


@dataclass(frozen=True)
class Stored:
    """The values that gcc stores.

    tables  array -> (name, desc, exit_latency, target_residency, flags) of each row up to the last
            that is entered
    cpus    (vendor, family, model, struct idle_cpu, its table, its other members) of the list
    """

    tables: dict[str, list[tuple[str, str, int, int, int]]]
    cpus: list[tuple[int, int, int, str, str, dict[str, int]]]


@dataclass(frozen=True)
class Started:
    """The states and messages that the driver made of a machine.

    status    0 or -errno of the initcall
    states    (name, desc, exit_latency, target_residency, flags, enter) as registered, POLL first
    messages  (level, text); level tsc: why the TSC is unstable
    msrs      (number, value) of each that was written, in order
    """

    status: int
    states: list[tuple[str, str, int, int, int, str]] = field(default_factory=list)
    messages: list[tuple[str, str]] = field(default_factory=list)
    msrs: list[tuple[int, int]] = field(default_factory=list)


class IntelIdleOracle:
    """The driver of a kernel tree, compiled into `workdir` unless it is there already."""

    def __init__(self, tree: Path, workdir: Path) -> None:
        source = read(tree, DRIVER)
        texts = dict.fromkeys(includes(source), '#include "intel_idle.h"\n')
        own_format = "" if "#define pr_fmt" in source else "#define pr_fmt(format) format\n"
        texts["intel_idle_source.c"] = own_format + source
        texts["tree.h"] = "\n".join(_tree(tree))
        texts["tables.h"] = "\n".join(_tables(source))
        own = [
            (SHIM / name).read_text() for name in ("intel_idle.c", "intel_idle.h", "each_line.h")
        ]
        name = f"intel_idle-{digest([*_FLAGS, *own, *(t for p in texts.items() for t in p)])}"

        def build(scratch: Path) -> Path:
            write_all(scratch, texts)
            program = scratch / "program"
            words: list[str | Path] = [*_FLAGS, f"-I{scratch}", f"-I{SHIM}"]
            words += ['-DINTEL_SOURCE="intel_idle_source.c"', "-DCONFIG_ACPI_PROCESSOR_CSTATE"]
            gcc(*words, SHIM / "intel_idle.c", "-o", program)
            return program

        self.program = made(workdir.resolve() / name, build)

    def stored(self) -> Stored:
        """The tables and the list of processors."""
        done = subprocess.run([self.program, "dump"], capture_output=True, text=True, check=True)
        tables: dict[str, list[tuple[str, str, int, int, int]]] = {}
        cpus = []
        table = ""
        for line in done.stdout.splitlines():
            kind, *words = line.split()
            if kind == "table":
                table = words[0]
                tables[table] = []
            elif kind == "state":
                tables[table].append(_state(words)[:5])
            else:
                numbers = [int(word) for word in words[:3]]
                settings = dict(word.split("=") for word in words[5:])
                members = {key: int(value) for key, value in settings.items() if int(value)}
                target = "" if words[4] == "-" else words[4]
                cpus.append((numbers[0], numbers[1], numbers[2], words[3], target, members))
        return Stored(tables, cpus)

    def run(self, cases: Sequence[str]) -> list[Started]:
        """The results of case lines ("key=value ..."), in order."""
        return [one for text in answers(self.program, cases) for one in _started(text)]


def _started(output: str) -> Iterator[Started]:
    result = Started(0)
    for line in output.splitlines():
        kind, *words = line.split()
        if kind == "end":
            if words != ["0"]:
                raise OracleError(f"the kernel's code crashed, status {words}")
            yield result
            result = Started(0)
        elif kind == "status":
            result = Started(int(words[0]), result.states, result.messages, result.msrs)
        elif kind == "state":
            result.states.append(_state(words))
        elif kind == "message":
            result.messages.append((words[0], unhex(words[1]).rstrip("\n")))
        elif kind == "wrmsr":
            result.msrs.append((int(words[0]), int(words[1])))
        elif kind in ("warn_on", "sysfs", "too"):
            result.messages.append((kind, ""))
        elif kind != "registered":
            raise OracleError(line)


def _state(words: Sequence[str]) -> tuple[str, str, int, int, int, str]:
    name, desc, *numbers, enter = words
    latency, residency, flags = map(int, numbers)
    return unhex(name), unhex(desc), latency, residency, flags, enter


def _tree(tree: Path) -> Iterator[str]:
    """The structs, constants and headers of the tree that the driver needs."""
    cpuidle = read(tree, "include/linux/cpuidle.h")
    yield from re.findall(r"^#define[ \t]+CPUIDLE_\w+[ \t][^\n]*$", cpuidle, re.M)
    yield KABI
    for struct in (*SHADOWS.split(), "cpuidle_state", "cpuidle_device", "cpuidle_driver"):
        yield from re.findall(rf"^struct {struct} \{{.*?^\}};", cpuidle, re.M | re.DOTALL)
    ids = tree / "include/linux/device-id/x86_cpu.h"
    listed = ids.read_text() if ids.exists() else read(tree, "include/linux/mod_devicetable.h")
    yield from re.findall(r"^#define[ \t]+X86_\w+_ANY[ \t][^\n]*$", listed, re.M)
    yield from re.findall(r"^struct x86_cpu_id \{.*?^\};", listed, re.M | re.DOTALL)
    processor = read(tree, f"{_ASM}/processor.h")
    yield from re.findall(r"^#define[ \t]+X86_VENDOR_\w+[ \t][^\n]*$", processor, re.M)
    features = _first(tree, f"{_ASM}/cpufeatures.h", f"{_ASM}/cpufeature.h")
    yield from re.findall(r"^#define[ \t]+X86_FEATURE_\w+[ \t]+\([^\n]*$", features, re.M)
    mwait = read(tree, f"{_ASM}/mwait.h")
    yield from re.findall(r"^#define[ \t]+(?:MWAIT_|CPUID5_)[^\n]*$", mwait, re.M)
    for name in ("msr-index.h", "intel-family.h", "cpu_device_id.h"):
        text = _first(tree, f"{_ASM}/{name}", f"arch/x86/include/uapi/asm/{name}", "")
        yield re.sub(r"^[ \t]*#[ \t]*include[^\n]*$", "", text, flags=re.M)
    if "kstrtouint" in read(tree, DRIVER):
        yield from _numbers(tree)
    acpi = read(tree, "include/acpi/processor.h")
    yield "#define TREE_ACPI"
    if "acpi_processor_extract_lpi_info" in read(tree, DRIVER):
        yield "#define TREE_LPI"
    yield from re.findall(r"^#define[ \t]+ACPI_(?:CX_|CSTATE_|PROCESSOR_MAX)[^\n]*$", acpi, re.M)
    for struct in ("acpi_processor_cx", "acpi_lpi_state", "acpi_processor_power"):
        yield from re.findall(rf"^struct {struct} \{{.*?^\}};", acpi, re.M | re.DOTALL)


def _first(tree: Path, *names: str) -> str:
    """The first of these files that the tree has; "" if none is needed."""
    names = tuple(name for name in names if not name or (tree / name).exists()) or names[:1]
    return read(tree, names[0]) if names[0] else ""


def _numbers(tree: Path) -> Iterator[str]:
    """The code that reads the numbers of parameters, and tells white space."""
    source = read(tree, "lib/kstrtox.c")
    kept = keep_functions(source, _NUMBERS & {name for name, _, _ in functions(source)})
    kept = re.sub(r"^kstrto_from_user\([^\n]*$", "", kept, flags=re.M)
    headers = ("include/linux/ctype.h", "lib/ctype.c", "lib/kstrtox.h")
    for text in (*(read(tree, name) for name in headers), kept):
        yield re.sub(r"^[ \t]*#[ \t]*include[^\n]*$|^EXPORT_SYMBOL[^\n]*$", "", text, flags=re.M)


def _tables(source: str) -> Iterator[str]:
    """Functions that know the driver's tables by name."""
    tables = re.findall(r"^static struct cpuidle_state (\w+)\[\]", source, re.M)
    entries = re.findall(r"^static const struct idle_cpu (\w+)", source, re.M)
    struct = re.search(r"^struct idle_cpu \{(.*?)^\};", source, re.M | re.DOTALL)
    members = re.findall(r"^\s*(?:unsigned long|bool) (\w+);", struct[1] if struct else "", re.M)
    enters = [name for name in _ENTERS if re.search(rf"\b{name}\(", source)]
    yield "static const char *enter_name(const struct cpuidle_state *state)\n{"
    yield from (f'\tif (state->enter == {name}) return "{name}";' for name in enters)
    yield '\treturn "?";\n}'
    yield "static const char *table_name(const void *table)\n{"
    yield from (f'\tif (table == {name}) return "{name}";' for name in tables)
    yield '\treturn "-";\n}'
    yield "static void say_state(const struct cpuidle_state *state, const char *enter);"
    yield "static void dump(void)\n{\n\tconst struct x86_cpu_id *id;"
    for name in tables:
        yield f'\tputs("table {name}");'
        yield f"\tfor (const struct cpuidle_state *s = {name}; *s->name; s++)"
        yield '\t\tsay_state(s, "-");'
    yield "\tfor (id = intel_idle_ids; id->driver_data; id++) {"
    yield "\t\tconst struct idle_cpu *cpu = (const void *)id->driver_data;"
    yield '\t\tprintf("cpu %d %d %d ", id->vendor, id->family, id->model);'
    yield from (f'\t\tif (cpu == &{name}) printf("{name}");' for name in entries)
    yield '\t\tprintf(" %s", table_name(cpu->state_table));'
    yield from (f'\t\tprintf(" {name}=%lu", (unsigned long)cpu->{name});' for name in members)
    yield '\t\tputs("");\n\t}\n}'
