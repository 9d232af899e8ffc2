"""fwts' power_mgmt test, as it judges a device tree: the same verdicts, quirks included.

Source: fwts 35ef52b4 src/opal/power_mgmt_info.c (cpuidle_states_test, pstate_limits_test) and
src/lib/src/fwts_devicetree.c (get_proc_gen, fwts_dt_stringlist_count); libfdt fdt_path_offset(),
whose path may leave out a unit address. Where fwts runs past its arrays (more than 10 entries of an
idle-state property, more than 256 pstates) its behaviour is undefined; the verdict given here is
the one it reaches if it does not crash.
"""

from ...base.dataclass import dataclass
from ...base.model import power_mgt as dt
from ...base.model.power_mgt import PowerMgt
from ...base.model.processors import Processor
from ..devicetree import fdt
from ..devicetree.tree import Node
from ..spec import registry

_CPUIDLE_STATE_MAX = 10
_MAX_PSTATES = 256


def known_to(tester: str, pvr: int) -> Processor | None:
    """Returns the processor of a PVR >> 16 if a program knows it. fwts refuses POWER7 although it
    knows it; POWER9P and later are unknown to it."""
    processor = registry.of_pvr(pvr)
    version = processor.version(pvr) if processor else None
    return processor if version and tester in version.testers else None


@dataclass(frozen=True, slots=True)
class ToolVerdict:
    """The verdict of fwts or op-test on a device tree.

    test      "idle states" or "pstates"
    failures  (label or message, detail) for each failure; empty: the test passes
    skipped   why the tool skips the test, "" if it runs
    """

    tool: str
    test: str
    failures: tuple[tuple[str, str], ...] = ()
    skipped: str = ""

    @property
    def passed(self) -> bool:
        return not self.failures and not self.skipped


def verdicts(root: Node) -> tuple[ToolVerdict, ...]:
    """The verdicts of both sub-tests on a device tree."""
    cpu = _first_cpu(root)
    if isinstance(cpu, tuple):
        return _both(cpu, *_NO_GENERATION)
    processor = known_to("fwts", _first_cell(cpu, "cpu-version") >> 16)
    if processor is None:
        return _both(("UnknownProcessorChip", "a processor generation that is not P8 or P9"))
    node = _find(root, dt.NODE)
    if node is None:
        return _both(("DTNodeMissing", f"{dt.NODE} is missing"))
    idle = _idle_states(PowerMgt(node.properties), processor.isa300)
    pstates = _pstates(node, processor.isa300)
    tests = {"idle states": idle, "pstates": pstates}
    return tuple(ToolVerdict("fwts", test, tuple(found)) for test, found in tests.items())


def _both(*failures: tuple[str, str]) -> tuple[ToolVerdict, ToolVerdict]:
    return ToolVerdict("fwts", "idle states", failures), ToolVerdict("fwts", "pstates", failures)


_NO_GENERATION = (
    ("DTNoCPUVersion", "the version of the CPU cannot be told"),
    ("ProcGenFail", "so neither sub-test is run"),
)


def _first_cpu(root: Node) -> Node | tuple[str, str]:
    """The first node of device_type cpu in the tree, or the failure that ends the whole test."""
    if _find(root, "/cpus") is None:
        return "DTNodeMissing", "/cpus is missing"
    for _, node in root.walk():
        if node.properties.get("device_type") == b"cpu\0":
            if "cpu-version" not in node.properties:
                return "DTPropertyReadError", "the first CPU has no cpu-version"
            return node
    return "DTNodeMissing", "no node of device_type cpu"


def _find(root: Node, path: str) -> Node | None:
    """The node of a path as libfdt finds it: at each level the first child of that name, with or
    without a unit address."""
    node: Node | None = root
    for name in path.strip("/").split("/"):
        if node is not None:
            matching = (one for one in node.children if name in (one.name, _without_unit(one)))
            node = next(matching, None)
    return node


def _without_unit(node: Node) -> str:
    return node.name.partition("@")[0]


