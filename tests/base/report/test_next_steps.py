"""The next step below the errors of a reader."""

from idle_states.base.model.findings import Finding, Location, Severity, advised
from idle_states.base.report.findings_text import render
from idle_states.base.report.style import Style


def test_a_step_stands_once_below_the_last_of_its_errors() -> None:
    names = ("expected a, found b", "expected c, found d; give e", "expected f, found g")
    found = [Finding("IS930", "n", Severity.ERROR, name, Location(file="x")) for name in names]
    other = Finding("IS203", "n", Severity.ERROR, "m", Location(file="x"))
    told = advised([found[1], other, found[0], found[2]], "try RULE")
    assert [each.next_step for each in told] == ["", "", "try IS930", "try IS930"]
    text = render(told, {}, Style(colour=False), notes=True)
    assert text.count("next: ") == 1
    assert text.endswith("      = next: try IS930\n")
