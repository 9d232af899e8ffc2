"""Every reader on inputs that grow towards code no input has reached yet.

readers.py   what is read, and what has to hold whatever is read
kept/        READER/NAME: inputs of our own that together reach all that was ever reached
__main__.py  python -m tests.fuzz: looks for more, by atheris (libFuzzer)
corpus.py    which of those found are worth keeping
"""
