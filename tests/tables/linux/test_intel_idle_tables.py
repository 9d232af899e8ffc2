"""intel_idle's arrays and its list of processors: what is read, what is said, what is refused."""

import time
from pathlib import Path

import pytest

from idle_states.base.model.beyond_opal import BuiltIn, MatchedCpu
from idle_states.base.model.findings import Unreadable
from idle_states.cli import main
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import Subject
from idle_states.tables.sources import NoSuchTable, Source, read_source, read_sources
from tests.support.thorough import few

API = """
#define CPUIDLE_FLAG_TIMER_STOP BIT(2)
#define CPUIDLE_FLAG_UNUSABLE BIT(3)
"""
PROCESSOR = "#define X86_VENDOR_INTEL 0\n#define X86_VENDOR_OTHER 7\n"
MSRS = "#define DEMOTE_ONE (1UL << 26)\n"
FAMILIES = """
#define VFM_MAKE(v, f, m) (((m) << 0) | ((f) << 8) | ((v) << 16))
#define IFM(f, m) VFM_MAKE(X86_VENDOR_INTEL, f, m)
#define INTEL_FAM6_SMALL 0x1C
#define INTEL_SMALL IFM(6, 0x1C)
#define INTEL_BIG IFM(19, 0x01)
#define INTEL_OTHER VFM_MAKE(X86_VENDOR_OTHER, 5, 2)
"""
DRIVER = """
#include <linux/cpuidle.h>
#include <asm/intel-family.h>
#include <asm/mwait.h>
static struct cpuidle_driver intel_idle_driver = { .name = "intel_idle" };
#define CPUIDLE_FLAG_ALWAYS_ENABLE BIT(15)
#define MWAIT2flg(eax) ((eax & 0xFF) << 24)
static struct cpuidle_state small_cstates[] __initdata = {
	{ .name = "C1", .desc = "MWAIT 0x00", .flags = MWAIT2flg(0x00) | CPUIDLE_FLAG_UNUSABLE,
		.exit_latency = 1, .target_residency = 2, .enter = intel_idle },
	{ .name = "C6", .desc = "MWAIT 0x52",
		.flags = MWAIT2flg(0x52) | CPUIDLE_FLAG_ALWAYS_ENABLE | BIT(20),
		.exit_latency = 50, .target_residency = 150, .enter_s2idle = intel_idle_s2idle },
	{ .enter = NULL }
};
static struct cpuidle_state other_cstates[] = {
	{ .name = "C9", .flags = MWAIT2flg(0x90), .exit_latency = 9, .enter = &intel_idle },
	{ .enter = NULL },
	{ .name = "behind the end", .enter = intel_idle },
};
static const struct idle_cpu idle_cpu_small __initconst = {
	.state_table = small_cstates,
	.auto_demotion_disable_flags = DEMOTE_ONE,
	.disable_promotion_to_c1e = true,
	.use_acpi = false,
};
static const struct idle_cpu idle_cpu_none __initconst = { .use_acpi = true };
static const struct x86_cpu_id intel_idle_ids[] __initconst = {
	X86_MATCH_VFM(INTEL_SMALL, &idle_cpu_small),
	X86_MATCH_INTEL_FAM6_MODEL(SMALL,	&idle_cpu_small),
	INTEL_CPU_FAM6(SMALL, idle_cpu_small),
	ICPU(0x1d, idle_cpu_small),
	X86_MATCH_VFM(INTEL_BIG, &idle_cpu_none),
	X86_MATCH_VFM(INTEL_OTHER, &idle_cpu_small),
	{}
};
static const struct x86_cpu_id intel_mwait_ids[] __initconst = {
	X86_MATCH_VENDOR_FAM_FEATURE(INTEL, X86_FAMILY_ANY, X86_FEATURE_MWAIT, NULL),
	{}
};
"""


def tree(top: Path, text: str = DRIVER) -> Path:
    """A tree of the driver's file and headers; returns the file."""
    asm = "arch/x86/include/asm"
    files = {
        "include/linux/cpuidle.h": API,
        f"{asm}/mwait.h": "",
        f"{asm}/intel-family.h": FAMILIES,
        f"{asm}/processor.h": PROCESSOR,
        f"{asm}/msr-index.h": MSRS,
        # another architecture has one of the headers, and means something else
        "arch/arm/include/asm/mwait.h": "#define CPUIDLE_FLAG_UNUSABLE BIT(9)",
        "drivers/idle/intel_idle.c": text,
    }
    for name, content in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(content)
    return top / "drivers/idle/intel_idle.c"


def read(file: Path) -> tuple[Source, BuiltIn]:
    source = read_source(f"{file}:small_cstates")
    assert source.table is not None
    assert source.table.origin.form == "driver"
    return source, source.table.origin


