"""The command line of a tool: its words, or its help."""

import argparse
import sys
from collections.abc import Sequence

_COUNTS = {("", ""): None, ("[", ""): "?", ("", "..."): "+", ("[", "..."): "*"}


def parsed(doc: str | None, *names: str, words: Sequence[str] | None = None) -> argparse.Namespace:
    """Returns the words of the command line. Prints `doc` as help and ends the program if asked to,
    or if the words are others than expected.

    names: as a usage line has them: FILE, [FILE], FILE..., [FILE...], --option or --option VALUE;
    each is an attribute in lower case
    words: those of the command line unless given
    """
    spec = sys.modules["__main__"].__spec__
    parser = argparse.ArgumentParser(
        prog=f"python -m {spec.name.removesuffix('.__main__')}" if spec else None,
        description=doc,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for name in names:
        if name.startswith("--"):
            option, _, value = name.partition(" ")
            if value:
                parser.add_argument(option, metavar=value)
            else:
                parser.add_argument(option, action="store_true")
            continue
        bare = name.strip("[.]")
        count = _COUNTS["[" if name[0] == "[" else "", "..." if "..." in name else ""]
        parser.add_argument(bare.lower(), nargs=count, metavar=bare)
    return parser.parse_args(words)
