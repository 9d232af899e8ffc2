"""How well a kernel is known, as keys of what was found for it."""

from typing import Annotated, NamedTuple

from ...forms import Form, derived
from ...linux.grounds import Kind, ground
from ...linux.releases import Release


class Kernel(NamedTuple):
    """A release, and what of it was followed: one of linux.grounds.subsystems()."""

    release: Release
    subsystem: str


class Known(Form[Kernel]):
    basis: Annotated[
        Kind,
        "How the release's behaviour is known: its code was compiled and does what the model does; "
        "its source was read; releases known on both sides behave the same; it is not known and "
        "was taken as another; or it was put together from descriptions of its changes.",
    ] = derived(lambda kernel: ground(kernel.release, kernel.subsystem).kind)
    ground: Annotated[str, "The same in words, with the releases it rests on."] = derived(
        lambda kernel: str(ground(kernel.release, kernel.subsystem))
    )
    taken_as: Annotated[str, "kernel.org's release that the kernel was followed as."] = derived(
        lambda kernel: kernel.release.taken_as
    )
