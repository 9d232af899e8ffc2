"""Traces of features in a program's source: how a feature's value is told from the code.

A trace is a text that names a file by its key, a function in it (none: the whole file) and tokens
of C that stand there:

    "drv: snooze_loop() dev -> poll_time_limit"

It holds where these tokens are found, does not where the function (or file) is there without them,
and is not known where that is missing. Blanks and comments do not matter. `@` is any one token,
`@@` up to forty, `"..words.."` a string that contains these words; `!` before the tokens says that
they are not there. Without tokens a trace holds where the function is; `drv?` holds where the file
is, and does not where it is missing, `drv!` the other way round.

Of a tuple all have to hold, and the first that does not decides; of a list one has to. A bool
feature has one trace; of others each value has its own, and the first that holds counts.
"""

from collections.abc import Mapping
from typing import Any

from ..dataclass import dataclass

Trace = str | tuple[Any, ...] | list[Any]
"""A trace, all of several, or one of several; each of those is a trace, too."""


@dataclass(frozen=True, slots=True)
class Traces:
    """The traces of a subsystem's features.

    files  key -> paths in the tree, of which the first that is there counts
    of     feature -> its trace, or the traces of its values
    """

    files: Mapping[str, str]
    of: Mapping[str, Trace | Mapping[object, Trace]]
