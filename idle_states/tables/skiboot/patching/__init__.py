"""Edits of skiboot's C tables: only the values that change, everything else as it stands."""

from .edit import differing, edit_table
from .source import EditRefused, SourceText

__all__ = ["EditRefused", "SourceText", "differing", "edit_table"]
