"""dtschema's programs, and power-mgt nodes with one fault each and what the engine is to say."""

import os
from collections.abc import Mapping

import pytest

from idle_states.base.dataclass import replace
from idle_states.base.model import power_mgt as dt
from idle_states.base.model.findings import Location, Unreadable
from idle_states.base.model.power_mgt import NODE, PowerMgt, decode, u32_array, u64_array
from idle_states.base.model.table import ReadFrom
from idle_states.tables.check.dtschema_program import Validator
from idle_states.tables.sources import Source


def program(name: str) -> str:
    """Returns the path of one of dtschema's programs, found as the engine finds it; skips without
    it."""
    try:
        directory = os.path.dirname(Validator.installed().validate)
    except Unreadable:
        pytest.skip("dt-validate is not installed (the extra dtschema)")
    return os.path.join(directory, name)


Properties = dict[str, bytes]

P9: Properties = {
    dt.STOP_LEVELS: u32_array([0xC000_0000]),
    dt.NAMES: b"stop0_lite\0stop0\0stop1\0",
    dt.LATENCIES: u32_array([1000, 2000, 5000]),
    dt.RESIDENCIES: u32_array([10_000, 20_000, 50_000]),
    dt.FLAGS: u32_array([0x100000, 0x101000, 0x101000]),
    dt.PSSCR: u64_array([0x330, 0x300330, 0x300331]),
    dt.PSSCR_MASK: u64_array([0x3003FF] * 3),
}
P8: Properties = {
    dt.NAMES: b"nap\0fastsleep_\0",
    dt.LATENCIES: u32_array([4000, 40_000]),
    dt.RESIDENCIES: u32_array([100_000, 300_000_000]),
    dt.FLAGS: u32_array([0x11000, 0x81003]),
    dt.PMICR: u64_array([0, 0x20_0000_0000]),
    dt.PMICR_MASK: u64_array([0, 0x30_0000_0000]),
}


def without(base: Properties, *names: str) -> Properties:
    return {name: data for name, data in base.items() if name not in names}


def flags(*words: int) -> Properties:
    return {**P9, dt.FLAGS: u32_array([*words, 0x101000, 0x101000][:3])}


def psscr(*values: int) -> Properties:
    return {**P9, dt.PSSCR: u64_array([*values, 0x300330, 0x300331][:3])}


def names(*found: bytes) -> Properties:
    return {**P9, dt.NAMES: b"".join(name + b"\0" for name in found)}


def many(count: int) -> Properties:
    return {
        dt.STOP_LEVELS: b"\xff" * 4,
        dt.NAMES: b"".join(b"stop%d\0" % number for number in range(count)),
        dt.LATENCIES: u32_array(range(1000, 1000 * count + 1, 1000)),
        dt.RESIDENCIES: u32_array(range(10_000, 10_000 * count + 1, 10_000)),
        dt.FLAGS: u32_array([0x101000] * count),
        dt.PSSCR: u64_array(0x300300 | n >> 4 << 16 | n & 15 for n in range(count)),
        dt.PSSCR_MASK: u64_array([0x3003FF] * count),
    }


STATES = [name for name in P9 if name != dt.STOP_LEVELS]
EMPTY = dict.fromkeys(STATES, b"")

Fault = tuple[Properties, list[tuple[str, str, int | None]]]

