"""IS901 suppression-without-reason: a suppression does not say why.

What it does
    Looks for text after the closing bracket of `# idle-states: ignore[...]`, and for the reason in
    the suppression lists of setup.cfg.

Why is this bad
    Without a reason nobody can later tell a decision from a convenience. The suppression has no
    effect until it has one.

Example
    extends: power9
    override:
      # idle-states: ignore[IS206]
      stop2: {latency: 150us}

Use instead
    -   # idle-states: ignore[IS206]
    +   # idle-states: ignore[IS206] kept off cpuidle while the wake-up problem is open

Ground
    This tool's own rule; idle_states/tables/rules/engine.py.

IS902 unused-suppression: a suppression that nothing needs.

What it does
    Reports a suppression for a rule that finds nothing at its place.

Why is this bad
    It was left behind when the value was corrected, or stands at the wrong line. Either way it
    would silence the next real finding there.

Example
    extends: power9
    override:
      # idle-states: ignore[IS206] kept off cpuidle while the wake-up problem is open
      stop2: {latency: 10us}

Use instead
    -   stop2: {latency: 10us}
    +   stop2: {latency: 150us}

Ground
    This tool's own rule; idle_states/tables/rules/engine.py.

IS903 unknown-rule: a suppression names a rule that does not exist.

What it does
    Compares the codes in `ignore[...]` with the rules there are. Codes are written in full.

Why is this bad
    The finding that was meant is not suppressed, and the reader believes it is.

Example
    extends: power9
    override:
      # idle-states: ignore[IS2O6] kept off cpuidle while the wake-up problem is open
      stop2: {latency: 150us}

Use instead
    -   # idle-states: ignore[IS2O6] kept off cpuidle while the wake-up problem is open
    +   # idle-states: ignore[IS206] kept off cpuidle while the wake-up problem is open

Ground
    This tool's own rule; `idle-states list rules` lists the codes.

IS904 expired-suppression: a suppression whose last day has passed.

What it does
    Reports a line of setup.cfg's [idle-states] whose `until` lies in the past. It has no effect
    any more. SOURCE_DATE_EPOCH, where set, is today.

Why is this bad
    Somebody promised to look at the finding by that day.

Example
    [idle-states]
    suppress =
        IS203 power9:states[4].residency until 2018-01-31 level until stop5 is measured

Use instead
    -     IS203 power9:states[4].residency until 2018-01-31 level until stop5 is measured
    +     IS203 power9:states[4].residency until 2099-01-31 level until stop5 is measured

Ground
    This tool's own rule; idle_states/tables/check/config.py.

IS905 bad-configuration: a configuration or a baseline that cannot be understood.

What it does
    Raised for a section [idle-states] of setup.cfg, or [tool.idle-states] of pyproject.toml, with
    a key or value the tool does not know, for a suppression that lacks its rule, its path or a
    proper day, for tables outside of the file's own directory, for two such sections in one
    directory, and for a baseline that is none. Exit status 3.

Why is this bad
    A suppression that is not understood hides nothing, or one day the wrong thing.

Example
    [idle-states]
    suppress =
        residency-tie power9:states[4].residency level until stop5 is measured

Use instead
    -     residency-tie power9:states[4].residency level until stop5 is measured
    +     IS203 power9:states[4].residency level until stop5 is measured

Ground
    This tool's own rule; idle_states/tables/check/config.py, idle_states/tables/check/baseline.py.

IS906 changed-configuration: a change alters the rules by which later changes are judged.

What it does
    Reports each key of [idle-states] in setup.cfg, or of [tool.idle-states] in pyproject.toml, that
    a reviewed range changes, and each suppression that it adds or removes. `check --config-from`
    reports the same between a revision and the files in the current folder. The review itself, and
    such a check, go by the configuration before the change.

Why is this bad
    A change that ignores a rule or accepts a finding passes every check after it is merged. It may
    be right; somebody should have seen it.

Example
    before
        [idle-states]
        fail-on = warning
    after
        [idle-states]
        fail-on = error
        ignore = IS203

Use instead
    before and after
        [idle-states]
        fail-on = warning

Ground
    This tool's own rule; idle_states/tables/check/config_change.py.
"""

from .rule import Rule, Severity

RULES = (
    Rule("IS901", "suppression-without-reason", Severity.WARNING, forms=("spec",)),
    Rule("IS902", "unused-suppression", Severity.WARNING, forms=("spec",)),
    Rule("IS903", "unknown-rule", Severity.WARNING, forms=("spec",)),
    Rule("IS904", "expired-suppression", Severity.WARNING),
    Rule("IS905", "bad-configuration", Severity.ERROR),
    Rule("IS906", "changed-configuration", Severity.WARNING),
)