def _idle_states(node: PowerMgt, stop: bool) -> list[tuple[str, str]]:
    if stop and dt.STOP_LEVELS not in node.properties:
        return [("DTPropertyMissing", f"{dt.STOP_LEVELS} is missing")]
    count = node.count(dt.FLAGS)
    if count is None:
        return [("DTPropertyReadError", f"{dt.FLAGS} cannot be read")]
    if count > _CPUIDLE_STATE_MAX - 1:
        return [("DTMoreIdleStates", f"{count} states, where {_CPUIDLE_STATE_MAX - 1} are allowed")]
    failures: list[tuple[str, str]] = []
    control = (dt.PSSCR, dt.PSSCR_MASK) if stop else (dt.PMICR, dt.PMICR_MASK)
    for name in (dt.LATENCIES, dt.NAMES, dt.RESIDENCIES, *control):
        if name == dt.NAMES:
            found, failure = _name_count(node)
            failures += [failure] if failure else []
            if found < 1:
                # absent or empty names are not compared
                continue
        else:
            entries = node.count(name)
            if entries is None:
                return [*failures, ("DTPropertyReadError", f"{name} cannot be read")]
            found = entries
        if found != count:
            detail = f"{dt.FLAGS} has {count} entries, {name} has {found}"
            failures.append(("SizeMismatch", detail))
    if any(label == "SizeMismatch" for label, _ in failures):
        failures.append(("CPUIDLEStatesFail", "one or more idle-state arrays do not fit"))
    return failures


def _name_count(node: PowerMgt) -> tuple[int, tuple[str, str] | None]:
    data = node.properties.get(dt.NAMES)
    if data is None:
        return -1, ("PropertyNotFound", f"{dt.NAMES} is missing")
    if data and not data.endswith(b"\0"):
        return -1, ("NotNULLTerminated", f"the last string of {dt.NAMES} has no end")
    return data.count(b"\0"), None


def _pstates(node: Node, stop: bool) -> list[tuple[str, str]]:
    """The failures of the pstates test. fwts only warns about the number of pstates: left out."""
    for name in (dt.PSTATE_MIN, dt.PSTATE_MAX, dt.PSTATE_IDS):
        if name not in node.properties:
            return [("DTPropertyReadError", f"{name} cannot be read")]
    least, most = (dt.signed(_first_cell(node, name)) for name in (dt.PSTATE_MIN, dt.PSTATE_MAX))
    ids = [dt.signed(cell) for cell in dt.cells(node.properties[dt.PSTATE_IDS], 4)]
    # C int arithmetic: the difference and its absolute value wrap
    count = dt.signed(abs(dt.signed(most - least)) + 1)
    ids += [0] * max(0, min(count, _MAX_PSTATES) - len(ids))
    ids = ids[: max(0, min(count, _MAX_PSTATES))]
    sign = -1 if stop else 1
    failures = []
    for index, pstate in enumerate(ids):
        if sign * most < sign * pstate:
            failures.append(f"pstate {pstate} is above the maximum {most}")
        if sign * pstate < sign * least:
            failures.append(f"pstate {pstate} is below the minimum {least}")
        if index == 0 and pstate != most:
            failures.append(f"the first pstate is {pstate}, not the maximum {most}")
        elif index == len(ids) - 1 and pstate != least:
            failures.append(f"the last pstate is {pstate}, not the minimum {least}")
        elif index and sign * pstate > sign * ids[index - 1]:
            failures.append(f"pstate {pstate} is above the one before, {ids[index - 1]}")
    return [("CPUPstateLimitsTestFail", "; ".join(failures[:3]))] if failures else []


def _first_cell(node: Node, name: str) -> int:
    """The 4 bytes fwts reads for a property, whatever its length. For a shorter one these include
    padding; for an empty one they are the blob's next token."""
    data = node.properties[name]
    if not data:
        if name != list(node.properties)[-1]:
            return fdt.PROP
        return fdt.BEGIN_NODE if node.children else fdt.END_NODE
    return int.from_bytes(data[:4].ljust(4, b"\0"), "big")
