"""ACPI's tables in collections and directories, and what `why` says by them of acpi_idle."""

import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.model.acpi_objects import AcpiRegister
from idle_states.cli import main
from idle_states.tables.why.answer import Explanation, why
from idle_states.tables.why.request import WhyRequest
from tests.support.acpi import block, compiled, fadt, processor, table
from tests.support.dumps import C1, POLL, dump

MWAIT, PORT2, PORT3 = (
    bytes(AcpiRegister.mwait(0)),
    bytes(AcpiRegister.port(0x414)),
    bytes(AcpiRegister.port(0x415)),
)
MEMORY = bytes(AcpiRegister(0, 8, 0, 0, 0x414))
ZEN = ((MWAIT, 1, 1), (PORT2, 2, 18), (PORT3, 3, 350))
USUAL_FADT = fadt(100, 1000, 1)
CPUINFO = (
    "processor\t: {}\nvendor_id\t: AuthenticAMD\ncpu family\t: {}\nmodel\t\t: 96\n"
    "stepping\t: 1\ncpuid level\t: 16\nflags\t\t: {} arat nonstop_tsc\n\n"
)
ZEN_INFO = "".join(CPUINFO.format(cpu, 23, "monitor") for cpu in range(4))
OLD_INFO = "".join(CPUINFO.format(cpu, 16, "monitor") for cpu in range(4))
HALT: Mapping[str, Any] = {**C1, "desc": "ACPI HLT"}
C2: Mapping[str, Any] = {**C1, "name": "C2", "desc": "ACPI IOPORT 0x414", "latency": 18}


def tables(
    cst: tuple[tuple[bytes, int, int], ...] | None, facp: bytes = USUAL_FADT, block: int = 0
) -> bytes:
    cpus = b"".join(processor(f"CPU{uid}", uid, block, cst) for uid in range(2))
    return table("DSDT", cpus) + facp


