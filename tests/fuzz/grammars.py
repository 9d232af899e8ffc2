"""The grammars of tests/fuzz/growth.py: rows, and the command that reads what is made of them."""

import base64
import gzip
import re
from contextlib import suppress
from itertools import islice
from pathlib import Path

from idle_states.change.boot import console
from idle_states.change.boot.powernv.boot import SCRIPT
from tests.fuzz import packed_rows as packed
from tests.fuzz import text_rows as texts
from tests.fuzz.rows import Grammar, Row, around, each, numbered
from tests.lab.fit.importing.test_formats import SAMPLES
from tests.support import DATA, acpi
from tests.support.recordings import HEADED

_CHARACTERS: dict[str, Row] = {
    name: (lambda count, inner, text=text: text * count + inner)  # type: ignore[misc]
    for name, text in {
        "spaces": b" ",
        "brackets": b"[",
        "braces": b"{",
        "digits": b"1",
        "points": b"1.",
        "commas": b"1,",
        "colons": b"a: ",
        "equals": b"a=1 ",
        "lines": b"\n",
        "returns": b"\r",
        "nulls": b"\0",
        "quotes": b'"',
        "utf-8": b"\xc2\xb5",
    }.items()
}
_NUMBER = re.compile(r"[0-9]+")


def _text(*samples: str) -> dict[str, Row]:
    """Returns a text of lines: a line of a sample again and again, as it is and with each number in
    it counted; and characters without an end."""
    rows = dict(_CHARACTERS)
    for at, sample in enumerate(samples):
        lines = sample.splitlines(keepends=True)
        shapes = {_NUMBER.sub("0", line): number for number, line in reversed([*enumerate(lines)])}
        for number in shapes.values():
            start, rest = "".join(lines[:number]).encode(), "".join(lines[number:]).encode()
            forms = {"": lines[number]}
            for place, found in enumerate(_NUMBER.finditer(lines[number])):
                forms[f".{place}"] = (
                    lines[number][: found.start()] + "§" + lines[number][found.end() :]
                )
            for form, line in forms.items():
                rows[f"{at}:{number}{form}"] = (
                    lambda count, inner, start=start, rest=rest, line=line: (  # type: ignore[misc]
                        start + b"".join(numbered(line, count)) + rest + inner
                    )
                )
    return rows


def _head(name: str, lines: int) -> str:
    with gzip.open(DATA / name, "rt") as file:
        return "".join(islice(file, lines))


_LINUX_LOG = """\
[    0.000000] Linux version 6.1.0 (x) #1
[    0.1] cpuidle-powernv: Invalid psscr 0x1
[    1.1] cpuidle: using governor menu
Mon Sep 17 host kernel: [ 1.000000] intel_idle: MWAIT substates: 0x11
"""
_OPAL_LOG = """\
[    0.123456789,5] OPAL v7.0 starting...
[    2.123456789,3] SLW: No stop levels available
[    3.123456789,3] SLW: Enabling: stop1
"""
_STATS = (
    """\
x a
+ b
    N           Min           Max        Median           Avg        Stddev
x   5             1             9             3           3.5           3.2
+   5             2             9             4           4.5           3.1
Difference at 95.0% confidence
""",
    """\
Wakeup Latencies percentiles (usec) runtime 30 (s) (1234 total samples)
\t  50.0th: 10         (600 samples)
\t* 99.0th: 20         (500 samples)
\t  min=1, max=40
""",
    """\
                       a         b
Amean     1      1.0 (   0.00%)      2.0 *-100.00%*
""",
    "1.5 2\n3\n",
)
_MEASURED = [text for texts in SAMPLES.values() for text in texts]
_RECORDING = HEADED[:3000].rpartition("\n")[0] + "\n"
_CONVERT = _head("recordings/powernv9-menu-restarted.txt.gz", 80)
_TRACE = (
    _head("traces/mt8196-teo.idle.txt.gz", 9)
    + "  <idle>-0     [003] d..1. 1083.184133733: cpu_idle_miss: cpu_id=3 state=1 type=below\n"
    "CPU:2 [LOST 5 EVENTS]\n",
    "swapper     0 [000]     1.000000: power:cpu_idle: state=1 cpu_id=0\n"
    "swapper     0 [000]     1.000010: power:cpu_idle: state=4294967295 cpu_id=0\n",
)


