"""Parsers made of the options that requests declare (`options.py`), and requests made of command
lines. Nothing else sees a Namespace."""

import argparse
import functools
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..base.dataclass import dataclass, fields, is_dataclass, is_required
from ..base.model.findings import UsageError
from ..base.options import Argument, FromConfiguration, LeftOut, Option, Options
from ..base.wording import joined
from .values import CHOICES, READERS, FieldKind, default_words, hz_of_source, kind_of, say

if TYPE_CHECKING:
    from ..tables.check.acceptance import Acceptance
    from ..tables.check.config import Configuration

_USUAL = Options()
_PACKAGE = __package__.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Declared:
    """An option or operand of a command.

    path     names of the fields that lead to it: "request.of.hz"
    heading  group of --help that it stands in; "": none
    wanted   whether an operand has to be given
    default  its field's own; None also for one that is made
    filled   whether its field has no default, and is None where nothing is given
    """

    path: str
    mark: Option | Argument
    kind: FieldKind
    heading: str
    wanted: bool
    default: Any
    filled: bool

    @property
    def field(self) -> str:
        return self.path.rpartition(".")[2]

    @property
    def setting(self) -> str:
        """Its key in the project's configuration."""
        return self.mark.name.lstrip("-").replace("-", "_")

    @property
    def choices(self) -> tuple[str, ...] | None:
        return self.mark.choices or self.kind.choices or CHOICES.get(self.kind.name) or None


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """A dataclass whose fields have options.

    path   names of the fields that lead to it; "" for the whole command
    kind   its class, and whether it is None without its first option
    parts  field -> its option, what fills it otherwise, or its own options
    """

    path: str
    kind: FieldKind
    options: Options
    parts: dict[str, Any]

    def declared(self) -> Iterator[Declared]:
        """Yields its options and operands, those of its groups in their place."""
        for part in self.parts.values():
            if isinstance(part, OptionGroup):
                yield from part.declared()
            elif isinstance(part, Declared):
                yield part

    def groups(self) -> "Iterator[OptionGroup]":
        """Yields itself, and the groups in it."""
        yield self
        for part in self.parts.values():
            if isinstance(part, OptionGroup):
                yield from part.groups()


def group_of(
    kind: FieldKind, path: str = "", options: Options = _USUAL, *, wanted: bool = True
) -> OptionGroup:
    """Returns the options that the fields of a dataclass declare. wanted: whether it is never
    None."""
    parts: dict[str, Any] = {}
    for each in fields(kind.of):
        marks = {type(mark): mark for mark in getattr(each.type, "__metadata__", ())}
        of, at = kind_of(each.type), f"{path}.{each.name}".lstrip(".")
        inner = marks.pop(Options, _USUAL)
        needed = wanted and not of.optional
        mark = options.changed.get(each.name, _mark(marks))
        if isinstance(mark, Option | Argument):
            inherited = "" if each.name in options.changed else options.heading
            heading = getattr(mark, "heading", "") or inherited
            filled = of.optional and is_required(each)
            parts[each.name] = Declared(
                at, mark, of, heading, needed, getattr(each, "given", None), filled
            )
        elif mark is not None:
            parts[each.name] = mark
        elif is_dataclass(of.of) and each.name not in options.changed:
            group = group_of(of, at, inner, wanted=needed)
            if group.parts:
                parts[each.name] = group
    return OptionGroup(path, kind, options, parts)


def _mark(marks: dict[type, Any]) -> Any:
    found = (marks.get(kind) for kind in (Option, Argument, LeftOut, FromConfiguration))
    return next((mark for mark in found if mark is not None), None)


