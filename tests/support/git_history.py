"""Small git repositories, made by git itself, away from the user's configuration."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

_CONFIG = """\
[user]
	name = A U Thor
	email = author@example.com
[maintenance]
	auto = false
"""
"""One program for each of these, and one more after each commit, take as long as what is tested."""


class History:
    """A repository whose commits are written by the test."""

    def __init__(self, directory: Path) -> None:
        if shutil.which("git") is None:
            pytest.skip("git is not installed")
        self.directory = directory
        directory.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        with (directory / ".git/config").open("a") as config:
            config.write(_CONFIG)

    def git(self, *words: str) -> str:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", "-C", str(self.directory), *words],
            capture_output=True,
            env=environment,
            check=True,
        )
        return done.stdout.decode().strip()

    def commit(self, files: Mapping[str, str | bytes | None], message: str = "Change") -> str:
        """Writes the files (None: deletes), commits all, and returns the hash."""
        for name, content in files.items():
            path = self.directory / name
            if content is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        head = self.directory / ".git" / (self.directory / ".git/HEAD").read_text().split()[-1]
        return head.read_text().strip() if head.is_file() else self.git("rev-parse", "HEAD")
