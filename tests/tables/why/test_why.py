"""Causes planted in dumps of machines, and the reasons that `why` gives for each."""

import io
import json
import subprocess
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from idle_states.base.model.findings import Unreadable, UsageError
from idle_states.cli import main
from idle_states.tables.why.answer import Explanation, why
from idle_states.tables.why.request import WhyRequest
from tests.support.dumps import C1, C6, CPUS, POLL, UNUSED, dump

LIMIT = "/dev/cpu_dma_latency:{}"
NO_LIMIT = LIMIT.format(2_000_000_000)
CMDLINE = "/proc/cmdline:quiet {}"
MODULE = "/sys/module/{}"
SIBLINGS = [f"{CPUS}/cpu{cpu}/topology/thread_siblings_list:{cpu},2" for cpu in (0, 1)]
UNTOLD = {"limit": "", "driver": "", "governor": "", "kernel": ""}
BUSY = {**C1, "usage": 100_000, "time": 900_000_000}
"""Idle for 9 ms on average, and never in C6."""
SHORT = {**C1, "usage": 900_000, "time": 18_000_000, "below": 100}
OFF = {**UNUSED, "disable": 1}
FROM_START = {**OFF, "default_status": "disabled"}
HALT = {**C1, "name": "haltpoll idle", "desc": "", "usage": 5000, "time": 9000}
NONE = {"usage": 0, "time": 0, "above": 0, "below": 0, "rejected": 0}
USED = {"usage": 90_000, "time": 900_000_000}
C7 = {**UNUSED, "name": "C7", "desc": "MWAIT 0x30", "latency": 133, "residency": 600}


def planted(*states: object, more: Iterable[str] = (NO_LIMIT,), **others: object) -> str:
    return dump(*states, more=more, **others)  # type: ignore[arg-type]


