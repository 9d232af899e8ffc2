"""simulate on the command line, and the workloads that users write."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.dataclass import fields
from idle_states.base.model.findings import Finding, Unreadable
from idle_states.base.model.units import UNITS_NS
from idle_states.base.options import Option
from idle_states.base.resources import resource
from idle_states.cli import main
from idle_states.lab.simulation import programs, workloads_file
from idle_states.lab.simulation.costs import Costs
from idle_states.lab.simulation.programs import Duration, OpKind, Spread, Which
from idle_states.lab.simulation.setup import SimulationRun
from idle_states.lab.simulation.workloads import BUILT_IN
from idle_states.lab.statistics import poisson
from idle_states.lab.traces.recording import COLUMNS
from idle_states.tables.linux.governors import core
from tests.support import commands
from tests.support.commands import outcome
from tests.support.compiled import needs_core
from tests.support.thorough import examples

WORKLOAD = """\
name: log writer
counts: commits
tasks:
  writer:
    count: 4
    program:
      - run: {uniform: [5us, 20us]}
      - wake: logger
      - count
      - wait
  logger:
    cpu: [0, 1]
    first: [sleep: 1ms]
    program:
      - wait
      - run: {exponential: 2us}
      - wake: {task: writer, which: next, sync: yes}
"""
TRACE = """\
 <idle>-0 [000] 1.000000: cpu_idle: state=1 cpu_id=0
 <idle>-0 [001] 1.000100: cpu_idle: state=2 cpu_id=1
 <idle>-0 [000] 1.000200: cpu_idle: state=4294967295 cpu_id=0
 <idle>-0 [000] 1.000300: cpu_idle: state=0 cpu_id=0
 <idle>-0 [000] 1.000700: cpu_idle: state=4294967295 cpu_id=0
 <idle>-0 [001] 1.002100: cpu_idle: state=4294967295 cpu_id=1
