"""Types of fields, and the values of these types that words of a command line stand for."""

from collections.abc import Callable, Iterable, Sequence
from types import UnionType
from typing import TYPE_CHECKING, Any

from ..base.dataclass import dataclass, replace
from ..base.model.findings import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from ..base.model.findings import Severity
    from ..tables.linux.platforms import AnyPlatform
    from ..tables.linux.releases import Release

_NONE = type(None)


@dataclass(frozen=True, slots=True)
class FieldKind:
    """A field's type.

    of        a class, or its name where only type checkers import it; of a tuple, of its items
    many      whether it is a tuple of any length
    optional  whether None is allowed
    choices   values of a Literal
    """

    of: Any
    many: bool = False
    optional: bool = False
    choices: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        found = self.of if isinstance(self.of, str) else self.of.__name__
        return f"tuple[{found}, ...]" if self.many else str(found)


def kind_of(annotation: Any) -> FieldKind:
    """Returns what an annotation says; of several classes the first is made."""
    if hasattr(annotation, "__metadata__"):
        annotation = annotation.__origin__
    if isinstance(annotation, str):
        name = annotation.removesuffix(" | None")
        of = name.removeprefix("tuple[").removesuffix(", ...]")
        return FieldKind(of, of != name, name != annotation)
    arguments: tuple[Any, ...] = getattr(annotation, "__args__", ())
    if _NONE in arguments:
        rest = [kind_of(each) for each in arguments if each is not _NONE]
        return replace(rest[0], optional=True)
    if isinstance(annotation, UnionType):
        return kind_of(arguments[0])
    if getattr(annotation, "__origin__", None) in (tuple, Sequence):
        return replace(kind_of(arguments[0]), many=True)
    if arguments and isinstance(arguments[0], str):
        return FieldKind(str, choices=arguments)
    return FieldKind(annotation)


def kernel(text: str) -> "Release":
    """Returns the one release asked for. Raises UsageError, UnknownRelease."""
    found = kernels([text])
    if len(found) != 1:
        raise UsageError(f"expected one kernel, found {text!r}")
    return found[0]


def kernels(
    texts: Iterable[str], governor: str | Sequence[str] | None = None
) -> "tuple[Release, ...]":
    """Returns the releases asked for, each once, in the order given, and says which names stand for
    others; for `all`, those that have the governor, or each of several. Raises UnknownRelease."""
    from ..tables.linux.releases import PRESETS, release
    from ..tables.linux.source_tree.told import PREFIX

    names: list[str] = []
    for text in texts:
        # a line of /proc/version has commas of its own
        names += [text] if " " in text or text.startswith(PREFIX) else text.split(",")
    found: list[Release] = []
    governors = [governor] if isinstance(governor, str) else governor or ()
    for name in dict.fromkeys(names):
        found += _all(governors) if name == "all" else [release(name)]
    for kernel in dict.fromkeys(found):
        if kernel.note and kernel.name not in PRESETS:
            say(f"kernel {kernel.name} is {kernel.note}")
    return tuple(dict.fromkeys(found))


def hz_of_source(words: str | Sequence[str] | None) -> int | None:
    """Returns the HZ of the source tree that is given as the one kernel, and says where it is from,
    or what is taken without it; None for other kernels. Raises as kernels() does."""
    from ..tables.linux.releases import release
    from ..tables.linux.source_tree.told import PREFIX

    texts = [words] if isinstance(words, str) else [*(words or ())]
    if len(texts) != 1 or not texts[0].startswith(PREFIX):
        return None
    source = release(texts[0]).source
    if source is not None and source.hz is not None:
        say(f"HZ {source.hz}: by the .config of {source.tree}")
        return source.hz
    say(f"HZ is not known: {texts[0].removeprefix(PREFIX)} has no .config with it; give --hz")
    return None


def _all(governors: Iterable[str]) -> "list[Release]":
    """Returns all releases that have the governors; says which are skipped."""
    from ..tables.linux.governors import governor_names, known_in
    from ..tables.linux.grounds import left_out
    from ..tables.linux.releases import all_releases

    releases = list(all_releases())
    for governor in governors:
        if governor in governor_names():
            lacking = [release for release in releases if not known_in(governor, release)]
            if note := left_out(lacking, governor):
                say(note)
            releases = [release for release in releases if release not in lacking]
    return releases


def platform(text: str) -> "AnyPlatform":
    """Returns the machine that a text names. Raises BadPlatform, UnknownSkiboot."""
    from ..tables.linux.platforms import firmware_of, parse
    from ..tables.skiboot.releases import skiboot_features

    chosen = parse(text)
    skiboot_features(firmware_of(chosen).skiboot)
    return chosen


def _state_numbers(text: str) -> tuple[int, ...]:
    from ..tables.linux.request_parts import state_numbers

    return state_numbers(text)


def _path(text: str) -> "Path":
    from pathlib import Path

    return Path(text)


def _severity(text: str) -> "Severity":
    from ..base.model.findings import Severity

    return Severity[text.upper()]


READERS: dict[str, Callable[..., Any]] = {
    "AnyPlatform": platform,
    "Path": _path,
    "Release": kernel,
    "Severity": _severity,
    "StateNames": lambda text: tuple(filter(None, text.split(","))),
    "StateNumbers": _state_numbers,
    "tuple[Path, ...]": lambda texts: tuple(map(_path, texts)),
    "tuple[Release, ...]": kernels,
    "tuple[RuleCode, ...]": lambda texts: tuple(filter(None, ",".join(texts).split(","))),
}
"""Name of a type -> what makes a value of it of the words given: one, or of a tuple all."""
CHOICES = {"Severity": ("error", "warning", "note")}
"""Name of a type -> its values as words."""


def default_words(word: str, *, many: bool) -> str | Sequence[str]:
    """Returns the words that stand for an option's default."""
    from ..tables.linux.releases import DEFAULT, NEWEST

    found = {"newest": (NEWEST,), "long-term": DEFAULT}.get(word, (word,))
    return found if many else found[0]


def say(message: str) -> None:
    """Prints a line on standard error."""
    from ..base.report import printer
    from .output import is_repeated

    if not is_repeated(message):
        printer.say(message)
