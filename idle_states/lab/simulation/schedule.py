"""The coming events: at most one for each CPU and for each task with a timer."""

from heapq import heappop, heappush


class Schedule:
    """Events in the order of their times, those of one time in the order in which they were set.

    now_ns    simulated time: that of the event taken last
    sequence  number of the event set last
    """

    def __init__(self) -> None:
        self.now_ns = 0
        self.sequence = 0
        self._planned: list[tuple[int, int, int]] = []
        self._valid: dict[int, int] = {}

    def at(self, whom: int, time_ns: int) -> None:
        """Sets the next event of a CPU or task; replaces the one set before."""
        self.sequence += 1
        self._valid[whom] = self.sequence
        heappush(self._planned, (time_ns, self.sequence, whom))

    def never(self, whom: int) -> None:
        """Removes the event of a CPU or task, if it has one."""
        self._valid.pop(whom, None)

    def take(self, end_ns: int) -> int | None:
        """Takes the next event before end_ns: whose it is; None where there is none."""
        while self._planned:
            time_ns, sequence, whom = heappop(self._planned)
            if self._valid.get(whom) != sequence:
                continue
            if time_ns >= end_ns:
                break
            del self._valid[whom]
            self.now_ns = time_ns
            return whom
        return None
