"""The answer to `show`."""

from collections.abc import Callable

from ..pipeline import Journey, followed, journey
from ..sources import read_table
from .request import ShowRequest


def show(request: ShowRequest, say: Callable[[str], None] = lambda message: None) -> Journey:
    """Follows the table stage by stage. say: called with notes for the user. Raises what reading a
    table raises."""
    assert request.table
    source, releases = read_table(request.table), request.releases
    if source.table is not None:
        releases = tuple(followed(source.table, request.platform, releases, say))
    return journey(source, request.platform, releases)
