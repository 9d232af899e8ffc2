"""Every description on a tree: what comes of it, held against git am, the compiler, and the edits
applied by hand to what the compiler reads of the tree before."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from idle_states.base.model.findings import Faulty, Severity
from idle_states.change.patches.description import Patch, read
from idle_states.change.patches.library import FORMER_NAMES, packaged
from idle_states.change.patches.mail import mails
from idle_states.change.patches.plan import MADE, NOT_MEANT, PRESENT, plan
from idle_states.change.patches.tree import PatchedTree
from idle_states.change.review.planned import refusing, review_of
from idle_states.tables.sources import read_table
from tests.oracle.skiboot import CompileError, Row
from tests.support import ROOT
from tests.support.skiboot_clone import as_repository, checkout, compiled, git
from tests.tables.skiboot.test_c_oracle import as_rows

OWN = ROOT / "tests/change/patches/descriptions"
REFUSED = "refused"
COMMITS = {
    "84368bbf8": "POWER9's first table",
    "f32ad58f9": "before the mail of April 2017",
    "51974cab7~1": "before the change of 2017 was merged",
    "51974cab7": "the change of 2017",
    "1953b41e1": "ten states",
}
"""Trees between releases."""
WRONG = {
    # description: rules that say what is wrong with what it sets, on purpose
    "extremes": {"IS215", "IS216"},
    "former-power8": {"IS310"},
    "power9-rows": {"IS201", "IS307", "IS315", "IS319"},
    "psscr-fields": {"IS301", "IS303", "IS305"},
    "strange-flags": {"IS315"},
}
"""The faults that review refuses, and patch without --force; nothing else."""

_KEYS = {
    "name": "name", "latency": "latency_ns", "residency": "residency_ns", "flags": "flags",
    "control": "control", "psscr": "control", "mask": "mask",
}  # fmt: skip
_UNITS = {"ns": 1, "us": 1000, "ms": 1_000_000, "s": 1_000_000_000}
# by include/opal-api.h, and the layout of the PSSCR by the architecture
_FLAGS = {
    "DEC_STOP": 0x1, "TIMEBASE_STOP": 0x2, "LOSE_USER_CONTEXT": 0x1000, "LOSE_HYP_CONTEXT": 0x2000,
    "LOSE_FULL_CONTEXT": 0x4000, "NAP_ENABLED": 0x10000, "SLEEP_ENABLED": 0x20000,
    "WINKLE_ENABLED": 0x40000, "SLEEP_ENABLED_ER1": 0x80000, "STOP_INST_FAST": 0x100000,
    "STOP_INST_DEEP": 0x200000,
}  # fmt: skip
_PSSCR = {
    "rl": (0, 0xF), "mtl": (4, 0xF), "tr": (8, 0x3), "psll": (16, 0xF), "ec": (20, 1),
    "esl": (21, 1),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tried:
    """The outcome of a description on a tree.

    refused  the rules for which patch would not write it without --force
    faults   empty if all is as it must be
    """

    tree: str
    description: str
    status: str
    reason: str
    refused: tuple[str, ...]
    faults: tuple[str, ...]


def trees() -> list[str]:
    """The first and the last release of each line, some commits between releases, the newest."""
    lines: dict[tuple[int, ...], list[str]] = {}
    for tag in git("tag").decode().split():
        digits = (
            tag.removeprefix("skiboot-").removeprefix("v").replace("-fw", ".").replace("-", ".")
        )
        parts = digits.split(".")
        if all(part.isdecimal() for part in parts) and len(parts) > 1:
            numbers = tuple(map(int, parts))
            lines.setdefault((*numbers[:2], len(parts) > 3), []).append(tag)
    chosen: dict[str, None] = {}
    for line in sorted(lines):
        ordered = sorted(lines[line], key=_numbers)
        chosen |= dict.fromkeys((ordered[0], ordered[-1]))
    return [*chosen, *COMMITS, "HEAD"]


def _numbers(tag: str) -> list[int]:
    return [int("".join(filter(str.isdigit, part)) or 0) for part in tag.split(".")]


def descriptions() -> list[Patch]:
    """The packaged ones and this folder's own."""
    own = sorted(OWN.glob("*.yaml"))
    return [*packaged(), *(read(path, path.name) for path in own)]


def tried(tree: str, patches: Sequence[Patch]) -> Iterator[Tried]:
    """Each description by itself on a tree of the clone."""
    with tempfile.TemporaryDirectory() as directory:
        root = checkout(tree, Path(directory, "tree"))
        as_repository(root)
        before = compiled(root)
        for patch in patches:
            yield _tried(tree, root, patch, before)
            git("reset", "--quiet", "--hard", "HEAD", cwd=root)


