"""The argument for firmware in an idle-state node, PSCI's or SBI's, as the drivers check it."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Literal

from ...base.dataclass import dataclass
from ...base.model.beyond_opal import IdleList, ListedNode
from ...base.model.forms import U32, Limits
from ...base.model.stages import Message
from ..devicetree.idle_nodes import row_nodes
from .psci_firmware import ORIGINAL_FORMAT, USUAL_FIRMWARE, PsciFirmware

PSCI_PARAMETER, SBI_PARAMETER = "arm,psci-suspend-param", "riscv,sbi-suspend-param"
_ORIGINAL_TYPE, _EXTENDED_TYPE, _SBI_TYPE = 1 << 16, 1 << 30, 1 << 31
_SBI_RESERVED = (range(1, 0x1000_0000), range(0x8000_0001, 0x9000_0000))
_EINVAL, _EOVERFLOW = -22, -75


@dataclass(frozen=True, slots=True)
class RejectedParameter:
    """The reason why a driver rejects a node's parameter. problem: for people, without the node's
    name; error: the kernel's number; message: what it prints."""

    problem: str
    error: int
    message: Message


def parameter_name(listed: IdleList) -> str | None:
    """Returns the property with the argument for firmware; None if the method is the platform's."""
    if listed.riscv:
        return SBI_PARAMETER
    return PSCI_PARAMETER if listed.enable_method == "psci" else None


def parameter_problem(listed: IdleList, node: ListedNode) -> str:
    """Returns why the driver rejects a node's suspend parameter; "" if it accepts it."""
    name = parameter_name(listed)
    rejected = name and reject_parameter(listed.riscv, node)
    return rejected.problem if rejected else ""


def reject_parameter(
    riscv: bool,
    node: ListedNode,
    firmware: PsciFirmware = USUAL_FIRMWARE,
    *,
    prefix: str = "",
    mark: str = "",
) -> RejectedParameter | None:
    """sbi_dt_parse_state_node() or psci_dt_parse_state_node(); None if the parameter is fine.
    prefix: of the message, "" for that of cpuidle's own driver. mark: before the node's path."""
    name = SBI_PARAMETER if riscv else PSCI_PARAMETER
    prefix = prefix or log_prefix(riscv)
    value = node.u32(name)
    if value is None:
        error = _EOVERFLOW if name in node.properties else _EINVAL
        message = Message("warning", f"{prefix}{mark}{node.path} missing {name} property")
        return RejectedParameter(f"has no {name}", error, message)
    if is_sbi_state(value) if riscv else is_psci_state(value, firmware):
        return None
    what = "SBI suspend state" if riscv else "PSCI power state"
    message = Message("warning", f"{prefix}Invalid {what} {value:#x}")
    whose = "no firmware"
    if not riscv and firmware.extended is not None:
        whose = f"no firmware of the {'extended' if firmware.extended else 'original'} format"
    problem = f"has {name} {value:#x}, which {whose} can mean"
    return RejectedParameter(problem, _EINVAL, message)


def is_psci_state(value: int, firmware: PsciFirmware = USUAL_FIRMWARE) -> bool:
    """psci_power_state_is_valid()."""
    return any(not value & ~mask for mask in firmware.masks)


def is_sbi_state(value: int) -> bool:
    """riscv_sbi_suspend_state_is_valid()."""
    return not any(value in reserved for reserved in _SBI_RESERVED)


def log_prefix(riscv: bool) -> str:
    """Returns the beginning of the driver's messages."""
    return "cpuidle-riscv-sbi: " if riscv else "CPUidle PSCI: "


ParameterFormat = Literal["original", "extended", "either", "sbi"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """The parameter of a request to firmware, taken apart."""

    value: U32
    format: Annotated[
        ParameterFormat,
        "PSCI's original one, PSCI 1.0's extended StateID, or possible in both; RISC-V's SBI.",
    ]
    power_down: Annotated[
        bool, "The CPU loses what it holds: PSCI's type power-down, SBI's non-retentive."
    ]
    level: Annotated[
        Annotated[int, Limits(minimum=0, maximum=3)] | None,
        "The highest power level that the state is of, 0 the CPU's; of the original format alone.",
    ]
    state: Annotated[U32, "StateID; of SBI's all but the type."]

    @property
    def kind(self) -> str:
        if self.format == "sbi":
            kind = "non-retentive" if self.power_down else "retentive"
            whose = "platform's" if self.state >= 0x1000_0000 else "default"
            return f"{whose} {kind}"
        kind = "power-down" if self.power_down else "standby"
        return f"{kind}, level {self.level}" if self.level is not None else kind

    def __str__(self) -> str:
        return self.kind if self.format == "sbi" else f"{self.kind}, StateID {self.state:#x}"


def parameter_of(listed: IdleList, node: ListedNode) -> Parameter | None:
    """The node's suspend parameter, taken apart; None if it has none, or one that no firmware can
    mean, or the enabling method has no parameters."""
    name = parameter_name(listed)
    value = node.u32(name) if name else None
    if value is None or reject_parameter(listed.riscv, node):
        return None
    if listed.riscv:
        return Parameter(value, "sbi", bool(value & _SBI_TYPE), None, value & ~_SBI_TYPE)
    found = _format(value)
    if found == "either":
        others = {_format(other) for other in _values(listed)} - {"either"}
        found = others.pop() if len(others) == 1 else "either"
    if found == "extended":
        return Parameter(value, found, bool(value & _EXTENDED_TYPE), None, value & ~_EXTENDED_TYPE)
    # a value that may be of either format has no bit of a type
    level = value >> 24 & 3 if found == "original" else None
    state = value & 0xFFFF if found == "original" else value
    return Parameter(value, found, bool(value & _ORIGINAL_TYPE), level, state)


def parameters(listed: IdleList) -> tuple[Parameter | None, ...]:
    """The suspend parameter of each row of the list's table."""
    return tuple(parameter_of(listed, node) for node in row_nodes(listed))


def formats(listed: IdleList) -> dict[ParameterFormat, ListedNode]:
    """The formats that values of a tree for PSCI can have only, each with the first such node."""
    found: dict[ParameterFormat, ListedNode] = {}
    for node in _nodes(listed):
        value = node.u32(PSCI_PARAMETER)
        if value is not None and not reject_parameter(False, node) and _format(value) != "either":
            found.setdefault(_format(value), node)
    return found


def _format(value: int) -> Literal["original", "extended", "either"]:
    """The format of a PSCI parameter that firmware could mean."""
    if value & ~ORIGINAL_FORMAT:
        return "extended"
    return "original" if value & _ORIGINAL_TYPE else "either"


def _values(listed: IdleList) -> Iterator[int]:
    for node in _nodes(listed):
        value = node.u32(PSCI_PARAMETER)
        if value is not None:
            yield value


def _nodes(listed: IdleList) -> Iterable[ListedNode]:
    """The enabled nodes that CPUs of PSCI and their power domains list, each once."""
    found: dict[str, ListedNode] = {}
    for each in listed.of_tree:
        if each.enable_method == "psci":
            for node in (*each.nodes(), *each.domains):
                found.setdefault(node.path, node)
    return [node for node in found.values() if node.available]
