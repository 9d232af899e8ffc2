"""Prints what comes of adding new revisions to every release of skiboot since 2014, as Markdown.

SKIBOOT=path of a clone. For each tag and the clone's HEAD, `idle-states patch SPEC --tree` runs
with variants of known processors (by quirk, EC level, fused cores) and with a new generation.
A patch is applied by git apply, and a second run must find it there; the compiler says the values
of the tree's tables, and which each kind of machine takes, before and after. TAG...: those alone.
Returns 1 for anything wrong.
"""

import io
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

from idle_states.base.model.table import IdleTable
from idle_states.cli import main as idle_states
from idle_states.tables.skiboot.choosing import MachineKind
from idle_states.tables.sources import read_table
from tests.oracle.skiboot import CompileError
from tests.oracle.skiboot.choice import LEVELS, chosen
from tests.support.skiboot_clone import CLONE, as_repository, checkout, compiled, git
from tests.tables.skiboot.test_c_oracle import as_rows
from tools.command_line import parsed

MADE, EQUAL, REFUSED, WRONG = "made", "equal", "refused", "wrong"
ARRAY = "new_cpu_idle_states"
_CHIPS = {
    "power8": ("P8_MURANO", "P8_VENICE"),
    "power9": ("P9_NIMBUS", "P9_CUMULUS"),
    "power10": ("P10",),
}
_FIRST_STATE = {"power8": "nap", "power9": "stop0_lite", "power10": "stop0_lite"}
_NOT_FUSED = {"power8": "winkle", "power9": "stop4, stop5, stop8, stop11", "power10": ""}
"""States that lose the full context, which Linux cannot restore on fused cores."""
_VARIANT = """\
name: new
title: A variant
extends: {base}
cpu: {{chips: [{chips}]}}
firmware: {{array: new_cpu_idle_states, {when}}}
provenance:
  default: {{kind: estimate, source: made up, confidence: low}}
drop: [{drop}]
override:
  {state}: {{latency: 3us}}
"""
_POWER12 = """\
name: power12
extends: power10
cpu:
  generation: power12
  versions:
    - {pvr: 0x0090, chips: [{name: P12, cfam-id: 0xdb, skiboot: none}], linux: none}
firmware: {array: new_cpu_idle_states}
provenance:
  default: {kind: estimate, source: made up, confidence: low}
override:
  stop3: {latency: 60us, residency: 600us}
"""


@dataclass(frozen=True, slots=True)
class Revision:
    """A revision to add. machines: those, of the chips named, whose table it is to be."""

    name: str
    text: str
    chips: tuple[str, ...]
    quirk: str = ""
    fused: bool = False
    levels: tuple[int, ...] = LEVELS

    def covers(self, machine: MachineKind) -> bool:
        return (
            machine.chip in self.chips
            and machine.ec in self.levels
            and (machine.fused or not self.fused)
            and (not self.quirk or self.quirk in machine.quirks)
        )

    @property
    def usual(self) -> MachineKind:
        """The machine that is covered and has nothing else that is special."""
        quirks = frozenset({self.quirk} - {""})
        return MachineKind(self.chips[0], self.levels[-1], quirks, self.fused)


def revisions() -> Iterator[Revision]:
    """Yields the variants of each generation, and a new one."""
    for base, chips in _CHIPS.items():
        for quirk in ("QUIRK_QEMU", "QUIRK_NO_CHIPTOD"):
            yield Revision(f"{base}, {quirk}", _variant(base, f"quirk: {quirk}"), chips, quirk)
        levels = _variant(base, "ec: 0x22..0x23")
        yield Revision(f"{base}, EC 0x22 to 0x23", levels, chips, levels=(0x22, 0x23))
        fused = _variant(base, "fused-core: yes", _NOT_FUSED[base])
        yield Revision(f"{base}, fused cores", fused, chips, fused=True)
    yield Revision("power12", _POWER12, ("P12",))


