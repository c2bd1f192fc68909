"""A headless Chromium, spoken to over a pipe (Chrome DevTools Protocol). Nothing but Python's own library is needed."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    """The browser's program, or None. CLEARANCE_CHROMIUM names another one."""
    names = [os.environ.get("CLEARANCE_CHROMIUM"), "chromium", "chromium-browser", "google-chrome"]
    return next((path for path in (shutil.which(n) for n in names if n) if path), None)


class Browser:
    """One browser with one page at a time. What the pages print, fail at, and fetch is kept."""

    def __init__(self, program, *options):
        self.profile = tempfile.mkdtemp(prefix="clearance-browser-")
        to_browser, self.write = os.pipe()
        self.read, from_browser = os.pipe()

        def descriptors():
            # The browser reads from 3 and writes to 4; first out of their way.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [
                program, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={self.profile}",
                # As root, in a container, with a processor in place of a graphics card.
                "--no-sandbox", "--disable-dev-shm-usage", "--use-gl=angle", "--use-angle=swiftshader",
                "--enable-unsafe-swiftshader", "--no-first-run", "--disable-background-networking",
                "--hide-scrollbars", *options, "about:blank",
            ],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=descriptors, close_fds=False,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        try:
            self.open_page()
        except RuntimeError:
            self.process.kill()
            self.process.wait()
            shutil.rmtree(self.profile, ignore_errors=True)
            raise

    def open_page(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.call(f"{domain}.enable")

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(20)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        # Its helpers may still be writing.
        for _ in range(20):
            shutil.rmtree(self.profile, ignore_errors=True)
            if not os.path.exists(self.profile):
                break
            time.sleep(0.1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def message(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read], [], [], max(until - time.monotonic(), 0))
            data = os.read(self.read, 1 << 20) if ready else b""
            if not data:
                raise RuntimeError("the browser does not answer")
            self.buffer += data
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.send(json.dumps(message).encode() + b"\0")
        until = time.monotonic() + 120
        while True:
            answer = self.message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def send(self, data):
        while data:
            data = data[os.write(self.write, data):]

    def open(self, path):
        """Opens a file, and waits until it has loaded and painted."""
        self.events.clear()
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        until = time.monotonic() + 120
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message(until))
        self.settle()

    def settle(self):
        """Lets the page paint twice."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")

    def run(self, script):
        """Value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(f"{script}: {details.get('exception', {}).get('description', details['text'])}")
        return answer["result"].get("value")

    def complaints(self):
        """Everything the page printed or failed at."""
        found = []
        for event in self.events:
            method, params = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                found.append(details.get("exception", {}).get("description") or details["text"])
            elif method == "Runtime.consoleAPICalled":
                found.append(" ".join(str(a.get("value", a.get("description"))) for a in params["args"]))
            elif method == "Log.entryAdded":
                found.append(params["entry"]["text"])
        return found

    def requests(self):
        """Everything the page asked for, itself not counted."""
        urls = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return urls[1:]

    def window(self, width, height, dark=False, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def press(self, key, code=None, text=None):
        common = {"key": key, "code": code or key, "windowsVirtualKeyCode": {" ": 32, "Enter": 13, "Tab": 9}.get(key, 0)}
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, path, whole=True):
        """A screenshot as PNG; returns its bytes."""
        params = {"format": "png"}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            params.update(captureBeyondViewport=True, clip={"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1})
        data = base64.b64decode(self.call("Page.captureScreenshot", **params)["data"])
        if path:
            with open(path, "wb") as out:
                out.write(data)
        return data
