"""kernels: how well each release is known, what changed between two, where a table's selection
changes."""
