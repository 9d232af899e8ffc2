"""The numbers of a message: found, held against what is known, and left alone where it is not."""

import random
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from idle_states.base.reading.git.commits import Commit
from idle_states.change.review.claims.claim import ClaimVerdict, MessageClaim
from idle_states.change.review.claims.prose import sentences
from idle_states.change.review.message import claims_of
from idle_states.change.review.rows import ChangedRow, changed_rows
from idle_states.lab.statistics import ministat
from idle_states.lab.statistics.comparison import compare
from idle_states.tables.linux.release_dates import released
from idle_states.tables.skiboot import c_table
from idle_states.tables.sources import Source
from idle_states.tables.spec.library import find
from tests.support.thorough import few

HOLDS, CONTRADICTED, NOT_CHECKED = ClaimVerdict
DAY = datetime(2017, 4, 20, tzinfo=UTC)

FIGURES = """\
x before
+ after
    N           Min           Max        Median           Avg        Stddev
x 100        100000        300000        200000     200000.00       40000.0
+ 100        150000        480000        310000     310000.00       60000.0
Difference at 95.0% confidence
	110000 +/- 14134
	55% +/- 7.06688%
	(Student's t, pooled s = 50990.2)
"""


def rows(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> list[ChangedRow]:
    def source(times: dict[str, tuple[int, int]]) -> Source:
        table = find("power9")
        states = tuple(
            replace(s, latency_ns=times[s.name][0], residency_ns=times[s.name][1])
            if s.name in times
            else s
            for s in table.states
        )
        [read] = c_table.read(c_table.write([replace(table, states=states)]), "hw/slw.c")
        return Source(read.name, "hw/slw.c", "", read)

    return list(changed_rows(source(before), source(after)))


LITE = rows({"stop0_lite": (200, 2000)}, {"stop0_lite": (1000, 10_000)})


def claims(
    message: str, changed: list[ChangedRow] | None = None, date: datetime | None = DAY
) -> list[MessageClaim]:
    return list(claims_of(Commit("1" * 40, "", message, date=date), changed or [], []))


def verdicts(message: str, changed: list[ChangedRow] | None = None) -> list[tuple[str, str]]:
    return [(claim.text, str(claim.verdict)) for claim in claims(message, changed)]


def only(message: str, changed: list[ChangedRow] | None = None) -> MessageClaim:
    [claim] = claims(message, changed)
    return claim


# --- quoted figures


def test_a_block_of_ministat_holds_in_its_own_form_and_says_the_exact_one() -> None:
    found = claims(f"Raise it\n\n{FIGURES}")
    assert [claim.verdict for claim in found] == [HOLDS] * 4
    assert [claim.line for claim in found] == [8, 9, 10, 11]
    assert found[1].against == "110000 +/- 14220.4 with exact t, +/- 14133.8 with ministat's t"


@pytest.mark.parametrize(
    ("printed", "instead", "line"),
    [
        ("110000 +/-", "110001 +/-", 9),
        ("+/- 14134\n", "+/- 14300\n", 9),
        ("55% +/-", "56% +/-", 10),
        ("+/- 7.06688%", "+/- 7.16%", 10),
        ("= 50990.2", "= 50990.9", 11),
        ("Difference at", "No difference proven at", 8),
        # the block is the same, its rows are others
        ("310000.00", "320000.00", 9),
    ],
)
def test_a_figure_that_does_not_follow_is_contradicted(
    printed: str, instead: str, line: int
) -> None:
    message = f"Raise it\n\n{FIGURES.replace(printed, instead, 1)}"
    assert message.count(instead)
    wrong = [claim for claim in claims(message) if claim.verdict is CONTRADICTED]
    assert line in [claim.line for claim in wrong]
    assert {claim.rule for claim in wrong} == {"IS512"}


@pytest.mark.parametrize("error", ["14220.4", "14220", "14133.8", "1.4134e+04"])
def test_both_forms_of_the_error_are_right(error: str) -> None:
    found = claims(f"Raise it\n\n{FIGURES.replace('+/- 14134', f'+/- {error}')}")
    assert [claim.verdict for claim in found] == [HOLDS] * 4


def test_a_row_that_no_samples_have_is_contradicted() -> None:
    message = f"Raise it\n\n{FIGURES.replace('310000.00', '910000.00')}"
    [claim] = [one for one in claims(message) if one.verdict is CONTRADICTED]
    assert (claim.rule, claim.line) == ("IS512", 7)
    assert "expected Avg from Min to Max" in claim.against


def test_a_row_that_a_mailer_broke_is_joined_or_not_checked() -> None:
    joined = FIGURES.replace("310000.00       60000.0", "310000.\n00       60000.0")
    assert CONTRADICTED not in [claim.verdict for claim in claims(f"x\n\n{joined}")]
    cut = FIGURES.replace("310000.00       60000.0", "31")
    assert CONTRADICTED not in [claim.verdict for claim in claims(f"x\n\n{cut}")]


@pytest.mark.skipif(shutil.which("ministat") is None, reason="ministat is not installed")
@pytest.mark.parametrize("seed", range(12))
def test_what_the_real_ministat_prints_holds(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    for name, mean in (("a", 1000), ("b", draw.choice([1000, 1003, 1400])), ("c", 700)):
        size = draw.choice([3, 10, 60])
        unit = draw.choice([1, 0.001])
        samples = (f"{draw.gauss(mean, 40) * unit:.9g}" for _ in range(size))
        (tmp_path / name).write_text("\n".join(samples) + "\n")
    level = draw.choice(["80", "90", "95", "98", "99", "99.5"])
    done = subprocess.run(
        ["ministat", "-c", level, "a", "b", "c"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    found = claims(f"Subject\n\nAs measured:\n\n{done.stdout}\nSo it is.\n")
    assert {claim.verdict for claim in found} == {HOLDS}, done.stdout
    printed = done.stdout.count("ifference") + done.stdout.count("+/-")
    assert len(found) == printed + done.stdout.count("Student")


def test_means_with_percent_follow_from_their_means() -> None:
    table = (
        "Faster\n\n                 before                 after\n"
        "Hmean     1       200.00 (   0.00%)      500.00 * 150.00%*\n"
        "Hmean     2       400.00 (   0.00%)      300.00 ( -25.00%)\n"
        "Hmean     4       800.00 (   0.00%)      816.00 (   2.00%)\n"
    )
    assert [claim.verdict for claim in claims(table)] == [HOLDS] * 3
    [wrong] = [c for c in claims(table.replace("2.00%)\n", "4.00%)\n")) if c.rule]
    assert (wrong.rule, wrong.line) == ("IS512", 6)
    assert wrong.against == "from its means follows 2.00 % instead of 4.00 %"


# --- percentages in prose


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("a 55% improvement", HOLDS),
        ("an improvement of 52%", HOLDS),
        ("roughly 60% more", HOLDS),
        ("more than 50% more", HOLDS),
        ("up to 65% more", HOLDS),
        ("35% less", HOLDS),  # of the greater set
        ("50-60% more", HOLDS),
        ("a 75% improvement", CONTRADICTED),
        ("a 35% improvement", CONTRADICTED),
        ("an increase of 35%", CONTRADICTED),
        ("more than 80% more", CONTRADICTED),
        ("less than 30% more", CONTRADICTED),
        ("10-20% more", CONTRADICTED),
        ("that it saves 35% of", HOLDS),
        ("that it saves 60% of", CONTRADICTED),
        ("a share of 20%", NOT_CHECKED),
        ("55% of", HOLDS),  # likely, as there is no other comparison
    ],
)
def test_a_percentage_above_figures(said: str, verdict: ClaimVerdict) -> None:
    found = claims(f"Raise it\n\nWe see {said} switches:\n=====\n{FIGURES}====\n")
    [claim] = [one for one in found if one.line == 3]
    assert claim.verdict is verdict
    assert claim.rule == ("IS513" if verdict is CONTRADICTED else "")
    if verdict is NOT_CHECKED:
        assert claim.against.startswith("the only comparison of the message says +5")


def block(reference: Sequence[float], other: Sequence[float]) -> tuple[str, float]:
    """Returns two sets as ministat prints them, and the change of the averages in percent."""
    rows = [ministat.summarise(values) for values in (reference, other)]
    found = compare(rows[0], rows[1], ministat.needed_for(Decimal(95)))
    assert found.percent is not None
    assert found.percent_error is not None
    lines = ["    N           Min           Max        Median           Avg        Stddev"]
    lines += [
        f"{mark} {row.n:3} {row.minimum:13.8g} {row.maximum:13.8g} {row.median:13.8g} "
        f"{row.average:13.8g} {row.stddev:13.8g}"
        for mark, row in zip("x+", rows, strict=True)
    ]
    if abs(found.difference) > found.error:
        lines += [
            "Difference at 95.0% confidence",
            f"\t{found.difference:g} +/- {found.error:g}",
            f"\t{found.percent:g}% +/- {found.percent_error:g}%",
            f"\t(Student's t, pooled s = {found.pooled:g})",
        ]
    else:
        lines.append("No difference proven at 95.0% confidence")
    return "\n".join(lines) + "\n", found.percent


SAMPLES = st.lists(st.integers(100, 10**6).map(lambda n: n / 100), min_size=3, max_size=12)


@given(SAMPLES, SAMPLES, st.sampled_from(("{:.0f}% {}", "{:.1f}% {}", "roughly {:.0f}% {}")))
def test_what_is_true_is_not_contradicted(
    reference: list[float], other: list[float], form: str
) -> None:
    assume(len(set(reference)) > 1 and len(set(other)) > 1)
    figures, percent = block(reference, other)
    assume(abs(percent) < 1e5)
    said = form.format(abs(percent), "more" if percent > 0 else "less")
    found = claims(f"slw: Raise it\n\nThis gives {said} switches:\n\n{figures}")
    assert {claim.verdict for claim in found} == {HOLDS}, figures


def test_a_percentage_of_the_maxima_is_named() -> None:
    figures = FIGURES.replace("480000", "475000").replace("300000  ", "250000  ", 1)
    [claim] = [c for c in claims(f"x\n\nIt gains 90% more:\n\n{figures}") if c.line == 3]
    assert claim.verdict is CONTRADICTED
    assert "this share only for the maxima: +90 %" in claim.against


def test_a_percentage_that_figures_do_not_follow_is_not_contradicted() -> None:
    message = (
        f"x\n\n{FIGURES}\nOn another machine it is 90% faster.\n\nIt is 5% slower here, too.\n"
    )
    prose = [claim for claim in claims(message) if claim.line > 11]
    assert [claim.verdict for claim in prose] == [NOT_CHECKED] * 2
    message = f"x\n\n{FIGURES}\nThat is 55% faster.\n"
    assert claims(message)[-1].verdict is HOLDS


def test_a_subject_is_held_against_all_runs() -> None:
    assert claims(f"slw: 90% improvement\n\n{FIGURES}")[0].rule == "IS513"
    assert claims(f"slw: 55% improvement\n\n{FIGURES}")[0].verdict is HOLDS
    assert only("slw: 90% improvement").verdict is NOT_CHECKED


def test_of_two_tables_the_following_one_counts_but_either_may_agree() -> None:
    low = FIGURES.replace("310000.00", "220000.00").replace("310000 ", "220000 ").split("Diff")[0]
    message = "x\n\nFirst, 10% more:\n\n{}\nThen, {}% more:\n\n{}"
    assert CONTRADICTED not in [c.verdict for c in claims(message.format(low, 55, FIGURES))]
    assert CONTRADICTED not in [c.verdict for c in claims(message.format(low, 10, FIGURES))]
    [wrong] = [c for c in claims(message.format(low, 90, FIGURES)) if c.rule]
    assert "others +10 %" in wrong.against


# --- kernels


@pytest.mark.parametrize(
    ("said", "day", "verdict"),
    [
        ("The kernel rounds up the latency to microseconds.", "2017-04-20", CONTRADICTED),
        ("Linux rounds 200ns up to 1us.", "2017-04-20", CONTRADICTED),
        ("The kernel truncates it to microseconds.", "2017-04-20", HOLDS),
        ("The kernel rounds the latency down to microseconds.", "2017-04-20", HOLDS),
        ("The kernel rounds up the latency to microseconds.", "2018-04-20", HOLDS),
        ("The kernel truncates it to microseconds.", "2019-06-20", CONTRADICTED),
        # some of the day's kernels do, and some do not
        ("The kernel rounds up the latency to microseconds.", "2018-01-01", HOLDS),
        ("The kernel truncates it to microseconds.", "2018-01-01", HOLDS),
        ("The kernel should round up, it rounds up nothing in us.", "2017-04-20", NOT_CHECKED),
        ("Linux 4.15 rounds up the latency to microseconds.", "2017-04-20", NOT_CHECKED),
    ],
)
def test_rounding_is_that_of_the_day(said: str, day: str, verdict: ClaimVerdict) -> None:
    date = datetime.fromisoformat(day).replace(tzinfo=UTC)
    found = claims(f"slw: Raise it\n\n{said}", date=date)
    assert [claim.verdict for claim in found] == [verdict]
    assert found[0].rule == ("IS514" if verdict is CONTRADICTED else "")


def test_rounding_in_other_prose_is_no_claim() -> None:
    assert claims("x\n\nFirmware rounds up the size to pages.\n\nThe kernel rounds up pages.") == []


def test_without_a_date_all_kernels_count() -> None:
    message = "x\n\nThe kernel {} the latency to microseconds."
    for does in ("truncates", "rounds up"):
        [claim] = claims(message.format(does), date=None)
        assert claim.verdict is HOLDS


@pytest.mark.parametrize(
    ("us", "day", "verdict"),
    [
        (0, "2017-04-20", HOLDS),
        (1, "2017-04-20", CONTRADICTED),
        (1, "2019-06-20", HOLDS),
        (0, "2019-06-20", CONTRADICTED),
    ],
)
def test_what_a_kernel_lists_is_worked_out(us: int, day: str, verdict: ClaimVerdict) -> None:
    date = datetime.fromisoformat(day).replace(tzinfo=UTC)
    message = f"x\n\nThe kernel lists the stop0_lite latency as {us}us."
    [claim] = claims(message, LITE, date)
    assert claim.verdict is verdict
    assert "of 200ns" in claim.against


def test_the_kernels_of_the_day_are_named() -> None:
    [claim] = claims("x\n\nThe kernel rounds up the latency to us.", LITE)
    assert released("4.10") < DAY.date() < released("4.11")
    assert claim.against == (
        "the kernels of 2017-04-20 (Linux 4.9, 4.10 and 4.11) truncate: 200ns is 0us, rounded up "
        "1us; since 4.15 and 4.14.7 (8d4e10e9ed94) it rounds up"
    )


# --- times of rows


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("Currently skiboot exposes the latency for stop0_lite as 200ns.", HOLDS),
        ("Currently skiboot exposes the latency for stop0_lite as 300ns.", CONTRADICTED),
        ("Currently skiboot exposes a residency of 2us.", HOLDS),
        ("Currently skiboot exposes a residency of 3us.", CONTRADICTED),
        ("Currently skiboot exposes the latency for stop4 as 300ns.", NOT_CHECKED),
        ("Currently the measured latency of stop0_lite in skiboot is 3us.", NOT_CHECKED),
        ("The residency is chosen to be 10 times the exit latency.", HOLDS),
        ("The residency is chosen to be 20 times the exit latency.", CONTRADICTED),
        ("stop0_lite: latency=200ns, residency=2us", HOLDS),
        ("stop0_lite: latency=400ns, residency=4us", NOT_CHECKED),
    ],
)
def test_times_of_rows(said: str, verdict: ClaimVerdict) -> None:
    claim = only(f"slw: Raise it\n\n{said}", LITE)
    expected = "IS515" if verdict is CONTRADICTED else ""
    if "stop4" in said:
        # the one row that changes is another
        assert claim.verdict in (NOT_CHECKED, CONTRADICTED)
        return
    assert (claim.verdict, claim.rule) == (verdict, expected)


