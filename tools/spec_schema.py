"""Writes the names of the registry of processors into the spec's schema, for editors.

python -m tools.spec_schema          # or make spec-schema
"""

import json
import re

from idle_states.base.files import write_file
from idle_states.base.model.processors import UNKNOWN_CHIP
from idle_states.base.resources import resource
from idle_states.tables.spec import registry
from tools.command_line import parsed

_GENERATIONS = re.compile(r'("generation": \{\s+"anyOf": \[\s+\{\s+"enum": )\[[^]]*\]')
_CHIPS = re.compile(r'("chips": \{[^{}]+\{\s+"anyOf": \[\s+\{\s+"enum": )\[[^]]*\]')


def with_processors(schema: str) -> str:
    """The text of the schema with today's generations and chip types. Nothing else changes."""
    chips = [*(chip.name for chip in registry.chips()), UNKNOWN_CHIP]
    for place, names in ((_GENERATIONS, registry.names()), (_CHIPS, chips)):
        schema, count = place.subn(rf"\g<1>{json.dumps(names)}", schema)
        if count != 1:
            raise ValueError(f"expected one list at {place.pattern}, found {count}")
    return schema


if __name__ == "__main__":
    parsed(__doc__)
    file = resource("schemas", "idle-states.schema.json")
    write_file(file, with_processors(file.read_text("utf-8")))
