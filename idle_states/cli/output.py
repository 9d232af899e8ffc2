"""Options that say where a result goes, and in which form."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ..base.dataclass import dataclass
from ..base.model.findings import UsageError
from ..base.options import Annotated, Option, Options

if TYPE_CHECKING:
    from ..base.report.sheet import Sheet
    from ..base.report.style import Style

OUTPUT = "write there instead of standard output"


def formats(*more: str, help: str = "") -> Option:
    """Returns the option that chooses among text and other forms."""
    return Option("--format", help, choices=("text", *more), configured=True)


FINDINGS = formats("json", "sarif", "github", "junit")
"""Forms of a result that is findings."""


NO_PAGE = Options(html=None)
"""Of a command whose result has no page."""
FILE_ALONE = Options(html=None, format=None)
"""Of a command whose result has one form."""


@dataclass(frozen=True, slots=True)
class Output:
    """Where a result goes, and in which form.

    html  a page with pictures beside it
    file  instead of standard output; None, or - as a word: that
    """

    html: Annotated[
        str | None,
        Option("--html", "write a page with pictures too, complete in itself", metavar="FILE"),
    ] = None
    format: Annotated[str, formats("json")] = "text"
    file: Annotated[str | None, Option("--output", OUTPUT, short="-o", metavar="FILE")] = None

    def __post_init__(self) -> None:
        if self.file == "-":
            object.__setattr__(self, "file", None)
        self.expect_apart("--html", self.html)

    def expect_apart(self, option: str, file: object) -> None:
        """Raises UsageError where a file that another option names is standard output, as the
        result's is."""
        if not self.file and str(file) == "-":
            raise UsageError(f"expected -o FILE with {option} -: both go to standard output")

    @property
    def style(self) -> "Style":
        """Of text for people."""
        from ..base.report.style import Style

        return Style(False) if self.file else Style.of()

    def document(self, content: str | bytes) -> None:
        """A result for programs; a file is written beside and renamed."""
        from ..base.report import printer

        printer.document(content, self.file)

    def text(self, content: str) -> None:
        """A result for people."""
        from ..base.report import printer

        printer.text(content, self.file)

    def said(self, sheet: "Sheet") -> None:
        """A result for people."""
        from ..base.report.sheet_text import text

        self.text(text(sheet, self.style))

    def page(self, command: str, sheet: "Sheet", inputs: Iterable[tuple[str, str]]) -> None:
        """Writes the page of --html, which must have been given. Raises OSError."""
        from ..base.files import write_file
        from ..base.report.html import page

        assert self.html
        write_file(self.html, page.render(command, sheet, inputs))


USUAL = Output()
