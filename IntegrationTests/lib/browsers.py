"""Headless Chromium and Firefox, controlled with Python's standard library only.

chromedriver controls Chromium (W3C WebDriver over HTTP). Firefox is controlled through Marionette, with the same commands over a
socket that Firefox itself opens; geckodriver, which Debian does not package, would only translate between the two.
`IntegrationTests/browsers` checks whether both are installed.

    with open_browser("chromium") as browser:
        browser.get("http://127.0.0.1:8080/player")
        browser.wait("return document.title", "a title")

Every wait is for a condition and has a timeout of `TIMEOUT` seconds, for machines under load.
"""

import atexit
import base64
import itertools
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import zlib
from pathlib import Path

TIMEOUT = 120
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " ", "Left": "\ue012", "Up": "\ue013",
        "Right": "\ue014", "Down": "\ue015", "Shift": "\ue008"}


class BrowserError(Exception):
    """An error of a browser, or of a script in it."""


def find(*names):
    """Returns the path of the first program that is installed, or None."""
    return next(filter(None, map(shutil.which, names)), None)


def programs(name):
    """Returns the programs for a browser: (browser, driver), None for a missing one. Firefox needs no driver."""
    if name == "chromium":
        return find("chromium", "chromium-browser", "google-chrome"), find("chromedriver")
    return find("firefox-esr", "firefox"), ""


def is_here(name):
    return all(program is not None for program in programs(name))


def wait_until(condition, what, timeout=TIMEOUT):
    """Waits until a function returns a true value, and returns that value."""
    deadline = time.monotonic() + timeout
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise BrowserError(f"waited {timeout} s for {what}")
        time.sleep(0.1)