CAUSES = {
    # name: (dump, state, kinds of the reasons, words of the first)
    "disable": (
        planted(POLL, BUSY, {**OFF, "default_status": "enabled"}),
        "C6", ["switched-off"], "while the machine ran",
    ),
    "disabled, used before": (
        planted(POLL, BUSY, {**C6, "disable": 1}), "C6", ["switched-off"], "it was switched off",
    ),
    "off from the start": (
        planted(POLL, BUSY, FROM_START), "C6", ["switched-off"], "default_status",
    ),
    "intel_idle.states_off": (
        planted(POLL, BUSY, FROM_START, more=[MODULE.format("intel_idle/parameters/states_off:4")]),
        "C6", ["switched-off"], "states_off=4",
    ),
    "states_off of another state": (
        planted(POLL, BUSY, FROM_START, more=[MODULE.format("intel_idle/parameters/states_off:2")]),
        "C6", ["switched-off"], "the driver registered it",
    ),
    "switched on since": (
        planted(POLL, SHORT, {**UNUSED, "default_status": "disabled"}),
        "C6", ["idle-lengths"], "too short",
    ),
    "CPU limit": (planted(POLL, BUSY, UNUSED, limit="50"), "C6", ["cpu-limit"], "accept 50 us"),
    "CPU limit n/a": (planted(POLL, BUSY, UNUSED, limit="n/a"), "C6", ["cpu-limit"], "accept 0 us"),
    "CPU limit that allows it": (
        planted(POLL, SHORT, UNUSED, limit="133"), "C6", ["idle-lengths"], "too short",
    ),
    "CPU limit before 4.11": (
        planted(POLL, SHORT, UNUSED, limit="50", kernel="4.9"), "C6", ["idle-lengths"], "too short",
    ),
    "system limit": (
        planted(POLL, BUSY, UNUSED, more=[LIMIT.format(20)]), "C6", ["system-limit"], "20 us",
    ),
    "system limit and its holder": (
        planted(POLL, BUSY, UNUSED, more=[LIMIT.format(0), f"{LIMIT[:20]}/holders:tuned(812)"]),
        "C6", ["system-limit"], "held by tuned(812)",
    ),
    "both limits": (
        planted(POLL, BUSY, UNUSED, limit="50", more=[LIMIT.format(20)]),
        "C6", ["cpu-limit", "system-limit"], "50 us",
    ),
    "off, and a limit": (
        planted(POLL, BUSY, OFF, limit="50"), "C6", ["switched-off", "cpu-limit"], "it was",
    ),
    "nohlt": (
        planted({**POLL, **NONE}, {**C1, **NONE}, UNUSED, more=[CMDLINE.format("nohlt")]),
        "C6", ["polls-always"], "nohlt",
    ),
    "same times as the next": (
        planted(POLL, SHORT, UNUSED, {**C7, "usage": 90_000, "time": 900_000_000}),
        "C6", ["never-selected"], "menu of Linux 6.18.3 never",
    ),
    "same times, governor unknown": (
        planted(POLL, BUSY, UNUSED, {**C7, **C6, "name": "C7"}, governor=""), "C6", ["unknown"], "",
    ),
    "third state of haltpoll": (
        planted(POLL, BUSY, UNUSED, governor="haltpoll"), "C6", ["never-selected"], "first two",
    ),
    "nohlt where it means nothing": (
        planted(POLL, SHORT, UNUSED, more=[CMDLINE.format("nohlt")]),
        "C6", ["idle-lengths"], "too short",
    ),
    "deeper states take all": (
        planted(POLL, SHORT, {**UNUSED, "latency": 20, "residency": 40},
                {**C7, "usage": 90_000, "time": 900_000_000}),
        "C6", ["deeper-states"], "98.03 % of the idle time, C7 most",
    ),
    "off, of a kernel that does not say since when": (
        planted(POLL, BUSY, OFF, kernel="5.4"), "C6", ["switched-off"], "it was switched off",
    ),
    "refused": (
        planted(POLL, BUSY, {**UNUSED, "rejected": 70_000}), "C6", ["refused"], "140,000 of 140,",
    ),
    "refused at times": (
        planted(POLL, BUSY, {**C6, "usage": 50, "time": 50, "rejected": 60}),
        "C6", ["refused"], "120 of 220",
    ),
    "used, and mostly refused": (
        planted(POLL, BUSY, {**C6, "rejected": 900_000}), "C6", ["refused"], "of 1,980,000 entries",
    ),
    "online is no list": (
        planted(POLL, SHORT, UNUSED, more=[f"{CPUS}/online:all,-,x-1"]),
        "C6", ["idle-lengths"], "too short",
    ),
    "left at once": (
        planted(POLL, BUSY, {**C6, "time": 90_000}), "C6", ["left-at-once"], "1.0 us on average",
    ),
    "left early": (planted(POLL, BUSY, {**C6, "time": 9_000_000}), "C6", [], ""),
    "idles mostly too short": (
        planted(POLL, {**C1, "usage": 9_000, "time": 2_000_000, "below": 90}, UNUSED),
        "C6", ["idle-lengths"], "at most 6,866 of 28,000 were as long",
    ),
    "idles mostly too short, or a limit nobody saw": (
        planted(POLL, {**C1, "usage": 9_000, "time": 2_000_000}, UNUSED, more=()),
        "C6", ["unknown"], "not known",
    ),
    "nocst": (
        "/proc/version:Linux version 6.18.3\n/sys/module/processor/parameters/nocst:Y\n",
        "C2", ["cpuidle-off"], "processor.nocst",
    ),
    "for suspend": (
        planted(POLL, SHORT, {**UNUSED, "residency": 0xFFFFFFFF}),
        "C6", ["for-suspend"], "suspend-to-idle",
    ),
    "idles too short": (planted(POLL, SHORT, UNUSED), "C6", ["idle-lengths"], "too short: 19 us"),
    "idles too short for a limit nobody saw": (
        planted(POLL, SHORT, UNUSED, more=()), "C6", ["idle-lengths"], "too short",
    ),
    "predicted too short": (
        planted(POLL, {**BUSY, "below": 60_000}, UNUSED),
        "C6", ["idle-lengths"], "120,000 of 200,000 in C1",
    ),
    "predicted too short, or a limit nobody saw": (
        planted(POLL, {**BUSY, "below": 60_000}, UNUSED, more=()), "C6", ["unknown"], "not known",
    ),
    "long idles that nothing explains": (
        planted(POLL, {**BUSY, "below": 3}, UNUSED), "C6", ["unknown"], "not known",
    ),
    "fresh machine": (
        planted({**POLL, **NONE}, {**C1, **NONE}, UNUSED), "C6", ["unknown"], "not known",
    ),
    "haltpoll polls": (
        planted({**POLL, "time": 9_000_000}, {**HALT, "usage": 5, "time": 50}, governor="haltpoll",
                driver="haltpoll"),
        "haltpoll idle", ["polls-first"], "of the idle time",
    ),
    "guest": (planted(POLL, HALT, driver="haltpoll"), "C6", ["guest-driver"], "guest"),
    "max_cstate": (
        planted(POLL, BUSY, more=["/proc/cmdline:intel_idle.max_cstate=1"]),
        "C6", ["max-cstate"], "allows as many",
    ),
    "max_cstate by the module": (
        planted(POLL, BUSY, more=[MODULE.format("intel_idle/parameters/max_cstate:1")]),
        "C6", ["max-cstate"], "allows as many",
    ),
    "usual max_cstate": (
        planted(POLL, BUSY, more=[MODULE.format("intel_idle/parameters/max_cstate:9")]),
        "C6", ["unknown"], "not known",
    ),
    "processor.max_cstate": (
        planted(POLL, BUSY, driver="acpi_idle", more=["/proc/cmdline:processor.max_cstate=1"]),
        "C6", ["max-cstate"], "processor.max_cstate=1",
    ),
    "intel_idle off": (
        planted(POLL, BUSY, driver="acpi_idle", more=["/proc/cmdline:intel_idle.max_cstate=0"]),
        "C6", ["max-cstate"], "acpi_idle has what ACPI offers",
    ),
    "cpuidle off": (
        "/proc/version:Linux version 6.18.3\n/proc/cmdline:cpuidle.off=1\n", "C6", ["cpuidle-off"],
        "cpuidle is off",
    ),
    "idle=halt": (
        "/proc/version:Linux version 6.18.3\n/proc/cmdline:idle=halt\n", "C6", ["cpuidle-off"],
        "idle=halt",
    ),
    "no states": ("/proc/version:Linux version 6.18.3\n", "C6", ["unknown"], "not known"),
    "lost C1E": (planted(POLL, BUSY, UNUSED), "C1E", ["not-in-table"], "skx_cstates has it"),
    "a state of nobody": (planted(POLL, BUSY, UNUSED), "C99", ["unknown"], "not known"),
    "polls under a limit nobody saw": (
        planted({**POLL, "usage": 900_000, "time": 3_600_000}, {**C1, "usage": 9, "time": 90},
                UNUSED, more=()),
        "C6", ["polls-first"], "as under a latency limit below 2 us",
    ),
    "polls, and there is no limit": (
        planted({**POLL, "usage": 900_000, "time": 3_600_000}, {**C1, "usage": 9, "time": 90},
                UNUSED),
        "C6", ["unknown"], "not known",
    ),
    "polls for short periods": (
        planted({**POLL, "usage": 900_000, "time": 900_000}, {**C1, "usage": 9, "time": 90}, UNUSED,
                more=()),
        "C6", ["idle-lengths"], "too short",
    ),
    "same residency as a deeper one": (
        planted(POLL, C1, {**UNUSED, "usage": 5, "time": 900}, {**C7, **USED, "latency": 200}),
        "C6", ["same-residency"], "C7 is deeper and has a target residency of only 600 us",
    ),
    "same residency as one that is off": (
        planted(POLL, SHORT, {**UNUSED, "usage": 5, "time": 900}, {**C7, "disable": 1}),
        "C6", ["idle-lengths"], "too short",
    ),
    "another name of ACPI's": (
        planted(POLL, {**C1, "name": "C1_ACPI", "desc": "ACPI FFH MWAIT 0x0"},
                {**C6, "name": "C2_ACPI", "desc": "ACPI FFH MWAIT 0x60"}),
        "C10", ["acpi-states"], "MWAIT 0x00 and 0x60: by its hint C2_ACPI stands for it",
    ),
    "no state of ACPI's": (
        planted(POLL, {**C1, "name": "C1_ACPI", "desc": "ACPI FFH MWAIT 0x0"},
                {**C6, "name": "C2_ACPI", "desc": "ACPI FFH MWAIT 0x60"}),
        "C7", ["acpi-states"], "none of them stands for it",
    ),
    "printed with blanks": (
        planted(POLL, BUSY, OFF).replace(":", ": "), "C6", ["switched-off"], "it was switched off",
    ),
    "busy siblings": (
        planted(POLL, C1, C6, more=[NO_LIMIT, *SIBLINGS])
        + dump(POLL, {**C1, "time": 8_000_000}, {**C6, "time": 80_000_000}, cpus=(2,), **UNTOLD),
        "C6", ["busy-sibling"], "in it for 1,880,000,000 us, and their cores for 256,120,000 us",
    ),
    "idle siblings": (planted(POLL, C1, C6, more=[f"{SIBLINGS[0][:-1]}1"]), "C6", [], ""),
    "busy siblings, and a deeper state": (
        planted(POLL, C1, C6, {**C7, **USED, "residency": 900}, more=[NO_LIMIT, *SIBLINGS])
        + dump(POLL, C1, {**C6, "time": 80_000_000}, {**C7, "residency": 900}, cpus=(2,), **UNTOLD),
        "C6", [], "",
    ),
    "used": (planted(POLL, C1, C6), "C6", [], ""),
    "kernel nobody knows": (
        planted(POLL, BUSY, UNUSED, {**C7, **C6, "name": "C7"}, kernel="99.1"),
        "C6", ["unknown"], "",
    ),
}  # fmt: skip


