"""The changes in the reading of idle-state nodes over the releases."""

from ...base.dataclass import dataclass
from ...base.model.history import History, Sources, rows_of
from ...base.model.traces import Traces
from .releases import features_in


@dataclass(frozen=True, slots=True)
class DtIdleFeatures:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 3.14.

    arm               there is a driver for Arm's nodes
    riscv             there is a driver for RISC-V's nodes
    psci              PSCI has a driver of its own, cpuidle-psci
    generic           Arm's generic driver, cpuidle-arm, can enter PSCI's states
    marks_missing     PSCI's firmware driver marks the report of a missing parameter by an asterisk
    says_unsupported  it reports a CPU that has no idle states by its enable-method
    per_cpu           each CPU has its own list; before, all must have the first CPU's
    skips_disabled    nodes whose status is not okay are passed over
    compatible_first  a node's compatible is looked at before its status
    hierarchy         domain-idle-states of a CPU's power domain come before cpu-idle-states
    needs_domains     CPUs whose power domains could not be made get no driver; before, they do
                      without
    domains_always    PSCI's power domains are made in platform-coordinated mode too
    stateless_domains a power domain without domain-idle-states has no states; before, it cannot be
                      made, nor can the others
    reads_off_states  states of power domains are read though their status is not okay
    domain_helper     PSCI's power domains are read by dt_idle_genpd.c, as SBI's always were
    keeps_domains     a bad power domain leaves PSCI those before it
    sets_mode         PSCI's power domains are there only if firmware takes the mode it is told to
                      use; before, the platform-coordinated mode was not told
    faux              PSCI's driver is a faux device's: it says that it failed, and is not tried
                      unless the first CPU's first state looks like one
    counts_enabled    only enabled nodes are counted; before, those passed over were too
    """

    arm: bool = False
    riscv: bool = False
    psci: bool = False
    generic: bool = True
    marks_missing: bool = True
    says_unsupported: bool = True
    per_cpu: bool = False
    skips_disabled: bool = False
    compatible_first: bool = False
    hierarchy: bool = False
    needs_domains: bool = False
    domains_always: bool = False
    stateless_domains: bool = False
    reads_off_states: bool = True
    domain_helper: bool = False
    keeps_domains: bool = False
    sets_mode: bool = False
    faux: bool = False
    counts_enabled: bool = False


since = rows_of(DtIdleFeatures)

CHANGES = (
    since("3.18", "9f14da345599", arm=True),
    since("4.3", "", skips_disabled=True),
    since("4.13", "d50a7d8acd78", per_cpu=True),
    since("5.2 rhel-4.18.0-193", "", compatible_first=True),
    since("5.2 rhel-4.18.0-372.9.1", "", marks_missing=False),
    since("5.4", "9ffeb6d08c3a", psci=True, generic=False),
    since("5.4", "", says_unsupported=False),
    since("rhel-4.18.0-372.9.1", "", generic=False),
    since("rhel-5.14.0-70.13.1", "CONFIG_ARM_PSCI_CPUIDLE", psci=False),
    since("rhel-5.14.0-162.6.1", "CONFIG_ARM_PSCI_CPUIDLE", psci=True),
    since("5.6 rhel-4.18.0-240", "", hierarchy=True),
    since("5.7 5.6.5 5.4.33", "Allow no domain-idle-states DT property", stateless_domains=True),
    since("5.9", "", needs_domains=True),
    since("5.10", "", domains_always=True),
    since("5.18", "6abf32f1d9c5", riscv=True),
    since("5.18 rhel-5.14.0-162.6.1", "", domain_helper=True),
    since(
        "6.1 6.0.7 5.15.77 5.10.153 5.4.223 rhel-5.14.0-362.8.1",
        "e0c57a5c70c1",
        reads_off_states=False,
    ),
    since(
        "6.6 6.4.11 6.1.47 rhel-5.14.0-503.11.1", "12acb348fa45", keeps_domains=True, sets_mode=True
    ),
    since("6.16", "af5376a77e87", faux=True),
    since("7.2", "", faux=False),
    since(
        "6.2 6.1.2 5.15.86 5.10.163 5.4.229 rhel-5.14.0-362.8.1",
        "ee3c2c8ad6ba",
        counts_enabled=True,
    ),
)
"""The release of a row without commit may be off by one or two before 5.4."""

HISTORY = History(DtIdleFeatures(), CHANGES)
features = features_in(HISTORY)
SOURCES = Sources(
    compiled="4.14.177 4.15 4.16.13 4.18.20 4.20 5.0.1 5.1.15 5.2.1 5.4..6.4.6 6.6.. rhel-4.18.. "
    "rhel-5.14.. rhel-6.12.. ubuntu-5.4.0-58.. ubuntu-5.15.0-47.. ubuntu-6.8..",
    read="4.4..",
)

_INIT = "idle: dt_init_idle_driver()"
TRACES = Traces(
    {
        "idle": "drivers/cpuidle/dt_idle_states.c",
        "arm": "drivers/cpuidle/cpuidle-arm.c drivers/cpuidle/cpuidle-arm64.c",
        "psci": "drivers/cpuidle/cpuidle-psci.c",
        "dom": "drivers/cpuidle/cpuidle-psci-domain.c",
        "fw": "drivers/firmware/psci/psci.c drivers/firmware/psci.c",
        "method": "arch/arm64/kernel/psci.c",
        "sbi": "drivers/cpuidle/cpuidle-riscv-sbi.c",
        "core": "drivers/pmdomain/core.c drivers/base/power/domain.c",
    },
    {
        "arm": _INIT,
        "riscv": (_INIT, "sbi?"),
        "psci": (_INIT, "psci?"),
        "marks_missing": ['fw: "..* %pOF missing.."', 'fw: "..* %s missing.."'],
        "says_unsupported": "arm: !- EOPNOTSUPP",
        "generic": "method: . cpu_init_idle",
        "per_cpu": (_INIT, ["psci?", "arm: kmemdup"]),
        "skips_disabled": f"{_INIT} of_device_is_available",
        "compatible_first": f"{_INIT} of_match_node",
        "hierarchy": "idle: of_get_cpu_state_node",
        "needs_domains": (_INIT, "dom?", "dom: !osi_mode_enabled"),
        "domains_always": (_INIT, "dom?", "dom: bool use_osi"),
        "stateless_domains": (
            "core: of_genpd_parse_idle_states",
            "core: genpd_iterate_idle_states() - ENOENT",
        ),
        "reads_off_states": "core: genpd_iterate_idle_states() !of_device_is_available",
        "domain_helper": (_INIT, "dom?", "dom: dt_idle_pd_alloc"),
        "keeps_domains": (_INIT, "dom?", "dom: exit :"),
        "sets_mode": (_INIT, "dom?", "dom: psci_set_osi_mode ( use_osi )"),
        "faux": (_INIT, "psci?", "psci: faux_device_create"),
        "counts_enabled": f"{_INIT} return state_idx - start_idx",
    },
)
