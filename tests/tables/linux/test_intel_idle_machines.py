"""x86 machines as --platform names them, and what intel_idle makes of tables on them."""

import pytest

from idle_states.base.model.findings import UsageError
from idle_states.tables.linux.driver_table import DriverTable
from idle_states.tables.linux.intel_idle.figures import basis, listed_in, tree_of
from idle_states.tables.linux.intel_idle.known import known_cpus
from idle_states.tables.linux.intel_idle.machine import IntelIdleParameters, X86Machine
from idle_states.tables.linux.intel_idle.packaged import as_of, table_named
from idle_states.tables.linux.intel_idle.platform import NamedAcpiState, names, short_names
from idle_states.tables.linux.intel_idle.platform_text import parse_machine
from idle_states.tables.linux.intel_idle.register import register
from idle_states.tables.linux.platforms import parse
from idle_states.tables.linux.releases import release
from idle_states.tables.pipeline import Subject
from idle_states.tables.skiboot.platform import BadPlatform
from idle_states.tables.sources import read_table

SKX, SPR, ICX = 0x55, 0x8F, 0x6A


def registered(table: str, platform: str = "", kernel: str = "7.0") -> DriverTable:
    named = table_named(table)
    return register(named, release(kernel), parse_machine(platform or table.partition(":")[2]))


def times(driver: DriverTable) -> list[tuple[str, int, int]]:
    return [(s.name, s.exit_latency_us, s.target_residency_us) for s in driver.states[1:]]


def test_every_processor_of_the_list_has_a_name() -> None:
    listed = {known.cpu.name for known in known_cpus()}
    assert listed <= {cpu for cpu, _ in names().values()}
    assert set(short_names()) <= set(names())


def test_a_machine_is_what_its_keys_say() -> None:
    found = parse_machine("spr,pc6=off,acpi=c1:0x20/100,max_cstate=2,no_acpi,table=C6:1:2,C1::3,")
    assert found.machine == X86Machine(SPR, pkg_cst=0)
    assert found.cst == (NamedAcpiState("c1"), NamedAcpiState(hint=0x20, latency_us=100))
    assert found.parameters == IntelIdleParameters(
        max_cstate=2, no_acpi=True, table=b"C6:1:2,C1::3,"
    )
    assert found.given == {"pc6", "acpi", "max_cstate", "no_acpi", "table"}
    assert parse_machine("x86,model=0xd5").machine == X86Machine(0xD5)
    assert parse_machine("skylake-x").machine == parse_machine("skx").machine


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("skx,max_cstates=2", "expected one of .*max_cstate.*'max_cstates=2'"),
        ("skx,max_cstate", "expected one of"),
        ("skx,max_cstate=two", "expected a number for max_cstate, found 'two'"),
        ("skx,arat=maybe", "expected on or off for arat, found 'maybe'"),
        ("skx,cpuid5=0x100000000", "expected 0 to 4294967295"),
        ("skx,acpi=0x00/1/2", "a row's name or HINT/LATENCY, found '0x00/1/2'"),
        ("ptl,lpi=0x00/1", "a row's name or HINT/LATENCY/RESIDENCY"),
        ("bxt,irtl=1:2", "expected five MSRs"),
        ("x86,arat=off", "expected x86 with model="),
        (f"skx,table={'C6:1:2,' * 40}", "expected at most 255 bytes for table, found 280"),
    ],
)
def test_a_bad_machine_is_refused(text: str, words: str) -> None:
    with pytest.raises(BadPlatform, match=words):
        parse_machine(text)
    with pytest.raises(BadPlatform, match=words):
        parse(text)


def test_a_stock_machine_has_the_figures_of_the_release() -> None:
    assert times(registered("intel:skx")) == [("C1", 2, 2), ("C1E", 10, 20), ("C6", 133, 600)]
    table = table_named("intel:icx")
    old, new = (
        register(table, release(kernel), parse_machine("icx")) for kernel in ("5.10", "6.1")
    )
    assert (times(old)[2], times(new)[2]) == (("C6", 128, 384), ("C6", 170, 600))
    assert [(c.field, c.after, c.reason) for c in old.changed] == [
        ("latency", "128 us", "this release has these figures"),
        ("residency", "384 us", "this release has these figures"),
    ]
    assert not new.changed
    assert as_of(table, release("5.10")).states[2].latency_ns == 128_000


def test_rows_of_a_named_release_count_in_every_kernel() -> None:
    assert times(registered("intel:icx@5.10", "icx"))[2] == ("C6", 128, 384)


def test_what_the_driver_changes_by_model_is_told() -> None:
    driver = registered("intel:spr", "spr,pc6=off")
    assert times(driver)[2] == ("C6", 190, 600)
    assert {change.reason for change in driver.changed} == {"package C6 is disabled"}
    eight = registered("intel:ivt", "ivt,sockets=8")
    assert times(eight)[2:] == [("C3", 59, 600), ("C6", 88, 700)]
    assert {change.reason for change in eight.changed} == {"the machine has 8 sockets"}
    dropped = registered("intel:gnr", "gnr,pc6=off", "7.3")
    assert [(lost.state, lost.cause) for lost in dropped.lost] == [("C6P", "unusable")]
    assert "package C6 is disabled" in dropped.lost[0].reason
    assert not registered("intel:gnr", "gnr,pc6=off", "7.0").lost


