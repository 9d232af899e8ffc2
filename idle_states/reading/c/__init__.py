"""C as the compiler sees it: tokens, macros, conditionals and constant expressions, with places.

lexer       tokens; what literals stand for
macros      definitions by place in the file, and their expansion
preprocess  what is left of a file for the compiler
expression  constant expressions
source      places in a file, and what cannot be evaluated there
"""
