"""Commands on kernels that are not known: both ends are worked out, in text, JSON and status."""

import json
from collections.abc import Sequence

import pytest

from idle_states.cli import main
from idle_states.tables.linux.releases import release

NINE = "el9"
"""9.0 to 9.2 have no polling snooze on POWER, 9.3 on have it, and 9.5 has another menu."""


def ran(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(words)
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def lines_of(text: str, mark: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith(mark)]


def test_what_differs_stands_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = ran(capsys, "select", "power9", "--kernel", NINE)
    assert status == 0
    assert "shown for rhel-5.14.0-70.13.1" in err
    heads = lines_of(out, "cannot tell: as ")
    assert heads[0].startswith("cannot tell: as rhel-5.14.0-70.13.1")
    assert heads[1].endswith("rhel-5.14.0-570.32.1")
    assert [line for line in out.splitlines()[1:6] if line not in heads] == [
        "  |   0 snooze      0/0 us",
        "  |   0 snooze      0/0 us polling",
        "  1 stop0_lite  1/10 us",
    ]
    assert out.splitlines()[-1].endswith("[IS940 unknown-kernel]")


def test_each_side_is_what_the_end_itself_answers(capsys: pytest.CaptureFixture[str]) -> None:
    """Lines that all share, with the marked ones of an end, are its own answer."""
    merged = ran(capsys, "select", "power9", "--kernel", NINE)[1].splitlines()[:-2]
    for end, head in (("rhel-5.14.0-70.13.1", "-70.13.1"), ("rhel-5.14.0-570.32.1", "-570.32.1")):
        own, taken = [], True
        for line in merged:
            if line.startswith("cannot tell: as "):
                taken = head in line
            elif line.startswith("  | ") and taken:
                own.append(line[4:])
            elif not line.startswith("  | "):
                taken = True
                own.append(line)
        alone = ran(capsys, "select", "power9", "--kernel", end)[1].splitlines()
        known = [line.replace(f"Linux {end},", "Linux rhel-9,").split() for line in alone]
        shared = min(len(own), len(known))
        assert [line.split() for line in own[:shared]] == known[:shared]
        assert len(own) > 20


def test_what_is_the_same_is_said_as_known(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = ran(capsys, "show", "power9", "--kernel", "5.15.0-54-generic")
    assert status == 0
    assert "cannot tell" not in out
    assert out.splitlines()[-1] == (
        "Linux ubuntu-5.15.0-54 is not known itself; the answer is the same as ubuntu-5.15.0-50 to "
        "ubuntu-5.15.0-67"
    )


def test_a_known_kernel_has_neither(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, err = ran(capsys, "select", "power9", "--kernel", "rhel-9.4")
    assert "cannot tell" not in out + err
    assert "the kernel that RHEL 9.4 was released with" in err
    assert "Linux rhel-5.14.0-427.13.1," in out


def test_a_document_has_the_alternatives(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ran(capsys, "select", "power9", "--kernel", NINE, "--format", "json")
    found = json.loads(out)
    assert found["known"] == "bracketed"
    ends = [end.name for end in release(NINE).ends]
    taken = [each["kernels"] for each in found["alternatives"]]
    assert taken == [[{"kernel": "rhel-9", "taken_as": end}] for end in ends]
    assert "states[0].polling" in found["cannot_tell"]
    assert found["alternatives"][0]["document"] is None
    last = found["alternatives"][-1]["document"]
    assert [found["states"][0]["polling"], last["states"][0]["polling"]] == [False, True]
    alone = json.loads(ran(capsys, "select", "power9", "--kernel", ends[-1], "--format", "json")[1])
    assert last["map"] == alone["map"]


def test_a_document_of_a_known_kernel_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ran(capsys, "select", "power9", "--kernel", "6.1", "--format", "json")
    assert {"alternatives", "cannot_tell"}.isdisjoint(json.loads(out))


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (
            ["6.14.0-15-generic", "6.14.0-20-generic"],
            "Cannot compare: Ubuntu's -15 and -20 are both known here only as Linux 6.14.",
        ),
        (
            ["6.1.0-28-amd64", "6.1.0-31-amd64"],
            "Cannot compare: Debian's -28 and -31 are both known here only as Linux 6.1.",
        ),
        (
            ["6.6.998", "6.6.999"],
            "Cannot compare: 6.6.998 and 6.6.999 are both known here only as Linux 6.6.150.",
        ),
    ],
)
def test_builds_that_are_one_to_us_are_not_compared(
    capsys: pytest.CaptureFixture[str], names: Sequence[str], said: str
) -> None:
    status, out, err = ran(capsys, "kernels", *names)
    assert (status, out) == (3, "")
    assert err.splitlines()[-1] == f"idle-states: {said}"


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("kernels 6.1.0-28-amd64 6.1.27", 3),
        ("kernels rhel-9 rhel-9 --governor menu", 0),
        ("kernels rhel-9 4.18 --governor menu", 1),
        ("diff power9 power9 --kernel rhel-9", 0),
        ("diff power9 power9-dd1 --kernel rhel-9", 1),
    ],
)
def test_a_difference_that_cannot_be_told(
    capsys: pytest.CaptureFixture[str], command: str, status: int
) -> None:
    assert ran(capsys, *command.split())[0] == status


