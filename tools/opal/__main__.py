"""Writes docs/opal.md: real device trees, logs and images of OPAL, audited; each beside the tables
of the skiboot that it names, and each tree beside what fwts and op-test say of it.

    python -m tools.opal SKIBOOT INPUT... [--fwts PROGRAM] [--op-test DIR]

SKIBOOT is a clone with its history. INPUT is a file, a folder, or a git repository, of which every
version of a file is taken. PROGRAM takes a dtb and prints what fwts' power_mgmt test logs; DIR is a
checkout of op-test. Both are asked about the packaged tables, too. No text of an input is kept.
Exits with 1 where fwts or op-test says something else than the product says it would.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from idle_states.base.dataclass import replace
from idle_states.base.files import write_file
from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import Severity
from idle_states.tables.audit.audit import Setting, audit_path
from idle_states.tables.audit.audited import Audited
from idle_states.tables.audit.fwts import ToolVerdict
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.devicetree import fdt
from idle_states.tables.devicetree.generate import tree_of
from idle_states.tables.devicetree.tree import Node
from idle_states.tables.linux.releases import DEFAULT, release
from idle_states.tables.skiboot import log as opal_log
from idle_states.tables.skiboot.platform import ALL_LEVELS
from idle_states.tables.spec.library import packaged
from tools.command_line import parsed
from tools.opal import firmware, peers
from tools.opal.firmware import Build, Skiboot
from tools.opal.inputs import Input, inputs_in

PAGE = Path(__file__).parents[2] / "docs/opal.md"
START = "<!-- from here on written by tools.opal -->\n"
_VERSION = re.compile(rb"\0((?:skiboot-|v)[0-9]\.[0-9.]+[-\w]*)\0")
_HEADS = {
    "Device trees": "| tree | machine | firmware | states | against its own build | findings | "
    "fwts | op-test |",
    "Logs": "| log | processor | firmware | enabled | disabled | kernel | against its own build | "
    "findings |",
    "Images": "| image | version | table | states | against its own build | findings |",
}
Rows = dict[str, list[Sequence[str]]]


def audited(inputs: Iterable[Input], skiboot: Skiboot) -> tuple[Rows, list[tuple[str, Node]]]:
    """Returns the rows of the page's tables, and the trees that were read, by name."""
    setting = Setting(Criteria(tuple(map(release, DEFAULT))))
    rows: Rows = {title: [] for title in _HEADS}
    trees = []
    for each in inputs:
        data = each.path.read_bytes()
        version = _VERSION.search(data)
        for one in audit_path(each.path, setting):
            tree = one.source.tree if one.source else None
            if tree is not None:
                trees.append((each.name, tree))
                rows["Device trees"].append((each.name, *_of_tree(one, skiboot)))
            elif one.kind == "log":
                rows["Logs"].append((each.name, *_of_log(one, data, skiboot)))
            elif one.kind == "lid":
                name = version[1].decode() if version else ""
                rows["Images"].append((each.name, *_of_image(one, name, skiboot)))
    return rows, trees


def _of_tree(one: Audited, skiboot: Skiboot) -> Iterator[str]:
    machine = one.machine
    assert machine is not None
    levels = one.source.node.stop_levels if one.source and one.source.node else None
    yield f"{machine.model}, {one.cpu or 'unknown'} {machine.revision}"
    yield machine.skiboot or "-"
    given = [f.message.rpartition("; ")[2] for f in one.findings if f.rule == "IS123"]
    yield _listed(given or one.states) + (f" (levels {levels:#010x})" if levels is not None else "")
    build = skiboot.build(machine.skiboot)
    table = one.source.table if one.source else None
    built = "-"
    if build is not None and table is not None:
        built = _beside(build, firmware.of_tree(table, levels, build, skiboot.tables(build.commit)))
    elif one.nearest:
        differences = "; ".join(one.differences) or "equal in every value"
        built = f"commit not in the clone; today's {one.nearest}: {differences}"
    yield built
    yield _findings(one)
    for tool in ("fwts", "op-test"):
        yield _verdict([verdict for verdict in one.verdicts if verdict.tool == tool])


def _verdict(verdicts: Sequence[ToolVerdict]) -> str:
    """The product's account of what a program says; `compared` holds it against the program."""
    bad = [each for each in verdicts if each.failures]
    if any(each.skipped for each in verdicts):
        return "skips it"
    return "; ".join(f"{each.test}: {each.failures[0][0]}" for each in bad) or "passes"


def _of_log(one: Audited, data: bytes, skiboot: Skiboot) -> Iterator[str]:
    facts = dict(one.facts)
    boots = opal_log.read(data)
    log = boots[-1] if boots else opal_log.OpalLog()
    yield facts.get("processor", "-")
    yield (log.version or "-") + (f" (the last of {len(boots)} boots)" if len(boots) > 1 else "")
    yield _listed([state.name for state in log.enabled])
    yield _listed([state.name for state in log.disabled])
    yield facts.get("kernel", "-")
    build = skiboot.build(log.version or "")
    differences = firmware.of_log(log, skiboot.tables(build.commit)) if build else ()
    yield _beside(build, "; ".join(differences)) if build else "-"
    yield _findings(one)


