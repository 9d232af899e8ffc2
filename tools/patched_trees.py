"""Prints what comes of every patch description on trees of skiboot since 2014, as Markdown.

SKIBOOT=path of a clone. Each description is applied by itself, by git am; the tables' C is compiled
on this machine, and its values compared with the edits made by hand. Returns 1 for any fault.
"""

import sys
from collections import Counter

from idle_states.change.patches.plan import MADE, NOT_MEANT, PRESENT
from tests.support.patched_trees import REFUSED, descriptions, trees, tried
from tests.support.skiboot_clone import CLONE
from tools.command_line import parsed

_STATUSES = (MADE, PRESENT, NOT_MEANT, REFUSED)
_BY_REVIEW = "of those made, not without --force"


def main() -> int:
    if not CLONE:
        print("expected SKIBOOT=path of a clone of skiboot, found none", file=sys.stderr)
        return 2
    patches = descriptions()
    counts = {patch.name: Counter[str]() for patch in patches}
    rules = {patch.name: Counter[str]() for patch in patches}
    faults = []
    chosen = trees()
    for tree in chosen:
        print(tree, file=sys.stderr)
        for one in tried(tree, patches):
            counts[one.description][one.status] += 1
            rules[one.description].update(one.refused)
            counts[one.description][_BY_REVIEW] += bool(one.refused)
            faults += [f"{tree}: {one.description}: {fault}" for fault in one.faults]
    print(f"{len(chosen)} trees, {len(patches)} descriptions, {len(faults)} faults\n")
    print(f"| description | {' | '.join((*_STATUSES, _BY_REVIEW))} | its rules |")
    print(f"|---|{'---|' * (len(_STATUSES) + 2)}")
    for name, found in counts.items():
        numbers = " | ".join(str(found[status]) for status in (*_STATUSES, _BY_REVIEW))
        print(f"| {name} | {numbers} | {', '.join(sorted(rules[name]))} |")
    for fault in faults:
        print(f"\n{fault}")
    return int(bool(faults))


if __name__ == "__main__":
    parsed(__doc__)
    sys.exit(main())
