"""Recorded boots of virt machines beside the models: they agree, and what is otherwise is told."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.report import sheet_text
from idle_states.base.report.style import Style
from idle_states.change.boot.boot_document import BootedVirt
from idle_states.change.boot.booted import Booted
from idle_states.change.boot.predict_decisions import decision_stages
from idle_states.change.boot.registered import governor_in, held_by
from idle_states.change.boot.request import BootRequest
from idle_states.change.boot.sheet import sheet
from idle_states.change.boot.stage import SELECTED, Stage
from idle_states.change.boot.usage import counted_in, entered, selected, usage_stage
from idle_states.change.boot.virt.boot import SCRIPT, VirtResult
from idle_states.change.boot.virt.domains import domain_stages, entered_domains, read_domains
from idle_states.change.boot.virt.machines import ARM64, RISCV64, VIRT
from idle_states.change.boot.virt.predict import STAGES, predict, stages
from idle_states.change.boot.workload import EVERYTHING
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.documents.json_output import envelope
from idle_states.tables.linux.releases import release
from idle_states.tables.selection.selection import select
from tests.base.report.test_output_schema import STRICT, Validator
from tests.support.boots import recorded_virt

ARM, RISCV = "virt-arm64", "virt-riscv64"
MACHINES = pytest.mark.parametrize("machine", [ARM, RISCV])


def judged(machine: str, booted: Booted, given: Node) -> dict[str, Stage]:
    known = VIRT[machine]
    predicted = predict(known, given, booted)
    placed = {
        path: node.properties
        for path, node in given.walk()
        if path.startswith(("/cpus/idle-states/", "/cpus/power-domains/"))
    }
    found = [
        *stages(predicted, known, placed, booted),
        usage_stage(predicted, known.refuses, booted.sections, "menu", 250),
        *domain_stages(predicted, known, booted),
    ]
    assert [stage.name for stage in found] == [name for name in STAGES if name != SELECTED]
    return {stage.name: stage for stage in found}


def changed(booted: Booted, name: str, change: Callable[[str], str]) -> Booted:
    text = change(booted.sections[name])
    assert text != booted.sections[name]
    return replace(booted, sections={**booted.sections, name: text})


@MACHINES
def test_recorded_boots_agree(machine: str) -> None:
    given, booted = recorded_virt(machine)
    found = judged(machine, booted, given)
    assert all(stage.agree for stage in found.values()), found
    assert found["tree"].judged > 15
    assert found["usage"].judged >= 10
    assert found["domains"].judged == (3 if machine == RISCV else 0)
    assert found["domain-usage"].judged == (11 if machine == RISCV else 0)


OTHERWISE = [
    (ARM, "psci", "Original StateID", "Extended StateID", "firmware", "Original StateID"),
    (ARM, "governors", "psci_idle", "none", "registered", "psci_idle"),
    (ARM, "cpuidle", "state3/latency:1400", "state3/latency:1401", "registered", "1400/5000 us"),
    (ARM, "cpuidle", "desc:cpu-off", "desc:cpu-on", "registered", '"cpu-off"'),
    (ARM, "cpuidle", "default_status:enabled", "default_status:disabled", "registered", "WFI"),
    (RISCV, "domains", "cluster-pd/sub_domains:cpu-pd0", "x", "domains", "cpu-pd0 cpu-pd1"),
    (RISCV, "domains", "devices:genpd:0:cpu0", "devices:genpd:1:cpu0", "domains", "genpd:0:cpu0"),
]  # fmt: skip


@pytest.mark.parametrize(("machine", "section", "old", "new", "stage", "predicted"), OTHERWISE)
def test_what_is_otherwise_differs(
    machine: str, section: str, old: str, new: str, stage: str, predicted: str
) -> None:
    given, booted = recorded_virt(machine)
    other = changed(booted, section, lambda text: text.replace(old, new))
    found = judged(machine, other, given)
    assert found[stage].agree is False
    assert predicted in found[stage].differences[0].predicted


def test_a_node_that_did_not_arrive_differs() -> None:
    given, booted = recorded_virt(ARM)
    assert booted.fdt.count(b"cpu-off") == 1
    tree = booted.fdt.replace(b"cpu-off", b"cpu-oof")
    lost = replace(booted, raw={**booted.raw, "fdt": tree})
    stage = judged(ARM, lost, given)["tree"]
    assert [each.path for each in stage.differences] == [
        f"/cpus/idle-states/cpu-off:{name}"
        for name in next(n for p, n in given.walk() if p.endswith("cpu-off")).properties
    ]


def test_a_line_too_many_or_too_few_differs() -> None:
    given, booted = recorded_virt(ARM)
    line = "<4>[    1.0] CPUidle PSCI: Invalid PSCI power state 0x8\n"
    noisy = changed(booted, "dmesg", lambda text: text + line)
    (difference,) = judged(ARM, noisy, given)["linux-messages"].differences
    assert difference.found == "warning CPUidle PSCI: Invalid PSCI power state 0x8"
    assert difference.predicted == ""
    info = changed(booted, "dmesg", lambda text: text + line.replace("<4>", "<6>"))
    assert judged(ARM, info, given)["linux-messages"].agree


def counted_up(state: str, counter: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        lines = text.splitlines(keepends=True)
        at = next(n for n, line in enumerate(lines) if f"/{state}/{counter}:" in line)
        lines[at] = f"{lines[at].partition(':')[0]}:99999999\n"
        return "".join(lines)

    return change


@pytest.mark.parametrize(
    ("state", "counter"), [("state3", "usage"), ("state2", "rejected"), ("state0", "rejected")]
)
def test_counters_that_cannot_grow(state: str, counter: str) -> None:
    """The last state is a power-down one: firmware refuses it, and no other."""
    given, booted = recorded_virt(ARM)
    grown = changed(booted, "after", counted_up(state, counter))
    stage = judged(ARM, grown, given)["usage"]
    assert [each.path for each in stage.differences] == [f"cpu0/{state}/{counter}"]


def test_a_deepest_state_that_is_never_selected_differs() -> None:
    given, booted = recorded_virt(ARM)
    idle = changed(booted, "after", lambda text: booted.sections["before"])
    stage = judged(ARM, idle, given)["usage"]
    assert [each.path for each in stage.differences] == ["cpu0/state3", "cpu1/state3"]


def cluster_with(residency_us: int) -> Node:
    """The recorded tree, its cluster's deepest state with another residency."""
    given, _ = recorded_virt(RISCV)

    def copied(node: Node) -> Node:
        properties = dict(node.properties)
        if node.name == "cluster-deep":
            properties["min-residency-us"] = residency_us.to_bytes(4, "big")
        return Node(node.name, properties, tuple(map(copied, node.children)))

    return copied(given)


