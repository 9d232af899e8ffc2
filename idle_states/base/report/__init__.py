"""The printing of results: text for people, JSON for programs. Nothing here computes."""
