"""The files of a skiboot tree that contain idle tables, and the headers these need."""

TABLES = ("hw/slw.c", "hw/slw-p8.c")
"""The first in every release, the second since 65d9909a7 (7.0)."""
HEADERS = ("include/bitutils.h", "include/opal.h", "include/opal-api.h", "include/slw.h")
"""Headers whose macros rows use. Before d195fd680 (2015) the flags were in opal.h."""
