"""review of a repository of Linux: the tables built into drivers, and intel_idle's processors."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from idle_states.base.reading.git.repository import Repository
from idle_states.change.review import drivers as drivers_module
from idle_states.change.review.drivers import DriversTree
from idle_states.cli import main
from tests.support.git_history import History

Capture = pytest.CaptureFixture[str]
FILE = "drivers/idle/intel_idle.c"
KERNELS = ("--kernel", "6.1", "--runs", "0")
HEADERS = {
    "Makefile": "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 0\nEXTRAVERSION =\nNAME = A Name\n",
    "include/linux/cpuidle.h": "#define CPUIDLE_FLAG_UNUSABLE BIT(3)\n",
    "arch/x86/include/asm/mwait.h": "#define MWAIT_SHIFT 24\n",
    "arch/x86/include/asm/intel-family.h": (
        "#define IFM(f, m) (((m) << 0) | ((f) << 8))\n"
        "#define INTEL_OLD IFM(6, 0x10)\n#define INTEL_NEW IFM(6, 0x11)\n"
        "#define INTEL_BARE IFM(6, 0x12)\n"
    ),
}
DRIVER = """\
#include <linux/cpuidle.h>
#include <asm/intel-family.h>
#include <asm/mwait.h>
#define CPUIDLE_FLAG_DEEP BIT(16)
#define MWAIT2flg(eax) ((eax & 0xFF) << MWAIT_SHIFT)
static struct cpuidle_state old_cstates[] __initdata = {
	{ .name = "C1", .flags = MWAIT2flg(0x00),
		.exit_latency = 2, .target_residency = 2, .enter = intel_idle },
	{ .name = "C6", .flags = MWAIT2flg(0x20),
		.exit_latency = 75, .target_residency = 200, .enter = intel_idle },
	{ .enter = NULL }
};
static struct cpuidle_state new_cstates[] __initdata = {
	{ .name = "C1", .flags = MWAIT2flg(0x00),
		.exit_latency = 1, .target_residency = 1, .enter = intel_idle },
	{ .name = "C8", .flags = MWAIT2flg(0x40),
		.exit_latency = 300, .target_residency = 900, .enter = intel_idle },
	{ .enter = NULL }
};
static const struct idle_cpu idle_cpu_old __initconst = { .state_table = old_cstates };
static const struct idle_cpu idle_cpu_new __initconst = {
	.state_table = new_cstates,
	.use_acpi = true,
};
static const struct idle_cpu idle_cpu_bare __initconst = { .disable_promotion_to_c1e = true };
static const struct x86_cpu_id intel_idle_ids[] __initconst = {
	X86_MATCH_VFM(INTEL_OLD, &idle_cpu_old),
	{}
};
static void update(void)
{
	if (is_off())
		old_cstates[1].exit_latency = 50;
}
"""
ROW = """\
	{ .name = "C9", .flags = MWAIT2flg(0x50),
		.exit_latency = 480, .target_residency = 5000, .enter = intel_idle },
