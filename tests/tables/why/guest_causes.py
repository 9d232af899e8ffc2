"""Guests of QEMU, and the causes that are planted in them for `why`."""

from tests.support.why_guests import TIED, Guest, Planted

LATE = "maxcpus=1"
"""The second CPU comes online when the cause is planted, and has been idle for no time before."""
GUESTS = {
    "q35": Guest("q35", "io"),
    "q35-late": Guest("q35", "io", LATE),
    "q35-max-cstate": Guest("q35", "io", "processor.max_cstate=1"),
    "q35-max-cstate-2": Guest("q35", "io", "processor.max_cstate=2"),
    "q35-nocst": Guest("q35", "io", "processor.nocst=1"),
    "q35-poll": Guest("q35", "io", "idle=poll"),
    "q35-halt": Guest("q35", "io", "idle=halt"),
    "q35-off": Guest("q35", "io", "cpuidle.off=1"),
    "q35-no-intel": Guest("q35", "io", "intel_idle.max_cstate=0", suite="trixie"),
    "q35-tied": Guest("q35", "tied"),
    "q35-slow": Guest("q35", "slow"),
    "q35-one": Guest("q35", "one"),
    "q35-second": Guest("q35", "second-none"),
    "powernv9": Guest("powernv9", ""),
    "powernv9-levels": Guest("powernv9", "", levels=0x80000000),
    "powernv9-tied": Guest("powernv9", TIED),
    "powernv9-dd1": Guest("powernv9", "power9-dd1"),
    "powernv9-off": Guest("powernv9", "", "powersave=off"),
    "powernv9-late": Guest("powernv9", "", LATE),
    "powernv9-ladder": Guest("powernv9", "", "cpuidle.governor=ladder"),
    "arm64": Guest("virt-arm64", "retention"),
    "arm64-late": Guest("virt-arm64", "retention", LATE),
    "arm64-late-too": Guest("virt-arm64", "retention", LATE),
    "arm64-late-held": Guest("virt-arm64", "retention", LATE),
    "arm64-refused": Guest("virt-arm64", "power-down"),
    "arm64-disabled": Guest("virt-arm64", "disabled-last"),
    "arm64-twelve": Guest("virt-arm64", "twelve"),
    "arm64-lists": Guest("virt-arm64", "two-lists"),
    "arm64-tie": Guest("virt-arm64", "tie"),
    "arm64-domains": Guest("virt-arm64", "domains"),
    "arm64-nohlt": Guest("virt-arm64", "retention", "nohlt"),
    "riscv64-domain": Guest("virt-riscv64", "disabled-domain-state"),
    "riscv64-refused": Guest("virt-riscv64", "vendor"),
}
OFF = "each cpuidle/state{}/disable 1".format
ONLINE = "echo 1 > $cpus/cpu1/online"
SPINS = f"{ONLINE}; on 1 'while :; do :; done'"
LIMIT = "echo {} > $cpus/cpu1/power/pm_qos_resume_latency_us".format
ALL, SECOND, NONE = (0, 1), (1,), ()
PLANTED = {
    # cause: the guest, what plants it, the state asked for, the CPUs it is said of, the reasons,
    # and words of the first
    "q35-disabled": Planted("q35", OFF(3), "C3", ALL, ["switched-off"], "while the machine ran"),
    "q35-disabled-on-one": Planted(
        "q35", "echo 1 > $cpus/cpu1/cpuidle/state2/disable", "C2", SECOND, ["switched-off"]
    ),
    "q35-cpu-limit": Planted("q35", LIMIT(50), "C3", SECOND, ["cpu-limit"], "accept 50 us"),
    "q35-cpu-limit-0": Planted("q35", LIMIT("n/a"), "C2", SECOND, ["cpu-limit"], "accept 0 us"),
    "q35-held": Planted("q35", "holds 0x00000014", "C3", ALL, ["system-limit"], "held by sleep("),
    "q35-both": Planted(
        "q35", f"{OFF(3)}; holds 0x00000014", "C3", ALL, ["switched-off", "system-limit"], "it was"
    ),
    "q35-offline": Planted("q35", "echo 0 > $cpus/cpu1/online", "C3", SECOND, ["offline"], "CPU 0"),
    "q35-never-online": Planted("q35-late", "", "C3", SECOND, ["offline"], "online is CPU 0"),
    "q35-busy": Planted("q35-late", SPINS, "C3", SECOND, ["idle-elsewhere"], "CPU 0 for", 12),
    "q35-port": Planted("q35-slow", "", "C2", ALL, ["left-at-once"], "takes 2,000", 3),
    "q35-max-cstate": Planted("q35-max-cstate", "", "C2", NONE, ["max-cstate"], "max_cstate"),
    "q35-max-cstate-2": Planted("q35-max-cstate-2", "", "C3", NONE, ["max-cstate"], "cstate"),
    "q35-nocst": Planted("q35-nocst", "", "C2", NONE, ["cpuidle-off"], "processor.nocst"),
    "q35-idle-poll": Planted("q35-poll", "", "C2", NONE, ["cpuidle-off"], "idle=poll keeps"),
    "q35-idle-halt": Planted("q35-halt", "", "C2", NONE, ["cpuidle-off"], "idle=halt keeps"),
    "q35-cpuidle-off": Planted("q35-off", "", "C1", NONE, ["cpuidle-off"], "cpuidle.off"),
    "q35-no-intel": Planted("q35-no-intel", "", "C6", NONE, ["max-cstate"], "is off", acpi=True),
    "q35-same-times": Planted("q35-tied", "", "C2", ALL, ["never-selected"], "menu of Linux"),
    "q35-not-offered": Planted(
        "q35-one", "", "C3", NONE, ["lost-on-the-way"], "does not offer it", acpi=True
    ),
    "q35-one-without": Planted("q35-second", "", "C3", SECOND, ["other-states"], "no state"),
    "powernv9-disabled": Planted("powernv9", OFF(3), "stop1", ALL, ["switched-off"], "ran"),
    "powernv9-held": Planted("powernv9", "holds 0x00000003", "stop1", ALL, ["system-limit"], "3"),
    "powernv9-cpu-limit": Planted("powernv9", LIMIT(3), "stop1", SECOND, ["cpu-limit"], "3 us"),
    "powernv9-no-level-2": Planted("powernv9", "", "stop2", NONE, ["lost-on-the-way"], "stop1"),
    "powernv9-level-0": Planted("powernv9-levels", "", "stop1", NONE, ["lost-on-the-way"], "stop0"),
    "powernv9-same-times": Planted(
        "powernv9-tied", "", "stop0", ALL, ["never-selected"], "menu of Linux"
    ),
    "powernv9-too-slow": Planted(
        "powernv9-dd1", "", "stop1", NONE, ["lost-on-the-way"], "above the driver's limit"
    ),
    "powernv9-powersave": Planted("powernv9-off", "", "stop1", NONE, ["cpuidle-off"], "powersave"),
    "powernv9-busy": Planted("powernv9-late", SPINS, "stop1", SECOND, ["idle-elsewhere"], "", 12),
    "powernv9-ladder": Planted("powernv9-ladder", OFF(3), "stop1", ALL, ["switched-off"], "ran"),
    "arm64-disabled": Planted("arm64", OFF(2), "cpu-sleep-1", ALL, ["switched-off"], "ran"),
    "arm64-held": Planted("arm64", "holds 0x00000064", "cpu-sleep-1", ALL, ["system-limit"], "100"),
    "arm64-woken": Planted(
        "arm64-late", f"{ONLINE}; wakes 1", "cpu-sleep-2", SECOND, ["idle-lengths"], "short", 15
    ),
    "arm64-busy": Planted(
        "arm64-late-too", SPINS, "cpu-sleep-2", SECOND, ["idle-elsewhere"], "CPU 0 for", 12
    ),
    "arm64-held-unseen": Planted(
        "arm64-late-held", f"holds 0x00000064; who=nobody; sleep 1; {ONLINE}", "cpu-sleep-2", ALL,
        ["unknown"], "not known", 20,
    ),
    "arm64-refused": Planted("arm64-refused", "", "cpu-off", ALL, ["refused"], "refused"),
    "arm64-disabled-node": Planted(
        "arm64-disabled", "", "cpu-off", NONE, ["lost-on-the-way"], "its status is not okay"
    ),
    "arm64-no-room": Planted(
        "arm64-twelve", "", "cpu-sleep-10", NONE, ["lost-on-the-way"], "room for 10 states"
    ),
    "arm64-other-list": Planted(
        "arm64-lists", "", "cpu-sleep-1", SECOND, ["other-states"], "cpu-sleep-0, cpu-sleep-2"
    ),
    "arm64-deeper": Planted("arm64-tie", "", "cpu-sleep-1", ALL, ["same-residency"], "cpu-tied"),
    "arm64-domain": Planted(
        "arm64-domains", "", "cluster-sleep", NONE, ["domain-state"], "power domain cluster-pd"
    ),
    "arm64-nohlt": Planted("arm64-nohlt", "", "cpu-sleep-0", ALL, ["polls-always"], "nohlt lets"),
    "riscv64-domain-off": Planted(
        "riscv64-domain", "", "cluster-deep", NONE, ["lost-on-the-way"], "its status is not okay"
    ),
    "riscv64-domain": Planted(
        "riscv64-domain", "", "cluster-shallow", NONE, ["domain-state"], "power domain cluster-pd"
    ),
    "riscv64-refused": Planted("riscv64-refused", "", "cpu-vendor", ALL, ["refused"], "refused"),
}  # fmt: skip
