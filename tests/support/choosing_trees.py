"""Small trees of skiboot, of our own writing, with the shapes of its code that chooses a table.

One function for all (6.0), POWER9 and POWER10 by generation (7.0), POWER8 in its own file (7.1).
"""
# ruff: noqa: E101

from pathlib import Path

from idle_states.tables.skiboot import c_table
from idle_states.tables.spec.library import find

POWER8 = """\
{if}chip->type == PROC_CHIP_P8_MURANO || chip->type == PROC_CHIP_P8_VENICE) {{
		const struct dt_property *p = find_allowed();

		{star}states = power8_cpu_idle_states;
		{star}nr_states = ARRAY_SIZE(power8_cpu_idle_states);
		if (!p)
			can_sleep = false;
	}} else {{
		{star}states = nap_only_cpu_idle_states;
		{star}nr_states = ARRAY_SIZE(nap_only_cpu_idle_states);
	}}
"""
VARIANTS = """\
if (proc_chip_quirks & QUIRK_MAMBO_CALLOUTS) {
			states = power9_mambo_cpu_idle_states;
			nr_states = ARRAY_SIZE(power9_mambo_cpu_idle_states);
		} else {
			states = power9_cpu_idle_states;
			nr_states = ARRAY_SIZE(power9_cpu_idle_states);
		}
"""
FUSED = """\
		} else if (this_cpu()->is_fused_core) {
			states = power9_fusedcore_cpu_idle_states;
			nr_states = ARRAY_SIZE(power9_fusedcore_cpu_idle_states);
		} else {
"""
FLAT = f"""
	if (chip->type == PROC_CHIP_P9_NIMBUS ||
	    chip->type == PROC_CHIP_P9_CUMULUS) {{
		{VARIANTS}
		has_stop_inst = true;
	}} else {POWER8.format(star="", **{"if": "if ("})}"""
BY_GENERATION = f"""
	if (proc_gen >= proc_gen_p9) {{
	if (chip->type == PROC_CHIP_P9_NIMBUS || chip->type == PROC_CHIP_P9_CUMULUS) {{
		{VARIANTS.replace("		} else {" + chr(10), FUSED, 1)}
	}} else if (chip->type == PROC_CHIP_P10 || chip->type == PROC_CHIP_P11) {{
		states = power10_cpu_idle_states;
		nr_states = ARRAY_SIZE(power10_cpu_idle_states);
	}} else {{
		prlog(PR_ERR, "no table\\n");
		return;
	}}
"""
ENDS = {
    "7.0": f"	}} else {POWER8.format(star='', **{'if': 'if ('})}",
    "7.1": """\
#ifdef CONFIG_P8
	} else {
		find_cpu_idle_state_properties_p8(&states, &nr_states, &can_sleep);
#endif
	}
""",
}
HEAD = """
void add_cpu_idle_state_properties(void)
{
	struct cpu_idle_states *states = NULL;
	struct proc_chip *chip = next_chip(NULL);
	int nr_states = 0;

	if (!chip)
		return;
"""
TAIL = """
	export_states(states, nr_states);
}
"""
CHIPS = ("P8_MURANO", "P8_VENICE", "P9_NIMBUS", "P9_CUMULUS", "P10", "P11")
ELSEWHERE = """\
void reset_core(void)
{
	if (proc_gen == proc_gen_p10 || proc_gen == proc_gen_p11)
		reset();
}
"""


def choosing_tree(directory: Path, era: str) -> Path:
    """A tree of an era: "6.0", "7.0" or "7.1"."""
    late = era != "6.0"
    chips = [chip for chip in CHIPS if late or chip[1] != "1"]
    nines = ["power9-mambo", "power9", *(["power9-fused", "power10"] if late else [])]
    eights = c_table.write([find("power8-nap-only"), find("power8")])
    choice = BY_GENERATION + ENDS[era] if late else FLAT
    slw = '#include "slw.h"\n\n' + ("" if era == "7.1" else f"{eights}\n")
    slw += c_table.write([find(name) for name in nines]) + HEAD + choice + TAIL
    files = {
        "hw/slw.c": slw,
        "hw/reset.c": ELSEWHERE if late else "int none;\n",
        "include/chip.h": "enum proc_chip_type {\n\tPROC_CHIP_UNKNOWN,\n"
        + "".join(f"\tPROC_CHIP_{chip},\n" for chip in chips)
        + "};\n\nenum proc_chip_quirks {\n\tQUIRK_NO_CHIPTOD = 1,\n\tQUIRK_MAMBO_CALLOUTS = 2"
        + (",\n\tQUIRK_QEMU = 4,\n};\n" if late else "\n};\n"),
        "include/skiboot.h": "enum proc_gen {\n\tproc_gen_unknown,\n\tproc_gen_p8,\n\tproc_gen_p9"
        + (",\n\tproc_gen_p10,\n\tproc_gen_p11,\n};\n" if late else "\n};\n"),
        "include/cpu.h": "struct cpu_thread {\n"
        + ("\tbool is_fused_core;\n" if late else "")
        + "\tint pir;\n};\n",
        ".version": f"v{era}\n",
    }
    if era == "7.1":
        files["hw/slw-p8.c"] = (
            f'#include "slw.h"\n\n{eights}\nvoid find_cpu_idle_state_properties_p8('
            "struct cpu_idle_states **states,\n\t\t\t\t       int *nr_states, bool *can_sleep)\n{\n"
            "\tstruct proc_chip *chip = next_chip(NULL);\n\n\t"
            + POWER8.format(star="*", **{"if": "if ("})
            + "}\n"
        )
    for name, text in files.items():
        (directory / name).parent.mkdir(parents=True, exist_ok=True)
        (directory / name).write_text(text)
    return directory
