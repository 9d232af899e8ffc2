"""IS3xx: each rule fires on the bad value and not on the one beside it, in every form."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import pytest

from idle_states.base.model.findings import Finding, Severity
from idle_states.base.model.power_mgt import STOP_LEVELS, PowerMgt, decode, encode
from idle_states.base.model.table import (
    Cpu,
    Firmware,
    Flag,
    IdleState,
    IdleTable,
    Psscr,
    ReadFrom,
    Register,
)
from idle_states.tables.linux.releases import DEFAULT, release
from idle_states.tables.pipeline import Subject
from idle_states.tables.rules.catalogue import rule_named
from idle_states.tables.rules.engine import run
from idle_states.tables.rules.selection import RuleSelection
from idle_states.tables.skiboot.platform import ALL_LEVELS, Platform, parse_platform
from idle_states.tables.spec import registry
from idle_states.tables.spec.library import find

KERNELS = tuple(release(name) for name in DEFAULT)
ERROR, WARNING, NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

USER, HYP, FULL = Flag.LOSE_USER_CONTEXT, Flag.LOSE_HYP_CONTEXT, Flag.LOSE_FULL_CONTEXT
DEC, TB = Flag.DEC_STOP, Flag.TIMEBASE_STOP
FAST, DEEP = Flag.STOP_INST_FAST, Flag.STOP_INST_DEEP
NAP, SLEEP, ER1, WINKLE = (
    Flag.NAP_ENABLED,
    Flag.SLEEP_ENABLED,
    Flag.SLEEP_ENABLED_ER1,
    Flag.WINKLE_ENABLED,
)


def edited(base: str, row: str = "", *, keep: Iterable[str] = (), **values: object) -> IdleTable:
    """A packaged table as somebody changed it: rows kept, one row's values and PSSCR fields."""
    table = find(base)
    wanted = tuple(keep)
    states = []
    for state in table.states:
        if wanted and state.name not in wanted:
            continue
        states.append(_changed(state, values) if state.name == row else state)
    return replace(table, states=tuple(states), read_from=ReadFrom("spec", "edited.yaml"))


def _changed(state: IdleState, values: dict[str, object]) -> IdleState:
    fields = {key: value for key, value in values.items() if key in (*Psscr.FIELDS, "other")}
    others = {key: value for key, value in values.items() if key not in fields}
    if fields:
        others["control"] = int(replace(state.psscr, **fields))  # type: ignore[arg-type]
    return replace(state, **others)  # type: ignore[arg-type]


def as_spec(table: IdleTable, platform: Platform = ALL_LEVELS) -> Subject:
    return Subject(table, KERNELS, platform)


def as_c(table: IdleTable, platform: Platform = ALL_LEVELS) -> Subject:
    named = replace(table, name=table.firmware.array, read_from=ReadFrom("c", "slw.c"))
    return Subject(named, KERNELS, platform)


def as_dt(table: IdleTable, platform: Platform = ALL_LEVELS) -> Subject:
    node = PowerMgt(encode(table.states, table.register))
    cpu = replace(table.cpu, levels=(), chips=()) if table.cpu else None
    return Subject(decode(node, cpu, ReadFrom("dtb")), KERNELS, platform, node)


MAKERS: dict[str, Callable[[IdleTable], Subject]] = {"spec": as_spec, "c": as_c, "dt": as_dt}


def found(code: str, subject: Subject) -> list[Finding]:
    return run(subject, selection=RuleSelection((code,)))


@dataclass(frozen=True)
class Case:
    """code on table: one finding per expected fragment of a message; empty: silent."""

    code: str
    table: IdleTable
    expected: tuple[str, ...] = ()
    severity: Severity = ERROR

    def __str__(self) -> str:
        return self.code


def fires(code: str, table: IdleTable, *expected: str, severity: Severity = ERROR) -> Case:
    assert expected
    return Case(code, table, expected, severity)


def silent(code: str, table: IdleTable) -> Case:
    return Case(code, table)


P9, P10, P8 = "power9", "power10", "power8"
POWER9_WITHOUT_DEEP = ("stop0_lite", "stop0", "stop1", "stop2")

