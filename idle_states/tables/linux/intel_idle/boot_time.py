"""The value of table= that gives intel_idle's states a table's times at boot."""

from collections.abc import Mapping

from ....base.dataclass import replace
from ....base.model.findings import UsageError
from ....base.model.table import IdleTable
from ....base.wording import joined
from ..driver_table import DriverTable
from ..releases import Release
from . import PREFIX as NAMED
from .cmdline import TableArgument, Times, table_argument
from .features import features
from .packaged import is_named, table_named
from .platform import X86Platform
from .register import register
from .table_parameter import SINCE, Adjustable, refusal, unfit


def argument_of(table: IdleTable, release: Release, platform: X86Platform) -> TableArgument:
    """The value of table= that gives a release's own states on a machine a table's times; of a
    packaged table, and of ACPI's states, those that the platform's own table= leaves.

    Raises UsageError where the release has no such parameter, where times are no whole
    microseconds, and where the driver would refuse the value.
    """
    assert table.origin.form == "driver"
    if table.origin.by_release or not table.origin.cpus:
        driver = register(table, release, platform)
        if platform.parameters.table:
            _hold_accepted(driver, release, platform)
        wanted = {
            state.name: (state.exit_latency_us, state.target_residency_us)
            for state in driver.states[1:]
        }
    else:
        wanted = _times(table)
    return argument_for(wanted, release, platform)


def _hold_accepted(driver: DriverTable, release: Release, platform: X86Platform) -> None:
    """Raises UsageError where the driver refuses the platform's own table= or leaves out some of
    it, in the words of its log."""
    refused, texts = refusal(driver.messages)
    if not (refused or texts):
        return
    value = platform.parameters.table.decode("utf-8", "backslashreplace")
    why = joined(texts) or "not NAME:LATENCY:RESIDENCY[,...] with numbers of us"
    # of a refused value nothing stays, so that these are the stock times
    spoilt = unfit(driver.states)
    also = f"; no value is accepted that leaves {joined(spoilt, 'or')} as it is" * bool(spoilt)
    raise UsageError(
        f"expected a table= that Linux {release.name} accepts whole, found {value}: {why}{also}"
    )


def argument_for(
    wanted: Mapping[str, Times], release: Release, platform: X86Platform
) -> TableArgument:
    """The same for times by state's name, in us."""
    if not features(release).table_parameter:
        raise UsageError(
            f"expected Linux {SINCE} or later, whose intel_idle has the parameter table, found "
            f"{release.name}; `generate --to cmdline --keep STATE` gives one that only leaves out"
        )
    stock = stock_of(release, platform)
    if not stock.states:
        reasons = "; ".join(dict.fromkeys(lost.reason for lost in stock.lost))
        raise UsageError(
            f"expected Linux {release.name} to register states on {platform.name}, found none: "
            f"{reasons}"
        )
    states = [
        Adjustable(state.name, state.exit_latency_us, state.target_residency_us)
        for state in stock.states
    ]
    registered = {state.name for state in states}
    lost = {lost.state for lost in stock.lost}
    known = {name: times for name, times in wanted.items() if name in registered - {"POLL"}}
    strange = [name for name in wanted if name not in registered | lost]
    return table_argument(states, known | {name: wanted[name] for name in strange})


def stock_of(release: Release, platform: X86Platform) -> DriverTable:
    """Returns the states that a release registers on a machine of its own table, without table=."""
    plain = replace(platform, parameters=replace(platform.parameters, table=b""))
    name = platform.name.partition(",table=")[0]
    if not is_named(f"{NAMED}{name}") or not platform.processor:
        raise UsageError(f"expected a platform by its processor's name, found {platform.name}")
    return register(table_named(f"{NAMED}{name}"), release, plain)


def _times(table: IdleTable) -> dict[str, Times]:
    found = {}
    for state in table.states:
        residency_ns = state.residency_ns or 0
        if state.latency_ns % 1000 or residency_ns % 1000:
            raise UsageError(
                f"expected whole microseconds for {state.name}, as intel_idle has them, found "
                f"{state.latency_ns} ns and {residency_ns} ns"
            )
        found[state.name] = state.latency_ns // 1000, residency_ns // 1000
    return found
