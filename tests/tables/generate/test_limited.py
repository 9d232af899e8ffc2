"""The kernel's parameter that leaves the states of a latency limit: what it leaves on the model of
the driver, for packaged tables, dumps and ACPI's objects; and where there is none such."""

from pathlib import Path

import pytest

from idle_states.base.model.acpi_objects import FIXED_HARDWARE, AcpiRegister
from idle_states.base.model.beyond_opal import AcpiIdle, AcpiProcessor
from idle_states.base.model.findings import UsageError
from idle_states.tables.generate.limited import BootedTable, parameter
from idle_states.tables.linux.acpi_idle.machine import AcpiIdleParameters
from idle_states.tables.linux.acpi_idle.register import register as acpi_idle
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.intel_idle.platform import short_names
from idle_states.tables.linux.platforms import parse
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import journey
from idle_states.tables.selection.limit_words import keeping
from idle_states.tables.selection.limits import left
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.sources import Source, read_table
from idle_states.tables.sources.format_acpi import table_of
from tests.support.commands import Capture, run
from tests.support.thorough import few
from tests.tables.sources.test_sources import sysfs

KERNELS = few(3, ["5.4", "6.1", "7.3", "4.4", "5.8", "5.10", "5.15", "6.12", "rhel-4.18.0-240"])


def entered(driver: DriverTable) -> list[str]:
    return [state.name for state in driver.states if not state.off]


def registered(name: str, kernel: str, platform: str) -> DriverTable:
    source = read_table(name)
    return journey(source, parse(platform), [release(kernel)]).arrivals[0].driver


def packaged() -> list[str]:
    """The processors that have a table of their own in some release."""
    found = []
    for name in short_names():
        try:
            read_table(f"intel:{name}")
        except UsageError:
            continue
        found.append(name)
    return found