_BOMB = base64.b64encode(gzip.compress(bytes(16 << 20), 9)).decode()
_CONSOLE: dict[str, Row] = {
    "begins": each("@@begin a@@\n"),
    "names": each("@@begin n§@@\n"),
    "sections": each(f"@@begin dmesg@@\n{_BOMB}\n@@end dmesg@@\n"),
    "strangers": each(f"@@begin x§@@\n{_BOMB}\n@@end x§@@\n"),
    **_text("[    1.000000] a\n"),
}


def _console(path: Path) -> None:
    with suppress(console.Incomplete):
        console.sections(path.read_text("utf-8", "replace"), SCRIPT.sections)


GRAMMARS: dict[str, Grammar] = {
    "aml": Grammar("x.aml", ("audit",), packed.AML, lambda inner: acpi.table("DSDT", inner)),
    "c": Grammar(
        "x.c",
        ("check",),
        texts.C,
        lambda inner: texts.HELPERS + inner + b"struct cpu_idle_states t[] = { { 1 } };\n",
        terms=texts.TERMS,
        hold=around('struct cpu_idle_states e[] = { { .name = "a", .latency_ns = ', " } };\n"),
    ),
    "console": Grammar("x.log", (), _CONSOLE, direct=_console),
    "convert": Grammar("x.txt", ("collect", "--convert"), _text(_CONVERT)),
    "dts": Grammar(
        "x.dts",
        ("audit",),
        texts.DTS,
        lambda inner: (
            b"/dts-v1/;\n"
            + texts.HELPERS
            + inner.replace(b"FILE", b"x.dts")
            + b"/ { n0: n0 { }; };\n"
        ),
        terms=texts.TERMS,
        hold=around("/ { e = <(", ")>; };\n"),
    ),
    "dts-text": Grammar(
        "x.dts",
        ("audit",),
        texts.MACROS,
        lambda inner: b"/dts-v1/;\n" + texts.HELPERS + inner + b"/ { };\n",
        terms=texts.TERMS,
        hold=around("/ { s = ", "; };\n"),
    ),
    "fdt": Grammar("x.dtb", ("audit",), packed.FDT, packed.blob),
    "lid": Grammar("x.lid", ("audit",), packed.LID, lambda inner: inner),
    "linux-log": Grammar("x.log", ("audit",), _text(_LINUX_LOG)),
    "mail": Grammar(
        "x.mbox",
        ("review",),
        texts.MAIL,
        around("From: a <a@b>\nSubject: [PATCH] x\n", f"\n{texts.DIFF}@@ -1 +1 @@\n-a\n+b\n"),
        terms=texts.BODY,
        hold=around("\n"),
    ),
    "measured": Grammar(
        "x.txt", ("fit", "--residency", "3", "--woken-by", "timer"), _text(*_MEASURED)
    ),
    "opal-log": Grammar("x.log", ("audit",), _text(_OPAL_LOG)),
    "perf-data": Grammar(
        "perf.data", ("replay", "--table", "power9"), packed.PERF, packed.WRITER.around
    ),
    "recording": Grammar("x.csv", ("conform", "--table", "power9"), _text(_RECORDING)),
    "spec": Grammar("x.yaml", ("check",), texts.SPEC, around("name: x\nextends: power9\n")),
    "stats": Grammar("x.txt", ("stats",), _text(*_STATS)),
    "sysfs": Grammar(
        "x.sysfs",
        ("audit",),
        texts.SYSFS,
        around("cpu0/cpuidle/state0/name:a\ncpu0/cpuidle/state0/latency:1\n"),
    ),
    "tar": Grammar("x.tar", ("audit",), packed.TAR),
    "trace": Grammar("x.trace", ("replay", "--table", "power9"), _text(*_TRACE)),
    "trace-dat": Grammar("x.dat", ("replay", "--table", "power9"), packed.DAT),
    "workload": Grammar(
        "x.yaml",
        ("simulate", "--table", "power9", "--duration", "1ms"),
        texts.WORKLOAD,
        around("name: x\n"),
    ),
}
