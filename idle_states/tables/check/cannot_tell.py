"""Findings on kernels that are not known: those that all of the known ones around them have, and
those of some only, which IS940 reports."""

from collections.abc import Callable, Iterable, Sequence

from ...base.dataclass import replace
from ...base.model.findings import Finding, Severity
from ...base.wording import joined
from ..linux.brackets import as_end
from ..linux.releases import Release
from ..rules.selection import ALL, RuleSelection

RULE = "IS940"
_SOME = 3


def over_ends(
    kernels: Sequence[Release],
    find: Callable[[tuple[Release, ...]], Iterable[Finding]],
    rules: RuleSelection = ALL,
) -> list[Finding]:
    """Returns findings for kernels. find: returns them for kernels that are known; of those that
    are not, each end is tried under the kernel's own name; rules: that run."""
    unknown = [kernel for kernel in kernels if kernel.ends]
    runs = [
        list(find(tuple(_end(kernel, number) for kernel in kernels)))
        for number in range(max((len(kernel.ends) for kernel in unknown), default=1))
    ]
    if not unknown:
        return runs[0]
    kinds = [{_kind(finding): finding for finding in run} for run in runs]
    found: list[Finding] = []
    for kind in dict.fromkeys(kind for run in kinds for kind in run):
        having = [run.get(kind) for run in kinds]
        first = next(each for each in having if each is not None)
        undecided: list[Finding] = []
        for kernel in unknown:
            holds = [_holds(having[number], kernel) for number in range(len(kernel.ends))]
            if any(holds) and not all(holds):
                undecided.append(_untold(first, kernel, holds))
        unsure = {name for each in undecided for name in each.kernels}
        sure = tuple(name for name in _kernels(having) if name not in unsure)
        if sure or not undecided:
            found.append(replace(first, kernels=sure if first.kernels else ()))
        found += undecided if rules.takes(RULE) else ()
    return found


def expanded(kernels: Iterable[Release]) -> list[Release]:
    """Returns kernels, those that are not known as each of their ends, which their names say."""
    found: list[Release] = []
    for kernel in kernels:
        found += [
            replace(as_end(kernel, number), name=f"{kernel.name} as {end.name}", ends=())
            for number, end in enumerate(kernel.ends)
        ] or [kernel]
    return found


def _end(kernel: Release, number: int) -> Release:
    return as_end(kernel, min(number, len(kernel.ends) - 1)) if kernel.ends else kernel


def _kind(finding: Finding) -> Finding:
    """Returns a key that is equal for the same finding on other kernels."""
    return replace(finding, kernels=(), related=())


def _kernels(having: Iterable[Finding | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in having if each for name in each.kernels))


def _holds(finding: Finding | None, kernel: Release) -> bool:
    return finding is not None and (not finding.kernels or kernel.name in finding.kernels)


def _untold(finding: Finding, kernel: Release, holds: Sequence[bool]) -> Finding:
    ends = [end.name for end in kernel.ends]
    having = [name for name, has in zip(ends, holds, strict=True) if has]
    lacking = [name for name, has in zip(ends, holds, strict=True) if not has]
    message = (
        f"cannot tell for Linux {kernel.name}: {finding.tag} "
        f"as {_few(having)}, not as {_few(lacking)}: {finding.message}"
    )
    return replace(
        finding,
        rule=RULE,
        name="unknown-kernel",
        severity=Severity.WARNING,
        message=message,
        kernels=(kernel.name,),
        stands_for=(),
    )


def _few(names: Sequence[str]) -> str:
    if len(names) <= _SOME:
        return joined(names, "or")
    return f"{names[0]}, {len(names) - 2} more or {names[-1]}"
