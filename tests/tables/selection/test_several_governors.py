"""select with several governors: what the second selects otherwise than the first."""

from pathlib import Path

from tests.support.commands import Capture, document, outcome, run

WORDS = ("select", "power9", "--kernel", "6.12")
BOTH = ("--governor", "menu", "--governor", "teo")


def test_changes_are_the_difference_of_both_maps(capsys: Capture) -> None:
    status, found = outcome(capsys, *WORDS, *BOTH)
    assert status == 1
    alone = {name: document(capsys, *WORDS, "--governor", name)["map"] for name in ("menu", "teo")}
    assert found["map"] == alone["menu"]
    assert {each["governor"] for each in found["changes"]} == {"teo"}

    def selected(name: str, change: dict[str, object], at_ns: int) -> set[str]:
        keys = ("tick", "ended_by", "next_timer_us", "latency_limit_us")
        for each in alone[name]:
            inside = each["from_ns"] <= at_ns and at_ns <= (each["to_ns"] or at_ns)
            if inside and all(each[key] == change[key] for key in keys):
                return {each["state"], *each["also"]}
        raise AssertionError(change)

    for change in found["changes"]:
        for at_ns in (change["from_ns"], change["to_ns"] or change["from_ns"]):
            assert selected("menu", change, at_ns) == set(change["a"])
            assert selected("teo", change, at_ns) == set(change["b"])


def test_a_source_equal_in_all_lengths_changes_nothing(capsys: Capture, tmp_path: Path) -> None:
    status, twice, _ = run(capsys, *WORDS, "--governor", "menu", "--governor", "menu")
    assert (status, twice) == run(capsys, *WORDS)[:2]
    own = tmp_path / "own.py"
    own.write_text(
        "class Governor:\n    def __init__(self, states, hz): ...\n"
        "    def select(self, situation):\n        return 0, False\n"
        "    def reflect(self, outcome): ...\n"
    )
    status, out, _ = run(capsys, *WORDS, *BOTH, "--governor", str(own))
    assert status == 1
    assert f"to    power9: {own} of Linux 6.12, HZ 250" in out
    assert "not confined" in out


def test_every_kernel_of_all_has_each_governor(capsys: Capture) -> None:
    status, found = outcome(capsys, "select", "power9", "--kernel", "5.0,5.1", "--governor", "menu")
    assert (status, found["kernel"]) == (0, "5.0")
    status, _, err = run(capsys, "select", "power9", "--kernel", "all", *BOTH)
    assert "kernels without a model of teo are skipped: 4.4, " in err
    assert "Traceback" not in err
    status, out, err = run(capsys, "select", "power10", "--kernel", "all")
    assert (status, out[:36]) == (1, "From  power10: menu of Linux 4.4, HZ")
    assert "kernels without a model of menu are skipped: 3.14, 3.15, " in err


def test_limits_under_each_governor(capsys: Capture) -> None:
    limits = ("--latency-limit", "50us", "--keep", "stop2")
    status, found = outcome(capsys, *WORDS, *BOTH, *limits)
    both = found["limits"]
    assert status == 1
    assert [(each["governor"], each["asked"]) for each in both] == [
        (governor, asked) for governor in ("menu", "teo") for asked in ("50 us", "stop2")
    ]
    for at, governor in ((0, "menu"), (2, "teo")):
        alone = document(capsys, *WORDS, "--governor", governor, *limits)["limits"]
        assert both[at : at + 2] == alone
    _, out, _ = run(capsys, *WORDS, *BOTH, "--latency-limit", "50us")
    for title in ("menu: latency limit 50 us", "teo: latency limit 50 us", "teo selects"):
        assert title in out
