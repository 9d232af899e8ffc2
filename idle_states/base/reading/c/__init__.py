"""C as the compiler sees it: tokens, macros, conditionals and constant expressions, with places.

lexer        tokens; how they are written; what literals stand for
macros       macros and their expansion, for C and for device-tree source
budget       the amount that macros may produce
definitions  macros by place in a C file
preprocess   what is left of a C file for the compiler; `defined` in conditions
expression   constant expressions
initialiser  initialisers of structs and arrays
source       places in a file, and what cannot be evaluated there
"""
