"""The part of a source's text that may bear on idle states, so that a change of anything else need
not be looked at: building a board takes long, and most changes concern its other devices.

Too much may count as bearing on them, never too little: all below /cpus and the nodes of firmware,
what any node says of latencies, lists and power domains, and what a reference to one of these nodes
by its label says.
"""

import re
from collections.abc import Iterable, Iterator, Mapping

from ...base.dataclass import dataclass
from ...base.patterns import pattern
from ..skiboot.patching import EditRefused
from .patching.source import SKIPPED, DtsBlock, DtsText

_NODES = pattern(r"/(?:cpus|psci|sbi|firmware|ibm,opal|[\w,-]*power-domains|[\w,-]*idle-states)\b")
WORDS = (
    r"[\w-]*-(?:latency|residency)-us|(?:cpu|domain)-idle-states?|idle-state-name|local-timer-stop"
    r"|entry-method|[\w,-]+-suspend-param"
)
"""A pattern of properties that nothing but idle states has."""
_PROPERTIES = pattern(rf"{WORDS}|enable-method|#power-domain-cells|always-on")
_DIRECTIVE = pattern(
    r"^[ \t]*#[ \t]*(?P<word>define|undef|if|ifdef|ifndef|elif|else|endif)\b"
    r"(?P<rest>(?:[^\\\n]|\\.)*)",
    re.MULTILINE | re.DOTALL,
)
_DELETED = pattern(r"/delete-node/\s*(&?)([\w,.+@{}/-]+)\s*;")
_COMMENT = pattern(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)
_SKIPPED = pattern(SKIPPED, re.VERBOSE | re.DOTALL | re.MULTILINE)
_WORD = pattern(r"[A-Za-z_]\w*", re.ASCII)


@dataclass(frozen=True, slots=True)
class IdleText:
    """The part of one file that may bear on idle states.

    own       statements that bear on idle states by themselves, conditions of the preprocessor
    referred  label -> what a reference to it says
    labels    labels of nodes that bear on idle states
    macros    name -> its definitions
    """

    own: tuple[str, ...] = ()
    referred: Mapping[str, tuple[str, ...]] | None = None
    labels: frozenset[str] = frozenset()
    macros: Mapping[str, tuple[str, ...]] | None = None


def idle_text(data: bytes) -> IdleText:
    """Returns the part of a file that may bear on idle states; all of it if not understood."""
    text = data.decode("utf-8", "surrogateescape")
    macros, conditions = _directives(_COMMENT.sub(" ", text))
    try:
        source = DtsText(text, "")
    except EditRefused:
        return IdleText((text,), {}, frozenset(), macros)
    own = list(conditions)
    referred: dict[str, list[str]] = {}
    labels = set[str]()
    for block in source.blocks:
        own += _statements(source, block)
        if block.name.startswith("&") and not block.name.startswith("&{"):
            body = _plain(text[block.opened : block.closed])
            referred.setdefault(block.name[1:], []).append(body)
        for inner in _all(block):
            if _NODES.match(inner.path):
                labels.update(inner.labels)
    for match in _DELETED.finditer(_SKIPPED.sub(" ", text)):
        if match[1]:
            referred.setdefault(match[2], []).append("deleted")
        else:
            own.append(match[0])
    found = {label: tuple(body) for label, body in referred.items()}
    return IdleText(tuple(own), found, frozenset(labels), macros)


def whole_text(files: Iterable[IdleText]) -> tuple[str, ...]:
    """Returns the text of a board, with all the files that it includes, that bears on idle states:
    equal for two versions of a board that have the same tables."""
    texts = list(files)
    labels = frozenset[str]().union(*(one.labels for one in texts))
    found: list[str] = []
    for one in texts:
        found += one.own
        for label, bodies_of in (one.referred or {}).items():
            if label in labels:
                found += [f"&{label}", *bodies_of]
    macros: dict[str, list[str]] = {}
    for one in texts:
        for name, bodies in (one.macros or {}).items():
            macros.setdefault(name, []).extend(bodies)
    used = set[str]()
    waiting = [word for text in found for word in _WORD.findall(text) if word in macros]
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            words = (word for body in macros[name] for word in _WORD.findall(body))
            waiting += [word for word in words if word in macros]
    return (*found, *(f"{name}{body}" for name in sorted(used) for body in macros[name]))


def _directives(text: str) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Definitions by name, and conditions. An #undef counts as a definition."""
    macros: dict[str, list[str]] = {}
    conditions = []
    for match in _DIRECTIVE.finditer(text):
        rest = " ".join(match["rest"].split())
        if match["word"] not in ("define", "undef"):
            conditions.append(f"#{match['word']} {rest}")
            continue
        name = _WORD.match(rest)
        if name is not None:
            macros.setdefault(name[0], []).append(f"{match['word']} {rest[name.end() :]}")
    return {name: tuple(bodies) for name, bodies in macros.items()}, conditions


def _statements(source: DtsText, block: DtsBlock) -> Iterator[str]:
    if _NODES.match(block.path):
        yield f"{block.path} {_plain(source.text[block.start : block.end])}"
        return
    for statement in block.properties:
        if _PROPERTIES.fullmatch(statement.name):
            yield f"{block.path} {_plain(source.text[statement.start : statement.end])}"
    for inner in block.blocks:
        yield from _statements(source, inner)


def _all(block: DtsBlock) -> Iterator[DtsBlock]:
    waiting = [block]
    while waiting:
        one = waiting.pop()
        yield one
        waiting += one.blocks


def _plain(text: str) -> str:
    """Without comments and with single blanks."""
    return " ".join(_SKIPPED.sub(" ", text).split())