"""


def simulated(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    status, found = outcome(capsys, "simulate", *words)
    assert status == 0
    return found  # type: ignore[no-any-return]


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status, out, err = commands.run(capsys, "simulate", *words)
    assert out == ""
    return status, err


def test_defaults_are_those_of_costs() -> None:
    for each in fields(Costs):
        marks: Any = each.type
        (option,) = (mark for mark in marks.__metadata__ if isinstance(mark, Option))
        default = option.help.rpartition("(default: ")[2].removesuffix(")")
        digits = default.rstrip("nums")
        unit = UNITS_NS[default[len(digits) :]] if digits != default else 1
        assert int(digits) * unit == getattr(Costs(), each.name)
        assert option.name == f"--{each.name.replace('_', '-')}"


@pytest.mark.parametrize("name", sorted(BUILT_IN))
def test_built_in_workloads(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = simulated(capsys, name, "--table", "power9", "--duration", "20ms")
    (run,) = found["tables"][0]["runs"]
    assert run["switches"] > 10
    assert run["counted"] > 0
    assert found["workload"]["counts"]


def test_tables_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    """The commit that the tool began with: which state dominates, and by how much."""
    words = ["ping-pong", "--table", "power9-dd1@84368bbf8", "--table", "power9-dd1"]
    words += ["--kernel", "4.11", "--platform", "op920", "--topology", "cpus=2"]
    found = simulated(capsys, *words, "--duration", "200ms")
    before, after = (
        {state["name"]: state["usage"]["mean"] for state in table["states"]}
        for table in found["tables"]
    )
    assert before["stop0_lite"] > 20 * (before["snooze"] + 1)
    assert after["snooze"] > 20 * (after["stop0_lite"] + 1)
    assert main(["simulate", *words, "--duration", "50ms"]) == 0
    text = capsys.readouterr().out
    assert "Compared" in text
    assert "round trips/s" in text
    assert "given: switch 600ns" in text


def test_energy_of_idle_periods_and_of_machines_and_what_they_rest_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["simulate", "pipe", "--states", "1000/10000", "--duration", "2ms", "--runs", "2"]
    assert main([*words, "--power", "snooze=1,state1=0.25", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (table,) = found["energy"]["tables"]
    (figures,) = found["tables"]
    # two runs: sums are twice the means; entering takes 1 us at an awake CPU's power
    snooze, state1 = (
        (2 * state["usage"]["mean"], 2 * state["time_us"]["mean"]) for state in figures["states"]
    )
    wanted = snooze[1] + state1[0] * 1 + 0.25 * (state1[1] - state1[0] * 1)
    assert table["total"]["low"] * 1e6 == pytest.approx(wanted)
    assert any("idle time only" in words for words in found["energy"]["assumptions"])
    drawn = found["consumption"]
    assert not any("idle time only" in words for words in drawn["assumptions"])
    (whole,) = drawn["tables"]
    running, *idle = ((one["energy"]["low"], one["energy"]["high"]) for one in whole["states"])
    # what runs draws 1 to 2, and leaving a state is running: each CPU is one or the other
    assert running[1] == pytest.approx(2 * running[0])
    awake = sum(run["scopes_ns"]["thread"]["awake"] for run in figures["runs"]) / 1e9
    assert running[0] == pytest.approx(awake)
    assert whole["total"]["high"] == pytest.approx(running[1] + sum(high for _, high in idle))
    assert main([*words, "--power", "snooze=1,state1=0.25"]) == 0
    text = capsys.readouterr().out
    assert "Energy of the machine" in text
    assert re.search(r"\n  each \w[\w ]*, us in snooze +[0-9.]+ to [0-9.]+\n", text)
    assert "a running thread draws 1 to 2 times what snooze does: assumed" in text
    assert main(words) == 0
    assert "Energy" not in capsys.readouterr().out
    words = [{"1000/10000": "2000/20000"}.get(word, word) for word in words]
    assert main([*words, "--table", "power9"]) == 0
    assert "Energy: no state of these tables has a power figure" in capsys.readouterr().out


def test_what_a_table_changes_in_a_machines_energy_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each draw being the same with both, that is less than their ranges are apart."""
    tables = ["--table", "power9-dd1@84368bbf8", "--table", "power9-dd1"]
    power = ["--power", "snooze=1,stop0_lite=0.9,stop1_lite=0.3-0.8"]
    words = ["simulate", "ping-pong", *tables, *power, "--kernel", "4.11", "--duration", "20ms"]
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["consumption"]
    (change,) = found["changes"]
    assert change["table"] == "power9-dd1"
    assert 0 < change["power"]["least"] <= change["power"]["most"] < 20
    assert -60 < change["energy"]["least"] <= change["energy"]["most"] < -20
    assert main(words) == 0
    text = capsys.readouterr().out
    assert "power9-dd1 against power9-dd1@84368bbf8: power +" in text
    assert ", energy for each round trip -" in text


def test_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["server", "--table", "power9", "--disabled", "stop0_lite,stop2", "--duration", "50ms"]
    states = simulated(capsys, *words)["tables"][0]["states"]
    off = {state["name"] for state in states if state["disabled"]}
    assert off == {"stop0_lite", "stop2"}
    assert all(state["usage"]["max"] == 0 for state in states if state["disabled"])


