"""acpi_idle on processors that differ."""

from dataclasses import replace

from idle_states.base.model.acpi_objects import AcpiObject, AcpiProcessor, AcpiRegister
from idle_states.base.model.beyond_opal import AcpiIdle
from idle_states.tables.linux.acpi_idle.features import features
from idle_states.tables.linux.acpi_idle.machine import AcpiIdleParameters, AcpiMachine
from idle_states.tables.linux.acpi_idle.several import SeveralStarted, start_all
from idle_states.tables.linux.releases import release


def io(kind: int, latency_us: int) -> AcpiObject:
    return bytes(AcpiRegister(1, 8, 0, 1, 0x612 + kind)), kind, latency_us, 0


LONG: AcpiObject = (3, io(1, 1), io(2, 40), io(3, 90))
SHORT: AcpiObject = (1, io(1, 7))


def started(*csts: AcpiObject, kernel: str = "6.1", **more: int) -> SeveralStarted:
    machines = [
        AcpiMachine(
            AcpiIdle((AcpiProcessor(f"\\_SB.CPU{n}", n, is_device=True),), cst, (), None, "x86")
        )
        for n, cst in enumerate(csts)
    ]
    parameters = replace(AcpiIdleParameters(), **more)  # type: ignore[arg-type]
    return start_all(machines, parameters, features(release(kernel)), kernel)


def times(found: SeveralStarted) -> list[tuple[str, int]]:
    return [(state.name, state.exit_latency_us) for state in found.states]


def test_the_first_with_usable_objects_makes_the_table_of_all() -> None:
    found = started(None, LONG, (3, io(1, 2), io(2, 70), io(3, 700)))
    assert times(found) == [("POLL", 0), ("C1", 1), ("C2", 40), ("C3", 90)]
    assert found.devices == (1, 2)
    assert sorted(found.number2driver) == [1, 2]
    assert found.fatal is None


def test_a_processor_with_fewer_states_crashes_the_kernel() -> None:
    assert started(LONG, LONG, SHORT).fatal == ("acpi_idle_enter", (2,))
    assert started(SHORT, LONG).fatal is None
    assert times(started(SHORT, LONG)) == [("POLL", 0), ("C1", 7)]
    # none of the deeper states is there to be entered
    assert started(LONG, SHORT, max_cstate=1).fatal is None


def test_a_cst_that_its_repair_does_not_survive() -> None:
    found = started(LONG, ())
    assert found.fatal == ("acpi_ns_repair_CST", (0, 1))
    assert not found.registered
    assert [message.text for message in found.messages] == [
        "ACPI: \\_SB_.CPU0: Found 3 idle states",
        "ACPI Warning: \\_SB.CPU1._CST: Return Package has no elements (empty)",
    ]


def test_none_is_usable() -> None:
    found = started((0,), None)
    assert not found.registered
    assert found.number2driver == {}


def test_later_kernels_read_the_first_twice() -> None:
    wrong: AcpiObject = (2, io(1, 1), io(0, 40))
    early, late = (
        [message.text for message in started(wrong, wrong, kernel=kernel).messages]
        for kernel in ("6.1", "7.3")
    )
    assert any("invalid Type(0)" in text for text in early)
    assert [sum("invalid Type(0)" in text for text in texts) for texts in (early, late)] == [2, 2]


def test_the_limit_is_told_once() -> None:
    found = started(LONG, LONG, max_cstate=2)
    assert [message.text for message in found.messages].count(
        "ACPI: processor limited to max C-state 2"
    ) == 1
    assert times(found) == [("POLL", 0), ("C1", 1), ("C2", 40)]
