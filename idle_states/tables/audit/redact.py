"""Removes serial numbers and MAC addresses from reports, so that they can be shown to others."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from ...base.dataclass import fields, is_dataclass, replace
from ..devicetree.machine import MachineFacts
from ..devicetree.tree import Node
from ..sources.source import Source
from . import spellings
from .audited import Audited
from .spellings import ANY_MAC, any_of
from .trees import TreeDifference

_QUOTED = re.compile(r"""(?<!\w)(['"])(?>(?:\\.|(?!\1)[^\\])*)(?:\1|\\?\Z)""")
_BARE_MAC = re.compile(r"(?<![0-9A-Za-z@])[0-9A-Fa-f]{12}(?![0-9A-Za-z])")
"""Without separators; after @ stands a unit address."""
_SERIAL_NAME = re.compile(
    r"(?:^|[,_-])(?:serial(?:[_-]?(?:number|num|no)|#)?|system-id|asset-tag)$", re.IGNORECASE
)
_MAC_NAME = re.compile(r"(?:^|[,_-])mac(?:[_-]?addr(?:ess)?)?[0-9]*(?:$|[,_-])", re.IGNORECASE)
_MAC_SIZE = 6
_SHORTEST = 4
"""Shorter serial numbers are not replaced: the same characters occur in too many other texts."""
_SHOWN = 16
"""Number of digits of a digest, other than a MAC's, so that it is not taken for one."""
_WRITTEN_BY_PEOPLE = ("spec", "c")
SERIAL, MAC = "[serial]", "[mac]"


def redacted(audited: Audited, other: Node | None = None) -> Audited:
    """The report with MAC addresses and the serial numbers of its tree and of `other` replaced.

    The tree itself is removed, because it contains them all. If no tree names a serial number, the
    file's name is removed too: files are often named after the machine.
    """
    tree = audited.source.tree if audited.source else None
    says = tree is not None and any(_serials(tree))
    if not says and audited.kind not in _WRITTEN_BY_PEOPLE:
        audited = _nameless(audited)
    redactor = _Redactor([node for node in (tree, other) if node is not None])
    bare = replace(audited, source=_table_alone(audited.source))
    values = {
        field.name: redactor.clean(getattr(bare, field.name))
        for field in fields(bare)
        if field.name not in ("sha256", "fingerprint")
    }
    machine = values["machine"]
    if machine is not None and machine.serial:
        values["machine"] = replace(machine, serial=SERIAL)
    return replace(bare, **values)


def _table_alone(source: Source | None) -> Source | None:
    """The source without the tree and the texts that the table was read from."""
    if source is None:
        return None
    return replace(source, node=None, tree=None, texts={}, facts=(), findings=(), suppressions=())


def redacted_name(name: str, tree: Node) -> str:
    """A file's name, with serial numbers and MACs that the tree in the file names replaced."""
    cleaned: str = _Redactor([tree]).clean(name)
    return cleaned


class _Redactor:
    """Replaces in all values of a report the serial numbers and MACs that some trees name."""

    def __init__(self, trees: list[Node]) -> None:
        serials = {text for tree in trees for text in _serials(tree)}
        macs = {mac for tree in trees for mac in _macs(tree)}
        longest_first = sorted(serials, key=lambda text: (-len(text), text))
        self.serials = any_of(p for text in longest_first for p in spellings.serial(text))
        self.macs = any_of(p for mac in sorted(macs) for p in spellings.mac(mac))
        self.raw_macs = any_of(p for mac in sorted(macs) for p in spellings.raw_mac(mac))

    def clean(self, value: Any) -> Any:
        if isinstance(value, str):
            return _BARE_MAC.sub(MAC, self.text(value))
        if isinstance(value, TreeDifference):
            name = value.path.rpartition(":")[2]
            a, b = (self.data(name, side) for side in (value.a, value.b))
            return TreeDifference(self.clean(value.path), a, b)
        if isinstance(value, MachineFacts):
            # an abbreviated hash of a commit can have a MAC's length
            versions = {name: self.text(text) for name, text in value.versions.items()}
            cleaned = _rebuilt(value, self.clean)
            return replace(cleaned, git_id=self.text(value.git_id), versions=versions)
        return _rebuilt(value, self.clean)

    def text(self, text: str) -> str:
        if self.serials:
            text = self.serials.sub(SERIAL, text)
        if self.macs:
            text = self.macs.sub(MAC, text)
        return ANY_MAC.sub(MAC, text)

    def data(self, name: str, data: bytes | None) -> bytes | None:
        """A property's value, None where there is none."""
        if not data:
            return data
        if _SERIAL_NAME.search(name):
            return f"{SERIAL}\0".encode()
        if len(data) == _MAC_SIZE and (_MAC_NAME.search(name) or not _is_text(data)):
            return MAC.encode()
        text = data.decode("latin-1")
        if self.raw_macs:
            text = self.raw_macs.sub(MAC, text)
        cleaned: str = self.clean(text)
        return cleaned.encode("latin-1")


def _rebuilt(value: Any, clean: Callable[[Any], Any]) -> Any:
    """A tuple, mapping or dataclass of its parts, cleaned; anything else as it is."""
    if isinstance(value, tuple):
        return tuple(clean(item) for item in value)
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        kept = {field.name: clean(getattr(value, field.name)) for field in fields(value)}
        return replace(value, **kept)
    return value


def _serials(root: Node) -> Iterator[str]:
    for _, node in root.walk():
        for name in node.properties:
            if _SERIAL_NAME.search(name):
                for text in (*node.strings(name), *_wide(node.properties[name])):
                    # /aliases has paths of serial ports
                    if len(text) >= _SHORTEST and not text.startswith("/"):
                        yield text


def _wide(data: bytes) -> Iterator[str]:
    """Text in UTF-16, if it is ASCII."""
    for start in (0, 1):
        text, rest = data[start::2].rstrip(b"\0"), data[1 - start :: 2]
        if len(text) >= _SHORTEST and not rest.strip(b"\0") and _is_text(text) and rest:
            yield text.decode("ascii")


def _macs(root: Node) -> Iterator[bytes]:
    """The MAC addresses that a tree names, without the all-zero and the broadcast address."""
    for _, node in root.walk():
        for name, data in node.properties.items():
            if not _MAC_NAME.search(name):
                continue
            digits = data.rstrip(b"\0").translate(None, b":-")
            if re.fullmatch(rb"[0-9A-Fa-f]{12}", digits):
                data = bytes.fromhex(digits.decode("ascii"))
            if len(data) == _MAC_SIZE and len(set(data)) > 1:
                yield data


def _is_text(data: bytes) -> bool:
    text = data.rstrip(b"\0").replace(b"\0", b"")
    return bool(text) and text.isascii() and text.decode("ascii").isprintable()


def _nameless(audited: Audited) -> Audited:
    """The report with the file named by the digest of its content. A digest of the path would not
    do: it can be found again by trying the likely serial numbers."""
    path, digest = audited.file, audited.sha256
    name = f"input-{digest[:_SHOWN]}" if digest else "input-without-content"
    parts = [re.escape(path)]
    last = path.rpartition("/")[2]
    if len(last) >= _SHORTEST:
        parts.append(rf"(?<!\w){re.escape(last)}(?!\w)")
    known = re.compile("|".join(parts) if len(path) >= _SHORTEST else rf"\A{parts[0]}")

    def clean(value: Any) -> Any:
        return known.sub(name, value) if isinstance(value, str) else _rebuilt(value, clean)

    found = clean(audited.findings)
    if audited.unreadable:
        # texts quoted from an unreadable file may contain a serial number
        found = tuple(replace(f, message=_QUOTED.sub("[text]", f.message)) for f in found)
    return replace(audited, file=name, source=clean(audited.source), findings=found)
