"""`pepc cstates info`, as text and with --yaml: what sysfs advertises, so claims.

Source: intel/pepc 5be6011.
"""

import re

from ...measured import Claimed, Measured
from ...reading import limits
from ...reading.document import Mapping, Scalar, Sequence, decode, parse
from .output import Told, ToolOutput, Unit

_STATE = re.compile(r"\s+- (\S{1,40}): '(?:on|off)' for .+")
_VALUE = re.compile(r"\s+- (expected latency|target residency): (\S{1,40}) (ns|us|ms)\b.*")
_UNITS: dict[str, Unit] = {"ns": "ns", "us": "us", "ms": "ms"}
NOTE = "what the machine advertises by sysfs, not measured"


def recognises(output: ToolOutput) -> bool:
    lines = output.head.split("\n")
    text = any(_STATE.fullmatch(line.rstrip()) for line in lines)
    return text or (lines[0].rstrip() == "cstates:" and "mechanism:" in output.head)


def read(output: ToolOutput, told: Told) -> Measured:
    yaml = output.head.startswith("cstates:")
    claims = _of_yaml(output) if yaml else _of_text(output)
    if not claims:
        raise output.refused(
            "expected states with expected latency or target residency, found none"
        )
    return output.measured("pepc cstates info", NOTE, claims=claims)


def _of_text(output: ToolOutput) -> list[Claimed]:
    found: dict[str, dict[str, float]] = {}
    state: str | None = None
    for number, line in output.numbered():
        if match := _STATE.fullmatch(line):
            state = match[1]
        elif state is not None and (match := _VALUE.fullmatch(line)):
            value = output.time_ns(match[2], number, match[1], _UNITS[match[3]])
            found.setdefault(state, {})[match[1]] = value
    return [
        Claimed(state, values.get("expected latency"), values.get("target residency"))
        for state, values in found.items()
    ]


def _of_yaml(output: ToolOutput) -> list[Claimed]:
    if len(output.data) > limits.SPEC_BYTES:
        raise output.refused(f"expected at most {limits.SPEC_BYTES} bytes of YAML")
    states = parse(decode(output.data, output.shown), output.shown).entries.get("cstates")
    if not isinstance(states, Mapping):
        raise output.refused("expected states below cstates, found none", 1)
    found = []
    for name, node in states.entries.items():
        values: dict[str, float] = {}
        properties = node.entries.get("properties") if isinstance(node, Mapping) else None
        for item in properties.items if isinstance(properties, Sequence) else []:
            for key, value in item.entries.items() if isinstance(item, Mapping) else []:
                if key in ("latency", "residency") and isinstance(value, Scalar):
                    line = value.where.line or 1
                    values[key] = output.time_ns(value.text, line, key, "us")
        if values:
            found.append(Claimed(name[:64], values.get("latency"), values.get("residency")))
    return found
