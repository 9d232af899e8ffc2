"""Random values of intel_idle.table=, most of them near to what the driver accepts."""

import random
from collections.abc import Sequence

NUMBERS = (
    "0", "1", "2", "5", "10", "99", "100", "300", "5000", "5001", "100000", "100001", "007",
    "08", "0x1F", "0x", "+5", "-1", "4294967295", "4294967296",
    "18446744073709551616", "", "1 ", "7x",
)  # fmt: skip
SCRAPS = (":", ",", " ", "\t", "\n", "\xa0", "POLL", "C1", "C99", "é", "::", ":1:2", ":::::", "0")


def value(rng: random.Random, names: Sequence[str], times: Sequence[tuple[int, int]]) -> bytes:
    """A value for states of these names and times, POLL first; never empty."""
    entries = []
    least = 0
    for name, (latency, residency) in zip(names, times, strict=True):
        if rng.random() < 0.4:
            continue
        fields = [name, str(_near(rng, latency)), str(_near(rng, residency))]
        if rng.random() < 0.6:
            # so that latencies and residencies ascend
            least += rng.randrange(1, 400)
            fields[1:] = [str(least), str(least + rng.randrange(0, 50))]
        if rng.random() < 0.1:
            fields[rng.randrange(3)] = rng.choice(NUMBERS)
        if rng.random() < 0.1:
            fields += [rng.choice(NUMBERS) for _ in range(rng.randrange(1, 6))]
        if rng.random() < 0.03:
            fields = fields[: rng.randrange(1, 3)]
        entries.append(":".join(fields))
    if rng.random() < 0.15:
        rng.shuffle(entries)
    if rng.random() < 0.05:
        entries.append(rng.choice(["POLL:1:1", "C7:1:2", "", "C1:9:9", "C1E::"]))
    text = ",".join(entries)
    for _ in range(rng.choice((0, 0, 0, 0, 1, 2))):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(SCRAPS) + text[at + rng.randrange(2) :]
    if rng.random() < 0.01:
        text += "," + "C1:1:1," * rng.randrange(30, 40)
    encoded = text.encode("latin-1" if rng.random() < 0.3 else "utf-8")
    return encoded or b"C1::"


def _near(rng: random.Random, time: int) -> int | str:
    return rng.choice(("", time, time, time + 1, max(0, time - 1), time * 2))