class _Once(argparse.Action):
    """An option that is no list, and so cannot be given twice."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        given: object,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest) is not None:
            raise argparse.ArgumentError(self, "expected once, found it twice")
        setattr(namespace, self.dest, given if self.nargs != 0 else self.const or True)


class _Also(_Once):
    """Another option of a field: its words get what stands before them then."""

    def __init__(self, before: str, *, many: bool, **more: Any) -> None:
        super().__init__(**more)
        self._before, self._many = before, many

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        given: object,
        option_string: str | None = None,
    ) -> None:
        word = f"{self._before}{given}"
        if self._many:
            setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), word])
        else:
            super().__call__(parser, namespace, word, option_string)


def add_options(parser: argparse.ArgumentParser, group: OptionGroup) -> None:
    """Adds a command's options and operands to its parser."""
    headings: dict[str, Any] = {"": parser}
    for each in _in_order(group):
        place = each.heading
        if place not in headings:
            headings[place] = parser.add_argument_group(place)
        home = headings[place]
        if isinstance(each.mark, Option) and each.mark.only:
            only = f"{place}: {each.mark.only}"
            if only not in headings:
                headings[only] = home.add_mutually_exclusive_group()
            home = headings[only]
        add = _add_argument if isinstance(each.mark, Argument) else _add_option
        add(home, each)


def _in_order(group: OptionGroup) -> list[Declared]:
    """Returns a command's options in the order of --help."""
    path2after = {one.path: one.mark.after for one in group.declared()}
    for each in group.groups():
        after = each.options.after
        for one in each.declared() if after else ():
            if not path2after[one.path]:
                path2after[one.path] = after
                after = one.mark.name
    found = [one for one in group.declared() if not path2after[one.path]]
    waiting = [one for one in group.declared() if path2after[one.path]]
    # groups first: options that were moved alone stand within them
    waiting.sort(key=lambda one: bool(one.mark.after))
    while waiting:
        names = [one.mark.name for one in found]
        ready = next(one for one in waiting if path2after[one.path] in names)
        found.insert(names.index(path2after[ready.path]) + 1, ready)
        waiting.remove(ready)
    return found


def _add_argument(home: Any, part: Declared) -> None:
    nargs = None
    if part.kind.many:
        nargs = "+" if part.mark.several else "*"
    elif not part.wanted:
        nargs = "?"
    mark = part.mark
    home.add_argument(
        part.path, metavar=mark.name, nargs=nargs, choices=part.choices, help=mark.help or None
    )


def _add_option(home: Any, part: Declared) -> None:
    mark, kind = part.mark, part.kind
    assert isinstance(mark, Option)
    for word, line in mark.switches:
        home.add_argument(f"--{word}", dest=part.path, action=_Once, nargs=0, const=word, help=line)
    if mark.switches:
        return
    more: dict[str, Any] = {"action": "append" if kind.many else _Once}
    if kind.of is bool:
        more["nargs"] = 0
    elif mark.metavar or not part.choices:
        more["metavar"] = mark.metavar or mark.name.lstrip("-").upper()
    if mark.several:
        more |= {"action": "extend", "nargs": "+"}
    if mark.const is not None:
        more |= {"nargs": "?", "const": mark.const}
    if kind.of in (int, float) and not mark.reads:
        more["type"] = kind.of
    names = [mark.short, mark.name] if mark.short else [mark.name]
    if mark.also:
        name, before, line = mark.also
        home = home.add_mutually_exclusive_group()
        also = functools.partial(_Also, before, many=kind.many)
    home.add_argument(
        *names, dest=part.path, required=mark.required, choices=part.choices,
        help=mark.help or None, **more,
    )  # fmt: skip
    if mark.also:
        home.add_argument(name, dest=part.path, action=also, metavar="DIR", help=line)


@cache
def options_of(command: ModuleType) -> OptionGroup:
    """Returns the options of a command: those of what its run() takes."""
    return group_of(FieldKind(command.run.__annotations__["given"]))


