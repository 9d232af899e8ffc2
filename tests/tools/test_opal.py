"""The measurement behind docs/opal.md, on inputs and programs written here."""

import subprocess
from pathlib import Path

import pytest

from idle_states.base.dataclass import replace
from idle_states.base.model import power_mgt as dt
from idle_states.tables.audit import fwts
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.generate import tree_of
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.log import NamedState, OpalLog
from idle_states.tables.skiboot.platform import parse_platform
from idle_states.tables.spec.library import find
from tests.tables.audit.test_audit import edited
from tools.opal import __main__ as opal
from tools.opal import firmware, peers
from tools.opal.firmware import Skiboot

LOG = """\
[    0.100000000,5] OPAL {} starting...
[    0.100000001,6] CPU: P9 generation processor (max 4 threads/core)
[    0.200000000,6] SLW: Enabling: stop0_lite
[    0.200000001,6] SLW: Enabling: stop9
"""
OP_TEST = {
    "common/__init__.py": "",
    "common/Exceptions.py": """\
class CommandFailed(Exception):
    pass
""",
    "testcases/__init__.py": "",
    "testcases/DeviceTreeValidation.py": """\
import unittest

import common.OpTestQemu
import OpTestConfiguration
from common.Exceptions import CommandFailed

NODE = "/proc/device-tree/ibm,opal/power-mgt/ibm,"

class DeviceTreeValidation(unittest.TestCase):
    def test(self):
        if self.cv_HOST.host_get_proc_gen(console=1) not in ["POWER8",
                                                             "POWER9"]:
            self.skipTest("Unknown CPU type")

    def validate_idle_state_properties(self):
        flags = self.c.run_command(
            "od -A n -v -t x4 -w4 " + NODE + "cpu-idle-state-flags")
        names = self.c.run_command("lsprop " + NODE + "cpu-idle-state-names")[1:]
        self.assertEqual(len(flags), len(names), "Array size mismatch")
        self.assertGreater(len(flags), 2, "No idle states found in DT, or few")

    def validate_pstate_properties(self):
        self.c.run_command("od " + NODE + "pstate-ids")
""",
}


