"""The request for a check."""

from typing import Literal

from ...base.dataclass import dataclass, field
from ...base.options import Annotated, Argument, LeftOut, Option, Options, check_choices
from ..linux.request_parts import kernels, table_of
from .acceptance import Acceptance
from .criteria import Criteria

Engine = Literal["auto", "native", "dtschema", "all"]
AUTO: Engine = "auto"
NATIVE: Engine = "native"
DTSCHEMA: Engine = "dtschema"


@dataclass(frozen=True, slots=True)
class CheckRequest:
    """The tables to check, and the engine that checks them.

    tables  TABLE arguments, or directories for the tables below them; empty: that of the platform,
            an x86 machine, else those that the configuration names, else what the repository or
            folder that one is in has, else all current revisions
    engine  NATIVE: this tool's rules; DTSCHEMA: the dt-schema binding; "all": both; AUTO: both for
            device trees, if dtschema is installed, and this tool's rules for all else
    """

    tables: Annotated[
        tuple[str, ...],
        Argument(
            "TABLE",
            "revision, file or directory (default: the tables of this folder or repository, or of "
            "the x86 machine that --platform names)",
        ),
    ]
    criteria: Annotated[
        Criteria,
        Options(
            kernels=kernels(
                "long-term",
                "the long-term releases, the newest, two of Debian's, and those of the "
                "processor's time",
            ),
            own_time=LeftOut("kernels"),
        ),
    ]
    engine: Annotated[
        Engine,
        Option(
            "--engine",
            "rules of this tool, the dt-schema binding, or both (default: auto, which is both for "
            "device trees where dtschema is installed, and native for all else)",
        ),
    ] = AUTO
    acceptance: Annotated[Acceptance, Options(configures=True)] = field(default_factory=Acceptance)

    def __post_init__(self) -> None:
        check_choices(self)
        if not self.tables and (machine := table_of(self.criteria.platform)):
            object.__setattr__(self, "tables", (machine,))