"""


@pytest.fixture
def linux(tmp_path: Path) -> History:
    made = History(tmp_path / "linux")
    made.commit({**HEADERS, FILE: DRIVER})
    return made


def changed(*pairs: tuple[str, str]) -> str:
    text = DRIVER
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


LATENCY = (".exit_latency = 75", ".exit_latency = 85")


def reviewed(linux: History, *words: str) -> int:
    return main(["review", "--tree", str(linux.directory), *KERNELS, *words])


def document(linux: History, capsys: Capture, *words: str) -> Any:
    reviewed(linux, "--format", "json", *words)
    return json.loads(capsys.readouterr().out)


def said(linux: History, capsys: Capture, *words: str) -> str:
    reviewed(linux, *words)
    return " ".join(capsys.readouterr().out.split())


def differences(change: Any) -> list[tuple[str, str, str]]:
    """(table, path, "before -> after")."""
    return [
        (table["after"]["name"], each["path"], f"{each['a']} -> {each['b']}")
        for table in change["tables"]
        for each in table["differences"]
    ]


def test_governors_see_less_than_a_microsecond(linux: History, capsys: Capture) -> None:
    row = '{ .name = "C0.2", .exit_latency_ns = 100, .target_residency_ns = 200, .enter = f },'
    first = '{ .name = "C1", .flags = MWAIT2flg(0x00),\n\t\t.exit_latency = 2'
    linux.commit({FILE: changed((first, f"{row}\n\t{first}"))}, "C0.2")
    out = said(linux, capsys)
    assert "Linux 6.12: C0.2: absent -> 100/200 ns" in out
    assert "gains C0.2" in out


def test_values_rows_and_flags(linux: History, capsys: Capture) -> None:
    more = "MWAIT2flg(0x20) | CPUIDLE_FLAG_DEEP"
    end = "{ .enter = NULL }\n};\nstatic struct cpuidle_state new"
    text = changed(LATENCY, ("MWAIT2flg(0x20)", more), (end, ROW.strip() + "\n\t" + end))
    linux.commit({FILE: text}, "C6, C9")
    (change,) = document(linux, capsys)["changes"]
    assert differences(change) == [
        ("old_cstates", "states.C6.latency", "75us -> 85us"),
        ("old_cstates", "states.C6.flags", "none -> CPUIDLE_FLAG_DEEP"),
        ("old_cstates", "states.C9", "absent -> 480us/5ms"),
    ]
    (table,) = change["tables"]
    # what is registered is said of the kernel that the driver is of
    assert [each["kernels"] for each in table["linux"]] == [["6.12"]]
    assert table["machines"]["then"][0] == "6.12"
    assert change["processors"] == []


def test_a_row_that_is_no_longer_used_is_lost(linux: History, capsys: Capture) -> None:
    linux.commit({FILE: changed(("MWAIT2flg(0x20)", "MWAIT2flg(0x20) | CPUIDLE_FLAG_UNUSABLE"))})
    (change,) = document(linux, capsys)["changes"]
    (table,) = change["tables"]
    ((registered,),) = [each["differences"] for each in table["linux"]]
    assert registered == {"path": "states.C6", "a": "75/200 us", "b": "absent"}
    # by the governor that was asked for, and by that of the kernel the driver is of
    kernels = [name for each in table["selection"] for name in each["kernels"]]
    assert sorted(kernels) == ["6.1", "6.12"]
    for each in table["selection"]:
        assert (each["differences"][-1]["a"], each["differences"][-1]["b"]) == ("C6", "C1")
    assert "menu on Linux 6.12, the tree's" in said(linux, capsys)


def test_governors_are_asked_for(linux: History, capsys: Capture) -> None:
    linux.commit({FILE: changed((".target_residency = 200", ".target_residency = 600"))})
    ranges = {}
    for governor in ("menu", "teo"):
        (change,) = document(linux, capsys, "--governor", governor)["changes"]
        (on,) = change["tables"][0]["machines"]["kernels"][:1]
        ranges[governor] = [(m["from_ns"], m["before"], m["after"]) for m in on["interrupted"]]
        assert any("C6" in before and after == ["C1"] for _, before, after in ranges[governor])
    assert ranges["menu"] != ranges["teo"]


def test_processors_get_other_tables(linux: History, capsys: Capture) -> None:
    listed = "X86_MATCH_VFM(INTEL_OLD, &idle_cpu_old),\n"
    new = (
        "X86_MATCH_VFM(INTEL_OLD, &idle_cpu_new),\n\tX86_MATCH_VFM(INTEL_NEW, &idle_cpu_new),\n"
        "\tX86_MATCH_VFM(INTEL_BARE, &idle_cpu_bare),\n"
    )
    linux.commit({FILE: changed((listed, new))}, "List two more")
    (change,) = document(linux, capsys)["changes"]
    assert change["tables"] == []
    shown = [
        (p["name"], p["before"], p["after"] and p["after"]["table"]) for p in change["processors"]
    ]
    old = {"table": "old_cstates", "entry": "idle_cpu_old", "settings": {}}
    assert shown == [("OLD", old, "new_cstates"), ("NEW", None, "new_cstates"), ("BARE", None, "")]
    for form in ("text", "markdown"):
        text = said(linux, capsys, "--format", form).replace("\\_", "_").replace("\\>", ">")
        assert "no table changed, 3 processors treated differently" in text
        assert "OLD: old_cstates -> new_cstates, use_acpi" in text.replace("&gt;", ">")
        assert "BARE: not listed -> ACPI's states, disable_promotion_to_c1e" in text.replace(
            "&gt;", ">"
        )


def test_a_setting_that_is_gained(linux: History, capsys: Capture) -> None:
    linux.commit({FILE: changed(("= old_cstates }", "= old_cstates, .use_acpi = true }"))})
    assert "OLD: old_cstates, gains use_acpi" in said(linux, capsys)


def test_what_the_driver_does_with_a_table(linux: History, capsys: Capture) -> None:
    linux.commit({FILE: changed(("if (is_off())", "if (is_on())"))})
    (change,) = document(linux, capsys)["changes"]
    assert differences(change) == [
        (
            "old_cstates",
            "in update()",
            "if (is_off()) old_cstates[1].exit_latency = 50 -> "
            "if (is_on()) old_cstates[1].exit_latency = 50",
        )
    ]


@pytest.mark.parametrize(
    "files",
    [
        {FILE: DRIVER.replace("static void update", "/* when it starts */\nstatic void update")},
        {FILE: DRIVER.replace("__initdata ", "")},
        # a flag of another bit and the same name
        {FILE: DRIVER.replace("BIT(16)", "BIT(17)").replace("0x20)", "0x20) | CPUIDLE_FLAG_DEEP")},
        {"include/linux/cpuidle.h": HEADERS["include/linux/cpuidle.h"] + "#define MORE 1\n"},
        {"drivers/idle/other_idle.c": "int none;\n", "drivers/net/x.c": DRIVER},
    ],
)
def test_what_makes_no_other_table_is_quiet(
    files: dict[str, str | bytes | None], linux: History, capsys: Capture
) -> None:
    if "CPUIDLE_FLAG_DEEP," in str(files.get(FILE)):
        linux.commit({FILE: DRIVER.replace("0x20)", "0x20) | CPUIDLE_FLAG_DEEP")})
    linux.commit(files)
    assert reviewed(linux) == 0
    assert capsys.readouterr().out.startswith("No table changes.\n")


def test_a_header_may_change_a_table(linux: History, capsys: Capture) -> None:
    header = "arch/x86/include/asm/intel-family.h"
    linux.commit({header: HEADERS[header].replace("IFM(6, 0x10)", "IFM(6, 0x20)")})
    (change,) = document(linux, capsys)["changes"]
    shown = [(p["name"], bool(p["before"]), bool(p["after"])) for p in change["processors"]]
    assert shown == [("OLD", True, False), ("OLD", False, True)]


def test_a_source_that_cannot_be_read_is_a_finding(linux: History, capsys: Capture) -> None:
    linux.commit({FILE: changed(("= 75", "= HOW_MANY"))})
    assert reviewed(linux) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert f"Not compared, not readable at one end: {FILE}" in out
    assert f"{FILE}:10" in out
    assert "HOW_MANY" in out


def test_messages_are_held_against_the_rows(linux: History, capsys: Capture) -> None:
    linux.commit({FILE: changed(LATENCY)}, "Raise the exit latency of C6 from 75us to 90us")
    (change,) = document(linux, capsys)["changes"]
    (claim,) = [each for each in change["claims"] if each["verdict"] != "not checked"]
    assert (claim["verdict"], claim["rule"]) == ("contradicted", "IS511")


def test_a_patch_by_mail(linux: History, tmp_path: Path, capsys: Capture) -> None:
    linux.commit({FILE: changed(LATENCY)}, "Raise the exit latency of C6 from 75us to 85us")
    mails = tmp_path / "mails"
    linux.git("format-patch", "-q", "-1", "-o", str(mails))
    linux.git("reset", "-q", "--hard", "HEAD~1")
    found = document(linux, capsys, str(mails))
    (change,) = found["changes"]
    assert differences(change) == [("old_cstates", "states.C6.latency", "75us -> 85us")]
    assert [each["verdict"] for each in change["claims"]] == ["holds"]
    # without the repository, the other rows are not known
    assert main(["review", str(mails), *KERNELS]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "of old_cstates the diff shows some rows: the others are not known" in out
    assert "C6: latency 75us -> 85us" in out


def test_each_commit_and_merges(linux: History, capsys: Capture) -> None:
    base = linux.git("rev-parse", "HEAD")
    linux.git("checkout", "-q", "-b", "other")
    linux.commit({FILE: changed((".exit_latency = 300", ".exit_latency = 310"))}, "Raise C8")
    linux.git("checkout", "-q", "main")
    linux.commit({FILE: changed(LATENCY)}, "Raise C6")
    linux.git("merge", "-q", "--no-ff", "-m", "Merge", "other")
    found = document(linux, capsys, "--per-commit", f"{base}..HEAD")
    shown = {change["subject"]: differences(change) for change in found["changes"]}
    assert shown == {
        "Raise C6": [("old_cstates", "states.C6.latency", "75us -> 85us")],
        "Raise C8": [("new_cstates", "states.C8.latency", "300us -> 310us")],
    }


def test_only_what_is_concerned_is_read(
    linux: History, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: object) -> None:
        raise AssertionError(given)

    linux.commit({"drivers/net/x.c": "int x;\n", "Makefile": "VERSION = 6\nPATCHLEVEL = 13\n"})
    monkeypatch.setattr(drivers_module.in_tree, "tables_in", refuse)
    assert reviewed(linux) == 0
    capsys.readouterr()


@pytest.mark.parametrize(
    ("makefile", "name"),
    [
        (HEADERS["Makefile"], "6.12"),
        ("VERSION = 6\nPATCHLEVEL = 1\nSUBLEVEL = 192\nEXTRAVERSION =\n", "6.1.192"),
        ("VERSION = 6\nPATCHLEVEL = 19\nSUBLEVEL = 0\nEXTRAVERSION = -rc3\n", "6.19-rc3"),
        ("all:\n\techo nothing\n", ""),
        (None, ""),
    ],
)
def test_the_kernel_by_its_makefile(linux: History, makefile: str | None, name: str) -> None:
    head = linux.commit({"Makefile": makefile})
    repository = Repository(linux.directory)
    try:
        assert DriversTree(repository, head, head).release_of(head) == name
    finally:
        repository.close()


def test_random_rows_are_told_as_they_change(linux: History, capsys: Capture) -> None:
    """Times drawn for each row: the review names just those that differ."""
    drawn = random.Random(15)
    times = {".exit_latency = 75": 75, ".target_residency = 200": 200, ".exit_latency = 300": 300}
    for _ in range(3):
        new = {
            text: drawn.choice([value, value + drawn.randrange(1, 90)])
            for text, value in times.items()
        }
        text = changed(*((old, f"{old.rpartition(' ')[0]} {value}") for old, value in new.items()))
        linux.commit({FILE: text})
        base = linux.git("rev-list", "--max-parents=0", "HEAD")
        changes = document(linux, capsys, f"{base}..HEAD")["changes"]
        moved = sorted(each[2] for change in changes for each in differences(change))
        assert moved == sorted(
            f"{times[each]}us -> {value}us" for each, value in new.items() if value != times[each]
        )


def test_of_many_copies_of_a_driver_few_are_read(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    linux = History(tmp_path / "linux")
    linux.commit({**HEADERS, "drivers/cpuidle/cpuidle.c": "x", "drivers/cpuidle/driver.c": "x"})
    linux.commit({f"drivers/idle/copy{n:02}.c": DRIVER for n in range(40)})
    read: list[str] = []
    tables_in = drivers_module.in_tree.tables_in

    def counted(files: Any, path: str, *words: Any) -> Any:
        read.append(path)
        return tables_in(files, path, *words)

    monkeypatch.setattr(drivers_module.in_tree, "tables_in", counted)
    assert main(["review", "--tree", str(linux.directory), *KERNELS, "HEAD~1.."]) in (0, 1)
    assert len(read) == 16
    text = " ".join(capsys.readouterr().out.split())
    assert "drivers/idle/copy00.c is reviewed for the 24 other paths with the same content" in text