def git(directory: Path, *words: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", str(directory), *names, *words], check=True, capture_output=True)


def laid(top: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return top


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A skiboot whose table of POWER9 has another latency in its second commit."""
    top = laid(tmp_path / "skiboot", {"hw/slw.c": c_table.write([find("power9")])})
    git(top, "init", "-q")
    git(top, "add", ".")
    git(top, "commit", "-qm", "a")
    git(top, "tag", "v7.0")
    states = [replace(state, latency_ns=7000) for state in find("power9").states[:1]]
    later = replace(find("power9"), states=(*states, *find("power9").states[1:]))
    laid(top, {"hw/slw.c": c_table.write([later])})
    git(top, "commit", "-qam", "b")
    return top


def tree(version: str) -> Node:
    root = tree_of(find("power9"), parse_platform("op920"))
    opal_node = root.find("/ibm,opal")
    assert opal_node is not None
    named = Node("firmware", {"version": version.encode() + b"\0"})
    whole = replace(opal_node, children=(*opal_node.children, named))
    children = (whole if child.name == "ibm,opal" else child for child in root.children)
    return replace(root, children=tuple(children))


def fwts_program(tmp_path: Path, *labels: str) -> str:
    """A program that says of every tree what is given: the failures of pstates, of idle states."""
    lines = ["#!/bin/sh"]
    for number, (test, label) in enumerate(zip(("Frequency", "Idle"), labels, strict=True), 1):
        lines.append(f"echo 'power_mgmt  Test {number} of 2: OPAL Processor {test} States Info'")
        lines += [f"echo 'power_mgmt  FAILED [MEDIUM] {label}: Test {number}, ...'"] * bool(label)
    path = tmp_path / "fwts"
    path.write_text("\n".join(lines) + "\n")
    path.chmod(0o755)
    return str(path)


def row(text: str, name: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {name}")]
    return line.strip("| ").split(" | ")


def test_page_has_each_input_beside_the_build_that_it_names(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opal, "PAGE", tmp_path / "opal.md")
    (tmp_path / "opal.md").write_text(f"# Kept\n{opal.START}gone\n")
    inputs = laid(tmp_path / "in", {"a.log": LOG.format("v7.0"), "notes.txt": "no word of it"})
    (inputs / "right.dtb").write_bytes(fdt.write(tree("skiboot-v7.0")))
    head = subprocess.run(
        ["git", "-C", str(clone), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    ).stdout
    (inputs / "drift.dtb").write_bytes(fdt.write(tree(f"skiboot-{head[:7]}-p29867c2")))
    (inputs / "other.dtb").write_bytes(fdt.write(tree("skiboot-abcdef0")))
    (inputs / "again.dtb").write_bytes((inputs / "drift.dtb").read_bytes())
    # a log that is no longer in the repository's last commit
    held = laid(tmp_path / "owner+name/repo", {"old.log": LOG.format("v6.9")})
    git(held, "init", "-q")
    git(held, "add", ".")
    git(held, "commit", "-qm", "a")
    git(held, "rm", "-q", "old.log")
    git(held, "commit", "-qm", "b")
    assert opal.main([str(clone), str(inputs), str(held / ".git")]) == 0
    text = (tmp_path / "opal.md").read_text()
    assert text.startswith(f"# Kept\n{opal.START}\n## Device trees\n")
    assert "gone" not in text
    assert "notes.txt" not in text
    assert row(text, "in/right.dtb")[4] == "v7.0: power9: equal in every value"
    assert row(text, "in/right.dtb")[3].endswith("stop4, stop5 (levels 0xec000000)")
    assert row(text, "in/right.dtb")[5:] == [
        "none",
        "pstates: DTPropertyReadError",
        "pstates: CommandFailed",
    ]
    lacking = row(text, "in/other.dtb")
    assert lacking[4] == "commit not in the clone; today's power9: equal in every value"
    # of equal files one is taken
    drift = row(text, "in/again.dtb")
    assert drift[4].startswith("v7.0-1-g")
    assert drift[4].endswith("power9: stop0_lite exit latency 1us instead of 7us")
    assert "in/drift.dtb" not in text
    log = row(text, "in/a.log")
    assert log[3:5] == ["stop0_lite, stop9", "none"]
    assert log[6] == (
        "v7.0: power9: 1 of 8 named; not in the table: stop9; "
        "not named: stop0, stop1, stop2, stop4, stop5, stop8 and stop11"
    )
    old = row(text, "owner/name: old.log")
    assert old[2] == "v6.9"
    assert old[6] == "-"
    assert text.endswith("## fwts and op-test\n\nNot run.\n")


def test_a_build_is_found_by_each_form_of_a_version(clone: Path, tmp_path: Path) -> None:
    skiboot = Skiboot(clone, tmp_path / "scratch")
    head = skiboot.build("HEAD")
    assert head is None
    exact = skiboot.build("v7.0")
    assert exact is not None
    assert (exact.shown, exact.release) == ("v7.0", "7.0")
    assert skiboot.build("skiboot-v7.0") == exact
    missing = skiboot.build("v7.0-3-gabcdef0-dirty")
    assert missing is not None
    assert missing.commit == exact.commit
    assert missing.shown == "v7.0, for abcdef0"
    assert skiboot.build("skiboot-abcdef0-p1234567") is None


@pytest.mark.parametrize(
    ("generation", "states", "found"),
    [
        (None, "stop0_lite stop0", "power10: 2 of 4 named; not named: stop2 and stop3"),
        (None, "stop0_lite stop0 stop1 stop2", "power9: 4 of 8 named"),
        (None, "nap fastsleep_ winkle", "power8: 3 of 3 named"),
        ("power9", "stop0_lite stop0", "power9: 2 of 8 named"),
        ("power77", "stop0", "the build has no table for it"),
        ("power9", "", "no states named"),
    ],
)
def test_states_of_a_log_are_held_against_the_table_that_has_most_of_them(
    generation: str | None, states: str, found: str
) -> None:
    named = tuple(NamedState(number, name) for number, name in enumerate(states.split()))
    own = [find(name) for name in ("power9-fused", "power9", "power10", "power8")]
    said = firmware.of_log(OpalLog(generation=generation, enabled=named), own)
    assert "; ".join(said).startswith(found)


@pytest.mark.parametrize(
    ("labels", "agree"),
    [
        (("DTPropertyReadError", ""), True),
        (("", ""), False),
        (("DTPropertyReadError", "SizeMismatch"), False),
    ],
)
def test_what_fwts_says_is_held_against_the_product(
    labels: tuple[str, str], agree: bool, tmp_path: Path
) -> None:
    root = tree("v7.0")
    dtb = tmp_path / "a.dtb"
    dtb.write_bytes(fdt.write(root))
    judges = {"fwts": peers.fwts_of(fwts_program(tmp_path, *labels))}
    assert ([*peers.differences(root, dtb, judges)] == []) == agree


def test_what_op_test_says_is_held_against_the_product(tmp_path: Path) -> None:
    judge = peers.op_test_of(laid(tmp_path / "op-test", OP_TEST))
    root, cpu = tree("v7.0"), "cpus/PowerPC,POWER9@0"
    fault = edited(root, dt.NODE, **{dt.NAMES: b"stop0_lite\0"})
    absent = edited(root, dt.NODE, **{dt.FLAGS: None})
    power10 = edited(fault, cpu, **{"cpu-version": bytes.fromhex("00800200")})
    found = []
    for number, one in enumerate((root, fault, absent, power10)):
        verdicts = judge(one, tmp_path / f"{number}.dtb")
        found.append((verdicts["idle states"], verdicts["pstates"]))
    failed = ("CommandFailed",)
    mismatch = ("Array size mismatch",)
    assert found == [((), failed), (mismatch, failed), (failed, failed), ((), ())]
    # the product knows op-test's own class, which looks at more: of these trees both say the same
    for number, one in enumerate((root, fault, absent, power10)):
        judges = {"op-test": judge}
        assert not list(peers.differences(one, tmp_path / f"{number}{number}.dtb", judges))


def test_each_fault_is_in_one_property(tmp_path: Path) -> None:
    root = tree("v7.0")
    forms = list(opal.damaged(root))
    assert len(forms) == 6 * 5
    whole = root.find(dt.NODE)
    assert whole is not None
    for one in forms:
        node = one.find(dt.NODE)
        assert node is not None
        pairs = whole.properties.items() ^ node.properties.items()
        assert len({name for name, _ in pairs}) == 1
    assert len({fdt.write(one) for one in forms}) == len(forms)
    assert any(fwts.verdicts(one)[0].failures for one in forms)
