"""A spec of a processor that no packaged spec has says which releases know it."""

from pathlib import Path

import pytest

from tests.support.commands import Capture, document, run

SPEC = """\
name: power12
extends: power10
cpu:
  generation: power12
  isa: 3.1
  versions:
    - {pvr: PVR, chips: [{name: P12, skiboot: 7.1.1}], linux: SINCE}
firmware: {array: power12_cpu_idle_states}
"""
STATES = ["stop0_lite", "stop0", "stop2", "stop3"]


def spec(folder: Path, since: str, pvr: str = "0x0083") -> str:
    file = folder / "power12.yaml"
    file.write_text(SPEC.replace("SINCE", since).replace("PVR", pvr), "utf-8")
    return str(file)


@pytest.mark.parametrize(
    ("since", "kernel", "taken"),
    [
        ("7.1", "7.0", False),
        ("7.1", "7.0.14", False),
        ("7.1", "7.1-rc7", False),
        ("7.1", "7.1", True),
        ("7.1", "7.1.0", True),
        ("7.1", "7.3", True),
        ("7.1", "5.9", True),  # looks at no PVR
        ("7.1-rc2", "7.1-rc7", True),
        ("7.1.2", "7.1.1", False),
        ("7.1.2", "7.1.2", True),
        ("6.1", "debian-6.1.192", True),
        ("always", "5.10", True),
        ("none", "7.3", False),
        ("99.1", "7.3", False),
    ],
)
def test_the_driver_takes_its_states_since(
    since: str, kernel: str, taken: bool, tmp_path: Path, capsys: Capture
) -> None:
    table = spec(tmp_path, since)
    linux = document(capsys, "show", table, "--kernel", kernel)["linux"]
    names = [state["name"] for state in linux["states"]]
    assert names == ["snooze", *(STATES if taken else [])]
    selected = document(capsys, "select", table, "--kernel", kernel)
    assert ("stop3" in {row["state"] for row in selected["map"]}) == taken
    noted = run(capsys, "check", table, "--kernel", kernel, "--notes")[1]
    assert ("IS408" in noted) != taken
    said = f"; by its spec, Linux {since} is the first with one"
    assert (said in noted) == (not taken and since != "none")


def test_a_packaged_pvr_is_known_since_the_packaged_release(
    tmp_path: Path, capsys: Capture
) -> None:
    table = spec(tmp_path, "6.1", "0x0082")
    for kernel, count in (("6.18", 1), ("6.19", 5)):
        linux = document(capsys, "show", table, "--kernel", kernel)["linux"]
        assert len(linux["states"]) == count


def test_one_check_of_several_releases(tmp_path: Path, capsys: Capture) -> None:
    kernels = ("--kernel", "7.0,7.1,7.2")
    noted = run(capsys, "check", spec(tmp_path, "7.1"), *kernels, "--notes", "--select", "IS408")[1]
    assert "on Linux 7.0\n" in noted


def test_kernels_names_the_step_and_its_cause(tmp_path: Path, capsys: Capture) -> None:
    table = spec(tmp_path, "7.1.2 abc123")
    text = run(capsys, "kernels", "--table", table, "7.1")[1]
    assert "7.1.2 (from 7.1.1)\n  registered, states.stop0_lite: absent -> " in text
    assert "\n  by abc123\n    powernv: pvrs: " in text
    assert text.count(" (from ") == 1
    text = run(capsys, "kernels", "--table", spec(tmp_path, "none"), "7.0", "7.1")[1]
    assert "(from" not in text


@pytest.mark.parametrize(("skiboot", "known"), [("7.1", False), ("7.1.1", True), ("7.2", True)])
def test_skiboot_exports_it_since(
    skiboot: str, known: bool, tmp_path: Path, capsys: Capture
) -> None:
    way = document(capsys, "show", spec(tmp_path, "7.1"), "--platform", f"skiboot={skiboot}")
    assert way["export"]["states"] == (STATES if known else [])
    reasons = {lost["reason"].partition(" and ")[0] for lost in way["export"]["lost"]}
    said = "skiboot does not know chip P12 (by its spec, 7.1.1 is the first that does)"
    assert reasons == (set() if known else {said})
