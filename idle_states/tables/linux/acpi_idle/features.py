"""The changes of acpi_idle over the releases."""

from typing import Literal

from ....base.dataclass import dataclass
from ....base.model.history import History, Sources, rows_of
from ....base.model.traces import Traces
from ..releases import features_in

OLDEST = "4.4"
"""The oldest release that was compiled."""


@dataclass(frozen=True, slots=True)
class AcpiIdleFeatures:
    """Behaviour that differs between releases. Defaults are those of the oldest modelled, 4.4.

    lpi              _LPI is read
    own_poll         the driver makes POLL; before, on x86 the core puts it in the place of the
                     first state, of _LPI's, too
    amd              MWAIT can be used on AMD's processors
    describes_c1     a C1 that the driver adds has a description
    names_intel      descriptions of states that MWAIT enters name Intel, whoever made the processor
    describes_fadt   C2 and C3 of the FADT have descriptions
    shared_cst       _CST is taken apart by code that intel_idle uses as well: its messages are
                     others, an entry's address space is looked at after its type, and a _CST that
                     fills all slots draws no message
    least_states     fewer kept entries of _CST are refused
    needs_c2         no driver where C1 is the only state
    says_skipped     a message for each entry of _CST that is left out
    says_found       how many entries were kept is said at level info
    fadt_needs_port  a FADT whose C2 and C3 both take too long is no source of states; before, C1
                     alone is registered
    sorts            latencies out of order are put in order: with sort(), a heap that moves nothing
                     into or out of an empty slot, so that the order may stay wrong, "early" as
                     sort() was before 5.2; or by insertion
    state_flags      when the flags of C-states are set: never; with the device of each processor;
                     when the driver is registered
    registers_first  the driver is registered before any processor's device, and reads the objects
                     for it; each processor's are read again for its device
    needs_driver     what a processor needs to have a device is looked at if the driver is there
    checks_once      max_cstate and _CST's control are looked at when the driver is registered
    room_prefix      "ACPI: " stands before the message that _CST has too many states
    prefix           "ACPI: " stands twice before the message of a limit
    claim_prefix     it does so before the message of refused control of _CST
    zhaoxin, zen     C3 of these processors needs no flush of caches
    centaur_caches   C3 of recent Centaur processors needs no flush of caches
    centaur          C3 of recent ones needs no bus masters stopped
    centaur_tsc      the TSC of Centaur's processors can be one that never stops
    hygon_tsc        the TSC of Hygon's processors can be one that never stops
    hygon            MWAIT can be used on Hygon's processors
    t40              the ThinkPad T40 is a limited board
    asks_arch        _LPI is looked at where the architecture knows it: not on x86
    asks_psci        there, Arm without PSCI's CPU_SUSPEND counts as not knowing it
    psci_prefix      the message of a power state that PSCI cannot mean begins with "psci: "
    validates_lpi    no driver where the architecture refuses a state of _LPI; before, the states
                     are registered
    lone_lpi         Arm accepts a processor whose _LPI comes to one state
    riscv            RISC-V has _LPI
    lpi_timer        states of _LPI whose timer stops: those with any architectural flag, or with
                     Arm's for lost core context, or with that or RISC-V's for a lost timer
    lpi_rcu          states of _LPI but the first tell RCU themselves
    checks_register  a register of _LPI that is too short makes the state unusable
    lpi_bounds       "" a level may exceed the limit of states, which overwrites memory; "inner" all
                     loops end at the limit; "leaf", too, and a processor's own state must have a
                     register of FFixedHW
    """

    lpi: bool = False
    own_poll: bool = False
    amd: bool = False
    describes_c1: bool = False
    names_intel: bool = True
    describes_fadt: bool = False
    shared_cst: bool = False
    least_states: Literal[1, 2] = 2
    needs_c2: bool = True
    says_skipped: bool = False
    says_found: bool = False
    fadt_needs_port: bool = False
    sorts: Literal["", "heap", "early heap", "insertion"] = ""
    state_flags: Literal["", "device", "driver"] = ""
    registers_first: bool = False
    needs_driver: bool = False
    checks_once: bool = False
    room_prefix: bool = False
    prefix: bool = False
    claim_prefix: bool = False
    zhaoxin: bool = False
    zen: bool = False
    centaur_caches: bool = False
    centaur: bool = False
    centaur_tsc: bool = False
    hygon_tsc: bool = False
    hygon: bool = False
    t40: bool = False
    asks_arch: bool = False
    asks_psci: bool = False
    psci_prefix: bool = True
    validates_lpi: bool = False
    lone_lpi: bool = False
    riscv: bool = False
    lpi_timer: Literal["any", "arm", "each"] = "any"
    lpi_rcu: bool = False
    checks_register: bool = False
    lpi_bounds: Literal["", "inner", "leaf"] = ""