FAULTS: dict[str, Fault] = {
    # what is wrong: the node; (rule, property, entry) of each finding
    "short-latencies": ({**P9, dt.LATENCIES: u32_array([1000, 2000])},
                        [("IS101", dt.LATENCIES, None)]),
    "short-residency": ({**P9, dt.RESIDENCIES: u32_array([10_000])},
                        [("IS101", dt.RESIDENCIES, None)]),
    "short-psscr": ({**P9, dt.PSSCR: u64_array([0x330])}, [("IS101", dt.PSSCR, None)]),
    "short-pmicr": ({**P8, dt.PMICR: u64_array([0])}, [("IS101", dt.PMICR, None)]),
    "short-names": (names(b"stop0_lite", b"stop0"), [("IS107", dt.NAMES, None)]),
    "long-residency": ({**P9, dt.RESIDENCIES: u32_array([10_000, 20_000, 50_000, 60_000])},
                       [("IS115", dt.RESIDENCIES, 3)]),
    "long-names": (names(b"stop0_lite", b"stop0", b"stop1", b"stop2"), [("IS115", dt.NAMES, 3)]),
    "short-flags": ({**P9, dt.FLAGS: u32_array([0x100000, 0x101000])},
                    [("IS115", name, 2) for name in STATES if name != dt.FLAGS]),
    "no-names": (without(P9, dt.NAMES), [("IS102", dt.NAMES, None)]),
    "no-flags": (without(P9, dt.FLAGS), [("IS102", dt.FLAGS, None)]),
    "no-latencies": (without(P9, dt.LATENCIES), [("IS102", dt.LATENCIES, None)]),
    "no-residency": (without(P9, dt.RESIDENCIES), [("IS102", dt.RESIDENCIES, None)]),
    "no-psscr": (without(P9, dt.PSSCR), [("IS102", dt.PSSCR, None)]),
    "no-mask": (without(P9, dt.PSSCR_MASK), [("IS102", dt.PSSCR_MASK, None)]),
    "no-pmicr-mask": (without(P8, dt.PMICR_MASK), [("IS102", dt.PMICR_MASK, None)]),
    "no-psscr-nor-mask": (without(P9, dt.PSSCR, dt.PSSCR_MASK),
                          [("IS102", dt.PSSCR, None), ("IS102", dt.PSSCR_MASK, None)]),
    "ragged-flags": ({**P9, dt.FLAGS: P9[dt.FLAGS][:11]}, [("IS103", dt.FLAGS, None)]),
    "ragged-latencies": ({**P9, dt.LATENCIES: P9[dt.LATENCIES] + b"\0\0"},
                         [("IS103", dt.LATENCIES, None)]),
    "ragged-psscr": ({**P9, dt.PSSCR: P9[dt.PSSCR] + bytes(4)}, [("IS103", dt.PSSCR, None)]),
    "half-a-latency": ({**many(1), dt.LATENCIES: b"\x0f\xa0"},
                       [("IS103", dt.LATENCIES, None)]),
    "half-a-psscr": ({**many(1), dt.PSSCR: u32_array([0x330])}, [("IS103", dt.PSSCR, None)]),
    "two-level-words": ({**P9, dt.STOP_LEVELS: bytes(8)}, [("IS103", dt.STOP_LEVELS, None)]),
    "empty-levels": ({**P9, dt.STOP_LEVELS: b""}, [("IS103", dt.STOP_LEVELS, None)]),
    "all-empty": ({**P9, **EMPTY}, [("IS104", dt.FLAGS, None)]),
    "empty-flags": ({**P9, dt.FLAGS: b""}, [("IS104", dt.FLAGS, None)]),
    "empty-residency": ({**P9, dt.RESIDENCIES: b""}, [("IS101", dt.RESIDENCIES, None)]),
    "empty-names": ({**P9, dt.NAMES: b""}, [("IS107", dt.NAMES, None)]),
    "seventeen": (many(17), [("IS105", dt.FLAGS, None), ("IS324", dt.PSSCR, 16)]),
    "seventeen-names": (names(*(b"s%d" % number for number in range(17))),
                        [("IS115", dt.NAMES, 3)]),
    "long-name": (names(b"stop0_lite", b"stop0", b"stop1_0123456789"), [("IS108", dt.NAMES, 2)]),
    "empty-name": (names(b"stop0_lite", b"", b"stop1"), [("IS112", dt.NAMES, 1)]),
    "tab-in-name": (names(b"stop0\tlite", b"stop0", b"stop1"), [("IS112", dt.NAMES, 0)]),
    "name-twice": (names(b"stop0", b"stop1", b"stop1"), [("IS111", dt.NAMES, 2)]),
    "latin-1-name": (names(b"stop0_lite", b"stop0", b"stop\xb9"), [("IS112", dt.NAMES, 2)]),
    "utf-8-name": (names("stop0µ".encode(), b"stop0", b"stop1"), [("IS112", dt.NAMES, 0)]),
    "unterminated": ({**P9, dt.NAMES: P9[dt.NAMES][:-1]}, [("IS116", dt.NAMES, None)]),
    "both-registers": ({**P9, dt.PMICR: bytes(24), dt.PMICR_MASK: bytes(24)},
                       [("IS113", dt.PMICR, None), ("IS113", dt.PMICR_MASK, None)]),
    "latency-0": ({**P9, dt.LATENCIES: u32_array([0, 2000, 5000])}, [("IS215", dt.LATENCIES, 0)]),
    "residency-0": ({**P9, dt.RESIDENCIES: u32_array([0, 20_000, 50_000])},
                    [("IS215", dt.RESIDENCIES, 0)]),
    "residency-wraps": ({**P9, dt.RESIDENCIES: u32_array([10_000, 20_000, 4294966297])},
                        [("IS216", dt.RESIDENCIES, 2)]),
    "undefined-flag": (flags(0x100004), [("IS310", dt.FLAGS, 0)]),
    "undefined-high-flag": (flags(0x1100000), [("IS310", dt.FLAGS, 0)]),
    "flags-reversed": (flags(0x1000, 0x00101000), [("IS311", dt.FLAGS, 0)]),
    "fast-and-deep": (flags(0x307000), [("IS315", dt.FLAGS, 0)]),
    "stop-and-nap": (flags(0x111000), [("IS315", dt.FLAGS, 0)]),
    "stop-by-pmicr": (flags(0x900000), [("IS315", dt.FLAGS, 0)]),
    "no-class": (flags(0x100000, 0x3000), [("IS314", dt.FLAGS, 1)]),
    "nap-on-power9": (flags(0x11000), [("IS314", dt.FLAGS, 0)]),
    "stop-on-power8": ({**P8, dt.FLAGS: u32_array([0x101000, 0x81003])}, [("IS314", dt.FLAGS, 0)]),
    "timebase-alone": (flags(0x100002), [("IS313", dt.FLAGS, 0)]),
    "user-context-kept": (flags(0x206000), [("IS328", dt.FLAGS, 0)]),
    "nap-loses-nothing": ({**P8, dt.FLAGS: u32_array([0x12000, 0x81003])},
                          [("IS328", dt.FLAGS, 0)]),
    "esl-without-ec": (psscr(0x330, 0x200330), [("IS301", dt.PSSCR, 1)]),
    "psscr-twice": (psscr(0x330, 0x300331, 0x300331), [("IS323", dt.PSSCR, 2)]),
    "reserved-psscr-bit": (psscr(0x730), [("IS324", dt.PSSCR, 0)]),
    "high-psscr-bit": (psscr(0xF000_0000_0000_0330), [("IS324", dt.PSSCR, 0)]),
    "psll-7": (psscr(0x330, 0x370330), [("IS324", dt.PSSCR, 1)]),
    "mask-without-tr": ({**P9, dt.PSSCR_MASK: u64_array([0x3003FF, 0x3000FF, 0x3003FF])},
                        [("IS308", dt.PSSCR_MASK, 1)]),
    "mask-of-everything": ({**P9, dt.PSSCR_MASK: u64_array([0x3003FF, 2**64 - 1, 0x3003FF])},
                           [("IS324", dt.PSSCR_MASK, 1)]),
    "pmicr-mask": ({**P8, dt.PMICR_MASK: u64_array([0, 0x20_0000_0000])},
                   [("IS326", dt.PMICR_MASK, 1)]),
    "odd-pmicr": ({**P8, dt.PMICR: u64_array([1, 0x20_0000_0000])}, [("IS326", dt.PMICR, 0)]),
    "no-level-enabled": ({**P9, dt.STOP_LEVELS: bytes(4)}, [("IS331", dt.STOP_LEVELS, None)]),
}  # fmt: skip

