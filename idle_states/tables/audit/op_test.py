"""op-test's DeviceTreeValidation, as it judges a device tree: the same verdicts, by its messages.

Source: op-test 518caac testcases/DeviceTreeValidation.py (validate_idle_state_properties,
validate_pstate_properties, check_dt_matches). It reads the properties with hexdump, which fills a
last incomplete entry with zeros, and stops at the first assertion that fails.
"""

from collections.abc import Iterator, Sequence

from ...base.model import power_mgt as dt
from ...base.model.power_mgt import PowerMgt
from ..devicetree.tree import Node
from .fwts import ToolVerdict, known_to

_CPUIDLE_STATE_MAX = 10
_MOST_PSTATES = 128
_PSTATES = (dt.PSTATE_IDS, dt.PSTATE_MIN, dt.PSTATE_MAX)
_OTHER_PSTATES = ("ibm,pstate-nominal", "ibm,pstate-turbo", dt.PSTATE_FREQUENCIES)
_MISMATCH = "Array size mismatch"


def verdicts(root: Node, pvr: int | None) -> tuple[ToolVerdict, ...]:
    """The verdicts of both checks. pvr: the machine's whole PVR (32 bits)."""
    processor = known_to("op-test", (pvr or 0) >> 16)
    if processor is None:
        why = "it does not know this CPU"
        return tuple(
            ToolVerdict("op-test", test, skipped=why) for test in ("idle states", "pstates")
        )
    node = root.find(dt.NODE)
    raw = PowerMgt(node.properties if node else {})
    stop = processor.isa300
    return (
        ToolVerdict("op-test", "idle states", tuple(_first(_idle_states(raw, stop)))),
        ToolVerdict("op-test", "pstates", tuple(_first(_pstates(raw, stop)))),
    )


def _first(failures: Iterator[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    failure = next(failures, None)
    if failure is not None:
        yield failure


def _idle_states(node: PowerMgt, stop: bool) -> Iterator[tuple[str, str]]:
    control = (dt.PSSCR, dt.PSSCR_MASK) if stop else (dt.PMICR, dt.PMICR_MASK)
    arrays = (dt.LATENCIES, dt.RESIDENCIES, *control)
    for name in (dt.NAMES, dt.FLAGS, *arrays):
        if name not in node.properties:
            yield "CommandFailed", f"{name} cannot be read"
    count = len(_padded(node, dt.FLAGS))
    if count == 0:
        yield "No idle states found in DT", f"{dt.FLAGS} is empty"
    if count >= _CPUIDLE_STATE_MAX:
        yield "More idle states found in DT than the expected", f"{count} states"
    names = len([word for name in node.names() for word in name.split(b" ")])
    counts = {dt.NAMES: names} | {name: len(_padded(node, name)) for name in arrays}
    for name, found in counts.items():
        if found != count:
            yield _MISMATCH, f"{dt.FLAGS} has {count} entries, {name} has {found}"
    for what, name in (("residency", dt.RESIDENCIES), ("latency", dt.LATENCIES)):
        place = _not_increasing(_padded(node, name))
        if place is not None:
            yield f"Non monotonicity observed for {what} values", f"{name}[{place}]"


def _pstates(node: PowerMgt, stop: bool) -> Iterator[tuple[str, str]]:
    for name in (*_PSTATES, *_OTHER_PSTATES):
        if name not in node.properties:
            yield "CommandFailed", f"{name} cannot be read"
    for name in (dt.PSTATE_MAX, dt.PSTATE_MIN):
        if not node.properties[name]:
            yield "IndexError", f"{name} is empty"
    ids, least, most = (_padded(node, name) for name in _PSTATES)
    count = abs(dt.signed(most[0]) - dt.signed(least[0])) + 1
    if not 1 < count <= _MOST_PSTATES:
        what = "More than 128 pstates found" if stop else "pstates range is not valid"
        yield what, f"{count} pstates between minimum and maximum"
    if count != len(ids):
        yield "Wrong number of pstates", f"expected {count}, found {len(ids)}"
    # signed and falling on POWER8, unsigned and rising on POWER9
    order = ids if stop else [-dt.signed(value) for value in ids]
    place = _not_increasing(order)
    if place is not None:
        yield "Non monotonocity observed for pstate ids", f"{dt.PSTATE_IDS}[{place}]"


def _padded(node: PowerMgt, name: str) -> tuple[int, ...]:
    data = node.properties.get(name, b"")
    size = dt.CELL_BYTES.get(name, 4)
    return dt.cells(data + bytes(-len(data) % size), size)


def _not_increasing(values: Sequence[int]) -> int | None:
    """Index of the first value that is not above the one before."""
    for index in range(1, len(values)):
        if values[index] <= values[index - 1]:
            return index
    return None