CASES = [
    # equal bits only; the old format leaves them to the kernel
    fires("IS301", edited(P9, "stop1", ec=0), "stop1 has ESL=1 and EC=0 in PSSCR 0x200331"),
    fires("IS301", edited(P9, "stop0_lite", ec=1), "stop0_lite has ESL=0 and EC=1"),
    silent("IS301", edited(P9, "stop1", ec=0, esl=0)),
    silent("IS301", edited(P9, "stop1", ec=0, mask=0xF)),
    silent("IS301", edited(P8)),
    # LOSE_FULL_CONTEXT needs ESL
    fires("IS302", edited(P9, "stop4", ec=0, esl=0), "stop4 has LOSE_FULL_CONTEXT and ESL=0"),
    silent("IS302", edited(P9, "stop4", ec=0)),
    silent("IS302", edited(P9, "stop2", ec=0, esl=0)),
    silent("IS302", edited(P9, "stop4", ec=0, esl=0, mask=0xF)),
    silent("IS302", edited(P8)),
    # LOSE_USER_CONTEXT <=> ESL
    fires("IS303", edited(P9, "stop0", flags=FAST), "stop0 lacks LOSE_USER_CONTEXT, but ESL=1"),
    fires("IS303", edited(P9, "stop0_lite", flags=USER | FAST), "stop0_lite has LOSE_USER_CONTEXT"),
    fires("IS303", edited(P10, "stop3", esl=0, ec=0), "stop3 has LOSE_USER_CONTEXT, but ESL=0"),
    silent("IS303", edited(P9, "stop0", flags=FAST, mask=0xF)),
    silent("IS303", edited(P9)),
    # MTL >= RL
    fires("IS304", edited(P9, "stop5", mtl=4), "stop5 has MTL=4 below RL=5"),
    silent("IS304", edited(P9, "stop5", mtl=5)),
    silent("IS304", edited(P9, "stop5", mtl=4, mask=0xF)),
    # POWER9: SPRs are lost from level 4, the timebase from level 8
    silent("IS305", edited(P9, "stop2", mtl=3)),
    fires("IS305", edited(P9, "stop2", mtl=4), "stop2 requests level 2, but MTL=4 lets it reach"),
    silent("IS305", edited(P9, "stop5", mtl=7)),
    fires("IS305", edited(P9, "stop5", mtl=8), "reach level 8, which stops the timebase"),
    fires(
        "IS305",
        edited(P9, "stop2", mtl=8),
        "reach level 4, which loses SPRs and level 8, which stops the timebase",
    ),
    silent("IS305", edited(P9, "stop2", mtl=15, keep=POWER9_WITHOUT_DEEP)),
    silent("IS305", edited(P9, "stop2", mtl=8, mask=0xF)),
    silent("IS305", edited(P10, "stop2", mtl=11)),
    # names
    fires("IS306", edited(P9, "stop4", rl=5), "stop4 requests level 5 (PSSCR 0x300375)"),
    fires("IS306", edited(P9, "stop4", name="stop14"), "stop14 requests level 4"),
    fires("IS306", edited(P9, "stop4", rl=5, mask=0xF), "stop4 requests level 5"),
    fires(
        "IS306",
        edited(P9, "stop1", ec=0, esl=0),
        "stop1 has ESL=0 in PSSCR 0x331; that is a lite state",
        severity=WARNING,
    ),
    fires(
        "IS306",
        edited(P9, "stop0_lite", ec=1, esl=1),
        "stop0_lite has ESL=1 in PSSCR 0x300330; a lite state loses nothing",
        severity=WARNING,
    ),
    *(
        fires("IS306", edited(P9, "stop4", name=name), f"found {name!r}", severity=WARNING)
        for name in ("Stop4", "stop04", "stop4_Lite", "stop", "stop4x", "stop100", "nap")
    ),
    fires("IS306", edited(P8, "winkle", name="nap"), "nap has the flags of another class"),
    fires("IS306", edited(P8, "nap", flags=USER | SLEEP), "nap has the flags of another class"),
    fires("IS306", edited(P8, "nap", name="doze"), "found 'doze'", severity=WARNING),
    silent("IS306", edited(P8, "fastsleep_", name="fastsleep", flags=USER | SLEEP)),
    silent("IS306", edited(P9, "stop0_lite", ec=1, esl=1, mask=0xF)),
    silent("IS306", edited(P9)),
    silent("IS306", edited(P8)),
    # mask against value
    fires(
        "IS307",
        edited(P9, "stop1", mask=0x1003FF),
        "stop1 sets bits 0x200000 of PSSCR, which its mask 0x1003ff does not cover",
    ),
    fires("IS307", edited(P9, "stop2", other=1 << 40), "stop2 sets bits 0x10000000000"),
    silent("IS307", edited(P9, "stop0_lite", mask=0x33F)),
    silent("IS307", edited(P9, "stop1", mask=0xF)),
    silent("IS307", edited(P8, "fastsleep_", mask=0)),
    fires("IS308", edited(P9, "stop2", mask=0x30030F), "stop2's mask 0x30030f lacks 0xf0 of MTL;"),
    fires("IS308", edited(P9, "stop2", mask=0x3003FE), "lacks 0x1 of RL; expected 0x3003ff"),
    fires("IS308", edited(P9, "stop2", mask=0), "lacks 0x3003ff of RL, MTL, TR, EC and ESL"),
    fires("IS308", edited(P9, "stop2", mask=0x1F), "lacks 0x3003e0 of MTL, TR, EC and ESL"),
    silent("IS308", edited(P9, "stop2", mask=0x3F03FF)),
    silent("IS308", edited(P9, "stop2", mask=0xF)),
    silent("IS308", edited(P8)),
    fires(
        "IS309",
        edited(P9, "stop1", mask=0xF, control=1),
        "stop1 has the mask 0xf of old firmware, so Linux enters it with PSSCR 0x3f03f1",
        severity=WARNING,
    ),
    silent("IS309", edited(P9, "stop1", mask=0x1F)),
    silent("IS309", edited(P8, "nap", mask=0xF)),
    # flags
    fires("IS310", edited(P9, "stop1", flags=USER | FAST | 0x4), "undefined bits 0x4 in flags"),
    fires("IS310", edited(P9, "stop1", flags=USER | FAST | 1 << 31), "undefined bits 0x80000000"),
    fires(
        "IS310",
        edited(P8, "nap", flags=NAP | 0x700),
        "0x700 are context-loss bits of 2014, today 0x7000",
    ),
    silent("IS310", edited(P8, "nap", flags=USER | NAP | Flag.USE_PMICR)),
    silent("IS310", edited(P9, "stop4", flags=0x0070_2000)),
    fires("IS311", edited(P9, "stop4", flags=0x0070_2000), "reversed they are 0x00207000 (LOSE_"),
    fires("IS311", edited(P8, "nap", flags=0x0010_0100), "0x00011000 (LOSE_USER_CONTEXT, NAP_"),
    fires("IS311", edited(P9, "stop0_lite", flags=0x1000), "0x00100000 (STOP_INST_FAST)"),
    # the class flag forgotten, which is no byte order: ESL=1 fits LOSE_USER_CONTEXT as it stands
    silent("IS311", edited(P9, "stop0", flags=0x1000)),
    silent("IS311", edited(P9, "stop0", flags=0x0010_1004)),
    silent("IS311", edited(P9, "stop4", flags=0)),
    # once a level has a loss, all from there on have it
    fires(
        "IS312",
        edited(P9, "stop5", flags=USER | DEEP | HYP),
        "stop5 (level 5) lacks LOSE_FULL_CONTEXT, but levels up to there have it: stop4 (4)",
        severity=WARNING,
    ),
    fires(
        "IS312",
        edited(P9, "stop1", flags=TB | USER | FAST),
        "stop1 (level 1) has TIMEBASE_STOP, but levels from there on lack it: stop2 (2), "
        "stop4 (4) and stop5 (5)",
        severity=WARNING,
    ),
    fires(
        "IS312",
        edited(P9, "stop5", flags=USER | HYP | DEEP, rl=4, keep=("stop4", "stop5")),
        "stop5 (level 4) lacks LOSE_FULL_CONTEXT, but levels up to there have it: stop4 (4)",
        severity=WARNING,
    ),
    fires(
        "IS312",
        edited(P9, "stop0", flags=TB | USER | FAST, keep=("stop0", "stop1", "stop2", "stop8")),
        "stop0 (level 0) has TIMEBASE_STOP, but levels from there on lack it: stop1 (1) and stop2",
        severity=WARNING,
    ),
    # four of them are named
    fires(
        "IS312",
        edited(P9, "stop0", flags=TB | USER | FAST),
        "lack it: stop1 (1), stop2 (2), stop4 (4) and stop5 (5)",
        severity=WARNING,
    ),
    silent("IS312", edited(P9, "stop5", flags=TB | USER | HYP | FULL | DEEP)),
    # a lite state never gets to lose anything
    silent("IS312", edited(P9, "stop5", flags=DEEP, ec=0, esl=0)),
    silent("IS312", edited("power9-mambo")),
    silent("IS312", edited(P8, "winkle", flags=WINKLE)),
    fires(
        "IS313", edited(P9, "stop2", flags=DEC | USER | FAST), "DEC_STOP without", severity=WARNING
    ),
    fires(
        "IS313",
        edited(P9, "stop2", flags=TB | USER | FAST),
        "TIMEBASE_STOP without",
        severity=WARNING,
    ),
    fires(
        "IS313",
        edited(P8, "fastsleep_", flags=TB | USER | ER1),
        "without DEC_STOP",
        severity=WARNING,
    ),
    silent("IS313", edited(P9)),
    silent("IS313", edited(P8)),
    # POWER9's timebase runs on below level 8: as before 58913880c, and the other way round
    fires(
        "IS333",
        edited(P9, "stop4", flags=DEC | TB | USER | HYP | FULL | DEEP),
        "stop4 (level 4) has TIMEBASE_STOP, but power9's timebase runs on below level 8",
        severity=WARNING,
    ),
    fires(
        "IS333",
        edited(P9, "stop5", flags=DEC | TB | USER | HYP | FULL | DEEP, mtl=7),
        "stop5 (level 5) has",
        severity=WARNING,
    ),
    fires(
        "IS333",
        edited(P9, "stop8", flags=USER | HYP | FULL | DEEP),
        "stop8 (level 8) lacks TIMEBASE_STOP, but power9's timebase stops from level 8",
        severity=WARNING,
    ),
    silent("IS333", edited(P9)),
    # MTL lets it go on to where the timebase stops; so does the old format, which has none
    silent("IS333", edited(P9, "stop4", flags=DEC | TB | USER | HYP | FULL | DEEP, mtl=11)),
    silent("IS333", edited(P9, "stop4", flags=DEC | TB | USER | HYP | FULL | DEEP, mask=0xF)),
    # a lite state loses nothing; of POWER10 it is not known
    silent("IS333", edited(P9, "stop8", flags=DEEP, ec=0, esl=0)),
    silent("IS333", edited(P10, "stop3", flags=DEC | TB | USER | FAST)),
    silent("IS333", edited(P8)),
    fires("IS314", edited(P9, "stop2", flags=USER), "stop2's flags 0x00001000", severity=ERROR),
    fires("IS314", edited(P9, "stop2", flags=0), "name no class; expected STOP_INST_FAST or STOP_"),
    fires("IS314", edited(P9, "stop2", flags=USER | NAP), "name no class"),
    fires("IS314", edited(P8, "nap", flags=USER | FAST), "expected NAP_ENABLED, SLEEP_ENABLED, W"),
    silent("IS314", edited(P9, "stop4", flags=0x0070_2000)),
    silent("IS314", edited(P8)),
    fires(
        "IS315", edited(P9, "stop4", flags=USER | HYP | FULL | FAST | DEEP), "exclude each other"
    ),
    fires("IS315", edited(P9, "stop0", flags=USER | FAST | NAP), "NAP_ENABLED and STOP_INST_FAST"),
    fires("IS315", edited(P8, "nap", flags=USER | NAP | SLEEP), "NAP_ENABLED and SLEEP_ENABLED"),
    fires("IS315", edited(P9, "stop0", flags=USER | FAST | FULL), "a state that loses it is deep"),
    fires("IS315", edited(P9, "stop0", flags=USER | FAST | HYP), "a state that loses it is deep"),
    fires("IS315", edited(P9, "stop4", flags=USER | HYP | DEEP), "a state that keeps it is fast"),
    fires("IS315", edited(P9, "stop0", flags=USER | FAST | Flag.USE_PMICR), "USE_PMICR, but"),
    fires("IS315", edited(P8, "winkle", flags=USER | HYP | WINKLE), "winkle powers the core off"),
    silent("IS315", edited(P8, "fastsleep_", flags=DEC | TB | USER | SLEEP | ER1)),
    silent("IS315", edited(P8, "winkle", flags=WINKLE | 0x700)),
    silent("IS315", edited(P8, "nap", flags=USER | NAP | Flag.USE_PMICR)),
    # default stop
    fires("IS317", edited(P9, keep=("stop4", "stop5")), "none of the 2 states has STOP_INST_FAST"),
    silent("IS317", edited(P9, keep=("stop0", "stop4"))),
    silent("IS317", edited(P9, keep=("nothing",))),
    silent("IS317", edited(P8)),
    fires(
        "IS318",
        edited(P9, "stop0", flags=USER | HYP | FULL | FAST, keep=("stop0", "stop1")),
        "stop0 is the first STOP_INST_FAST state",
    ),
    silent("IS318", edited(P9, "stop0", flags=USER | HYP | FULL | FAST)),
    # Linux rejects the first, so the second is the default
    silent("IS318", edited(P9, "stop0", ec=0, flags=USER | FULL | FAST, keep=("stop0", "stop1"))),
    fires(
        "IS318",
        edited(P9, "stop0", control=0, mask=0xF, flags=USER | FULL | FAST, keep=("stop0", "stop1")),
        "stop0 is the first",
    ),
    # levels
    fires("IS319", edited(P9, "stop4", rl=3), "requests level 3; power9 has levels 0, 1, 2, 4, 5,"),
    fires(
        "IS319", edited(P10, "stop3", rl=1), "requests level 1; power10 has levels 0, 2, 3 and 1"
    ),
    fires("IS319", edited(P9, "stop11", mtl=15), "MTL=15, but power9 has no such level"),
    fires("IS319", edited(P10, "stop3", mtl=5), "MTL=5, but power10 has no such level"),
    silent("IS319", edited(P9, "stop11", mtl=15, mask=0xF)),
    silent("IS319", edited(P9, "stop4", rl=5)),
    silent("IS319", edited(P9, "stop4", mtl=6)),
    fires(
        "IS323",
        edited(P9, "stop2", rl=1),
        "stop1 and stop2 are both entered with PSSCR 0x300331",
    ),
    silent("IS323", edited(P9, "stop2", rl=1, tr=2)),
    # of 2016's format only RL counts: 0x300331 becomes what 1 becomes
    silent("IS323", edited(P9, "stop2", control=1, mask=0xF)),
    silent("IS323", edited(P8)),
    fires("IS324", edited(P9, "stop2", tr=2), "stop2 has TR=2; every", severity=WARNING),
    fires("IS324", edited(P9, "stop2", tr=0), "stop2 has TR=0; every", severity=WARNING),
    fires(
        "IS324",
        edited(P9, "stop2", psll=1),
        "value 0x310332 has bits 0x10000 (PSLL)",
        severity=WARNING,
    ),
    fires("IS324", edited(P9, "stop2", other=1 << 22), "bits 0x400000 beside RL", severity=WARNING),
    fires(
        "IS324",
        edited(P9, "stop2", mask=0x3F03FF),
        "mask 0x3f03ff has bits 0xf0000 (",
        severity=WARNING,
    ),
    silent("IS324", edited(P9, "stop2", tr=2, mask=0xF)),
    silent("IS324", edited(P9)),
    fires(
        "IS325",
        edited(P8, "fastsleep_", flags=DEC | TB | USER | SLEEP),
        "needs the",
        severity=WARNING,
    ),
    silent("IS325", edited(P8, "fastsleep_", flags=DEC | TB | USER | SLEEP | ER1)),
    silent("IS325", edited("power7", "nap", flags=USER | SLEEP)),
    fires("IS326", edited(P8, "fastsleep_", mask=0x10_0000_0000), "outside its mask 0x1000000000"),
    fires(
        "IS326", edited(P8, "fastsleep_", mask=0x20_0000_0000), "filled from the", severity=WARNING
    ),
    fires("IS326", edited(P8, "nap", mask=0x30_0000_0000), "no pair that", severity=WARNING),
    fires(
        "IS326",
        edited(P8, "nap", control=0x30_0000_0000, mask=0x30_0000_0000),
        "which is for sleep, and is no sleep state",
        severity=WARNING,
    ),
    silent("IS326", edited(P8, "fastsleep_", control=0x30_0000_0000)),
    silent("IS326", edited(P8, "winkle", control=0x20_0000, mask=0x30_0000)),
    silent("IS326", edited(P8)),
    silent("IS326", edited(P9, "stop1", mask=0)),
    fires(
        "IS328", edited(P9, "stop4", flags=USER | FULL | DEEP), "without LOSE_HYP", severity=WARNING
    ),
    fires(
        "IS328", edited(P9, "stop4", flags=HYP | FULL | DEEP), "without LOSE_USER", severity=WARNING
    ),
    fires(
        "IS328",
        edited(P9, "stop4", flags=FULL | DEEP),
        "LOSE_FULL_CONTEXT without LOSE_HYP_CONTEXT",
        severity=WARNING,
    ),
    fires("IS328", edited(P8, "nap", flags=NAP), "nap has no LOSE_USER_CONTEXT", severity=WARNING),
    silent("IS328", edited(P8, "nap", flags=NAP | 0x100)),
    silent("IS328", edited(P9, "stop4", flags=USER | HYP | DEEP)),
    fires("IS329", edited(P9, "stop1", ec=0, esl=0), "stop1 requests level 1 with", severity=NOTE),
    silent("IS329", edited(P9, "stop1", ec=0, esl=0, rl=0)),
    silent("IS329", edited(P9, "stop1", control=1, mask=0xF)),
    # groups of four on POWER9, each level by itself on POWER10
    fires(
        "IS330",
        edited(P9, "stop1", mtl=2),
        "RL=1 and MTL=2; power9 tables have MTL=3",
        severity=WARNING,
    ),
    fires("IS330", edited(P9, "stop1", mtl=1), "power9 tables have MTL=3", severity=WARNING),
    fires("IS330", edited(P9, "stop2", mtl=4), "power9 tables have MTL=3", severity=WARNING),
    fires("IS330", edited(P9, "stop4", mtl=11), "power9 tables have MTL=7", severity=WARNING),
    fires("IS330", edited(P9, "stop11", mtl=12), "power9 tables have MTL=11", severity=WARNING),
    fires("IS330", edited(P10, "stop2", mtl=3), "power10 tables have MTL=2", severity=WARNING),
    silent("IS330", edited(P9, "stop2", mtl=1)),
    silent("IS330", edited(P9, "stop11", rl=12, mtl=13)),
    silent("IS330", edited(P10)),
]


