"""A headless Chromium, and a server that remembers what it was asked for."""

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")


def found() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@dataclass
class Browser:
    """directory: what is served. requests: paths that the server was asked for."""

    program: str
    directory: Path
    profile: Path
    address: str
    requests: list[str] = field(default_factory=list)

    def run(self, page: str, *options: str) -> subprocess.CompletedProcess[str]:
        """Opens a page of the server; its console is on stderr."""
        self.requests.clear()
        return subprocess.run(
            [
                self.program,
                *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *("--disable-background-networking", "--disable-component-update"),
                *("--disable-sync", "--no-first-run", "--enable-logging=stderr"),
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                f"--user-data-dir={self.profile}",
                *options,
                f"{self.address}/{page}",
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )

    def console(self, page: str) -> list[str]:
        """What Chromium says of it there."""
        lines = self.run(page, "--dump-dom").stderr.splitlines()
        return [line for line in lines if ":CONSOLE" in line]

    def dom(self, page: str) -> str:
        """After all scripts; there are none but those of a test."""
        return self.run(page, "--dump-dom", "--virtual-time-budget=2000").stdout


@contextmanager
def browser(program: str, directory: Path, profile: Path) -> Iterator[Browser]:
    """Serves a directory."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            opened.requests.append(self.path)
            super().do_GET()

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(directory)))
    opened = Browser(program, directory, profile, f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield opened
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