def test_lost_rows_have_their_causes() -> None:
    beyond = registered("intel:skx", "skx,max_cstate=2")
    assert [(lost.state, lost.cause) for lost in beyond.lost] == [("C6", "max-cstate")]
    assert [message.text for message in beyond.messages] == ["intel_idle: max_cstate 2 reached"]
    missing = registered("intel:skl", "skl,cpuid5=0x00000120")
    causes = {lost.state: lost.cause for lost in missing.lost}
    assert causes == dict.fromkeys(("C6", "C7s", "C8", "C9", "C10"), "no-substate")
    unusable = registered("intel:adl")
    assert [(lost.index, lost.cause) for lost in unusable.lost] == [(0, "unusable")]
    none = registered("intel:skx", "skx,max_cstate=0")
    assert not none.states
    assert {(lost.cause, lost.reason) for lost in none.lost} == {("no-driver", "max_cstate is 0")}


def test_a_state_that_firmware_does_not_name_is_registered_off() -> None:
    driver = registered("intel:grr", "grr,acpi=c1:c1e")
    assert [state.name for state in driver.states if state.off] == ["C6S"]
    assert driver.off == {3}
    assert [(c.field, c.after, c.reason) for c in driver.changed] == [
        ("default_status", "disabled", "ACPI names no state of hint 0x22")
    ]
    by_user = registered("intel:skx", "skx,states_off=0x4")
    assert by_user.off == {2}
    assert by_user.changed[0].reason == "bit 2 of states_off is set"


def test_the_timer_stops_without_arat() -> None:
    driver = registered("intel:skx", "skx,arat=off")
    assert [state.name for state in driver.states if state.timer_stop] == ["C6"]


def test_times_given_at_boot_are_taken_by_releases_that_know_them() -> None:
    platform = "skx,table=C6:150:700"
    assert times(registered("intel:skx", platform))[2] == ("C6", 150, 700)
    assert registered("intel:skx", platform).changed[0].reason == "intel_idle.table= says so"
    assert times(registered("intel:skx", platform, "6.19"))[2] == ("C6", 133, 600)


def test_acpis_states_stand_for_a_table() -> None:
    driver = registered("intel:skx", "skx,no_native,acpi=0x00/1:0x21/127:0x60/1048")
    assert times(driver) == [("C1_ACPI", 1, 1), ("C2_ACPI", 127, 381), ("C3_ACPI", 1048, 3144)]
    assert {lost.cause for lost in driver.lost} == {"not-native"}
    assert all(state.source is None for state in driver.states)


def test_what_is_assumed_is_told_until_it_is_named() -> None:
    assumed = registered("intel:spr").assumptions
    assert "package C6 is enabled (pc6=)" in assumed
    told = registered("intel:spr", "spr,pc6=on,arat=on,cpuid5=0x1111,acpi=none").assumptions
    assert told == ()


def test_figures_say_which_source_they_are_from() -> None:
    assert tree_of(release("6.9")) == "6.8"
    assert basis(release("7.0"), SKX) == ""
    assert (
        basis(release("6.9"), SKX)
        == "figures of Linux 6.9 not checked themselves; 6.8 and 6.11.11 have the same"
    )
    assert "has others" in basis(release("5.13"), ICX)
    assert basis(release("5.10.100"), SKX) == ""


@pytest.mark.parametrize(
    ("table", "kernel", "last"),
    [
        ("intel:icx", "5.12.9", ("C6", 128, 384)),
        ("intel:icx", "5.14", ("C6", 170, 600)),
        ("intel:icx", "5.10.265", ("C6", 128, 384)),
        ("intel:icx", "5.15", ("C6", 170, 600)),
        ("intel:ptl", "7.1", ("C10", 370, 2500)),
        ("intel:skx", "5.4", ("C6", 133, 600)),
        ("intel:skx", "4.15", ("C6", 133, 600)),
        ("intel:icx", "5.14.0-427.13.1.el9_4", ("C6", 170, 600)),
        ("intel:icx", "4.18.0-305.3.1.el8_4", ("C6", 128, 384)),
        ("intel:icx", "4.18.0-372.9.1.el8", ("C6", 170, 600)),
        ("intel:spr", "5.14.0-503.11.1.el9_5", ("C6", 290, 800)),
        ("intel:spr", "4.18.0-553.22.1.el8_10", ("C6", 290, 800)),
        ("intel:gnrd", "6.12.0-55.9.1.el10_0", ("C6P", 240, 750)),
        ("intel:gnr", "5.14.0-503.29.1.el9_5", ("C6P", 210, 1000)),
        ("intel:grr", "5.14.0-427.13.1.el9_4", ("C6S", 140, 500)),
    ],
)
def test_figures_of_releases_that_were_read(
    table: str, kernel: str, last: tuple[str, int, int]
) -> None:
    assert times(registered(table, kernel=kernel))[-1] == last