def in_forms() -> list[object]:
    params = []
    for number, case in enumerate(CASES):
        loaded = rule_named(case.code)
        assert loaded, case.code
        for form in loaded.rule.forms:
            params.append(pytest.param(case, form, id=f"{case}-{number}-{form}"))
    return params


@pytest.mark.parametrize(("case", "form"), in_forms())
def test_control_rule(case: Case, form: str) -> None:
    findings = found(case.code, MAKERS[form](case.table))
    assert len(findings) == len(case.expected), [finding.message for finding in findings]
    for finding, fragment in zip(findings, case.expected, strict=True):
        assert fragment in finding.message
        assert finding.severity == case.severity


def timebase_stops(levels: Iterable[int], stopping: Iterable[int]) -> IdleTable:
    """POWER9 stop states s0, s1, ... at these levels; those numbered stop the timebase."""
    states = tuple(
        replace(
            find(P9).states[1],
            name=f"s{number}",
            control=int(replace(find(P9).states[1].psscr, rl=level)),
            flags=int(USER | FAST | (TB if number in stopping else 0)),
        )
        for number, level in enumerate(levels)
    )
    return replace(find(P9), states=states, read_from=ReadFrom("spec", "edited.yaml"))


@pytest.mark.parametrize(
    ("levels", "stopping", "expected"),
    [
        ((0, 1, 2), (1, 2), []),
        (
            (0, 1, 1),
            (1,),
            ["s2 (level 1) lacks TIMEBASE_STOP, but levels up to there have it: s1 (1)"],
        ),
        (
            (0, 0, 1, 2),
            (1,),
            ["has TIMEBASE_STOP, but levels from there on lack it: s0 (0), s2 (1) and s3 (2)"],
        ),
        (
            (2, 4, 5, 8),
            (0, 2),
            [
                "s1 (level 4) lacks TIMEBASE_STOP, but levels up to there have it: s0 (2)",
                "lacks TIMEBASE_STOP, but levels up to there have it: s0 (2) and s2 (5)",
            ],
        ),
        # the side with fewer states is at fault, and four of the other are named
        (
            (0, 1, 2, 4, 5, 8),
            (0,),
            ["from there on lack it: s1 (1), s2 (2), s3 (4) and s4 (5)"],
        ),
    ],
)
def test_side_that_breaks_the_order(
    levels: tuple[int, ...], stopping: tuple[int, ...], expected: list[str]
) -> None:
    findings = found("IS312", as_dt(timebase_stops(levels, stopping)))
    assert len(findings) == len(expected)
    for finding, fragment in zip(findings, expected, strict=True):
        assert finding.message.endswith(fragment)


