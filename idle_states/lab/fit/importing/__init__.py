"""Measurements as the tools write them: one file per format, told by its content."""
