"""The dates of mainline's releases, and the releases that were current on a day.

Dates are those of Linus Torvalds' announcements (the tags of his repository): almost always a
Sunday. Debian's changelogs, which take a release up within days, agree with them from 5.18 on. Of
7.2 and 7.3 no announcement was at hand: 7.2 is a week after its rc7, 7.3 nine weeks after 7.2, so
that either may be a week off.
"""

from datetime import date
from functools import cache

from .releases import LONG_TERM, MAINLINE

_DATES = """
3.14 2014-03-30  3.15 2014-06-08  3.16 2014-08-03  3.17 2014-10-05  3.18 2014-12-07
3.19 2015-02-08  4.0 2015-04-12   4.1 2015-06-21   4.2 2015-08-30   4.3 2015-11-01
4.4 2016-01-10   4.5 2016-03-13   4.6 2016-05-15   4.7 2016-07-24   4.8 2016-10-02
4.9 2016-12-11   4.10 2017-02-19  4.11 2017-04-30  4.12 2017-07-02  4.13 2017-09-03
4.14 2017-11-12  4.15 2018-01-28  4.16 2018-04-01  4.17 2018-06-03  4.18 2018-08-12
4.19 2018-10-22  4.20 2018-12-23  5.0 2019-03-03   5.1 2019-05-05   5.2 2019-07-07
5.3 2019-09-15   5.4 2019-11-24   5.5 2020-01-26   5.6 2020-03-29   5.7 2020-05-31
5.8 2020-08-02   5.9 2020-10-11   5.10 2020-12-13  5.11 2021-02-14  5.12 2021-04-25
5.13 2021-06-27  5.14 2021-08-29  5.15 2021-10-31  5.16 2022-01-09  5.17 2022-03-20
5.18 2022-05-22  5.19 2022-07-31  6.0 2022-10-02   6.1 2022-12-11   6.2 2023-02-19
6.3 2023-04-23   6.4 2023-06-25   6.5 2023-08-27   6.6 2023-10-29   6.7 2024-01-07
6.8 2024-03-10   6.9 2024-05-12   6.10 2024-07-14  6.11 2024-09-15  6.12 2024-11-17
6.13 2025-01-19  6.14 2025-03-24  6.15 2025-05-25  6.16 2025-07-27  6.17 2025-09-28
6.18 2025-11-30  6.19 2026-02-08  7.0 2026-04-12   7.1 2026-06-14   7.2 2026-08-16
7.3 2026-10-18
""".split()


@cache
def _name2date() -> dict[str, date]:
    return dict(zip(_DATES[::2], map(date.fromisoformat, _DATES[1::2]), strict=True))


def released(name: str) -> date:
    """The day a mainline release ("4.11") came out. Raises KeyError for anything else."""
    return _name2date()[name]


def current_at(day: date) -> tuple[str, ...]:
    """Mainline releases that a change of that day met, oldest first: the newest long-term one, the
    newest of all, and the one that followed, which was being made.

    A day before the first release that is modelled has that release alone. Of a day after the last
    release nothing follows.
    """
    out = [name for name in MAINLINE if released(name) <= day]
    following = MAINLINE[len(out) : len(out) + 1]
    long_term = [name for name in out if name in LONG_TERM]
    return tuple(dict.fromkeys([*long_term[-1:], *out[-1:], *following]))