def test_only_bits_of_2014_are_explained() -> None:
    (finding,) = found("IS310", as_spec(edited(P9, "stop1", flags=int(USER | FAST) | 0x4)))
    assert finding.message == "stop1 has undefined bits 0x4 in flags 0x00101004"


def test_every_rule_is_tried_both_ways() -> None:
    elsewhere = {"IS316", "IS320", "IS321", "IS322", "IS327", "IS331", "IS332"}
    fired = {case.code for case in CASES if case.expected}
    kept_silent = {case.code for case in CASES if not case.expected}
    codes = {f"IS3{number:02}" for number in range(1, 34)} - elsewhere
    assert fired == kept_silent == codes


@pytest.mark.parametrize(
    ("first", "fires_"), [(FAST, False), (USER | DEEP, False), (USER, True), (USER | NAP, True)]
)
def test_first_state_of_a_tree(first: Flag, fires_: bool) -> None:
    table = edited(P9, "stop0_lite", flags=int(first))
    findings = found("IS316", as_dt(table))
    assert bool(findings) is fires_
    for finding in findings:
        assert finding.message.startswith("the first state, stop0_lite, has flags")
        assert finding.location.path.endswith("ibm,cpu-idle-state-flags[0]")
    # firmware does not export such a row, so there is nothing to report before the tree
    assert found("IS316", as_spec(table)) == []