def asked(text: str, state: str | None, directory: Path) -> Explanation:
    file = directory / "machine.txt"
    file.write_text(text)
    return why(WhyRequest(state, str(file)))


@pytest.mark.parametrize("name", CAUSES)
def test_planted_cause_comes_first(name: str, tmp_path: Path) -> None:
    text, state, kinds, words = CAUSES[name]
    (found,) = asked(text, state, tmp_path).explained
    assert [reason.kind for reason in found.reasons] == kinds
    if kinds:
        assert words in found.reasons[0].because
        assert found.reasons[0].where.startswith("/")
        assert found.reasons[0].next


def test_the_most_frequent_interrupt_is_named(tmp_path: Path) -> None:
    """The CPUs in question count alone; other lines and columns do not."""
    table = (
        "            CPU0       CPU1       CPU3",
        "  9:          0          0         99   IO-APIC   9-fasteoi   acpi",
        " 24:         20         30         99   PCI-MSI   eth0-rx",
        "LOC:         10         60         99   Local timer interrupts",
        "ERR:          0",
        "",
        f"XYZ: {'9' * 5000} x",
    )
    more = [NO_LIMIT, *(f"/proc/interrupts:{line}" for line in table[:-1])]
    (found,) = asked(planted(POLL, SHORT, UNUSED, more=more), "C6", tmp_path).explained
    assert found.reasons[0].next == (
        "something wakes these CPUs; their most frequent interrupt: LOC: Local timer interrupts, "
        "70 of 120 since boot"
    )
    more[-1] = f"/proc/interrupts:{table[-1]}"
    assert asked(planted(POLL, SHORT, UNUSED, more=more), "C6", tmp_path).explained


