"""Explains why a machine uses an idle state, or does not: this machine, one that `collect`
gathered, a dump of cpuidle's sysfs, or a directory with another machine's sys and proc.

    idle-states why                      each state of this machine that is hardly used
    idle-states why C6 machine.tar
    idle-states why C6 --for 10          as root: also samples this machine for ten seconds
    idle-states why C6 machine.tar --recording recording.txt

An existing path is FROM, any other word is a state; FILE:NAME picks one machine of several. Each
reason comes with its evidence, the place of the evidence and the next step; missing evidence is
named. If nothing explains it, the answer is that the reason is unknown.

A sample shows for each CPU how often the kernel and the governor's model decided for each state,
the governor's inputs and what ended the idle periods. For another machine, it is the recording
printed there by the script of `collect --record --wake-ups`."""

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
