"""The changes of intel_idle's start over the releases."""

from typing import Literal

from ....base.dataclass import dataclass
from ....base.model.history import History, Sources, rows_of
from ....base.model.traces import Traces
from ..releases import features_in

OLDEST = "4.4"
"""The oldest release that was compiled."""


@dataclass(frozen=True, slots=True)
class IntelIdleFeatures:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 4.4.

    limit_level      level of the message that max_cstate is reached
    skylake_c8       Skylake-H: C8 and C9 go where C10 is enabled and SGX is not
    acpi             the driver knows ACPI's states, which stand for a table or switch rows off
    states_off       the parameter of that name, which switches states off
    needs_both       ACPI's states count for a table only where both its processor and use_acpi ask
                     for them; before and elsewhere, one is enough
    own_tlb_flag     that a state flushes the TLB is a flag of the driver's, at another bit
    keeps_unusable   states of ACPI that cannot be used still decide which rows are off
    timer_stop       states deeper than C1 stop the local timer unless it always runs (ARAT)
    marks_tsc        ACPI's states deeper than C1 make a TSC that stops unstable, too
    exact_limit      max_cstate counts ACPI's states from 1; before, one state fewer is made
    skx_pc6          Skylake-X: C6 has other times where package C6 is disabled
    spr_pc6          Sapphire and Emerald Rapids: likewise
    prefers_c1       preferred_cstates: C1 in place of C1E on Alder Lake
    prefers_c1e      preferred_cstates: C1E in place of C1 on Sapphire Rapids
    force_irq_on     the parameter of that name: "any" says of every state that it is entered with
                     interrupts, as the table wants or not, "rest" of those that the parameter alone
                     makes so
    ibrs_off         the parameter of that name, which takes interrupts' flag from states
    partial_hints    sub-states do not count where a row says so, when ACPI's states are looked for
    tableless        a listed processor may have no table: its states are ACPI's
    no_native        no_native: ACPI's states in place of any table
    any_family       processors that are not listed may be of any family; before, of family 6
    table_parameter  table=: times given at boot
    drops_pc6        the last state goes where package C6 is disabled, on processors with several C6
    lpi              ACPI's _LPI goes before its _CST
    """

    limit_level: Literal["warning", "info"] = "warning"
    skylake_c8: bool = False
    acpi: bool = False
    states_off: bool = False
    needs_both: bool = False
    own_tlb_flag: bool = True
    keeps_unusable: bool = True
    timer_stop: bool = False
    marks_tsc: bool = False
    exact_limit: bool = False
    skx_pc6: bool = False
    spr_pc6: bool = False
    prefers_c1: bool = False
    prefers_c1e: bool = False
    force_irq_on: Literal["", "any", "rest"] = ""
    ibrs_off: bool = False
    partial_hints: bool = False
    tableless: bool = False
    no_native: bool = False
    any_family: bool = False
    table_parameter: bool = False
    drops_pc6: bool = False
    lpi: bool = False


since = rows_of(IntelIdleFeatures)
_SPR = "5.18 rhel-4.18.0-425.3.1 rhel-5.14.0-162.6.1"

CHANGES = (
    since("4.6 4.4.155", "", skylake_c8=True),
    since("4.13", "", limit_level="info"),
    since("5.6 rhel-4.18.0-240", "18734958e9bf", acpi=True),
    since("5.6 rhel-4.18.0-305", "4dcb78ee2c42", states_off=True),
    since("rhel-4.18.0-240", "", needs_both=True),
    since("5.9 rhel-4.18.0-305", "", own_tlb_flag=False),
    since("5.10 rhel-4.18.0-305", "", timer_stop=True, exact_limit=True, keeps_unusable=False),
    since(
        "6.14 6.13.6 6.12.18 6.6.81 6.1.130 5.15.179 5.10.235 ubuntu-6.8.0-81",
        "c157d351460b",
        marks_tsc=True,
    ),
    since("5.14 rhel-4.18.0-372.9.1", "", skx_pc6=True),
    since(_SPR, "da0e58c038e6", prefers_c1=True),
    since(f"{_SPR} ubuntu-5.15.0-69", "3a9cf77b60dc", spr_pc6=True),
    since(_SPR, "da0e58c038e6", prefers_c1e=True),
    since("6.1 rhel-4.18.0-477.10.1 rhel-5.14.0-162.23.1", "", prefers_c1e=False),
    since("6.3 rhel-5.14.0-362.8.1", "", force_irq_on="any"),
    since("6.4 rhel-5.14.0-427.13.1", "", force_irq_on="rest"),
    since("6.7 rhel-5.14.0-427.13.1", "aa1567a7e644", ibrs_off=True),
    since("6.12 6.11.11 rhel-5.14.0-503.35.1 ubuntu-6.8.0-56", "4c411cca33cf", partial_hints=True),
    since("6.12 6.11.3 rhel-5.14.0-503.29.1 ubuntu-6.8.0-48", "5bb33212b5c6", tableless=True),
    since("6.15", "5e7e39ae15b0", no_native=True),
    since(
        "6.17 6.16.2 6.12.43 6.6.103 5.15.190 5.10.241",
        "Allow loading ACPI tables for any family",
        any_family=True,
    ),
    since("7.0", "a36dc37b5672", prefers_c1=False),
    since("7.0", "111f77a23348", table_parameter=True),
    since("7.2", "86b488b19f96", drops_pc6=True),
    since("7.3", "abc5c103c66d", lpi=True),
)
"""A release without commit, and a point release, is the first that was read with the change; it may
be in earlier ones."""

HISTORY = History(IntelIdleFeatures(), CHANGES)
features = features_in(HISTORY)
SOURCES = Sources(
    compiled="4.4 4.4.155 4.6.2 4.8.15 4.9 4.10.17 4.11 4.12 4.12.4 4.13.9 4.14.177 4.15 4.15.18 "
    "4.16.13 4.18.20 4.20 5.0.1 5.1.15 5.2.1 5.4.18 5.4.117..5.4.301 5.5-rc5 5.6.4 5.8.1 "
    "5.9.1 5.9.2 5.10.35..5.10.265 5.11 5.12.9 5.14-rc5 5.14.2 5.15..5.15.215 5.17-rc5 5.19 "
    "6.1..6.1.166 6.1.192 6.3.8 6.4.6 6.6..6.6.150 6.7.3 6.8 6.11.11 6.12.10..6.12.15 "
    "6.12.117 6.13.2 6.13.7 6.14 6.17 6.18-rc1..6.18.35 6.19 7.0 7.1.3 7.1.5 7.2.13 7.3.4 "
    "rhel-4.18.. rhel-5.14.. rhel-6.12.. ubuntu-5.4.0-58.. ubuntu-5.15.0-47.. ubuntu-6.8.0-32 "
    "ubuntu-6.8.0-49 ubuntu-6.8.0-90 ubuntu-6.11..",
    read="ubuntu-6.8..",
)

TRACES = Traces(
    {"drv": "drivers/idle/intel_idle.c"},
    {
        "limit_level": {
            "info": 'drv: pr_info ( "max_cstate %d reached\\n"',
            "warning": "drv: printk ( PREFIX",
        },
        "skylake_c8": "drv: sklh_idle_state_table_update",
        "acpi": "drv: acpi_state_table",
        "states_off": "drv: states_off",
        "needs_both": "drv: use_acpi && force_use_acpi",
        "own_tlb_flag": "drv: # define CPUIDLE_FLAG_TLB_FLUSHED",
        "keeps_unusable": [
            "drv: acpi_processor_claim_cst_control ( ) ) { acpi_state_table . count",
            "drv: !acpi_state_table",
        ],
        "timer_stop": "drv: intel_idle_state_needs_timer_stop",
        "marks_tsc": (
            "drv: intel_idle_init_cstates_acpi",
            [
                "drv: intel_idle_init_cstates_acpi() mark_tsc_unstable",
                "drv: intel_idle_init_cstates_acpi_cst() mark_tsc_unstable",
            ],
        ),
        "exact_limit": "drv: intel_idle_max_cstate_reached ( cstate - 1 )",
        "skx_pc6": "drv: skx_idle_state_table_update",
        "spr_pc6": "drv: spr_idle_state_table_update",
        "prefers_c1": "drv: adl_idle_state_table_update",
        "prefers_c1e": (
            "drv: spr_idle_state_table_update",
            "drv: spr_idle_state_table_update() preferred_states_mask",
        ),
        "force_irq_on": {
            "rest": "drv: state_update_enter_method() force_irq_on",
            "any": "drv: force_irq_on",
            "": "drv: intel_idle_init()",
        },
        "ibrs_off": ("drv: state_update_enter_method", "drv: state_update_enter_method() ibrs_off"),
        "partial_hints": "drv: CPUIDLE_FLAG_PARTIAL_HINT_MATCH",
        "tableless": "drv: intel_idle_init() if ( icpu -> state_table )",
        "no_native": "drv: no_native",
        "any_family": "drv: intel_mwait_ids [ ] @@ X86_FAMILY_ANY",
        "table_parameter": "drv: cmdline_table_adjust",
        "drops_pc6": "drv: drop_pc6_redundant_cstates",
        "lpi": "drv: intel_idle_acpi_extract_lpi_cstates",
    },
)