def test_domain_states_that_no_timer_leads_to_must_not_be_entered() -> None:
    _, booted = recorded_virt(RISCV)
    found = judged(RISCV, booted, cluster_with(4_000_000_000))["domain-usage"]
    assert [each.path for each in found.differences] == ["cluster-pd/S1/Usage"]
    assert judged(RISCV, booted, cluster_with(3_000))["domain-usage"].agree


def test_domains_that_are_never_off_differ() -> None:
    given, booted = recorded_virt(RISCV)
    quiet = replace(
        booted,
        sections={**booted.sections, "domains_after": _unused(booted.sections["domains_after"])},
    )
    found = judged(RISCV, quiet, given)["domain-usage"]
    assert {each.path for each in found.differences} == {"cluster-pd", "cpu-pd0", "cpu-pd1"}


def _unused(dump: str) -> str:
    rows = []
    for line in dump.splitlines():
        words = line.split()
        if ":S" in line and len(words) == 4:
            line = f"{words[0]} 0 0 {words[3]}"
        rows.append(line)
    return "\n".join(rows) + "\n"


def test_later_kernels_have_more_columns_and_names() -> None:
    rows = (
        "State  Time Spent(ms) Usage Rejected Above Below",
        "deep sleep  12 34 56 78 90",
        f"x  1 {'9' * 5000} 1 1 1",
    )
    where = "/sys/kernel/debug/pm_genpd/pd/idle_states"
    states = read_domains("".join(f"{where}:{row}\n" for row in rows))["pd"].states
    assert states[0] == {"Usage": 34, "Rejected": 56, "Above": 78, "Below": 90}
    assert len(states) == 2


