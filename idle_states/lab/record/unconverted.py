"""What the recording script printed, taken as its conversion wherever a recording is expected."""

from collections.abc import Callable

from ...base.reading.inputs import Input
from ...base.wording import plural
from .convert import convert
from .recorded import is_recorded


def as_recording(source: Input, say: Callable[[str], None]) -> Input:
    """Returns the input; of what the recording script printed, the exact recording that `record
    --convert` makes of it, under the same name and digest.

    say: told of a conversion, in a line. Raises Unreadable for what cannot be converted.
    """
    if not is_recorded(source):
        return source
    found = convert(source)
    left_out = sum(tally.count for tally in found.left_out.values())
    why = f"; {plural(left_out, 'decision')} left out, record --convert says why" * bool(left_out)
    say(
        f"{source.name}: converted first, as record --convert does: "
        f"{plural(found.decisions, 'decision')} of {plural(len(found.runs), 'CPU')}{why}"
    )
    return source.replaced(found.csv().encode("utf-8", "surrogateescape"))