def test_cpus_are_explained_apart(tmp_path: Path) -> None:
    """One is limited, one is off, one is busy, two use the state."""
    text = "".join((
        planted(POLL, C1, C6, cpus=(0, 1)),
        dump(POLL, C1, UNUSED, cpus=(2,), limit="9", driver="", governor="", kernel=""),
        dump(POLL, C1, OFF, cpus=(3,), driver="", governor="", kernel=""),
        dump(POLL, {**C1, "time": 9000}, UNUSED, cpus=(4,), driver="", governor="", kernel=""),
    ))  # fmt: skip
    found = {
        each.cpus: [r.kind for r in each.reasons] for each in asked(text, "C6", tmp_path).explained
    }
    assert found == {
        (0, 1): [], (2,): ["cpu-limit"], (3,): ["switched-off"], (4,): ["idle-elsewhere"],
    }  # fmt: skip


def test_cpus_without_the_state_are_told_apart(tmp_path: Path) -> None:
    """Some have other states, of one none was seen; a hardly idle CPU uses none."""
    more = {"driver": "", "governor": "", "kernel": ""}
    text = "".join((
        planted(POLL, C1, C6, cpus=(0,), more=[f"{CPUS}/online:0-4"]),
        dump(POLL, C1, cpus=(1, 2), **more),
        dump(POLL, {**C1, "usage": 90, "time": 900}, {**C6, "usage": 90, "time": 9000}, cpus=(3,),
             **more),
    ))  # fmt: skip
    found = {each.cpus: each.reasons for each in asked(text, "C6", tmp_path).explained}
    assert {cpus: [r.kind for r in reasons] for cpus, reasons in found.items()} == {
        (0,): [], (3,): ["idle-elsewhere"], (1, 2): ["other-states"], (4,): ["other-states"],
    }  # fmt: skip
    assert found[1, 2][0].because == "these CPUs have POLL, C1"
    assert found[(4,)][0].because == "these CPUs have no states that were seen"
    assert {each.cpus for each in asked(text, "2", tmp_path).explained} == {(0,), (3,)}


