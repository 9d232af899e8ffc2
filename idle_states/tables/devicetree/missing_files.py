"""Sources some of whose files are missing: what these would define is replaced by stand-ins.

A macro becomes a number, and a label that no node has gets a node of its own. To tell whether an
answer depends on such a number, a source is compiled with two different ones.
"""

import re
from collections.abc import Iterator

from ...base.model.beyond_opal import IdleList
from ...base.patterns import pattern

NOT_SHOWN = "idle-states,not-shown"
"""A property of the nodes that stand in for missing ones."""
_BELOW = "/not-shown/"
STAND_INS = (1, 2)
"""Two numbers that a macro may stand for."""

_TOKEN = pattern(
    rb"""
      (?P<skip> /\*.*?(?:\*/|\Z) | //[^\n]* | ^[ \t]*\#[^\n]* | '(?:[^'\\\n]|\\.){0,8}'
              | "(?>(?:[^"\\]|\\.)*)" | /[a-z][a-z0-9-]*/ | &\{[^{}\n]*\} )
    | & (?P<reference> [A-Za-z_]\w* )
    | (?P<bytes> \[ [^\]\n;]* \] )
    | (?P<label> [A-Za-z_]\w*+ \s*+ : )
    | (?P<number> [0-9]\w* )
    | (?P<name> [A-Za-z_]\w* )
    | (?P<mark> [=;{}] )
    """,
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_ARGUMENTS = pattern(rb"[ \t]*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_VERSION = pattern(rb"/dts-v1/\s*;(?:\s*/plugin/\s*;)?")


def with_numbers(text: bytes, number: int) -> bytes:
    """Returns a preprocessed source with a number for each name in a value: only a macro that is
    not defined leaves one there."""
    parts: list[bytes] = []
    done, is_value = 0, False
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "mark":
            is_value = token[0] == b"="
        elif is_value and token.lastgroup == "name" and token.start() >= done:
            call = _ARGUMENTS.match(text, token.end())
            end = call.end() if call else token.end()
            lines = b"\n" * text.count(b"\n", token.start(), end)
            parts += (text[done : token.start()], b"%d" % number, lines)
            done = end
    return b"".join((*parts, text[done:]))


def with_nodes(text: bytes) -> bytes:
    """Returns a source with a node for each label that is referred to and given nowhere, on the
    line that begins it."""
    used, given = dict[bytes, None](), set[bytes]()
    for kind, label in _labels(text):
        if kind == "label":
            given.add(label)
        else:
            used[label] = None
    nodes = b"".join(
        b" %s: node-%s { %s; #power-domain-cells = <0>; };" % (label, label, NOT_SHOWN.encode())
        for label in used
        if label not in given
    )
    version = _VERSION.search(text)
    at = version.end() if version else 0
    name = _BELOW.strip("/").encode()
    return b"%s / { %s {%s }; };%s" % (text[:at], name, nodes, text[at:])


def is_shown(listed: IdleList) -> bool:
    """Tells whether the nodes that CPUs list, and their power domain, are no stand-ins."""
    domain = listed.attached.path if listed.attached else ""
    return not domain.startswith(_BELOW) and NOT_SHOWN not in [b.reason for b in listed.broken]


def _labels(text: bytes) -> Iterator[tuple[str, bytes]]:
    for token in _TOKEN.finditer(text):
        if token.lastgroup == "label":
            yield "label", token[0][:-1].rstrip()
        elif token.lastgroup == "reference":
            yield "reference", token["reference"]
