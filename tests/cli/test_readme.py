"""The README's screens are what the tool prints, and its commands exist."""

import gzip
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from idle_states.base.model.table_formats import FORMATS
from idle_states.change.boot.machines import MACHINES
from idle_states.change.boot.q35.objects import placed
from idle_states.change.patches.library import series
from idle_states.cli import main
from idle_states.cli.parsers import parser
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources import read_sources, read_table
from idle_states.tables.spec.library import find
from tests.support import DATA, ROOT, lids
from tests.support.commands import Capture
from tests.support.dumps import C1, C6, POLL, dump
from tests.support.git_history import History
from tests.support.screens import prints, screens, tour

RECORDING, TRACE = "recordings/powernv9-menu-restarted.txt.gz", "traces/mt8196-teo.slice.txt.gz"
README = (ROOT / "README.md").read_text("utf-8")
(MINE,) = re.findall(r"```yaml\n(.*?)```\n", README, re.DOTALL)
CPU = """cpu%d: cpu@%d {
    device_type = "cpu"; reg = <%d>; enable-method = "psci";
    cpu-idle-states = <&CLUSTER_SLEEP_0 &CLUSTER_SLEEP_0
                       &CPU_SLEEP_0_0 &CPU_SLEEP_0_0 &CPU_SLEEP_0_0>;
};
"""
STATE = """%s: %s {
    compatible = "arm,idle-state"; arm,psci-suspend-param = <%d>; local-timer-stop;
    entry-latency-us = <%d>; exit-latency-us = <600>; min-residency-us = <2000>;
};
"""
CPUS = "".join(CPU % (n, n, n) for n in range(4))
STATES = STATE % ("CPU_SLEEP_0_0", "cpu-sleep-0-0", 0x10000, 600)
STATES += STATE % ("CLUSTER_SLEEP_0", "cluster-sleep-0", 0x1010000, 800)
CELLS = "#address-cells = <1>; #size-cells = <0>;"
MEDIATEK = "arch/arm64/boot/dts/mediatek"
LINUX = {
    f"{MEDIATEK}/mt8516.dtsi": f"/ {{ cpus {{ {CELLS}\n{CPUS}idle-states {{\n{STATES}}}; }}; }};\n",
    f"{MEDIATEK}/board.dts": '/dts-v1/;\n#include "mt8516.dtsi"\n',
    "include/dt-bindings/none.h": "",
}
BOARD = LINUX[f"{MEDIATEK}/mt8516.dtsi"]
STATES_SEEN: tuple[Mapping[str, object], ...] = (
    {"name": "POLL", "latency": 0, "residency": 0, "usage": 500, "time": 900},
    {"name": "C1", "latency": 2, "residency": 2, "usage": 40_000, "time": 8_000_000},
    {
        "name": "C6", "latency": 133, "residency": 600, "usage": 0, "time": 0,
        "disable": 1, "default_status": "enabled",
    },
)  # fmt: skip
SCREENS = screens(README)
TOUR = tour(README)


