"""Measures `review` as a reviewer on the mails of kernel lists, and writes docs/archives.md.

`mirrors` finds mails and threads in mirrors of lists, `ways` reviews them by mail, by thread and as
commits, and `page` compares what came of it with the verdicts in verdicts.tsv.
"""
