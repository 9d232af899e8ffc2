"""schbench blocks compared: each with the first one, percentile by percentile."""

from collections.abc import Sequence
from dataclasses import dataclass

from ..workload.problems import unreadable
from .reading import File, blocks
from .schbench import Block, percentiles
from .summary import Dataset

LARGEST_VALUE = (1 << 32) - 1


@dataclass(frozen=True, slots=True)
class Group:
    """Blocks with the same percentiles, the first being the baseline.

    left_out  earlier blocks of the same heading in the same files: a run prints one each interval
    """

    blocks: tuple[Block, ...]
    left_out: int = 0

    def change(self, block: int, row: int) -> float | None:
        """Percent of the first block's value; None if that is 0."""
        old = self.blocks[0].percentiles[row].value
        new = self.blocks[block].percentiles[row].value
        return 100 * (new - old) / old if old else None


def groups(files: Sequence[File]) -> list[Group]:
    """One file: its blocks as they stand, side by side or alone. Several: the last block of each
    heading, file by file. Raises Unreadable for blocks that cannot be compared."""
    read = [blocks(file) for file in files]
    if len(files) == 1:
        return [_group(list(beside), 0) for beside in read[0]]
    last: list[dict[str, Block]] = []
    counts: dict[str, int] = {}
    for file, found in zip(files, read, strict=True):
        own: dict[str, Block] = {}
        for beside in found:
            if len(beside) > 1:
                raise unreadable(
                    file.name,
                    f"expected one column of percentiles beside other files, found {len(beside)}",
                    beside[0].line,
                )
            own[beside[0].label] = beside[0]
            counts[beside[0].label] = counts.get(beside[0].label, 0) + 1
        last.append(own)
    for file, own in zip(files[1:], last[1:], strict=True):
        if own.keys() != last[0].keys():
            raise unreadable(
                file.name,
                f"expected percentiles of {_named(last[0])} as in {files[0].name}, "
                f"found {_named(own)}",
            )
    return [_group([own[label] for own in last], counts[label] - len(files)) for label in last[0]]


def of_samples(datasets: Sequence[Dataset]) -> Group:
    """What schbench would have printed for samples in us. Raises Unreadable for fractions."""
    made = []
    for dataset in datasets:
        assert dataset.values is not None
        for number, value in enumerate(dataset.values, 1):
            if not value.is_integer() or value > LARGEST_VALUE:
                raise unreadable(
                    dataset.file,
                    f"expected whole microseconds up to {LARGEST_VALUE} for schbench, "
                    f"found {value:g}, sample {number}",
                )
        whole = [int(value) for value in dataset.values]
        made.append(
            Block(dataset.name, "Latency", "usec", percentiles(whole), min(whole), max(whole), 0)
        )
    return Group(tuple(made))


def _group(found: list[Block], left_out: int) -> Group:
    wanted = [entry.percent for entry in found[0].percentiles]
    for block in found[1:]:
        own = [entry.percent for entry in block.percentiles]
        if own != wanted:
            raise unreadable(
                block.name,
                f"expected the percentiles {_listed(wanted)} as in {found[0].name}, "
                f"found {_listed(own)}",
                block.line,
            )
    return Group(tuple(found), left_out)


def _named(own: dict[str, Block]) -> str:
    return ", ".join(label or "no heading" for label in own)


def _listed(percents: list[float]) -> str:
    return ", ".join(f"{percent:g}" for percent in percents)
