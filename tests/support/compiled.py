"""The compiled parts are optional: where one is missing, its tests are skipped and say what to
do."""

import pytest

from idle_states.base import compiled_core
from idle_states.tables.linux.governors import core

NO_CORE = f"no compiled core: {compiled_core.why()} ({compiled_core.remedy()})"
NO_READER = f"no compiled reader of trees ({compiled_core.remedy()})"

needs_core = pytest.mark.skipif(not core.available(), reason=NO_CORE)
