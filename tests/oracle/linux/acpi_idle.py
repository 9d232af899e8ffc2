"""acpi_idle of a kernel tree: what its start makes of a processor's ACPI objects."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..compiling import answers, digest, gcc, made, write_all
from .harness import SHIM, unhex
from .source import KABI, SHADOWS, OracleError, functions, includes, read

IDLE = "drivers/acpi/processor_idle.c"
PROCESSOR = "drivers/acpi/acpi_processor.c"
CSTATE = "arch/x86/kernel/acpi/cstate.c"
Arch = Literal["x86", "arm64", "riscv64"]
_PSCI = "drivers/firmware/psci.c"
"""The file of Arm's part before Linux 5.4."""
_LPI_SOURCES: dict[Arch, tuple[str, ...]] = {
    "x86": (),
    "arm64": ("drivers/acpi/arm64/cpuidle.c", "arch/arm64/kernel/cpuidle.c", _PSCI),
    "riscv64": ("drivers/acpi/riscv/cpuidle.c",),
}
_FLAGS = (
    "-O1",
    "-w",
    # what only the entry functions call
    "-Wno-error=implicit-function-declaration",
    "-static",
    "-Wl,--unresolved-symbols=ignore-all",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-DCONFIG_HOTPLUG_CPU=1",
    "-DCONFIG_ACPI=1",
    "-DCONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS=1",
    "-DCONFIG_ACPI_PROCESSOR_IDLE=1",
)
_ASM = "arch/x86/include/asm"


@dataclass
class Registered:
    """The states and messages that the driver made of a machine.

    driver, device  they were registered
    count           state_count of the driver
    states          (name, desc, exit_latency, target_residency, flags, enter_s2idle is set)
    messages        (level, text); level tsc: why the TSC is unstable
    crashed         the kernel's code wrote where it must not
    """

    driver: bool = False
    device: bool = False
    count: int = 0
    states: list[tuple[str, str, int, int, int, bool]] = field(default_factory=list)
    messages: list[tuple[str, str]] = field(default_factory=list)
    crashed: bool = False


class AcpiIdleOracle:
    """The driver of a kernel tree, compiled into `workdir` unless it is there already. Raises
    OracleError where the tree lacks what the architecture needs.

    has_strict  the tree reads _LPI for intel_idle, too: cases with strict=1 are that
    """

    def __init__(self, tree: Path, workdir: Path, arch: Arch = "x86") -> None:
        sources = {"IDLE_SOURCE": read(tree, IDLE)}
        units: dict[str, str] = {}
        processor = _objects(read(tree, PROCESSOR))
        if processor:
            sources["PROCESSOR_SOURCE"] = processor
        if arch == "x86":
            # has no room for all that a hint can say, so that the kernel writes behind it
            small = "mwait_supported[ACPI_PROCESSOR_MAX_POWER];"
            sources["CSTATE_SOURCE"] = read(tree, CSTATE).replace(small, "mwait_supported[17];")
        else:
            names = [name for name in _LPI_SOURCES[arch] if (tree / name).exists()]
            names = [name for name in names if "has_lpi" in read(tree, name)]
            if not names:
                raise OracleError(f"{tree} has none of {', '.join(_LPI_SOURCES[arch])}")
            units["lpi"] = _lpi(read(tree, names[0]))
        if re.search(r"\bsort\(&pr", sources["IDLE_SOURCE"]):
            units["sort"] = _without_swap(read(tree, "lib/sort.c"))
        every = (*sources.values(), *units.values())
        headers = {name for text in every for name in includes(text)} - {"acpi_idle.h"}
        texts = dict.fromkeys(sorted(headers), '#include "acpi_idle.h"\n')
        texts["tree.h"] = "\n".join(_tree(tree, arch))
        texts["functions.h"] = "\n".join(_functions(tree, arch))
        texts |= {f"{macro.lower()}.c": text for macro, text in sources.items()}
        texts |= {f"{name}.c": text for name, text in units.items()}
        flags = [*_FLAGS, f"-DCONFIG_ARCH_HAS_CPU_RELAX={arch == 'x86':d}"]
        flags += ["-DCONFIG_X86=1", "-DCONFIG_ACPI_PROCESSOR_CSTATE=1"] if arch == "x86" else []
        flags += ["-DTREE_REGISTERS"] if "register_idle_driver(" in sources["IDLE_SOURCE"] else []
        self.has_strict = "acpi_processor_extract_lpi_info(" in processor
        flags += ["-DTREE_LPI"] if self.has_strict else []
        own = [(SHIM / name).read_text() for name in ("acpi_idle.c", "acpi_idle.h", "each_line.h")]
        name = f"acpi_idle-{digest([*flags, *own, *(t for p in texts.items() for t in p)])}"

        def build(scratch: Path) -> Path:
            write_all(scratch, texts)
            program = scratch / "program"
            words: list[str | Path] = [*flags, f"-I{scratch}", f"-I{SHIM}"]
            words += [f'-D{macro}="{macro.lower()}.c"' for macro in sources]
            gcc(
                *words,
                SHIM / "acpi_idle.c",
                *(scratch / f"{one}.c" for one in units),
                "-o",
                program,
            )
            return program

        self.program = made(workdir.resolve() / name, build)

    def run(self, cases: Sequence[str]) -> list[Registered]:
        """The results of case lines ("key=value ..."), in order."""
        return [one for text in answers(self.program, cases) for one in _registered(text)]