class Browser:
    """The common functions of both browsers. Scripts are function bodies: `return document.title`, with `arguments[0]` and so on."""

    name = ""

    def command(self, method, path, command, parameters):
        raise NotImplementedError

    # Pages

    def get(self, url):
        self.command("POST", "/url", "WebDriver:Navigate", {"url": url})

    @property
    def url(self):
        return self.command("GET", "/url", "WebDriver:GetCurrentURL", None)

    def run(self, script, *arguments):
        return self.command("POST", "/execute/sync", "WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})

    def wait(self, script, what, *arguments, timeout=TIMEOUT):
        """Repeats a script until it returns a true value."""
        try:
            return wait_until(lambda: self.run(script, *arguments), what, timeout)
        except BrowserError as error:
            text = self.run("return document.body ? document.body.innerText.slice(0, 2000) : ''")
            raise BrowserError(f"{self.name}: {error}; the page's text: {text}") from None

    def await_(self, script, *arguments):
        """Runs the body of an async function and returns its result."""
        wrapped = ("const done = arguments[arguments.length - 1]; const given = [...arguments].slice(0, -1);"
                   f"(async function () {{ {script} }}).apply(null, given)"
                   ".then((value) => done({value}), (error) => done({error: String(error)}));")
        result = self.command("POST", "/execute/async", "WebDriver:ExecuteAsyncScript",
                              {"script": wrapped, "args": list(arguments)})
        if "error" in result:
            raise BrowserError(f"{self.name}: {result['error']}")
        return result.get("value")

    # Elements, by CSS selector

    def find(self, selector):
        return self.command("POST", "/element", "WebDriver:FindElement", {"using": "css selector", "value": selector})

    def click(self, selector):
        element = self.element(selector)
        self.command("POST", f"/element/{element}/click", "WebDriver:ElementClick", {"id": element})

    def clear(self, selector):
        element = self.element(selector)
        self.command("POST", f"/element/{element}/clear", "WebDriver:ElementClear", {"id": element})

    def type(self, selector, text):
        element = self.element(selector)
        self.command("POST", f"/element/{element}/value", "WebDriver:ElementSendKeys", {"id": element, "text": text})

    def element(self, selector):
        return self.find(selector)[ELEMENT]

    def press(self, *names):
        """Presses keys in sequence, in the focused element: `Tab`, `Enter`, or a character; `Shift+Tab` is one key press."""
        actions = []
        for name in names:
            keys = [KEYS.get(part, part) for part in name.split("+")]
            actions += [{"type": "keyDown", "value": key} for key in keys]
            actions += [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self.command("POST", "/actions", "WebDriver:PerformActions",
                     {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    # Appearance

    def resize(self, width, height):
        """Sets the size of the window so that the page has a given size."""
        for _ in range(3):
            inner = self.run("return [innerWidth, innerHeight, outerWidth, outerHeight]")
            if inner[:2] == [width, height]:
                return
            self.command("POST", "/window/rect", "WebDriver:SetWindowRect",
                         {"width": width + inner[2] - inner[0], "height": height + inner[3] - inner[1]})

    def screenshot(self, selector=None):
        """Returns a screenshot of the window or an element, as PNG."""
        if selector is None:
            text = self.command("GET", "/screenshot", "WebDriver:TakeScreenshot", {"full": False})
        else:
            element = self.element(selector)
            text = self.command("GET", f"/element/{element}/screenshot", "WebDriver:TakeScreenshot", {"id": element})
        return base64.b64decode(text)

    def save_screenshot(self, path, selector=None):
        Path(path).write_bytes(self.screenshot(selector))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        raise NotImplementedError


class Chromium(Browser):
    name = "chromium"

    def __init__(self, dark=False, mobile=None, arguments=()):
        program, driver = programs("chromium")
        self.folder = tempfile.mkdtemp(prefix="chromium.")
        self.log = Path(self.folder, "driver.log")
        with self.log.open("w") as log:
            # Chromium must not write to the user's own folders.
            self.process = subprocess.Popen([driver, "--port=0"], stdout=log, stderr=subprocess.STDOUT,
                                            env={**os.environ, "HOME": self.folder})
        atexit.register(self.close)
        self.session = ""
        self.base = wait_until(self.address, "chromedriver", 60)
        options = {
            "binary": program,
            "args": ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--mute-audio",
                     "--hide-scrollbars", "--no-first-run", "--autoplay-policy=no-user-gesture-required",
                     "--force-color-profile=srgb", "--window-size=1280,900", f"--user-data-dir={self.folder}/profile",
                     # Pages in the background must not be throttled.
                     "--disable-background-timer-throttling", "--disable-renderer-backgrounding", *arguments],
        }
        if dark:
            options["args"].append("--blink-settings=preferredColorScheme=0")
        if mobile:
            options["mobileEmulation"] = {"deviceMetrics": {"width": mobile[0], "height": mobile[1], "pixelRatio": 2}}
        answer = self.request("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
            "timeouts": {"script": TIMEOUT * 1000, "pageLoad": TIMEOUT * 1000}}}})
        self.session = "/session/" + answer["sessionId"]
        self.version = answer["capabilities"]["browserVersion"]

    def address(self):
        if self.process.poll() is not None:
            raise BrowserError(f"chromedriver stopped: {self.log.read_text()[-2000:]}")
        for line in self.log.read_text().splitlines():
            if "started successfully on port" in line:
                return "http://127.0.0.1:" + line.rstrip(".").split()[-1]
        return None

    def request(self, method, path, parameters):
        data = None if parameters is None else json.dumps(parameters).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT * 2) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            raise BrowserError(f"chromium: {value['error']}: {value['message'][:1000]}") from None

    def command(self, method, path, command, parameters):
        return self.request(method, self.session + path, None if method == "GET" else parameters)

    def complaints(self):
        """Returns the console messages since the last call: errors, and violations of the page's security policy."""
        entries = self.request("POST", self.session + "/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def requested(self):
        """Returns the URLs that were requested since the last call."""
        urls = []
        for entry in self.request("POST", self.session + "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                urls.append(message["params"]["request"]["url"])
        return urls

    def close(self):
        if self.process.poll() is None:
            try:
                if self.session:
                    self.request("DELETE", self.session, None)
            except (BrowserError, OSError):
                pass
            self.process.terminate()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Firefox(Browser):
    name = "firefox"

    def __init__(self, dark=False, mobile=None, arguments=()):
        program, _ = programs("firefox")
        self.folder = tempfile.mkdtemp(prefix="firefox.")
        profile = Path(self.folder, "profile")
        profile.mkdir()
        preferences = {
            "marionette.port": 0, "media.eme.enabled": True, "media.autoplay.default": 0,
            "media.volume_scale": "0.0", "ui.systemUsesDarkTheme": int(dark), "layout.css.devPixelsPerPx": "1.0",
            "layout.css.prefers-color-scheme.content-override": 0 if dark else 1,
            # Firefox must make no requests other than those of the page.
            "app.update.enabled": False, "media.gmp-manager.updateEnabled": False, "browser.safebrowsing.enabled": False,
            "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
            "toolkit.telemetry.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
            "browser.shell.checkDefaultBrowser": False, "browser.aboutwelcome.enabled": False,
            "services.settings.server": "data:,#remote-settings-dummy/v1", "app.normandy.enabled": False,
            "extensions.update.enabled": False, "browser.region.network.url": "", "dom.timeout.enable_budget_timer_throttling": False,
        }
        profile.joinpath("user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in preferences.items()))
        self.log = Path(self.folder, "firefox.log")
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [program, "--headless", "--marionette", "-remote-allow-system-access", "--no-remote", "--profile",
                 str(profile), *arguments],
                stdout=log, stderr=subprocess.STDOUT,
                # As root, Firefox requires a separate home folder; its sandbox needs features that containers lack.
                env={**os.environ, "HOME": self.folder, "MOZ_HEADLESS_WIDTH": "1280", "MOZ_HEADLESS_HEIGHT": "985",
                     "MOZ_DISABLE_CONTENT_SANDBOX": "1", "MOZ_DISABLE_GMP_SANDBOX": "1", "MOZ_DISABLE_RDD_SANDBOX": "1",
                     "MOZ_DISABLE_UTILITY_SANDBOX": "1", "MOZ_CRASHREPORTER_DISABLE": "1"})
        atexit.register(self.close)
        self.socket = None
        self.numbers = itertools.count(1)
        self.buffer = b""
        port = int(wait_until(lambda: self.port(profile / "MarionetteActivePort"), "Firefox's port"))
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT * 2)
        self.read()
        answer = self.send("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {
            "timeouts": {"script": TIMEOUT * 1000, "pageLoad": TIMEOUT * 1000}}}})
        self.version = answer["capabilities"]["browserVersion"]
        if mobile:
            self.resize(*mobile)

    def port(self, path):
        if self.process.poll() is not None:
            raise BrowserError(f"Firefox stopped: {self.log.read_text()[-2000:]}")
        return path.read_text().strip() if path.exists() else None

    def read(self):
        """Reads a message: its length in decimal digits, a colon, JSON."""
        while b":" not in self.buffer:
            self.more()
        length, _, self.buffer = self.buffer.partition(b":")
        while len(self.buffer) < int(length):
            self.more()
        message, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return json.loads(message)

    def more(self):
        data = self.socket.recv(1 << 16)
        if not data:
            raise BrowserError(f"Firefox has closed its socket: {self.log.read_text()[-2000:]}")
        self.buffer += data

    def send(self, command, parameters):
        number = next(self.numbers)
        message = json.dumps([0, number, command, parameters or {}]).encode()
        self.socket.sendall(str(len(message)).encode() + b":" + message)
        while True:
            kind, answered, error, result = self.read()
            if kind == 1 and answered == number:
                break
        if error:
            raise BrowserError(f"firefox: {error['error']}: {error['message'][:1000]}")
        return result

    def command(self, method, path, command, parameters):
        result = self.send(command, parameters)
        return result["value"] if isinstance(result, dict) and set(result) == {"value"} else result

    def complaints(self):
        """Returns the console messages since the last call: errors of pages, and violations of their security policy."""
        self.send("Marionette:SetContext", {"value": "chrome"})
        try:
            messages = self.run("""
                const found = Services.console.getMessageArray()
                    .filter((message) => message instanceof Ci.nsIScriptError && !(message.flags & 1))
                    .filter((message) => /^https?:/.test(message.sourceName || "") || /CSP|Content/.test(message.category))
                    .map((message) => message.message);
                Services.console.reset();
                return found;""")
        finally:
            self.send("Marionette:SetContext", {"value": "content"})
        return messages

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
        if self.socket:
            self.socket.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def open_browser(name, **options):
    """Starts a browser with a new profile: `dark` for the dark color scheme, `mobile=(width, height)` for a phone's screen."""
    return {"chromium": Chromium, "firefox": Firefox}[name](**options)


