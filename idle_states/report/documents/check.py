"""check."""

from collections.abc import Sequence
from typing import Annotated

from ... import findings
from ...forms import Form, derived
from .findings import Finding, Summary


class Check(Form[Sequence[findings.Finding]]):
    findings: Annotated[list[Finding], "All findings, suppressed ones included."] = derived(
        lambda found: found
    )
    summary: Summary = derived(lambda found: found)
