"""intel_idle: its tables by release, and which of them a machine shows.

tables  the figures, as the trees that were read have them
known   the figures as values
table_parameter  intel_idle.table= of Linux 7.0 and later
origin  where the states of a running x86 kernel come from
"""
