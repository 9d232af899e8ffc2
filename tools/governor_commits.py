"""Writes docs/governor-commits.md: what `review --run` says of commits to menu and teo, beside what
was found later.

    python -m tools.governor_commits TREES MAILS [NAMES]   runs the commits again
    python -m tools.governor_commits                       the page alone, of what was recorded

TREES is a folder with clones of Linux, MAILS a public-inbox clone of linux-pm, which has each mail
as a commit.

The commits are tools/governor_commits.yaml: the governor's file before, by git's hash of its
content, the mails that came between, the mail of the commit, or the file after where no mail
applies. What the runs gave is docs/governor-commits.json.
"""

import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from idle_states import cli
from idle_states.base.files import write_file
from idle_states.base.reading.git.held import HeldCommits
from idle_states.base.reading.mail.box import read_mails
from idle_states.base.reading.mail.series import series_of
from idle_states.base.wording import joined, percent
from idle_states.change.review.base import on_top
from idle_states.change.review.governors import GovernorChange
from idle_states.change.review.review import Yardstick, review
from idle_states.tables.check.criteria import Criteria
from idle_states.tables.linux.governors.source.named import DIRECTORY, HEADER, give
from idle_states.tables.linux.releases import release
from tools.command_line import parsed

ROOT = Path(__file__).parent.parent
ROWS, RECORD = ROOT / "tools/governor_commits.yaml", ROOT / "docs/governor-commits.json"
PAGE = ROOT / "docs/governor-commits.md"
RECORDING = ROOT / "tests/data/traces/mt8196-teo"
START = "<!-- from here on written by tools.governor_commits -->\n"
_GOV_H = "99e067d"
_TIMES = "struct cpuidle_state {{ {0} exit_latency_ns, target_residency_ns; }};\n"
_MICROSECONDS = "struct cpuidle_state { unsigned int exit_latency, target_residency; };\n"
Row = Mapping[str, Any]


def rows() -> list[Row]:
    """Returns the commits, as they are listed."""
    found: list[Row] = yaml.safe_load(ROWS.read_text("utf-8"))
    return found


class Sources:
    """Clones of Linux, and one of a mailing list, that lie on this machine."""

    def __init__(self, trees: Path, mails: Path) -> None:
        self._mails = _directory(mails)
        self._trees = [
            found
            for each in sorted(trees.iterdir())
            if each.is_dir() and (found := _directory(each))
        ]

    @cache  # noqa: B019
    def content(self, blob: str) -> bytes:
        """Returns the file with that hash in any of the clones."""
        for tree in self._trees:
            done = _git(tree, "cat-file", "blob", blob)
            if done is not None:
                return done
        raise SystemExit(f"expected a clone with the file {blob}, found none")

    @cache  # noqa: B019
    def mail(self, name: str) -> bytes:
        """Returns a mail by the beginning of its commit's hash."""
        done = _git(self._mails, "show", f"{name}:m")
        if done is None:
            raise SystemExit(f"expected a mail {name}, found none")
        return done


def _directory(clone: Path) -> str:
    for found in (clone, clone / ".git", clone / "repo", clone / "repo/.git"):
        if (found / "HEAD").is_file():
            return str(found)
    return ""


def _git(directory: str, *line: str) -> bytes | None:
    done = subprocess.run(
        ["git", f"--git-dir={directory}", *line], capture_output=True, check=False
    )
    return done.stdout if done.returncode == 0 and directory else None


def run(row: Row, sources: Sources) -> dict[str, Any]:
    """Returns what review says of a commit, as it is recorded."""
    held = HeldCommits(None, "Linux")
    kernel = release(row["kernel"])
    path = f"{DIRECTORY}/{row['governor']}.c"
    times = _MICROSECONDS
    if kernel.version >= (5, 5):
        times = _TIMES.format("s64" if kernel.version >= (5, 13) else "u64")
    version, patchlevel, *point = row["kernel"].split(".")
    files = {
        path: sources.content(row["before"]),
        HEADER: times.encode(),
        "Makefile": (
            f"VERSION = {version}\nPATCHLEVEL = {patchlevel}\nSUBLEVEL = {''.join(point) or 0}\n"
        ).encode(),
    }
    if kernel.version >= (6, 5):
        files[f"{DIRECTORY}/gov.h"] = sources.content(_GOV_H)
    base = held.add("", "before", files, is_patch=False)
    for name in row.get("between", ()):
        base = _applied(held, base, sources.mail(name))
    if "mail" in row:
        head = _applied(held, base, sources.mail(row["mail"]))
    else:
        after = {path: sources.content(row["after"])}
        if "after_header" in row:
            after[f"{DIRECTORY}/gov.h"] = sources.content(row["after_header"])
        head = held.add(base, row["name"], after)
    if row.get("confirms"):
        (entry,) = held.named(head, path)
        assert entry.hash.startswith(row["confirms"]), (row["name"], entry.hash)
    by = Yardstick(Criteria((kernel,)), of_commits=False, runs=row.get("runs", 0), compiles=True)
    found = review(held, base, head, by)
    [change] = found.changes
    [governor] = change.governors
    assert not governor.unsaid, (row["name"], governor.unsaid)
    sides = (give(held, commit, row["governor"]).name for commit in (base, head))
    return {**_recorded(governor), "wfi": [_shallowest(name, kernel.name) for name in sides]}


