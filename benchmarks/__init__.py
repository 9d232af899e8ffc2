"""Speed of the tool, with other programs that do as much beside it in the same run.

    python -m benchmarks [NAME ...]     one table of all of them, or of those named
    python benchmarks/compare.py A B    what changed between two tables kept with --output

measuring.py measures, table.py prints; the others return the works that they are named after.
"""
