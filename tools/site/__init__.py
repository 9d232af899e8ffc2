"""The documentation site and the manual page: what is written, and what is made of the program.

hooks.py puts them together for MkDocs (mkdocs.yml, `make docs`); the other modules each make one
part of it: of the parser, of the rules' docstrings, of the JSON schemas, of the Python sources, of
commands that write pages.
"""
