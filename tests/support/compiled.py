"""The compiled parts are optional: where one is missing, its tests are skipped and say what to
do."""

import pytest

from idle_states.tables.linux.governors import core
from idle_states.tables.linux.governors.core import absence

NO_CORE = f"no compiled core: {absence.why()} ({absence.remedy()})"
NO_READER = f"no compiled reader of trees ({absence.remedy()})"

needs_core = pytest.mark.skipif(not core.available(), reason=NO_CORE)