def pixels(png):
    """Returns width, height and the bytes of a PNG's pixels, RGB with eight bits each; as browsers write them, not interlaced."""
    width, height, bits, kind, interlaced = (int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big"),
                                             png[24], png[25], png[28])
    if bits != 8 or kind not in (2, 6) or interlaced:
        raise BrowserError("a PNG of a type that browsers do not write")
    data, at = b"", 8
    while at < len(png):
        length = int.from_bytes(png[at:at + 4], "big")
        if png[at + 4:at + 8] == b"IDAT":
            data += png[at + 8:at + 8 + length]
        at += length + 12
    channels = 3 if kind == 2 else 4
    data, row, rows = zlib.decompress(data), width * channels, []
    above = bytes(row)
    for y in range(height):
        filter_type = data[y * (row + 1)]
        line = bytearray(data[y * (row + 1) + 1:(y + 1) * (row + 1)])
        for x in range(row):
            left = line[x - channels] if x >= channels else 0
            up = above[x]
            if filter_type == 1:
                line[x] = (line[x] + left) & 255
            elif filter_type == 2:
                line[x] = (line[x] + up) & 255
            elif filter_type == 3:
                line[x] = (line[x] + (left + up) // 2) & 255
            elif filter_type == 4:
                corner = above[x - channels] if x >= channels else 0
                estimate = left + up - corner
                distances = abs(estimate - left), abs(estimate - up), abs(estimate - corner)
                nearest = left if distances[0] <= distances[1] and distances[0] <= distances[2] else (
                    up if distances[1] <= distances[2] else corner)
                line[x] = (line[x] + nearest) & 255
        rows.append(bytes(line))
        above = rows[-1]
    flat = b"".join(rows)
    if channels == 4:
        flat = b"".join(flat[at:at + 3] for at in range(0, len(flat), 4))
    return width, height, flat
