"""A SoC's sources with idle states, and two boards of it, to make patches for."""

FOLDER = "arch/arm64/boot/dts/maker"
SOC = """\
#include <dt-bindings/psci.h>
/ {
	cpus {
		#address-cells = <1>;
		#size-cells = <0>;

		cpu0: cpu@0 {
			device_type = "cpu";
			compatible = "arm,cortex-a53";
			reg = <0>;
			cpu-idle-states = <&CPU_SLEEP &CPU_SLEEP &CLUSTER_SLEEP>;
		};

		cpu1: cpu@1 {
			device_type = "cpu";
			compatible = "arm,cortex-a53";
			reg = <1>;
			enable-method = "psci";
			cpu-idle-states = <&CPU_SLEEP>;
		};

		idle-states {
			CPU_SLEEP: cpu-sleep {
				compatible = "arm,idle-state";
				/* from the maker's manual */
				entry-latency-us = <(100)>;
				exit-latency-us = <200>;
				min-residency-us = <2000>;
				arm,psci-suspend-param = <CPU_OFF>;
			};

			CLUSTER_SLEEP: cluster-sleep {
				compatible = "arm,idle-state";
				entry-latency-us = <500>;
				exit-latency-us = <600>;
				min-residency-us = <5000>;
				arm,psci-suspend-param = <0x01010000>;
			};
		};
	};

	used: device {
		first = <&CLUSTER_SLEEP>;
		second = <&cpu0 &used>;
	};
};
"""
BOARD = '/dts-v1/;\n#include "soc.dtsi"\n/ { model = "%s"; compatible = "a,b"; };\n'
PSCI = "#define CPU_OFF 0x10000\n"
