"""The messages of a kernel on the idle states of all CPUs of a tree (Arm, RISC-V), one CPU after
the other."""

from collections.abc import Mapping, Sequence

from ...base.dataclass import replace
from ...base.model.stages import Message
from ...base.model.table import IdleTable
from .dt_idle import FAUX_FAILED, domains_made, parse, register
from .dt_idle_features import features
from .psci_firmware import USUAL_FIRMWARE, PsciFirmware
from .releases import Release


def printed(
    tables: Sequence[IdleTable],
    cpus: Mapping[int, str],
    release: Release,
    firmware: PsciFirmware = USUAL_FIRMWARE,
) -> list[Message]:
    """The messages of a boot, in order: of the power domains, of each CPU up to the first that
    fails, of the driver as a whole.

    tables  all that the CPUs of the tree list
    cpus    the kernel's number of each CPU that it starts -> path of its node
    """
    path2list = {
        path: one.origin for one in tables if one.origin.form == "nodes" for path in one.origin.cpus
    }
    known = features(release)
    messages: list[Message] = []
    failed = False
    for number, path in sorted(cpus.items()):
        listed = path2list[path]
        own_driver = listed.riscv or listed.enable_method == "psci" or not known.psci
        if number == min(cpus):
            domains = domains_made(listed, known, firmware)
            messages += domains.messages
            failed = listed.riscv and bool(domains.problem)
        if failed or not own_driver:
            break
        alone = replace(listed, numbers=(number,), cpus=(path,))
        parsed = parse(alone, known, firmware)
        messages += parsed.messages
        failed = parsed.failure is not None
    if any(FAUX_FAILED in register(each, release, firmware).messages for each in tables):
        messages.append(FAUX_FAILED)
    return messages