since = rows_of(AcpiIdleFeatures)

CHANGES = (
    since("4.6", "", room_prefix=True),
    since("4.8", "", lpi=True, prefix=True),
    since("4.13", "", amd=True),
    since("4.14", "", own_poll=True),
    since("4.16", "", centaur_tsc=True, describes_c1=True),
    since("4.20", "", names_intel=False, hygon_tsc=True),
    since("5.1 rhel-4.18.0-193", "", describes_fadt=True),
    since("5.2", "", centaur_caches=True),
    since("5.3", "", zhaoxin=True),
    since("5.4 rhel-4.18.0-372.9.1", "", psci_prefix=False),
    since("5.6 rhel-4.18.0-240", "", shared_cst=True, says_found=True),
    since("5.8 rhel-4.18.0-305", "", least_states=1, needs_c2=False),
    since("5.9 rhel-4.18.0-305", "", state_flags="device"),
    since("5.10 rhel-4.18.0-305", "", says_skipped=True),
    since("5.13 rhel-4.18.0-372.9.1", "", prefix=False),
    since("5.14 5.10.50 5.4.132", "65ea8f2c6e23", sorts="heap"),
    since("rhel-4.18.0-372.9.1", "65ea8f2c6e23", sorts="early heap"),
    since("5.14", "", hygon=True),
    since(
        "5.16 5.15.91 5.10.166 rhel-4.18.0-372.9.1 rhel-5.14.0-70.13.1 ubuntu-5.15.0-25",
        "a8fb40966f19",
        zen=True,
    ),
    since("5.17 5.16.11 5.15.35 rhel-4.18.0-425.3.1", "bfe55a1f7fd6", t40=True),
    since("5.18 5.17.6 5.15.38", "20e582e16af2", t40=False),
    since(
        "5.18 5.17.4 5.15.35 5.10.112 5.4.189 rhel-4.18.0-425.3.1 rhel-5.14.0-162.6.1",
        "eb087f305919",
        asks_arch=True,
    ),
    since("rhel-4.18.0-425.3.1", "eb087f305919", asks_psci=True),
    since("6.2 rhel-5.14.0-503.11.1", "", centaur=True),
    since("6.3 rhel-5.14.0-362.8.1", "", lpi_rcu=True),
    since("6.6 rhel-5.14.0-503.11.1", "", claim_prefix=True),
    since("6.6 rhel-5.14.0-503.11.1", "", lpi_timer="arm"),
    since("6.11", "", riscv=True),
    since(
        "6.10 6.9.10 6.6.41 6.1.100 5.15.164 5.10.223 5.4.281 rhel-5.14.0-570.12.1 ubuntu-6.8.0-48",
        "233323f9b9f8",
        sorts="insertion",
    ),
    since("6.12", "", says_found=False),
    since(
        "6.15 6.14.2 6.12.23 6.6.87 6.1.134 5.15.180 5.10.236 ubuntu-6.8.0-86",
        "9e9b893404d4",
        fadt_needs_port=True,
    ),
    since("6.19", "", state_flags="driver"),
    since("7.0 6.12.110", "", registers_first=True),
    since("7.0", "", needs_driver=True, validates_lpi=True),
    since("7.1", "", lpi_bounds="inner", lone_lpi=True),
    since("7.2 7.1.5", "", checks_once=True),
    since("7.2 6.12.110 6.1.188", "d5c13047a132", checks_register=True),
    since("7.3 6.12.117", "", lpi_timer="each"),
    since("7.3", "291c2047e7", lpi_bounds="leaf"),
)
"""A release without commit, and a point release, is the first that was read with the change; it may
be in earlier ones."""

