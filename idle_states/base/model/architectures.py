"""Architectures whose CPUs list idle states by phandle in the device tree.

They stand beside the registry of processors, not in it: of what an entry there says (PVR, chips,
stop levels, skiboot's tables) nothing has a meaning for them. To add one, add a row.

Source: Linux Documentation/devicetree/bindings/cpu/idle-states.yaml, arm/psci.yaml and
riscv/cpus.yaml; drivers/cpuidle/cpuidle-psci.c, cpuidle-riscv-sbi.c.
"""

from ..dataclass import dataclass

DOMAIN_STATE = "domain-idle-state"
"""The compatible of power domains' states, on every architecture."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """The names that nodes of idle states, CPUs and power domains use on an architecture.

    state          what a CPU's idle states are compatible with
    parameter      property with the argument for firmware
    enable_method  usual enable-method of its CPUs, "" for none
    domain_name    power-domain-names entry of the CPUs' own domain
    domains        where the power domains of CPUs usually lie
    cpu            what a CPU is compatible with where nobody says more
    """

    name: str
    state: str
    parameter: str
    enable_method: str
    domain_name: str
    domains: str
    cpu: str


ARM = Architecture(
    "arm",
    state="arm,idle-state",
    parameter="arm,psci-suspend-param",
    enable_method="psci",
    domain_name="psci",
    domains="/psci",
    cpu="arm,armv8",
)
RISCV = Architecture(
    "riscv",
    state="riscv,idle-state",
    parameter="riscv,sbi-suspend-param",
    enable_method="",
    domain_name="sbi",
    domains="/cpus/power-domains",
    cpu="riscv",
)
OWN_PROPERTIES = {
    "compatible",
    "entry-latency-us",
    "exit-latency-us",
    "idle-state-name",
    "local-timer-stop",
    "min-residency-us",
    "status",
    "wakeup-latency-us",
    "phandle",
    "linux,phandle",
    "name",
    ARM.parameter,
    RISCV.parameter,
}
"""Properties of a node that a spec has keys for, or that are no one's to write."""

ARCHITECTURES = {architecture.name: architecture for architecture in (ARM, RISCV)}