@pytest.mark.parametrize(("command", "screen"), SCREENS)
def test_screens(
    command: str, screen: str, capsys: Capture, in_tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if "board.dts" in command:
        request.getfixturevalue("dtc")
    (in_tmp_path / "mine.yaml").write_text(MINE)
    (in_tmp_path / "board.dts").write_text(f"/dts-v1/;\n{BOARD}")
    seen = dump(*STATES_SEEN, cpus=[0], driver="", kernel="", limit="")
    (in_tmp_path / "cpuidle.txt").write_text(seen)
    assert prints(capsys, command, screen)


def test_it_is_short() -> None:
    assert len(README.splitlines()) < 200


def test_python(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = re.findall(r"```python\n(.*?)```\n", README, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    assert capsys.readouterr().out == example.rpartition("# ")[2]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns what the tour speaks of: tables, trees, a recording, a trace, a skiboot with a
    history."""
    top = tmp_path_factory.mktemp("home")
    (top / "mine.yaml").write_text(MINE)
    main(["generate", "power9", "--to", "c", "-o", str(top / "slw.c")])
    main(["generate", "power9", "--to", "dtb", "-o", str(top / "power9.dtb")])
    shutil.copytree(DATA / "trees", top / "trees")
    (top / "trace.txt").write_bytes(gzip.decompress((DATA / TRACE).read_bytes()))
    (top / "recording.txt").write_bytes(gzip.decompress((DATA / RECORDING).read_bytes()))
    shutil.copy(DATA / "measured/power9-2023.log", top / "measured.txt")
    tables = [find(name) for name in ("power9", "power9-mambo")]
    (top / "skiboot.lid").write_bytes(lids.image(tables[0].states))
    (top / "skiboot/hw").mkdir(parents=True)
    (top / "skiboot/skiboot.lds.S").touch()
    text = c_table.write(tables).encode()
    (top / "specs").mkdir()
    mine = MINE.encode()
    for file, before, after, mail in (
        ("skiboot/hw/slw.c", text.replace(b"= 10000,", b"= 9000,"), text, "thread.mbox"),
        ("specs/mine.yaml", mine.replace(b"200ns", b"300ns"), mine, "spec.mbox"),
    ):
        git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", "-C"]
        git.append(str(top / file.partition("/")[0]))
        for content in (before, after):
            (top / file).write_bytes(content)
            for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "slw: Edit"]):
                subprocess.run([*git, *words], check=True)
        formatted = [*git, "format-patch", "--stdout", "-1"]
        done = subprocess.run(formatted, check=True, capture_output=True)
        (top / mail).write_bytes(done.stdout)
    shutil.copytree(top / "skiboot/hw", top / "hw")
    (top / "machine.tar").write_text(dump(POLL, C1, C6))
    main(["generate", "arm64-generic", "--to", "dts", "-o", str(top / "board.dts")])
    (top / "ssdt.aml").write_bytes(placed(read_sources("intel:icx"), 1, "ssdt.aml").ssdt)
    History(top / "linux").commit(LINUX)
    for name, shift in (("before", 0), ("after", 7)):
        (top / f"{name}.txt").write_text("".join(f"{n * n % 31 + shift}\n" for n in range(20)))
    return top


@pytest.mark.usefixtures("dtc")
@pytest.mark.parametrize("command", [command for command in TOUR if command[:5] != "boot "])
def test_tour(
    command: str,
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(home)
    command = command.replace("/proc/device-tree", "trees/powernv9.dtb")
    command = command.replace("~", shlex.quote(str(home))).replace("origin/master", "HEAD~1")
    command, _, output = command.partition(" > ")
    if "recording.csv" in command and "-o" not in command:
        main(["collect", "--convert", "recording.txt", "-o", "recording.csv"])
    if "--baseline" in command:
        main(["check", "--write-baseline", "known.json", "hw/slw.c"])
    capsys.readouterr()
    assert main(shlex.split(command)) in (0, 1)
    printed = capsys.readouterr()
    assert bool(output) <= bool(printed.out)
    assert "error" not in printed.err


def test_the_tour_boots_what_can_be_booted(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    """The command line is understood; tests/change/boot/test_boot_command.py really boots."""
    monkeypatch.chdir(home)
    commands = [command for command in TOUR if command.startswith("boot ")]
    assert commands
    for command in commands:
        words = shlex.split(command)
        given = vars(parser(words).parse_args(words))
        assert given["request.machine"] in MACHINES
        if given["request.patch"]:
            assert series(given["request.patch"])
        else:
            assert read_table(given["request.table"]).table


def test_there_is_something_to_test() -> None:
    assert len(SCREENS) == 4
    assert len(TOUR) > 30


def test_every_format_of_a_table_is_told() -> None:
    """In the README and by --help, in the words of messages."""
    told = [re.sub(r"[`\s]+", " ", text) for text in (README, parser().format_help())]
    assert len(FORMATS) > 9
    for called in FORMATS.values():
        assert all(called in text for text in told), called