class CommandLine:
    """A command, and the words that a command line gives its options."""

    def __init__(self, command: ModuleType, given: argparse.Namespace) -> None:
        self._command, self._group = command, options_of(command)
        self._path2words = {each.path: getattr(given, each.path) for each in self._group.declared()}
        self._settings: set[str] = set()
        self._configuration: Configuration | None = None
        self._acceptance: Acceptance | None = None

    def run(self) -> int:
        """Runs the command for what the command line asks for, and what the project's configuration
        says where it says nothing. Raises UsageError and what reading values raises."""
        for each in self._group.declared():
            if isinstance(each.mark, Argument) and each.mark.fills:
                self._fill(each, each.mark.fills)
        self._take_machine()
        self._take_hz()
        for group in self._group.groups():
            if group.options.configures:
                self._configure(self._value(group))
        if hasattr(self._command, "TELLS_ENDS") or not any(map(_is_kernel, self._group.declared())):
            return self._once()
        from .several_ends import run

        return run(self._once)

    def _once(self) -> int:
        return int(self._command.run(self._value(self._group)))

    def part(self, kind: type) -> Any:
        """Returns the part of the request that is of this class; None if there is none."""
        found = (each for each in self._group.groups() if each.kind.of is kind)
        return next(map(self._value, found), None)

    @property
    def platform(self) -> str:
        """The word given for --platform; "": none."""
        return "".join(self._words(lambda mark: mark.name == "--platform"))

    @property
    def tables(self) -> list[str]:
        """The words given for each TABLE."""
        return list(self._words(lambda mark: mark.is_table))

    def _words(self, is_wanted: Callable[[Option | Argument], bool]) -> Iterator[str]:
        for each in self._group.declared():
            given = self._path2words[each.path]
            if is_wanted(each.mark) and given:
                yield from [given] if isinstance(given, str) else given

    def _take_machine(self) -> None:
        """Takes kernel and governor of the machines that dumps given as TABLE were read on, where
        they are asked for and not given. Verdicts take each table's own kernel."""
        known = {each.setting: each for each in self._group.declared()}
        if "kernel" not in known or getattr(known["kernel"].mark, "default", "") != "newest":
            return
        from ..tables.sources.told import options_from

        machines = {table: machine for table in self.tables if (machine := options_from(table))}
        for name, option in known.items():
            words = dict(machine[name] for machine in machines.values() if name in machine)
            # where an option has no usual value, as diff's governor, nothing is asked for
            usual = option.default or getattr(option.mark, "default", "")
            one = option.kind.many or len(words) == 1
            if words and usual and one and self._path2words[option.path] is None:
                self._path2words[option.path] = [*words] if option.kind.many else next(iter(words))
                what = f"{name} {joined([*words.values()])}"
                say(f"{what}: of the machine of {joined([*machines])}")

    def _take_hz(self) -> None:
        """Takes HZ from a kernel's source tree, where it is asked for and not given."""
        known = {each.setting: each for each in self._group.declared()}
        if "kernel" in known and "hz" in known and self._path2words[known["hz"].path] is None:
            hz = hz_of_source(self._path2words[known["kernel"].path])
            self._path2words[known["hz"].path] = hz

    def _fill(self, by: Declared, function: str) -> None:
        """Gives options that were left out the words that follow from an operand's."""
        given = {e.setting for e in self._group.declared() if self._path2words[e.path]}
        words = _function(function)(self._path2words[by.path], given)
        for each in self._group.declared():
            name = "" if each is by else each.setting
            if name in words:
                self._path2words[each.path] = words[name]

    def _configure(self, accepted: "Acceptance") -> None:
        """Gives options that were left out the values that the configuration has for them, and
        says which. Raises Unreadable."""
        # it keeps the configuration of a revision
        self._acceptance = accepted
        configuration = accepted.configuration()
        if note := accepted.passed_over():
            say(note)
        if configuration is None:
            return
        self._configuration = configuration
        name2path = {
            each.setting: each.path
            for each in self._group.declared()
            if isinstance(each.mark, Option) and each.mark.configured
        }
        settings = configuration.settings
        filled = [n for n in settings if n in name2path and not self._path2words[name2path[n]]]
        for name in filled:
            self._path2words[name2path[name]] = settings[name]
        self._settings = {name2path[name] for name in filled}
        filled += [name for name, _ in configuration.thresholds]
        if filled:
            names = joined([name.replace("_", "-") for name in filled])
            where = f" of {accepted.revision}" if accepted.revision else ""
            say(f"{configuration.file}{where} sets {names}")

    def _value(self, group: OptionGroup) -> Any:
        """Returns the object that a group makes."""
        if group.options.configures and self._acceptance is not None:
            return self._acceptance
        if group.kind.optional and not self._is_wanted(group):
            return None
        found = {}
        for name, part in group.parts.items():
            if isinstance(part, OptionGroup):
                found[name] = self._value(part)
            elif isinstance(part, LeftOut):
                found[name] = not self._path2words[group.parts[part.field].path]
            elif isinstance(part, FromConfiguration) and self._configuration is None:
                continue
            elif isinstance(part, FromConfiguration) and part.attribute:
                found[name] = getattr(self._configuration, part.attribute)
            elif isinstance(part, FromConfiguration):
                found[name] = tuple(self._configured(group, found))
            elif (value := self._read(part)) is not None or part.filled:
                found[name] = value
        return group.kind.of(**found)

    def _configured(self, group: OptionGroup, found: Mapping[str, Any]) -> Iterator[str]:
        """Yields the fields of a group that the configuration filled."""
        for name, part in group.parts.items():
            if (isinstance(part, Declared) and part.path in self._settings) or (
                isinstance(part, FromConfiguration) and part.attribute and found[name]
            ):
                yield name

    def _is_wanted(self, group: OptionGroup) -> bool:
        """Tells whether the first option of a group is given. Raises UsageError for others
        without."""
        first, *others = group.declared()
        if self._path2words[first.path] is not None:
            return True
        if group.options.alone and any(self._path2words[other.path] for other in others):
            raise UsageError(group.options.alone)
        return False

    def _read(self, part: Declared) -> Any:
        """Returns the value of an option; None where it is not given."""
        given, mark, kind = self._path2words[part.path], part.mark, part.kind
        if isinstance(mark, Option) and not given and given != "" and mark.default is not None:
            given = default_words(mark.default, many=kind.many)
        if given is None:
            return None
        if mark.reads:
            return _read_by(mark, given, many=kind.many)
        read = READERS.get(kind.name)
        if read is None:
            return tuple(given) if kind.many else given
        beside = mark.beside if isinstance(mark, Option) else ""
        value = read(given, self._beside(beside)) if beside else read(given)
        return _as_ends(value) if _is_kernel(part) else value

    def _beside(self, field: str) -> Any:
        """Returns what is given for a field, wherever in the command it is, or its default."""
        found = next(each for each in self._group.declared() if each.field == field)
        usual = getattr(found.mark, "default", None)
        return self._path2words[found.path] or (found.default if usual is None else usual)


def _is_kernel(part: Declared) -> bool:
    return part.kind.name in ("Release", "tuple[Release, ...]")


def _as_ends(kernels: Any) -> Any:
    """Returns kernels as the ends that the command is run for."""
    from ..tables.linux.brackets import chosen_end

    return tuple(map(chosen_end, kernels)) if isinstance(kernels, tuple) else chosen_end(kernels)


def _read_by(mark: Option | Argument, given: Any, *, many: bool) -> Any:
    """Returns the value that an option's own function makes of words. Raises UsageError, which
    names the option."""
    read = _function(mark.reads)
    try:
        return tuple(map(read, given)) if many else read(given)
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(f"{mark.name}: {error}") from None


def _function(path: str) -> Callable[..., Any]:
    """Returns a function of the package: "base.model.units.nanoseconds"."""
    module, _, name = path.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f"{_PACKAGE}.{module}"), name)
    return found
