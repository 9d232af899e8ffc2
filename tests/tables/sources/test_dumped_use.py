"""Facts of a machine's use that a dump of sysfs shows, in every command that reads one."""

import json
from pathlib import Path

import pytest

from idle_states.cli import main
from tests.support.dumps import C1, C6, POLL, UNUSED, dump

OFF = {**UNUSED, "disable": 1}
USED = dump(POLL, C1, C6)
DUMPS = {
    "used": USED,
    "off": dump(POLL, C1, OFF),
    "from the start": dump(POLL, C1, {**OFF, "default_status": "disabled"}),
    "limited": dump(POLL, C1, UNUSED, limit="50"),
    "no latency": dump(POLL, C1, UNUSED, limit="n/a"),
    "just within": dump(POLL, C1, C6, limit="133"),
    "limited, before 4.11": dump(POLL, C1, UNUSED, limit="50", kernel="4.9"),
    "never entered": dump(POLL, C1, UNUSED),
    "hardly": dump(POLL, C1, {**C6, "usage": 10, "time": 9000}),
    "rare but long": dump(POLL, C1, {**C6, "usage": 10}),
    "fresh": dump(*({**state, "usage": 0, "time": 0} for state in (POLL, C1, C6))),
    "refused": dump(POLL, C1, {**C6, "rejected": 90_000}),
    "limited by a process": dump(
        POLL, C1, C6, more=["/dev/cpu_dma_latency:20", "/dev/cpu_dma_latency/holders:qemu(12)"]
    ),
    "unused on one CPU": dump(POLL, C1, C6)
    + dump(POLL, {**C1, "usage": 6, "time": 60}, UNUSED, cpus=(2,)),
}
UNKNOWN = (
    "C6 is hardly used on CPU 0-1: not known: nothing seen in {} idle periods keeps it from "
    "being used (unknown)"
)
LIMITED = "{} used on CPU 0-1: it takes {} us to leave; these CPUs accept {} us (cpu-limit)"
RULES = {
    "used": set(),
    "off": {
        ("IS427", "warning", "C6 is hardly used on CPU 0-1: it was switched off (switched-off)")
    },
    "from the start": {
        ("IS427", "note", "C6 is hardly used on CPU 0-1: the driver registered it switched off "
         "(default_status is disabled) (switched-off)"),
    },
    "limited": {("IS428", "warning", LIMITED.format("C6 is hardly", 133, 50))},
    "no latency": {
        ("IS428", "warning", LIMITED.format("C1 is no longer", 2, 0)),
        ("IS428", "warning", LIMITED.format("C6 is hardly", 133, 0)),
    },
    "just within": set(),
    "limited, before 4.11": {("IS429", "note", UNKNOWN.format("210,000"))},
    "never entered": {("IS429", "note", UNKNOWN.format("210,000"))},
    "hardly": {("IS429", "note", UNKNOWN.format("210,020"))},
    "rare but long": set(),
    "fresh": set(),
    "refused": {
        ("IS430", "warning", "C6 is used on CPU 0-1: the driver refused 180,000 of 360,000 entries "
         "(refused)"),
    },
    "limited by a process": {
        ("IS428", "warning", "C6 is no longer used on CPU 0-1: it takes 133 us to leave; the "
         "machine is limited to 20 us, held by qemu(12) (system-limit)"),
    },
    "unused on one CPU": {
        ("IS429", "note", f"{state} is hardly used on CPU 2: these CPUs were idle for 60,060 us at "
         "most; CPU 0 for 909,060,000 us (idle-elsewhere)")
        for state in ("C1", "C6")
    },
}  # fmt: skip