def test_offline_cpus_are_named_once_where_no_state_is_asked_for(tmp_path: Path) -> None:
    text = planted(POLL, C1, C6, cpus=range(5), more=[f"{CPUS}/online:0-1,3"])
    found = {each.cpus: each.reasons for each in asked(text, "C6", tmp_path).explained}
    assert not found[0, 1, 3]
    assert [reason.kind for reason in found[2, 4]] == ["offline"]
    assert found[2, 4][0].because == "these CPUs are offline; online is CPU 0-1,3"
    all_states = asked(text, None, tmp_path)
    assert not all_states.explained
    assert "use of CPU 2, 4, offline" in all_states.not_seen


def test_without_a_state_those_hardly_used_are_explained(tmp_path: Path) -> None:
    found = asked(planted(POLL, C1, OFF, {**C7, "latency": 200}), None, tmp_path)
    assert [each.state for each in found.explained] == ["C6", "C7"]
    assert not asked(planted(POLL, C1, C6), None, tmp_path).explained
    (none,) = asked("/proc/cmdline:cpuidle.off=1\n", None, tmp_path).explained
    assert [reason.kind for reason in none.reasons] == ["cpuidle-off"]
    (none,) = asked(planted(POLL), None, tmp_path).explained
    assert none.title == "idle states beyond the first: no CPU has any"
    assert [reason.kind for reason in none.reasons] == ["unknown"]


