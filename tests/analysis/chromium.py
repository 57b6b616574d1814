"""A real headless Chromium, driven over the two pipes of its DevTools protocol: no driver and no package of ours.

https://chromedevtools.github.io/devtools-protocol/
"""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import time
from pathlib import Path
from types import TracebackType
from typing import Any

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
REQUIRED = "COUNTERPOISE_BROWSER_TESTS"
"""The environment variable that makes a missing browser a failure where it says `required`."""

PATIENCE = 60
"""Seconds for an answer."""

KEYS = {"Tab": 9, "Enter": 13}
QUIET = ("background-networking", "component-update", "dev-shm-usage", "extensions", "gpu", "quic", "sync")


def _pipe() -> tuple[int, int]:
    """The reading and the writing end of a pipe, both above the descriptors that the browser takes for its own."""
    ends = os.pipe()
    high = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    for end in ends:
        os.close(end)
    return high[0], high[1]


class Chromium:
    """One page in one browser, 1,280 pixels wide until `resize`.

    `complaints` has what its console was told and what it asked in dialogs since the page was opened.
    """

    def __init__(self, profile: Path) -> None:
        assert BROWSER is not None
        # The browser reads from descriptor 3 and writes to 4; ours lie higher, so that none is overwritten.
        theirs_in, self._out = _pipe()
        self._in, theirs_out = _pipe()
        options = ["--headless", "--no-sandbox", "--no-first-run", "--remote-debugging-pipe"]
        options += [f"--user-data-dir={profile}", *(f"--disable-{name}" for name in QUIET), "about:blank"]
        silent = (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)
        ends = [(os.POSIX_SPAWN_DUP2, theirs_in, 3), (os.POSIX_SPAWN_DUP2, theirs_out, 4)]
        self._process = os.posix_spawn(BROWSER, [BROWSER, *options], os.environ, file_actions=[*ends, silent])
        os.close(theirs_in)
        os.close(theirs_out)
        self._number, self._unread, self._session = 0, b"", None
        self.complaints: list[str] = []
        self._seen: list[str] = []
        targets = self.call("Target.getTargets")["targetInfos"]
        target = next(each["targetId"] for each in targets if each["type"] == "page")
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.resize(1280, 900)

    def __enter__(self) -> Chromium:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(OSError, EOFError):
            self._session = None
            self.call("Browser.close")
        os.close(self._in)
        os.close(self._out)
        os.waitpid(self._process, 0)

    def call(self, method: str, **arguments: Any) -> dict[str, Any]:
        """The result of one command; RuntimeError if the browser refuses, TimeoutError if it is silent."""
        number = self._send(method, arguments)
        while (answer := self._next()).get("id") != number:
            self._note(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return dict(answer["result"])

    def _send(self, method: str, arguments: dict[str, Any]) -> int:
        self._number += 1
        message = {"id": self._number, "method": method, "params": arguments}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        return self._number

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE
        while b"\0" not in self._unread:
            if not select.select([self._in], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError(f"the browser has not answered for {PATIENCE} s")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise EOFError("the browser has closed")
            self._unread += part
        text, _, self._unread = self._unread.partition(b"\0")
        return dict(json.loads(text))

    def _note(self, event: dict[str, Any]) -> None:
        told = event.get("params", {})
        self._seen.append(event.get("method", ""))
        if event.get("method") == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.complaints.append(f"{told['type']}: {told['args']}")
        elif event.get("method") == "Page.javascriptDialogOpening":
            # Nobody would answer it, and until then the page stands still.
            self.complaints.append(f"{told['type']}: {told['message']}")
            self._send("Page.handleJavaScriptDialog", {"accept": True})
        elif event.get("method") == "Log.entryAdded":
            self.complaints.append(f"{told['entry']['level']}: {told['entry']['text']}")

    def open(self, page: Path) -> None:
        """Load a page, and wait until it has."""
        self._seen.clear()
        self.complaints.clear()
        self.call("Page.navigate", url=page.resolve().as_uri())
        while "Page.loadEventFired" not in self._seen:
            self._note(self._next())

    def resize(self, width: int, height: int, phone: bool = False) -> None:
        """Another window: its size in CSS pixels, and whether it is a phone's."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=phone,
        )

    def value(self, expression: str) -> Any:
        """What an expression comes to in the page, as JSON has it; a promise is awaited."""
        found = self.call(
            "Runtime.evaluate",
            expression=expression,
            returnByValue=True,
            awaitPromise=True,
            userGesture=True,
        )
        if "exceptionDetails" in found:
            details = found["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return found["result"].get("value")

    def click(self, element: str) -> None:
        """Click with the mouse into the middle of what an expression finds."""
        x, y = self.value(
            f"(e => {{ e.scrollIntoView({{block: 'center', inline: 'center'}}); "
            f"const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; }})({element})"
        )
        for what in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=what, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Press a key that has a name."""
        code, text = KEYS[key], "\r" if key == "Enter" else ""
        for what in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=what,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                text=text if what == "keyDown" else "",
            )

    def type(self, text: str) -> None:
        """Type text into what has the focus."""
        self.call("Input.insertText", text=text)

    def printed(self) -> bytes:
        """The page as a PDF on A4 paper."""
        data = self.call("Page.printToPDF", paperWidth=8.27, paperHeight=11.69)["data"]
        return base64.b64decode(data)

    def picture(self) -> bytes:
        """What the window shows, as a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])
