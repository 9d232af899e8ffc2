"""The export code of a skiboot tree, read from its C, against what is known of the releases."""

import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from idle_states.base.model.table import Firmware
from idle_states.tables.check.check import check
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.releases import release
from idle_states.tables.skiboot import c_table
from idle_states.tables.skiboot.export import export
from idle_states.tables.skiboot.export_code import placed, read_export_code
from idle_states.tables.skiboot.platform import ALL_LEVELS, parse_platform
from idle_states.tables.skiboot.releases import (
    ExportCode,
    Role,
    UnknownSkiboot,
    skiboot_features,
)
from idle_states.tables.sources import read_sources, read_table
from idle_states.tables.spec.library import find
from tests.support.releases import known_chips

CHOICE = """
void add_cpu_idle_state_properties(void)
{
	u32 opal_disabled_states_mask = ~0xE8000000; /* not stop3 */
	if (proc_gen >= proc_gen_p9) {
		if (chip->type == PROC_CHIP_P9_NIMBUS || chip->type == PROC_CHIP_P9P) {
			if (proc_chip_quirks & QUIRK_MAMBO_CALLOUTS) {
				states = simulated_cpu_idle_states;
			} else if (this_cpu()->is_fused_core) {
				states = big_cpu_idle_states;
			} else {
				states = power9_cpu_idle_states;
			}
		} else if (chip->type == PROC_CHIP_P10) {
			states = power10_cpu_idle_states;
		} else {
			prlog(PR_ERR, "determining chip type\\n");
			return;
		}
		stop_levels = dt_prop_get_u32_def(power_mgt, "ibm,enabled-stop-levels", 0);
	}
	if (nvram_query_dangerous("opal-stop-state-disable-mask"))
		;
	dt_add_property(power_mgt, "ibm,cpu-idle-state-psscr", buffer, size);
}
"""
INIT = """
void slw_init(void)
{
	if (chip_quirk(QUIRK_MAMBO_CALLOUTS)) {
		wakeup_engine_state = WAKEUP_ENGINE_NOT_PRESENT;
		/* add_cpu_idle_state_properties(); */
		return;
	}
	add_cpu_idle_state_properties();
}
"""


def code_of(*texts: str) -> ExportCode:
    found = read_export_code({f"hw/{at}.c": text for at, text in enumerate(texts)})
    assert found is not None
    return found


def test_masks_chips_and_quirks_are_read() -> None:
    code = code_of(CHOICE + INIT)
    assert code.features.opal_levels == 0xE800_0000
    assert code.features.mambo == "no properties"
    assert (code.features.fused_core, code.features.dd1) == (True, "")
    assert code.features.unknown_chip_returns
    assert code.features.nvram_mask
    assert code.chips == {"P9_NIMBUS", "P9P", "P10"}
    power9 = ("P9_NIMBUS", "P9P")
    assert dict(code.roles) == {
        "simulated_cpu_idle_states": Role("mambo", power9),
        "big_cpu_idle_states": Role("fused-core", power9),
        "power9_cpu_idle_states": Role("", power9),
        "power10_cpu_idle_states": Role("", ("P10",)),
    }
    # a comment is no call
    calling = INIT.replace("/* ", "").replace(" */", "")
    assert code_of(CHOICE + calling).features.mambo == "own table"


def test_what_is_no_export_code() -> None:
    texts = ["", "int x;", "void add_cpu_idle_state_properties(void);"]
    assert read_export_code({f"hw/{at}.c": text for at, text in enumerate(texts)}) is None


@pytest.mark.parametrize("mask", ["~(0xE8000000 | FOO)", "f()", "", "(((", "1 +"])
def test_a_mask_that_cannot_be_evaluated_is_said(mask: str) -> None:
    code = code_of(CHOICE.replace("~0xE8000000", mask))
    assert code.features.opal_levels is None
    (said,) = (text for text in code.unread if "choose" not in text)
    assert "a value of opal_disabled_states_mask" in said


def test_check_says_what_it_could_not_read(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "hw").mkdir()
    tables = c_table.write([find("power9")])
    for mask, expected in (("f()", ["IS932"]), ("~0xE8000000", [])):
        text = tables + CHOICE.replace("~0xE8000000", mask)
        (tmp_path / "hw/slw.c").write_text(text)
        found = check(read_sources(str(tmp_path)), Criteria((release("6.6"),)))
        unread = [f.rule for f in found if "can be evaluated" in f.message]
        assert unread == expected
        masked = {f.message.partition(" is never")[0] for f in found if f.rule == "IS320"}
        assert masked == set()
    (tmp_path / "hw/slw.c").write_text(text.replace("type ==", "homer_base && chip->type ==", 1))
    found = check(read_sources(str(tmp_path)), Criteria((release("6.6"),)))
    messages = [f.message for f in found if f.rule == "IS320"]
    assert [m.partition(" is never")[0] for m in messages] == ["stop5", "stop8", "stop11"]
    assert "OPAL's own mask allows levels 0xe8000000" in messages[0]


