"""Idle-state tables of OpenPOWER firmware, followed from the spec to what Linux selects."""

__version__ = "0.2.0"
