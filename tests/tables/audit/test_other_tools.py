"""Tests of what fwts and op-test would say of a tree.

The verdicts of fwts expected here are those of its own code (35ef52b4, with libfdt), run on these
trees; those of op-test follow from its source (518caac).
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from idle_states.base.model import power_mgt as dt
from idle_states.base.model.table import IdleState, Register
from idle_states.tables.audit import fwts, op_test
from idle_states.tables.devicetree.tree import Node

STATES = tuple(
    IdleState(
        f"stop{index}",
        latency_ns=1000 * (index + 1),
        residency_ns=10_000 * (index + 1),
        flags=0x100000,
        control=0x300330 + index,
        mask=0x3003FF,
    )
    for index in range(9)
)
P8, P9 = 0x004D0200, 0x004E1202
SAMPLED = {"ibm,pstate-nominal": 2, "ibm,pstate-turbo": 0, "ibm,pstate-frequencies-mhz": 3000}


def cell(value: int) -> bytes:
    return (value % 2**32).to_bytes(4, "big")


def cells(*values: int) -> bytes:
    return b"".join(map(cell, values))


def properties(
    states: tuple[IdleState, ...] = STATES[:3], pvr: int = P9, pstates: int = 3
) -> dict[str, bytes]:
    """All that either tool wants to see, right in every value."""
    register = Register.PSSCR if pvr == P9 else Register.PMICR
    sign = 1 if pvr == P9 else -1
    ids = [sign * index for index in range(pstates)]
    return {
        **dt.encode(states, register),
        dt.STOP_LEVELS: cell(0xEC000000),
        dt.PSTATE_MIN: cell(ids[-1]),
        dt.PSTATE_MAX: cell(ids[0]),
        dt.PSTATE_IDS: cells(*ids),
        **{name: cell(value) for name, value in SAMPLED.items()},
    }


def tree(
    power_mgt: Mapping[str, bytes] | None,
    cpu: Mapping[str, bytes] | None = None,
    *,
    pvr: int = P9,
    opal: str = "ibm,opal",
    node: str = "power-mgt",
    children: tuple[Node, ...] = (),
) -> Node:
    """cpu: its properties, {} for no CPU at all."""
    if cpu is None:
        cpu = {"device_type": b"cpu\0", "cpu-version": cell(pvr)}
    cpus = Node("cpus", {}, (Node("PowerPC,POWER9@0", cpu),) if cpu else ())
    nodes = () if power_mgt is None else (Node(node, power_mgt, children),)
    return Node("", {}, (cpus, Node(opal, {}, nodes)))


def labels(root: Node, test: str = "idle states") -> list[str]:
    (verdict,) = (one for one in fwts.verdicts(root) if one.test == test)
    assert verdict.passed == (not verdict.failures)
    return [label for label, _ in verdict.failures]


def both(root: Node) -> list[list[str]]:
    return [labels(root), labels(root, "pstates")]


def without(name: str, values: Mapping[str, bytes]) -> dict[str, bytes]:
    return {key: value for key, value in values.items() if key != name}


# fwts, both sub-tests


@pytest.mark.parametrize("pvr", [P8, P9, 0x004B0201, 0x004C0100])
def test_fwts_passes_a_sound_tree(pvr: int) -> None:
    values = properties(pvr=P9 if pvr == P9 else P8)
    assert both(tree(values, pvr=pvr)) == [[], []]


@pytest.mark.parametrize("pvr", [0x003F0201, 0x004A0201, 0x004F0100, 0x00800200, 0x00820200, 0])
def test_fwts_knows_power8_and_power9_only(pvr: int) -> None:
    assert both(tree(properties(), pvr=pvr)) == [["UnknownProcessorChip"]] * 2
    # the processor is asked first
    assert both(tree(None, pvr=pvr)) == [["UnknownProcessorChip"]] * 2


@pytest.mark.parametrize(
    ("root", "first"),
    [
        (tree(properties(), {}), "DTNodeMissing"),
        (Node("", {}, tree(properties()).children[1:]), "DTNodeMissing"),
        (tree(properties(), {"device_type": b"cpu"}), "DTNodeMissing"),
        (tree(properties(), {"device_type": b"cpu\0"}), "DTPropertyReadError"),
    ],
)
def test_fwts_without_a_processor_runs_neither(root: Node, first: str) -> None:
    assert both(root) == [[first, "DTNoCPUVersion", "ProcGenFail"]] * 2


def test_fwts_takes_the_first_processor_of_the_tree_wherever_it_is() -> None:
    root = tree(properties())
    p10 = {"device_type": b"cpu\0", "cpu-version": cell(0x00800200)}
    assert labels(replace(root, children=(Node("vendor", p10), *root.children))) == [
        "UnknownProcessorChip"
    ]
    assert labels(replace(root, children=(*root.children, Node("vendor", p10)))) == []


def test_fwts_without_the_node() -> None:
    assert both(tree(None)) == [["DTNodeMissing"]] * 2


@pytest.mark.parametrize(
    ("opal", "node", "found"),
    [
        ("ibm,opal@0", "power-mgt", True),
        ("ibm,opal", "power-mgt@7", True),
        ("ibm,opal", "power-mgt@", True),
        ("ibm,opal", "power-mgtx", False),
        ("ibm,opal2", "power-mgt", False),
    ],
)
def test_fwts_finds_nodes_as_libfdt_does(opal: str, node: str, found: bool) -> None:
    expected = [] if found else ["DTNodeMissing"]
    assert labels(tree(properties(), opal=opal, node=node)) == expected


# fwts, idle states


def test_fwts_wants_enabled_stop_levels_on_power9_only() -> None:
    for pvr, expected in ((P9, ["DTPropertyMissing"]), (P8, [])):
        assert labels(tree(without(dt.STOP_LEVELS, properties(pvr=pvr)), pvr=pvr)) == expected
    assert labels(tree(properties() | {dt.STOP_LEVELS: b""})) == []


@pytest.mark.parametrize("name", [dt.FLAGS, dt.LATENCIES, dt.RESIDENCIES, dt.PSSCR, dt.PSSCR_MASK])
def test_fwts_stops_at_an_absent_array(name: str) -> None:
    values = without(name, properties())
    assert labels(tree(values)) == ["DTPropertyReadError"]
    # flags and latencies come before the names, whose fault is then not seen
    seen = [] if name in (dt.FLAGS, dt.LATENCIES) else ["PropertyNotFound"]
    assert labels(tree(without(dt.NAMES, values))) == [*seen, "DTPropertyReadError"]


@pytest.mark.parametrize("name", [dt.LATENCIES, dt.RESIDENCIES, dt.PMICR, dt.PMICR_MASK])
def test_fwts_counts_entries(name: str) -> None:
    values = properties(pvr=P8)
    size, mismatch = dt.CELL_BYTES[name], ["SizeMismatch", "CPUIDLEStatesFail"]
    for changed in (values[name][:-1], values[name] + bytes(size), b""):
        assert labels(tree(values | {name: changed}, pvr=P8)) == mismatch
    # an incomplete entry is not counted
    assert labels(tree(values | {name: values[name] + bytes(size - 1)}, pvr=P8)) == []


def test_fwts_counts_every_array_that_does_not_fit() -> None:
    values = properties() | {dt.FLAGS: cells(0x100000)}
    assert labels(tree(values)) == ["SizeMismatch"] * 5 + ["CPUIDLEStatesFail"]


def test_fwts_passes_no_states_and_stops_at_ten() -> None:
    assert labels(tree(properties(()))) == []
    assert labels(tree(properties(STATES))) == []
    ten = (*STATES, replace(STATES[0], name="tenth"))
    assert labels(tree(properties(ten))) == ["DTMoreIdleStates"]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (None, ["PropertyNotFound"]),
        (b"", []),
        (b"a\0b\0c", ["NotNULLTerminated"]),
        (b"a\0b", ["NotNULLTerminated"]),
        (b"a\0b\0", ["SizeMismatch", "CPUIDLEStatesFail"]),
        (b"\0\0\0", []),
        (b"a b\0c\0d\0", []),
    ],
)
def test_fwts_counts_names(names: bytes | None, expected: list[str]) -> None:
    values = without(dt.NAMES, properties())
    assert labels(tree(values if names is None else values | {dt.NAMES: names})) == expected


def test_fwts_looks_at_no_value() -> None:
    senseless = tuple(
        replace(state, latency_ns=200, residency_ns=0, flags=0xFFFFFFFF, control=0, mask=0xF)
        for state in STATES[:2]
    )
    assert labels(tree(properties(senseless))) == []


# fwts, pstates


@pytest.mark.parametrize("name", [dt.PSTATE_MIN, dt.PSTATE_MAX, dt.PSTATE_IDS])
def test_fwts_wants_pstates(name: str) -> None:
    assert labels(tree(without(name, properties())), "pstates") == ["DTPropertyReadError"]


@pytest.mark.parametrize(
    ("pvr", "most", "least", "ids", "passes"),
    [
        (P9, 0, 3, (0, 1, 2, 3), True),
        (P9, 0, 3, (0, 1, 1, 3), True),
        (P9, 0, 3, (0, 2, 1, 3), False),
        (P9, 0, 3, (0, 1, 2, 4), False),
        (P9, 0, 3, (1, 1, 2, 3), False),
        (P9, 0, 3, (0, 1, 2, 2), False),
        (P9, 3, 0, (3, 2, 1, 0), False),
        (P9, 0, 3, (0, 1, 2, 3, 9), True),  # one too many is a warning
        (P9, 0, 3, (0, 1, 2), False),  # the last is then 0
        (P9, 5, 5, (5,), True),
        (P8, -1, -3, (-1, -2, -3), True),
        (P8, -1, -3, (-1, -3, -2), False),
        (P8, 0, 2, (0, 1, 2), False),
        (P8, 0, -1, (0,), False),
        (P8, 0, -(2**31), (5,), True),  # the difference wraps: less than no pstate
    ],
)
def test_fwts_follows_the_order_of_pstates(
    pvr: int, most: int, least: int, ids: tuple[int, ...], passes: bool
) -> None:
    values = properties(pvr=pvr) | {
        dt.PSTATE_MAX: cell(most),
        dt.PSTATE_MIN: cell(least),
        dt.PSTATE_IDS: cells(*ids),
    }
    expected = [] if passes else ["CPUPstateLimitsTestFail"]
    assert labels(tree(values, pvr=pvr), "pstates") == expected


def test_fwts_reads_on_behind_an_empty_property() -> None:
    """It takes the token behind it for the value: FDT_PROP, FDT_BEGIN_NODE or FDT_END_NODE."""
    between = properties() | {dt.PSTATE_MAX: b"", dt.PSTATE_MIN: cell(5)}
    ids = without(dt.PSTATE_IDS, between)
    assert labels(tree({**ids, dt.PSTATE_IDS: cells(3, 4, 5)}), "pstates") == []
    assert labels(tree({**ids, dt.PSTATE_IDS: cells(0, 4, 5)}), "pstates") != []
    last = {**without(dt.PSTATE_MAX, between), dt.PSTATE_MAX: b""}
    assert labels(tree(last | {dt.PSTATE_IDS: cells(2, 3, 4, 5)}), "pstates") == []
    child = (Node("occ@0"),)
    behind = tree(last | {dt.PSTATE_IDS: cells(1, 2, 3, 4, 5)}, children=child)
    assert labels(behind, "pstates") == []


# op-test


def op_tests(values: Mapping[str, bytes] | None, pvr: int | None = P9) -> dict[str, str]:
    """Test -> the message of its assertion, "" if it passes."""
    found = op_test.verdicts(tree(values), pvr)
    assert all(len(verdict.failures) <= 1 for verdict in found)
    return {verdict.test: verdict.failures[0][0] if verdict.failures else "" for verdict in found}


def op_idle(values: Mapping[str, bytes], pvr: int = P9) -> str:
    return op_tests(values, pvr)["idle states"]


def op_pstates(values: Mapping[str, bytes], pvr: int = P9) -> str:
    return op_tests(values, pvr)["pstates"]


@pytest.mark.parametrize("pvr", [P8, P9, 0x004B0201, 0x004F0100])
def test_op_test_passes_a_sound_tree(pvr: int) -> None:
    values = properties(pvr=P9 if pvr >> 16 in (0x4E, 0x4F) else P8)
    assert op_tests(values, pvr) == {"idle states": "", "pstates": ""}
    assert all(verdict.passed for verdict in op_test.verdicts(tree(values), pvr))


@pytest.mark.parametrize("pvr", [None, 0x003F0201, 0x004C0100, 0x00800200, 0x00820200])
def test_op_test_skips_processors_it_does_not_know(pvr: int | None) -> None:
    for verdict in op_test.verdicts(tree({}), pvr):
        assert (bool(verdict.skipped), verdict.failures, verdict.passed) == (True, (), False)


def test_op_test_without_the_node() -> None:
    assert op_tests(None) == {"idle states": "CommandFailed", "pstates": "CommandFailed"}


@pytest.mark.parametrize(
    "name", [dt.NAMES, dt.FLAGS, dt.LATENCIES, dt.RESIDENCIES, dt.PSSCR, dt.PSSCR_MASK]
)
def test_op_test_reads_every_property(name: str) -> None:
    assert op_idle(without(name, properties())) == "CommandFailed"


def test_op_test_looks_at_the_register_of_the_processor() -> None:
    assert op_idle(properties(pvr=P8), P9) == "CommandFailed"
    assert op_idle(properties(pvr=P9), P8) == "CommandFailed"
    # it has no use for the levels
    assert op_idle(without(dt.STOP_LEVELS, properties())) == ""


def test_op_test_wants_one_to_nine_states() -> None:
    assert op_idle(properties(())) == "No idle states found in DT"
    assert op_idle(properties(STATES[:1])) == ""
    assert op_idle(properties(STATES)) == ""
    tenth = replace(STATES[0], name="tenth", latency_ns=10**6, residency_ns=10**7)
    too_many = "More idle states found in DT than the expected"
    assert op_idle(properties((*STATES, tenth))) == too_many


@pytest.mark.parametrize("name", [dt.LATENCIES, dt.RESIDENCIES, dt.PSSCR, dt.PSSCR_MASK])
def test_op_test_counts_entries(name: str) -> None:
    values = properties()
    size = dt.CELL_BYTES[name]
    for changed in (b"", values[name][:-size], values[name] + b"\xff" * size):
        assert op_idle(values | {name: changed}) == "Array size mismatch"
    # hexdump shows an incomplete entry too
    assert op_idle(values | {name: values[name] + b"\xff"}) == "Array size mismatch"


def test_op_test_counts_words_of_names() -> None:
    assert op_idle(properties() | {dt.NAMES: b"a\0b\0"}) == "Array size mismatch"
    assert op_idle(properties() | {dt.NAMES: b"a\0b c\0"}) == ""
    assert op_idle(properties() | {dt.NAMES: b"a b\0c\0d\0"}) == "Array size mismatch"


@pytest.mark.parametrize(
    ("field", "what"), [("residency_ns", "residency"), ("latency_ns", "latency")]
)
@pytest.mark.parametrize(("second", "rises"), [(-1, False), (0, False), (1, True)])
def test_op_test_wants_rising_times(field: str, what: str, second: int, rises: bool) -> None:
    states = (STATES[0], replace(STATES[1], **{field: getattr(STATES[0], field) + second}))
    message = "" if rises else f"Non monotonicity observed for {what} values"
    assert op_idle(properties(states)) == message


def test_op_test_looks_at_residencies_first() -> None:
    states = (STATES[1], STATES[0])
    assert op_idle(properties(states)) == "Non monotonicity observed for residency values"


def test_op_test_stops_power9_as_it_would_be_with_every_level() -> None:
    """stop5 and stop8 have one residency in skiboot's table."""
    stop5 = replace(STATES[1], name="stop5", latency_ns=200_000, residency_ns=20_000_000)
    stop8 = replace(stop5, name="stop8", latency_ns=2_000_000)
    message = "Non monotonicity observed for residency values"
    assert op_idle(properties((STATES[0], stop5, stop8))) == message
    assert labels(tree(properties((STATES[0], stop5, stop8)))) == []


