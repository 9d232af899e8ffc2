"""intel_idle: its tables by release, what it registers on a machine, which table a machine shows.

tables, known    the figures, as the trees that were read have them, and as values
origin           where the states of a running x86 kernel come from
machine          what processors and firmware answer, and the driver's parameters
features         how the driver's start changed over the releases
start, updates   what it registers on a machine; what it changes in its tables for that
platform         machines as --platform names them
figures, packaged  which figures a release has; tables of them by name
register         what becomes of a table's rows on a machine, as a driver's table
table_parameter  intel_idle.table= of Linux 7.0 and later
"""

PREFIX = "intel:"
"""The beginning of a TABLE that is one of intel_idle's."""
