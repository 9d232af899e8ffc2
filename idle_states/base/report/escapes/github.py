"""GitHub's workflow commands: escapes of their message and of their properties' values.

Source: GitHub Actions documentation, "Workflow commands"; the runner's ActionCommand.cs.
"""

from .text import printable


def message(text: str) -> str:
    """Escapes the message of a command: the text after the second "::"."""
    return printable(text).replace("%", "%25")


def value(text: str) -> str:
    """Escapes the value of a property of a command."""
    return message(text).replace(":", "%3A").replace(",", "%2C")
