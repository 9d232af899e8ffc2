"""Compiling kernel sources with the shim, and running cases through the resulting program."""

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from ..compiling import digest, gcc, made, write_all
from .source import OracleError, constants, includes, read

__all__ = ["DriverState", "Harness", "Message", "Report", "unhex"]

SHIM = Path(__file__).parent / "shim"

_CONSTANTS = (
    ("include/linux/cpuidle.h", r"CPUIDLE_(?:STATE_MAX|NAME_LEN|DESC_LEN|FLAG_\w+)"),
    ("arch/powerpc/include/asm/reg.h", r"PSSCR_\w+|PVR_POWER\w+"),
    ("arch/powerpc/include/asm/opal-api.h", r"OPAL_PM_\w+"),
    ("include/linux/jiffies.h", "TICK_USEC"),
)
# Used as it is: it holds the defaults for old firmware and the report of invalid PSSCR values.
_REAL_HEADERS = {"asm/cpuidle.h": "arch/powerpc/include/asm/cpuidle.h"}
_OF = "drivers/of/base.c"
_FLAGS = (
    "-O1",
    "-static",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-fno-delete-null-pointer-checks",
    "-ftrivial-auto-var-init=zero",
    "-fsanitize=bounds",
    "-fsanitize-undefined-trap-on-error",
    "-Werror=implicit-function-declaration",
    "-Werror=incompatible-pointer-types",
    "-DCONFIG_PPC_POWERNV",
    "-DCONFIG_TICK_ONESHOT",
)
_PARALLEL_FROM = 64


@dataclass(frozen=True)
class Message:
    """A line of the kernel log.

    level: `err`, `warn`, `info` or `debug`.
    text: without its line end.
    """

    level: str
    text: str


@dataclass(frozen=True)
class DriverState:
    """A state of the registered cpuidle driver; names are read as Latin-1.

    enter: the driver's function.
    psscr, psscr_mask: the driver's table at the state's index; 0 where it has none.
    """

    name: str
    desc: str
    exit_latency_us: int
    target_residency_us: int
    flags: int
    enter: str
    psscr: int
    psscr_mask: int

    @property
    def polling(self) -> bool:
        """CPUIDLE_FLAG_POLLING."""
        return bool(self.flags & 1)

    @property
    def timer_stop(self) -> bool:
        """CPUIDLE_FLAG_TIMER_STOP."""
        return bool(self.flags & 4)


class Report:
    """The lines that one case printed, and its end.

    outcome: `ok`; `oops`, a bad memory access; `timeout`; `flood`, more log than there is room for.
    """

    def __init__(self, outcome: str, text: str) -> None:
        self.outcome = outcome
        self._entries: dict[str, list[str]] = {}
        for line in text.splitlines():
            kind, _, rest = line.partition(" ")
            self._entries.setdefault(kind, []).append(rest)

    def lines(self, kind: str) -> list[str]:
        """The lines of a kind, without the kind."""
        return self._entries.get(kind, [])

    def numbers(self, kind: str) -> list[int]:
        """The numbers on the lines of a kind; empty when there is none, as after an oops."""
        return [int(word) for line in self.lines(kind) for word in line.split()]

    def messages(self) -> tuple[Message, ...]:
        """The kernel log."""
        return tuple(Message(*line.split(" ", 1)) for line in self.lines("message"))

    def states(self) -> tuple[DriverState, ...]:
        """The registered states."""
        return tuple(_driver_state(line.split()) for line in self.lines("state"))


def unhex(word: str) -> str:
    """The string behind a hexadecimal word of a report; `-` is the empty one."""
    return "" if word == "-" else bytes.fromhex(word).decode("latin-1")


def _driver_state(words: Sequence[str]) -> DriverState:
    name, desc, latency, residency, flags, enter, psscr, mask = words
    return DriverState(
        name=unhex(name),
        desc=unhex(desc),
        exit_latency_us=int(latency),
        target_residency_us=int(residency),
        flags=int(flags),
        enter=enter,
        psscr=int(psscr),
        psscr_mask=int(mask),
    )


class Harness:
    """A program made of harness files (`units`), kernel sources and the shim, compiled into
    `workdir` unless it is there already.

    macro2source: macro by which a unit includes a kernel source -> the source's text.
    """

    def __init__(
        self, tree: Path, workdir: Path, units: Sequence[str], macro2source: Mapping[str, str]
    ) -> None:
        headers = dict(_headers(tree, macro2source.values()))
        own = [path.read_text(encoding="utf-8") for path in sorted(SHIM.iterdir())]
        made_of = [*_FLAGS, *units, *own]
        made_of += [text for pair in (*macro2source.items(), *headers.items()) for text in pair]
        program = workdir.resolve() / f"harness-{digest(made_of)}"
        self._program = made(program, lambda at: _compile(at, units, macro2source, headers))

    def run(self, cases: Sequence[str]) -> list[Report]:
        """The reports of case lines, in order. Each case has a process of its own."""
        workers = (os.cpu_count() or 1) if len(cases) >= _PARALLEL_FROM else 1
        bounds = [len(cases) * i // workers for i in range(workers + 1)]
        chunks = [cases[bounds[i] : bounds[i + 1]] for i in range(workers)]
        with ThreadPoolExecutor(workers) as pool:
            reports = [report for chunk in pool.map(self._run_chunk, chunks) for report in chunk]
        if len(reports) != len(cases) or any(r.outcome == "malformed" for r in reports):
            raise OracleError("the harness did not understand every case")
        return reports

    def _run_chunk(self, cases: Sequence[str]) -> list[Report]:
        text = "".join(f"{case}\n" for case in cases)
        done = subprocess.run(
            [str(self._program)], input=text, capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise OracleError(f"the harness ended with status {done.returncode}")
        parts = re.split(r"^end (\w+)\n", done.stdout, flags=re.MULTILINE)
        return [Report(parts[i + 1], parts[i]) for i in range(0, len(parts) - 1, 2)]


def _headers(tree: Path, sources: Iterable[str]) -> Iterator[tuple[str, str]]:
    """A way to the shim for every header the sources name; name, text."""
    for name in sorted({name for text in sources for name in includes(text)}):
        real = read(tree, _REAL_HEADERS[name]) if name in _REAL_HEADERS else ""
        yield name, f'#include "shim.h"\n{real}'
    text = "".join(constants(read(tree, name), pattern) for name, pattern in _CONSTANTS)
    prefix = "OF: " if '"OF: " fmt' in read(tree, _OF) else ""
    yield "constants.h", f'{text}#define OF_PREFIX "{prefix}"\n'


def _compile(
    scratch: Path,
    units: Sequence[str],
    macro2source: Mapping[str, str],
    headers: Mapping[str, str],
) -> Path:
    include, program = scratch / "include", scratch / "harness"
    write_all(include, headers)
    words: list[str | Path] = [*_FLAGS, f"-I{include}", f"-I{SHIM}", "-o", program]
    for macro, text in macro2source.items():
        source = scratch / f"{macro.lower()}.c"
        source.write_text(text, encoding="utf-8")
        words.append(f'-D{macro}="{source}"')
    gcc(*words, *(SHIM / unit for unit in ("server.c", "shim.c", "of.c", *units)))
    return program
