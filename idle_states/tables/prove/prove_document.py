"""prove."""

from typing import Annotated, Any

from ...base.model.forms import GIVEN, INLINE, Count, Form, Positive, derived
from ..documents.known_document import Known
from ..linux.qos import NO_LIMIT_US
from .answer import Proven
from .history import Played
from .periods import Followed, StateKept
from .proof import StateProof, Unreachable


class Decision(Form[Any]):
    state: Annotated[int, "Number of the state; -1: none, the CPU idles by default."]
    stop_tick: Annotated[bool, "True if the tick may stop."]


class Idle(Form[Played]):
    """An idle period: its surroundings, what the governor decides, and what becomes of it."""

    timer_ns: Annotated[Count, "To the next timer."] = derived("step.timer_ns")
    interrupt_ns: Annotated[
        Count | None, "To the interrupt that wakes the CPU if nothing else does; null: none."
    ] = derived("step.interrupt_ns")
    tick_ns: Annotated[Count | None, "To the next tick; null: a whole period of it."] = derived(
        "step.tick_ns"
    )
    tick_stopped: Annotated[bool, "True if the tick is stopped at select."] = derived(
        "step.tick_stopped"
    )
    iowaiters: Annotated[Count, "Tasks of the CPU that wait for I/O."] = derived("step.iowaiters")
    late_ns: Annotated[Count, "How much later than due polling ends."] = derived("step.late_ns")
    cpu_util: Annotated[Count, "Utilisation of the CPU, of 1024."] = derived("step.cpu_util")
    decision: Annotated[Decision, INLINE]
    measured_ns: Annotated[Count, "How long the CPU idles, as the kernel measures it."] = derived(
        "outcome.residency_ns"
    )
    got_tick: Annotated[bool, "True if the tick wakes the CPU."] = derived("outcome.got_tick")


class State(Form[StateProof]):
    """Neither witness nor unreachable: undecided."""

    index: Annotated[Count, "Number."] = derived("number")
    name: Annotated[str, "Name, or stateN where times were given."]
    witness: Annotated[
        list[Idle] | None, "Idle periods from boot on, the last of them spent in the state."
    ]
    unreachable: Annotated[Unreachable | None, "The proof that there are none."]


class Prove(Form[Proven]):
    known: Annotated[Known, INLINE] = GIVEN
    table: Annotated[str | None, "The TABLE; null for --states."] = derived("request.of.table")
    kernel: Annotated[str, "The Linux release."] = derived("request.release.name")
    governor: Annotated[str, "menu, teo, ladder or haltpoll."] = derived("request.of.governor")
    hz: Annotated[Positive, "The kernel's HZ."] = derived("request.of.hz")
    latency_limit_us: Annotated[Count | None, "The latency limit; null for none."] = derived(
        lambda found: None if found.request.limit_us >= NO_LIMIT_US else found.request.limit_us
    )
    wake_ns: Annotated[Count, "Time that waking adds to the idle."] = derived("request.wake_ns")
    states: Annotated[list[State], "All states, by number."] = derived("proofs")
    kept: Annotated[
        list[StateKept] | None,
        "With --periods: which equal idle periods keep states that have a witness.",
    ]
    slowest: Annotated[
        Followed | None, "The change of period that the selection follows last, of those tried."
    ]