def _variant(base: str, when: str, drop: str = "") -> str:
    chips, state = ", ".join(_CHIPS[base]), _FIRST_STATE[base]
    return _VARIANT.format(base=base, chips=chips, when=when, drop=drop, state=state)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a revision on a tree: one of the words above, and why."""

    word: str
    reason: str = ""


class Trial:
    """A tree of the clone, to which revisions are added, each by itself."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.tables, self.choices = compiled(root), chosen(root)

    def outcomes(self, revision: Revision, directory: Path) -> list[Outcome]:
        """Returns the outcome of the first run and of the second."""
        spec = directory / "new.yaml"
        spec.write_text(revision.text)
        table = read_table(str(spec)).table
        assert table is not None
        status, output = _run("patch", spec, "--tree", self.root, "-o", directory / "out")
        if status:
            dirty = git("status", "--porcelain", cwd=self.root).decode()
            reason = re.sub(r" \[IS.*", "", output.partition("error: ")[2], flags=re.DOTALL)
            wrong = "wrote something" if dirty else self.without_need(revision, reason)
            return [Outcome(WRONG, f"{wrong}: {reason}") if wrong else Outcome(REFUSED, reason)]
        for mail in sorted((directory / "out").glob("*.patch")):
            git("apply", "--whitespace=nowarn", mail.resolve(), cwd=self.root)
            mail.unlink()
        found = [Outcome(WRONG, fault) for fault in self.faults(revision, table)]
        status, output = _run("patch", spec, "--tree", self.root, "--check")
        if status or "no difference" not in output:
            found.append(Outcome(WRONG, f"a second run: exit status {status}, {output}"))
        git("checkout", "--quiet", ".", cwd=self.root)
        return found or [Outcome(MADE), Outcome(EQUAL)]

    def without_need(self, revision: Revision, reason: str) -> str:
        """Returns why a refusal is none that it may be; "" if the tree lacks what the revision
        needs, or has a case for the same machines."""
        text = "".join(p.read_text(errors="replace") for p in (self.root / "hw").glob("slw*.c"))
        chip, cpu = ((self.root / f"include/{n}.h").read_text() for n in ("chip", "cpu"))
        if revision.name == "power12":
            possible = "PROC_CHIP_P9_NIMBUS" in text
        else:
            others = {
                a
                for m, a in self.choices.items()
                if m.chip in revision.chips and not revision.covers(m)
            }
            possible = (
                all(f"PROC_CHIP_{name}" in text for name in revision.chips)
                and revision.quirk in chip
                and (not revision.fused or "is_fused_core" in cpu)
                and self.choices[revision.usual] in others
            )
        has_residency = all(row["residency_ns"] >= 0 for t in self.tables.values() for row in t)
        return "refused without need" if (possible and has_residency) or not reason else ""

    def faults(self, revision: Revision, table: IdleTable) -> Iterator[str]:
        """Yields the faults of the patched tree, by the compiler."""
        try:
            tables, choices = compiled(self.root), chosen(self.root)
        except CompileError as error:
            yield f"does not compile: {str(error).splitlines()[1]}"
            return
        if tables != self.tables | {ARRAY: as_rows(table.states)}:
            yield "other values"
        usual = self.choices.get(revision.usual, "")
        for machine, array in choices.items():
            before = self.choices.get(machine, "")
            wanted = ARRAY if revision.covers(machine) and before == usual else before
            if array != wanted:
                yield f"{machine}: {array or 'no table'}, not {wanted or 'none'}"
                break
        if choices.get(revision.usual) != ARRAY:
            yield f"{revision.usual}: not taken"


def _run(*words: object) -> tuple[int, str]:
    """The exit status of a command, and what it says."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        return idle_states([*map(str, words)]), out.getvalue()


def main(tags: list[str]) -> int:
    if not CLONE:
        print("expected SKIBOOT=path of a clone of skiboot, found none", file=sys.stderr)
        return 2
    chosen_tags = tags or [*git("tag").decode().split(), "HEAD"]
    wanted = list(revisions())
    counts = {revision.name: Counter[str]() for revision in wanted}
    reasons: dict[str, list[str]] = {}
    for tag in chosen_tags:
        print(tag, file=sys.stderr)
        with tempfile.TemporaryDirectory() as directory:
            root = checkout(tag, Path(directory, "tree"))
            as_repository(root)
            trial = Trial(root)
            for revision in wanted:
                for outcome in trial.outcomes(revision, Path(directory)):
                    counts[revision.name][outcome.word] += 1
                    if outcome.reason:
                        line = f"{revision.name}: {outcome.word}: {outcome.reason}"
                        reasons.setdefault(line, []).append(tag)
    words = (MADE, EQUAL, REFUSED, WRONG)
    print(f"{len(chosen_tags)} trees\n\n| revision | {' | '.join(words)} |\n|---|---|---|---|---|")
    for name, found in counts.items():
        print(f"| {name} | {' | '.join(str(found[word]) for word in words)} |")
    for line, those in reasons.items():
        print(f"\n{len(those)}, {those[0]} to {those[-1]}: {line}")
    return int(any(found[WRONG] for found in counts.values()))


if __name__ == "__main__":
    sys.exit(main(parsed(__doc__, "[TAG...]").tag))