def test_hints_stand_apart_from_flags(tmp_path: Path) -> None:
    _, found = read(tree(tmp_path))
    shallow, deep = found.states
    assert (shallow.mwait_hint, shallow.flags) == (0, 0x8)
    assert shallow.flag_names == ("CPUIDLE_FLAG_UNUSABLE",)
    assert (deep.mwait_hint, deep.flags) == (0x52, 0x52108000)
    assert deep.flag_names == ("CPUIDLE_FLAG_ALWAYS_ENABLE", "0x100000")


def test_an_array_ends_with_the_row_that_nothing_enters(tmp_path: Path) -> None:
    file = tree(tmp_path)
    assert [source.name for source in read_sources(str(file))] == ["small_cstates", "other_cstates"]
    other = read_source(f"{file}:other_cstates").table
    assert other is not None
    assert [state.name for state in other.states] == ["C9"]


def test_processors_in_every_form_of_the_list(tmp_path: Path) -> None:
    _, found = read(tree(tmp_path))
    settings = (("auto_demotion_disable_flags", 1 << 26), ("disable_promotion_to_c1e", 1))

    def cpu(name: str, model: int, vendor: int = 0, family: int = 6) -> MatchedCpu:
        return MatchedCpu(name, vendor, family, model, "idle_cpu_small", "small_cstates", settings)

    assert found.cpus == (
        cpu("SMALL", 0x1C),
        cpu("SMALL", 0x1C),
        cpu("SMALL", 0x1C),
        cpu("0x1d", 0x1D),
        cpu("OTHER", 2, 7, 5),
    )


def test_it_is_registered_behind_polling(tmp_path: Path) -> None:
    source, _ = read(tree(tmp_path))
    driver = Subject.of(source, []).linux(release("6.12"))
    assert [(each.index, each.name, each.polling) for each in driver.states] == [
        (0, "POLL", True),
        (1, "C6", False),
    ]
    assert [(lost.index, lost.cause) for lost in driver.lost] == [(0, "unusable")]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("&idle_cpu_none", "&idle_cpu_gone", "a struct idle_cpu of this file, found idle_cpu_gone"),
        ("X86_MATCH_VFM(INTEL_BIG", "X86_MATCH_NEW(INTEL_BIG", "found X86_MATCH_NEW"),
        ("INTEL_BIG,", "INTEL_HUGE,", "a constant or a known macro, found INTEL_HUGE"),
        ("= DEMOTE_ONE", "= DEMOTE_TWO", "found DEMOTE_TWO"),
        ("{ .use_acpi = true }", "{ small_cstates }", "the members of struct idle_cpu by name"),
    ],
)
def test_what_cannot_be_evaluated_is_refused(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in DRIVER
    with pytest.raises(Unreadable) as caught:
        read_sources(str(tree(tmp_path, DRIVER.replace(old, new, 1))))
    (finding,) = caught.value.findings
    assert message in finding.message
    assert finding.location.line


def test_several_tables_are_listed_with_what_tells_them_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tree(tmp_path)
    with pytest.raises(NoSuchTable) as caught:
        read_source(str(file))
    assert caught.value.choices == (
        f"{file}:small_cstates  C1 C6; SMALL and 4 more",
        f"{file}:other_cstates  C9",
    )
    assert main(["show", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].endswith("has 2 tables; name one:")
    assert lines[2] == f"  {file}:other_cstates  C9"


def test_show_names_processors_and_hints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", f"{tree(tmp_path)}:small_cstates"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "C6: MWAIT 0x52, CPUIDLE_FLAG_ALWAYS_ENABLE and 0x100000 (0x52108000)" in shown
    assert (
        "SMALL (6/0x1c), SMALL (6/0x1c), SMALL (6/0x1c), 0x1d (6/0x1d) and OTHER (5/0x2)" in shown
    )
    assert "idle_cpu_small, auto_demotion_disable_flags 0x4000000 and disable_promotion" in shown


@pytest.mark.parametrize(
    "text",
    few(
        1,
        [
            "".join(f"struct idle_cpu a{at} = {{}};\n" for at in range(20_000))
            + "struct x86_cpu_id ids[] = {"
            + "ICPU(1, x), " * 20_000
            + "{} };",
            "struct idle_cpu a = { .use_acpi = 1 }; struct x86_cpu_id ids[] = {"
            + "ICPU(1, &a), " * 50_000
            + "{} };",
            "struct idle_cpu a = {}; struct x86_cpu_id ids[] = { a" + "(" * 200_000 + "{} };",
            "struct idle_cpu a = {" + " " * 200_000 + "struct x86_cpu_id ids[] = {" * 5_000,
        ],
    ),
    ids=range(4),
)
def test_hostile_lists_end_soon(tmp_path: Path, text: str) -> None:
    head = "#define MWAIT2flg(eax) ((eax & 0xFF) << 24)\n" + DRIVER[: DRIVER.index("#define MWAIT")]
    started = time.process_time()
    with pytest.raises(Unreadable):
        read_sources(
            str(tree(tmp_path, f"{head}\nstruct cpuidle_state x[] = {{ {{ 1 }} }};{text}"))
        )
    assert time.process_time() - started < 5
