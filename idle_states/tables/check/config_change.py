"""Reads the configuration and the baseline of a revision, and what a change alters in the first."""

from collections.abc import Iterator
from os.path import normpath

from ...base.model.findings import Finding, Location, Severity, unreadable
from ...base.reading import limits
from ...base.reading.git.commits import CommitReader
from .config import FILES, LISTS, Configuration, Entries, configures, entries, parse, words

_Settings = dict[str, tuple[int | None, Entries]]


def configuration_at(repository: CommitReader, commit: str) -> Configuration | None:
    """Reads the configuration at a commit: the nearest setup.cfg or pyproject.toml that has our
    section, in the repository's directory or above it. Its `file` is named from the repository's
    top. Raises Unreadable (IS905, IS930)."""
    directories = repository.prefix.split("/")[:-1]
    for count in range(len(directories), -1, -1):
        for file in FILES:
            name = "/".join([*directories[:count], file])
            for entry in repository.named(commit, name):
                data = repository.content(entry, limits.CONFIGURATION_BYTES)
                text = data.decode("utf-8", "replace")
                if configures(file, text):
                    return parse(text, name)
    return None


def file_at(repository: CommitReader, commit: str, name: str) -> bytes | None:
    """Reads a file as a commit has it, named from the repository's directory; None for one outside
    of the repository. Raises Unreadable (IS930) where the commit has no such file."""
    path = normpath(f"{repository.prefix}{name}")
    if path.startswith("../"):
        return None
    for entry in repository.named(commit, path):
        return repository.content(entry, limits.CONFIGURATION_BYTES)
    raise unreadable(name, f"expected the file in {commit[:9]}, found none there")


def changes(before: Configuration | None, after: Configuration | None) -> list[Finding]:
    """Returns a finding (IS906) for each key and suppression that differs, with its place after the
    change. None: there is no configuration."""
    present = after or before
    if present is None:
        return []
    old, new = _entries(before), _entries(after)
    found = []
    for key in dict.fromkeys((*old, *new)):
        differing = _suppressions if key == "suppress" else _settings
        for line, message in differing(key, old, new):
            where = Location(f"idle-states.{key}", present.file, line, 1 if line else None)
            found.append(
                Finding("IS906", "changed-configuration", Severity.WARNING, message, where)
            )
    return found


def _entries(configuration: Configuration | None) -> _Settings:
    return entries(configuration.text, configuration.file) if configuration else {}


def _settings(key: str, old: _Settings, new: _Settings) -> Iterator[tuple[int | None, str]]:
    """(line, message)."""
    before, after = (words(one[key][1]) if key in one else None for one in (old, new))
    if before == after or (key in LISTS and before and after and set(before) == set(after)):
        return
    was = "it was not set" if before is None else f"before: {_joined(before)}"
    if after is None:
        yield None, f"the change removes {key}; {was}"
    else:
        yield new[key][0], f"the change sets {key} to {_joined(after)}; {was}"


def _suppressions(key: str, old: _Settings, new: _Settings) -> Iterator[tuple[int | None, str]]:
    """(line, message)."""
    before, after = (
        {" ".join(text.split()): line for line, text in settings.get(key, (None, []))[1]}
        for settings in (old, new)
    )
    for text, line in after.items():
        if text not in before:
            yield line, f"the change adds the suppression {text!r:.200}"
    for text in before:
        if text not in after:
            yield None, f"the change removes the suppression {text!r:.200}"


def _joined(texts: tuple[str, ...]) -> str:
    return ", ".join(texts) or "nothing"
