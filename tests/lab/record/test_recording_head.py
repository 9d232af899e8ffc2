"""The head of a converted recording: what conform and replay take from it, and what they say."""

import gzip
import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable
from idle_states.base.reading.inputs import BLOCK, Input, InputKind
from idle_states.cli import main
from idle_states.lab.record.convert import convert
from idle_states.lab.traces.head import RecordingHead, head_of
from idle_states.lab.traces.recording import rows
from tests.support import DATA
from tests.support.commands import Capture, document
from tests.support.recordings import HEADED, KERNEL, PLAIN

Write = Callable[[str], str]
STATES = ["--states", "1000/10000,2000/20000,5000/50000", "--polling"]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> str:
        file = tmp_path / "recording.csv"
        file.write_text(text)
        return str(file)

    return written


def test_it_says_the_machine(write: Write) -> None:
    head = head_of(Input(write(HEADED)))
    assert head is not None
    kernel = head.kernel()
    assert kernel is not None
    assert (kernel.name, head.hz, head.driver) == (KERNEL, 250, "powernv_idle")
    assert (head.governor, head.skip, list(head.states)) == ("menu", 0, [0, 1])
    assert [state.row for state in head.states[1]] == [
        ("snooze", 0, 0), ("stop0_lite", 1, 10), ("stop0", 2, 20), ("stop1", 5, 50)
    ]  # fmt: skip
    assert head_of(Input(write(PLAIN))) is None


def test_as_written_it_is_read(write: Write) -> None:
    states = next(iter(convert(Input(str(DATA / "recordings" / "powernv9-menu.txt.gz")))
                       .head.states.values()))  # fmt: skip
    off = (replace(states[0], name="a b  c=d"), replace(states[1], disabled=True))
    head = RecordingHead(
        "5.15.0-127-generic", "#137-Ubuntu SMP", "Ubuntu 5.15.0-127.137-generic 5.15.167",
        1000, "", "teo", 60, {0: states, 1: states, 2: states, 4: off, 7: states, 8191: off},
    )  # fmt: skip
    text = "\n".join((*head.lines(), PLAIN))
    assert "cpus=0-2,7 state=" in text
    assert "cpus=4,8191 state=1 latency=1 residency=10 disable=1 name=stop0_lite\n" in text
    assert head_of(Input(write(text))) == head


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_recordings_are_the_same_with_and_without(write: Write, ends: str) -> None:
    """But for the lines they are on; also as JSON lines."""
    before = HEADED.count("\n") - PLAIN.count("\n")
    without = list(rows(Input(write(PLAIN))))
    found = list(rows(Input(write(HEADED.replace("\n", ends)))))
    assert [replace(row, line=row.line - before) for row in found] == without
    columns, *lines = (line.split(",") for line in PLAIN.splitlines())
    json_lines = [json.dumps(dict(zip(columns, map(int, cells), strict=True))) for cells in lines]
    head = HEADED[: HEADED.index("latency_req_us")]
    source = Input(write(head + "\n".join(json_lines)))
    assert source.kind is InputKind.JSONL
    found = list(rows(source))
    assert [replace(row, line=row.line - before + 1) for row in found] == without


@pytest.mark.usefixtures("either")
def test_conform_and_replay_need_nothing_else(
    capsys: Capture, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = write(HEADED)
    assert main(["conform", file]) == 0
    assert capsys.readouterr().out == (
        f"menu of Linux {KERNEL}: 371 of 371 decisions agree (100.00 %): agree\n"
    )
    body = document(capsys, "replay", file, "--governor", "menu")
    assert body["agreement"] == {"periods": 371, "same_state": 371}
    assert (body["kernel"], body["hz"], body["exactness"]) == (KERNEL, 250, "exact")
    assert [state["name"] for state in body["total"]["states"]][1] == "stop0_lite"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(HEADED.encode()))))
    assert main(["conform", "-"]) == 0


def test_without_it_states_have_to_be_named(capsys: Capture, write: Write) -> None:
    file = write(PLAIN)
    assert main(["conform", file]) == 2
    assert "expected a table or --states, one of the two" in capsys.readouterr().err
    assert main(["replay", file]) == 2
    body = document(capsys, "conform", file, *STATES, "--kernel", KERNEL)
    assert (body["agree"], body["unlike"], body["assumptions"]) == (371, [], [])


OTHER_STATES = "the recording's CPU 0 has states of 0/0, 1/10, 2/20, 5/50 us, but is compared with "


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kernel", KERNEL, "--hz", "250", *STATES, "--governor", "menu"], []),
        (["--kernel", "6.12"], [f"the recording is of Linux {KERNEL}, but is compared with 6.12"]),
        (["--hz", "1000"], ["the recording is of HZ 250, but is compared with 1000"]),
        (["--governor", "ladder"], ["the recording is of menu, but is compared with ladder"]),
        (["--table", "power9"], []),
        (
            ["--disabled", "1,2"],
            ["the recording's CPU 0 has switched off: none, but is compared with 1, 2"],
        ),
    ],
)
def test_what_is_named_wins_and_what_differs_is_said(
    capsys: Capture, write: Write, words: list[str], said: list[str]
) -> None:
    file = write(HEADED)
    body = document(capsys, "conform", file, *words)
    main(["conform", file, *words])
    text = capsys.readouterr().out
    if "power9" in words:
        (found,) = body["unlike"]
        assert found.startswith(OTHER_STATES)
    else:
        assert body["unlike"] == said
    assert all(sentence in text for sentence in body["unlike"])
    if "--governor" in words:
        return
    replayed = document(capsys, "replay", file, *words, "--governor", "menu")
    if words[0] != "--disabled":
        told = [each for each in replayed["assumptions"] if "is compared with" in each]
        assert told == body["unlike"]


