"""The sub-commands that there are, by name; cmd_NAME.py has what each does."""

COMMANDS = {
    "audit": "audit device trees and images from the field",
    "boot": "boot firmware and Linux under QEMU, and compare with the prediction",
    "check": "check tables against the rules",
    "collect": "print a script that gathers a machine's data, records decisions, or measures",
    "conform": "compare recorded decisions with a governor's model",
    "diff": "compare two tables, stage by stage",
    "explain": "explain a rule",
    "fit": "fit latencies and residencies to measurements, and compare with the advertised ones",
    "generate": "generate C, DTS, DTB, ASL, Markdown, YAML or a kernel parameter",
    "import": "make a spec of a table from any file",
    "kernels": "list kernels, what changed between two, where a table's selection changes",
    "list": "list tables, processors, kernels, platforms, or rules",
    "patch": "make patches for a tree of skiboot or of device-tree sources, or apply or check them",
    "prove": "show how each state comes to be selected, or why it never is",
    "replay": "replay a trace with other tables, governors or kernels",
    "review": "review how commits change the tables of a repository",
    "select": "show which state a governor selects, and what a latency limit leaves",
    "show": "follow a table from the spec to what Linux registers",
    "simulate": "simulate a workload with tables, governors, kernels, topologies",
    "stats": "compare benchmark results: Student's t, ministat, schbench, mmtests",
    "tune": "find residencies that cost least over a workload's idle gaps",
    "why": "explain why a machine uses an idle state, or does not",
}
"""NAME -> what --help says of it in a line."""

GROUPS = {
    "Look": (
        "idle-states show power9 --kernel 6.1",
        ("show", "select", "diff", "why", "kernels", "list", "explain"),
    ),
    "Check": ("idle-states check hw/slw.c", ("check", "review", "audit")),
    "Make": ("idle-states generate --to c power9", ("generate", "import", "patch")),
    "Machine": (
        "idle-states collect > collect.sh",
        ("collect", "fit", "conform", "replay"),
    ),
    "Lab": (
        "idle-states simulate ping-pong --table power9",
        ("simulate", "tune", "prove", "stats", "boot"),
    ),
}
"""Group of --help -> an example, and the commands."""

GONE = {
    "baseline": "check --write-baseline FILE",
    "completion": "--completion SHELL",
    "limit": "select --latency-limit TIME or --keep STATE; "
    "with a trace or a workload, replay or simulate --latency-limit TIME",
    "measure": "collect --measure",
    "record": "collect --record, or collect --convert RECORDING",
    "rules": "list rules",
    "select --plot": "select --html FILE",
}
"""Former name, or former option behind its command -> the command that answers instead."""
