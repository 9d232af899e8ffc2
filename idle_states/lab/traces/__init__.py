"""Readers of trace text, trace.dat and exact recordings: events and idle periods of CPUs."""
