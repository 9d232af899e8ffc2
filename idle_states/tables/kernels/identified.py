"""The kernels whose governor a source is."""

from collections.abc import Sequence

from ...base.model.findings import UsageError
from ...base.report.sheet import Lines, Rows, Section, Sheet
from ...base.wording import few, joined, plural
from ..linux.builds import named_builds
from ..linux.governors import State, core
from ..linux.governors.identify import Identification, Kin, identify, trials
from ..linux.governors.source.model import model
from ..linux.grounds import source_remarks
from ..linux.kernel_ranges import kernel_ranges
from ..linux.releases import all_releases
from .sheet import value

_NAMED = 8


def identified(name: str) -> Identification:
    """Returns which releases decide as the source that --governor names.

    Raises UsageError without the compiled core, and for a governor in Python; Unreadable.
    """
    if name.endswith(".py"):
        raise UsageError(
            f"expected a governor's C file, to compare with those of kernels, found {name}"
        )
    if not core.available():
        raise UsageError(
            "the compiled core, which decides for all kernels, is missing; `idle-states "
            "--version` tells why"
        )

    def ask(states: Sequence[State], hz: int, rows: bytes) -> bytes:
        own = model(name, states, hz)
        return bytes(own.replay(rows).packed)  # type: ignore[attr-defined]

    return identify(name, trials(ask))


def sheet(found: Identification) -> Sheet:
    """Returns the answer: the releases that are equal, or the nearest and what differs."""
    total, first = found.decisions, headline(found)
    kin = found.equal or found.nearest
    more = _differs(found) if found.is_near else ()
    rows = tuple(
        (each.governor, f"{100 * each.agree / total:.2f} %", few(_ranges(each.kernels), _NAMED))
        for each in kin
    )
    tried = (
        f"compared in {plural(total, 'decision')}, on tables and idle periods of this tool's "
        "own, HZ 250 and 1000: other idle periods may show differences that these do not"
    )
    return Sheet(
        "Kernels",
        (first,),
        (
            Section("Which kernel this is", (Lines((first, "")),)),
            Section("", (Rows(("Governor", "Agree", "Linux"), rows, numbers=frozenset()),)),
            *more,
            Section("", (Lines((tried, *source_remarks(found.governor))),)),
        ),
    )


def headline(found: Identification) -> str:
    """Returns the kernels that decide so, or the nearest, in one line."""
    if found.equal:
        return f"{found.governor} decides as {joined([_named(kin) for kin in found.equal])}"
    nearest, total = found.nearest[0], found.decisions
    return (
        f"no known kernel decides as {found.governor} does; {_named(nearest)} comes nearest: "
        f"{nearest.agree} of {total} decisions ({100 * nearest.agree / total:.2f} %)"
    )


def _differs(found: Identification) -> tuple[Section, ...]:
    lines = [
        f"  {each.feature}: {value(each.nearest)} -> {value(each.value)} ({each.agree} of "
        f"{found.decisions} agree): {each.meaning}"
        for each in found.differs
    ]
    if not lines:
        lines = ["  no single feature of other releases brings it nearer"]
    elif found.differs[-1].agree < found.decisions:
        lines.append("  what else differs is not known")
    title = "Changed features of the nearest, one after the other"
    return (Section(title, (Lines(tuple(lines)),)),)


def _named(kin: Kin) -> str:
    mainline = [each for each in kin.kernels if "-" not in each]
    return f"{kin.governor} of Linux {', '.join(_ranges(mainline or kin.kernels))}"


def _ranges(kernels: Sequence[str]) -> list[str]:
    """Returns releases in few words: neighbours of the mainline, and of builds, become a range."""
    line2builds = named_builds()
    builds = {name for names in line2builds.values() for name in names}
    others = [each for each in kernels if each not in builds]
    found = kernel_ranges(others, [each.name for each in all_releases()]).split(", ")
    for line, names in line2builds.items():
        runs: list[list[str]] = []
        for index, name in enumerate(names):
            if name not in kernels:
                continue
            if runs and runs[-1][-1] == names[index - 1]:
                runs[-1].append(name)
            else:
                runs.append([name])
        found += [
            run[0] if len(run) == 1 else f"{run[0]} to {run[-1].removeprefix(f'{line}-')}"
            for run in runs
        ]
    return [each for each in found if each]