@pytest.mark.parametrize(
    ("head", "row", "verdict"),
    [
        ("          latency residency", "stop0lite  1us   10us", HOLDS),
        ("          residency latency", "stop0_lite 10us  1us", HOLDS),
        ("          latency residency", "stop0_lite 10us  1us", CONTRADICTED),
        ("          latency residency", "| STOP0_lite | 1us | 20us |", CONTRADICTED),
        ("          before after", "stop0_lite 200ns 1us", NOT_CHECKED),
        ("          latency residency", "stop9      1us   10us", NOT_CHECKED),
    ],
)
def test_a_table_of_times(head: str, row: str, verdict: ClaimVerdict) -> None:
    claim = only(f"slw: Raise it\n\n{head}\n{row}\n", LITE)
    assert claim.verdict is verdict
    assert claim.rule == ("IS515" if verdict is CONTRADICTED else "")


# --- what is not understood


def test_what_is_not_understood_is_listed_once_with_its_line() -> None:
    message = (
        "slw: Raise it\n\nIt takes 3us\nto wake. A share of 5 % is lost.\n\n"
        "> it was 9us\n\nLink: https://example.com/5us 7us\n"
    )
    found = claims(message)
    assert [(c.line, c.text, c.verdict) for c in found] == [
        (3, "It takes 3us to wake.", NOT_CHECKED),
        (4, "A share of 5 % is lost.", NOT_CHECKED),
    ]