def test_an_empty_tree_has_no_first_state() -> None:
    assert found("IS316", as_dt(replace(find(P9), states=()))) == []


@pytest.mark.parametrize("make", [as_spec, as_c])
@pytest.mark.parametrize(
    ("platform", "masked", "not_enabled"),
    [
        ("all-levels", ["stop8", "stop11"], []),
        ("op920", [], ["stop8", "stop11"]),
        ("qemu-powernv9", [], ["stop2", "stop4", "stop5", "stop8", "stop11"]),
        ("enabled-stop-levels=0xfc100000", ["stop11"], ["stop8"]),
        ("no-homer", [], []),
        # NVRAM replaces OPAL's mask
        ("nvram-disable-mask=0x0", [], []),
        ("skiboot=5.9", [], []),
        ("skiboot=6.0-rc1", ["stop4", "stop5", "stop8", "stop11"], []),
    ],
)
def test_rows_that_firmware_leaves_out(
    make: Callable[[IdleTable, Platform], Subject],
    platform: str,
    masked: list[str],
    not_enabled: list[str],
) -> None:
    subject = make(find(P9), parse_platform(platform))
    warnings, notes = found("IS320", subject), found("IS321", subject)
    assert sorted(f.message.split()[0] for f in warnings) == sorted(masked)
    assert sorted(f.message.split()[0] for f in notes) == sorted(not_enabled)
    assert {f.severity for f in warnings} <= {WARNING}
    assert {f.severity for f in notes} <= {NOTE}
    for finding in notes:
        assert f"on {subject.platform.name}: level" in finding.message


