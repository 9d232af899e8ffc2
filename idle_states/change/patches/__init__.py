"""Patches for a skiboot tree: described in YAML, made against the tree in hand."""
