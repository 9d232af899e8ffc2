"""A check, and its result."""

from itertools import chain
from pathlib import Path

from ...base.dataclass import dataclass
from ...base.model.findings import Finding, Location, sort_findings
from ...base.reading.unexpected import internal_error, raise_expected
from ..linux.grounds import remarks
from ..linux.platforms import firmware_of, subsystem_of
from ..linux.releases import Release
from ..sources import Source
from ..sources.here import tables_here, tables_of, tables_within
from .check import check as found_on
from .criteria import Criteria
from .request import DTSCHEMA, NATIVE, CheckRequest


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check.

    sources   all tables
    findings  findings, with accepted ones marked as suppressed
    texts     file -> text, for quoting lines
    what      what was looked at where no file was named, for people; "" where all were named
    complete  False if something that was found could not be read; a finding says so
    """

    sources: tuple[Source, ...]
    findings: tuple[Finding, ...]
    texts: dict[str, str]
    what: str = ""
    complete: bool = True

    def kernels(self, criteria: Criteria) -> tuple[Release, ...]:
        """The releases that tables were checked for."""
        tables = [source.table for source in self.sources if source.table is not None]
        taken = dict.fromkeys(chain(*map(criteria.kernels_of, tables)))
        asked = (kernel for kernel in criteria.kernels if kernel in taken or not tables)
        return tuple(dict.fromkeys(chain(asked, taken)))

    def left_out(self, criteria: Criteria) -> list[str]:
        """Says which releases the drivers of tables are not modelled for."""
        tables = (source.table for source in self.sources)
        said = (criteria.left_out(table) for table in tables if table is not None)
        return [line for line in dict.fromkeys(said) if line]

    def remarks(self, criteria: Criteria) -> list[str]:
        """How well the releases are known whose drivers were followed."""
        driver2kernels: dict[str, dict[Release, None]] = {}
        for source in self.sources:
            if source.table is not None:
                kernels = driver2kernels.setdefault(
                    subsystem_of(source.table, criteria.platform), {}
                )
                kernels.update(dict.fromkeys(criteria.kernels_of(source.table)))
        return [
            line for driver in driver2kernels for line in remarks(driver2kernels[driver], driver)
        ]

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
    sources = looked.sources
    findings = [finding for failure in looked.failures for finding in failure.findings]
    if request.engine != DTSCHEMA:
        findings += found_on(sources, criteria)
    if request.engine != NATIVE:
        from .dtschema_engine import check as check_with_dtschema
        from .dtschema_engine import confirmed

        try:
            second = check_with_dtschema(sources, firmware_of(criteria.platform), criteria.rules)
            findings = list(dict.fromkeys(confirmed(findings, second)))
        except Exception as error:
            raise_expected(error)
            findings.append(internal_error(error, Location(path=f"--engine {request.engine}")))
    quoted = chain((each.texts for each in looked.failures), (each.texts for each in sources))
    texts = dict(chain.from_iterable(each.items() for each in quoted))
    changes = request.acceptance.changes(texts)
    findings += [finding for finding in changes if criteria.rules.takes(finding.rule)]
    findings = sort_findings(findings)
    named = [(source.name, source.file) for source in sources]
    found = request.acceptance.applied(findings, named, texts)
    return Checked(sources, tuple(found), texts, looked.what, not looked.failures)
