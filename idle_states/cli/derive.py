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

    path     names of the fields that lead to it: "asked.of.hz"
    heading  group of --help that it stands in; "": none
    wanted   whether an operand has to be given
    default  its field's own; None also for one that is made
    filled   whether its field has no default, and is None where nothing is given
    """

    path: str
    said: Option | Argument
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
        return self.said.name.lstrip("-").replace("-", "_")

    @property
    def choices(self) -> tuple[str, ...] | None:
        return self.said.choices or self.kind.choices or CHOICES.get(self.kind.name) or None


@dataclass(frozen=True, slots=True)
class OptionGroup:
    """A dataclass whose fields have options.

    path   names of the fields that lead to it; "" for the whole command
    kind   its class, and whether it is None without its first option
    parts  field -> its option, what fills it otherwise, or its own options
    """

    path: str
    kind: FieldKind
    said: Options
    parts: dict[str, Any]

    def asked(self) -> Iterator[Declared]:
        """Yields its options and operands, those of its groups in their place."""
        for part in self.parts.values():
            if isinstance(part, OptionGroup):
                yield from part.asked()
            elif isinstance(part, Declared):
                yield part

    def groups(self) -> "Iterator[OptionGroup]":
        """Yields itself, and the groups in it."""
        yield self
        for part in self.parts.values():
            if isinstance(part, OptionGroup):
                yield from part.groups()


def group_of(
    kind: FieldKind, path: str = "", said: Options = _USUAL, *, wanted: bool = True
) -> OptionGroup:
    """Returns the options that the fields of a dataclass declare. wanted: whether it is never
    None."""
    parts: dict[str, Any] = {}
    for each in fields(kind.of):
        marks = {type(mark): mark for mark in getattr(each.type, "__metadata__", ())}
        of, at = kind_of(each.type), f"{path}.{each.name}".lstrip(".")
        inner = marks.pop(Options, _USUAL)
        needed = wanted and not of.optional
        mark = said.changed.get(each.name, _mark(marks))
        if isinstance(mark, Option | Argument):
            inherited = "" if each.name in said.changed else said.heading
            heading = getattr(mark, "heading", "") or inherited
            filled = of.optional and is_required(each)
            parts[each.name] = Declared(
                at, mark, of, heading, needed, getattr(each, "given", None), filled
            )
        elif mark is not None:
            parts[each.name] = mark
        elif is_dataclass(of.of) and each.name not in said.changed:
            group = group_of(of, at, inner, wanted=needed)
            if group.parts:
                parts[each.name] = group
    return OptionGroup(path, kind, said, parts)


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
    for asked in _in_order(group):
        place = asked.heading
        if place not in headings:
            headings[place] = parser.add_argument_group(place)
        home = headings[place]
        if isinstance(asked.said, Option) and asked.said.only:
            only = f"{place}: {asked.said.only}"
            if only not in headings:
                headings[only] = home.add_mutually_exclusive_group()
            home = headings[only]
        add = _add_argument if isinstance(asked.said, Argument) else _add_option
        add(home, asked)


def _in_order(group: OptionGroup) -> list[Declared]:
    """Returns a command's options in the order of --help."""
    path2after = {asked.path: asked.said.after for asked in group.asked()}
    for each in group.groups():
        after = each.said.after
        for asked in each.asked() if after else ():
            if not path2after[asked.path]:
                path2after[asked.path] = after
                after = asked.said.name
    found = [asked for asked in group.asked() if not path2after[asked.path]]
    waiting = [asked for asked in group.asked() if path2after[asked.path]]
    # groups first: options that were moved alone stand within them
    waiting.sort(key=lambda asked: bool(asked.said.after))
    while waiting:
        names = [asked.said.name for asked in found]
        ready = next(asked for asked in waiting if path2after[asked.path] in names)
        found.insert(names.index(path2after[ready.path]) + 1, ready)
        waiting.remove(ready)
    return found