@pytest.mark.parametrize(
    ("without", "first"), [("6.1.56", "6.1.57"), ("6.1", "6.1.100"), ("6.0", "6.3")]
)
def test_emerald_rapids_came_to_stable_releases(without: str, first: str) -> None:
    assert listed_in(tree_of(release(without)), 0xCF) is None
    assert listed_in(tree_of(release(first)), 0xCF) is not None


@pytest.mark.parametrize("name", ["adl_l", "ADL_L", "ALDERLAKE_L", "alderlake-l"])
def test_the_kernels_own_spelling_names_a_processor(name: str) -> None:
    table = table_named(f"intel:{name}")
    assert table.name == "adl_l_cstates"
    assert parse_machine(name).machine == parse_machine("adl-l").machine


@pytest.mark.parametrize(
    ("name", "hint"), [("adl_q", "did you mean 'adl-l'"), ("a_b", "found 'a_b'"), ("a!", "'a!'")]
)
def test_an_unknown_processor_is_refused(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match=hint):
        table_named(f"intel:{name}")


def test_acpi_switches_nothing_off_before_5_6() -> None:
    platform = "skx,use_acpi,acpi=c1,states_off=2,max_cstate=3"
    older, newer = (registered("intel:skx", platform, kernel) for kernel in ("5.4", "5.6"))
    assert [state.off for state in older.states] == [False] * 4
    assert [state.off for state in newer.states] == [False, True, False, True]
    # the table ends before the limit is looked at
    assert older.messages == ()
    assert [each.text for each in newer.messages] == ["intel_idle: max_cstate 3 reached"]
    assert registered("intel:wcl,acpi=0x00/1", kernel="5.4").states == ()


def test_rhel_8_switches_rows_off_where_both_ask() -> None:
    for platform, off in (("skx,acpi=c1", False), ("skx,use_acpi,acpi=c1", True)):
        driver = registered("intel:skx", platform, "4.18.0-553.22.1.el8_10")
        assert driver.states[3].off == off
    assert (
        registered("intel:skl", "skl,use_acpi,acpi=c1", "rhel-4.18.0-553.22.1").states[3].off
        is False
    )


def test_releases_before_the_model_are_refused() -> None:
    with pytest.raises(UsageError, match=r"expected Linux 4.4 or later .* found 4.1"):
        registered("intel:skx", "skx", "4.1")


def test_a_table_belongs_to_its_processor() -> None:
    with pytest.raises(UsageError, match="is for SKYLAKE_X"):
        registered("intel:skx@7.0", "icx")
    with pytest.raises(UsageError, match=r"expected a table of intel_idle .* found power9"):
        Subject.of(read_table("power9"), [], parse("skx"))
    with pytest.raises(UsageError, match=r"expected a processor .* found 'skz'"):
        read_table("intel:skz")
    with pytest.raises(UsageError, match="its states are ACPI's"):
        read_table("intel:wcl")


WILDCAT_LAKE = "intel:wcl,acpi=0x00/1:0x21/127:0x60/1048"


def test_a_processor_without_a_table_has_the_states_that_acpi_names() -> None:
    """A machine of that model was reported so, and with the times that its owner weighed."""
    table = read_table(WILDCAT_LAKE).table
    assert table is not None
    plain = Subject.of(read_table(WILDCAT_LAKE), []).linux(release("7.1"))
    assert times(plain) == [("C1_ACPI", 1, 1), ("C2_ACPI", 127, 381), ("C3_ACPI", 1048, 3144)]
    assert (plain.changed, plain.lost) == ((), ())
    assert [state.source for state in plain.states] == [None, 0, 1, 2]
    weighed = read_table(f"{WILDCAT_LAKE},table=C2_ACPI:300:300,C3_ACPI:370:2500")
    driver = Subject.of(weighed, []).linux(release("7.1"))
    assert times(driver)[1:] == [("C2_ACPI", 300, 300), ("C3_ACPI", 370, 2500)]
    assert [(c.state, c.field) for c in driver.changed] == [
        ("C2_ACPI", "latency"),
        ("C2_ACPI", "residency"),
        ("C3_ACPI", "latency"),
        ("C3_ACPI", "residency"),
    ]
    limited = read_table(f"{WILDCAT_LAKE},max_cstate=2")
    lost = Subject.of(limited, []).linux(release("7.1")).lost
    assert [(each.index, each.cause) for each in lost] == [(2, "max-cstate")]
    with pytest.raises(UsageError, match="with their latencies"):
        read_table("intel:wcl,acpi=0x00:0x21")


def test_a_table_may_name_its_whole_machine() -> None:
    plain, without = (
        Subject.of(read_table(text), []).linux(release("7.0"))
        for text in ("intel:spr", "intel:spr,pc6=off")
    )
    assert (times(plain)[2], times(without)[2]) == (("C6", 290, 800), ("C6", 190, 600))
    with pytest.raises(UsageError, match="expected one machine"):
        Subject.of(read_table("intel:spr,pc6=off"), [], parse("spr"))
    with pytest.raises(UsageError, match="expected one of"):
        read_table("intel:spr,pc7=off")
