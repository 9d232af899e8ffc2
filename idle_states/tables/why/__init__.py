"""Explains why a machine uses an idle state, or does not."""
