"""Everything by which a repository can make git run a program, set up to leave a witness."""

from pathlib import Path

from .git_history import History

_CONFIGURED = (
    "alias.cat-file",
    "alias.status",
    "core.alternateRefsCommand",
    "core.askPass",
    "core.editor",
    "core.fsmonitor",
    "core.gitProxy",
    "core.pager",
    "core.sshCommand",
    "credential.helper",
    "diff.external",
    "diff.c.command",
    "diff.c.textconv",
    "filter.c.clean",
    "filter.c.process",
    "filter.c.smudge",
    "gpg.program",
    "gpg.ssh.program",
    "merge.c.driver",
    "pager.cat-file",
    "pager.rev-list",
    "remote.origin.receivepack",
    "remote.origin.uploadpack",
    "remote.origin.vcs",
    "sequence.editor",
    "uploadpack.packObjectsHook",
)
_HOOKS = (
    "fsmonitor-watchman",
    "post-checkout",
    "post-index-change",
    "post-rewrite",
    "pre-auto-gc",
    "reference-transaction",
)


def set_traps(history: History, witness: Path) -> None:
    """From here on git, used as usual, may run a program that makes the file `witness`."""
    program = witness.with_name("program")
    program.write_text(f"#!/bin/sh\necho $0 $@ >> {witness}\ncat\n")
    program.chmod(0o755)
    git_dir = history.directory / ".git"
    (git_dir / "info").mkdir(exist_ok=True)
    (git_dir / "info/attributes").write_text("* diff=c filter=c merge=c\n")
    for hook in _HOOKS:
        (git_dir / "hooks" / hook).unlink(missing_ok=True)
        (git_dir / "hooks" / hook).symlink_to(program)
    included = witness.with_name("included")
    included.write_text(f"[core]\n\tfsmonitor = {program}\n[diff]\n\texternal = {program}\n")
    # read by git at its start: what follows is not written by git any more
    with (git_dir / "config").open("a") as file:
        for key in _CONFIGURED:
            section, _, name = key.rpartition(".")
            head, _, sub = section.partition(".")
            value = f"!{program}" if head == "alias" else program
            title = f'{head} "{sub}"' if sub else head
            file.write(f"[{title}]\n\t{name} = {value}\n")
        file.write(
            f"[core]\n\thooksPath = {git_dir / 'hooks'}\n[include]\n\tpath = {included}\n"
            f'[includeIf "gitdir:**"]\n\tpath = {included}\n'
            '[remote "origin"]\n\turl = ssh://nowhere.invalid/x\n\tpromisor = true\n'
            "\tpartialclonefilter = blob:none\n"
            "[extensions]\n\tpartialClone = origin\n"
            "[core]\n\trepositoryformatversion = 1\n"
        )


def object_file(history: History, name: str) -> Path:
    """Returns the path of a loose object's file."""
    return history.directory / ".git/objects" / name[:2] / name[2:]
