"""Streams on a server in a production configuration, and the page that plays them. For the test-browser tests."""

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
    """Returns the browsers for the test. A missing browser is reported; if all are missing, the test is skipped."""
    found = [name for name in ("chromium", "firefox") if is_here(name)]
    missing = {"chromium", "firefox"} - set(found)
    if missing and os.environ.get("KEYWAY_REQUIRE_BROWSERS"):
        fail(f"{', '.join(sorted(missing))}: not installed, and KEYWAY_REQUIRE_BROWSERS is set")
    if not found:
        print("skipped: neither Chromium nor Firefox is installed")
        sys.exit(0)
    return found


def film(name):
    """Returns the path of a movie that IntegrationTests/media generated."""
    folder = os.environ.get("MEDIA") or subprocess.check_output([ROOT / "IntegrationTests/media"], text=True).strip()
    return Path(folder, name)


class Origin:
    """Serves a folder over HTTP on another origin than the page's, with CORS and byte ranges. `requests` are paths. The values of
    `posts` are functions from the body of a POST request to the body of the response, by path."""

    def __init__(self, folder):
        origin = self
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.requests = []
        self.posts = {}
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

            def do_POST(self):
                origin.requests.append(self.path)
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if self.path not in origin.posts:
                    return self.send_error(404)
                data = origin.posts[self.path](body)
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        handler = functools.partial(Handler, directory=str(self.folder))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_port}"


# The times of frame comparisons, in seconds: in the middle of frames of a movie with 25 per second, before it fades out, on both
# sides of the start of its second segment.
MOMENTS = [0.78, 1.34, 1.94, 2.10, 2.50]


class PlayerPage:
    """The page `/player` of a key server, in a browser."""

    def __init__(self, browser, server):
        self.browser = browser
        self.address = server + "/player"

    def load(self, url, account=None, token=None):
        """Reloads the page with a presentation."""
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
        """Waits until the movie has played, by the clock and by the number of decoded frames. Returns that number."""
        return self.browser.wait("""
            const video = document.getElementById("video");
            const failure = document.getElementById("failure");
            if (!failure.hidden) throw new Error("the page reports: " + failure.innerText);
            const {totalVideoFrames} = video.getVideoPlaybackQuality();
            return video.ended && video.currentTime > 4.5 && totalVideoFrames > 60 ? totalVideoFrames : null;
            """, "the movie to play to its end")

    def failure(self):
        """Waits for a failure; returns its code, and the whole text of the page's message."""
        shown = """
            const failure = document.getElementById("failure");
            return failure.hidden ? null : [document.getElementById("failure-code").textContent, failure.innerText];"""
        return self.browser.wait(shown, "a failure to be shown")

    def expect_failure(self, code, *words):
        """Waits for a failure, which must have a given code and contain given texts."""
        found, text = self.failure()
        if found != code:
            fail(f"{self.browser.name}: expected the failure {code}, found {found}: {text}")
        for word in words:
            if word not in text:
                fail(f"{self.browser.name}: the message of {code} does not contain '{word}': {text}")

    def pictures(self):
        """Returns screenshots of the video at given times, as PNG."""
        self.browser.run("""
            const video = document.getElementById("video");
            video.pause();
            video.controls = false;
            // The video is moved to a fixed position, so that its whole frame is visible whatever else is on the page.
            Object.assign(video.style, {position: "fixed", inset: "0 auto auto 0", width: "640px", height: "360px", zIndex: 9,
                                        borderRadius: 0});""")
        return [self.picture(moment) for moment in MOMENTS]

    def picture(self, moment):
        # The callback is called when the frame of the new time is presented, even if the video is paused.
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

        wait_until(is_steady, "a stable frame")
        return last[-1]


def differing(page, wanted):
    """Takes the screenshots of a video again that differ from the wanted ones. Returns the first that still differs, as (wanted,
    seen); None if all are equal. A browser under load may report a frame before it shows it, so that the screenshot shows
    another one; frames that were decrypted wrongly differ each time."""
    for moment, one, seen in zip(MOMENTS, wanted, page.pictures()):
        for _ in range(3):
            if same_picture(one, seen):
                break
            seen = page.picture(moment)
        else:
            return one, seen
    return None


def same_picture(one, other):
    """Returns whether all pixels of two images are equal."""
    return one == other or pixels(one) == pixels(other)


__all__ = ["BrowserError", "MOMENTS", "Origin", "PlayerPage", "differing", "film", "open_browser", "pixels", "same_picture",
           "usable_browsers", "wait_until"]
