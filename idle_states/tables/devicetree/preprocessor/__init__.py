"""The C preprocessor, as far as device-tree source of kernels and loaders uses it."""

from .run import Find, WholeSource, preprocess
from .sections import ANY, Misread, Sections, sections

__all__ = ["ANY", "Find", "Misread", "Sections", "WholeSource", "preprocess", "sections"]