@pytest.mark.parametrize(
    ("parameter", "runs"),
    [(0, True), (0xFFFF, True), (0x1_0000, False), (0x1_0001, False), (0x2_0000, False),
     (0x0100_0000, False), (0x4000_0000, False)],
)  # fmt: skip
def test_what_psci_takes(parameter: int, runs: bool) -> None:
    assert (ARM64.refuses(parameter) == "") is runs


@pytest.mark.parametrize(
    ("parameter", "runs"),
    [(0, True), (0x8000_0000, True), (1, False), (0x1000_0000, False), (0x9000_0000, False)],
)
def test_what_sbi_takes(parameter: int, runs: bool) -> None:
    assert (RISCV64.refuses(parameter) == "") is runs


def test_a_domains_parameter_takes_the_place_of_the_cpus() -> None:
    given, booted = recorded_virt(RISCV)
    predicted = predict(RISCV64, given, booted)
    driver = predicted.number2driver[0]
    assert predicted.release is not None
    selection = selected(driver, predicted.release, "menu", 250)
    refusing = replace(RISCV64, refuses=lambda parameter: "no" if parameter else "")
    can = entered(driver, 1, refusing.refuses, selection)
    assert (can.runs, can.refusals) == (True, ("no",))
    assert entered(driver, 1, RISCV64.refuses, selection).refusals == ()


@pytest.mark.parametrize(
    ("governor", "kernel", "never"),
    [("menu", "5.12", (0,)), ("menu", "5.13", ()), ("teo", "5.12", (0,)), ("teo", "6.12", ())],
)
def test_a_state_that_only_an_overdue_tick_leads_to(
    governor: str, kernel: str, never: tuple[int, ...]
) -> None:
    """State 0 beside one that always fits."""
    driver = predict(RISCV64, *recorded_virt(RISCV)).number2driver[0]
    states = [replace(each, exit_latency_us=0, target_residency_us=0) for each in driver.states]
    free = replace(driver, states=tuple(states[:2]))
    assert select(governor, release(kernel), free, 250).unreachable[:1] == (0,)
    selection = selected(free, release(kernel), governor, 250)
    assert selection.unreachable == never
    assert entered(free, 0, RISCV64.refuses, selection).selected is (not never)


def test_a_kernel_without_model_is_not_judged() -> None:
    given, booted = recorded_virt(RISCV)
    future = changed(booted, "uname", lambda text: "Linux strange #1 riscv64\n")
    found = judged(RISCV, future, given)
    assert found["tree"].agree
    assert [found[name].agree for name in ("registered", "linux-messages", "usage", "domains")] == [
        None
    ] * 4


def result(machine: str, booted: Booted, given: Node) -> VirtResult:
    return VirtResult(
        request=BootRequest(machine, "t.dtb"),
        table="t.dtb",
        places=("cpu@0", "cpu@1"),
        predicted=predict(VIRT[machine], given, booted),
        stages=tuple(judged(machine, booted, given).values()),
        governor="menu",
        found=held_by(booted.sections),
        counted=counted_in(booted.sections),
        domains=entered_domains(booted),
        unconfirmed=("CONFIG_CPU_IDLE_GOV_TEO: not set in this kernel",),
        qemu="QEMU emulator version 7.2",
        qemu_s=12.3,
        inputs=(("t.dtb", "0" * 64),),
        directory=Path("/logs"),
    )


@MACHINES
def test_what_is_printed(machine: str) -> None:
    given, booted = recorded_virt(machine)
    made = result(machine, booted, given)
    text = sheet_text.text(sheet(made), Style(False))
    document = json.loads(envelope("boot", BootedVirt, made, made.inputs))
    Validator(STRICT).validate(document)
    assert made.agree
    assert document["agree"] is True
    assert "Differences" not in text
    assert "CONFIG_CPU_IDLE_GOV_TEO: not set in this kernel" in text
    cpu = document["found"][0]
    assert cpu["node"] == "/cpus/cpu@0"
    if machine == ARM:
        assert cpu["states"][3] == {
            "name": "cpu-off", "description": "cpu-off", "latency_us": 1400,
            "residency_us": 5000, "entered": 0, "refused": cpu["states"][3]["refused"],
        }  # fmt: skip
        assert cpu["states"][3]["refused"] > 0
        assert "modelled as debian-6.1.176" in text
    else:
        assert [each["domain"] for each in document["domains"]] == [
            "cluster-pd", "cluster-pd", "cpu-pd0", "cpu-pd1",
        ]  # fmt: skip
        assert all(each["entered"] > 0 for each in document["domains"])


