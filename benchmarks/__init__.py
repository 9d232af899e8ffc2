"""Speed of the tool, with other programs that do as much beside it in the same run.

    python -m benchmarks [NAME ...]     one table of all of them, or of those named

measuring.py measures, table.py prints, stores and compares; aims.tsv has the peers of each work and
what is aimed at beside them. The other modules return the works that they are named after;
`python -m benchmarks.stream 1000000 1` audits a million trees that no disk has to hold.
"""
