"""Logs of firmware and kernel are read as the models would write them, in every form there is."""

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from idle_states.base.model.stages import Logged, Message
from idle_states.tables.linux import log as linux_log
from idle_states.tables.linux import register
from idle_states.tables.linux.log import LinuxLog, LoggedStop, RefusedState
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot import log as opal_log
from idle_states.tables.skiboot.export import export
from idle_states.tables.skiboot.log import NamedState, OpalLog
from idle_states.tables.skiboot.platform import parse_platform
from idle_states.tables.sources import read_source, read_sources
from idle_states.tables.spec.library import find
from tests.support import random_tables
from tests.support.thorough import examples

NUMBERS = {"error": 3, "warning": 4, "notice": 5, "info": 6, "debug": 7}
WORDS = {"error": "err", "warning": "warn", "notice": "notice", "info": "info", "debug": "debug"}


def raw(message: Message) -> str:
    return f"<{NUMBERS[message.level]}>[   12.345678] {message.text}"


def decoded(message: Message) -> str:
    return f"kern  :{WORDS[message.level]:<6}: [Sat Nov 21 19:03:11 2026] {message.text}"


def plain(message: Message) -> str:
    return f"[    0.118132] {message.text}"


def caller(message: Message) -> str:
    return f"[    0.118132][    T1] {message.text}"


def journal(message: Message) -> str:
    return f"Nov 21 19:03:11 p9-host kernel: {message.text}"


def monotonic(message: Message) -> str:
    return f"[    0.118132] p9-host kernel: {message.text}"


def iso(message: Message) -> str:
    return f"2026-11-21T19:03:11+0000 p9-host kernel: {message.text}"


def bare(message: Message) -> str:
    return message.text


Form = Callable[[Message], str]
FORMS = (raw, decoded, plain, caller, journal, monotonic, iso, bare)
WITH_LEVEL = (raw, decoded)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kernel", ["3.17", "4.4", "4.8", "4.11", "4.12", "4.19", "5.2", "6.1"])
@settings(deadline=None, max_examples=examples(4, 8))
@given(seed=st.integers(0, 2**32))
def test_what_the_driver_says_is_read_back(form: Form, kernel: str, seed: int) -> None:
    rng = random.Random(seed)
    states = random_tables.states(rng, 12, longest_name=15)
    table = replace(find("power9"), states=tuple(states))
    node = export(table, parse_platform("all-levels")).node
    assert table.cpu
    driver = register(node, table.cpu, release(kernel), stop_api=rng.random() < 0.7)
    log = "\n".join(["[    0.0] Linux version 9.9", *map(form, driver.messages), "[ 1.0] other"])
    (boot,) = linux_log.read(log)
    level = {id(m): m.level if form in WITH_LEVEL else "" for m in driver.messages}
    assert boot.messages == tuple(
        Logged(line, level[id(message)], message.text)
        for line, message in enumerate(driver.messages, start=2)
    )
    features = release(kernel).features
    if features.choices == "found" and boot.default_stop:
        assert driver.default_stop
        stop = (boot.default_stop.psscr, boot.default_stop.mask)
        assert stop == (driver.default_stop.psscr, driver.default_stop.mask)
    if features.loss_levels == "hex" and boot.spr_loss_level is not None:
        assert boot.spr_loss_level == driver.spr_loss_level
    refused = [m for m in driver.messages if m.text.startswith("Invalid psscr")]
    assert len(boot.refused) == len(refused)


@settings(deadline=None, max_examples=examples(25, 100))
@given(seed=st.integers(0, 2**32))
def test_what_the_export_says_is_read_back(seed: int) -> None:
    rng = random.Random(seed)
    states = random_tables.states(rng, 12, longest_name=15)
    mask = f",nvram-disable-mask={rng.choice(['0x0', '0xfc000000', '0x1'])}"
    platform = parse_platform("op920" + rng.choice(["", mask]))
    result = export(replace(find("power9"), states=tuple(states)), platform)
    lines = [
        f"[   55.{number:09},{NUMBERS[message.level]}] {message.text}"
        for number, message in enumerate(result.messages)
    ]
    boots = opal_log.read("\n".join(["[    0.000000001,5] OPAL v7.0 starting...", *lines]))
    assert len(boots) == 1
    (boot,) = boots
    assert boot.version == "v7.0"
    assert boot.messages == tuple(
        Logged(line, message.level, message.text)
        for line, message in enumerate(result.messages, start=2)
    )
    assert [one.name for one in boot.enabled] == [states[index].name for index in result.indices]
    masked = {"disabled-by-opal", "disabled-by-nvram"}
    assert [one.name for one in boot.disabled] == [
        lost.state for lost in result.lost if lost.cause in masked
    ]