HISTORY = History(AcpiIdleFeatures(), CHANGES)
features = features_in(HISTORY)
SOURCES = Sources(
    compiled="4.4 4.4.155 4.6.2 4.8.15 4.9 4.10.17 4.11 4.12 4.12.4 4.13.9 4.14.177 4.15 4.16.13 "
    "4.18.20 4.20 5.0.1 5.1.15 5.2.1 5.4.18 5.4.117..5.4.301 5.5-rc5 5.6.4 5.8.1 5.9.1 5.9.2 "
    "5.10.35..5.10.265 5.11 5.12.9 5.14-rc5 5.14.2 5.15..5.15.215 5.17-rc5 5.19 6.1..6.1.166 "
    "6.1.192 6.2.1 6.3.8 6.4.6 6.6..6.6.150 6.7.3 6.8 6.11.11 6.12 6.12.10..6.12.15 6.12.33 "
    "6.12.94 6.12.117 6.13.2 6.13.7 6.14 6.17 6.18..6.18.35 6.18.44 6.19 7.0 7.1.3 7.1.5 "
    "7.2.13 7.3.4 rhel-4.18.. rhel-5.14.. rhel-6.12.. ubuntu-5.4.0-77.. ubuntu-5.15.0-47.. "
    "ubuntu-6.8.0-32 ubuntu-6.8.0-49 ubuntu-6.8.0-90 ubuntu-6.11..",
    read="ubuntu-6.8..",
)
"""The sources of Arm and RISC-V, from 5.4 (RHEL: 4.18) and 6.11 on, without 6.12.117 and 7.2.13."""