@pytest.mark.usefixtures("either")
def test_each_cpu_is_judged_by_its_own_states(capsys: Capture, write: Write) -> None:
    """CPU 1 with a deepest state that is never worth it: only what it decides differs."""
    apart = HEADED.replace("cpus=0-1", "cpus=0")
    own = [
        line.replace("cpus=0-1", "cpus=1").replace("residency=50", "residency=999999999")
        for line in HEADED.splitlines(keepends=True)
        if "cpus=0-1" in line
    ]
    at = apart.index("latency_req_us")
    whole = document(capsys, "conform", write(HEADED))
    body = document(capsys, "conform", write(apart[:at] + "".join(own) + apart[at:]))
    assert whole["agree"] == 371 > body["agree"]
    assert body["first_disagreement"]["cpu"] == 1
    assert main(["conform", write(apart)]) == 3
    assert "expected a CPU of the recording's head, found CPU 1" in capsys.readouterr().err


@pytest.mark.slow
def test_states_switched_off_are_taken_from_it(capsys: Capture, write: Write) -> None:
    off = HEADED.replace("residency=50 disable=0", "residency=50 disable=1")
    body = document(capsys, "conform", write(off))
    named = document(capsys, "conform", write(HEADED), "--disabled", "3")
    assert body["first_disagreement"] == named["first_disagreement"]
    assert body["first_disagreement"]["recorded"]["state"] == 3
    assert document(capsys, "conform", write(off), "--disabled", "")["agree"] == 371


def test_what_it_does_not_say_is_assumed_and_said(capsys: Capture, write: Write) -> None:
    file = write(HEADED.replace("# hz: 250\n", ""))
    assert (
        "the recording does not name its HZ: 250 is assumed"
        in (document(capsys, "conform", file)["assumptions"])
    )
    assert document(capsys, "conform", file, "--hz", "250")["assumptions"] == []
    file = write(HEADED.replace("# release", "# other"))
    assert document(capsys, "conform", file)["kernel"] != KERNEL
    file = write(HEADED.replace("6.1.0-50", "2.6.32").replace("Debian 6.1.176", ""))
    assert main(["conform", file]) == 3
    assert f"{file}:1:1: error: expected a kernel" in capsys.readouterr().err
    assert document(capsys, "conform", file, "--kernel", KERNEL)["unlike"] == [
        "the recording is of Linux '2.6.32-powerpc64le', which is not modelled"
    ]


LINES = HEADED.splitlines(keepends=True)


@pytest.mark.usefixtures("either")
@pytest.mark.parametrize(
    ("was", "becomes", "line", "said"),
    [
        ("decisions 1", "decisions 2", 1, "expected '# idle-states decisions 1', found"),
        ("# hz: 250", "# hz: 0", 6, "expected hz from 1 to 10000, found '0'"),
        ("# hz: 250", "# hz: 2_5", 6, "expected hz from 1 to 10000, found '2_5'"),
        ("# hz: 250", "# hz: 250\n# hz: 250", 7, "expected one line hz, found another"),
        ("# hz: 250", "# skip: -1", 6, "expected skip from 0 to 1000000, found '-1'"),
        ("# driver: ", f"# driver: {'x' * 501}", 4, "expected a driver of 1 to 500 characters"),
        ("cpus=0-1 state=2", "cpus=0-1 state=3", 9, "order, found state 3 after 2 states"),
        ("cpus=0-1 state=0", "cpus=1-0 state=0", 7, "expected CPUs such as 0-3,5 up to 8191"),
        ("cpus=0-1 state=0", "cpus=0,0 state=0", 7, "each CPU in one list, found CPU 0 twice"),
        ("cpus=0-1 state=0", "cpus=0-8192 state=0", 7, "expected CPUs such as 0-3,5 up to 8191"),
        ("cpus=0-1 state=0", "cpu=0 state=0", 7, "expected cpus=0-3,5 of a state, found"),
        ("latency=1 ", "latency=x ", 8, "expected latency of a state, found"),
        ("latency=1 ", "latency=4294967296 ", 8, "expected up to 4294967295 us, found 4294967296"),
        ("latency_req_us", "# latency_req_us", 12, "expected the columns of a recording"),
    ],
)
def test_hostile_heads_are_refused_at_their_line(
    capsys: Capture, write: Write, was: str, becomes: str, line: int, said: str
) -> None:
    assert was in HEADED
    file = write(HEADED.replace(was, becomes, 1))
    for command in (["conform", file], ["replay", file]):
        assert main(command) == 3
        error = capsys.readouterr().err
        assert f"{file}:{line}:1: error: " in error
        assert said in error


@pytest.mark.usefixtures("either")
def test_a_head_alone_is_no_recording(capsys: Capture, write: Write) -> None:
    file = write(HEADED[: HEADED.index("latency_req_us")])
    assert main(["conform", file]) == 3
    assert f"{file}:10:1: error: expected the columns of a recording, found the end" in (
        capsys.readouterr().err
    )


def test_a_head_ends_within_bounds(write: Write) -> None:
    endless = LINES[0] + "# other: line\n" * (BLOCK // 10)
    with pytest.raises(Unreadable, match="expected the recording's head to end within 1048576"):
        Input(write(endless + PLAIN))
    most = "".join(
        f"# state: cpus={cpu} state=0 latency=0 residency=0 disable=0 name=x\n"
        for cpu in range(8192)
    )
    head = head_of(Input(write(LINES[0] + most + PLAIN)))
    assert head is not None
    assert len(head.states) == 8192
