"""fwts and op-test themselves on device trees, beside the product's account of them.

fwts is a program that takes a dtb and prints what fwts' power_mgmt test logs. op-test is a
checkout: its own class is imported, and its commands are run on the tree's files; lsprop alone,
which is not packaged for every machine, is done here.
"""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from idle_states.base.model.power_mgt import NODE
from idle_states.tables.audit import fwts, op_test
from idle_states.tables.audit.fwts import ToolVerdict
from idle_states.tables.devicetree.machine import machine_of
from idle_states.tables.devicetree.tree import Node

_TESTS = {"Frequency": "pstates", "Idle": "idle states"}
_TEST = re.compile(r"Test \d of \d: .*(Frequency|Idle)")
_FAILED = re.compile(r"FAILED (?:\[\w+\] )?(\w+)")
_DEVICE_TREE = "/proc/device-tree/"
_PVR2NAME = {
    0x4B: "POWER8E", 0x4C: "POWER8NVL", 0x4D: "POWER8", 0x4E: "POWER9", 0x4F: "POWER9P",
    0x80: "POWER10", 0x82: "POWER11",
}  # fmt: skip
"""The kernel's names of PVRs in /proc/cpuinfo, from which op-test takes them."""
_METHODS = {
    "idle states": "validate_idle_state_properties",
    "pstates": "validate_pstate_properties",
}

Verdict = tuple[str, ...]
"""Labels or messages of failures; none: passed, or skipped."""
Judge = Callable[[Node, Path], Mapping[str, Verdict]]
"""The verdicts on a tree, which lies as a dtb at a path, by sub-test."""


def fwts_of(program: str) -> Judge:
    """Returns what asks a program for fwts' verdicts."""

    def judge(root: Node, dtb: Path) -> Mapping[str, Verdict]:
        done = subprocess.run(
            [program, str(dtb)], capture_output=True, text=True, timeout=60, check=False
        )
        found: dict[str, list[str]] = {test: [] for test in _TESTS.values()}
        at: list[str] = list(found)
        for line in done.stdout.splitlines():
            if match := _TEST.search(line):
                at = [_TESTS[match[1]]]
            elif match := _FAILED.search(line):
                for test in at:
                    found[test].append(match[1])
        return {test: tuple(labels) for test, labels in found.items()}

    return judge


def op_test_of(checkout: Path) -> Judge:
    """Returns what asks op-test's own DeviceTreeValidation for its verdicts."""
    with _stand_ins(checkout) as imported:
        case = imported.DeviceTreeValidation

    def judge(root: Node, dtb: Path) -> Mapping[str, Verdict]:
        name = _PVR2NAME.get((machine_of(root).pvr or 0) >> 16, "unknown")
        files = dtb.with_suffix(".files")
        if (node := root.find(NODE)) is not None:
            place = files / NODE.strip("/")
            place.mkdir(parents=True)
            for prop, value in node.properties.items():
                (place / prop).write_bytes(value)
        found: dict[str, Verdict] = {}
        for test, method in _METHODS.items():
            one = case()
            one.cv_HOST = SimpleNamespace(host_get_proc_gen=lambda console=0, name=name: name)
            one.c = _Console(files, imported.CommandFailed)
            try:
                if name in _known_to(checkout):
                    getattr(one, method)()
                found[test] = ()
            except Exception as error:
                text = str(error).rpartition(" : ")[2] if error.args else ""
                found[test] = (text if isinstance(error, AssertionError) else type(error).__name__,)
        return found

    return judge


def _known_to(checkout: Path) -> frozenset[str]:
    """The processors for which op-test does not skip its tests of the tree."""
    text = (checkout / "testcases/DeviceTreeValidation.py").read_text("utf-8")
    listed = re.search(r'not in \[([^]]*)\]:\s*self\.skipTest\("Unknown CPU', text)
    return frozenset(re.findall(r'"(\w+)"', listed[1])) if listed else frozenset()


class _Console:
    """Runs op-test's commands on a tree's files."""

    def __init__(self, files: Path, failed: type[Exception]) -> None:
        self._files = files
        self._failed = failed

    def run_command(self, command: str) -> list[str]:
        here = command.replace(_DEVICE_TREE, f"{self._files}/")
        if here.startswith("lsprop "):
            path = Path(here.removeprefix("lsprop "))
            if not path.is_file():
                raise self._failed(command, ["no such file"], 1)
            data = path.read_bytes()
            texts = data.removesuffix(b"\0").split(b"\0") if data else []
            return [path.name, *(f'\t\t "{text.decode("latin-1")}"' for text in texts)]
        done = subprocess.run(["sh", "-c", here], capture_output=True, text=True, check=False)
        if done.returncode:
            raise self._failed(command, done.stdout.splitlines(), done.returncode)
        return done.stdout.splitlines()


@contextmanager
def _stand_ins(checkout: Path) -> Iterator[Any]:
    """The names that op-test's module has, imported without what reaches for machines."""
    logger = SimpleNamespace(debug=lambda *words: None, info=lambda *words: None)
    glob = SimpleNamespace(get_logger=lambda name: logger)
    made: dict[str, dict[str, Any]] = {
        "OpTestConfiguration": {"conf": None},
        "OpTestLogger": {"optest_logger_glob": glob},
        "common.OpTestSystem": {"OpSystemState": None},
        "common.OpTestConstants": {"OpTestConstants": None},
        "common.OpTestQemu": {},
    }
    before = dict(sys.modules)
    sys.path.insert(0, str(checkout))
    try:
        for name, names in made.items():
            sys.modules[name] = ModuleType(name)
            vars(sys.modules[name]).update(names)
        yield __import__("testcases.DeviceTreeValidation", fromlist=["*"])
    finally:
        sys.path.remove(str(checkout))
        for name in sys.modules.keys() - before.keys():
            del sys.modules[name]


def differences(
    root: Node, dtb: Path, judges: Mapping[str, Judge]
) -> Iterator[tuple[str, str, Verdict, Verdict]]:
    """Yields program, sub-test, its own verdict and the product's, where they differ."""
    ours: dict[str, tuple[ToolVerdict, ...]] = {
        "fwts": fwts.verdicts(root),
        "op-test": op_test.verdicts(root, machine_of(root).pvr),
    }
    for program, judge in judges.items():
        real = judge(root, dtb)
        for verdict in ours[program]:
            labels = tuple(label for label, _ in verdict.failures)
            if not _agree(real[verdict.test], labels):
                yield program, verdict.test, real[verdict.test], labels


def _agree(real: Verdict, ours: Verdict) -> bool:
    """A message of op-test's may have values behind the words that the product names."""
    return len(real) == len(ours) and all(
        message.startswith(label) for message, label in zip(real, ours, strict=True)
    )
