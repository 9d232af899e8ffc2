"""A kernel by its source tree: governors are compiled from it, everything else is identified."""
