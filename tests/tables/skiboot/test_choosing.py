"""The code of skiboot that chooses a table, asked for any machine."""

from pathlib import Path

import pytest

from idle_states.base.reading.c.lexer import UnsupportedC, tokens
from idle_states.tables.skiboot.choosing import (
    Choosing,
    MachineKind,
    condition,
    holds,
    read_choosing,
)
from tests.oracle import skipping
from tests.oracle.skiboot.choice import chosen as chosen_by_compiled_code

BEGIN, END = "void add_cpu_idle_state_properties(void)\n{\n", "}\n"
NESTED = """
	if (!power_mgt) {
		return;
	}
	if (proc_gen >= proc_gen_p9) {
		if (chip->type == PROC_CHIP_P9_NIMBUS || chip->type == PROC_CHIP_P9P) {
			if (chip_quirk(QUIRK_MAMBO_CALLOUTS)) {
				states = simulated; nr_states = 1;
			} else if (chip->ec_level < 0x20 && this_cpu()->is_fused_core)
				states = early;
			else {
				states = usual;
			}
		} else if (chip->type == PROC_CHIP_P10) {
			states = ten;
		} else {
			return;
		}
		for (i = 0; i < nr_states; i++)
			if (states[i].flags & stop_levels)
				has_deep_states = true;
#ifdef CONFIG_P8
	} else {
		find_cpu_idle_state_properties_p8(&states, &nr_states, &can_sleep);
#endif
	}
"""
EIGHT = """
void find_cpu_idle_state_properties_p8(struct cpu_idle_states **states, int *n, bool *can_sleep)
{
	*states = nap;
	if (chip->type == PROC_CHIP_P8_VENICE)
		*states = eight;
}
"""


def chosen(body: str, more: str = "") -> Choosing:
    found = read_choosing({"hw/slw.c": BEGIN + body + END, "hw/slw-p8.c": more})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("machine", "array"),
    [
        (MachineKind("P9P"), "usual"),
        (MachineKind("P9P", 0x1F, fused=True), "early"),
        (MachineKind("P9P", 0x20, fused=True), "usual"),
        (MachineKind("P9P", 0x1F), "usual"),
        (MachineKind("P9P", 0x1F, frozenset({"QUIRK_MAMBO_CALLOUTS"}), fused=True), "simulated"),
        (MachineKind("P9P", 0x1F, frozenset({"QUIRK_QEMU"})), "usual"),
        (MachineKind("P10", fused=True), "ten"),
        (MachineKind("P11"), ""),
        (MachineKind("P8_VENICE"), "eight"),
        (MachineKind("P8_NAPLES"), "nap"),
    ],
)
def test_each_machine_takes_the_table_of_its_case(machine: MachineKind, array: str) -> None:
    taken = chosen(NESTED, EIGHT).table_for(machine)
    assert (taken.array, taken.doubt) == (array, None)
    if array:
        assert taken.function is not None
        text = taken.function.text[taken.path[-1].start :]
        assert text.removeprefix("*").startswith(f"states = {array};")


def test_all_kinds_of_machines_are_told_apart() -> None:
    machines = chosen(NESTED, EIGHT).machines()
    assert len(set(machines)) == len(machines)
    assert {m.chip for m in machines} == {"P9_NIMBUS", "P9P", "P10", "P8_VENICE"}
    assert {m.ec for m in machines} == {0x1F, 0x20, 0x21, 0xFF}
    assert {m.fused for m in machines} == {False, True}
    assert str(machines[0]) == "chip P9_NIMBUS"
    assert "chip P9P, EC 0x1f, QUIRK_MAMBO_CALLOUTS, fused cores" in map(str, machines)


@pytest.mark.parametrize(
    "body",
    [
        "if (strange(chip)) { states = one; } else { states = two; }",
        "for (;;) states = one;",
        "switch (chip->type) { case PROC_CHIP_P10: states = one; }",
        "states = fused ? one : two;",
    ],
)
def test_what_is_not_understood_and_decides_is_a_doubt(body: str) -> None:
    assert chosen(body).table_for(MachineKind("P10")).doubt is not None


def test_what_is_not_understood_and_decides_nothing_is_none() -> None:
    taken = chosen("states = one; if (strange()) { foo = 1; return; }").table_for(
        MachineKind("P10")
    )
    assert (taken.array, taken.doubt) == ("one", None)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("(chip->type != PROC_CHIP_P10)", False),
        ("!(proc_chip_quirks & (QUIRK_QEMU | QUIRK_AWAN))", True),
        ("!chip_quirk(QUIRK_QEMU)", True),
        ("!is_mambo_chip(chip)", True),
        ("chip->ec_level >= 16 && proc_gen < proc_gen_p11", True),
        ("strange() || chip->type == PROC_CHIP_P10", True),
        ("strange() && chip->type == PROC_CHIP_P9P", False),
        ("strange() && chip->type == PROC_CHIP_P10", None),
        ("!strange()", None),
        ("", None),
    ],
)
def test_conditions(text: str, answer: bool | None) -> None:
    assert holds(condition(tokens(text)), MachineKind("P10", 0x10)) is answer


def test_code_of_no_end_is_refused() -> None:
    for hostile in ("{" * 5000, "if (a) " * 5000, "(" * 5000, "!" * 5000 + ";"):
        with pytest.raises(UnsupportedC):
            read_choosing({"hw/slw.c": BEGIN + hostile + "states = one;"})
    chips = "".join(f"if (chip->type == PROC_CHIP_P{n}) states = a{n};" for n in range(9000))
    levels = "".join(f"if (chip->ec_level == {n}) states = b{n};" for n in range(200))
    with pytest.raises(UnsupportedC):
        chosen(chips + levels).machines()


def test_a_tree_is_read_as_the_compiler_reads_it(skiboot_tree: Path) -> None:
    found = read_choosing({f"hw/{p.name}": p.read_text() for p in skiboot_tree.glob("hw/slw*.c")})
    assert found is not None
    with skipping():
        compiled = chosen_by_compiled_code(skiboot_tree)
    assert {machine: found.table_for(machine).array for machine in compiled} == compiled
    assert len(set(compiled.values())) > 5
