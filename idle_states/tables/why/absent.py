"""The reasons why no CPU has a state of a name: rows of a table, in the order of their rank."""

from collections.abc import Callable, Iterator
from itertools import product

from ...base.model.beyond_opal import AcpiIdle
from ...base.reading.acpi.signs import OBTAINED
from ...base.wording import joined
from ..devicetree.idle_nodes import DOMAIN_STATE
from ..linux.acpi_idle.machine import AcpiMachine
from ..linux.acpi_idle.register import register
from ..linux.acpi_idle.slots import MOST_C2_US, MOST_C3_US
from ..linux.acpi_idle.told import PARAMETERS, parameters_of
from ..linux.driver_table import DriverTable
from ..linux.held import OWN, held_of
from ..linux.intel_idle.known import known_tables
from ..linux.intel_idle.origin import ACPI, CST, HINT, INTEL, origin
from ..pipeline import journey
from ..skiboot.platform import ALL_LEVELS
from ..sources import Source
from .machine import CPUS, SeenMachine
from .reasons import Evidence, Reason

_NAME_BYTES, _TELLING = 15, 3
"""A name's in sysfs; states, with the polling one, that tell a processor's table."""
_LEAVES_NONE = (
    ("cpuidle", "off", "cpuidle is off"),
    ("processor", "nocst", "acpi_idle does not read the states that ACPI offers"),
)
ACPI_DRIVERS = ACPI, "none"
"""Drivers of machines whose states are ACPI's, or would be."""
_DRIVER = f"{CPUS}/cpuidle/current_driver"


def _no_cpuidle(machine: SeenMachine, name: str) -> Evidence:
    if machine.dump.cpus:
        return None
    for module, word, because in _LEAVES_NONE:
        given = machine.parameter(module, word)
        if given and given[0] in ("1", "Y", "y"):
            return f"{because} ({module}.{word})", given[1], "boot without it"
    for word in (machine.text_of("cmdline") or "").split():
        if word in ("idle=poll", "idle=halt", "powersave=off"):
            because = f"{word} keeps cpuidle's drivers from registering states"
            return because, "/proc/cmdline", "boot without it"
    return None


def _of_guest(machine: SeenMachine, name: str) -> Evidence:
    if machine.driver != "haltpoll":
        return None
    because = "this is a guest whose driver, haltpoll, polls and halts; it has no other states"
    return because, _DRIVER, "the host decides how deep a halted CPU sleeps: ask there"


def _by_parameter(machine: SeenMachine, name: str) -> Evidence:
    module = {INTEL: "intel_idle", ACPI: "processor"}.get(machine.driver, "")
    limit, off = (machine.parameter(each, "max_cstate") for each in (module, "intel_idle"))
    if machine.driver == ACPI and machine.firmware:
        # exactly what max_cstate leaves out, and not what the tables lack
        losses = (lost for _, driver in _drivers(machine) for lost in driver.lost)
        lost = next((each for each in losses if each.state == name), None)
        if lost and lost.cause == "max-cstate":
            where = limit[1] if limit else lost.ground
            return lost.reason, where, "boot with a greater processor.max_cstate"
        limit = None
    most = max((len(states) - 1 for states in machine.dump.cpus.values()), default=0)
    if not module or name not in {row.name for table in known_tables() for row in table.rows}:
        return None
    if limit and limit[0] == str(most):
        because = f"{module}.max_cstate={most} allows as many states as there are"
        return because, limit[1], f"boot with a greater {module}.max_cstate"
    if machine.driver == ACPI and off and off[0] == "0":
        because = "intel_idle is off (max_cstate=0), and acpi_idle has what ACPI offers"
        return because, off[1], "boot without intel_idle.max_cstate=0"
    return None


def _on_its_way(machine: SeenMachine, name: str) -> Evidence:
    """Not in firmware's table, or lost by the driver."""
    tables = [source.table for source in machine.firmware if source.table]
    names = dict.fromkeys(row.name for table in tables for row in table.states)
    shown = {each[:_NAME_BYTES] for each in names}
    held = {state.name for states in machine.dump.cpus.values() for state in states}
    acpi = [table.origin for table in tables if table.origin.form == "acpi"]
    # other drivers have tables of their own, and intel_idle's has states of ACPI's names, too
    foreign = machine.driver not in ACPI_DRIVERS if acpi else held - {*OWN} and not shown & held
    if foreign or not tables:
        return None
    for source, driver in _drivers(machine):
        for lost in driver.lost:
            if name in (lost.state[:_NAME_BYTES], ""):
                because = f"Linux {driver.kernel} does not register it: {lost.reason}"
                step = f"idle-states check {source.file} names the rule"
                return because, f"{source.file}; {lost.ground}", step
    if name in shown or (not name and names.keys() - {"C1"}):
        return None
    because = f"firmware does not offer it: its table has {', '.join(names)}"
    because += "".join(f"; {bad.path}: {bad.entry}" for each in acpi for bad in each.malformed)
    because = because if names else _of_fadt(acpi[0], name)
    step = "see firmware's settings and its release"
    return (because, machine.firmware[0].file, step) if because else None