@pytest.mark.parametrize("make", [as_spec, as_c])
def test_tables_of_special_machines(make: Callable[[IdleTable], Subject]) -> None:
    mambo = found("IS322", make(edited("power9-mambo")))
    assert [f.message.split()[0] for f in mambo] == ["stop4", "stop8", "stop11"]
    assert found("IS322", make(edited("power9-mambo", keep=("stop0", "stop1")))) == []
    assert found("IS322", make(edited(P9))) == []
    # its stop4 still has the timebase flags that POWER9's lost, and no machine to harm
    assert find("power9-mambo").states[3].has(TB)
    assert found("IS333", make(edited("power9-mambo"))) == []

    # an array known by its name alone
    bare = replace(find("power9-mambo"), firmware=Firmware(), read_from=ReadFrom("c", "slw.c"))
    subject = Subject(replace(bare, name="power9_mambo_cpu_idle_states"), KERNELS)
    assert len(found("IS322", subject)) == 3

    fused = edited("power9-fused")
    assert found("IS327", make(fused)) == []
    losing = edited("power9-fused", "stop2", flags=int(USER | HYP | FAST))
    (finding,) = found("IS327", make(losing))
    assert "stop2 has LOSE_HYP_CONTEXT; Linux cannot" in finding.message
    assert found("IS327", make(edited(P9))) == []


