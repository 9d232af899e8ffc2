"""Explains why a machine uses an idle state, or does not: this machine, one that `collect`
gathered, a dump of cpuidle's sysfs, or a directory with another machine's sys and proc.

    idle-states why                      each state of this machine that is hardly used
    idle-states why C6 machine.tar
    idle-states why C6 --for 10          as root: also samples this machine for ten seconds
    idle-states why C6 machine.tar --recording recording.txt

A word that is an existing path is FROM, another is a state; of a file with several machines FROM is
FILE:NAME. Each reason has its evidence, where
that stands and the next step; what might tell more and was not seen is named. Where nothing that
was seen explains it, the answer is that it is not known.

A sample tells CPU by CPU how often the kernel and the governor's model decided for each state, what
the governor was given and what ended the idle periods. Of another machine it is the recording that
the script of `collect --record --wake-ups` prints there."""

from ..base.dataclass import dataclass
from ..tables.why.request import WhyRequest
from .output import USUAL, Output


@dataclass(frozen=True, slots=True)
class WhyCommand:
    """Options of `why`."""

    request: WhyRequest
    out: Output = USUAL


def run(given: WhyCommand) -> int:
    from ..tables.why.answer import why
    from ..tables.why.sheet import sheet

    request, out, machine = given.request, given.out, None
    if request.seconds is not None or request.recording:
        from ..lab.replay.sampled import sampled_machine

        machine = sampled_machine(request)
    found = why(request, machine)
    if out.html:
        from ..tables.why.ways import of_machine

        out.page("why", sheet(found, [of_machine(found)]), found.machine.inputs)
    if out.format == "json":
        from ..tables.documents.json_output import envelope
        from ..tables.why.why_document import Why

        out.document(envelope("why", Why, found, found.machine.inputs))
    else:
        out.print_sheet(sheet(found))
    return 0