def test_output_repeats(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("server", "--table", "power9", "--runs", "3", "--seed", "7", "--duration", "20ms")
    assert simulated(capsys, *words) == simulated(capsys, *words)


def test_haltpoll(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "pipe", "--states", "1000/10000", "--polling", "--governor", "haltpoll"]
    assert main([*words, "--duration", "2ms"]) == 0
    captured = capsys.readouterr()
    assert "state1" in captured.out
    assert captured.err.count("the reference is slower") == 1


@needs_core
def test_without_the_core(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("server", "--table", "power9", "--runs", "2", "--duration", "5ms")
    with_core = simulated(capsys, *words)
    monkeypatch.setattr(core, "compiled", None)
    assert main(["simulate", *words, "--format", "json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) == with_core
    assert captured.err.count("the Python reference is used instead") == 1


def test_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    workload, machine = tmp_path / "w.yaml", tmp_path / "m.yaml"
    workload.write_text(WORKLOAD)
    machine.write_text("name: four\ncpus: 4\nthreads: 2\n")
    found = simulated(
        capsys, str(workload), "--states", "1000/10000", "--topology", str(machine),
        "--duration", "20ms",
    )  # fmt: skip
    assert found["workload"] == {"name": "log writer", "tasks": 5, "counts": "commits"}
    assert found["topology"]["name"] == "four"
    assert [each["file"] for each in found["inputs"]] == [str(workload), str(machine)]
    assert found["tables"][0]["runs"][0]["counted"] > 100


def test_a_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = tmp_path / "trace.txt"
    trace.write_text(TRACE)
    found = simulated(capsys, str(trace), "--states", "1000/10000", "--kernel", "6.1")
    assert found["duration_ns"] == 2_100_000
    assert found["topology"]["cpus"] == found["workload"]["tasks"]
    (run,) = found["tables"][0]["runs"]
    assert run["switches"] == 2 + 2  # each task, and after each sleep that ends in time
    idle_us = sum(state["time_us"] for state in run["cpus"]["0"]["states"])
    assert 590 <= idle_us <= 2_100


@pytest.mark.parametrize(("workload", "cpus"), [("ping-pong", 2), ("server", 8)])
def test_machine_by_default(workload: str, cpus: int, capsys: pytest.CaptureFixture[str]) -> None:
    """CPUs on which nothing can run would have most of the time."""
    found = simulated(capsys, workload, "--table", "power9", "--duration", "1ms")
    assert found["topology"]["cpus"] == cpus


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--list"]) == 0
    text = capsys.readouterr().out
    for name in BUILT_IN:
        assert f"{name}:" in text
    assert "busy-waker:period=100us,work=1us" in text


def read(text: str) -> Any:
    return workloads_file.read(text.encode(), "w.yaml")


def test_programs_are_read() -> None:
    found = read(WORKLOAD)
    assert [task.name for task in found.tasks] == ["writer"] * 4 + ["logger"]
    writer, logger = found.tasks[1], found.tasks[4]
    assert [op.kind for op in writer.ops] == [OpKind.RUN, OpKind.WAKE, OpKind.COUNT, OpKind.WAIT]
    assert writer.ops[0].duration == Duration(5_000, 20_000, Spread.UNIFORM)
    assert (writer.ops[1].first, writer.ops[1].count) == (4, 1)
    assert (logger.cpu, logger.again) == (0, 1)
    wake = logger.ops[3]
    assert (wake.first, wake.count, wake.which, wake.sync) == (0, 4, Which.NEXT, True)


def test_times_may_be_longer_than_firmware_s() -> None:
    found = read("tasks:\n  a: {program: [{sleep: 5s}]}\n")
    assert found.tasks[0].ops[0].duration == Duration(5_000_000_000)


def test_schema_and_reader_agree() -> None:
    schema = json.loads(resource("schemas", "idle-states-workload.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    ops = set(schema["$defs"]["op"]["anyOf"][0]["enum"])
    ops |= set(schema["$defs"]["op"]["anyOf"][1]["properties"])
    assert ops == {kind.name.lower() for kind in OpKind}
    assert set(schema["$defs"]["task"]["properties"]) == set(workloads_file._TASK)
    assert set(schema["properties"]) == set(workloads_file._WORKLOAD)
    import yaml

    jsonschema.validate(yaml.safe_load(WORKLOAD), schema)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("name: x\n", 1, "expected 'tasks'"),
        ("tasks: {}\n", 1, "expected a task"),
        ("tasks:\n  a: {programm: [wait]}\n", 2, "did you mean 'program'"),
        ("tasks:\n  a: {program: []}\n", 2, "something to do"),
        ("tasks:\n  a: {program: [wait], cpu: []}\n", 2, "a CPU, found an empty list"),
        ("tasks:\n  '': {program: [wait]}\n", 2, "a name of a task"),
        ("tasks:\n  a: {program: [sleep: 2000s]}\n", 2, "at most 1099511627776 ns, found 2000s"),
        ("tasks:\n  a:\n    program:\n      - jump\n", 4, "something to do"),
        ("tasks:\n  a:\n    program:\n      - run\n", 4, "run: with a time"),
        ("tasks:\n  a:\n    program:\n      - run: 5\n", 4, "unit"),
        ("tasks:\n  a:\n    program:\n      - every: 0us\n", 4, "at least 1 ns"),
        ("tasks:\n  a:\n    program:\n      - run: {uniform: [5us, 2us]}\n", 4, "at least 5000 ns"),
        ("tasks:\n  a:\n    program:\n      - run: {normal: 2us}\n", 4, "exponential: MEAN"),
        ("tasks:\n  a:\n    program:\n      - wake: b\n", 4, "expected a task (a)"),
        ("tasks:\n  a:\n    program:\n      - wake: {task: a, which: some}\n", 4, "which to wake"),
        ("tasks:\n  a:\n    program:\n      - {run: 1us, sleep: 1us}\n", 4, "one thing to do"),
        ("tasks:\n  a: {count: 0, program: [run: 1us]}\n", 2, "at least 1"),
        ("tasks:\n  a: {cpu: x, program: [run: 1us]}\n", 2, "a CPU"),
        ("tasks:\n  a: {cpu: 1, with-waker: yes, program: [run: 1us]}\n", 2, "cpu or with-waker"),
        ("tasks:\n  a: {program: [wait, run: 1us]}\n", 1, "does not begin with wait"),
        ("tasks:\n  a: {program: [count]}\n", 1, "more than to count"),
    ],
)
def test_problems_have_places(text: str, line: int, words: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read(text)
    finding = caught.value.findings[0]
    assert words in finding.message
    assert (finding.location.file, finding.location.line) == ("w.yaml", line)


@settings(max_examples=examples(37, 150), deadline=None)
@given(st.data())
def test_damaged_workloads(data: st.DataObject) -> None:
    """Whatever is cut out or put in, it is read or refused with a place."""
    start = data.draw(st.integers(0, len(WORKLOAD)))
    end = data.draw(st.integers(start, min(start + 12, len(WORKLOAD))))
    new = data.draw(st.text("[]{}:-,0129aus \n\t'\"&*#%\x00\xe9", max_size=6))
    findings: tuple[Finding, ...] = ()
    try:
        programs.check(read(WORKLOAD[:start] + new + WORKLOAD[end:]))
    except Unreadable as error:
        findings = error.findings
    assert all(finding.location.line for finding in findings)


def test_unreadable_files_exit_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "w.yaml"
    broken.write_text("tasks: [\n")
    assert refused(capsys, str(broken), "--table", "power9")[0] == 3
    broken.write_text("tasks:\n  a: {cpu: 90, program: [run: 1us]}\n")
    status, text = refused(capsys, str(broken), "--table", "power9", "--topology", "cpus=8")
    assert status == 3
    assert "one of 8 CPUs" in text
    empty = tmp_path / "trace.txt"
    empty.write_text("nothing here\n")
    assert refused(capsys, str(empty), "--table", "power9")[0] == 3
    assert refused(capsys, str(tmp_path / "none.yaml"), "--table", "power9")[0] == 3


def recording(*decisions: tuple[int, int, int]) -> str:
    """decisions: CPU, local_clock() at select and residency, in ns."""
    columns = [*COLUMNS, "cpu"]
    rows = (
        {"cpu": cpu, "clock_at_select_ns": clock_ns, "residency_ns": residency_ns}
        for cpu, clock_ns, residency_ns in decisions
    )
    text = [",".join(str(row.get(column, 0)) for column in columns) for row in rows]
    return "\n".join([",".join(columns), *text, ""])


def test_a_recording_is_simulated_as_the_trace_of_its_idle_periods(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "workload"
    tables = []
    second, us = 1_000_000_000, 1000
    for text in (
        TRACE,
        recording(
            (0, second, 200 * us),
            (0, second + 300 * us, 400 * us),
            (1, second + 100 * us, 2_000 * us),
        ),
    ):
        file.write_text(text)
        found = simulated(capsys, str(file), "--states", "1000/10000", "--kernel", "6.1")
        assert found["duration_ns"] == 2_100_000
        tables.append(found["tables"])
    assert tables[0] == tables[1]


def test_a_recording_whose_decisions_overlap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "recording.csv"
    file.write_text(recording((0, 10_000, 5_000), (1, 14_000, 1_000), (0, 14_000, 1_000)))
    status, message = refused(capsys, str(file), "--states", "1000/10000")
    assert status == 3
    assert f"{file}:4:1: error: expected a decision of CPU 0 after its last idle period" in message
    assert "which ended at 15000 ns, found one at 14000 ns" in message


def test_without_compares_states_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    """Each table as it is and without; the same as --disabled of one alone."""
    given = ("pipe", "--table", "power9", "--kernel", "6.6", "--duration", "5ms")
    found = simulated(capsys, *given, "--without", "stop1,stop2", "--without", "stop0_lite")
    names = [each["table"] for each in found["tables"]]
    assert names == ["power9", "power9, without stop1,stop2", "power9, without stop0_lite"]
    off = [[s["name"] for s in each["states"] if s["disabled"]] for each in found["tables"]]
    assert off == [[], ["stop1", "stop2"], ["stop0_lite"]]
    (alone,) = simulated(capsys, *given, "--disabled", "stop1,stop2")["tables"]
    assert alone["states"] == found["tables"][1]["states"]
    assert refused(capsys, *given, "--without", "nap")[0] == 2
    assert (
        "--without: expected a state (snooze, stop0_lite"
        in refused(capsys, *given, "--without", "nap")[1]
    )


def test_rare_states_have_an_interval(capsys: pytest.CaptureFixture[str]) -> None:
    """The interval is that of all runs together, in a second; a state that is used often has
    none."""
    given = ("stop0-lite", "--duration", "50ms", "--runs", "2")
    first = simulated(capsys, *given)["tables"][0]
    snooze, lite = first["states"][:2]
    assert snooze["per_s"]["mean"] == snooze["usage"]["mean"] / 0.05
    low, high = snooze["interval_per_s"]
    events = sum(run["total"]["states"][0]["usage"] for run in first["runs"])
    assert 0 < events < 100
    assert (low, high) == tuple(end / 0.1 for end in poisson.interval(events))
    assert lite["interval_per_s"] is None
    text = commands.run(capsys, "simulate", *given)[1]
    assert f"snooze {snooze['per_s']['mean']:.3g}/s ({low:.3g} to {high:.3g})" in text


def test_mean_of_latencies(capsys: pytest.CaptureFixture[str]) -> None:
    """Between the least and the greatest, and of what the buckets hold."""
    (found,) = simulated(capsys, "server", "--table", "power9", "--duration", "20ms")["tables"]
    mean = found["wake_latency_mean_ns"]["mean"]
    assert 0 < mean <= found["wake_latency_ns"]["max"]["mean"]
    run = SimulationRun(1, 1, (), (), (), {100: 3, 101: 1}, 101, 0, 0, 0, 0)
    assert run.mean_latency_ns == (3 * 100 + 101) / 4
    assert SimulationRun(1, 1, (), (), (), {}, 0, 0, 0, 0, 0).mean_latency_ns is None
