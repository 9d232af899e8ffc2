"""Speed of the tool, with other programs that do as much beside it in the same run.

    python -m benchmarks [NAME ...]     one table of all of them, or of those named
    python benchmarks/compare.py A B    what changed between two tables kept with --output

measuring.py measures, table.py prints; `python -m benchmarks.stream 1000000 1` audits a million
trees that no disk has to hold; the others return the works that they are named after.
"""
