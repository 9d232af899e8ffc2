"""Options that say where a result goes, and in which form."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Literal

from ..base.dataclass import dataclass, field
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


@dataclass(frozen=True, slots=True)
class WaitingResult:
    """A result that waits to be given out.

    kind     of text and documents content is that; of a page the command, the sheet and the inputs
    file     that it goes to; None: standard output
    """

    kind: Literal["document", "text", "page"]
    file: str | None
    content: Any = field(hash=False)

    def give_out(self, content: Any = None) -> None:
        """Prints or writes it, or another content in its place."""
        from ..base.report import printer

        given = self.content if content is None else content
        if self.kind == "page":
            from ..base.files import write_file
            from ..base.report.html import page

            assert self.file
            command, sheet, inputs = given
            write_file(self.file, page.render(command, sheet, inputs, self.file))
        else:
            (printer.text if self.kind == "text" else printer.document)(given, self.file)


@dataclass(slots=True)
class Waiting:
    """Results that wait.

    lines  of standard error, which are not repeated
    met    the kernels that are not known, as far as the run has come upon them
    """

    lines: set[str]
    met: Mapping[str, object]
    results: list[WaitingResult] = field(default_factory=list)


_WAITING: ContextVar[Waiting | None] = ContextVar("waiting", default=None)


@contextmanager
def held(lines: set[str], met: Mapping[str, object]) -> Iterator[list[WaitingResult]]:
    """Makes results wait, as long as the context lasts; they are in the list then. lines, met: as
    of Waiting."""
    waiting = Waiting(lines, met)
    token = _WAITING.set(waiting)
    try:
        yield waiting.results
    finally:
        _WAITING.reset(token)


def deliver() -> None:
    """Gives out what waits, where the command runs for known kernels only: before it removes what
    it would need if that failed. Raises OSError."""
    waiting = _WAITING.get()
    while waiting is not None and waiting.results and not waiting.met:
        waiting.results.pop(0).give_out()


def expect_known(file: str) -> None:
    """Raises UsageError for a file that can hold one answer, where a kernel is not known."""
    waiting = _WAITING.get()
    if waiting is not None and waiting.met:
        names = ", ".join(waiting.met)
        raise UsageError(
            f"cannot decide what to write into {file}: Linux {names} is not known here; name "
            "another with --kernel (idle-states kernels lists them)"
        )


def is_repeated(message: str) -> bool:
    """Tells whether a line was said before, in a run of the same command for another kernel."""
    waiting = _WAITING.get()
    if waiting is None:
        return False
    again = message in waiting.lines
    waiting.lines.add(message)
    return again


def _give(result: WaitingResult) -> None:
    waiting = _WAITING.get()
    if waiting is None:
        result.give_out()
    else:
        waiting.results.append(result)


NO_PAGE = Options(html=None)
"""Options of a command whose result has no page."""
FILE_ALONE = Options(html=None, format=None)
"""Options of a command whose result has one form."""


@dataclass(frozen=True, slots=True)
class Output:
    """The destination of a result, and its form.

    html  a page with pictures beside it
    file  instead of standard output; None, or - as a word: that
    """

    html: Annotated[
        str | None,
        Option("--html", "also write a page with pictures, as one complete file", metavar="FILE"),
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
        """The style of text for people."""
        from ..base.report.style import Style

        return Style(False) if self.file else Style.of()

    def document(self, content: str | bytes) -> None:
        """A result for programs; a file is written beside and renamed."""
        _give(WaitingResult("document", self.file, content))

    def text(self, content: str) -> None:
        """A result for people."""
        _give(WaitingResult("text", self.file, content))

    def print_sheet(self, sheet: "Sheet") -> None:
        """A result for people."""
        from ..base.report.sheet_text import text

        self.text(text(sheet, self.style))

    def page(self, command: str, sheet: "Sheet", inputs: Iterable[tuple[str, str]]) -> None:
        """Writes the page of --html, which must have been given. Raises OSError."""
        assert self.html
        _give(WaitingResult("page", self.html, (command, sheet, inputs)))


USUAL = Output()