def _tried(name: str, root: Path, patch: Patch, before: Mapping[str, list[Row]]) -> Tried:
    expected, obstacle = _by_hand(patch, before)
    tree = PatchedTree(root)
    try:
        made = plan(tree, [patch])
    except Faulty as faulty:
        reason = "; ".join(finding.message for finding in faulty.findings)
        faults = [] if obstacle else [f"refused without need: {reason}"]
        if not all(f.message and f.location.file for f in faulty.findings):
            faults.append("refused without a reason or a place")
        return Tried(name, patch.name, REFUSED, reason, (), tuple(faults))
    (step,) = made.steps
    faults = []
    bad = refusing(review_of(made), Severity.ERROR)
    codes = {finding.rule for finding in bad}
    if codes - WRONG.get(patch.name, set()):
        faults.append(f"refused by review without need: {', '.join(sorted(codes))}")
    if not all(finding.message and finding.location.line for finding in bad):
        faults.append("refused by review without a reason or a place")
    if step.status == NOT_MEANT:
        if not step.reason:
            faults.append("left out without a reason")
    elif obstacle:
        faults.append(f"{step.status}, though {obstacle}")
    elif step.status == PRESENT and expected != before:
        faults.append("said to be there already, and is not")
    elif step.status == MADE:
        ((_, mail),) = mails(made)
        git("am", "--quiet", cwd=root, text=mail)
        for file, text in made.files.items():
            if (root / file).read_bytes() != text.encode("utf-8", "surrogateescape"):
                faults.append(f"{file} after git am is not what was planned")
        try:
            if compiled(root) != expected:
                faults.append("compiles to other values")
        except CompileError as error:
            faults.append(f"does not compile: {str(error).splitlines()[0]}")
        git("reset", "--quiet", "--hard", "HEAD~1", cwd=root)
    return Tried(name, patch.name, step.status, step.reason, tuple(codes), tuple(faults))


def _by_hand(patch: Patch, before: Mapping[str, list[Row]]) -> tuple[dict[str, list[Row]], str]:
    """Returns what the tables must come to, from the YAML alone; else why they cannot."""
    file = OWN / patch.file if (OWN / patch.file).is_file() else ROOT / patch.file
    document = yaml.safe_load(file.read_text())
    aliases = document.get("aliases", {}).get("tables", {}) | FORMER_NAMES
    tables: dict[str, list[Row]] = {
        name: [row.copy() for row in rows] for name, rows in before.items()
    }
    has_residency = any(row["residency_ns"] >= 0 for rows in before.values() for row in rows)
    for edit in document["edits"]:
        names = [edit["table"], *_listed(aliases.get(edit["table"], ()))]
        array = next((name for name in names if name in tables), None)
        if array is None:
            return tables, f"the tree has no {edit['table']}"
        if "becomes" in edit:
            beside = file.parent / edit["becomes"]
            new = read_table(str(beside) if beside.is_file() else edit["becomes"]).table
            assert new is not None
            tables[array] = as_rows(new.states)
            if any((row["residency_ns"] >= 0) != has_residency for row in tables[array]):
                return tables, "the struct has no residency, or needs one"
            continue
        rows = [row for row in tables[array] if row["name"] == edit["state"]]
        if edit["field"] == "name" and not rows:
            rows = [row for row in tables[array] if row["name"] == edit["to"]]
        if len(rows) != 1:
            return tables, f"{array} has {len(rows)} rows {edit['state']}"
        obstacle = _edited(rows[0], edit)
        if obstacle:
            return tables, obstacle
    return tables, ""


def _edited(row: Row, edit: Mapping[str, Any]) -> str:
    """Changes the row as an edit says; or says what it finds instead."""
    group, _, part = edit["field"].partition(".")
    key = _KEYS[group]
    values: dict[str, Any] = dict(row)
    shift, most = _PSSCR[part] if group == "psscr" else (0, (1 << 64) - 1)
    if group == "flags":
        most = _FLAGS[part] if part else 0xFFFF_FFFF
    found: Any
    if key == "name":
        found, before, after = row["name"], edit["from"], edit["to"]
    else:
        found = values[key] >> shift & most if values[key] >= 0 else None
        before, after = (_number(edit[side], group, part) for side in ("from", "to"))
    if found not in (before, after):
        return f"{edit['field']} of {edit['state']} is {found}, not {before}"
    values[key] = after if key == "name" else values[key] & ~(most << shift) | after << shift
    row.update(values)  # type: ignore[typeddict-item]
    return ""


def _number(text: Any, group: str, part: str) -> int:
    if isinstance(text, str):
        digits = text.rstrip("nmus")
        return int(digits) * _UNITS[text[len(digits) :]]
    if group == "flags":
        if isinstance(text, list):
            return sum(_FLAGS[name] for name in text)
        return int(text) * _FLAGS[part] if part else int(text)
    return int(text)


def _listed(names: Any) -> Sequence[str]:
    return [names] if isinstance(names, str) else names