_CST, _FADT, _VERIFY = (
    "idle: acpi_processor_get_power_info_cst()",
    "idle: acpi_processor_get_power_info_fadt()",
    "idle: acpi_processor_power_verify()",
)
_SHARED = "proc: acpi_processor_evaluate_cst()"
_LPI = "idle: acpi_processor_setup_lpi_states()"
TRACES = Traces(
    {
        "idle": "drivers/acpi/processor_idle.c",
        "proc": "drivers/acpi/acpi_processor.c",
        "cst": "arch/x86/kernel/acpi/cstate.c",
        "arm": "drivers/acpi/arm64/cpuidle.c arch/arm64/kernel/cpuidle.c",
        "psci": "drivers/firmware/psci/psci.c drivers/firmware/psci.c",
        "riscv": "drivers/acpi/riscv/cpuidle.c",
        "sort": "lib/sort.c",
        "flags": "arch/riscv/include/asm/acpi.h",
    },
    {
        "lpi": "idle: acpi_processor_get_lpi_info",
        "own_poll": "idle: cpuidle_poll_state_init",
        "amd": "cst: X86_VENDOR_AMD",
        "describes_c1": 'idle: acpi_processor_get_power_info_default() "..ACPI HLT.."',
        "names_intel": 'cst: "..INTEL MWAIT.."',
        "describes_fadt": f'{_FADT} "..P_LVL2 IOPORT.."',
        "shared_cst": ("proc: acpi_processor_evaluate_cst", _SHARED),
        "least_states": {
            2: [f"{_CST} current_count < 2", f"{_CST} power . count < 2"],
            1: _CST,
        },
        "needs_c2": "idle: acpi_processor_get_cstate_info() type >= ACPI_STATE_C2",
        "says_skipped": ("proc: acpi_processor_evaluate_cst", f'{_SHARED} "..skip.."'),
        "says_found": (
            "proc: acpi_processor_evaluate_cst",
            f'{_SHARED} acpi_handle_info ( @@ "..Found.."',
        ),
        "fadt_needs_port": f"{_FADT} if ( ! pr -> power . states [ ACPI_STATE_C2 ] . address &&",
        "sorts": {
            "insertion": f"{_VERIFY} acpi_cst_latency_sort",
            "early heap": (f"{_VERIFY} sort (", "sort: !swap_words_32"),
            "heap": f"{_VERIFY} sort (",
            "": _VERIFY,
        },
        "state_flags": {
            "driver": "idle: acpi_processor_setup_cstates() CPUIDLE_FLAG_TLB_FLUSHED",
            "device": "idle: acpi_processor_setup_cpuidle_cx() CPUIDLE_FLAG_TLB_FLUSHED",
            "": "idle: acpi_processor_setup_cpuidle_cx()",
        },
        "registers_first": "idle: acpi_processor_register_idle_driver",
        "needs_driver": "idle: acpi_processor_power_init() cpuidle_get_driver ( ) !=",
        "checks_once": (
            "idle: acpi_processor_register_idle_driver",
            "idle: acpi_processor_register_idle_driver() acpi_processor_update_max_cstate",
        ),
        "room_prefix": 'idle: pr_fmt ( fmt ) "ACPI: "',
        "prefix": 'idle: pr_notice ( "..ACPI:.."',
        "claim_prefix": (
            'proc: pr_fmt ( fmt ) "ACPI: "',
            'proc: acpi_processor_claim_cst_control() "..ACPI:.."',
        ),
        "zhaoxin": "cst: X86_VENDOR_ZHAOXIN",
        "zen": ["cst: X86_FEATURE_ZEN", "cst: x86 >= 0x17"],
        "centaur_caches": "cst: x86_stepping >= 0x0e",
        "centaur_tsc": "idle: X86_VENDOR_CENTAUR",
        "hygon_tsc": "idle: X86_VENDOR_HYGON",
        "centaur": "cst: x86_stepping >= 0x0e ) ) { flags",
        "hygon": "cst: X86_VENDOR_HYGON",
        "t40": 'idle: "..ThinkPad T40.."',
        "asks_arch": "idle: acpi_processor_get_lpi_info() == - EOPNOTSUPP",
        "asks_psci": (
            "idle: acpi_processor_get_lpi_info() == - EOPNOTSUPP",
            "arm: psci_acpi_cpu_init_idle() return - EOPNOTSUPP ; if ( unlikely",
        ),
        "psci_prefix": "psci: psci_acpi_cpu_init_idle",
        "validates_lpi": "idle: acpi_processor_get_power_info() acpi_processor_ffh_lpi_probe",
        "lone_lpi": {
            False: ["arm: count <= 0", "psci: count <= 0", "arm: !psci_acpi_cpu_init_idle"],
            True: "arm: psci_acpi_cpu_init_idle()",
        },
        "riscv": (_VERIFY, "riscv?"),
        "lpi_timer": {
            "each": (f"{_LPI} arch_get_idle_state_flags", "flags: arch_get_idle_state_flags"),
            "arm": f"{_LPI} arch_get_idle_state_flags",
            "any": _LPI,
        },
        "lpi_rcu": f"{_LPI} CPUIDLE_FLAG_RCU_IDLE",
        "checks_register": ["idle: buffer . length < sizeof", "proc: buffer . length < sizeof"],
        "lpi_bounds": {
            "leaf": "proc: acpi_processor_extract_lpi_info() too_many_states",
            "inner": [
                "proc: too_many_states",
                "idle: too_many_states",
                "idle: flatten_lpi_states() ACPI_PROCESSOR_MAX_POWER ) break",
            ],
            "": "idle: flatten_lpi_states()",
        },
    },
)
