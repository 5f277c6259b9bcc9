"""Streams on a server of their own, as an operator has them, and the page that plays them. For the test-browser tests."""

import functools
import http.server
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from urllib.parse import quote

from browsers import BrowserError, is_here, open_browser, pixels, wait_until
from servers import ROOT, fail


def usable_browsers():
    """The browsers that the test runs in. Where one is not here the test says so; where none is, it ends as passed."""
    found = [name for name in ("chromium", "firefox") if is_here(name)]
    missing = {"chromium", "firefox"} - set(found)
    if missing and os.environ.get("KEYWAY_REQUIRE_BROWSERS"):
        fail(f"{', '.join(sorted(missing))}: not here, and KEYWAY_REQUIRE_BROWSERS is set")
    if not found:
        print("skipped: neither Chromium nor Firefox is here")
        sys.exit(0)
    return found


def film(name):
    """A film that IntegrationTests/media made."""
    folder = os.environ.get("MEDIA") or subprocess.check_output([ROOT / "IntegrationTests/media"], text=True).strip()
    return Path(folder, name)


class Origin:
    """Serves a folder by HTTP on another origin than the page's, with CORS and byte ranges. `requests` are paths."""

    def __init__(self, folder):
        origin = self
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.requests = []
        self.allows_pages = True

        class Handler(http.server.SimpleHTTPRequestHandler):
            extensions_map = {".m3u8": "application/vnd.apple.mpegurl", ".mp4": "video/mp4", ".m4s": "video/mp4",
                              ".ts": "video/mp2t", "": "application/octet-stream"}
            protocol_version = "HTTP/1.1"

            def end_headers(self):
                if origin.allows_pages:
                    self.send_header("Access-Control-Allow-Origin", "*")
                self.send_header("Cache-Control", "no-store")
                super().end_headers()

            def do_GET(self):
                origin.requests.append(self.path)
                path = Path(self.translate_path(self.path))
                asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range") or "")
                if not asked or not path.is_file():
                    return super().do_GET()
                data = path.read_bytes()
                start = int(asked[1])
                end = min(int(asked[2] or len(data) - 1), len(data) - 1)
                self.send_response(206)
                self.send_header("Content-Type", self.guess_type(str(path)))
                self.send_header("Content-Range", f"bytes {start}-{end}/{len(data)}")
                self.send_header("Content-Length", str(end - start + 1))
                self.end_headers()
                self.wfile.write(data[start:end + 1])

            def log_message(self, *_):
                pass

        handler = functools.partial(Handler, directory=str(self.folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


# Where a picture is compared, in seconds: in the middle of frames of a film with 25 a second, before it fades out, on both
# sides of where its second segment begins.
MOMENTS = [0.78, 1.34, 1.94, 2.10, 2.50]


class PlayerPage:
    """`/player` of a key server, in a browser."""

    def __init__(self, browser, server):
        self.browser = browser
        self.address = server + "/player"

    def load(self, url, account=None, token=None):
        """Loads a presentation anew."""
        self.browser.get("about:blank")
        account = f"&account={quote(account)}" if account else ""
        self.browser.get(f"{self.address}#url={quote(url)}{account}")
        if token:
            self.browser.click("input[value=token]")
            self.browser.type("#token-value", token)
        self.browser.click("#play")

    def text(self, identifier):
        return self.browser.run("return document.getElementById(arguments[0]).textContent", identifier)

    def play_to_the_end(self):
        """Waits until the film has played, by the clock and by the count of decoded frames. Returns the latter."""
        return self.browser.wait("""
            const video = document.getElementById("video");
            const failure = document.getElementById("failure");
            if (!failure.hidden) throw new Error("the page says: " + failure.innerText);
            const {totalVideoFrames} = video.getVideoPlaybackQuality();
            return video.ended && video.currentTime > 4.5 && totalVideoFrames > 60 ? totalVideoFrames : null;
            """, "the film to play to its end")

    def failure(self):
        """Waits for a failure: its code, and all that the page says."""
        shown = """
            const failure = document.getElementById("failure");
            return failure.hidden ? null : [document.getElementById("failure-code").textContent, failure.innerText];"""
        return self.browser.wait(shown, "a failure to be shown")

    def expect_failure(self, code, *words):
        """Waits for a failure, which has to be this one, in these words."""
        found, text = self.failure()
        if found != code:
            fail(f"{self.browser.name}: the failure is {found}, not {code}: {text}")
        for word in words:
            if word not in text:
                fail(f"{self.browser.name}: '{word}' is not among the words of {code}: {text}")

    def pictures(self):
        """What is seen at each of the moments, as PNG."""
        self.browser.run("""
            const video = document.getElementById("video");
            video.pause();
            video.controls = false;
            // Whatever else is on the page, the picture is whole, and in the same place.
            Object.assign(video.style, {position: "fixed", inset: "0 auto auto 0", width: "640px", height: "360px", zIndex: 9,
                                        borderRadius: 0});""")
        return [self.picture(moment) for moment in MOMENTS]

    def picture(self, moment):
        # The callback is called when the frame of the new time is there to be seen, also while nothing plays.
        self.browser.run("""
            const video = document.getElementById("video");
            window.seen = null;
            video.requestVideoFrameCallback((_, {mediaTime}) => { window.seen = mediaTime; });
            video.currentTime = arguments[0];""", moment)
        self.browser.wait("""
            const video = document.getElementById("video");
            return !video.seeking && video.readyState >= 2 && window.seen !== null
                && Math.abs(window.seen - arguments[0]) <= 0.041""", f"the frame at {moment} s", moment)
        last = []

        def is_steady():
            last.append(self.browser.screenshot("#video"))
            return len(last) > 1 and last[-1] == last[-2]

        wait_until(is_steady, "a picture that stays as it is")
        return last[-1]


def same_picture(one, other):
    """Whether two pictures have the same pixels, all of them."""
    return one == other or pixels(one) == pixels(other)


__all__ = ["BrowserError", "MOMENTS", "Origin", "PlayerPage", "film", "open_browser", "pixels", "same_picture",
           "usable_browsers", "wait_until"]