@pytest.mark.parametrize(
    ("text", "said", "unsaid"),
    [
        (dump(POLL, C1, C6, governor=""), "the governor", "the kernel ("),
        (dump(POLL, C1, C6, kernel=""), "the kernel (", "the governor"),
        (
            dump(POLL, C1, C6, kernel="99.1"),
            "a model of the kernel, Linux version 99.1",
            "governor",
        ),
        (dump(POLL, C1, C6, limit=""), "latency limits of CPU 0-1", "governor"),
        (dump(POLL, C1, C6), "/dev/cpu_dma_latency", "latency limits of CPU"),
        (dump(POLL, C1, C6, more=[NO_LIMIT]), "command line", "/dev/cpu_dma_latency"),
        (dump(POLL, C1, C6, more=[CMDLINE]), "HZ: 250 is assumed", "command line"),
        (dump(POLL, C1, C6, more=["/proc/config/CONFIG_HZ:100"]), "firmware's own", "assumed"),
    ],
)
def test_what_was_not_seen_is_named(text: str, said: str, unsaid: str, tmp_path: Path) -> None:
    named = "\n".join(asked(text, None, tmp_path).not_seen)
    assert said in named
    assert unsaid not in named
    assert "what the hardware makes of an entry" in named


def directory_of(text: str, root: Path) -> Path:
    """Writes a dump's lines to files below a directory, as a machine has them."""
    for line in text.splitlines():
        path, _, value = line.partition(":")
        file = root / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{value}\n")
    return root


def collection_of(text: str, file: Path) -> Path:
    """Writes a collection, in which states and machine are apart and uname names the kernel."""
    lines = text.splitlines(keepends=True)
    texts = {
        "cpuidle.txt": "".join(line for line in lines if "/cpuidle/state" in line),
        "machine.txt": "".join(
            line for line in lines if "/cpuidle/state" not in line and "/proc/version" not in line
        ),
        "uname.txt": "6.18.3 #1 SMP x86_64\n",
    }
    with tarfile.open(file, "w") as tar:
        for name, content in texts.items():
            member = tarfile.TarInfo(f"idle-states-collection/{name}")
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content.encode()))
    return file


@pytest.mark.parametrize("make", [directory_of, collection_of])
@pytest.mark.parametrize("name", ["disable", "both limits", "same times as the next", "max_cstate"])
def test_directories_and_collections_are_read_alike(
    make: Callable[[str, Path], Path], name: str, tmp_path: Path
) -> None:
    text, state, kinds, _ = CAUSES[name]
    if make is directory_of:
        text = "\n".join(line for line in text.splitlines() if "/holders" not in line)
    machine = make(text, tmp_path / "machine")
    (found,) = why(WhyRequest(state, str(machine))).explained
    # a device is no file to be read, so its limit is not seen in a directory
    assert [r.kind for r in found.reasons] == [
        k for k in kinds if make is collection_of or k != "system-limit"
    ]


@pytest.mark.parametrize("place", ["proc/device-tree", "sys/firmware/devicetree/base"])
def test_firmware_of_a_directory_tells_what_is_lost(place: str, tmp_path: Path) -> None:
    states = [
        {**POLL, "name": "snooze", "desc": "snooze"},
        {**C1, "name": "stop0_lite", "desc": ""},
    ]
    text = planted(*states, driver="powernv_idle", kernel="4.11", cpus=(0,))
    machine = directory_of(text, tmp_path / "machine")
    assert (
        main(["generate", "power9-dd1@84368bbf8", "--to", "dtb", "-o", str(tmp_path / "t.dtb")])
        == 0
    )
    unpacked(tmp_path / "t.dtb", machine / place)
    if place.startswith("sys"):
        # as Linux has it
        (machine / "proc/device-tree").symlink_to(f"../{place}")
    kinds = {
        state: why(WhyRequest(state, str(machine))).explained[0].reasons[0].because
        for state in ("stop1", "stop9")
    }
    assert "firmware does not offer it: its table has" in kinds["stop9"]
    # a kernel that registers none
    for file in machine.glob("sys/devices/system/cpu/cpu0/cpuidle/state1/*"):
        file.unlink()
    (none,) = why(WhyRequest(None, str(machine))).explained
    assert "Linux 4.11 does not register it" in none.reasons[0].because
    assert "Linux 4.11 does not register it" in kinds["stop1"]


