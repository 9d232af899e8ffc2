"""Trees that pages begin their examples from: of OPAL, else of Arm; ACPI's tables, a dump."""

POWER_MGT = """\
/ {
    ibm,opal {
        power-mgt {
        };
    };
};
"""
_LISTED = """\
/ {
    cpus {
        cpu@0 {
            compatible = "arm,cortex-a53";
            device_type = "cpu";
            enable-method = "psci";
            cpu-idle-states = <%s>;
        };
    };
%s};
"""
_STATE = """\
    {0}: {0} {{
        compatible = "arm,idle-state";
        arm,psci-suspend-param = <{1:#x}>;
        entry-latency-us = <300>;
        exit-latency-us = <600>;
        min-residency-us = <{2}>;
    }};
"""
_SLEEP, _DEEP = _STATE.format("sleep", 0x10000, 2000), _STATE.format("deep", 0x10001, 3000)
ONE_STATE = _LISTED % ("&sleep", _SLEEP)
TWO_STATES = _LISTED % ("&sleep &deep", _SLEEP + _DEEP)
CLUSTER = """\
/ {
    cpus {
        cpu@0 {
            compatible = "arm,cortex-a53";
            device_type = "cpu";
            enable-method = "psci";
            power-domains = <&one>;
            power-domain-names = "psci";
        };
        cpu@1 {
            compatible = "arm,cortex-a53";
            device_type = "cpu";
            enable-method = "psci";
            power-domains = <&two>;
            power-domain-names = "psci";
        };
    };
    psci {
        compatible = "arm,psci-1.0";
        method = "smc";
        one: power-domain-one {
            #power-domain-cells = <0>;
            power-domains = <&cluster>;
            domain-idle-states = <&sleep>;
        };
        two: power-domain-two {
            #power-domain-cells = <0>;
            power-domains = <&cluster>;
            domain-idle-states = <&sleep>;
        };
        cluster: power-domain-cluster {
            #power-domain-cells = <0>;
            domain-idle-states = <&off>;
        };
    };
    sleep: sleep {
        compatible = "arm,idle-state";
        arm,psci-suspend-param = <0x40000003>;
        entry-latency-us = <300>;
        exit-latency-us = <600>;
        min-residency-us = <2000>;
        local-timer-stop;
    };
    off: off {
        compatible = "domain-idle-state";
        arm,psci-suspend-param = <0x41000033>;
        entry-latency-us = <500>;
        exit-latency-us = <700>;
        min-residency-us = <4000>;
    };
};
"""
"""Two CPUs, each with a power domain of its own, in the domain of a cluster."""
TEN_STATES = _LISTED % (
    " ".join(f"&s{number}" for number in range(10)),
    "".join(_STATE.format(f"s{n}", 0x10000 + n, 2000 + 1000 * n) for n in range(10)),
)
"""One more than Linux takes."""
_CST = """\
    Device (\\_SB.CPU%d) {
        Name (_HID, "ACPI0007")
        Name (_UID, %d)
        Name (_CST, Package () {
            2,
            Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x00, 3)}, 1, 1, 1000},
            Package () {ResourceTemplate () {Register (FFixedHW, 1, 2, 0x10, 3)}, 2, 40, 500}
        })
    }
"""
_DSDT = 'DefinitionBlock ("", "DSDT", 2, "OWN", "IDLE", 1) {\n%s}\n'
ONE_CST = _DSDT % _CST % (0, 0)
TWO_CST = _DSDT % (_CST % (0, 0) + _CST % (1, 1))
DUMP = """\
cpu0/cpuidle/state0/name:POLL
cpu0/cpuidle/state0/latency:0
cpu0/cpuidle/state0/residency:0
cpu0/cpuidle/state0/usage:5000
cpu0/cpuidle/state1/name:C6
cpu0/cpuidle/state1/latency:133
cpu0/cpuidle/state1/residency:600
cpu0/cpuidle/state1/usage:700
"""
