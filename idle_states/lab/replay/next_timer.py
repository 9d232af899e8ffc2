"""The assumption on the next timer in a trace of cpu_idle, which does not record it."""

from typing import Literal

NextTimer = Literal["gap", "far", "calibrated", "calibrated where short"]
CALIBRATED: NextTimer = "calibrated"
WHERE_SHORT: NextTimer = "calibrated where short"
NEXT_TIMER = "the next timer ends every idle period, or is far from all"