def unpacked(blob: Path, directory: Path) -> None:
    """Writes a device tree as /proc/device-tree shows it."""
    from idle_states.tables.devicetree import fdt

    def write(node: object, where: Path) -> None:
        where.mkdir(parents=True)
        for name, value in node.properties.items():  # type: ignore[attr-defined]
            (where / name).write_bytes(value)
        for child in node.children:  # type: ignore[attr-defined]
            write(child, where / child.name)

    write(fdt.read(blob.read_bytes(), "t"), directory)


def test_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "m.txt"
    file.write_text(planted(POLL, C1, OFF))
    assert main(["why", str(file), "c6"]) == 0
    text = capsys.readouterr().out
    assert "driver intel_idle, governor menu, Linux 6.18.3, HZ 250" in text
    assert "  C6         133/600 us     0.00 %" in text
    assert "C6 is hardly used on CPU 0-1\n  it was switched off" in text
    assert "seen in: /sys/devices/system/cpu/cpu0/cpuidle/state2/disable" in text
    assert len(text.splitlines()) < 30
    assert main(["why", "2", str(file), "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["explained"][0]["reasons"][0]["kind"] == "switched-off"
    assert document["states"][0]["states"][2]["disabled"] is True
    main(["why", str(file), "C99"])
    assert "\nC99: no CPU has such a state\n" in capsys.readouterr().out
    # another machine is recorded there, not sampled here
    assert document["not_seen"][-1].startswith("what ends idle periods") is True
    assert "--for" not in document["not_seen"][-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("C6", "C7"), "expected one state and one existing file or directory"),
        (("{file}", "{file}"), "expected one state and one existing file or directory"),
        (("C6", "m.tx"), "m.tx: no such file or directory"),
        (("{file}", "deep/C6"), "deep/C6: no such file or directory"),
        (("9", "{file}"), "expected a state of this machine, found number 9"),
    ],
)
def test_words_that_cannot_be_meant(words: tuple[str, str], message: str, tmp_path: Path) -> None:
    file = tmp_path / "m.txt"
    file.write_text(planted(POLL, C1, C6))
    with pytest.raises(UsageError, match=message):
        why(WhyRequest(*(word.format(file=file) for word in words)))


@pytest.mark.parametrize("spoil", ["yaml", "empty folder", "no text"])
def test_machine_that_cannot_be_read(spoil: str, tmp_path: Path) -> None:
    where = tmp_path / "m"
    if spoil == "empty folder":
        where.mkdir()
    else:
        where.write_text({"yaml": "name: x\n", "no text": ""}[spoil])
    with pytest.raises(Unreadable):
        why(WhyRequest("C6", str(where)))


def test_this_machine_is_read_where_nothing_is_named() -> None:
    assert WhyRequest().machine == "/"
    assert why(WhyRequest()).machine.kernel.startswith("Linux version")
    assert CPUS


def test_collect_gathers_what_why_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collect"]) == 0
    script, machine = tmp_path / "collect.sh", tmp_path / "machine.tar"
    script.write_text(capsys.readouterr().out)
    with machine.open("wb") as file:
        subprocess.run(["sh", str(script)], stdout=file, stderr=subprocess.DEVNULL, check=True)
    seen = why(WhyRequest(None, str(machine))).machine
    assert seen.kernel == Path("/proc/version").read_text().strip()
    counted = Path("/proc/interrupts").read_text().splitlines()
    assert (seen.text_of("interrupts") or "").split()[:2] == counted[0].split()[:2]
    assert seen.interrupts([0])
    siblings = Path("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list")
    if siblings.exists():
        told = seen.text_of("cpu0/topology/thread_siblings_list")
        assert told == siblings.read_text().strip()
    assert seen.text_of("cmdline") == Path("/proc/cmdline").read_text().strip()
    here = Path("/sys/devices/system/cpu/cpuidle/current_governor_ro")
    assert seen.dump.governor == (here.read_text().strip() if here.exists() else "")