POWER9 = """\
[    0.000000] Linux version 6.1.0-13-powerpc64le (gcc) #1 SMP
[    0.118132] cpuidle: using governor ladder
[    0.118133] cpuidle: using governor menu
[    0.200000] Invalid psscr 0x0000000000200372 : ESL,EC bits unequal
[    0.200001] cpuidle-powernv: Default stop: psscr = 0x0000000000000330,mask=0x00000000003003ff
[    0.200002] cpuidle-powernv: Deepest stop: psscr = 0x0000000000300375,mask=0x00000000003003ff
[    0.200003] cpuidle-powernv: First stop level that may lose SPRs = 0x10
[    0.200004] cpuidle-powernv: First stop level that may lose timebase = 0x10
[    1.200004] Hardware name: 8335-GTH POWER9 (raw) 0x4e1202 opal:skiboot-v6.4 PowerNV
[    1.300004] Hardware name: 8335-GTH POWER9 (raw) 0x4e1202 0xf000005 opal:skiboot-v6.4 PowerNV
[    2.000000] cpuidle-powernv: missing ibm,cpu-idle-state-psscr in DT
[    2.000001] cpuidle-powernv : Only Snooze is available
[    2.000002] cpuidle-powernv: Disabling idle states that lose full context
[    2.000003] cpuidle-powernv: Offlined CPUs will stop with psscr = 0x0000000000300371
"""


def test_facts_of_a_kernel_log() -> None:
    (boot,) = linux_log.read(POWER9)
    assert boot == LinuxLog(
        version="6.1.0-13-powerpc64le",
        governor="menu",
        default_stop=LoggedStop(5, 0x330, 0x3003FF),
        deepest_stop=LoggedStop(6, 0x300375, 0x3003FF),
        offline_psscr=0x300371,
        spr_loss_level=16,
        tb_loss_level=16,
        refused=(RefusedState(4, 0x200372, "ESL,EC bits unequal"),),
        only_snooze=True,
        no_full_loss=True,
        missing=("ibm,cpu-idle-state-psscr",),
        pvr=0x4E1202,
        messages=boot.messages,
    )
    assert [message.line for message in boot.messages] == [2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14]


MSGLOG = """\
[    0.000029190,5] OPAL skiboot-v6.0.22 starting...
[    0.000100000,6] CPU: P9 generation processor (max 4 threads/core)
[    0.000100001,7] CPU: Boot CPU PIR is 0x0004 PVR is 0x004e1202
[   55.000000001,7] CPU idle state device tree init
[   55.000000002,7] NVRAM stop disable mask: 8000000
[   55.000000003,6] SLW: Enabling: stop0_lite
[   55.000000004,5] SLW: Enabling: stop4 (disabled in OPAL, forced by NVRAM)
[   55.000000005,5] SLW: Disabling: stop11 in OPAL
[   55.000000006,3] SLW: No stop levels available. Power saving is disabled!
[   55.000000007,3] Disabling deep stop states
[   55.000000008,4] SLW: Sleep not enabled by HB on this platform
[   60.1] a kernel's line
"""


def test_facts_of_an_opal_log() -> None:
    (boot,) = opal_log.read(MSGLOG)
    assert boot == OpalLog(
        version="skiboot-v6.0.22",
        pvr=0x4E1202,
        generation="power9",
        enabled=(NamedState(6, "stop0_lite"), NamedState(7, "stop4")),
        forced=(NamedState(7, "stop4"),),
        disabled=(NamedState(8, "stop11"),),
        nvram_mask=0x8000000,
        fast_sleep=False,
        no_levels=True,
        no_deep=True,
        messages=boot.messages,
    )
    assert [(m.line, m.level) for m in boot.messages] == [
        (4, "debug"), (5, "debug"), (6, "info"), (7, "notice"), (8, "notice"), (9, "error"),
        (10, "error"), (11, "warning"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "state", "by_nvram"),
    [
        # OPAL's own mask: levels 0 to 2, then 4 and 5 too, then all of 0 to 5
        ("OPAL v6.0-rc1 starting...", "stop4", False),
        ("OPAL v6.0-rc2 starting...", "stop4", True),
        ("OPAL skiboot-v6.4-3-g12ab starting...", "stop3", False),
        ("OPAL v7.0 starting...", "stop3", True),
        ("OPAL v7.0 starting...", "stop11", False),
        ("OPAL v7.0 starting...", "winkle", False),
        # no mask at all before 6.0: a build between 5.11 and 6.0 has the least that any has
        ("OPAL v5.11-219-g4e23 starting...", "stop2_lite", True),
        ("OPAL v5.11-219-g4e23 starting...", "stop4", False),
        # a build named by its commit alone: the first release that knows the processor
        ("CPU: P10 generation processor (max 8 threads/core)", "stop3", True),
        ("CPU: P9 generation processor (max 4 threads/core)", "stop4", False),
        ("CPU: P9 generation processor (max 4 threads/core)", "stop2", True),
        ("CPU: P77 generation processor", "stop31", False),
    ],
)
def test_which_mask_disabled_a_state_follows_from_the_release(
    head: str, state: str, by_nvram: bool
) -> None:
    text = f"[    0.100000000,5] {head}\n[    0.200000000,5] SLW: Disabling: {state} in OPAL\n"
    (boot,) = opal_log.read(text)
    assert [one.name for one in opal_log.masked_by_nvram(boot)] == [state] * by_nvram