def _add_argument(home: Any, asked: Declared) -> None:
    nargs = None
    if asked.kind.many:
        nargs = "+" if asked.said.several else "*"
    elif not asked.wanted:
        nargs = "?"
    said = asked.said
    home.add_argument(
        asked.path, metavar=said.name, nargs=nargs, choices=asked.choices, help=said.help or None
    )


def _add_option(home: Any, asked: Declared) -> None:
    said, kind = asked.said, asked.kind
    assert isinstance(said, Option)
    for word, line in said.switches:
        home.add_argument(
            f"--{word}", dest=asked.path, action=_Once, nargs=0, const=word, help=line
        )
    if said.switches:
        return
    more: dict[str, Any] = {"action": "append" if kind.many else _Once}
    if kind.of is bool:
        more["nargs"] = 0
    elif said.metavar or not asked.choices:
        more["metavar"] = said.metavar or said.name.lstrip("-").upper()
    if said.several:
        more |= {"action": "extend", "nargs": "+"}
    if said.const is not None:
        more |= {"nargs": "?", "const": said.const}
    if kind.of in (int, float) and not said.reads:
        more["type"] = kind.of
    names = [said.short, said.name] if said.short else [said.name]
    if said.also:
        name, before, line = said.also
        home = home.add_mutually_exclusive_group()
        also = functools.partial(_Also, before, many=kind.many)
    home.add_argument(
        *names, dest=asked.path, required=said.required, choices=asked.choices,
        help=said.help or None, **more,
    )  # fmt: skip
    if said.also:
        home.add_argument(name, dest=asked.path, action=also, metavar="DIR", help=line)


@cache
def options_of(command: ModuleType) -> OptionGroup:
    """Returns the options of a command: those of what its run() takes."""
    return group_of(FieldKind(command.run.__annotations__["given"]))


