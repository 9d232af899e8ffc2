"""The kernel of a boot."""

from typing import Annotated

from ...boot.predict import Predicted
from ...boot.q35.predict import Q35Predicted
from ...boot.virt.predict import VirtPredicted
from ...forms import Form, derived
from ...linux.grounds import driver_of, ground
from ...table import IdleTable


class BootedKernel(Form[tuple[Predicted | Q35Predicted | VirtPredicted, IdleTable]]):
    """Of what predicts a boot, and one of its tables."""

    linux: Annotated[str, "Name, release and version."] = derived(lambda pair: pair[0].kernel)
    modelled_as: Annotated[
        str | None, "The kernel whose models predicted; null: there is none."
    ] = derived(lambda pair: pair[0].release and pair[0].release.name)
    ground: Annotated[str | None, "How well its driver is known; null: there is no model."] = (
        derived(lambda pair: pair[0].release and str(ground(pair[0].release, driver_of(pair[1]))))
    )