def test_a_recording_that_kernels_between_the_ends_disagree_with(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Debian 12's first and last menu agree with it; one that came and went between does not."""
    vectors = "tests/data/vectors/menu-debian6.1.192-cede-poll1.csv.gz"
    words = ("conform", vectors, "--states", "12000/120000", "--polling", "--kernel")
    status, out, _ = ran(capsys, *words, "debian-12")
    assert status == 3
    heads = lines_of(out, "cannot tell: as ")
    assert heads[0].startswith("cannot tell: as debian-6.1.27 to ")
    assert heads[0].endswith(" or debian-6.1.158 to debian-6.1.192")
    assert "debian-6.1.141" in heads[1]
    for kernel, expected in (("debian-6.1.27", 0), ("debian-6.1.141", 1), ("debian-6.1.192", 0)):
        assert ran(capsys, *words, kernel)[0] == expected


def test_check_reports_what_some_ends_have(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("check", "power9", "--kernel", NINE, "--format", "json")
    found = json.loads(ran(capsys, *words)[1])["findings"]
    told = [finding for finding in found if finding["rule"] == "IS940"]
    assert told
    for finding in told:
        assert finding["severity"] == "warning"
        assert finding["kernels"] == ["rhel-9"]
        assert "cannot tell for Linux rhel-9" in finding["message"]
    assert "IS420" not in {finding["rule"] for finding in found}
    assert ran(capsys, "check", "power8", "--kernel", NINE, "--select", "IS940")[0] == 0
    assert ran(capsys, *words[:4], "--select", "IS940,IS420", "--fail-on", "warning")[0] == 1
    ignored = json.loads(ran(capsys, *words, "--ignore", "IS940")[1])["findings"]
    assert "IS940" not in {finding["rule"] for finding in ignored}


def test_check_keeps_what_all_ends_have(capsys: pytest.CaptureFixture[str]) -> None:
    """On 9.3 to 9.6 snooze polls: all have the finding of it."""
    words = ("check", "power9", "--notes", "--format", "json", "--kernel")
    for kernel in ("5.14.0-370.el9", "rhel-5.14.0-427.13.1"):
        found = json.loads(ran(capsys, *words, kernel)[1])["findings"]
        assert "IS420" in {finding["rule"] for finding in found}
        assert "IS940" not in {finding["rule"] for finding in found}


@pytest.mark.parametrize(("kernel", "is_fact"), [("5.15", True), ("ubuntu-5.15.0", False)])
def test_a_loss_is_no_fact_where_the_kernels_processors_were_not_read(
    capsys: pytest.CaptureFixture[str], kernel: str, is_fact: bool
) -> None:
    """Distributions take processors of later releases up."""
    _, out, _ = ran(capsys, "show", "intel:spr", "--platform", "spr", "--kernel", kernel)
    assert ("C1: cannot tell: the processor has no table" in out) is not is_fact
    assert ("cannot tell whether it registers a driver" in out) is not is_fact
    assert ("registers no driver" in out) is is_fact