@pytest.mark.parametrize("kernel", KERNELS)
def test_what_is_left_of_every_packaged_table(kernel: str, capsys: Capture) -> None:
    """The parameter, given to the driver as a machine's, leaves what the limit leaves; the states
    have their times."""
    seen = set()
    for name in packaged():
        stock = registered(f"intel:{name}", kernel, name)
        for state in stock.states:
            _, _, rows = left(keeping([state.name]), release(kernel), stock)
            promised = [row.name for row in rows if row.within and not row.off]
            words = ("--to", "cmdline", f"intel:{name}", "--kernel", kernel, "--keep", state.name)
            status, out, err = run(capsys, "generate", *words)
            if status:
                # only a limit of none but POLL, before states_off=
                assert promised == ["POLL"]
                assert "5.6" in err or "max_cstate" in err
                seen.add("none")
            elif not out:
                assert promised == entered(stock)
            else:
                module, given = out.rstrip("\n").split(".")
                assert module == "intel_idle"
                tried = registered(f"intel:{name}", kernel, f"{name},{given}")
                assert entered(tried) == promised
                before = {s.name: s.times_ns for s in stock.states}
                assert all(s.times_ns == before[s.name] for s in tried.states)
                seen.add(given.split("=")[0])
    has_mask = kernel not in ("4.4", "5.4", "rhel-4.18.0-240")
    assert seen == {"max_cstate", "states_off" if has_mask else "none"}


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (
            ("intel:skx", "--keep", "POLL", "--kernel", "5.4"),
            2,
            "Linux 5.4 has no parameter that leaves just POLL here. Instead: "
            "intel_idle.max_cstate=1, which leaves POLL and C1; a latency limit of 0 us while "
            "Linux runs; intel_idle.states_off= of Linux 5.6 and later; idle=poll: idle "
            "CPUs then poll, without states",
        ),
        (
            ("power9", "--keep", "stop1", "--kernel", "6.1"),
            2,
            "Linux 6.1 has no parameter that leaves just snooze, stop0_lite, stop0 and stop1 here. "
            "Instead: a latency limit of 5 us while Linux runs; opal-stop-state-disable-mask="
            "0x3fffffff in skiboot's NVRAM, for all kernels; cpuidle.off=1, which leaves only "
            "stop0_lite",
        ),
        (
            # stop0_lite and stop0 are of one level, which the mask cannot part
            ("power9", "--keep", "stop0_lite", "--kernel", "6.1"),
            2,
            "Linux 6.1 has no parameter that leaves just snooze and stop0_lite here. Instead: a "
            "latency limit of 1 us while Linux runs; cpuidle.off=1, which leaves only stop0_lite",
        ),
        (
            ("pseries-shared", "--latency-limit", "9us", "--kernel", "6.1"),
            2,
            "leaves just snooze here. Instead: a latency limit of 9 us while Linux runs; "
            "powersave=off: idle CPUs then poll, without states",
        ),
        (
            ("arm64-generic", "--keep", "WFI", "--kernel", "6.1"),
            2,
            "leaves just WFI here. Instead: a latency limit of 1 us while Linux runs; "
            "cpuidle.off=1, which leaves only WFI",
        ),
        (
            ("power8", "--keep", "Nap", "--kernel", "6.1"),
            2,
            "leaves just snooze and Nap here. Instead: a latency limit of 4 us while Linux runs",
        ),
        (
            ("intel:icx", "--latency-limit", "cstate.id_no_zero:3|70", "--kernel", "6.1"),
            0,
            "on Linux 6.1 a limit of 170 us excludes no state here: POLL, C1, C1E and C6 stay",
        ),
        (
            ("intel:icx", "--latency-limit", "70us", "--kernel", "6.1"),
            0,
            "on Linux 6.1 this leaves POLL, C1 and C1E, without C6 (170 us)",
        ),
        (("intel:icx", "--keep", "C7", "--kernel", "6.1"), 2, "expected --keep with a state"),
        (("intel:icx", "--keep", "C1", "--latency-limit", "1"), 2, "not allowed with argument"),
        (("intel:skx", "--kernel", "6.19"), 2, "`generate --to cmdline --keep STATE` gives one"),
    ],
)
def test_what_is_said(words: tuple[str, ...], status: int, said: str, capsys: Capture) -> None:
    found, out, err = run(capsys, "generate", "--to", "cmdline", *words)
    assert (found, bool(out)) == (status, "--latency-limit" in words and "70us" in words)
    assert said in err


def test_only_the_command_line_has_a_limit(capsys: Capture) -> None:
    status, _, err = run(capsys, "generate", "--to", "c", "power9", "--keep", "stop1")
    assert status == 2
    assert "expected --latency-limit and --keep with --to cmdline only" in err


@pytest.mark.parametrize("table", ["power9", "power9-dd1", "power10"])
def test_what_nvram_leaves(table: str, capsys: Capture) -> None:
    """The mask, given to skiboot's model as a machine's, leaves the promised states."""
    stock, named = registered(table, "6.1", "all-levels"), 0
    for state in stock.states:
        words = ("--to", "cmdline", table, "--kernel", "6.1", "--keep", state.name)
        err = run(capsys, "generate", *words)[2]
        _, key, mask = err.partition("opal-stop-state-disable-mask=")
        _, _, rows = left(keeping([state.name]), release("6.1"), stock)
        if key:
            platform = f"nvram-disable-mask={mask.split()[0]}"
            promised = [row.name for row in rows if row.within]
            assert entered(registered(table, "6.1", platform)) == promised
            named += 1
    assert named > 1