def _registered(output: str) -> Iterator[Registered]:
    result = Registered()
    for line in output.splitlines():
        kind, *words = line.split()
        if kind == "end":
            result.crashed = words != ["0"]
            yield result
            result = Registered()
        elif kind == "registered":
            driver, device, count = map(int, words)
            result.driver, result.device, result.count = bool(driver), bool(device), count
        elif kind == "state":
            name, desc, *numbers, suspends = words
            latency, residency, flags = map(int, numbers)
            state = unhex(name), unhex(desc), latency, residency, flags, suspends == "1"
            result.states.append(state)
        elif kind == "message":
            result.messages.append((words[0], unhex(words[1]).rstrip("\n")))
        else:
            raise OracleError(line)


def _objects(source: str) -> str:
    """Returns what of acpi_processor.c reads _CST and _LPI; "" where processor_idle.c does."""
    at = source.find("bool acpi_processor_claim_cst_control")
    if at < 0:
        return ""
    prefix = re.search(r"^#define pr_fmt[^\n]*$", source, re.M)
    kept = source[source.rfind("#ifdef CONFIG_ACPI_PROCESSOR_CSTATE", 0, at) :]
    return f"{prefix[0] if prefix else '#define pr_fmt(format) format'}\n{kept}"


def _lpi(source: str) -> str:
    """Returns what of an architecture's cpuidle.c knows _LPI, without what enters a state."""
    # the first of each name is the one with ACPI
    parts = {name: source[start:end] for name, start, end in reversed([*functions(source)])}
    if "psci_cpu_init_idle" in parts:
        text = parts["psci_acpi_cpu_init_idle"] + parts["psci_cpu_init_idle"]
        return _OF_PSCI + text
    text = source[max(source.find("#ifdef CONFIG_ACPI\n"), 0) :]
    for name, start, end in functions(text):
        if name == "acpi_processor_ffh_lpi_enter":
            text = text[:start] + text[end:]
    return '#include "acpi_idle.h"\n' + text


_OF_PSCI = """\
#include "acpi_idle.h"
#undef pr_fmt
#define pr_fmt(format) "psci: " format
#define acpi_disabled 0
#define __maybe_unused
#define of_get_cpu_node(cpu, thread) NULL
#define of_node_put(node)
#define psci_dt_cpu_init_idle(node, cpu) 0
static unsigned *psci_power_state;
int psci_cpu_init_idle(unsigned int cpu);
int acpi_processor_ffh_lpi_probe(unsigned int cpu) { return psci_cpu_init_idle(cpu); }
"""


def _without_swap(source: str) -> str:
    """lib/sort.c, which has a member of the name of a macro."""
    text = re.sub(r"^[ \t]*#[ \t]*include[^\n]*$", "", source, flags=re.M)
    return f'#include "acpi_idle.h"\n#undef swap\n{text}'


