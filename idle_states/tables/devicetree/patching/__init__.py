"""Edits of device-tree source as it stands in a file: only what changes, all else byte for byte."""
