"""A real browser without a window, for tests of pages: Chromium, driven by its own driver over HTTP."""

import base64
import json
import re
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path

import pytest

PROGRAMS = ("chromium", "chromium-browser", "google-chrome", "chrome")


def found():
    """The browser and its driver; None where one of them is missing."""
    browser = next(filter(None, map(shutil.which, PROGRAMS)), None)
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


needs_browser = pytest.mark.skipif(
    found() is None, reason="needs Chromium and chromedriver: apt-get install chromium chromium-driver"
)


class Browser:
    """One window of a browser; use it in a with statement."""

    def __init__(self, width=1280, height=900, *, dark=False, touch=False):
        program, driver = found()
        self._driver = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, text=True)
        port = next(
            int(told[1]) for told in (re.search(r"on port (\d+)\.", line) for line in self._driver.stdout) if told
        )
        self._address = f"http://127.0.0.1:{port}"
        options = {
            "binary": program,
            "args": ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                     "--disable-background-networking", f"--window-size={width},{height}"],
        }  # fmt: skip
        if dark:
            options["args"].append("--blink-settings=preferredColorScheme=0")
        if touch:
            metrics = {"width": width, "height": height, "pixelRatio": 2, "touch": True}
            options["mobileEmulation"] = {"deviceMetrics": metrics}
        wanted = {"goog:chromeOptions": options, "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"}}
        try:
            self._session = self._ask("/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]
        except BaseException:
            self._end()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._ask(f"/session/{self._session}", method="DELETE")
        finally:
            self._end()

    def _end(self):
        self._driver.terminate()
        self._driver.wait()
        self._driver.stdout.close()

    def _ask(self, path, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"}
        verb = method or ("POST" if data else "GET")
        request = urllib.request.Request(self._address + path, data, headers, method=verb)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def _do(self, path, body):
        return self._ask(f"/session/{self._session}/{path}", body)

    def open(self, path):
        """Open a file, and wait until the page says that it is ready."""
        self._do("url", {"url": Path(path).resolve().as_uri()})
        self.wait("return document.documentElement.dataset.ready === 'yes'")

    def run(self, script, *arguments):
        """What JavaScript returns."""
        return self._do("execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments):
        """Wait until JavaScript returns something true."""
        for _ in range(200):
            if self.run(script, *arguments):
                return
            time.sleep(0.05)
        raise AssertionError(f"never true: {script}")

    def settle(self):
        """Wait until what was asked for is drawn."""
        self._do("execute/async", {"script": (
            "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(1)));"
        ), "args": []})  # fmt: skip

    def move(self, x, y):
        """Move the pointer to a place in the window."""
        self._act({"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)})

    def click(self, x, y, kind="mouse"):
        """Click, or tap."""
        self._act(
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}, kind=kind,
        )  # fmt: skip

    def drag(self, x, y, to_x, to_y):
        """Press, move and let go."""
        self._act(
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 50, "x": round(to_x), "y": round(to_y)},
            {"type": "pointerUp", "button": 0},
        )  # fmt: skip

    def _act(self, *steps, kind="mouse"):
        source = {"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": steps}
        self._do("actions", {"actions": [source]})
        self.settle()

    def wheel(self, x, y, by):
        """Turn the wheel over a place."""
        step = {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": by, "duration": 0}
        self._do("actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [step]}]})
        self.settle()

    def picture(self, path):
        """Write what the window shows as a PNG file."""
        Path(path).write_bytes(base64.b64decode(self._ask(f"/session/{self._session}/screenshot")))

    def requests(self):
        """The addresses that were asked for so far."""
        events = (json.loads(entry["message"])["message"] for entry in self._do("se/log", {"type": "performance"}))
        return [each["params"]["request"]["url"] for each in events if each["method"] == "Network.requestWillBeSent"]

    def complaints(self):
        """What the browser has written into its console."""
        return [entry["message"] for entry in self._do("se/log", {"type": "browser"})]
