"""A state of a guest's CPU as it shows it, with what was counted during the work."""

from typing import Annotated

from ...boot.registered import Counted
from ...forms import Count, Form, derived


class CountedState(Form[Counted]):
    name: str = derived(lambda pair: pair[0].name)
    description: str = derived(lambda pair: pair[0].description)
    latency_us: Annotated[Count, "Exit latency."] = derived(lambda pair: pair[0].latency_us)
    residency_us: Annotated[Count, "Target residency."] = derived(lambda pair: pair[0].residency_us)
    entered: Annotated[Count | None, "How often during the work; null: not known."] = derived(
        lambda pair: pair[1] and pair[1].usage
    )
