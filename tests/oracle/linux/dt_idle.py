"""The parser of idle-state nodes with the PSCI driver over it: dt_idle_states.c, cpuidle-psci.c."""

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from idle_states.devicetree.tree import Node
from tests.oracle import Unavailable

from .source import OracleError, functions, includes, keep_functions, read

__all__ = ["DtIdleOracle", "DtIdleResult"]

_SHIM = Path(__file__).parent / "shim"
_PARSER = "drivers/cpuidle/dt_idle_states.c"
_PSCI = "drivers/cpuidle/cpuidle-psci.c"
_OF = "drivers/of/base.c"
_REAL = {"dt_idle_states.h", "linux/errno.h"}
"""Headers that are not left empty: the tree's, and the system's, which <errno.h> needs."""

_PSCI_KEPT = frozenset(
    {
        "psci_dt_parse_state_node",
        "psci_dt_cpu_init_idle",
        "psci_cpu_init_idle",
        "psci_cpu_deinit_idle",
        "psci_idle_init_cpu",
        "psci_cpuidle_probe",
    }
)
_OF_KEPT = frozenset(
    {
        "of_phandle_iterator_init",
        "of_phandle_iterator_next",
        "of_phandle_iterator_args",
        "__of_parse_phandle_with_args",
        "of_get_cpu_state_node",
        "__of_device_is_available",
        "of_device_is_available",
    }
)


@dataclass(frozen=True)
class DtIdleResult:
    """What the kernel made of a tree.

    status: the probe's. states: CPU -> (name, exit latency, target residency, timer stops,
        suspend parameter) of each registered state, WFI first; none without a driver.
    messages: (level, text) in order.
    """

    status: int
    states: dict[int, list[tuple[str, int, int, bool, int]]]
    messages: list[tuple[str, str]]


class DtIdleOracle:
    """The code of a kernel tree, compiled into `workdir` unless it is there already."""

    def __init__(self, tree: Path, workdir: Path) -> None:
        if shutil.which("cc") is None:
            raise Unavailable("cc is not installed")
        self.program = workdir / "dt_idle"
        if self.program.exists():
            return
        (workdir / "dt_idle_states.h").write_text(read(tree, "drivers/cpuidle/dt_idle_states.h"))
        psci = keep_functions(read(tree, _PSCI), _PSCI_KEPT)
        parser, of = read(tree, _PARSER), read(tree, _OF)
        for name in {*includes(psci), *includes(parser), *includes(of)} - _REAL:
            header = workdir / name
            header.parent.mkdir(parents=True, exist_ok=True)
            header.touch()
        (workdir / "psci.c").write_text(psci)
        (workdir / "parser.c").write_text(parser)
        (workdir / "of.c").write_text(_functions_only(of, _OF_KEPT))
        (workdir / "psci_unit.c").write_text(
            f'#define PSCI_SOURCE "{workdir / "psci.c"}"\n'
            '#undef pr_fmt\n#include "dt_idle_psci.c"\n'
        )
        units = [str(_SHIM / "dt_idle.c"), *(str(workdir / f"{n}.c") for n in ("parser", "of"))]
        command = ["cc", "-std=gnu11", "-O1", "-w", "-I", str(workdir), "-I", str(_SHIM)]
        command += ["-include", "dt_idle.h", *units, str(workdir / "psci_unit.c")]
        done = subprocess.run([*command, "-o", str(self.program)], capture_output=True, text=True)
        if done.returncode:
            raise OracleError(done.stderr[-2000:])

    def run(self, roots: Sequence[Node]) -> list[DtIdleResult]:
        """CPUs are the children of /cpus called cpu@..., in order."""
        text = "".join(line for root in roots for line in _lines(root))
        done = subprocess.run([str(self.program)], input=text, capture_output=True, text=True)
        if done.returncode:
            raise OracleError(f"status {done.returncode}: {done.stderr[-500:]}")
        results = [_result(part.splitlines()) for part in done.stdout.split("end\n")[:-1]]
        if len(results) != len(roots):
            raise OracleError(f"{len(results)} results for {len(roots)} trees")
        return results


def _functions_only(text: str, names: frozenset[str]) -> str:
    """The named functions, each whole, in their order."""
    found = {name: text[start:end] for name, start, end in functions(text) if name in names}
    missing = names - found.keys()
    if missing:
        raise OracleError(f"functions not found: {', '.join(sorted(missing))}")
    return "extern int devtree_lock;\n" + "\n".join(found.values()) + "\n"


def _lines(root: Node) -> Iterable[str]:
    cpus = []
    for number, (path, node) in enumerate(root.walk()):
        yield f"node {path}\n"
        for name, value in node.properties.items():
            yield f"property {name} {value.hex()}\n"
        if path.startswith("/cpus/cpu@"):
            cpus.append(number)
    yield from (f"cpu {number}\n" for number in cpus)
    yield "run\n"


def _result(lines: list[str]) -> DtIdleResult:
    status, states, messages = 0, {}, []
    for line in lines:
        kind, _, rest = line.partition(" ")
        if kind == "message":
            level, _, text = rest.partition(" ")
            messages.append((level, text))
        elif kind == "status":
            status = int(rest)
        else:
            cpu, name, latency, residency, stops, parameter = rest.split(" ")
            row = (name, int(latency), int(residency), stops == "1", int(parameter))
            states.setdefault(int(cpu), []).append(row)
    return DtIdleResult(status, states, messages)
