"""The reading of diffs and their application to files, without running any program.

`unified` reads a unified diff, `wrapped` undoes the breaks that a mailer put into its lines, and
`application` applies it to bytes as git apply does.
"""
