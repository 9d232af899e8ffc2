"""Structs that Python hands to the core: rows of names, in C's order.

Python packs them by name. tools/eras.py declares them in C, when the extension is built. Needs the
standard library only, for a build has no more.
"""

import struct

_CODES = {"u64": "Q", "u32": "I", "s32": "i"}


class CStruct:
    """A struct of the core. type2names: the fields of each type, wide ones first."""

    def __init__(self, name: str, **type2names: str) -> None:
        self.name = name
        self.type2names = {kind: names.split() for kind, names in type2names.items()}
        self.names = [name for names in self.type2names.values() for name in names]
        codes = "".join(_CODES[kind] * len(names) for kind, names in self.type2names.items())
        self.layout = struct.Struct(f"<{codes}")

    def pack(self, **values: int) -> bytes:
        """Raises TypeError for a field that is missing, or that the struct does not have."""
        if wrong := sorted(values.keys() ^ set(self.names)):
            raise TypeError(f"struct {self.name}: missing or unknown: {', '.join(wrong)}")
        return self.layout.pack(*[values[name] for name in self.names])

    def declaration(self) -> str:
        """Returns the struct as C declares it."""
        members = [f"\t{kind} {', '.join(names)};\n" for kind, names in self.type2names.items()]
        return f"struct {self.name} {{\n{''.join(members)}}};\n"


NOWHERE = (1 << 32) - 1
"""No CPU, no domain: NOWHERE of core/simulate.h."""

SETTING = CStruct(
    "sim_setting",
    u64="cpus tasks states seed duration_ns tick_ns poll_limit_ns poll_told polls "
    "asks got_tick_stops decides_tick disabled latency_req_us counts_ns "
    "switch_ns wake_ns idle_entry_ns turn_ns ipi_ns overshoot_ns jitter_ns slice_ns "
    "background_ns utilises smt_busy smt_hold recent cluster trace_most events_most "
    "domains domain_states domain_cpus deepest_children domain_limit_ns foreseen",
)
"""domain_limit_ns: the CPU latency that power domains are allowed; U64_MAX: limits do not hold.
foreseen: how many FORESEEN there are; 0: no hindsight."""
FORESEEN = CStruct("foreseen", u64="length_ns state")
"""The states that hindsight selects, each from a length of idle time on; ascending, the first 0."""

EFFECT = CStruct("effect", u64="exit_ns", u32="scope holds")
OP = CStruct("op", u64="low high", u32="kind spread first count which sync")
PROGRAM = CStruct("program", u32="first count number cpu with_waker once again")
"""cpu: NOWHERE: the task is placed."""

DOMAIN = CStruct("sim_domain", u32="parent first_state states first_cpu cpus own governed")
"""A power domain: its states, all its CPUs, and the number of those of its own. parent: NOWHERE for
none."""
DOMAIN_STATE = CStruct("sim_domain_state", u64="off_ns on_ns residency_ns")
DOMAIN_COUNTER = CStruct("sim_domain_counter", u64="usage time_ns above below")

RING_LAYOUT = CStruct(
    "ring_layout",
    u32="page_bytes data_at commit_bytes big swapped",
    s32="idle idle_state idle_cpu miss miss_cpu miss_state miss_below",
)
"""The layout of a ring buffer's pages: bytes of a page, where its data begins, bytes of its
commit; whether the file is big-endian, and in another byte order than this machine. idle, miss: the
numbers of cpu_idle and cpu_idle_miss, -1 for none; the others: offsets of their fields."""

PERF_LAYOUT = CStruct("perf_layout", u32="swapped", s32="id_at id_back")
"""The layout of a perf.data's records: whether in another byte order than this machine's; where
the number of an event is in a sample, and how far from the end of other records; -1: nowhere."""
PERF_KIND = CStruct("perf_kind", s32="what time_at time_back chain_at raw_at state cpu below")
"""An event of a perf.data. what: 1 for cpu_idle, 2 for cpu_idle_miss, else 0; where the time is in
a sample (0: nowhere), and how far from the end of other records; where the number of callers is,
and the size of the tracepoint's bytes without callers before it (-1: nowhere); in these state, CPU
and below."""

INFER_SETTING = CStruct(
    "infer_setting",
    u64="tick_ns phase_ns poll_ns slack_ns awake_ns wake_ns",
    u32="has_phase decides_tick utilises waits",
)
"""The constants of an inference of inputs (lab/replay/inference.py). poll_ns: after which polling
in state 0 ends, U64_MAX: never."""

STRUCTS = (
    *(SETTING, FORESEEN, EFFECT, OP, PROGRAM, DOMAIN, DOMAIN_STATE, DOMAIN_COUNTER),
    *(RING_LAYOUT, PERF_LAYOUT, PERF_KIND, INFER_SETTING),
)
