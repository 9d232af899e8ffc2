"""The declarative spec: YAML in, `IdleTable` out, a source place on every value."""

from .library import find, load
from .packaged import resolve_name, revisions

__all__ = ["find", "load", "resolve_name", "revisions"]