def test_lines_of_sentences() -> None:
    found = sentences("Subject one\n\nA b.  C\nd\ne. F\n\n  * item 5us\nG\nSigned-off-by: H <h>\n")
    assert [(s.text, s.line, s.end, s.kind) for s in found] == [
        ("Subject one", 1, 1, "subject"),
        ("A b.", 3, 3, "prose"),
        ("C d e.", 3, 5, "prose"),
        ("F", 5, 5, "prose"),
        ("* item 5us", 7, 7, "other"),
        ("G", 8, 8, "prose"),
    ]


WORDS = st.sampled_from(
    "the kernel rounds up truncates latency residency stop0_lite of is as to by lists currently "
    "skiboot 200ns 1us 0us 50% 10 times x + N Min Max Median Avg Stddev 100 3.5 +/- Difference at "
    "95.0% confidence more improvement : . \n \n\n ( ) - |".split(" ")
)


@given(st.lists(WORDS, max_size=120).map(" ".join))
def test_any_message_is_taken_and_its_claims_are_its_own(message: str) -> None:
    lines = len(message.splitlines())
    for claim in claims(message, LITE):
        assert 1 <= claim.line <= lines
        assert (claim.rule != "") is (claim.verdict is CONTRADICTED)
        first = re.escape(claim.text.split()[0])
        assert re.search(first, message)


@pytest.mark.parametrize(
    "part",
    few(
        2,
        [
            "5% ",
            "| + ",
            "the kernel rounds ",
            "x 1 ",
            "1us ",
            "residency is 1 ",
            "N Min ",
            "1 (1%) ",
        ],
    ),
)
def test_a_message_that_goes_on_and_on(part: str) -> None:
    """Ends; nothing is tried in every way."""
    for text in (part, f"{part}\n"):
        assert claims(f"x\n\n{text * 60_000}", LITE) is not None


def test_figures_of_many_rows_end() -> None:
    head = "    N           Min           Max        Median           Avg        Stddev\n"
    row = "+ 100        150000        480000        310000     310000.00       60000.0\n"
    assert claims(f"x\n\n{head}{row * 1300}") is not None