@pytest.mark.parametrize(
    ("levels", "missing"),
    [
        (0xFFFF_FFFF, []),
        (0xEC10_0000, ["stop8"]),
        (0x7C90_0000, ["stop0_lite", "stop0"]),
        (None, []),
    ],
)
def test_levels_of_a_tree_against_its_states(levels: int | None, missing: list[str]) -> None:
    table = find(P9)
    properties = encode(table.states, table.register)
    if levels is not None:
        properties[STOP_LEVELS] = levels.to_bytes(4, "big")
    node = PowerMgt(properties)
    subject = Subject(decode(node, table.cpu, ReadFrom("dtb")), KERNELS, node=node)
    assert [f.message.split()[0] for f in found("IS331", subject)] == missing


def test_nothing_is_guessed_about_an_unknown_processor() -> None:
    """POWER10's MTL is right, but wrong on POWER9; a tree without a PVR says neither."""
    table = replace(find(P10), cpu=None, firmware=Firmware(), name="example")
    for make in (as_spec, as_dt):
        assert found("IS330", make(table)) == []
        assert found("IS319", make(edited_row(table, rl=1))) == []


def edited_row(table: IdleTable, **fields: object) -> IdleTable:
    states = (*table.states[:-1], _changed(table.states[-1], fields))
    return replace(table, states=states)


