"""The keys of documents that say how well a kernel is known."""

from typing import Annotated, Any, NamedTuple

from ...base.model.forms import INLINE, Form, derived
from ..linux.grounds import Basis, HowKnown, ground, modelled, subsystems
from ..linux.releases import Release


class Kernel(NamedTuple):
    """A release, and what of it was followed: one of linux.grounds.subsystems()."""

    release: Release
    subsystem: str


class Known(Form[Kernel]):
    basis: Annotated[
        Basis,
        "How the release's behaviour is known: its code was compiled and does what the model does; "
        "its source was read; releases known on both sides behave the same; it is not known and "
        "was taken as another; or it was put together from descriptions of its changes.",
    ] = derived(lambda kernel: ground(kernel.release, kernel.subsystem).basis)
    known: Annotated[
        HowKnown,
        "basis with other words for a kernel that known ones lie around: between two or more that "
        "behave the same, or bracketed by some that differ (see alternatives).",
    ] = derived(lambda kernel: ground(kernel.release, kernel.subsystem).known)
    ground: Annotated[str, "The same in words, with the releases it rests on."] = derived(
        lambda kernel: str(ground(kernel.release, kernel.subsystem))
    )
    taken_as: Annotated[str, "kernel.org's release that the kernel was followed as."] = derived(
        "release.taken_as"
    )


class OfSubsystem(Form[Kernel]):
    subsystem: Annotated[str, "A governor, powernv, pseries, dt, genpd, or the idle loop."]
    known: Annotated[Known, INLINE] = derived(lambda kernel: kernel)


class Followed(Form[Release]):
    """A kernel that tables were followed into."""

    name: Annotated[str, "The kernel's name in the document."]
    taken_as: Annotated[str, "kernel.org's release that it was followed as."]
    note: Annotated[str, "How its name was understood; empty if it is kernel.org's."]
    grounds: Annotated[list[OfSubsystem], "Its governors, drivers and idle loop."] = derived(
        lambda release: [Kernel(release, name) for name in subsystems() if modelled(release, name)]
    )


class TakenKernel(Form[tuple[Release, Release]]):
    """A kernel that is not known, and the known one that it was taken as."""

    kernel: Annotated[str, "Its name."] = derived(lambda pair: pair[0].name)
    taken_as: Annotated[str, "The known one, one of its ends."] = derived(lambda pair: pair[1].name)


class Alternative(Form[Any]):
    """A whole result, with kernels that are not known taken as known ones."""

    kernels: list[TakenKernel]
    status: Annotated[int, "The exit status with them."]
    document: Annotated[
        dict[str, Any] | None, "The document with them; null where it is that of this document."
    ]
