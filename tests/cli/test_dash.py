"""`-` is standard input, or standard output, of every command that takes a file."""

import re
import sys
from pathlib import Path
from typing import TextIO

import pytest

from idle_states.cli import main
from idle_states.cli.commands import COMMANDS
from tests.support import ROOT

DATA = ROOT / "tests" / "data"
SPEC = ROOT / "idle_states" / "tables" / "specs" / "power9.yaml"
RECORDING = DATA / "recordings" / "powernv9-menu-restarted.txt.gz"
TRACE = DATA / "traces" / "mt8196-teo.idle.txt.gz"
DUMP = DATA / "traces" / "mt8196-teo.sysfs-before.txt"
MEASURED = DATA / "measured" / "power9-2021.log"
CONFIGURATION, BASELINE, SAMPLES, MAIL, GAPS, WORKLOAD = (
    Path(name) for name in ("setup.cfg", "known.json", "s.txt", "m.mbox", "g.csv", "w.yaml")
)
_DRAWN = "snooze=1,stop0_lite=0.9,stop0=0.8,stop1=0.7,stop2=0.6,stop4=0.3,stop5=0.1"
_MAIL = """\
From: A Person <a@example.com>
Date: Thu, 20 Apr 2017 10:00:00 +0000
Subject: [PATCH] slw: Raise stop0_lite

Raise it.

---
--- a/hw/slw.c
+++ b/hw/slw.c
@@ -654,6 +654,6 @@ static struct cpu_idle_states power9_dd1_cpu_idle_states[] = {
 \t{
 \t\t.name = "stop0_lite",
-\t\t.latency_ns = 200,
-\t\t.residency_ns = 2000,
+\t\t.latency_ns = 20000,
+\t\t.residency_ns = 10000,
 \t\t.flags = 0*OPAL_PM_DEC_STOP \\
 \t\t       | 0*OPAL_PM_TIMEBASE_STOP  \\
"""
_WORKLOAD = """\
name: sleeper
counts: naps
tasks:
  sleeper:
    program:
      - run: 10us
      - count
      - sleep: 50us
"""
READ = {
    "show": [(SPEC, "show {}")],
    "select": [(SPEC, "select {}"), (SPEC, "select power9 --against {}")],
    "diff": [(SPEC, "diff {} power10"), (SPEC, "diff power10 {}")],
    "why": [(DUMP, "why {}"), (DUMP, "why s2idle {}")],
    "kernels": [(SPEC, "kernels 6.1 6.6 --table {}")],
    "list": [],
    "explain": [],
    "check": [
        (SPEC, "check {}"),
        (CONFIGURATION, "check power9-dd1 --config {}"),
        (BASELINE, "check power9-dd1 --baseline {}"),
    ],
    "review": [(MAIL, "review {}")],
    "audit": [(DATA / "trees/powernv9.dtb", f"audit {DATA}/trees/powernv8.dtb --against {{}}")],
    "generate": [(SPEC, "generate --to md {}")],
    "import": [(SPEC, "import {}")],
    "patch": [],
    "collect": [(RECORDING, "collect --convert {}")],
    "fit": [(MEASURED, "fit {} --table power9"), (SPEC, f"fit {MEASURED} --table {{}}")],
    "conform": [(RECORDING, "conform {}")],
    "replay": [
        (TRACE, "replay {} --table power9"),
        (SPEC, f"replay {TRACE} --table {{}}"),
        (DUMP, f"replay {TRACE} --sysfs {{}}"),
    ],
    "simulate": [
        (SPEC, "simulate ping-pong --duration 1ms --table {}"),
        (WORKLOAD, "simulate {} --duration 1ms --table power9"),
    ],
    "tune": [
        (GAPS, f"tune power9 --gaps {{}} --power {_DRAWN}"),
        (SPEC, f"tune {{}} --gaps g.csv --power {_DRAWN}"),
    ],
    "prove": [(SPEC, "prove {} --kernel 6.1")],
    "stats": [(SAMPLES, "stats {} --histogram")],
    "boot": [],
}
"""Command -> each option or operand that is a file to read, with such a file. audit's `-` names
files; boot and patch take trees."""
WRITTEN = [
    *((command, "-o") for command in (
        "show power9", "select power9", "diff power9 power10", "kernels 6.1", "list tables",
        "explain IS203", "check power9", f"audit {DATA}/trees/powernv9.dtb",
        "generate --to c power9", "import power9", "collect", "fit {measured}",
        f"conform {RECORDING}", f"replay {TRACE} --table power9",
        "simulate ping-pong --duration 1ms --table power9", "prove power9 --kernel 6.1",
        "stats s.txt", "review m.mbox", f"tune power9 --gaps g.csv --power {_DRAWN}",
    )),
    *((f"{command} -o report", "--html") for command in (
        "select power9", f"audit {DATA}/trees/powernv9.dtb",
        "simulate ping-pong --duration 1ms --table power9",
    )),
    (f"audit {DATA}/trees/powernv9.dtb -o report", "--parquet"),
    (f"audit {DATA}/trees/powernv9.dtb -o report", "--sqlite"),
    ("check power9-dd1", "--write-baseline"),
    ("fit {measured} --table power9 -o report", "--spec"),
]  # fmt: skip
Capture = pytest.CaptureFixture[bytes]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: with files to read, and one that is named `-`, which is not meant."""
    monkeypatch.chdir(tmp_path)
    Path("./-").write_text("")
    CONFIGURATION.write_text("[idle-states]\nignore = IS2\n")
    SAMPLES.write_text("1\n2\n4\n")
    MAIL.write_text(_MAIL)
    GAPS.write_text("gap_ns,count\n5000,100\n50000,100\n500000,10\n")
    WORKLOAD.write_text(_WORKLOAD)
    main(["check", "power9-dd1", "--write-baseline", str(BASELINE)])
    return tmp_path


def printed(capture: Capture, line: str, stdin: TextIO | None = None) -> tuple[int, bytes]:
    """Exit status and standard output of a command line. stdin: None for one that is closed."""
    capture.readouterr()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "stdin", stdin)
        status = main(line.split())
    return status, capture.readouterr().out


@pytest.mark.parametrize(
    ("file", "line"), [each for lines in READ.values() for each in lines], ids=str
)
def test_standard_input(file: Path, line: str, capsysbinary: Capture) -> None:
    """Reads as the file itself does, which messages name otherwise."""
    status, there = printed(capsysbinary, line.format(file))
    assert status in (0, 1)
    with file.open() as stdin:
        found, here = printed(capsysbinary, line.format("-"), stdin)
    assert found == status
    assert there
    if str(file).encode() not in there and file.name.encode() not in there:
        assert here == there
    assert here
    assert Path("./-").read_bytes() == b""


@pytest.mark.parametrize(("line", "option"), WRITTEN, ids=str)
def test_standard_output(line: str, option: str, capsysbinary: Capture) -> None:
    """Writes what it writes into a file; a page that is no file has no links to files."""
    line = line.format(measured=MEASURED)
    status, there = printed(capsysbinary, f"{line} {option} there")
    assert status in (0, 1)
    found, here = printed(capsysbinary, f"{line} {option} -")
    assert found == status
    written = re.sub(rb'<a href="\.\./[^"]*">([^<]*)</a>', rb"\1", Path("there").read_bytes())
    assert here == written + there
    assert Path("./-").read_bytes() == b""


@pytest.mark.parametrize(
    "line",
    [
        "select power9 --html -",
        f"audit {DATA}/trees/powernv9.dtb --parquet -",
        f"audit {DATA}/trees/powernv9.dtb --sqlite -",
        f"fit {MEASURED} --table power9 --spec -",
    ],
)
def test_two_results_for_standard_output(line: str, capsysbinary: Capture) -> None:
    assert main(line.split()) == 2
    captured = capsysbinary.readouterr()
    assert b"both go to standard output" in captured.err
    assert captured.out == b""


def test_every_command_is_tried() -> None:
    assert READ.keys() == COMMANDS.keys()