def _shallowest(governor: str, kernel: str) -> float:
    """Returns the percentage of time that the recording's CPUs spend in WFI under a governor."""
    line = ["replay", f"{RECORDING}.slice.txt.gz", "--table", f"{RECORDING}.sysfs-before.txt"]
    line += ["--governor", governor, "--kernel", kernel, "--hz", "100", "--format", "json"]
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(io.StringIO()):
        cli.main(line)
    states = json.loads(printed.getvalue())["total"]["states"]
    times = [state["time_us"] for state in states]
    return float(round(100 * times[0] / sum(times), 2))


def _applied(held: HeldCommits, base: str, mail: bytes) -> str:
    """Returns the commit of a mail on top of another."""
    with tempfile.NamedTemporaryFile(suffix=".mail") as file:
        file.write(mail)
        file.flush()
        [series] = series_of(read_mails(file.name)[0], file.name)
    return on_top(held, series, base, "").head


def _recorded(found: GovernorChange) -> dict[str, Any]:
    return {
        "decisions": found.decisions,
        "differ": found.differ,
        "ticks": found.ticks,
        "judged": [
            {
                "circumstance": one.circumstance,
                "periods": one.periods,
                "differ": one.differ,
                "deeper": one.deeper,
                "ticks": one.ticks,
                "too_deep": list(one.too_deep),
                "too_shallow": list(one.too_shallow),
            }
            for one in found.judged
        ],
        "maps": sum(table.maps for table in found.tables),
        "changed": sum(len(table.changed) for table in found.tables),
        "lost": {table.tables[0]: list(table.lost) for table in found.tables if table.lost},
        "gained": {table.tables[0]: list(table.gained) for table in found.tables if table.gained},
        "workloads": [
            {
                "name": one.workload,
                "rate": [round(one.rate.least, 2), round(one.rate.most, 2)],
            }
            for one in found.workloads
            if one.rate is not None and max(abs(one.rate.least), abs(one.rate.most)) >= 0.05
        ],
        "claims": [f"{claim.text!r}: {claim.verdict}" for claim in found.claims],
    }


def page() -> str:
    """Returns the page: what stands above START, and the tables of what was recorded."""
    head = PAGE.read_text("utf-8").partition(START)[0]
    record = json.loads(RECORD.read_text("utf-8"))
    lines = ["| Commit | What it does | `review --run` says | Found later |", "|---|---|---|---|"]
    lines += [
        f"| {_named(row)} | {row['what']} | {_outcome(record[row['name']])} | {row['later']} |"
        for row in rows()
    ]
    lines += ["", "## Mails", "", "| Commit | Applied | linux-pm |", "|---|---|---|"]
    lines += [
        f"| {row['name']} | {_applied_how(row)} | {', '.join(f'`{one}`' for one in row['mails'])} |"
        for row in rows()
    ]
    return f"{head}{START}\n" + "\n".join(lines) + "\n"


def _named(row: Row) -> str:
    name, governor = row["name"], row["governor"]
    return name if name.startswith(governor) else f"{governor}: {name}"


def _applied_how(row: Row) -> str:
    if "after" in row:
        return "between two trees, which may lie several commits apart"
    after = "; the file after it is a later tree's, byte for byte" if "confirms" in row else ""
    return f"its mail, on the file of Linux {row['kernel']}{after}"


def _outcome(found: dict[str, Any]) -> str:
    """Returns a cell with what was recorded, mostly of the circumstance with most differences."""
    total = found["decisions"]
    if not found["differ"] + found["ticks"]:
        maps = f"; {found['changed']} of {found['maps']} maps change" if found["changed"] else ""
        return f"nothing differs in {total:,} decisions{maps}"
    parts = [f"{found['differ']:,} of {total:,} decisions ({percent(found['differ'], total)})"]
    parts += [f"{found['ticks']:,} more about the tick"] if found["ticks"] else []
    parts.append(f"{found['changed']} of {found['maps']} maps")
    most = max(found["judged"], key=lambda one: (one["differ"], one["ticks"]))
    sides = [
        f"{words} {' -> '.join(percent(count, most['periods']) for count in most[key])}"
        for words, key in (("too deep", "too_deep"), ("too shallow", "too_shallow"))
    ]
    parts.append(f"most with {most['circumstance']}: {', '.join(sides)}")
    parts += [
        f"{table}: {joined(states)} {verb}"
        for key, verb in (("lost", "no longer selected"), ("gained", "selected now"))
        for table, states in found[key].items()
    ]
    if len(set(found["wfi"])) > 1:
        before, after = found["wfi"]
        parts.append(f"WFI in the recording {before} -> {after} %")
    parts += [f"{one['name']} {_rate(one)}" for one in found["workloads"]]
    parts += [f"the message: {claim}" for claim in found["claims"]]
    return "; ".join(parts)


def _rate(one: Mapping[str, Any]) -> str:
    least, most = one["rate"]
    return f"{least:+.1f} %" if least == most else f"{least:+.1f} to {most:+.1f} %"


def main() -> int:
    given = parsed(__doc__, "[TREES]", "[MAILS]", "[NAMES...]")
    if given.mails:
        sources = Sources(Path(given.trees), Path(given.mails))
        known = json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {}
        for row in rows():
            if given.names and row["name"] not in given.names:
                continue
            print(row["name"], file=sys.stderr)
            known[row["name"]] = run(row, sources)
            write_file(RECORD, json.dumps(known, indent=1, sort_keys=True) + "\n")
    write_file(PAGE, page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