def test_init_is_shell_and_prints_every_section() -> None:
    script = SCRIPT.init(EVERYTHING, 2)
    subprocess.run(["sh", "-n"], input=script, text=True, check=True)
    for name in SCRIPT.sections:
        assert f"section_{name}()" in script
    assert script.rstrip().endswith("poweroff -f")
    assert "record.sh" not in script
    recording = SCRIPT.init(EVERYTHING, 2, recorded=True)
    subprocess.run(["sh", "-n"], input=recording, text=True, check=True)
    for name in SCRIPT.names(recorded=True):
        assert f"section_{name}()" in recording


def test_the_governor_in_use_is_the_one_asked_for() -> None:
    given, booted = recorded_virt(ARM)
    predicted = predict(VIRT[ARM], given, booted)

    def registered(governor: str, found: Booted = booted) -> Stage:
        made = stages(predicted, VIRT[ARM], {}, found, governor)
        return next(stage for stage in made if stage.name == "registered")

    unasked, menu, teo = (registered(governor) for governor in ("", "menu", "teo"))
    assert (unasked.agree, menu.agree, teo.agree) == (True, True, False)
    assert menu.judged == unasked.judged + 1
    (difference,) = teo.differences
    assert (difference.path, difference.predicted, difference.found) == ("governor", "teo", "menu")
    old = changed(booted, "governors", lambda text: text.replace("governor:", "governor_ro:"))
    assert [governor_in(each.sections) for each in (booted, old)] == ["menu", "menu"]


def test_the_kernel_tells_its_configuration() -> None:
    _, booted = recorded_virt(ARM)
    assert booted.options is None
    text = "CONFIG_HZ=100\n# CONFIG_SMP is not set\nCONFIG_CPU_IDLE_GOV_TEO=y\n"
    known = changed(booted, "config", lambda empty: text)
    assert known.options == {"HZ": "100", "CPU_IDLE_GOV_TEO": "y"}


# teo, on a kernel that is not Debian's own.


def test_the_decisions_of_teo_are_made_again(tmp_path: Path) -> None:
    given, booted = recorded_virt("virt-arm64-teo")
    predicted = predict(VIRT[ARM], given, booted)
    assert predicted.release is not None
    assert predicted.release.name == "debian-7.3.4"
    assert governor_in(booted.sections) == "teo"
    assert booted.options is not None
    assert booted.options["CPU_IDLE_GOV_TEO"] == "y"
    found, counters, replayed = decision_stages(predicted, booted.recorded, tmp_path)
    assert replayed is not None
    assert (replayed.governor, found.agree, counters.agree) == ("teo", True, True)
    assert found.judged > 100
    assert counters.judged == 2 * 4 * 5
    assert {row.row.cpu for row in replayed.made} == {0, 1}
    # the firmware's refusals are among them
    assert any(row.row.outcome.rejected for row in replayed.made)


def test_decisions_over_other_states_differ(tmp_path: Path) -> None:
    given, booted = recorded_virt("virt-arm64-teo")
    predicted = predict(VIRT[ARM], given, booted)
    other = {
        path: replace(
            driver,
            states=tuple(
                replace(state, target_residency_us=state.target_residency_us * (1 + state.index))
                for state in driver.states
            ),
        )
        for path, driver in predicted.drivers.items()
    }
    found, counters, _ = decision_stages(
        replace(predicted, drivers=other), booted.recorded, tmp_path
    )
    assert found.agree is False
    assert found.differences[0].path.startswith("recording.csv:")
    assert counters.agree is False


def test_a_cpu_without_predicted_states_is_not_judged(tmp_path: Path) -> None:
    given, booted = recorded_virt("virt-arm64-teo")
    predicted = predict(VIRT[ARM], given, booted)
    one = replace(predicted, drivers=dict([*predicted.drivers.items()][:1]))
    found, _, replayed = decision_stages(one, booted.recorded, tmp_path)
    assert replayed is not None
    assert {row.row.cpu for row in replayed.made} == {0}
    assert found.undetermined > 0
    assert found.agree is True
