"""Oracles made of a skiboot tree: its tables, and its export to the device tree."""

from ..compiling import CompileError
from .export import ExportCase, ExportOracle, ExportResult
from .tables import Row, dump_tables

__all__ = ["CompileError", "ExportCase", "ExportOracle", "ExportResult", "Row", "dump_tables"]
