"""The parser of idle-state nodes, the PSCI or SBI driver over it, and its power domains."""

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from idle_states.tables.devicetree.idle_nodes import is_cpu
from idle_states.tables.devicetree.tree import Node

from ..compiling import gcc, write_all
from .source import OracleError, functions, includes, keep_functions, read

__all__ = ["DtIdleOracle", "DtIdleResult"]

_SHIM = Path(__file__).parent / "shim"
_FOLDER = "drivers/cpuidle"
_PARSER = f"{_FOLDER}/dt_idle_states.c"
_DOMAIN = f"{_FOLDER}/cpuidle-psci-domain.c"
_GENPD = f"{_FOLDER}/dt_idle_genpd.c"
_CORES = ("drivers/pmdomain/core.c", "drivers/base/power/domain.c")
_OF = "drivers/of/base.c"
_OWN_HEADERS = ("dt_idle_states.h", "dt_idle_genpd.h", "cpuidle-psci.h")
"""Headers of the tree's that are not left empty."""

Driver = Literal["psci", "sbi"]
_DRIVERS: Mapping[Driver, str] = {
    "psci": f"{_FOLDER}/cpuidle-psci.c",
    "sbi": f"{_FOLDER}/cpuidle-riscv-sbi.c",
}
_ARM = f"{_FOLDER}/cpuidle-arm.c"
"""PSCI's driver, too, before it has its own."""
_METHOD_PARTS = (
    "arm_cpuidle_init psci_dt_parse_state_node psci_dt_cpu_init_idle psci_cpu_init_idle"
).split()
_RUN_LATER = re.compile(
    r"arm_enter_idle_state|_*(psci|sbi)_(s?enter|idle_(cpuhp|syscore|init_cpuhp|init_syscore)|(set|get|clear|is)_domain"
    r"|cpuidle_enter|suspend(_finisher)?$|cpuhp|cpuidle_cpuhp|pd_power_off|cpuidle_pd_power_off)\w*"
)
"""Functions of the drivers that initialization only names."""
_OF_KEPT = frozenset(
    {
        "of_phandle_iterator_init",
        "of_phandle_iterator_next",
        "of_phandle_iterator_args",
        "of_count_phandle_with_args",
        "__of_parse_phandle_with_args",
        "of_get_cpu_state_node",
        "__of_device_is_status",
        "__of_device_is_available",
        "of_device_is_available",
    }
)
_OF_MOVED = frozenset({"__of_device_is_status"})
"""The functions that not every release has."""
_CORE_KEPT = frozenset(
    {"genpd_parse_state", "genpd_iterate_idle_states", "of_genpd_parse_idle_states"}
)


@dataclass(frozen=True)
class DtIdleResult:
    """The states and messages that the kernel made of a tree.

    status: the probe's. states: CPU -> (name, exit latency, target residency, timer stops,
        suspend parameter) of each registered state, WFI first; none without a driver.
    messages: (level, text) in order.
    """

    status: int
    states: dict[int, list[tuple[str, int, int, bool, int]]]
    messages: list[tuple[str, str]]


class DtIdleOracle:
    """The code of a kernel tree, compiled into `workdir` unless it is there already.

    driver: whose initialization runs.
    own: built with PSCI's own driver; else with the generic one of Arm's CPUs.
    genpd: built with CONFIG_DT_IDLE_GENPD, or, before that, CONFIG_ARM_PSCI_CPUIDLE_DOMAIN.
    spare: a tree for what `tree` does not have: parts of drivers/of and of the power domains'
        core, which move about between files.
    """

    def __init__(
        self,
        tree: Path,
        workdir: Path,
        driver: Driver = "psci",
        own: bool = True,
        genpd: bool = True,
        spare: Path | None = None,
    ) -> None:
        self.program = workdir / f"dt_idle-{driver}{'' if genpd else '-flat'}"
        if self.program.exists():
            return
        build = workdir / self.program.name.replace("dt_idle", "build")
        build.mkdir(exist_ok=True)
        file = _DRIVERS[driver] if own or driver == "sbi" else _ARM
        sources = {
            "parser": read(tree, _PARSER),
            "of": _of_functions(tree, spare),
            "driver": _initialization(read(tree, file)),
        }
        if file == _ARM:
            sources["method"] = _method(tree)
        else:
            if genpd and (tree / _GENPD).exists():
                sources["genpd"] = read(tree, _GENPD)
            if genpd and driver == "psci" and (tree / _DOMAIN).exists():
                sources["domain"] = _initialization(read(tree, _DOMAIN))
            trees = [one for one in (tree, spare) if one]
            cores = ((one, name) for one in trees for name in _CORES if (one / name).exists())
            sources["core"] = _power_domain_core(read(*next(cores, (tree, _CORES[0]))))
        for name in {name for text in sources.values() for name in includes(text)}:
            if name.startswith("linux/errno"):
                continue
            own = tree / _FOLDER / name
            kept = name in _OWN_HEADERS and own.exists()
            write_all(build, {name: own.read_text() if kept else ""})
        write_all(build, {f"{name}.c": text for name, text in sources.items()})
        units = [build / f"{name}.c" for name in sources.keys() - {"driver", "domain", "method"}]
        kind = "arm" if file == _ARM else driver
        for name, shim in (("driver", f"dt_idle_{kind}.c"), ("domain", "dt_idle_domain.c")):
            if name in sources:
                unit = build / f"{name}_unit.c"
                define = f'#define {name.upper()}_SOURCE "{build / name}.c"\n#undef pr_fmt\n'
                unit.write_text(f'{define}#include "{shim}"\n')
                units.append(unit)
        words = ["-O1", "-w", f"-I{build}", f"-I{_SHIM}", "-include", "dt_idle.h"]
        if genpd:
            options = ("DT_IDLE_GENPD", "ARM_PSCI_CPUIDLE_DOMAIN", "PM_GENERIC_DOMAINS_OF")
            words += [f"-DCONFIG_{option}" for option in options]
        if driver == "psci" and "psci_cpuidle_data" not in sources["driver"]:
            words.append("-DONLY_PARAMETERS")
        if file == _ARM:
            parsed = "psci_dt_cpu_init_idle" in sources["method"]
            words += [f'-DMETHOD_SOURCE="{build / "method.c"}"']
            words += [f"-DPSCI_INIT_IDLE={'psci_cpu_init_idle' if parsed else 'NULL'}"]
            words += [f"-DPARAMETER={'psci_power_state[cpu][state - 1]' if parsed else 0}"]
        gcc(*words, _SHIM / "dt_idle.c", *sorted(units), "-o", self.program)

    def run(self, roots: Sequence[Node], osi: bool = False) -> list[DtIdleResult]:
        """CPUs are the children of /cpus called cpu@..., in order, but those that failed.

        osi: PSCI firmware offers OS-initiated mode.
        """
        text = "".join(line for root in roots for line in _lines(root, osi))
        done = subprocess.run([str(self.program)], input=text, capture_output=True, text=True)
        if done.returncode:
            raise OracleError(f"status {done.returncode}: {done.stderr[-500:]}")
        results = [_result(part.splitlines()) for part in done.stdout.split("end\n")[:-1]]
        if len(results) != len(roots):
            raise OracleError(f"{len(results)} results for {len(roots)} trees")
        return results


