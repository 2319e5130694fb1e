"""A real Chromium without a window, driven by its DevTools protocol, for tests and pictures of the page.

Clicks are sent as those of a mouse: the page accepts them as a person's, unlike those of a script.
"""

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from websockets.sync.client import ClientConnection, connect

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60.0  # [s] longest waiting time


def program() -> str | None:
    """Path of a Chromium; None if none is installed."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    """A tab of a browser."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._number = 0

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a method of the protocol."""
        self._number += 1
        self._connection.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        while True:
            answer = json.loads(self._connection.recv(PATIENCE))
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                return answer["result"]

    def value(self, script: str) -> Any:
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def until(self, script: str) -> Any:
        """The value of an expression as soon as it is true."""
        give_up = time.monotonic() + PATIENCE
        while not self.value(f"Boolean({script})"):
            assert time.monotonic() < give_up, (
                f"{script} stayed false: {self.value('document.body.innerText')}"
            )
            time.sleep(0.01)
        return self.value(script)

    def open(self, address: str) -> None:
        """Opens an address, and waits until it is loaded."""
        self.call("Page.enable")
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete'")

    def resize(self, width: int, height: int, scale: float = 1.0, is_phone: bool = False) -> None:
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=is_phone,
        )

    def click(self, script: str) -> None:
        """Clicks the element that an expression yields, as soon as it can be clicked."""
        self.until(f"(e => e && !e.disabled)({script})")
        self.value(f"({script}).scrollIntoView({{block: 'center'}})")
        x, y = self.value(
            f"(r => [r.x + r.width / 2, r.y + r.height / 2])(({script}).getBoundingClientRect())"
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, key: str) -> None:
        """Presses a key."""
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def picture(self, path: Path) -> None:
        """Writes a picture of the whole page."""
        result = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(result["data"]))


@contextmanager
def browsing(folder: Path) -> Iterator[Browser]:
    """A browser with an empty profile in a folder, which is closed on leaving the context."""
    process = subprocess.Popen(
        [
            str(program()),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--hide-scrollbars",
            "--remote-debugging-port=0",
            f"--user-data-dir={folder}",
            "about:blank",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        port_file, give_up = folder / "DevToolsActivePort", time.monotonic() + PATIENCE
        while not port_file.exists() or "\n" not in port_file.read_text():
            assert process.poll() is None, "the browser ended"
            assert time.monotonic() < give_up
            time.sleep(0.02)
        port = port_file.read_text().splitlines()[0]
        with urlopen(f"http://127.0.0.1:{port}/json") as listing:
            tabs = json.load(listing)
        address = next(tab["webSocketDebuggerUrl"] for tab in tabs if tab["type"] == "page")
        with connect(address, max_size=None, compression=None) as connection:
            yield Browser(connection)
    finally:
        process.terminate()
        process.wait(PATIENCE)
