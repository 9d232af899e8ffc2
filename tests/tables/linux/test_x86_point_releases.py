"""The point releases at which acpi_idle, intel_idle and genpd change, as stable trees have it."""

from collections.abc import Mapping

import pytest

from idle_states.base.model.acpi_objects import FIXED_HARDWARE, AcpiProcessor, AcpiRegister, Fadt
from idle_states.base.model.beyond_opal import AcpiIdle
from idle_states.tables.linux.acpi_idle.features import features
from idle_states.tables.linux.acpi_idle.machine import AcpiIdleParameters, AcpiMachine
from idle_states.tables.linux.acpi_idle.start import AcpiIdleStart, start
from idle_states.tables.linux.grounds import ground, known_of
from idle_states.tables.linux.releases import folded, release

# subsystem, feature, value, the release before and the first with it, as the trees have it
FIRST = """
acpi_idle   sorts            heap       5.4.131 5.4.132   5.10.49 5.10.50   5.13.19 5.14
acpi_idle   sorts            insertion  5.4.280 5.4.281   5.10.222 5.10.223 5.15.163 5.15.164
acpi_idle   sorts            insertion  6.1.99 6.1.100    6.6.40 6.6.41     6.9.9 6.9.10
acpi_idle   asks_arch        True       5.4.188 5.4.189   5.10.111 5.10.112 5.15.34 5.15.35
acpi_idle   zen              True       5.10.165 5.10.166 5.15.90 5.15.91   5.15.90 5.16
acpi_idle   t40              True       5.15.34 5.15.35   5.16.10 5.16.11   5.15.34 5.15.37
acpi_idle   t40              False      5.15.37 5.15.38   5.17.5 5.17.6     5.17.5 5.18
acpi_idle   fadt_needs_port  True       5.10.235 5.10.236 5.15.179 5.15.180 6.1.133 6.1.134
acpi_idle   fadt_needs_port  True       6.6.86 6.6.87     6.12.22 6.12.23   6.14.1 6.14.2
acpi_idle   checks_register  True       6.1.187 6.1.188   6.12.109 6.12.110 7.1.13 7.2
acpi_idle   registers_first  True       6.12.109 6.12.110 6.19.10 7.0       6.18.44 7.0
acpi_idle   lpi_bounds       inner      7.0.14 7.1        7.0 7.1.3         6.19 7.1.5
intel_idle  marks_tsc        True       5.10.234 5.10.235 5.15.178 5.15.179 6.1.129 6.1.130
intel_idle  marks_tsc        True       6.6.80 6.6.81     6.12.17 6.12.18   6.13.5 6.13.6
intel_idle  any_family       True       5.10.240 5.10.241 5.15.189 5.15.190 6.6.102 6.6.103
intel_idle  any_family       True       6.12.42 6.12.43   6.16.1 6.16.2     6.16.1 6.17
acpi_idle   shared_cst       True       rhel-4.18.0-193.28.1 rhel-4.18.0-240
acpi_idle   sorts            early-heap rhel-4.18.0-348.23.1 rhel-4.18.0-372.9.1
acpi_idle   sorts            insertion  rhel-5.14.0-503.40.1 rhel-5.14.0-570.12.1
acpi_idle   asks_arch        True       rhel-4.18.0-372.32.1 rhel-4.18.0-425.3.1
acpi_idle   asks_psci        True       rhel-4.18.0-372.32.1 rhel-4.18.0-425.3.1
acpi_idle   psci_prefix      False      5.3 5.4  rhel-4.18.0-348.23.1 rhel-4.18.0-372.9.1
intel_idle  needs_both       True       rhel-4.18.0-193.28.1 rhel-4.18.0-240
intel_idle  exact_limit      True       rhel-4.18.0-240.22.1 rhel-4.18.0-305
intel_idle  spr_pc6          True       rhel-5.14.0-70.30.1 rhel-5.14.0-162.6.1
intel_idle  ibrs_off         True       rhel-5.14.0-362.24.2 rhel-5.14.0-427.13.1
intel_idle  partial_hints    True       rhel-5.14.0-503.34.1 rhel-5.14.0-503.35.1
intel_idle  acpi             True       5.4.301 5.6       5.4 5.6           4.18 5.6.4
genpd       latency_limits   True       5.4.296 5.4.297   6.1.146 6.1.147   6.12.39 6.12.40
genpd       wide_times       True       5.4.250 5.4.251   5.10.187 5.10.188 6.1.38 6.1.39
"""


def _steps() -> list[tuple[str, str, str, str, str]]:
    lines = (line.split() for line in FIRST.strip().splitlines())
    return [
        (*words[:3], before, first)  # type: ignore[misc]
        for words in lines
        for before, first in zip(words[3::2], words[4::2], strict=True)
    ]


@pytest.mark.parametrize(("subsystem", "feature", "value", "before", "first"), _steps())
def test_the_first_release_with_a_change(
    subsystem: str, feature: str, value: str, before: str, first: str
) -> None:
    history, _ = known_of(subsystem)
    without, having = (getattr(folded(history, release(name)), feature) for name in (before, first))
    value = value.replace("-", " ")
    assert str(having) == value
    assert str(without) != value


@pytest.mark.parametrize("subsystem", ["acpi_idle", "intel_idle", "intel_idle tables"])
@pytest.mark.parametrize(
    "kernel", ["5.4.286", "5.15.90", "6.1.141", "6.6.75", "7.1.5", "4.18.0-553.22.1.el8_10.x86_64"]
)
def test_point_releases_that_were_compiled(subsystem: str, kernel: str) -> None:
    assert ground(release(kernel), subsystem).kind == "compiled"


def _mwait(hint: int) -> bytes:
    return bytes(AcpiRegister(FIXED_HARDWARE, 1, 2, 3, hint))


def _started(kernel: str, cst: object, **processor: int) -> AcpiIdleStart:
    cpu = AcpiProcessor("\\_SB.CPUS.C000", 0, **processor)
    acpi = AcpiIdle((cpu,), cst, fadt=Fadt(101, 1001, 0b1001), arch="x86")  # type: ignore[arg-type]
    return start(AcpiMachine(acpi), AcpiIdleParameters(), features(release(kernel)))


@pytest.mark.parametrize(
    ("kernel", "state2times", "notice"),
    [
        ("5.4.131", {"C2": (151, 302), "C3": (100, 200)}, False),
        ("5.4.286", {"C2": (100, 200), "C3": (151, 302)}, True),
        ("5.15.164", {"C2": (100, 200), "C3": (151, 302)}, True),
    ],
)
def test_latencies_out_of_order(
    kernel: str, state2times: Mapping[str, tuple[int, int]], notice: bool
) -> None:
    entries = ((_mwait(0), 1, 1, 0), (_mwait(0x10), 2, 151, 0), (_mwait(0x20), 3, 100, 0))
    found = _started(kernel, (3, *entries))
    times = {s.name: (s.exit_latency_us, s.target_residency_us) for s in found.states[2:]}
    assert times == state2times
    assert any("out of order" in each.text for each in found.messages) == notice


@pytest.mark.parametrize(
    ("kernel", "registered"),
    [("6.1.133", True), ("6.1.141", False), ("6.6.86", True), ("6.6.87", False), ("6.15", False)],
)
def test_latencies_of_the_fadt_that_are_both_too_long(kernel: str, registered: bool) -> None:
    assert _started(kernel, None, block=0x1810, block_bytes=6).registered == registered