@pytest.fixture
def told(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Returns what a command prints, in which dumps are files by their names."""
    monkeypatch.chdir(tmp_path)
    for name, text in DUMPS.items():
        (tmp_path / f"{name}.txt").write_text(text)

    def run(*words: str) -> tuple[int, str]:
        status = main(list(words))
        found = capsys.readouterr()
        return status, found.err + found.out

    return run


@pytest.mark.parametrize("name", DUMPS)
def test_check_reports_each_fact_by_its_rule(name: str, told) -> None:  # type: ignore[no-untyped-def]
    _, text = told("check", f"{name}.txt", "--format", "json")
    found = json.loads(text[text.index("{") :])["findings"]
    of_use = {"IS427", "IS428", "IS429", "IS430"}
    assert {
        (each["rule"], each["severity"], each["message"])
        for each in found
        if each["rule"] in of_use
    } == RULES[name]
    assert all(each["location"]["line"] for each in found)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("audit", "off.txt"), 0, "it was switched off (switched-off)"),
        (("show", "off.txt"), 0, "C6 is hardly used on CPU 0-1: it was switched off"),
        (("show", "limited.txt"), 0, "it takes 133 us to leave; these CPUs accept 50 us"),
        (
            ("diff", "used.txt", "off.txt"),
            1,
            "states.C6.switched-off",
        ),
        (("diff", "used.txt", "limited.txt"), 1, "states.C6.cpu-limit"),
        (("diff", "used.txt", "never entered.txt"), 1, "states.C6.unknown"),
        (("diff", "used.txt", "used.txt"), 0, "equal at every stage"),
        (("prove", "off.txt"), 0, "C6: never selected\n  C6 is switched off."),
        (("prove", "limited.txt"), 1, "C6: never selected"),
        (("prove", "used.txt"), 0, "3 states: 3 selected"),
        (("select", "off.txt"), 0, "Never selected in any of these: C6"),
        (("select", "limited.txt"), 0, "Never selected in any of these: C6"),
        (("select", "limited.txt", "--latency-limit", "200us"), 0, "200 us"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_every_command_takes_the_facts(words, status, said, told) -> None:  # type: ignore[no-untyped-def]
    found, text = told(*words)
    assert said in text
    assert found == status


@pytest.mark.parametrize(
    ("governor", "words", "said"),
    [
        ("menu", ("show",), "LINUX 6.18.3"),
        ("menu", ("diff", "m.txt"), "kernel 6.18.3: of the machine of m.txt"),
        ("teo", ("select",), "teo of Linux 6.18.3"),
        ("teo", ("select", "--governor", "menu", "--kernel", "6.6"), "menu of Linux 6.6, "),
        ("haltpoll", ("prove",), "haltpoll of Linux 6.18.3"),
        ("haltpoll", ("select",), "found 'haltpoll': it polls"),
        ("menu", ("replay",), "EXACT: Linux 6.18.3"),
        (
            "menu",
            ("replay", "--kernel", "6.6"),
            "no effect: the counters are those of Linux 6.18.3",
        ),
        ("menu", ("check",), "1 table, 1 kernel:"),
        ("menu", ("check", "--kernel", "6.6", "--kernel", "6.1"), "1 table, 2 kernels:"),
        ("menu", ("audit",), "\n  6.18.3: POLL"),
        ("", ("show",), "LINUX 6.18.3"),
    ],
)
def test_machine_gives_kernel_and_governor(governor, words, said, told) -> None:  # type: ignore[no-untyped-def]
    Path("m.txt").write_text(dump(POLL, C1, C6, governor=governor))
    command, *rest = words
    assert said in told(command, "m.txt", *rest)[1]


def test_kernel_that_nobody_names_is_not_claimed(told) -> None:  # type: ignore[no-untyped-def]
    Path("m.txt").write_text(dump(POLL, C1, C6, kernel=""))
    _, text = told("replay", "m.txt")
    assert "EXACT: an unnamed kernel" in text
    assert "Linux" not in text
    assert "EXACT: Linux 6.6" in told("replay", "m.txt", "--kernel", "6.6")[1]
    Path("m.txt").write_text(dump(POLL, C1, C6, kernel="99.1-nobodys"))
    assert "Linux 7" in told("select", "m.txt")[1]


@pytest.mark.parametrize(("governor", "told_of"), [("menu", True), ("", True), ("haltpoll", False)])
def test_no_rule_explains_a_governor_that_is_not_run(governor: str, told_of: bool, told) -> None:  # type: ignore[no-untyped-def]
    Path("m.txt").write_text(dump(POLL, C1, {**C6, "latency": 0}, governor=governor))
    _, text = told("check", "--notes", "m.txt")
    assert ("menu" in text) == told_of


def test_limits_part_the_tables_of_cpus(told) -> None:  # type: ignore[no-untyped-def]
    text = dump(POLL, C1, C6) + "/sys/devices/system/cpu/cpu1/power/pm_qos_resume_latency_us:9\n"
    Path("m.txt").write_text(text)
    _, text = told("check", "--notes", "m.txt")
    assert "cpu1/cpuidle/state2/latency: C6 is no longer used on CPU 1: it takes 133 us" in text
    assert "cpu0/cpuidle/state2/latency: C6 takes" not in text


@pytest.mark.parametrize(
    "line", ["/proc/version:Linux", "/proc/cmdline:quiet", "/sys/power/state:mem", "/dev/x:1"]
)
def test_lines_of_a_wider_grep_do_not_spoil_a_dump(line: str, told) -> None:  # type: ignore[no-untyped-def]
    Path("m.txt").write_text(f"{line}\n{USED}" if line.startswith("/proc") else f"{USED}{line}\n")
    assert told("check", "m.txt")[0] == 0
