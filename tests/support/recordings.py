"""A recording of two CPUs under menu of Debian's 6.1.176, converted: with its head, and without."""

from idle_states.base.reading.inputs import Input
from idle_states.lab.record.convert import convert
from tests.support import DATA

KERNEL = "debian-6.1.176"
HEADED = convert(Input(str(DATA / "recordings" / "powernv9-menu-restarted.txt.gz"))).csv()
PLAIN = "".join(line for line in HEADED.splitlines(keepends=True) if line[0] != "#")