@pytest.mark.parametrize("name", [dt.PSTATE_IDS, dt.PSTATE_MIN, dt.PSTATE_MAX, *SAMPLED])
def test_op_test_reads_every_pstate_property(name: str) -> None:
    assert op_pstates(without(name, properties())) == "CommandFailed"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (dt.PSTATE_MIN, "IndexError"),
        (dt.PSTATE_MAX, "IndexError"),
        (dt.PSTATE_IDS, "Wrong number of pstates"),
        *((name, "") for name in SAMPLED),
    ],
)
def test_op_test_of_an_empty_pstate_property(name: str, message: str) -> None:
    assert op_pstates(properties() | {name: b""}) == message


@pytest.mark.parametrize(
    ("pvr", "message"),
    [(P8, "pstates range is not valid"), (P9, "More than 128 pstates found")],
)
def test_op_test_wants_2_to_128_pstates(pvr: int, message: str) -> None:
    for pstates, expected in ((1, message), (2, ""), (128, ""), (129, message)):
        assert op_pstates(properties(pvr=pvr, pstates=pstates), pvr) == expected


@pytest.mark.parametrize(
    ("pvr", "ids", "message"),
    [
        (P9, (0, 1), "Wrong number of pstates"),
        (P9, (0, 1, 2, 3), "Wrong number of pstates"),
        (P9, (0, 1, 1), "Non monotonocity observed for pstate ids"),
        (P9, (2, 1, 0), "Non monotonocity observed for pstate ids"),
        (P9, (0, 1, -1), ""),  # unsigned, and without regard to the limits
        (P8, (0, -1, -1), "Non monotonocity observed for pstate ids"),
        (P8, (-2, -1, 0), "Non monotonocity observed for pstate ids"),
        (P8, (7, 6, 5), ""),
    ],
)
def test_op_test_wants_pstates_in_order(pvr: int, ids: tuple[int, ...], message: str) -> None:
    assert op_pstates(properties(pvr=pvr) | {dt.PSTATE_IDS: cells(*ids)}, pvr) == message