def gathered(
    directory: Path,
    acpi: bytes | None,
    *states: Mapping[str, Any],
    cmdline: str = "quiet",
    cpuinfo: str = ZEN_INFO,
    driver: str = "acpi_idle",
) -> Path:
    """Writes a collection of an AMD machine."""
    more = [f"/proc/cmdline:{cmdline}"]
    lines = dump(*states, driver=driver, more=more, kernel="6.12.8").splitlines(keepends=True)
    texts = {
        "cpuidle.txt": "".join(line for line in lines if "/cpuidle/state" in line).encode(),
        "machine.txt": "".join(line for line in lines if "/cpuidle/state" not in line).encode(),
        "uname.txt": b"6.12.8 #1 SMP x86_64\n",
        "cpuinfo.txt": cpuinfo.encode(),
        "acpi-tables.bin": acpi or b"",
    }
    file = directory / "machine.tar"
    with tarfile.open(file, "w") as tar:
        for name, content in texts.items():
            if content:
                member = tarfile.TarInfo(f"idle-states-collection/{name}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    return file


LOST, UNKNOWN = "lost-on-the-way", "unknown"
CAUSES: dict[str, tuple[Any, ...]] = {
    # name: (tables, state, kind of the reason, words of it, what else is told)
    "no tables": (None, "C3", UNKNOWN, "acpi_idle makes its states of ACPI's tables", {}),
    "not in _CST": (
        tables(ZEN[:2]), "C3", LOST, "firmware does not offer it: its table has C1, C2", {},
    ),
    "a name of hardware": (tables(ZEN), "C6", LOST, "its table has C1, C2, C3", {}),
    "given by the model": (tables(ZEN), "C3", UNKNOWN, "by the driver's model", {}),
    "max_cstate": (
        tables(ZEN), "C3", "max-cstate", "processor.max_cstate is 2",
        {"cmdline": "processor.max_cstate=2"},
    ),
    "max_cstate that is not the reason": (
        tables(ZEN[:2]), "C3", LOST, "firmware does not offer it",
        {"cmdline": "processor.max_cstate=2"},
    ),
    "nocst, and no ports": (
        tables(ZEN), "C3", LOST, "the parameter nocst and the FADT has no port",
        {"cmdline": "processor.nocst=1"},
    ),
    "a space that is none": (
        tables((*ZEN[:2], (MEMORY, 3, 350))), "C3", LOST,
        "FFixedHW or SystemIO, found Register", {},
    ),
    "an entry that is none": (
        tables((*ZEN[:2], (b"", 3, 350))), "C3", LOST, "CPU0._CST[3]: expected 15 bytes", {},
    ),
    "MWAIT that the processor lacks": (
        tables(((MWAIT, 1, 1), (bytes(AcpiRegister.mwait(0x20)), 2, 18))), "C2", LOST,
        "does not have MWAIT hint 0x20", {"cpuinfo": CPUINFO.format(0, 23, "")},
    ),
    "no address": (
        tables((*ZEN[:2], (bytes(AcpiRegister.port(0)), 3, 350))), "C3", LOST, "no address", {},
    ),
    "caches that must be flushed": (
        tables(ZEN, fadt(100, 1000, 0)), "C3", LOST, "no WBINVD", {"cpuinfo": OLD_INFO},
    ),
    "an unknown type": (tables((*ZEN[:2], (PORT3, 4, 350))), "C3", LOST, "type 4", {}),
    "FADT without ports": (tables(None), "C2", LOST, "no ports of C2 and C3 (P_BLK)", {}),
    "FADT's latency": (
        tables(None, fadt(101, 1000, 1), 0x810), "C2", LOST,
        "C2 takes 101 us, where Linux accepts 100",
        {},
    ),
    "FADT's latency of C3": (
        tables(None, fadt(90, 1001, 1), 0x810), "C3", LOST,
        "C3 takes 1001 us, where Linux accepts 1000",
        {},
    ),
    "FADT that gives C3": (
        tables(None, fadt(90, 1000, 1), 0x810), "C3", UNKNOWN, "by the driver's model", {},
    ),
    "FADT beside a table that loads others": (
        tables(None, fadt(90, 1001, 1), 0x810) + table("SSDT", b"\x08LOAD\x0b\x5b\x20"), "C3",
        UNKNOWN, "which were not seen", {},
    ),
    "tables that are damaged": (
        tables(ZEN)[:-1], "C3", UNKNOWN, "which were not seen", {},
    ),
    "another driver": (
        tables(ZEN), "C3", UNKNOWN, "nothing that was seen", {"driver": "intel_idle"},
    ),
}  # fmt: skip


def asked(state: str | None, machine: Path) -> Explanation:
    return why(WhyRequest(state, str(machine)))


@pytest.mark.parametrize("name", CAUSES)
def test_reason_by_acpis_tables(name: str, tmp_path: Path) -> None:
    acpi, state, kind, words, told = CAUSES[name]
    states = (POLL, HALT) if state == "C2" else (POLL, HALT, C2)
    found = asked(state, gathered(tmp_path, acpi, *states, **told))
    (reason,) = found.explained[0].reasons
    assert reason.kind == kind
    assert words in reason.because
    assert reason.where
    assert reason.next


def test_machine_without_a_driver_is_explained(tmp_path: Path) -> None:
    acpi = tables(None, fadt(101, 1001, 1), 0x810)
    (found,) = asked(None, gathered(tmp_path, acpi, driver="none")).explained
    assert found.reasons[0].kind == LOST
    assert "C2 takes 101 us" in found.reasons[0].because
    assert "C3 takes 1001 us" in found.reasons[0].because
    other = tmp_path / "other"
    other.mkdir()
    (found,) = asked(None, gathered(other, tables(ZEN), driver="none")).explained
    assert found.reasons[0].kind == UNKNOWN


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    found = asked(None, gathered(tmp_path, tables(ZEN)[:-1], POLL, HALT))
    assert any("machine.tar:acpi: byte" in text for text in found.not_seen)
    assert any("acpidump > acpi.txt" in text for text in found.not_seen)


def test_directory_with_acpis_tables(tmp_path: Path) -> None:
    folder = tmp_path / "sys/firmware/acpi/tables"
    folder.mkdir(parents=True)
    data = tables(ZEN[:2], b"")
    (folder / "DSDT").write_bytes(data)
    (folder / "FACP").write_bytes(USUAL_FADT)
    text = dump(POLL, HALT, C2, driver="acpi_idle", kernel="6.12.8")
    for line in text.splitlines():
        path, _, value = line.partition(":")
        file = tmp_path / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{value}\n")
    (reason,) = asked("C3", tmp_path).explained[0].reasons
    assert reason.kind == LOST
    assert reason.where == f"{folder}"
    (folder / "DSDT").write_bytes(data[:-1])
    assert any("DSDT: expected a length of" in text for text in asked("C3", tmp_path).not_seen)


def test_tables_of_a_collection_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = gathered(tmp_path, tables(ZEN), POLL, HALT, C2)
    assert main(["show", f"{file}:acpi"]) == 0
    text = capsys.readouterr().out
    assert "ACPI _CST of 2 processors" in text
    assert "C2: residency none -> 36 us" in text
    assert main(["show", str(file)]) == 0
    assert "read from a running kernel" in capsys.readouterr().out
    assert main(["show", f"{file}:none"]) == 2
    other = tmp_path / "none"
    other.mkdir()
    assert main(["show", str(gathered(other, tables(ZEN), driver="none"))]) == 0
    assert "ACPI _CST of 2 processors" in capsys.readouterr().out


def test_objects_that_depend_on_memory_give_no_reason(
    tmp_path: Path, iasl: str, acpiexec_program: str
) -> None:
    """The values that acpiexec makes of them, with memory that is 0, are not the machine's."""
    inner = """
        OperationRegion (MEM0, SystemMemory, 0x1000, 4)
        Field (MEM0, AnyAcc, NoLock, Preserve) { CNT0, 32 }
        Processor (\\CPU0, 0, 0, 0) {
            Method (_CST) {
                If (CNT0) { Return (Package () {1, Package () {
                    ResourceTemplate () {Register (FFixedHW, 1, 2, 0, 3)}, 1, 9, 1}}) }
                Return (Package () {1, Package () {
                    ResourceTemplate () {Register (FFixedHW, 1, 2, 0, 3)}, 1, 1, 1}})
            }
        }"""
    found = asked("C3", gathered(tmp_path, compiled(block(inner)), POLL, HALT, C2))
    assert found.explained[0].reasons[0].kind == UNKNOWN
    assert any("depend on memory or ports" in text for text in found.not_seen)
