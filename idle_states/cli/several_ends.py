"""Commands that are run once for each known kernel that one which is not known lies between: what
all runs find is said once, the rest side by side."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, product
from typing import TYPE_CHECKING, Any

from ..base.dataclass import dataclass
from ..base.model.findings import Rejected, UsageError
from ..base.wording import joined
from .output import WaitingResult, held
from .status import UNREADABLE

if TYPE_CHECKING:
    from ..tables.linux.releases import Release

RUNS_MAX = 256
"""More runs than that are not made."""
_UNTOLD = frozenset({"taken_as"})
"""Keys of documents that name the end itself."""


@dataclass(frozen=True, slots=True)
class RunForEnds:
    """A run of a command.

    kernels  each kernel that is not known, and the end that it was taken as
    status   exit status
    held     what the run gave out, in order
    failure  what it ended with
    """

    kernels: tuple[tuple["Release", "Release"], ...]
    status: int
    held: tuple[WaitingResult, ...] = ()
    failure: Exception | None = None

    @property
    def result(self) -> object:
        """Equal for runs that found the same."""
        failure = self.failure and (type(self.failure), str(self.failure))
        return self.status, failure, tuple(_compared(each) for each in self.held)

    @property
    def ends(self) -> str:
        if len(self.kernels) == 1:
            return self.kernels[0][1].name
        return joined([f"{kernel.name} as {end.name}" for kernel, end in self.kernels])


def run(once: Callable[[], int]) -> int:
    """Runs a command, and again for each further end of the kernels that it comes upon; gives its
    results out, and returns the exit status: 3 where ends make it differ."""
    lines: set[str] = set()
    first = _run(once, {}, lines)
    if not first.kernels:
        for each in first.held:
            each.give_out()
        if first.failure is not None:
            raise first.failure
        return first.status
    kernels = [kernel for kernel, _ in first.kernels]
    choices = list(product(*(range(len(kernel.ends)) for kernel in kernels)))
    if len(choices) > RUNS_MAX:
        words = joined([kernel.name for kernel in kernels])
        raise UsageError(f"too many kernels at once that are not known ({words}): name fewer")
    names = [kernel.name for kernel in kernels]
    more = [_run(once, dict(zip(names, chosen, strict=True)), lines) for chosen in choices[1:]]
    return _given_out([first, *more])


def _run(once: Callable[[], int], chosen: Mapping[str, int], lines: set[str]) -> RunForEnds:
    from ..tables.linux.brackets import choosing_ends

    failure: UsageError | Rejected | None = None
    status = UNREADABLE
    with choosing_ends(chosen) as run, held(lines, run.met) as given:
        try:
            status = once()
        except (UsageError, Rejected) as error:
            failure = error
    kernels = tuple((each, each.ends[chosen.get(name, 0)]) for name, each in run.met.items())
    return RunForEnds(kernels, status, tuple(given), failure)


def _given_out(outcomes: Sequence[RunForEnds]) -> int:
    groups: dict[object, list[RunForEnds]] = {}
    for each in outcomes:
        groups.setdefault(repr(each.result), []).append(each)
    distinct = list(groups.values())
    heads = [_head(group, outcomes) for group in distinct]
    first = next((group[0] for group in distinct if group[0].failure is None), distinct[0][0])
    if first.failure is not None and len(distinct) == 1:
        raise first.failure
    names = [kernel.name for kernel, _ in first.kernels]
    for number, given in enumerate(first.held):
        all_given = [_at(group[0], number, given) for group in distinct]
        if given.kind == "page":
            given.give_out(_pages(all_given, heads))
        elif given.kind == "text":
            given.give_out(_merged(all_given, heads) + _closing(names, heads))
        else:
            given.give_out(_document(given.content, outcomes, number, joined(names)))
    alike = {outcome.status for outcome in outcomes}
    return first.status if len(alike) == 1 else UNREADABLE


def _head(group: Sequence[RunForEnds], outcomes: Sequence[RunForEnds]) -> str:
    """Returns the ends of some runs in words: of several, one after the other, first and last."""
    runs: list[list[RunForEnds]] = []
    for before, each in zip((None, *outcomes), outcomes, strict=False):
        if each in group:
            if before in group and runs:
                runs[-1].append(each)
            else:
                runs.append([each])
    ranges = (
        f"{run[0].ends} to {run[-1].ends}" if len(run) > 2 else joined([e.ends for e in run], "or")
        for run in runs
    )
    return joined(list(ranges), "or")


def _closing(names: Sequence[str], heads: Sequence[str]) -> str:
    """Returns the last line: whether the answer is known."""
    are = "is not known itself" if len(names) == 1 else "are not known themselves"
    if len(heads) == 1:
        return f"Linux {joined(names)} {are}; the answer is the same as {heads[0]}\n"
    answers = f"as {joined(heads, 'and as')}" if len(heads) < 4 else f"{len(heads)} answers"
    return (
        f"warning: cannot tell for Linux {joined(names)}, which {are}: {answers} differ where "
        "marked [IS940 unknown-kernel]\n"
    )


def _at(outcome: RunForEnds, number: int, like: WaitingResult) -> Any:
    """The content that a run gave out at a place; of one that failed, its message."""
    if number < len(outcome.held) and outcome.held[number].kind == like.kind:
        return outcome.held[number].content
    return f"{outcome.failure or 'no result'}\n" if like.kind == "text" else None


def _compared(given: WaitingResult) -> object:
    if given.kind == "text":
        return [line.split() for line in given.content.splitlines()]
    return given.content if given.kind == "document" else given.kind


def _merged(texts: Sequence[str], heads: Sequence[str]) -> str:
    """Returns the lines that all texts have, and between them those of each, under its head. Lines
    that differ in blanks alone are the same."""
    if len(texts) == 1:
        return texts[0]
    from difflib import SequenceMatcher

    lines = [text.splitlines() for text in texts]
    words = [[tuple(line.split()) for line in each] for each in lines]
    shared: list[tuple[int, ...]] = [(number,) for number in range(len(words[0]))]
    for other in words[1:]:
        ours = [words[0][each[0]] for each in shared]
        matched = SequenceMatcher(None, ours, other, autojunk=False).get_matching_blocks()
        shared = [(*shared[a + step], b + step) for a, b, size in matched for step in range(size)]
    found: list[str] = []
    done = [0] * len(lines)
    for at in [*shared, tuple(map(len, lines))]:
        if any(begin < end for begin, end in zip(done, at, strict=True)):
            segments: dict[object, list[int]] = {}
            for number, (begin, end) in enumerate(zip(done, at, strict=True)):
                segments.setdefault(tuple(words[number][begin:end]), []).append(number)
            for numbers in segments.values():
                first = numbers[0]
                found.append(
                    f"cannot tell: as {joined([heads[number] for number in numbers], 'or')}"
                )
                found += [f"  | {line}" for line in lines[first][done[first] : at[first]]]
        if at[0] < len(lines[0]):
            found.append(lines[0][at[0]])
        done = [end + 1 for end in at]
    return "".join(f"{line}\n" for line in found)


def _pages(pages: Sequence[Any], heads: Sequence[str]) -> Any:
    """Returns the page of all: one after the other, where they differ."""
    from ..base.report.sheet import Lines, Section, Sheet

    command, sheet, inputs = pages[0]
    if len(pages) == 1:
        return pages[0]
    sheets: list[Sheet] = [page[1] for page in pages if page is not None]
    sections = []
    for head, each in zip(heads, sheets, strict=False):
        parts = (Lines(each.headline),) if each.headline else (Lines((each.title,)),)
        sections += [Section(f"Cannot tell: as {head}", parts), *each.sections, *each.further]
    headline = (f"Cannot tell: the answers as {joined(heads, 'and as')} differ",)
    return command, Sheet(sheet.title, headline, tuple(sections), sheet.about), inputs


def _document(content: str | bytes, outcomes: Sequence[RunForEnds], number: int, names: str) -> Any:
    """Returns the first run's document with those of the others as alternatives. Raises UsageError
    where such a document has no place for them."""
    import json

    from ..base.report.escapes.json import encoded
    from ..tables.documents.envelope_document import alternatives_of

    contents = [each.held[number].content if number < len(each.held) else None for each in outcomes]
    try:
        documents = [None if each is None else json.loads(each) for each in contents]
    except ValueError:
        if len(set(contents)) == 1:
            return content
        raise UsageError(
            f"cannot decide what to write: Linux {names} is not known here; name one of "
            f"{joined([each.ends for each in outcomes], 'or')} as --kernel"
        ) from None
    first = json.loads(content)
    differing = [list(_differences(first, each)) for each in documents]
    found = [
        (each.kernels, each.status, document if paths else None)
        for each, document, paths in zip(outcomes, documents, differing, strict=True)
    ]
    return encoded(first | alternatives_of(found, list(dict.fromkeys(chain(*differing))))) + "\n"


def _differences(a: Any, b: Any, path: str = "") -> Iterator[str]:
    """Yields the places at which two documents differ."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys((*a, *b)):
            if key not in _UNTOLD:
                yield from _differences(a.get(key), b.get(key), f"{path}.{key}".lstrip("."))
    elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for index, pair in enumerate(zip(a, b, strict=True)):
            yield from _differences(*pair, f"{path}[{index}]")
    elif a != b:
        yield path