@pytest.mark.parametrize(
    ("version", "more", "sure"),
    [
        ("skiboot-v7.0", "", True),
        ("skiboot-v7.0-pa801895", "", False),
        ("v7.0-66-gd6d8386-dirty", "", False),
        ("skiboot-v7.0-pa801895", "[    0.200000000,7] NVRAM stop disable mask: 7fffffff\n", True),
    ],
)
def test_a_build_with_patches_may_have_another_mask(
    version: str, more: str, sure: bool, tmp_path: Path
) -> None:
    log = tmp_path / "msglog"
    log.write_text(
        f"[    0.100000000,5] OPAL {version} starting...\n{more}"
        "[    0.300000000,5] SLW: Disabling: stop3 in OPAL\n"
    )
    (finding,) = read_sources(str(log))[0].findings
    assert (f"unless a patch of this build ({version})" in finding.message) != sure


def test_a_quoted_line_is_the_one_that_is_numbered_whatever_ends_lines(tmp_path: Path) -> None:
    log = tmp_path / "console.log"
    log.write_bytes(b"\x0c[0.1] a\rb\r\r\n[    0.200000000,3] SLW: No stop levels available\r\n")
    (source,) = read_sources(str(log))
    (finding,) = source.findings
    assert finding.location.line == 2
    (text,) = source.texts.values()
    assert "No stop levels" in text.splitlines()[1]


PRINTED = """\
[    0.100000000,5] OPAL v7.0 starting...
[    0.200000000,6] SLW: Enabling: stop0_lite
# dtc -I fs /proc/device-tree
/dts-v1/;
/ {
    ibm,opal {
        power-mgt {
            ibm,cpu-idle-state-names = "stop0_lite";
            ibm,cpu-idle-state-flags = <0x100000>;
        };
    };
};
# reboot
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_tree_that_was_printed_in_a_log_is_read(dtc: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "console.log"
    path.write_text(PRINTED.replace("\n", end), newline="")
    log, tree = read_sources(str(path))
    assert log.table is None
    assert dict(log.facts)["exports"] == "stop0_lite"
    assert tree.table is not None
    assert [state.name for state in tree.table.states] == ["stop0_lite"]
    assert tree.sha256 == log.sha256
    assert read_source(str(path)).table == tree.table
    assert tree.node is not None
    assert (tree.node.where.file, tree.node.where.line) == (str(path), 7)
    # the last lines of another tree are missing, a third is not closed by them
    path.write_text(
        PRINTED.replace("/dts-v1/;", "/dts-v1/;\n/ {\n};\n/dts-v1/;\n/ { x = <;\n};", 1)
    )
    log, *trees = read_sources(str(path))
    assert len(trees) == 1
    assert [(f.rule, f.location.line) for f in log.findings] == [("IS931", 8)]
    path.write_text(PRINTED[: PRINTED.index("\n};")])
    assert len(read_sources(str(path))) == 1


def test_both_logs_may_be_in_one_capture() -> None:
    capture = MSGLOG + POWER9
    (firmware,) = opal_log.read(capture)
    assert firmware.enabled == opal_log.read(MSGLOG)[0].enabled
    kernel = linux_log.read(capture)[-1]
    assert kernel.version == "6.1.0-13-powerpc64le"
    assert kernel.default_stop == LoggedStop(17, 0x330, 0x3003FF)


def test_each_boot_has_its_own_facts() -> None:
    one, other = linux_log.read(POWER9 + "[    0.0] Linux version 4.11.0\n")
    assert (one.version, other.version) == ("6.1.0-13-powerpc64le", "4.11.0")
    assert other == LinuxLog(version="4.11.0")
    assert len(opal_log.read(MSGLOG * 3)) == 3


@pytest.mark.parametrize("read", [linux_log.read, opal_log.read])
@settings(deadline=None, max_examples=examples(50, 100))
@given(
    text=st.lists(
        st.one_of(
            st.text(max_size=80),
            st.sampled_from([*POWER9.splitlines(), *MSGLOG.splitlines()]).flatmap(
                lambda line: st.builds(lambda at: line[:at], st.integers(0, len(line)))
            ),
        )
    ).map("\n".join)
)
def test_no_text_is_too_odd(read: Callable[[str], tuple[object, ...]], text: str) -> None:
    count = text.count("\n") + 1
    for boot in read(text):
        assert all(1 <= m.line <= count for m in boot.messages)  # type: ignore[attr-defined]


def test_long_lines_take_no_time_and_say_nothing() -> None:
    for line in ("[" * 10**6, " " * 10**6, "a" * 10**6 + " kernel: x", "kern :" * 10**5):
        assert linux_log.read(line) == ()
        assert opal_log.read(line) == ()
