"""The output of `patch` on the terminal and in JSON."""

from collections.abc import Iterable, Iterator, Sequence

from ...base.model.table import IdleTable
from ...base.report.diff import file_diff
from ...base.report.escapes.text import printable
from ...base.report.style import Style
from ...base.report.tables import wrapped
from ...base.wording import plural
from ...tables.devicetree.idle_nodes import row_nodes
from .description import Patch
from .plan import MADE, PRESENT, BoardTables, PatchStep, Plan, ValueChange
from .revision_text import added_lines, left_lines


def change_line(change: ValueChange) -> str:
    """Returns a line such as: hw/slw.c:245:19: power9_cpu_idle_states stop0_lite: latency 200ns ->
    1us"""
    place = f"{printable(change.file)}:{change.line}:{change.column}"
    head = f"{place}: {change.table} {printable(change.state)}"
    if change.field == "row":
        return f"{head}: row {'added' if change.after else 'removed'}"
    if change.field == "order":
        return f"{head}: row moved"
    return f"{head}: {change.field} {printable(change.before)} -> {printable(change.after)}"


def check_text(plan: Plan, absent: Sequence[str], style: Style) -> str:
    """Returns what --check prints: the values that differ, then the diff that would change them.

    absent  tables that the tree does not have
    """
    lines = [style("strong", line) for step in plan.made for line in _lines(step)]
    lines += [line for step in plan.made if step.added for line in left_lines(step.added.left)]
    if lines:
        lines.append("")
    lines += [_settled(step, "no difference") for step in plan.steps if step.status != MADE]
    lines += [f"{name}: the tree has no such table" for name in absent]
    lines.append(summary(plan))
    return "\n".join(lines) + "\n" + ("\n" + diff_text(plan, style) if plan.made else "")


def diff_text(plan: Plan, style: Style) -> str:
    """Returns one diff of all patches together."""
    kinds = {"+": "good", "-": "error", "@": "note"}
    diff = "".join(
        file_diff(name, plan.tree.files[name], text, plan.tree.mode(name))
        for name, text in plan.files.items()
    )
    return "".join(
        style(kinds[line[0]], line) + "\n" if line[:1] in kinds else line + "\n"
        for line in diff.split("\n")[:-1]
    )


def done_text(plan: Plan, written: Iterable[str]) -> str:
    """Returns what is said after patches or files were written. written: their names."""
    lines = [_settled(step, PRESENT) for step in plan.steps if step.status != MADE]
    for step in plan.made:
        if step.added:
            lines += [*added_lines(step.added), *left_lines(step.added.left)]
    return "".join(f"{line}\n" for line in [*lines, *map(printable, written)])


def _lines(step: PatchStep) -> Iterator[str]:
    """Yields what a patch changes; of a new revision the array and the case, not each row."""
    if step.added:
        yield from added_lines(step.added)
    if not step.added or step.added.array is None:
        yield from map(change_line, step.changes)


def _settled(step: PatchStep, present: str) -> str:
    status = present if step.status == PRESENT else step.status
    return f"{step.patch.name}: {status}" + (f": {step.reason}" if step.reason else "")


def summary(plan: Plan) -> str:
    changes = sum(len(step.changes) for step in plan.made)
    if not plan.made:
        return "no difference"
    if not changes:
        return f"{plural(len(plan.files), 'file')} would change"
    return f"{plural(changes, 'value')} in {plural(len(plan.files), 'file')} would change"


def list_text(patches: Sequence[Patch]) -> str:
    from ...base.report.tables import columns

    rows = [(patch.name, _releases(patch), patch.subject) for patch in patches]
    return columns(("PATCH", "FOR", "SUBJECT"), rows)


def _releases(patch: Patch) -> str:
    if patch.dts:
        return "device trees"
    if patch.since or patch.until:
        return f"skiboot {patch.since or '...'} - {patch.until or '...'}"
    return "skiboot"


def meant_for(patch: Patch) -> str:
    """Returns the releases that a patch is for, in words: "for 5.11-rc1 and later"."""
    if patch.since and patch.until:
        return f"for {patch.since} to {patch.until}"
    return f"for {patch.since} and later" if patch.since else f"for {patch.until} and earlier"


_WIDTH = 72
"""The width of a message, as git's editors have it."""
_PARAMETERS = ("arm,psci-suspend-param", "riscv,sbi-suspend-param")


def described(tables: Sequence[BoardTables]) -> str:
    """Lines with the boards that a patch changes, and their tables before and after; "" for none.
    CPUs whose table stays are left out."""
    paragraphs = []
    for group in tables:
        names = sorted(board.rpartition("/")[2].removesuffix(".dts") for board in group.boards)
        head = f"{plural(len(names), 'board')}: {', '.join(names)}"
        before, after = (
            {text: None for table in side for text in [table_text(table)]}
            for side in (group.before, group.after)
        )
        lines = wrapped(head, "", "  ", room=_WIDTH)
        for title, own, other in (("Before", before, after), ("After", after, before)):
            lines += ["", f"{title}:"]
            changed = [line for text in own if text not in other for line in text.splitlines()]
            lines += changed or ["  no CPU lists a state"]
        paragraphs.append("\n".join(lines))
    return "".join(f"{paragraph}\n" for paragraph in paragraphs)


def table_text(table: IdleTable) -> str:
    """A table in lines of fixed columns."""
    listed = table.origin
    assert listed.form == "nodes"
    names = [path.rpartition("/")[2] for path in listed.cpus]
    method = f"enable-method {listed.enable_method}" if listed.enable_method else "no enable-method"
    head = "\n".join(wrapped(f"  {', '.join(names)}; {method}", "", "    ", room=_WIDTH))
    return "\n".join([f"  {head.strip()}", *_rows(table)])


def _rows(table: IdleTable) -> Iterator[str]:
    assert table.origin.form == "nodes"
    nodes = row_nodes(table.origin)
    wide = max((len(node.name) for node in nodes), default=0)
    for state, node in zip(table.states, nodes, strict=True):
        residency = "-" if state.residency_ns is None else f"{state.residency_ns // 1000}"
        name = next((name for name in _PARAMETERS if name in node.properties), "")
        parameter = node.u32(name)
        more = "" if parameter is None else f"  {parameter:#010x}"
        more += "" if node.available else "  disabled"
        more += "" if state.cpuidle else "  of the power domain"
        yield (
            f"    {node.name:<{wide}}  exit {state.latency_ns // 1000:>6} us"
            f"  residency {residency:>6} us{more}"
        )