def _tree(tree: Path, arch: Arch) -> Iterator[str]:
    """The structs, constants and headers of the tree that the driver needs."""
    cpuidle = read(tree, "include/linux/cpuidle.h")
    yield from re.findall(r"^#define[ \t]+CPUIDLE_\w+[ \t][^\n]*$", cpuidle, re.M)
    yield KABI
    if "enter_s2idle" not in cpuidle:
        yield "#define enter_s2idle enter_freeze"
        yield "#undef CPUIDLE_DRIVER_STATE_START"
        yield "#define CPUIDLE_DRIVER_STATE_START CONFIG_ARCH_HAS_CPU_RELAX"
    for struct in (*SHADOWS.split(), "cpuidle_state", "cpuidle_device", "cpuidle_driver"):
        yield from re.findall(rf"^struct {struct} \{{.*?^\}};", cpuidle, re.M | re.DOTALL)
    types = read(tree, "include/acpi/actypes.h")
    names = r"ACPI_(?:TYPE_|STATE_C|C_STATES|ADR_SPACE_)\w+"
    yield "typedef u8 acpi_adr_space_type;"
    yield from re.findall(rf"^#define[ \t]+{names}[ \t][^\n]*$", types, re.M)
    yield from re.findall(r"^union acpi_object \{.*?^\};", types, re.M | re.DOTALL)
    fadt = read(tree, "include/acpi/actbl.h")
    yield from re.findall(r"^#define[ \t]+ACPI_FADT_\w+[ \t][^\n]*$", fadt, re.M)
    acpi = read(tree, "include/acpi/processor.h")
    names = "ACPI_(?:PROCESSOR_MAX|PROCESSOR_CONTAINER|CX_|CSTATE_)"
    yield from re.findall(rf"^#define[ \t]+{names}\w+[ \t][^\n]*$", acpi, re.M)
    suffixes = "power_register processor_cx lpi_state processor_power processor_flags".split()
    for struct in (*suffixes, "processor_errata"):
        yield from re.findall(rf"^struct acpi_{struct} \{{.*?^\}}[^\n]*;", acpi, re.M | re.DOTALL)
    if arch == "x86":
        yield from _x86(tree)


def _functions(tree: Path, arch: Arch) -> Iterator[str]:
    """The functions that the headers define, and that need the kernel around the driver: the limit
    of early AMD processors, the flags of _LPI."""
    folder = "riscv" if arch == "riscv64" else arch
    own, general = (
        read(tree, f"arch/{folder}/include/asm/acpi.h"),
        read(tree, "include/linux/acpi.h"),
    )
    known = (
        r"^#define CPUIDLE_CORE_CTXT[^\n]*$|^static inline unsigned int acpi_processor_cst.*?^\}"
    )
    yield from re.findall(known, own, re.M | re.DOTALL)
    known = r"^static inline unsigned int arch_get_idle_state_flags.*?^\}"
    yield from re.findall(r"^#define RISCV_LPI\w*[^\n]*$", own, re.M)
    found = re.findall(known, own, re.M | re.DOTALL)
    yield from found or re.findall(known, general, re.M | re.DOTALL)


def _x86(tree: Path) -> Iterator[str]:
    processor = read(tree, f"{_ASM}/processor.h")
    yield from re.findall(r"^#define[ \t]+X86_VENDOR_\w+[ \t][^\n]*$", processor, re.M)
    split = (tree / _ASM / "cpufeatures.h").exists()
    features = read(tree, f"{_ASM}/cpufeature{'s' * split}.h")
    yield from re.findall(
        r"^#define[ \t]+(?:X86_|NCAP|NBUG)\w+(?:\(x\))?[ \t]+[^\n]*$", features, re.M
    )
    mwait = read(tree, f"{_ASM}/mwait.h")
    yield from re.findall(r"^#define[ \t]+(?:MWAIT_|CPUID5_)[^\n]*$", mwait, re.M)
    if "INTEL_CORE2_MEROM" in read(tree, CSTATE):
        text = read(tree, f"{_ASM}/intel-family.h")
        yield "#define VFM_MAKE(vendor, family, model) ((vendor) << 16 | (family) << 8 | (model))"
        yield re.sub(r"^[ \t]*#[ \t]*include[^\n]*$", "", text, flags=re.M)
    apic = read(tree, f"{_ASM}/apic.h")
    yield from re.findall(r"^#define ARCH_APICTIMER_STOPS_ON_C3[^\n]*$", apic, re.M)
    yield "struct acpi_processor_cx; struct acpi_processor_flags; struct acpi_power_register;"
    yield "int acpi_processor_ffh_cstate_probe(unsigned int, struct acpi_processor_cx *,"
    yield "\tstruct acpi_power_register *);"
