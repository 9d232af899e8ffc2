"""Validates trees by the binding; run by the Python that has dtschema, never imported.

    python dtschema_child.py BINDING PREPARED

Each line of standard input is a JSON list of trees in hexadecimal, and is answered by a line of
standard output, a JSON list of the records of each. PREPARED is the binding as an earlier run left
it, "" for none; where it is of another version of dtschema, or there is none, this run leaves one
in ./schema.json.
"""

import contextlib
import importlib
import io
import json
import sys
from typing import Any

FRESH = "schema.json"
OLDEST = "2024.11"
_OF_DISABLED = {"required", "unevaluatedProperties"}


def validator(dtschema: Any, binding: str, prepared: str) -> Any:
    """The validator of this binding alone: dtschema's own schemas are there for it to refer to."""
    if prepared:
        with open(prepared, encoding="utf-8") as file:
            if json.load(file).get("version") == dtschema.__version__:
                return dtschema.DTValidator([prepared])
    schemas = dtschema.DTValidator([binding]).schemas
    for schema in schemas.values():
        if isinstance(schema, dict) and schema.get("$filename") != binding:
            schema["select"] = False
    with open(FRESH, "w", encoding="utf-8") as file:
        json.dump(schemas, file)
    return dtschema.DTValidator([FRESH])


def records(judge: Any, blob: bytes) -> list[dict[str, Any]]:
    """Returns dt-validate's records on a tree with a power-mgt node alone, without places."""
    complaints = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaints):
            node = judge.decode_dtb(blob)[0]["ibm,opal"]["power-mgt"]
            node["$nodename"] = ["power-mgt"]
            found = list(judge.iter_errors(node))
    except Exception as error:
        return [{"type": "crash", "message": f"{type(error).__name__}: {error}"}]
    if "disabled" in node.get("status", ()):
        found = [error for error in found if not _OF_DISABLED & set(error.schema_path)]
    return [
        *({"type": "decode", "message": line} for line in complaints.getvalue().splitlines()),
        *(
            {
                "type": "validation",
                "message": error.message,
                "property_path": _words(error.absolute_path),
                "schema_path": _words(error.absolute_schema_path),
            }
            for error in found
        ),
    ]


def _words(path: Any) -> list[str | int]:
    return [each if isinstance(each, int) else str(each) for each in path]


def main() -> None:
    del sys.path[0]  # this directory, whose modules have names that others have, too
    dtschema = importlib.import_module("dtschema")
    if not hasattr(dtschema.DTValidator, "decode_dtb"):
        sys.exit(f"dtschema {dtschema.__version__} is too old: {OLDEST} or later is needed")
    answers = sys.stdout
    with contextlib.redirect_stdout(sys.stderr):
        judge = validator(dtschema, *sys.argv[1:])
        for line in sys.stdin:
            found = [records(judge, bytes.fromhex(tree)) for tree in json.loads(line)]
            answers.write(f"{json.dumps(found)}\n")
            answers.flush()


if __name__ == "__main__":
    main()
