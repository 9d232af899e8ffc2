"""Prints what comes of machines that are wanted of the files of a tree of device-tree sources.

TREE=path of Linux's sources, or U-Boot's dts/upstream; MOST=12 boards of a file at most; EACH=2
machines of a file. Each is one of the file's boards with values, names, states and lists changed at
random, the same ones every time. The edits are worked out and made, which builds all boards before
and after; then the boards' tables have to be those wanted, and no edit may be left. Returns 1 if
one is not so.
"""

import os
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from idle_states.base.model.findings import CannotGenerate, Faulty
from idle_states.base.model.idle_tree import IdleTree, TreeState, folder_of
from idle_states.change.patches.answer import planned
from idle_states.change.patches.dts_machine import WantedMachine
from idle_states.change.patches.dts_progress import Progress
from idle_states.change.patches.dts_towards import patch_towards, unlike
from idle_states.change.patches.source_tree import SourcesTree
from idle_states.tables.devicetree.board_builds import BuiltBoard
from idle_states.tables.devicetree.drafts import finished, whole
from idle_states.tables.devicetree.idle_import import read_machine
from idle_states.tables.devicetree.idle_nodes import lists_of
from tools.command_line import parsed

_STATE = re.compile(rb'"(?:arm|riscv),idle-state"')
Names = tuple[str, ...]


def main() -> int:
    given = os.environ.get("TREE", "")
    if not given:
        print("expected TREE=path of Linux's sources, found none", file=sys.stderr)
        return 2
    most, each = (int(os.environ.get(name, usual)) for name, usual in (("MOST", 12), ("EACH", 2)))
    tree = SourcesTree(Path(given))
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    faults = []
    drawn = random.Random(1)
    for path in _files(tree):
        including = tree.including(path)
        if not 0 < len(including) <= most:
            counts["no board, or too many"] += 1
            continue
        try:
            boards = Progress(tree).boards([path])
            board = next(iter(boards.values()))
            machine = read_machine(board.root, lists_of(board.root, board.shown), "wanted")
        except (Faulty, CannotGenerate):
            counts["no machine that a spec can say"] += 1
            continue
        for _ in range(each if machine.cpus else 0):
            try:
                came = _made(tree, path, boards, _changed(machine, drawn))
            except Faulty as error:
                came = "refused"
                refused[re.sub(r"\S*[/_@\d.]\S*", "...", error.findings[0].message)] += 1
            counts[came] += 1
            if came in ("other tables", "edits left"):
                faults.append(f"{path}: {came}")
    print("| what came | machines |\n|---|---|")
    for what, count in counts.most_common():
        print(f"| {what} | {count} |")
    for message, count in refused.most_common():
        print(f"\n{count} refused: {message}")
    for fault in faults:
        print(f"\n{fault}")
    return int(bool(faults))


def _files(tree: SourcesTree) -> Iterator[str]:
    """The files of a tree with states of CPUs, by their paths in it."""
    for path in sorted(tree.root.rglob("*.dts*")):
        if path.suffix in (".dts", ".dtsi") and _STATE.search(path.read_bytes()):
            yield path.relative_to(tree.root).as_posix()


def _made(tree: SourcesTree, path: str, boards: Mapping[str, BuiltBoard], machine: IdleTree) -> str:
    """Returns what came of a machine. Raises Faulty where it is refused."""
    lists = lists_of(finished(whole(machine)), "wanted")
    if not lists:
        return "no states wanted"
    wanted = WantedMachine(machine.name, lists, {}, "", "")
    patch = patch_towards(wanted, path, tree.text(path), boards)
    if not patch.dts:
        return "other tables" if unlike(wanted, boards) else "equal already"
    progress = Progress(tree)
    progress.first, progress.built = dict(boards), dict(boards)
    planned(progress, [patch])
    after = {name: progress.built[name] for name in boards}
    if unlike(wanted, after):
        return "other tables"
    left = patch_towards(wanted, path, progress.text(path), after).dts
    return "edits left" if left else "made"


def _changed(machine: IdleTree, drawn: random.Random) -> IdleTree:
    """With one to three changes, each to a state that some list has."""
    for change in drawn.sample(_CHANGES, drawn.randint(1, 3)):
        listed = [each.states for each in machine.cpus] + [each.states for each in machine.domains]
        names = [name for states in listed for name in states]
        if names:
            machine = change(machine, machine.name2state[drawn.choice(names)])
    return machine


def _with_state(machine: IdleTree, state: TreeState) -> IdleTree:
    others = (state if each.name == state.name else each for each in machine.states)
    return replace(machine, states=tuple(others))


def _with_lists(machine: IdleTree, listed: Callable[[Names], Names]) -> IdleTree:
    cpus = tuple(replace(each, states=listed(each.states)) for each in machine.cpus)
    domains = tuple(replace(each, states=listed(each.states)) for each in machine.domains)
    return replace(machine, cpus=cpus, domains=domains)


def _other_times(machine: IdleTree, state: TreeState) -> IdleTree:
    more = replace(state, entry_us=state.entry_us + 7, residency_us=state.residency_us + 333)
    return _with_state(machine, more)


def _other_timer(machine: IdleTree, state: TreeState) -> IdleTree:
    wakeup = state.entry_us + state.exit_us if state.wakeup_us is None else None
    return _with_state(machine, replace(state, timer_stop=not state.timer_stop, wakeup_us=wakeup))


def _other_texts(machine: IdleTree, state: TreeState) -> IdleTree:
    status = "" if state.status == "disabled" else "disabled"
    return _with_state(machine, replace(state, status=status, description="a state"))


def _another_name(machine: IdleTree, state: TreeState) -> IdleTree:
    return _with_state(machine, replace(state, path=f"{folder_of(state.path)}/cpu-renamed"))


def _one_less(machine: IdleTree, state: TreeState) -> IdleTree:
    left = tuple(each for each in machine.states if each.name != state.name)
    without = _with_lists(machine, lambda names: tuple(n for n in names if n != state.name))
    return replace(without, states=left)


def _one_more(machine: IdleTree, state: TreeState) -> IdleTree:
    more = replace(
        state,
        name="more",
        path=f"{folder_of(state.path)}/cpu-more",
        label="",
        parameter=None if state.parameter is None else state.parameter + 1,
    )

    def behind(names: Names) -> Names:
        return tuple(x for name in names for x in (name, *(("more",) * (name == state.name))))

    return _with_lists(replace(machine, states=(*machine.states, more)), behind)


def _another_order(machine: IdleTree, state: TreeState) -> IdleTree:
    return _with_lists(machine, lambda names: names[::-1])


_CHANGES = (
    _other_times,
    _other_timer,
    _other_texts,
    _another_name,
    _one_less,
    _one_more,
    _another_order,
)

if __name__ == "__main__":
    parsed(__doc__)
    sys.exit(main())
