"""One headless Chromium, driven over a pipe by its DevTools protocol, and a server of pages."""

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome")
_ANSWER_S = 120
"""Until an answer is given up; the machine may be busy."""
_FREE = 64
"""Descriptors from here on are not those the browser expects."""


def found() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A page of the browser at a time.

    said   what the page's console was told since open(), and what was refused
    asked  addresses that were asked for since open(), whether there is such a host or not; what
           the page's own policy forbids is not asked for
    """

    def __init__(self, program: str, profile: Path, address: str) -> None:
        self.address = address
        self.said: list[str] = []
        self.asked: list[str] = []
        self._asking: dict[str, str] = {}
        self._loaded = False
        self._last = 0
        self._rest = b""
        self._answers: dict[int, dict[str, Any]] = {}
        (theirs_in, self._to), (self._from, theirs_out) = os.pipe(), os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _FREE) for end in (theirs_in, theirs_out)]
        silent = os.open(os.devnull, os.O_RDWR)
        self._pid = os.posix_spawn(
            program,
            [
                program,
                *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *("--disable-background-networking", "--disable-component-update"),
                *("--disable-sync", "--no-first-run", "--remote-debugging-pipe"),
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                f"--user-data-dir={profile}",
            ],
            os.environ,
            # the numbers that --remote-debugging-pipe reads and writes
            file_actions=[
                *((os.POSIX_SPAWN_DUP2, silent, number) for number in (0, 1, 2)),
                *((os.POSIX_SPAWN_DUP2, end, number) for number, end in enumerate(ends, 3)),
            ],
            setpgroup=0,
        )
        for end in (theirs_in, theirs_out, silent, *ends):
            os.close(end)
        self._session = ""
        target = self.do("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.do("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.do(f"{domain}.enable")

    def do(self, method: str, **parameters: object) -> dict[str, Any]:
        """The answer to a command of the protocol."""
        self._last += 1
        message: dict[str, object] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self._to, data) :]
        number = self._last
        self._until(lambda: number in self._answers)
        answer = self._answers.pop(number)
        assert "error" not in answer, f"{method}: {answer['error']}"
        result: dict[str, Any] = answer["result"]
        return result

    def open(self, page: str, width: int, dark: bool = False) -> None:
        """A page of the server, as wide as given in pixels."""
        self.resize(width)
        self.medium("screen", dark)
        self.said.clear()
        self.asked.clear()
        self._loaded = False
        self.do("Page.navigate", url=f"{self.address}/{page}")
        self._until(lambda: self._loaded)

    def resize(self, width: int) -> None:
        """Makes the page as wide as given in pixels."""
        self.do(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=800,
            deviceScaleFactor=1,
            mobile=False,
        )

    def medium(self, medium: str, dark: bool = False) -> None:
        """screen or print."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.do("Emulation.setEmulatedMedia", media=medium, features=[scheme])

    def told(self, script: str) -> Any:
        """The value of an expression in the page, or of its promise."""
        answer = self.do(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def press(self, key: str, code: int) -> None:
        for kind in ("rawKeyDown", "keyUp"):
            self.do(
                "Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code
            )

    def pdf(self) -> bytes:
        """The page on paper, A4."""
        data = self.do(
            "Page.printToPDF", paperWidth=8.27, paperHeight=11.69, preferCSSPageSize=True
        )
        return base64.b64decode(data["data"])

    def picture(self) -> bytes:
        """The whole page as PNG."""
        data = self.do("Page.captureScreenshot", captureBeyondViewport=True)
        return base64.b64decode(data["data"])

    def close(self) -> None:
        os.close(self._to)
        os.close(self._from)
        os.killpg(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)

    def _until(self, done: Any) -> None:
        end = time.monotonic() + _ANSWER_S
        while not done():
            ready, _, _ = select.select([self._from], [], [], max(0.0, end - time.monotonic()))
            data = os.read(self._from, 1 << 16) if ready else b""
            assert data, "no answer of the browser"
            *whole, self._rest = (self._rest + data).split(b"\0")
            for message in whole:
                self._take(json.loads(message))

    def _take(self, message: dict[str, Any]) -> None:
        method, given = message.get("method"), message.get("params", {})
        if "id" in message:
            self._answers[message["id"]] = message
        elif method == "Page.loadEventFired":
            self._loaded = True
        elif method == "Log.entryAdded":
            self.said.append(given["entry"]["text"])
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            self.said.append(json.dumps(given))
        elif method == "Network.requestWillBeSent":
            self.asked.append(given["request"]["url"])
            self._asking[given["requestId"]] = given["request"]["url"]
        elif method == "Network.loadingFailed" and given.get("blockedReason"):
            self.asked.remove(self._asking[given["requestId"]])


@contextmanager
def browser(program: str, directory: Path, profile: Path) -> Iterator[Browser]:
    """A context manager: one browser, and a server of the directory's files."""

    class Handler(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(directory)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        opened = Browser(program, profile, f"http://127.0.0.1:{server.server_address[1]}")
        try:
            yield opened
        finally:
            opened.close()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