def test_a_mask_may_be_a_macro_of_the_file() -> None:
    text = "#define MASK (~0xE8000000)\n" + CHOICE.replace("~0xE8000000", "MASK")
    assert code_of(text).features.opal_levels == 0xE800_0000


def test_what_is_not_closed_does_no_harm() -> None:
    for end in range(0, len(CHOICE), 7):
        read_export_code({"hw/slw.c": CHOICE[:end]})


def test_export_goes_by_the_code_unless_a_release_is_named() -> None:
    code, power9 = code_of(CHOICE + INIT), find("power9")

    def names(platform: str, with_code: ExportCode | None) -> list[str]:
        made = export(power9, parse_platform(platform), with_code)
        return [power9.states[index].name for index in made.indices]

    # nothing here looks for a HOMER
    assert names("all-levels", code) == ["stop0_lite", "stop0", "stop1", "stop2"]
    narrow = code_of(CHOICE.replace("~0xE8000000", "~0x80000000"))
    assert names("all-levels", narrow) == ["stop0_lite", "stop0"]
    assert names("all-levels", None)[-1] == "stop5"
    assert names("mambo", code) == []
    assert names("skiboot=7.0", code) == names("skiboot=7.0", None)
    assert export(find("power11"), ALL_LEVELS, code).lost[0].cause == "unknown-chip"


def test_a_renamed_array_is_known_by_its_role() -> None:
    code = code_of(CHOICE)
    made = c_table.write([find("power9-mambo")]).replace("power9_mambo_", "simulated_")
    (table,) = c_table.read(made, "hw/slw.c")
    assert (table.cpu, table.firmware.quirk) == (None, "")
    named = placed(table, code)
    assert named.cpu == find("power9").cpu
    assert named.firmware == Firmware("simulated_cpu_idle_states", "hw/slw.c", quirk="mambo")
    # the packaged name says more
    assert placed(find("power9-fused"), code) == find("power9-fused")
    other = replace(table, firmware=Firmware(array="other_cpu_idle_states"))
    assert placed(other, code) == other


@pytest.fixture(scope="module")
def skiboot() -> str:
    directory = os.environ.get("SKIBOOT", "")
    if not directory:
        pytest.skip("SKIBOOT names no clone of skiboot")
    return directory


def shown(directory: str, revision: str, path: str) -> str:
    done = subprocess.run(
        ["git", "-C", directory, "show", f"{revision}:{path}"], capture_output=True, check=False
    )
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def test_every_tag_reads_as_its_release_is_known(skiboot: str) -> None:
    """Two readings of the same code: by hand, in `releases`, and by the reader."""
    tags = subprocess.run(
        ["git", "-C", skiboot, "tag"], capture_output=True, check=True, text=True
    ).stdout.split()
    compared = 0
    for tag in tags:
        version = tag.removeprefix("skiboot-").removeprefix("v")
        try:
            features, chips = skiboot_features(version), known_chips(version)
        except UnknownSkiboot:
            continue
        code = code_of(*(shown(skiboot, tag, path) for path in ("hw/slw.c", "hw/slw-p8.c")))
        assert (tag, code.features, code.unread) == (tag, features, ())
        # POWER9's are listed for all releases, and guarded by `stop`
        wanted = chips if features.stop else {name for name in chips if name[1] == "8"}
        assert (tag, code.chips) == (tag, wanted)
        compared += 1
    assert compared > 170


def test_a_file_alone_says_the_processor_of_its_arrays(tmp_path: Path) -> None:
    """By its own code, where their names are no packaged table's."""
    power9 = find("power9")
    other = replace(power9, firmware=replace(power9.firmware, array="my_cpu_idle_states"))
    choice = (
        "void add_cpu_idle_state_properties(void)\n{\n"
        "\tif (chip->type == PROC_CHIP_P10)\n\t\tstates = my_cpu_idle_states;\n}\n"
    )
    file = tmp_path / "slw.c"
    for text, generation in (("", None), (choice, "power10")):
        file.write_text(c_table.write([other]) + text)
        table = read_table(str(file)).table
        assert table is not None
        assert (table.cpu and table.cpu.generation) == generation
