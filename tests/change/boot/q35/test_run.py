"""Tests of what a boot of q35 refuses before it boots; the table it gives; what it says of a
guest."""

from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.acpi_objects import AcpiObject, AcpiReference, AcpiRegister
from idle_states.base.model.findings import CannotGenerate, UsageError
from idle_states.base.model.stages import Message
from idle_states.base.reading.acpi import idle, tables
from idle_states.change.boot.q35.aml import ssdt
from idle_states.change.boot.q35.boot import crash_of
from idle_states.change.boot.q35.machine import PROCESSOR
from idle_states.change.boot.q35.objects import placed
from idle_states.change.boot.q35.predict import lines_of, parameters_of, predict, stages
from idle_states.cli import main
from idle_states.tables.sources import read_sources

Capture = pytest.CaptureFixture[str]
ENTRY = bytes(AcpiRegister(1, 8, 0, 1, 0x614)), 1, 1, 0
CST: AcpiObject = (1, ENTRY)
OTHER: AcpiObject = (2, ENTRY, (ENTRY[0], 2, 40, 0))


def file_of(directory: Path, *csts: AcpiObject) -> Path:
    """A file with an SSDT of processors that have these objects."""
    file = directory / "ssdt.aml"
    file.write_bytes(ssdt({PROCESSOR.format(n): {"_CST": cst} for n, cst in enumerate(csts)}))
    return file


def test_tables_of_another_form(capsys: Capture) -> None:
    assert main(["boot", "power9", "--machine", "q35"]) == 3
    errors = capsys.readouterr().err
    assert "expected a state that is entered by MWAIT or by reading a port" in errors


def test_a_table_that_acpi_did_not_give(tmp_path: Path) -> None:
    rows = (("POLL", "CPUIDLE CORE POLL IDLE", 0), ("C1", "ACPI HLT", 1))
    rows += (("C2", "ACPI IOPORT 0x614", 40),)
    lines = [
        f"/sys/devices/system/cpu/cpu0/cpuidle/state{number}/{attribute}:{value}"
        for number, (name, text, latency) in enumerate(rows)
        for attribute, value in (
            *(("desc", text), ("latency", latency), ("name", name), ("residency", 2 * latency)),
        )
    ]
    file = tmp_path / "sysfs.txt"
    file.write_text("\n".join(lines) + "\n")
    found = placed(read_sources(str(file)), 2, "f")
    halt, port = AcpiRegister(0x7F, 0, 0, 0, 0), AcpiRegister(1, 8, 0, 0, 0x614)
    assert found.cpus[0]["_CST"] == (2, (bytes(halt), 1, 1, 0), (bytes(port), 2, 40, 0))
    assert found.cpus[0] == found.cpus[1]


def test_one_of_each_set_of_processors_has_a_place_first(tmp_path: Path) -> None:
    sources = read_sources(str(file_of(tmp_path, CST, CST, OTHER)))
    found = placed(sources, 3, "f")
    assert found.places == ("\\_SB.CPUS.C000", "\\_SB.CPUS.C002", "\\_SB.CPUS.C001")
    assert found.cpus == ({"_CST": CST}, {"_CST": OTHER}, {"_CST": CST})
    with pytest.raises(UsageError, match="expected --smp 3 or less with f, whose 3 processors"):
        placed(sources, 4, "f")


def test_equal_processors_have_equal_objects_however_many_they_are(tmp_path: Path) -> None:
    found = placed(read_sources(str(file_of(tmp_path, OTHER))), 3, "f")
    assert found.cpus == ({"_CST": OTHER},) * 3
    (shared,), _ = idle.read(tables.blobs(found.ssdt, "f"), "f")
    assert shared.idle.cst == OTHER
    assert [each.path for each in shared.idle.processors] == [PROCESSOR.format(n) for n in range(3)]


def test_tables_of_any_size_are_written() -> None:
    # what follows the four elements of a C-state stays as it is
    more: tuple[AcpiObject, ...] = 0, 1, 1 << 31, 1 << 63, "text", b"", (bytes(5000),)
    long: AcpiObject = (bytes(70), 1, 0xFE, 0xABCD, *more)
    (read,) = tables.blobs(ssdt({"\\_SB.CPU0": {"_CST": (1, long)}}), "f")
    assert read.signature == b"SSDT"
    (shared,), _ = idle.read([read], "f")
    assert shared.idle.cst == (1, long)


@pytest.mark.parametrize(
    ("path", "value", "told"),
    [
        ("_SB.CPU0", 1, "expected a path from the root"),
        ("\\_SB.cpu0", 1, "expected a name of up to 4 capital letters, found 'cpu0'"),
        ("\\_SB.CPU0", -1, "expected a number of 64 bits, found -1"),
        ("\\_SB.CPU0", (None, 1), "expected an element with a value before others"),
        ("\\_SB.CPU0", "\xe9", "expected text of ASCII"),
        ("\\_SB.CPU0", (0,) * 256, "expected a package of at most 255 elements, found 256"),
    ],
)
def test_tables_that_there_are_no_bytes_for(path: str, value: AcpiObject, told: str) -> None:
    with pytest.raises(ValueError, match=told.replace("(", "\\(")):
        ssdt({path: {"_CST": value}})


