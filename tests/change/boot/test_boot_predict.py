"""Prediction beside reality, on boots that were recorded: true ones agree in every stage, and one
that was tampered with is told, with the stage that it was tampered with in."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.power_mgt import FLAGS, LATENCIES, NODE
from idle_states.change.boot.booted import Booted, RecordedWorkload
from idle_states.change.boot.powernv import predict
from idle_states.change.boot.powernv.predict import MACHINE_TABLE, STAGES, PowernvPredicted
from idle_states.change.boot.predict_decisions import decision_stages
from idle_states.change.boot.stage import Stage
from idle_states.tables.devicetree import fdt
from idle_states.tables.spec.library import find
from tests.support.boots import MACHINES, changed, recorded_boot, recorded_workload

DECISIONS = 106
"""In tests/data/boots."""


def judged(booted: Booted, machine: str, smp: int = 1, table: str = "") -> dict[str, Stage]:
    spec = find(table or MACHINE_TABLE[machine])
    predicted = predict.predict(spec, machine, booted)
    return {stage.name: stage for stage in predict.stages(predicted, booted, smp)}


def disagreeing(stages: dict[str, Stage]) -> list[str]:
    return [name for name, stage in stages.items() if stage.agree is False]


def cpus(booted: Booted) -> int:
    return len(set(re.findall(r"/cpu(\d+)/", booted.sections["cpuidle"])))


@pytest.mark.parametrize("machine", MACHINES)
def test_a_true_boot_agrees_in_every_stage(machine: str, tmp_path: Path) -> None:
    booted = recorded_boot(machine, tmp_path)
    stages = judged(booted, machine, cpus(booted))
    assert list(stages) == list(STAGES[:4])
    assert [stage.agree for stage in stages.values()] == [True] * 4
    assert all(stage.judged for name, stage in stages.items() if name != "linux-messages")


def tampered_tree(change: Callable[[dict[str, bytes]], None]) -> Callable[[Booted], Booted]:
    def tampered(booted: Booted) -> Booted:
        root = fdt.read(booted.fdt, "tree")
        node = root.find(NODE)
        assert node is not None
        change(node.properties)  # type: ignore[arg-type]
        return changed(booted, fdt=fdt.write(root))

    return tampered


def one_more_ns(properties: dict[str, bytes]) -> None:
    value = bytearray(properties[LATENCIES])
    value[3] += 1
    properties[LATENCIES] = bytes(value)


def edited(section: str, old: str, new: str) -> Callable[[Booted], Booted]:
    def change(booted: Booted) -> Booted:
        text = booted.sections[section]
        assert old in text
        return changed(booted, **{section: text.replace(old, new, 1)})

    return change


STATE1 = "/sys/devices/system/cpu/cpu0/cpuidle/state1"
TAMPERED = {
    "a latency of the tree": ("export", tampered_tree(one_more_ns)),
    "a property gone": ("export", tampered_tree(lambda found: found.pop(FLAGS) and None)),
    "a property more": ("export", tampered_tree(lambda found: found.update({"new": b"x"}))),
    "no tree": ("export", lambda booted: changed(booted, fdt=booted.fdt[:200])),
    "an empty tree": ("export", lambda booted: changed(booted, fdt=b"")),
    "OPAL leaves a line out": ("opal-messages", edited("msglog", "SLW: Enabling: stop0\n", "\n")),
    "OPAL says more": (
        "opal-messages",
        edited("msglog", "SLW: Enabling: stop1", "SLW: Enabling: stop1\n[ 1.123456789,6] SLW: ?"),
    ),
    "OPAL at another level": ("opal-messages", edited("msglog", ",6] SLW: Ena", ",5] SLW: Ena")),
    "a latency of sysfs": ("registered", edited("cpuidle", "state1/latency:1", "state1/latency:0")),
    "a residency": ("registered", edited("cpuidle", "state3/residency:50", "state3/residency:51")),
    "a name": ("registered", edited("cpuidle", "name:stop0_lite", "name:stop0_1ite")),
    "a state more": (
        "registered",
        edited("cpuidle", STATE1, f"{STATE1[:-1]}4/name:x\n{STATE1[:-1]}4/latency:9\n"
               f"{STATE1[:-1]}4/residency:9\n{STATE1}"),
    ),
    "no states": ("registered", lambda booted: changed(booted, cpuidle="")),
    "garbage for states": ("registered", lambda booted: changed(booted, cpuidle="\x1b[2J\0\xff")),
    "Linux stops elsewhere": ("linux-messages", edited("dmesg", "0x0000000000000330", "0x300331")),
    "Linux drops states": (
        "linux-messages",
        edited("dmesg", "[    1.", "[    0.9] cpuidle-powernv : Only Snooze is available\n[    1."),
    ),
}  # fmt: skip


def test_p_states_are_no_business_of_idle_states(tmp_path: Path) -> None:
    """QEMU from 10 on has an OCC that skiboot makes them for."""
    found = {"ibm,pstate-ids": b"\0\0\0\0", "freq-domain-mask": b"\xff" * 4, "#size-cells": b"1"}
    booted = tampered_tree(lambda properties: properties.update(found))(
        recorded_boot("powernv9", tmp_path)
    )
    assert disagreeing(judged(booted, "powernv9")) == []


@pytest.mark.parametrize("what", TAMPERED)
def test_what_was_tampered_with_is_told_with_its_stage(what: str, tmp_path: Path) -> None:
    stage, tamper = TAMPERED[what]
    booted = tamper(recorded_boot("powernv9", tmp_path))
    found = judged(booted, "powernv9")
    assert disagreeing(found) == [stage]
    assert found[stage].differences
    assert all(each.predicted != each.found for each in found[stage].differences)


def test_a_cpu_without_states_is_missed(tmp_path: Path) -> None:
    found = judged(recorded_boot("powernv9", tmp_path), "powernv9", smp=2)
    assert disagreeing(found) == ["registered"]
    assert {each.path.partition("/")[0] for each in found["registered"].differences} == {"cpu1"}


def test_another_table_than_booted_differs_where_its_values_show(tmp_path: Path) -> None:
    found = judged(recorded_boot("powernv9", tmp_path), "powernv9", table="power9-dd1@84368bbf8")
    assert disagreeing(found) == ["export", "opal-messages", "registered"]
    by_path = {each.path: each for each in found["registered"].differences}
    assert by_path["cpu0/state1"].predicted == "stop0_lite 1/2 us"
    assert by_path["cpu0/state1"].found == "stop0_lite 1/10 us"


def test_what_cannot_be_judged_is_no_agreement(tmp_path: Path) -> None:
    booted = recorded_boot("powernv9", tmp_path)
    silent = changed(booted, msglog="", uname="Linux 2.6.32 #1 SMP ppc64le")
    found = judged(silent, "powernv9")
    assert {name: stage.agree for name, stage in found.items()} == {
        "export": True,
        "opal-messages": None,
        "registered": None,
        "linux-messages": None,
    }
    assert "2.6.32" in found["registered"].note
    cut = judged(changed(booted, dmesg=""), "powernv9")
    assert cut["linux-messages"].agree is None


@pytest.mark.parametrize(
    ("log", "found"),
    [
        ("[    0.04,5] OPAL v7.0 starting...", ("v7.0", "7.0")),
        ("SkiBoot skiboot-5.4.8-5787ad3 starting...", ("skiboot-5.4.8-5787ad3", "5.4.8")),
        ("OPAL v6.0-rc1-12-g123-dirty starting...", ("v6.0-rc1-12-g123-dirty", "6.0-rc1")),
        ("OPAL abc123 starting...", ("abc123", None)),
        ("OPAL v3.9 starting...", ("v3.9", None)),
        ("", ("", None)),
    ],
)
def test_firmware_is_modelled_by_the_release_it_names(
    log: str, found: tuple[str, str | None]
) -> None:
    assert predict.firmware_in(log) == found


# Decisions and counters.


def decided(recorded: RecordedWorkload | None, tmp_path: Path) -> tuple[Stage, Stage]:
    booted = recorded_boot("powernv9", tmp_path)
    predicted: PowernvPredicted = predict.predict(find("power9"), "powernv9", booted)
    selected, usage, _ = decision_stages(predicted, recorded, tmp_path)
    return selected, usage


def test_recorded_decisions_and_counters_agree(tmp_path: Path) -> None:
    selected, usage = decided(recorded_workload(), tmp_path)
    assert (selected.agree, selected.judged, selected.undetermined) == (True, DECISIONS, 0)
    assert (usage.agree, usage.judged) == (True, 4 * 5)
    lines = (tmp_path / "recording.csv").read_text().splitlines()
    assert sum(not line.startswith("#") for line in lines) == DECISIONS + 1


def test_a_decision_made_otherwise_is_told_with_its_line(tmp_path: Path) -> None:
    """The fiftieth decision and what followed, as if the kernel had taken stop0."""
    recorded = recorded_workload()
    lines = recorded.recording.decode().splitlines()
    at = [number for number, line in enumerate(lines) if " is_decide:" in line][50]
    after = next(n for n in range(at, len(lines)) if " is_reflect:" in lines[n])
    was = re.search(r"ret=(\d)", lines[at])
    assert was
    assert was[1] != "2"
    lines[at] = lines[at].replace(f"ret={was[1]}", "ret=2")
    lines[after] = lines[after].replace(f"idx={was[1]}", "idx=2")
    altered = replace(recorded, recording="\n".join(lines).encode())
    selected, _ = decided(altered, tmp_path)
    assert selected.agree is False
    assert selected.differences[0].found.startswith("stop0,")
    assert re.fullmatch(r"recording\.csv:\d+ cpu0", selected.differences[0].path)


def test_states_that_are_not_predicted_to_exist_disagree(tmp_path: Path) -> None:
    predicted = predict.predict(find("power9"), "powernv9", recorded_boot("powernv9", tmp_path))
    assert predicted.driver is not None
    fewer = replace(predicted.driver, states=predicted.driver.states[:3])
    selected, usage, _ = decision_stages(
        replace(predicted, driver=fewer), recorded_workload(), tmp_path
    )
    assert (selected.agree, usage.agree) == (False, None)
    assert selected.differences[-1].found.startswith("state 3,")
    assert selected.judged + selected.undetermined == DECISIONS


def test_incomplete_decisions_are_undetermined(tmp_path: Path) -> None:
    """An input of the fiftieth decision is gone: what follows has an unknown past, or none."""
    recorded = recorded_workload()
    lines = recorded.recording.decode().splitlines()
    at = [number for number, line in enumerate(lines) if " is_sleep:" in line][50]
    lines[at] = re.sub(r" ret=-?\d+ delta=-?\d+", " ret=(fault) delta=(fault)", lines[at])
    selected, usage = decided(replace(recorded, recording="\n".join(lines).encode()), tmp_path)
    assert selected.agree is True
    assert selected.judged < DECISIONS
    assert selected.judged + selected.undetermined == DECISIONS
    assert "lacking an input" in selected.note
    assert usage.agree is None


@pytest.mark.parametrize(
    ("counter", "change"),
    [("usage", 1), ("usage", -1), ("time", 3), ("time", -3), ("above", 1), ("above", -1),
     ("below", 1), ("rejected", 1)],
)  # fmt: skip
def test_counters_that_decisions_do_not_explain_are_told(
    counter: str, change: int, tmp_path: Path
) -> None:
    recorded = recorded_workload()
    old = re.search(rf"(/state3/{counter}:)(\d+)", recorded.after)
    assert old
    new = f"{old[1]}{int(old[2]) + change}"
    altered = recorded.after.replace(old[0], new)
    assert altered != recorded.after
    _, usage = decided(replace(recorded, after=altered), tmp_path)
    assert usage.agree is False
    assert [each.path for each in usage.differences] == [f"cpu0/state3/{counter}"]


def refused_at_the_end(recorded: RecordedWorkload) -> RecordedWorkload:
    """Returns a recording as if the last entry had been refused, and the CPU busy ever after."""
    lines = recorded.recording.decode().splitlines()
    last = next(n for n in reversed(range(len(lines))) if " is_reflect:" in lines[n])
    told = re.search(r"idx=3 .*lres=(\d+)", lines[last])
    assert told
    kept = [line for n, line in enumerate(lines) if n < last or " is_" not in line]
    grown = {"usage": -1, "rejected": 1, "time": -(int(told[1]) // 1000)}
    after = re.sub(
        r"(/state3/(usage|rejected|time):)(\d+)",
        lambda match: f"{match[1]}{int(match[3]) + grown[match[2]]}",
        recorded.after,
    )
    return replace(recorded, recording="\n".join(kept).encode(), after=after)


def test_an_entry_refused_before_the_cpu_was_busy_to_the_end_may_be_counted(tmp_path: Path) -> None:
    recorded = refused_at_the_end(recorded_workload())
    selected, usage = decided(recorded, tmp_path)
    assert (selected.agree, selected.undetermined) == (True, 1)
    assert usage.agree is True
    counted = re.search(r"/state3/rejected:(\d+)", recorded.after)
    assert counted
    one_more = recorded.after.replace(counted[0], f"/state3/rejected:{int(counted[1]) + 1}")
    _, usage = decided(replace(recorded, after=one_more), tmp_path)
    assert [(each.path, each.predicted) for each in usage.differences] == [
        ("cpu0/state3/rejected", "0 to 1")
    ]


def test_without_a_recording_nothing_is_claimed(tmp_path: Path) -> None:
    recorded = recorded_workload()
    refused = replace(recorded, recording=b"", complaints="record: expected to run as root")
    for given in (None, refused, replace(recorded, recording=b"\0garbage\xff" * 99)):
        selected, usage = decided(given, tmp_path)
        assert (selected.agree, usage.agree) == (None, None)
        assert selected.note
    unmarked = re.sub(rb".*tracing_mark_write.*\n", b"", recorded.recording)
    assert decided(replace(recorded, recording=unmarked), tmp_path)[1].agree is None
