"""Runs `review` on the patches of kernel lists that touch idle states, and writes docs/archives.md.

    python -m tools.archives DIR...    DIR: mirrors of lists (public-inbox: one mail a commit), and
                                       the trees that mails are applied to, in this order
    python -m tools.archives --kept DIR...     the page alone, of what was run before

Nothing is fetched. The patches are the ids in tools/archives/patches.txt, the verdicts those in
tools/archives/verdicts.tsv, and why it is right that two ways of a patch differ stands in
tools/archives/differences.tsv. Each patch is reviewed by its mail, with the trees and without; each
of their threads by all its mails; and each thread that git can apply to a tree as commits. What was
run is kept in build/archives. Exits with 1 for a verdict that no finding needs.
"""

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from idle_states.base.files import write_file
from tools.archives.mirrors import Archive, is_mirror
from tools.archives.page import PAGE, START, section
from tools.archives.verdicts import is_found, is_run, needs_tree, verdicts
from tools.archives.ways import Outcome, Runs, Thread
from tools.command_line import parsed

HERE = Path(__file__).parent
BUILD = HERE.parents[1] / "build/archives"
JOBS = 4


def measured(archive: Archive, runs: Runs, names: Sequence[str]) -> list[Thread]:
    """Reviews patches in all ways. Tells of each way on standard error."""
    threads: dict[tuple[str, ...], list[str]] = {}
    for name in names:
        if name in archive.mails:
            threads.setdefault(archive.thread(name), []).append(name)

    def each(title: str, way: Callable[[str], Outcome], of: Sequence[str]) -> dict[str, Outcome]:
        with ThreadPoolExecutor(JOBS) as pool:
            found = dict(zip(of, pool.map(way, of), strict=True))
        print(f"{title}: {len(found)}", file=sys.stderr, flush=True)
        return found

    def mail(name: str) -> Callable[[], bytes]:
        return lambda: archive.content(name)

    def box(name: str) -> Callable[[], bytes]:
        return lambda: archive.box(archive.thread(name))

    def as_commits(name: str) -> Outcome:
        return runs.as_commits(f"thread {name}", box(name), whole[name])

    patches = [name for some in threads.values() for name in some]
    first = [ids[0] for ids in threads]
    alone = each("by mail", lambda p: runs.mailed(p, mail(p)), patches)
    whole = each("by thread", lambda p: runs.mailed(f"thread {p}", box(p), trees=True), first)
    mailed = each("with trees", lambda p: runs.mailed(p, mail(p), trees=True), patches)
    commits = each("as commits", as_commits, first)
    return [
        Thread(
            ids,
            {name: alone[name] for name in some},
            {name: mailed[name] for name in some},
            whole[ids[0]],
            commits[ids[0]],
        )
        for ids, some in threads.items()
    ]


def main(words: Sequence[str]) -> int:
    given = parsed(__doc__, "--kept", "DIR...", words=words)
    directories = [Path(word) for word in given.dir]
    mirrors = [directory for directory in directories if is_mirror(directory)]
    trees = [directory for directory in directories if directory not in mirrors]
    archive = Archive(mirrors, BUILD / "index")
    names = (HERE / "patches.txt").read_text("utf-8").split()
    runs = Runs(BUILD / "runs", trees, keep=given.kept)
    found = measured(archive, runs, names)
    judged = verdicts((HERE / "verdicts.tsv").read_text("utf-8"))
    above = PAGE.read_text("utf-8").partition(START)[0]
    rows = (HERE / "differences.tsv").read_text("utf-8").splitlines()[1:]
    reasons = {(one, way): why for one, way, why in (row.split("\t") for row in rows)}
    made = section(found, judged, len(names), len(trees), len(runs.versions), reasons)
    write_file(PAGE, f"{above}{START}\n{made}")
    lines = [
        f"no finding for the verdict: {one.message_id} {one.rule} {one.where}"
        for one in judged
        if one.rule and is_run(one, found) and not is_found(one, found)
        if not needs_tree(one, found)
    ]
    print("\n".join(lines) or f"{PAGE.name}: every verdict has its finding")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