class CommandLine:
    """A command, and the words that a command line gives its options."""

    def __init__(self, command: ModuleType, given: argparse.Namespace) -> None:
        self._command, self._group = command, options_of(command)
        self._path2words = {asked.path: getattr(given, asked.path) for asked in self._group.asked()}
        self._settings: set[str] = set()
        self._configuration: Configuration | None = None
        self._acceptance: Acceptance | None = None

    def run(self) -> int:
        """Runs the command for what the command line asks for, and what the project's configuration
        says where it says nothing. Raises UsageError and what reading values raises."""
        for asked in self._group.asked():
            if isinstance(asked.said, Argument) and asked.said.fills:
                self._fill(asked, asked.said.fills)
        self._take_machine()
        self._take_hz()
        for group in self._group.groups():
            if group.said.configures:
                self._configure(self._value(group))
        if hasattr(self._command, "TELLS_ENDS") or not any(map(_is_kernel, self._group.asked())):
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
        return "".join(self._words(lambda said: said.name == "--platform"))

    @property
    def tables(self) -> list[str]:
        """The words given for each TABLE."""
        return list(self._words(lambda said: said.is_table))

    def _words(self, is_wanted: Callable[[Option | Argument], bool]) -> Iterator[str]:
        for asked in self._group.asked():
            given = self._path2words[asked.path]
            if is_wanted(asked.said) and given:
                yield from [given] if isinstance(given, str) else given

    def _take_machine(self) -> None:
        """Takes kernel and governor of the machines that dumps given as TABLE were read on, where
        they are asked for and not given. Verdicts take each table's own kernel."""
        asked = {each.setting: each for each in self._group.asked()}
        if "kernel" not in asked or getattr(asked["kernel"].said, "default", "") != "newest":
            return
        from ..tables.sources.told import options_from

        table2told = {table: told for table in self.tables if (told := options_from(table))}
        for name, option in asked.items():
            words = dict(told[name] for told in table2told.values() if name in told)
            # where an option has no usual value, as diff's governor, nothing is asked for
            usual = option.default or getattr(option.said, "default", "")
            one = option.kind.many or len(words) == 1
            if words and usual and one and self._path2words[option.path] is None:
                self._path2words[option.path] = [*words] if option.kind.many else next(iter(words))
                said = f"{name} {joined([*words.values()])}"
                say(f"{said}: of the machine of {joined([*table2told])}")

    def _take_hz(self) -> None:
        """Takes HZ from a kernel's source tree, where it is asked for and not given."""
        asked = {each.setting: each for each in self._group.asked()}
        if "kernel" in asked and "hz" in asked and self._path2words[asked["hz"].path] is None:
            hz = hz_of_source(self._path2words[asked["kernel"].path])
            self._path2words[asked["hz"].path] = hz

    def _fill(self, by: Declared, function: str) -> None:
        """Gives options that were left out the words that follow from an operand's."""
        given = {e.setting for e in self._group.asked() if self._path2words[e.path]}
        words = _function(function)(self._path2words[by.path], given)
        for asked in self._group.asked():
            name = "" if asked is by else asked.setting
            if name in words:
                self._path2words[asked.path] = words[name]

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
            for each in self._group.asked()
            if isinstance(each.said, Option) and each.said.configured
        }
        settings = configuration.settings
        taken = [n for n in settings if n in name2path and not self._path2words[name2path[n]]]
        for name in taken:
            self._path2words[name2path[name]] = settings[name]
        self._settings = {name2path[name] for name in taken}
        taken += [name for name, _ in configuration.thresholds]
        if taken:
            names = joined([name.replace("_", "-") for name in taken])
            where = f" of {accepted.revision}" if accepted.revision else ""
            say(f"{configuration.file}{where} sets {names}")

    def _value(self, group: OptionGroup) -> Any:
        """Returns the object that a group makes."""
        if group.said.configures and self._acceptance is not None:
            return self._acceptance
        if group.kind.optional and not self._is_asked_for(group):
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

    def _is_asked_for(self, group: OptionGroup) -> bool:
        """Tells whether the first option of a group is given. Raises UsageError for others
        without."""
        first, *others = group.asked()
        if self._path2words[first.path] is not None:
            return True
        if group.said.alone and any(self._path2words[other.path] for other in others):
            raise UsageError(group.said.alone)
        return False

    def _read(self, asked: Declared) -> Any:
        """Returns the value of an option; None where it is not given."""
        given, said, kind = self._path2words[asked.path], asked.said, asked.kind
        if isinstance(said, Option) and not given and given != "" and said.default is not None:
            given = default_words(said.default, many=kind.many)
        if given is None:
            return None
        if said.reads:
            return _read_by(said, given, many=kind.many)
        read = READERS.get(kind.name)
        if read is None:
            return tuple(given) if kind.many else given
        beside = said.beside if isinstance(said, Option) else ""
        value = read(given, self._beside(beside)) if beside else read(given)
        return _taken(value) if _is_kernel(asked) else value

    def _beside(self, field: str) -> Any:
        """Returns what is given for a field, wherever in the command it is, or its default."""
        found = next(each for each in self._group.asked() if each.field == field)
        usual = getattr(found.said, "default", None)
        return self._path2words[found.path] or (found.default if usual is None else usual)


def _is_kernel(asked: Declared) -> bool:
    return asked.kind.name in ("Release", "tuple[Release, ...]")


def _taken(kernels: Any) -> Any:
    """Returns kernels as the ends that the command is run for."""
    from ..tables.linux.brackets import taken

    return tuple(map(taken, kernels)) if isinstance(kernels, tuple) else taken(kernels)


def _read_by(said: Option | Argument, given: Any, *, many: bool) -> Any:
    """Returns the value that an option's own function makes of words. Raises UsageError, which
    names the option."""
    read = _function(said.reads)
    try:
        return tuple(map(read, given)) if many else read(given)
    except UsageError:
        raise
    except ValueError as error:
        raise UsageError(f"{said.name}: {error}") from None


def _function(path: str) -> Callable[..., Any]:
    """Returns a function of the package: "base.model.units.nanoseconds"."""
    module, _, name = path.rpartition(".")
    found: Callable[..., Any] = getattr(import_module(f"{_PACKAGE}.{module}"), name)
    return found
