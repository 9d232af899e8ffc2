"""Rules: one file each. A rule sees every stage; no stage sees rules.

A file isNNN_name.py has a docstring that is the rule's documentation page (`idle-states explain
ISNNN`), a RULE, and a generator check(subject) that yields findings. Dropping a file in here is
all it takes to add one. A file without check() documents a finding that a reader raises.
"""
