"""The changes of genpd and its governor for CPUs over the releases."""

from typing import Literal

from ....base.dataclass import dataclass
from ....base.model.history import History, Sources, rows_of
from ....base.model.traces import Traces
from ..releases import features_in

OLDEST = "5.2"
"""e94999688e3a. PSCI's domains follow in 5.6, SBI's in 5.18: see DtIdleFeatures."""


@dataclass(frozen=True, slots=True)
class GenpdFeatures:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 5.2.

    A device's predicted wakeup, which 5.12 brought, is asked for in no domain of CPUs.

    wide_times        a state's times are computed in 64 bits; before, in 32, which wrap above
                      4294967 us
    measured          turning a domain on or off is timed, and a latency that is exceeded becomes
                      what was measured; from 5.19 on, latencies of the tree stay
    governed          domains with states have the governor for CPUs; otherwise, they take state 0
    deepest_children  a domain stays on while one within it is off in another state than its last
    latency_limits    CPU latency limits hold for domains: the global one, and that of each of the
                      domain's CPUs
    pending_ipi       a domain stays on while an interrupt from another CPU is pending for one of
                      its CPUs
    wakeup_limit      the limit of the latency to wake up the system holds: it is one more limit at
                      run time, and suspend-to-idle takes the deepest state within it; before, the
                      last state
    preempt_rt        PSCI's domains with CONFIG_PREEMPT_RT: "" as without, "on" they stay on,
                      "suspend" they are off in suspend only
    """

    wide_times: bool = False
    measured: bool = True
    governed: bool = True
    deepest_children: bool = False
    latency_limits: bool = False
    pending_ipi: bool = False
    wakeup_limit: bool = False
    preempt_rt: Literal["", "on", "suspend"] = ""


since = rows_of(GenpdFeatures)

CHANGES = (
    since("5.18", "Factor-out power domain related code from PSCI", governed=False),
    since("5.18 rhel-5.14.0-162.6.1", "e7d90cfac551", deepest_children=True),
    since("5.19 5.18.3", "Fix regression leading to no genpd governor", governed=True),
    since("5.19 rhel-5.14.0-284.11.1", "", measured=False),
    since("6.3 rhel-5.14.0-362.8.1", "", preempt_rt="on"),
    since(
        "6.5 6.4.4 6.1.39 5.15.121 5.10.188 5.4.251 rhel-5.14.0-503.11.1",
        "e5d1c8722083",
        wide_times=True,
    ),
    since("6.12 rhel-5.14.0-570.12.1", "", preempt_rt="suspend"),
    since(
        "6.16-rc7 6.15.8 6.12.40 6.6.100 6.1.147 5.15.190 5.10.241 5.4.297",
        "500ba3328441",
        latency_limits=True,
    ),
    since("6.19", "Extend the genpd governor for CPUs to account for IPIs", pending_ipi=True),
    since("6.19", "8e7de6dc4209, e2e4695f015e", wakeup_limit=True),
)

HISTORY = History(GenpdFeatures(), CHANGES)
features = features_in(HISTORY, OLDEST, "genpd")
SOURCES = Sources(
    compiled="5.2.1 5.4.117..5.4.301 5.5-rc5 5.6.4 5.8.1 5.9.1 5.10.35..5.10.265 5.12.9 "
    "5.17-rc5 5.18.12 5.19 6.1..6.1.166 6.2.1 6.3.8 6.4.6 6.6..6.6.150 6.7.3 6.8 6.11.11 6.12 "
    "6.12.10..6.12.94 6.12.107 6.13.2 6.14 6.17 6.17.8 6.18..6.18.8 6.18.15 6.19 6.19.6 7.0 "
    "7.1.3 7.1.13 7.2.13 7.3.4 5.15..5.15.215 rhel-5.14.. rhel-6.12.. ubuntu-5.4.0-77.. "
    "ubuntu-5.15.0-47..",
    read="5.4..5.4.116 5.6..5.6.19 5.8..5.8.18 5.9..5.9.16 5.10..5.10.34 6.18..6.18.44 "
    "ubuntu-5.4.0-58..",
)

_GOVERNOR = "gov: cpu_power_down_ok()"
TRACES = Traces(
    {
        "core": "drivers/pmdomain/core.c drivers/base/power/domain.c",
        "gov": "drivers/pmdomain/governor.c drivers/base/power/domain_governor.c",
        "dom": "drivers/cpuidle/cpuidle-psci-domain.c",
    },
    {
        "wide_times": "core: genpd_parse_state() 1000LL *",
        "measured": "core: _genpd_power_on() !. fwnode",
        "governed": {
            True: [
                "dom: pd -> states ? & pm_domain_cpu_gov",
                "dom: psci_pd_parse_states",
                ("core: _genpd_power_on()", "dom!"),
            ],
            False: "dom: dt_idle_pd_alloc",
        },
        "deepest_children": "core: genpd_power_off() child -> state_idx",
        "latency_limits": [
            f"{_GOVERNOR} cpu_latency_qos_limit",
            f"{_GOVERNOR} PM_QOS_CPU_DMA_LATENCY",
        ],
        "pending_ipi": f"{_GOVERNOR} cpus_peek_for_pending_ipi",
        "wakeup_limit": f"{_GOVERNOR} cpu_wakeup_latency_qos_limit",
        "preempt_rt": {
            "suspend": "dom: psci_pd_init() GENPD_FLAG_RPM_ALWAYS_ON",
            "on": "dom: CONFIG_PREEMPT_RT",
            "": ["dom: psci_pd_init()", ("core: _genpd_power_on()", "dom!")],
        },
    },
)
