"""Rules: one file each, or one for a few that look at the same thing. A rule sees every stage; no
stage sees rules.

A file isNNN_name.py has a docstring that is the rule's documentation page (`idle-states explain
ISNNN`), a RULE, and the checks that yield its verdicts. Dropping a file in here is all it takes to
add one. A family, isNNN_NNN_name.py or isNNN_to_NNN_name.py, has a page for each of its RULES. A
rule without a check documents a finding that a reader raises.
"""