def test_places_point_at_the_value() -> None:
    """A PSSCR field where the source has fields, the register where it has a number."""
    packaged = find(P9)
    index = [state.name for state in packaged.states].index("stop5")
    (finding,) = found("IS304", as_spec(edited(P9, "stop5", mtl=4)))
    assert finding.location == packaged.states[index].where["control.mtl"]
    assert finding.location.path == f"power9:states[{index}].psscr.mtl"
    (finding,) = found("IS304", as_dt(edited(P9, "stop5", mtl=4)))
    assert finding.location.path.endswith(f"ibm,cpu-idle-state-psscr[{index}]")


FIRES_TODAY = {
    "power9": [("IS320", "stop8"), ("IS320", "stop11")],
    "power9-mambo": [
        ("IS320", "stop8"),
        ("IS320", "stop11"),
        ("IS322", "stop4"),
        ("IS322", "stop8"),
        ("IS322", "stop11"),
    ],
    "power9-dd1": [("IS329", "stop1_lite")],
}
"""Packaged table -> (rule, state). IS329 is a note, the others are warnings."""


@pytest.mark.parametrize(
    "name",
    (
        "power7 power8 power8-nap-only power9 power9-dd1 power9-fused power9-mambo power10 power11 "
        "pseries-dedicated pseries-shared pseries-power10"
    ).split(),
)
@pytest.mark.parametrize("make", [as_spec, as_c])
def test_what_fires_on_todays_tables(name: str, make: Callable[[IdleTable], Subject]) -> None:
    findings = found("IS3", make(find(name)))
    assert sorted((f.rule, f.message.split()[0]) for f in findings) == sorted(
        FIRES_TODAY.get(name, [])
    )
    for finding in findings:
        notes = ("IS322", "IS329")
        assert finding.severity == (NOTE if finding.rule in notes else WARNING)


HISTORY = {
    "power9@84368bbf8": {"IS303", "IS320", "IS329", "IS333"},
    "power9@51974cab7": {"IS303", "IS320", "IS329", "IS333"},
    "power9@1953b41e1": {"IS320", "IS329"},
    "power9-dd1@84368bbf8": {"IS303", "IS329"},
    "power8@0768e820e": {"IS310"},
}


@pytest.mark.parametrize("name", HISTORY)
def test_what_fires_on_historical_tables(name: str) -> None:
    assert {finding.rule for finding in found("IS3", as_spec(find(name)))} == HISTORY[name]


def test_context_flags_of_739063fb7() -> None:
    states = [f.message.split()[0] for f in found("IS303", as_spec(find("power9@84368bbf8")))]
    assert sorted(states) == ["stop0", "stop1_lite", "stop2_lite"]


def test_byte_swapped_table_is_recognised_as_a_whole() -> None:
    """0x101000 reads the same both ways; every other word is reported, and once."""
    table = find(P9)
    states = tuple(
        replace(state, flags=int.from_bytes(state.flags.to_bytes(4, "little"), "big"))
        for state in table.states
    )
    subject = as_dt(replace(table, states=states))
    swapped = {finding.message.split("'")[0] for finding in found("IS311", subject)}
    assert swapped == {"stop0_lite", "stop4", "stop5", "stop8", "stop11"}
    assert found("IS310", subject) == found("IS314", subject) == []


def test_tables_without_a_control_register_are_left_alone() -> None:
    table = replace(find("pseries-dedicated"), read_from=ReadFrom("spec", "edited.yaml"))
    assert table.register is Register.NONE
    assert found("IS3", as_spec(table)) == []


def test_cpu_of_a_tree_alone_gives_levels() -> None:
    """The PVR names a generation; its levels come from the packaged table."""
    table = edited(P9, "stop4", rl=6)
    node = PowerMgt(encode(table.states, table.register))
    subject = Subject(
        decode(node, Cpu(registry.named("power9"), 0x4E), ReadFrom("dtb")), KERNELS, node=node
    )
    (finding,) = found("IS319", subject)
    assert "requests level 6" in finding.message
