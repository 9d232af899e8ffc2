"""check."""

from collections.abc import Sequence
from typing import Annotated

from ...base.model import findings
from ...base.model.forms import Form, derived
from ..documents.findings_document import Finding, Summary


class Check(Form[Sequence[findings.Finding]]):
    findings: Annotated[list[Finding], "All findings, suppressed ones included."] = derived(
        lambda found: found
    )
    summary: Summary = derived(lambda found: found)
