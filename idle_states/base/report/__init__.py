"""How results are printed: text for people, JSON for programs. Nothing here computes."""
