"""IS920 unknown-key: a key that specs do not have.

What it does
    Compares every key, of the table, of a state, of PSSCR and of the smaller mappings, with those
    there are, and suggests the nearest. The register's key must be the table's: psscr or pmicr.

Why is this bad
    A misspelt key would leave its value unset, or inherited, without a word.

Example
    extends: power9
    override:
      stop2: {latncy: 9us}

Use instead
    -   stop2: {latncy: 9us}
    +   stop2: {latency: 9us}

Ground
    schemas/idle-states.schema.json; idle_states/tables/spec/inherit.py, build.py.

IS921 missing-key: a key that a spec needs is absent.

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
    -   - {name: stop12, latency: 20ms, residency: 200ms, psscr: {rl: 12, mtl: 12}}
    +   - {name: stop12, latency: 20ms, residency: 200ms, psscr: {rl: 12, mtl: 12},
    +      flags: [STOP_INST_DEEP]}

Ground
    skiboot include/slw.h struct cpu_idle_states; idle_states/tables/spec/build.py.

IS922 wrong-type: a value is of another type than its key takes.

What it does
    Reports a list where a value is expected and the like, an integer that is none, and anything
    but yes, no, true or false where one of them is expected.

Why is this bad
    The value cannot be read as what it stands for; guessing is what YAML is notorious for.

Example
    extends: power9
    override:
      stop2: {flags: STOP_INST_FAST}

Use instead
    -   stop2: {flags: STOP_INST_FAST}
    +   stop2: {flags: [STOP_INST_FAST]}

Ground
    schemas/idle-states.schema.json; idle_states/base/reading/scalars.py.

IS923 bad-time: a time without a unit, or one that is no time.

What it does
    Expects a number with ns, us, ms or s: 200ns, 2.5us, 10 ms. It must come to whole nanoseconds
    and not be negative.

Why is this bad
    A bare number could be nanoseconds, as in firmware, or microseconds, as in Linux, and is off
    by a thousand if the reader guesses wrong.

Example
    extends: power9
    override:
      stop2: {latency: 9}

Use instead
    -   stop2: {latency: 9}
    +   stop2: {latency: 9us}

Ground
    idle_states/base/reading/scalars.py.

IS924 out-of-range: a number does not fit its field.

What it does
    Times are at most 4294967295 ns, flags 32 bits, registers 64, and each PSSCR field as wide as
    the ISA makes it: rl, mtl and psll 4 bits, tr 2, ec and esl 1.

Why is this bad
    C would cut the value or spill it into the next field without an error.

Example
    extends: power9
    override:
      stop2: {psscr: {rl: 16, mtl: 3, tr: 3, ec: 1, esl: 1}}

Use instead
    -   stop2: {psscr: {rl: 16, mtl: 3, tr: 3, ec: 1, esl: 1}}
    +   stop2: {psscr: {rl: 2, mtl: 3, tr: 3, ec: 1, esl: 1}}

Ground
    skiboot include/slw.h struct cpu_idle_states; Power ISA 3.0B, PSSCR.

IS925 unknown-name: a name that is not on its list.

What it does
    Flags, PSSCR fields of a mask, PMICR settings, scopes and the kinds of provenance come from
    fixed lists; processor generations come from specs, packaged or beside this one, with their
    PVRs, chips and stop levels. The message has the list and the nearest entry.

Why is this bad
    A flag that is not set is a state that loses context nobody saves.

Example
    extends: power9
    override:
      stop2: {flags: [LOSE_USER_CONTEXT, STOP_INST_FSAT]}

Use instead
    -   stop2: {flags: [LOSE_USER_CONTEXT, STOP_INST_FSAT]}
    +   stop2: {flags: [LOSE_USER_CONTEXT, STOP_INST_FAST]}

Ground
    skiboot include/opal-api.h OPAL_PM_*; idle_states/base/model/table.py;
    idle_states/tables/spec/registry.py.

IS926 broken-extends: a spec extends one that is not there, or itself.

What it does
    Looks for the parent beside the spec, as NAME.yaml, and then among the packaged specs; follows
    the chain of files to its end, over 32 files at most.

Why is this bad
    Without its parent a spec is a few values without a table.

Example
    extends: power99

Use instead
    extends: power9

Ground
    idle_states/tables/spec/inherit.py; `idle-states list` names the packaged specs.

IS927 broken-override: override, drop or before names a state that was not inherited.

What it does
    Compares the names in `override`, `drop` and `before` with the states there are at that point,
    and reports a state written out that was inherited already.

Why is this bad
    A change that hits nothing leaves the inherited value in force, where the author believes in
    the new one.

Example
    extends: power9
    override:
      stop3: {latency: 20us}

Use instead
    -   stop3: {latency: 20us}
    +   stop2: {latency: 20us}

Ground
    idle_states/tables/spec/inherit.py.
"""

from .rule import Rule, Severity

RULES = (
    Rule("IS920", "unknown-key", Severity.ERROR, forms=("spec",)),
    Rule("IS921", "missing-key", Severity.ERROR, forms=("spec",)),
    Rule("IS922", "wrong-type", Severity.ERROR, forms=("spec",)),
    Rule("IS923", "bad-time", Severity.ERROR, forms=("spec",)),
    Rule("IS924", "out-of-range", Severity.ERROR, forms=("spec",)),
    Rule("IS925", "unknown-name", Severity.ERROR, forms=("spec",)),
    Rule("IS926", "broken-extends", Severity.ERROR, forms=("spec",)),
    Rule("IS927", "broken-override", Severity.ERROR, forms=("spec",)),
)
