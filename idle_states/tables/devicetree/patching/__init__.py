"""Edits of device-tree source as it stands in a file: only what changes, all else byte for byte."""

from .edit import PLACES, Place, with_name, with_node, with_property, without_node
from .source import DtsNode, DtsText, EditRefused
from .values import DtsValue

__all__ = [
    "PLACES",
    "DtsNode",
    "DtsText",
    "DtsValue",
    "EditRefused",
    "Place",
    "with_name",
    "with_node",
    "with_property",
    "without_node",
]