def test_dumps(tmp_path: Path, capsys: Capture) -> None:
    """intel_idle's mask counts states as sysfs does; acpi_idle names a state by its place."""
    icx = [("POLL", 0, 0), ("C1", 1, 1), ("C1E", 4, 4), ("C6", 170, 600)]
    off = sysfs(icx).replace("state2/disable:0", "state2/disable:1")
    acpi = "/sys/devices/system/cpu/cpu0/cpuidle/driver/name:acpi_idle\n"
    acpi = sysfs([("POLL", 0, 0), ("C1", 1, 2), ("C3", 40, 80), ("C4", 90, 180)], more=acpi)
    lpi = sysfs([("LPI-0", 1, 1), ("LPI-1", 90, 900)], more=acpi.partition("\n")[0] + "\n")
    strange = sysfs([("snooze", 0, 0), ("deep", 9, 90)])
    for text, kernel, keep, line in (
        (sysfs(icx), "6.1", "C1E", "intel_idle.states_off=0x8\n"),
        (sysfs(icx), "6.1", "POLL", "intel_idle.states_off=0xe\n"),
        (off, "6.1", "C1E", "intel_idle.states_off=0x8\n"),
        (acpi, "6.1", "C3", "processor.max_cstate=3\n"),
        (acpi, "6.1", "C1", "processor.max_cstate=1\n"),
        (acpi, "6.1", "POLL", ""),
        (sysfs(icx), "5.4", "C1E", ""),
        (lpi, "6.1", "LPI-0", ""),
        (strange, "6.1", "snooze", ""),
    ):
        path = tmp_path / "dump"
        path.write_text(text)
        words = ("--to", "cmdline", str(path), "--kernel", kernel, "--keep", keep)
        status, out, err = run(capsys, "generate", *words)
        assert (status, out) == (0 if line else 2, line)
        assert ("assumed: firmware lists C-states by latency" in err) == ("processor" in line)


def _cst(*entries: tuple[int, int, int]) -> AcpiIdle:
    cpu = AcpiProcessor("\\_SB.C000", 0)
    rows = [
        (bytes(AcpiRegister(FIXED_HARDWARE, 1, 2, 3, hint)), kind, us, 0)
        for hint, kind, us in entries
    ]
    return AcpiIdle((cpu,), (len(rows), *rows), arch="x86")


@pytest.mark.parametrize("kernel", ["5.4", "5.15", "7.2.13"])
@pytest.mark.parametrize("latencies", [(1, 30, 200), (1, 200, 30)])
def test_acpi_idle_is_started_with_each_value(kernel: str, latencies: tuple[int, ...]) -> None:
    """Before 5.8 it does not start with C1 alone. Latencies that are out of order are put right by
    newer kernels, of the entries that max_cstate leaves."""
    kinds = zip((0, 0x10, 0x20), (1, 2, 3), latencies, strict=True)
    table = table_of(_cst(*kinds), {}, "tables")
    source, known = Source("tables", "tables", "", table), release(kernel)
    arrival = journey(source, ALL_LEVELS, [known]).arrivals[0]
    boot, asked = BootedTable(source, table, ALL_LEVELS, arrival), arrival.driver.states[1:]
    refused = 0
    for state in asked:
        _, _, rows = left(keeping([state.name]), known, arrival.driver)
        promised = [(row.name, row.needs_us) for row in rows if row.within]
        values = []
        for value in range(1, 10):
            given = AcpiIdleParameters(max_cstate=value)
            tried = acpi_idle(table, known, parameters=given).states
            if [(each.name, each.exit_latency_us) for each in tried] == promised:
                values.append(value)
        if not values:
            refused += 1
            with pytest.raises(UsageError, match="a latency limit of") as raised:
                parameter(keeping([state.name]), boot, print)
            halts = "max_cstate=1, which leaves no driver: idle CPUs halt (C1)"
            assert (halts in str(raised.value)) == (kernel == "5.4")
        elif len(promised) == len(arrival.driver.states):
            assert not parameter(keeping([state.name]), boot, print)
        else:
            line = f"processor.max_cstate={values[0]}\n"
            assert parameter(keeping([state.name]), boot, print) == line
    assert refused == (kernel == "5.4") + (latencies[1] > latencies[2])