def _of_image(one: Audited, version: str, skiboot: Skiboot) -> Iterator[str]:
    yield version or "-"
    yield one.table
    yield _listed(one.states)
    build, table = skiboot.build(version), one.source.table if one.source else None
    built = "-"
    if build is not None and table is not None:
        built = _beside(build, firmware.of_image(table, skiboot.tables(build.commit)))
    yield built
    yield _findings(one)


def _beside(build: Build, text: str) -> str:
    return f"{build.shown}: {text}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


def _findings(one: Audited) -> str:
    """Codes of errors, warnings, and of the note that says a tree is none of skiboot's."""
    shown = [f for f in one.findings if f.severity > Severity.NOTE or f.rule == "IS123"]
    counts = Counter((-f.severity, f"{f.severity} {f.rule}") for f in shown)
    texts = (f"{text} ({n})" if n > 1 else text for (_, text), n in sorted(counts.items()))
    return ", ".join(texts) or "none"


def compared(
    trees: Iterable[tuple[str, Node]], judges: dict[str, peers.Judge], scratch: Path
) -> tuple[str, bool]:
    """Returns the page's part about other tools, and whether they agree."""
    if not judges:
        return "Not run.\n", True
    counts: Counter[str] = Counter()
    rows: list[Sequence[str]] = []
    for name, root in trees:
        for what, one in (("trees", root), *(("forms with a fault", bad) for bad in damaged(root))):
            counts[what] += 1
            dtb = scratch / f"{counts.total()}.dtb"
            dtb.write_bytes(fdt.write(one))
            for program, test, real, ours in peers.differences(one, dtb, judges):
                rows.append((f"{name}, {what}", program, test, _listed(real), _listed(ours)))
    verdicts = counts.total() * len(judges) * 2
    text = f"{' and '.join(judges)}, each with 2 tests, on {counts['trees']} trees and "
    text += f"{counts['forms with a fault']} forms of them with a fault: "
    text += f"{verdicts - len(rows):,} of {verdicts:,} verdicts are as the product says.\n"
    head = "| tree | program | test | it says | the product says |"
    return text + ("\n" + _table(head, rows) if rows else ""), not rows


def damaged(root: Node) -> Iterator[Node]:
    """Yields a tree with one fault in one property of idle states: absent, empty, without its last
    entry, with that once more, without its last byte."""
    judged = tuple(child for child in root.children if child.name in ("cpus", "ibm,opal"))
    root = replace(root, children=judged)
    node = root.find(dt.NODE)
    for name, value in node.properties.items() if node else ():
        if not name.startswith("ibm,cpu-idle-state-"):
            continue
        size = dt.CELL_BYTES.get(name) or len(value.removesuffix(b"\0").rpartition(b"\0")[2]) + 1
        for other in (None, b"", value[:-size], value + value[-size:], value[:-1]):
            yield _with(root, dt.NODE.strip("/").split("/"), name, other)


def _with(node: Node, path: Sequence[str], name: str, value: bytes | None) -> Node:
    if path:
        children = (
            _with(c, path[1:], name, value) if c.name == path[0] else c for c in node.children
        )
        return replace(node, children=tuple(children))
    kept = {key: held for key, held in node.properties.items() if key != name}
    return replace(node, properties=kept if value is None else {**kept, name: value})


def _of_packaged() -> Iterator[tuple[str, Node]]:
    """Every packaged table of OPAL, of all times, as firmware would export all of it."""
    for table in packaged(lambda revision: True):
        if table.cpu and table.firmware.array:
            yield table.name, tree_of(table, ALL_LEVELS)


def _table(head: str, rows: Iterable[Sequence[str]]) -> str:
    lines = (f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)
    return "\n".join([head, "|---" * (head.count("|") - 1) + "|", *lines, ""])


def main(words: Sequence[str]) -> int:
    given = parsed(__doc__, "SKIBOOT", "INPUT...", "--fwts PROGRAM", "--op-test DIR", words=words)
    judges: dict[str, peers.Judge] = {}
    if given.fwts:
        judges["fwts"] = peers.fwts_of(given.fwts)
    if given.op_test:
        judges["op-test"] = peers.op_test_of(Path(given.op_test))
    with TemporaryDirectory() as directory:
        scratch = Path(directory)
        inputs = inputs_in([Path(place) for place in given.input], scratch / "inputs")
        rows, trees = audited(inputs, Skiboot(Path(given.skiboot), scratch / "skiboot"))
        (scratch / "peers").mkdir()
        text, agree = compared([*trees, *_of_packaged()], judges, scratch / "peers")
    parts = [f"## {title}\n\n{_table(head, rows[title])}" for title, head in _HEADS.items()]
    above = PAGE.read_text("utf-8").partition(START)[0] if PAGE.exists() else ""
    write_file(PAGE, f"{above}{START}\n" + "\n".join([*parts, f"## fwts and op-test\n\n{text}"]))
    print("; ".join(f"{len(found)} {title.lower()}" for title, found in rows.items()))
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
