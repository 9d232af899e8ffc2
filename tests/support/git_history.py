"""Small git repositories, made by git itself, away from the user's configuration."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest


class History:
    """A repository whose commits are written by the test."""

    def __init__(self, directory: Path) -> None:
        if shutil.which("git") is None:
            pytest.skip("git is not installed")
        self.directory = directory
        directory.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "A U Thor")
        self.git("config", "user.email", "author@example.com")

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
        return self.git("rev-parse", "HEAD")
