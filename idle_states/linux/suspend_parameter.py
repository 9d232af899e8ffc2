"""The argument for firmware in an idle-state node, PSCI's or SBI's, as the drivers check it."""

from dataclasses import dataclass

from ..beyond_opal import IdleList, ListedNode
from ..stages import Message

PSCI_PARAMETER, SBI_PARAMETER = "arm,psci-suspend-param", "riscv,sbi-suspend-param"
_PSCI_MASKS = (0x0301_FFFF, 0x4FFF_FFFF)
"""Bits of a power state in the original format and in PSCI 1.0's extended one."""
_SBI_RESERVED = (range(1, 0x1000_0000), range(0x8000_0001, 0x9000_0000))
_EINVAL, _EOVERFLOW = -22, -75


@dataclass(frozen=True, slots=True)
class RejectedParameter:
    """Why a driver rejects a node's parameter. problem: for people, without the node's name;
    error: the kernel's number; message: what it prints."""

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


def reject_parameter(riscv: bool, node: ListedNode) -> RejectedParameter | None:
    """sbi_dt_parse_state_node() or psci_dt_parse_state_node(); None if the parameter is fine."""
    name = SBI_PARAMETER if riscv else PSCI_PARAMETER
    prefix = log_prefix(riscv)
    value = node.u32(name)
    if value is None:
        error = _EOVERFLOW if name in node.properties else _EINVAL
        message = Message("warning", f"{prefix}{node.path} missing {name} property")
        return RejectedParameter(f"has no {name}", error, message)
    if riscv:
        bad = any(value in reserved for reserved in _SBI_RESERVED)
    else:
        bad = all(value & ~mask for mask in _PSCI_MASKS)
    if not bad:
        return None
    what = "SBI suspend state" if riscv else "PSCI power state"
    message = Message("warning", f"{prefix}Invalid {what} {value:#x}")
    return RejectedParameter(f"has {name} {value:#x}, which no firmware can mean", _EINVAL, message)


def log_prefix(riscv: bool) -> str:
    """What the driver's messages begin with."""
    return "cpuidle-riscv-sbi: " if riscv else "CPUidle PSCI: "
