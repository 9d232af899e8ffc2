"""The formats of measurements: a module format_NAME each, asked whether a file is theirs.

A module has
    TITLE                                              what messages call the format
    recognises(output: ToolOutput) -> bool             looks at no more than its head
    read(output: ToolOutput, facts: Facts) -> Measured
and is imported when it is asked.
"""

import importlib
import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

from ....base.dataclass import replace
from ....base.model.findings import Unreadable, next_step, unreadable
from ....base.model.measured import Measured
from ....base.reading import limits, opening
from ....base.reading.unexpected import on_input
from ....base.wording import joined, plural
from .output import Facts, ToolOutput, output_of

_DATAPOINTS, _INFO = "datapoints.csv", "info.yml"
_FILE = re.compile(r"format_(\w+)\.py")


@cache
def format_names() -> tuple[str, ...]:
    """Returns the formats that there are, found by looking into this directory."""
    files = os.listdir(os.path.dirname(__file__))
    return tuple(sorted(match[1] for file in files if (match := _FILE.fullmatch(file))))


def format_module(name: str) -> ModuleType:
    return importlib.import_module(f"{__package__}.format_{name}")


@next_step("measure with the script of idle-states collect --measure, or give a tool's own output")
def read_measured(path: str | Path, facts: Facts | None = None) -> list[Measured]:
    """All that a file, or the files of a directory, say of idle states.

    path  a file of one of the formats; the result directory of wult or pbe; or a directory
          of such files and directories, each a `Measured` of its own. "-" is standard input.
    facts what the caller knows and files of this format do not say

    Raises Unreadable (IS930) for what is of no known format, or not as its tool writes it, with the
    place; UsageError for what cannot be read without more in `facts`.
    """
    facts = facts or Facts()
    name = str(path)
    try:
        with on_input(name):
            if opening.is_directory(path):
                return _of_directory(Path(path), facts)
            data = opening.read_operand(name, limits.MEASURED_BYTES)
            return [read_output(output_of(name, data), facts)]
    except OSError as error:
        raise unreadable(name, f"expected a readable file, found: {error.strerror}") from None


def read_output(output: ToolOutput, facts: Facts) -> Measured:
    """Returns the measurements in the text of one file; facts, errors: see read_measured()."""
    name = format_of(output)
    if name is None:
        raise output.refused(f"expected {_known()}, found none of them", 1)
    return named(format_module(name).read(output, facts), facts)


def named(measured: Measured, facts: Facts) -> Measured:
    """The measurements with what the caller says where the file is silent: which state was entered,
    and that the CPU was busy."""
    if facts.state is None and not facts.busy:
        return measured
    states = joined(list(dict.fromkeys(each.state for each in measured.latencies if each.state)))
    if states and states != facts.state:
        word = "busy" if facts.busy else facts.state
        note = f"records itself that {states} was entered: {word}= is not used"
        measured = replace(measured, notes=(*measured.notes, note))
    latencies = tuple(
        replace(
            latency,
            state=facts.state if latency.state is None and not facts.busy else latency.state,
            busy=latency.busy or (facts.busy and latency.state is None),
        )
        for latency in measured.latencies
    )
    return replace(measured, latencies=latencies)


def format_of(output: ToolOutput) -> str | None:
    """Name of the format that recognises a file; None if none does."""
    opening.expect_utf8(output.data[:4], output.shown)
    if b"\0" in output.data[: limits.MEASURED_HEAD_BYTES]:
        raise output.refused("expected text, found binary data")
    for name in format_names():
        if format_module(name).recognises(output):
            return name
    return None


def _known() -> str:
    return joined([format_module(name).TITLE for name in format_names()], "or")


def _of_result(tree: opening.Tree, facts: Facts) -> Measured | None:
    """Returns the measurements in a result directory of wult or pbe; None for another directory.
    Raises Unreadable (IS930) for results of ndl, not exit latencies, and of unknown ones."""
    from . import format_wult, pbe

    if not tree.is_file(_DATAPOINTS):
        return None
    info = _information(tree)
    output = output_of(tree.shown(_DATAPOINTS), tree.read(_DATAPOINTS, limits.MEASURED_BYTES))
    tool = info.get("toolname", "wult")
    if tool in ("wult", "ndl"):
        return named(format_wult.read(output, facts, info), facts)
    if tool == "pbe":
        version = info.get("toolver", "")[:40]
        return named(pbe.read(tree, output, facts, f"pbe {version}".rstrip()), facts)
    message = f"expected toolname wult, pbe or ndl, found {tool!r:.40}"
    raise unreadable(tree.shown(_INFO), message, 1)


def _information(tree: opening.Tree) -> Mapping[str, str]:
    """The single values of info.yml; none where it is missing."""
    from ....base.reading import document

    if not tree.is_file(_INFO):
        return {}
    name = tree.shown(_INFO)
    text = document.decode(tree.read(_INFO, limits.SPEC_BYTES), name)
    entries = document.parse(text, name).entries
    return {
        key: node.text.strip() for key, node in entries.items() if isinstance(node, document.Scalar)
    }


def _of_directory(path: Path, facts: Facts) -> list[Measured]:
    with opening.Tree(path) as tree:
        whole = _of_result(tree, facts)
        if whole is not None:
            return [whole]
        entries = sorted((entry.name, entry.kind) for entry in tree.entries())
        if len(entries) > limits.MEASURED_FILES:
            raise unreadable(path.as_posix(), f"expected at most {limits.MEASURED_FILES} files")
        found, others = [], []
        for entry, kind in entries:
            if kind == opening.DIRECTORY:
                with tree.below(entry) as below:
                    part = _of_result(below, facts)
                found += [part] if part is not None else []
                continue
            if kind != opening.FILE:
                continue
            output = output_of(tree.shown(entry), tree.read(entry, limits.MEASURED_BYTES))
            try:
                name = format_of(output)
            except Unreadable:
                name = None
            if name is None:
                others.append(entry)
            else:
                found.append(named(format_module(name).read(output, facts), facts))
    if not found:
        raise unreadable(path.as_posix(), f"expected files of {_known()}, found none of them")
    if others:
        note = f"{plural(len(others), 'file')} of unknown format in the directory ignored: "
        note += f"{joined(others[:3])}{' ...' if others[3:] else ''}"
        found[0] = replace(found[0], notes=(*found[0].notes, note))
    return found