def test_objects_that_no_table_can_have_are_refused_as_such(tmp_path: Path) -> None:
    """acpiexec prints references by their last name alone."""
    (source,) = read_sources(str(file_of(tmp_path, CST)))
    assert source.table is not None
    assert source.table.origin.form == "acpi"
    strange = replace(source.table.origin, cst=(1, (AcpiReference("PCI0"), 1, 1, 0)))
    table = replace(source.table, origin=strange)
    with pytest.raises(CannotGenerate, match="expected a path from the root"):
        placed([replace(source, table=table)], 2, "f")


def test_elements_without_a_value_come_last() -> None:
    data = ssdt({"\\_SB.CPU0": {"_CST": (AcpiReference("\\_SB.CPU0"), None, None)}})
    assert data.endswith(b"\x12\x0c\x03\\._SB_CPU0")


@pytest.mark.parametrize(
    ("value", "taken"), [("010", 8), ("x", None), ("08", None), ("4294967296", None), ("-1", None)]
)
def test_numbers_are_the_kernels(value: str, taken: int | None) -> None:
    usual = parameters_of(()).max_cstate
    found = parameters_of((f"processor.max_cstate={value}",)).max_cstate
    assert found == (usual if taken is None else taken)


def test_parameters_on_the_command_line() -> None:
    words = ("processor.max_cstate=2", "processor.nocst=1", "quiet", "processor.latency_factor=0x3")
    found = parameters_of((*words, "idle=nomwait", "processor.bm_check_disable=n"))
    assert (found.max_cstate, found.nocst, found.latency_factor, found.idle) == (
        2,
        True,
        3,
        "nomwait",
    )
    assert not found.bm_check_disable


LOG = """\
<6>[    2.9] ACPI: \\_SB_.CPUS.C000: Found 2 idle states
<4>[    2.97] ACPI Warning: \\_SB.CPUS.C000._CST: SubPackage[1] - removing (20220331/nsrepair2-443)
<6>[    3.0] ACPI: Interpreter enabled
<5>[    3.1] ACPI: FW issue: working around C-state latencies out of order
<4>[    3.2] [Firmware Bug]: ACPI MWAIT C-state 0x10 not supported by HW (0x0)
"""


def test_lines_about_c_states() -> None:
    assert lines_of(LOG) == [
        Message("info", "ACPI: \\_SB_.CPUS.C000: Found 2 idle states"),
        Message("warning", "ACPI Warning: \\_SB.CPUS.C000._CST: SubPackage[1] - removing"),
        Message("notice", "ACPI: FW issue: working around C-state latencies out of order"),
        Message("warning", "[Firmware Bug]: ACPI MWAIT C-state 0x10 not supported by HW (0x0)"),
    ]


CRASH = """\
[    0.0] Linux version 6.1.0-50-amd64 (x@y) (gcc-12) #1 SMP Debian 6.1.176-1 (2026-07-02)\r
[    1.8] BUG: kernel NULL pointer dereference, address: 0000000000000001\r
[    1.8] CPU: 1 PID: 0 Comm: swapper/1 Not tainted 6.1.0-50-amd64 #1  Debian 6.1.176-1\r
[    1.8] RIP: 0010:acpi_idle_enter+0x34/0xd0\r
[    1.8] Kernel panic - not syncing: Attempted to kill the idle task!\r
"""


def test_a_crash_says_where(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(CRASH)
    found = crash_of(log)
    assert found is not None
    assert found.crash == "acpi_idle_enter on CPU 1"
    assert found.uname == "Linux 6.1.0-50-amd64 #1 SMP Debian 6.1.176-1 (2026-07-02) x86_64"
    predicted = predict(placed(read_sources("intel:icx"), 1, "x"), (), found)
    assert predicted.started is not None
    log.write_text(CRASH.replace("panic", "picnic"))
    assert crash_of(log) is None


def test_the_governor_in_use_is_the_one_asked_for(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(CRASH)
    found = crash_of(log)
    assert found is not None
    governors = "/sys/devices/system/cpu/cpuidle/current_governor:menu\n"
    booted = replace(found, crash="", sections={**found.sections, "governors": governors})
    predicted = predict(placed(read_sources("intel:icx"), 1, "x"), (), booted)

    def differ(asked: str) -> bool:
        judged = {stage.name: stage for stage in stages(predicted, booted, asked)}
        return "governor" in [each.path for each in judged["registered"].differences]

    assert [differ(asked) for asked in ("", "menu", "ladder")] == [False, False, True]
