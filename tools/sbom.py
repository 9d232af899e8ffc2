"""Writes the bill of materials of a release, in CycloneDX's JSON: python -m tools.sbom [FILE]

FILE is build/idle_states-VERSION.cdx.json unless another is named. Its components are the packages
of requirements/ in the versions that the release was built and tested with: required to run,
optional (an extra that users install) or excluded (of the build, the tests and the documentation).
The release's own files are those of dist/, with their hashes. The same files and SOURCE_DATE_EPOCH
make the same bytes. Exits with 1 if CycloneDX's schema refuses it.
"""

import configparser
import datetime
import hashlib
import json
import os
import sys
import uuid
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from idle_states import __version__
from idle_states.base.files import write_file
from tools.command_line import parsed
from tools.install import EXTRAS, ROOT, RUN, Locked, closure, locked, name_of, requirements
from tools.lock import to_run

DIST = ROOT / "dist"
BINDING = "schemas/powerpc/opal-power-mgt.yaml"
BINDING_LICENCE = "GPL-2.0-only OR BSD-2-Clause"
FOR_USERS = ("dtschema", "dask", "parquet")
"""The extras that change what the tool can do."""
VERSION = "1.6"
"""The version of CycloneDX."""

Json = dict[str, Any]


def purl(name: str, version: str) -> str:
    """Returns the package URL by which a bill of materials names a package."""
    return f"pkg:pypi/{name}@{version}"


def ref(package: Locked) -> str:
    """Returns the reference of a component."""
    return purl(package.name, package.version)


def component(package: Locked, scope: str) -> Json:
    """Returns a package as a component."""
    found: Json = {
        "type": "library",
        "bom-ref": ref(package),
        "name": package.name,
        "version": package.version,
        "scope": scope,
        "purl": ref(package),
    }
    if package.marker:
        found["properties"] = [{"name": "environment marker", "value": package.marker}]
    return found


def file(path: Path, name: str, licence: str) -> Json:
    """Returns a file as a component."""
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "type": "file",
        "bom-ref": name,
        "name": name,
        "licenses": [{"expression": licence}],
        "hashes": [{"alg": "SHA-256", "content": digest}],
    }


def dependencies(packages: Sequence[Locked], itself: str) -> Iterator[Json]:
    """Yields the references that each component depends on."""
    direct = {name_of(requirement) for requirement in to_run()}
    yield {"ref": itself, "dependsOn": [ref(each) for each in packages if each.name in direct]}
    for package in packages:
        needed = [ref(each) for each in packages if package.name in each.via]
        yield {"ref": ref(package), "dependsOn": needed}


def document(shipped: Sequence[Path]) -> Json:
    """Returns the bill of materials. shipped: the release's files."""
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", "utf-8")
    name, licence = (config["metadata"][key] for key in ("name", "license_expression"))
    packages = locked(EXTRAS)
    run = {each.name for each in locked(RUN)}
    optional = {each.name for each in closure([*requirements(FOR_USERS)], packages)}
    itself = purl(name, __version__)
    scopes = {each: "required" if each in run else "optional" for each in run | optional}
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))
    found: Json = {
        "$schema": f"http://cyclonedx.org/schema/bom-{VERSION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": VERSION,
        "version": 1,
        "metadata": {
            "timestamp": datetime.datetime.fromtimestamp(seconds, datetime.UTC).isoformat(),
            "component": {
                "type": "application",
                "bom-ref": itself,
                "name": name,
                "version": __version__,
                "purl": itself,
                "licenses": [{"expression": licence}],
                "components": [
                    file(ROOT / BINDING, BINDING, BINDING_LICENCE),
                    *(file(path, path.name, licence) for path in shipped),
                ],
            },
        },
        "components": [component(each, scopes.get(each.name, "excluded")) for each in packages],
        "dependencies": [*dependencies(packages, itself)],
    }
    number = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(found, sort_keys=True))
    return {**found, "serialNumber": number.urn}


def complaint(text: str) -> str | None:
    """Returns what CycloneDX's schema has against a document, else None."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    error = JsonStrictValidator(SchemaVersion.from_version(VERSION)).validate_str(text)
    return str(error) if error else None


def main(words: Sequence[str] | None = None) -> int:
    """Writes the file. Returns the exit status."""
    named = parsed(__doc__, "[FILE]", words=words).file
    target = Path(named) if named else ROOT / "build" / f"idle_states-{__version__}.cdx.json"
    shipped = sorted(path for path in DIST.glob("idle_states-*") if __version__ in path.name)
    text = json.dumps(document(shipped), indent=2) + "\n"
    if (fault := complaint(text)) is not None:
        print(f"CycloneDX {VERSION} refuses the bill of materials: {fault}", file=sys.stderr)
        return 1
    target.parent.mkdir(parents=True, exist_ok=True)
    write_file(target, text)
    print(f"{target}: {len(shipped)} files of dist/")
    return 0


if __name__ == "__main__":
    sys.exit(main())