def _of_fadt(acpi: AcpiIdle, name: str) -> str:
    """Tells why the FADT gives no such state to processors without _CST."""
    fadt, because = acpi.fadt, "ACPI has no _CST, and"
    if not fadt or not AcpiMachine(acpi).block:
        return f"{because} no ports of C2 and C3 (P_BLK): C1 is the only state"
    states = (("C2", fadt.c2_latency_us, MOST_C2_US), ("C3", fadt.c3_latency_us, MOST_C3_US))
    above = "; ".join(
        f"the FADT's {each} takes {us} us, where Linux accepts {most} us at most"
        for each, us, most in states
        if us > most and name in (each, "")
    )
    if not above and name in ("C2", "C3"):
        return ""
    return f"{because} {above or 'the FADT has C2 and C3 alone'}"


def _of_domain(machine: SeenMachine, name: str) -> Evidence:
    for source, driver in _drivers(machine):
        for domain in driver.domains:
            if name in (state.name[:_NAME_BYTES] for state in domain.states):
                because = (
                    f"it belongs to power domain {domain.name}, not to cpuidle: {DOMAIN_STATE}"
                )
                step = f"/sys/kernel/debug/pm_genpd/{domain.name}/idle_states counts its entries"
                return because, f"{source.file}: {domain.path}", step
    return None


def _drivers(machine: SeenMachine) -> Iterator[tuple[Source, DriverTable]]:
    """Yields firmware's tables, and what the kernel's model makes of each on this machine."""
    named = ((each, machine.parameter("processor", each)) for each in PARAMETERS)
    words = [f"processor.{name}={found[0]}" for name, found in named if found]
    given = parameters_of([*words, *(machine.text_of("cmdline") or "").split()])
    for source, release in product(machine.firmware, filter(None, [machine.release])):
        table, cpuinfo = source.table, machine.cpuinfo
        if table and table.origin.form == "acpi":
            yield source, register(table, release, parameters=given, cpuinfo=cpuinfo)
        else:
            yield source, journey(source, ALL_LEVELS, [release]).arrivals[0].driver


def _by_acpi(machine: SeenMachine, name: str) -> Evidence:
    """The state of ACPI's that stands for one of intel_idle's, by the hints of Core processors."""
    states = next(iter(machine.dump.cpus.values()), ())[1:]
    hints = {s.name: int(hint[1], 16) for s in states if (hint := HINT.search(s.description))}
    tables = [{r.name: r.mwait_hint >> 4 for r in table.rows} for table in known_tables()]
    known = {names.get(name) for names in tables if names.get("C6") == 2} - {None}
    if not (known and hints) or not all(map(CST.fullmatch, hints)):
        return None
    alike = joined([each for each, hint in hints.items() if hint >> 4 in known])
    because = (
        f"intel_idle took ACPI's states, MWAIT {joined([f'{h:#04x}' for h in hints.values()])}"
    )
    proxy = f"by its hint {alike} stands for it" if alike else "none of them stands for it"
    step = "a kernel whose intel_idle has a table for this processor has states of these names"
    return f"{because}: {proxy}", f"{CPUS}/cpu{min(machine.dump.cpus)}/cpuidle/state*/desc", step


def _not_of_intel(machine: SeenMachine, name: str) -> Evidence:
    cpus = [*machine.dump.cpus]
    if machine.driver != INTEL or not cpus or len(machine.dump.cpus[cpus[0]]) < _TELLING:
        return None
    found = origin(held_of(machine.dump, cpus[:1]))
    if found is None or found.kind != "native":
        return None
    if name in found.missing:
        because = f"{found.name} has it; the processor lacks it, or a parameter or the driver left"
        return f"{because} it out", _DRIVER, "dmesg | grep intel_idle"
    if found.missing or found.changed or len(found.tables) > 1:
        return None
    because = f"{found.name} has these states alone"
    return because, _DRIVER, "neither the processor's table nor its driver has such a state"


ROWS: dict[str, Callable[[SeenMachine, str], Evidence]] = {
    "cpuidle-off": _no_cpuidle,
    "guest-driver": _of_guest,
    "max-cstate": _by_parameter,
    "lost-on-the-way": _on_its_way,
    "domain-state": _of_domain,
    "acpi-states": _by_acpi,
    "not-in-table": _not_of_intel,
}


def absence(machine: SeenMachine, name: str) -> Reason:
    """Returns the reason why no CPU has a state of this name, or one that none is known."""
    for kind, row in ROWS.items():
        if found := row(machine, name):
            return Reason(kind, *found)
    because = "nothing that was seen tells why no CPU has it"
    where, step = _DRIVER, "collect, run as root, sees firmware's tables"
    if machine.driver == ACPI and machine.firmware:
        because, step = f"{because}: by the driver's model ACPI gives it", "dmesg | grep -i acpi"
    elif machine.driver == ACPI:
        because = "acpi_idle makes its states of ACPI's tables, which were not seen"
        where, step = "/sys/firmware/acpi/tables", f"get them {OBTAINED}"
    elif machine.dump.missed:
        because = f"{because}, and not all could be read: {machine.dump.missed[0]}"
    elif not machine.dump.cpus and not machine.driver:
        because = "nothing of cpuidle was seen below /sys"
        step = "outside of a container? then the kernel has no cpuidle (CONFIG_CPU_IDLE)"
    return Reason("unknown", f"not known: {because}", where, step)
