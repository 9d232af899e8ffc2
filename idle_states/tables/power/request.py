"""The request for what states draw."""

from ...base.dataclass import dataclass
from ...base.options import Annotated, Option

IMPLIED, ASSUMED = "implied", "assumed"
TAU_EXIT, TAU_BOTH = "exit", "both"


@dataclass(frozen=True, slots=True)
class PowerRequest:
    """The model of the states' power to use.

    figures  text for from_words(); IMPLIED: implied by the first table's residencies; ASSUMED: by
             what states stop, where specs say no more; "": from the specs
    tau      TAU_EXIT or TAU_BOTH; "": TAU_BOTH with IMPLIED, otherwise TAU_EXIT
    """

    figures: Annotated[
        str,
        Option(
            "--power",
            "power of states, relative to an awake CPU (snooze=1,stop0=0.9,stop2=0.4-0.6) or in "
            "watts (awake=4W,C1=1.44W); implied: assume that each residency of the first table is "
            "the break-even point; assumed: on POWER, POWER8's figures by what a state stops "
            "(default: the specs' figures, if any)",
            metavar="NAME=P,...",
        ),
    ] = ""
    tau: Annotated[
        str,
        Option(
            "--tau",
            "how long entering and leaving a state takes: its exit latency, or twice that "
            "(default: exit; both with --power implied)",
            choices=(TAU_EXIT, TAU_BOTH),
        ),
    ] = ""


FROM_SPECS = PowerRequest()
