"""Tests of what looks like success but is none, and requests that come to nothing, are said."""

import os
from pathlib import Path

import pytest

from idle_states.tables.linux.governors import core
from idle_states.tables.linux.releases import UnknownRelease, release
from tests.support.commands import Capture, document, run


def test_rules_that_are_left_are_enough(capsys: Capture) -> None:
    status, _, errors = run(capsys, "check", "power9", "--select", "IS2", "--ignore", "IS203")
    assert (status, errors) == (0, "")


def test_without_any_rule_only_reading_counts_which_is_said(capsys: Capture) -> None:
    status, _, errors = run(capsys, "check", "power9", "--ignore", "IS")
    assert (status, "leaves no rule: only what cannot be read" in errors) == (0, True)


@pytest.mark.parametrize("name", ["6.1-rc99", "6.1-rc11", "7.3.0-0.rc12.20260101.fc45.x86_64"])
def test_candidates_that_never_were_are_no_releases(name: str) -> None:
    with pytest.raises(
        UnknownRelease, match=r"up to rc10, found .* no release took more than 11 w"
    ):
        release(name)


def test_candidates_that_were_or_may_come_are_taken() -> None:
    assert release("6.1-rc8").name == "6.1-rc8"
    assert release("6.1-rc10").version == (6, 1, -990)
    assert release("7.11-rc10").guessed


def test_a_pipe_is_told_of_standard_input(capsys: Capture) -> None:
    ours, theirs = os.pipe()
    try:
        status, _, errors = run(capsys, "show", f"/dev/fd/{ours}")
    finally:
        os.close(ours)
        os.close(theirs)
    assert (status, "found a pipe; as standard input it is read: " in errors) == (3, True)


def test_a_kernel_compared_with_itself_is_named_once(capsys: Capture) -> None:
    status, out, _ = run(capsys, "kernels", "6.6.93", "v6.6.93")
    assert (status, out.splitlines()[0]) == (0, "6.6.93 compared with itself")
    assert "6.6.93, 6.6.93" not in out


def test_workloads_are_listed_as_json_too(capsys: Capture) -> None:
    found = document(capsys, "simulate", "--list")
    text = run(capsys, "simulate", "--list")[1]
    assert len(found["workloads"]) + len(found["experiments"]) == len(text.split("\n\n"))
    names = [each["name"] for each in found["workloads"]]
    assert "schbench" in names
    assert "--table" in next(e for e in found["experiments"] if e["name"] == "cluster")["words"]


@pytest.mark.parametrize(
    "effect", ["simulate periodic --duration 1ms", "replay {trace} --governor menu"]
)
def test_the_effect_of_a_limit_notes_once_that_the_core_is_missing(
    effect: str, monkeypatch: pytest.MonkeyPatch, capsys: Capture, tmp_path: Path
) -> None:
    line = "<idle>-0 [000] d..1 {}.000100: cpu_idle: state={} cpu_id=0\n"
    trace = tmp_path / "trace.txt"
    trace.write_text("".join(line.format(n, (0, 4294967295)[n % 2]) for n in range(1, 1_300)))
    monkeypatch.setattr(core, "available", lambda: False)
    words = [word.format(trace=trace) for word in effect.split()]
    status, _, errors = run(
        capsys, *words, "--latency-limit", "5us", "--table", "power9", "--kernel", "6.1"
    )
    assert status == 0
    assert errors.count("the compiled core is missing") == 1
    assert "the Python reference is used instead" in errors
