"""genpd's gates and its governor for CPUs, compiled in user space from a kernel tree."""

import hashlib
import re
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from .. import Unavailable
from .source import OracleError, functions, read

_SHIM = Path(__file__).parent / "shim"
_FLAGS = ("-std=gnu11", "-O2", "-w", "-fwrapv", "-fno-strict-aliasing")
_GOVERNOR = ("drivers/pmdomain/governor.c", "drivers/base/power/domain_governor.c")
_CORE = ("drivers/pmdomain/core.c", "drivers/base/power/domain.c")
_HEADER = "include/linux/pm_domain.h"
_SYSTEM = "cpu_system_power_down_ok"
_OF_GOVERNOR = frozenset(
    {
        "update_domain_next_wakeup",
        "next_wakeup_allows_state",
        "__default_power_down_ok",
        "_default_power_down_ok",
        "default_power_down_ok",
        "cpu_power_down_ok",
        _SYSTEM,
    }
)
_OF_CORE = frozenset(
    {"genpd_power_off", "genpd_power_on", "genpd_sync_power_off", "genpd_parse_state"}
)


def has_genpd(tree: Path) -> bool:
    return any((tree / name).exists() for name in _GOVERNOR) and (tree / _HEADER).exists()


class GenpdOracle:
    """The code of a kernel tree, compiled into `directory` unless it is there already.

    text: what of the tree was compiled. Raises OracleError, Unavailable without a compiler.
    """

    def __init__(self, tree: Path, directory: Path) -> None:
        governor, core = (
            read(tree, next((name for name in names if (tree / name).exists()), names[0]))
            for names in (_GOVERNOR, _CORE)
        )
        index = re.search(r"(\w+) cached_power_down_state_idx;", read(tree, _HEADER))
        if index is None:
            raise OracleError(f"{_HEADER}: expected cached_power_down_state_idx, found none")
        self.text = _kept(governor, _OF_GOVERNOR) + _kept(core, _OF_CORE)
        for name in ("cpu_power_down_ok", *sorted(_OF_CORE)):
            if not re.search(rf"\b{name}\(struct", self.text):
                raise OracleError(f"functions not found: {name}")
        flags = [*_FLAGS, f"-DCACHED_INDEX={index[1]}"]
        flags += ["-DGOVERNOR_DATA"] if "genpd->gd" in self.text else []
        flags += ["-DHAS_SYSTEM"] if _SYSTEM in self.text else []
        shim = [(_SHIM / name).read_text("utf-8") for name in ("genpd.h", "genpd.c")]
        made_of = "\0".join((*flags, *shim, self.text))
        self.digest = hashlib.sha256(made_of.encode()).hexdigest()[:16]
        self._program = directory / f"genpd-{self.digest}"
        if not self._program.exists():
            self._compile(flags, directory)

    def _compile(self, flags: Sequence[str], directory: Path) -> None:
        with tempfile.TemporaryDirectory(prefix=".new-", dir=directory) as scratch:
            source, built = Path(scratch) / "source.c", Path(scratch) / "genpd"
            source.write_text(self.text, encoding="utf-8")
            command = ["gcc", *flags, f'-DSOURCE="{source}"', "-o", built, _SHIM / "genpd.c"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, check=False)
            except FileNotFoundError as error:
                raise Unavailable("gcc is not installed") from error
            if done.returncode:
                raise OracleError(f"genpd does not compile:\n{done.stderr[:4000]}")
            built.rename(self._program)

    def run(self, cases: Sequence[str]) -> list[str]:
        """Returns what follows each event of the cases (see the shim), a line each."""
        done = subprocess.run(
            [self._program], input="\n".join(cases), capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise OracleError(f"status {done.returncode}: {done.stderr[-500:]}")
        return done.stdout.splitlines()


def _kept(text: str, names: frozenset[str]) -> str:
    return "\n".join(text[start:end] for name, start, end in functions(text) if name in names)