BEYOND: dict[str, Fault] = {
    # what the binding asks and no native rule does
    "blank-in-name": (names(b"stop0 lite", b"stop0", b"stop1"), [("IS112", dt.NAMES, 0)]),
    "latency-wraps": ({**P9, dt.LATENCIES: u32_array([1000, 2000, 4294966297])},
                      [("IS216", dt.LATENCIES, 2)]),
    "both-sleeps": ({**P8, dt.FLAGS: u32_array([0x11000, 0xA3003])}, [("IS118", dt.FLAGS, 1)]),
    "sleep-keeps-the-decrementer": ({**P8, dt.FLAGS: u32_array([0x11000, 0x81000])},
                                    [("IS118", dt.FLAGS, 1)]),
    "nap-stops-the-decrementer": ({**P8, dt.FLAGS: u32_array([0x11003, 0x81003])},
                                  [("IS118", dt.FLAGS, 0)]),
    "unknown-property": ({**P9, "ibm,foo": bytes(4)}, [("IS117", "ibm,foo", None)]),
    "unknown-properties": ({**P9, "ibm,foo": bytes(4), "bar": b""},
                           [("IS117", "ibm,foo", None), ("IS117", "bar", None)]),
    "unknown-array": ({**P9, "ibm,cpu-idle-state-cost": bytes(4)},
                      [("IS117", "ibm,cpu-idle-state-cost", None)]),
    "pstates-alone": ({**P9, "ibm,pstate-ids": bytes(8), "ibm,pstate-min": bytes(4),
                       "ibm,pstate-nominal": bytes(4), "ibm,pstate-max": bytes(4)},
                      [("IS118", "", None)]),
    "odd-pstates": ({**P9, "ibm,pstate-min": bytes(3)}, [("IS118", "ibm,pstate-min", None),
                                                        ("IS118", "", None)]),
    "domain-runs-at": ({**P9, "domain-runs-at": u32_array([2])},
                       [("IS118", "domain-runs-at", None)]),
}  # fmt: skip


def source(properties: Mapping[str, bytes], name: str = NODE) -> Source:
    """Returns a Source of a node with these properties, as if it had been read from a blob."""
    node = PowerMgt(properties, Location(NODE, f"{name}.dtb"))
    table = replace(decode(node, None, ReadFrom("dtb")), name=name)
    return Source(name, f"{name}.dtb", "", table, node=node)
