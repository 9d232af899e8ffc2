"""A check, and its result."""

from collections.abc import Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path

from ...base.dataclass import dataclass, replace
from ...base.model.findings import Finding, Location, Unreadable, sort_findings
from ...base.prepared import product, unpickled
from ...base.reading.unexpected import internal_error, raise_expected
from ...base.resources import is_packaged
from ...base.wording import plural
from ..linux.grounds import known_by, left_out
from ..linux.platforms import firmware_of, knowing, subsystem_of
from ..linux.releases import DEFAULT, Release, release
from ..sources import Source
from ..sources.here import tables_here, tables_of, tables_within
from ..sources.source import with_processor_of
from .criteria import Criteria
from .request import AUTO, DTSCHEMA, NATIVE, CheckRequest, Engine


@dataclass(frozen=True)
class Checked:
    """The result of a check.

    criteria  what was asked for
    sources   all tables
    findings  findings, with accepted ones marked as suppressed
    texts     file -> text, for quoting lines
    what      what was looked at where no file was named, for people; "" where all were named
    complete  False if something that was found could not be read; a finding says so
    without   why device trees were not held to the dt-schema binding, and what to do; "" if they
              were, or there are none
    """

    criteria: Criteria
    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    texts: dict[str, str]
    what: str = ""
    complete: bool = True
    without: str = ""

    @cached_property
    def _followed(self) -> list[tuple[str, Sequence[Release], Sequence[Release]]]:
        """Each table's driver, the releases that it was followed to, and those left out."""
        tables = (source.table for source in self.sources if source.table is not None)
        platform = self.criteria.platform
        return [(subsystem_of(each, platform), *self.criteria.followed(each)) for each in tables]

    @property
    def kernels(self) -> tuple[Release, ...]:
        """The releases that tables were checked for."""
        checked = dict.fromkeys(chain(*(known for _, known, _ in self._followed)))
        named = self.criteria.kernels
        if self._followed:
            named = tuple(kernel for kernel in named if kernel in checked)
        return tuple(dict.fromkeys(chain(named, checked)))

    @property
    def size(self) -> str:
        """Returns the number of tables and releases in words."""
        tables, kernels = plural(len(self.sources), "table"), plural(len(self.kernels), "kernel")
        return f"{tables}, {kernels}"

    @property
    def left_out(self) -> list[str]:
        """Says which releases the drivers of tables are not modelled for."""
        remarks = (left_out(unknown, driver) for driver, _, unknown in self._followed)
        return [line for line in dict.fromkeys(remarks) if line]

    @property
    def remarks(self) -> list[str]:
        """The remarks on how well the releases are known whose drivers were followed."""
        return known_by(
            dict.fromkeys((each, driver) for driver, known, _ in self._followed for each in known)
        )

    @property
    def homes(self) -> dict[str, Location]:
        """Table -> the place in its own file that says what it extends, or its name."""
        name2where = {each.table.name: each.table.where for each in self.sources if each.table}
        return {
            name: place
            for name, where in name2where.items()
            if (place := where.get("extends") or where.get("table"))
        }

    @property
    def inputs(self) -> list[tuple[str, str]]:
        """Files that were read, with their SHA-256."""
        return [(source.file, source.sha256) for source in self.sources]


def found_on(sources: Sequence[Source], criteria: Criteria) -> list[Finding]:
    """Returns the findings of rules. A check without a word has those on the packaged tables from
    when idle-states was built."""
    usual = Criteria(tuple(map(release, DEFAULT)), own_time=True, own_kernel=True)
    if sources and is_packaged(sources[0].file) and criteria == usual:
        files, found = unpickled(data) if (data := product("findings")) else ((), [])
        if files == [(each.file, each.sha256) for each in sources]:
            return list(found)
    from .check import check

    return check(sources, criteria)


def check(request: CheckRequest) -> Checked:
    """Checks as requested. Raises Unreadable, OSError and what reading tables raises."""
    criteria = request.criteria
    if request.tables:
        looked = tables_of(request.tables)
    else:
        configuration = request.acceptance.configuration()
        within = configuration.tables if configuration else ()
        if configuration and within:
            looked = tables_within(Path(configuration.file).parent, within)
        else:
            looked = tables_here()
    platform = knowing(criteria.platform, (source.table for source in looked.sources))
    criteria = replace(criteria, platform=platform)
    specs = firmware_of(platform).specs
    sources = tuple(with_processor_of(source, specs) for source in looked.sources)
    findings = [finding for failure in looked.failures for finding in failure.findings]
    if request.engine != DTSCHEMA:
        findings += found_on(sources, criteria)
    findings, without = _with_binding(findings, sources, request.engine, criteria)
    quoted = chain((each.texts for each in looked.failures), (each.texts for each in sources))
    texts = dict(chain.from_iterable(each.items() for each in quoted))
    changes = request.acceptance.changes(texts)
    findings += [finding for finding in changes if criteria.rules.takes(finding.rule)]
    findings = sort_findings(findings)
    named = [(source.name, source.file) for source in sources]
    found = request.acceptance.applied(findings, named, texts)
    whole = not looked.failures
    return Checked(criteria, sources, tuple(found), texts, looked.what, whole, without)


def _with_binding(
    native: list[Finding], sources: Sequence[Source], engine: Engine, criteria: Criteria
) -> tuple[list[Finding], str]:
    """The findings with those of the dt-schema binding, as far as the engine asks for it; and why
    device trees were not held to it, "" if they were."""
    if engine == AUTO:
        sources = [each for each in sources if each.node is not None and each.table is not None]
    if engine == NATIVE or (engine == AUTO and not sources):
        return native, ""
    from .dtschema_engine import check as check_with_dtschema
    from .dtschema_engine import confirmed

    try:
        second = check_with_dtschema(sources, firmware_of(criteria.platform), criteria.rules)
        return list(dict.fromkeys(confirmed(native, second))), ""
    except Unreadable as error:
        if engine != AUTO:
            raise
        return native, error.findings[0].message
    except Exception as error:
        raise_expected(error)
        where = Location(path=f"--engine {engine}")
        return [*native, internal_error(error, where)], ""
