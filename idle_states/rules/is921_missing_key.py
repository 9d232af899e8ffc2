"""IS921 missing-key: a key that a spec needs is absent.

What it does
    A table needs name, cpu and register; a state name, latency, residency (`none` where its era had
    none), and on OPAL flags and psscr or pmicr; `cpuidle: no` a reason; provenance its kind,
    source and confidence.

Why is this bad
    There are no defaults to fall back to: a state of firmware has all of them.

Example
    extends: power9
    states:
      - {name: stop12, latency: 20ms, residency: 200ms, psscr: {rl: 12, mtl: 12}}

Use instead
    extends: power9
    states:
      - {name: stop12, latency: 20ms, residency: 200ms, psscr: {rl: 12, mtl: 12},
         flags: [STOP_INST_DEEP]}

Ground
    skiboot include/slw.h struct cpu_idle_states; idle_states/spec/build.py.
"""

from ..findings import Severity
from .rule import Rule

RULE = Rule("IS921", "missing-key", Severity.ERROR, forms=("spec",))