def _initialization(text: str) -> str:
    """A driver's source without the functions that run later."""
    names = frozenset(name for name, _, _ in functions(text) if not _RUN_LATER.fullmatch(name))
    return keep_functions(text, names)


def _method(tree: Path) -> str:
    """The code that a CPU's method is asked by; of PSCI's, if its operations name it, the parts
    that read the device tree."""
    files = ["arch/arm64/kernel/cpuidle.c"]
    if "cpu_init_idle" in read(tree, "arch/arm64/kernel/psci.c"):
        files += ["drivers/firmware/psci.c", "drivers/firmware/psci/psci.c"]
    texts = [read(tree, file) for file in files if (tree / file).exists()]
    parts = [
        text[start:end]
        for text in texts
        for name, start, end in functions(text)
        if name in _METHOD_PARTS
    ]
    return "static DEFINE_PER_CPU(u32 *, psci_power_state);\n" + "\n".join(parts).replace(
        "cpu_ops[cpu]", "cpu_ops(cpu)"
    )


def _of_functions(tree: Path, spare: Path | None) -> str:
    """The functions of drivers/of that are needed, each whole."""
    found: dict[str, str] = {}
    for one in (tree, spare):
        for file in (_OF, "drivers/of/cpu.c"):
            if one is None or not (one / file).exists():
                continue
            text = read(one, file)
            for name, start, end in functions(text):
                if name in _OF_KEPT:
                    found.setdefault(name, text[start:end])
    missing = _OF_KEPT - _OF_MOVED - found.keys()
    if missing:
        raise OracleError(f"functions not found: {', '.join(sorted(missing))}")
    text = re.sub(r"^static ", "", "\n".join(found.values()), flags=re.MULTILINE)
    return f"extern int devtree_lock;\n{text}\n"


def _power_domain_core(text: str) -> str:
    """Returns what reads the states of a power domain."""
    kept = [text[start:end] for name, start, end in functions(text) if name in _CORE_KEPT]
    return (
        '#undef pr_fmt\n#define pr_fmt(text) "PM: " text\n'
        'static const struct of_device_id idle_state_match[] = { { "domain-idle-state" }, {} };\n'
        + "\n".join(kept)
    )


def _lines(root: Node, osi: bool) -> Iterable[str]:
    cpus = []
    for number, (path, node) in enumerate(root.walk()):
        yield f"node {path}\n"
        for name, value in node.properties.items():
            yield f"property {name} {value.hex()}\n"
        if path.startswith("/cpus/cpu@") and is_cpu(node):
            cpus.append(number)
    yield from (f"cpu {number}\n" for number in cpus)
    yield f"run {osi:d}\n"


def _result(lines: list[str]) -> DtIdleResult:
    status, states, messages = 0, {}, []
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "message":
            level, _, text = rest.partition(" ")
            messages.append((level, text))
        elif kind == "crash":
            raise OracleError(f"the kernel's code crashed, status {rest}")
        elif kind == "status":
            status = int(rest)
        else:
            cpu, name, latency, residency, stops, parameter = rest.split(" ")
            row = (name, int(latency), int(residency), stops == "1", int(parameter))
            states.setdefault(int(cpu), []).append(row)
    return DtIdleResult(status, states, messages)
