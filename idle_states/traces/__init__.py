"""What CPUs did: trace text, trace.dat and exact recordings, as events and idle periods."""
