"""A low-latency channel as docs/low-latency.md describes the packager's files, from fragments that ffmpeg makes, and keyway-origin."""

import atexit
import datetime
import os
import re
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

from browsers import is_here, open_browser, wait_until
from servers import ROOT, fail, run

# The duration of a part in seconds, the number of parts of a segment, and of segments in the window.
PART, PARTS, WINDOW = 0.5, 4, 12
RATE = 30


def make_media(seconds):
    """Returns an init segment and fragments of a part each; the first of a segment begins with a key frame."""
    frames = int(RATE * PART)
    run("ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=size=320x180:rate={RATE}:duration={seconds}",
        "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", str(frames * PARTS), "-keyint_min", str(frames * PARTS),
        "-sc_threshold", "0", "-bf", "0", "-f", "mp4", "-movflags", "+empty_moov+default_base_moof+cmaf",
        "-frag_duration", str(int(PART * 1_000_000)), "media.mp4")
    data, position, init, fragments = Path("media.mp4").read_bytes(), 0, b"", []
    while position < len(data):
        size, kind = struct.unpack(">I4s", data[position:position + 8])
        box = data[position:position + size]
        if kind in (b"ftyp", b"moov"):
            init += box
        elif kind == b"moof":
            fragments.append(box)
        elif kind == b"mdat":
            fragments[-1] += box
        position += size
    if len(fragments) < seconds / PART - 1:
        fail(f"ffmpeg made {len(fragments)} fragments")
    return init, fragments


class FolderOutput:
    """Writes the files of a channel as the packager does."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def append(self, name, data, offset, is_last):
        with open(self.folder / name, "r+b" if offset else "wb") as file:
            file.seek(offset)
            file.write(data)

    def write(self, name, data):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name("." + path.name)
        temporary.write_bytes(data)
        temporary.rename(path)

    def delete(self, name):
        (self.folder / name).unlink()


class Channel:
    """A live channel with one rendition, to which each call of `step` adds a part."""

    def __init__(self, output, init, fragments):
        self.output, self.fragments = output, fragments
        self.start = time.time()
        self.count = 0
        # The sizes of the parts of each segment that is listed, by its number.
        self.sizes = {}
        output.write("video/init.mp4", init)
        output.write("main.m3u8", b'#EXTM3U\n#EXT-X-VERSION:9\n#EXT-X-INDEPENDENT-SEGMENTS\n'
                     b'#EXT-X-STREAM-INF:BANDWIDTH=3000000,AVERAGE-BANDWIDTH=1000000,CODECS="avc1.42C00D",RESOLUTION=320x180,'
                     b'FRAME-RATE=30,VIDEO-RANGE=SDR\nvideo/media.m3u8\n')

    @property
    def is_over(self):
        return self.count >= len(self.fragments)

    def step(self):
        number, part = divmod(self.count, PARTS)
        data = self.fragments[self.count]
        sizes = self.sizes.setdefault(number, [])
        self.output.append(f"video/segment-{number}.m4s", data, sum(sizes), part == PARTS - 1)
        sizes.append(len(data))
        self.count += 1
        self.output.write("video/media.m3u8", self.text().encode())
        # A segment stays for as long as it was listed.
        for old in [n for n in self.sizes if n < number - 2 * WINDOW]:
            del self.sizes[old]
            self.output.delete(f"video/segment-{old}.m4s")

    def run(self, until):
        """Adds parts in real time until a function returns true."""
        while not until() and not self.is_over:
            time.sleep(max(0, self.start + (self.count + 1) * PART - time.time()))
            self.step()

    def text(self, ends=False):
        complete, open_parts = divmod(self.count, PARTS)
        first = max(0, complete - WINDOW)
        lines = ["#EXTM3U", "#EXT-X-VERSION:9", f"#EXT-X-TARGETDURATION:{int(PART * PARTS)}",
                 f"#EXT-X-MEDIA-SEQUENCE:{first}", f"#EXT-X-PART-INF:PART-TARGET={PART}",
                 f"#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL={6 * PART * PARTS},PART-HOLD-BACK={3 * PART}",
                 '#EXT-X-MAP:URI="init.mp4"']
        for number in range(first, complete + (open_parts > 0)):
            date = datetime.datetime.fromtimestamp(self.start + number * PART * PARTS, datetime.timezone.utc)
            lines.append(f"#EXT-X-PROGRAM-DATE-TIME:{date.isoformat(timespec='milliseconds')}")
            if number >= complete - 3:
                position = 0
                for part, size in enumerate(self.sizes[number]):
                    lines.append(f'#EXT-X-PART:URI="segment-{number}.m4s",DURATION={PART},BYTERANGE="{size}@{position}"'
                                 + ("" if part else ",INDEPENDENT=YES"))
                    position += size
            if number < complete:
                lines += [f"#EXTINF:{PART * PARTS},", f"segment-{number}.m4s"]
        if ends:
            lines.append("#EXT-X-ENDLIST")
        else:
            lines.append(f'#EXT-X-PRELOAD-HINT:TYPE=PART,URI="segment-{complete}.m4s"'
                         + (f",BYTERANGE-START={sum(self.sizes[complete])}" if open_parts else ""))
        return "\n".join(lines) + "\n"


class Origin:
    """keyway-origin, which serves a folder."""

    def __init__(self, folder, *options, name="origin", prefix=()):
        self.command, self.name, self.log = [*prefix, "keyway-origin", "serve", folder, *options], name, f"{name}.log"
        self.start("127.0.0.1:0")
        atexit.register(lambda: self.process.kill())
        self.url = self.address("players", f"{name}.out")
        self.metrics_url = self.address("metrics", f"{name}.out") if "--metrics-listen" in options else None

    def start(self, listen):
        with open(f"{self.name}.out", "w") as out, open(self.log, "a") as log:
            self.process = subprocess.Popen([*self.command, "--listen", listen], stdout=out, stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        """Starts it again at the same address, after it was killed."""
        self.start(self.url.removeprefix("http://"))
        self.address("players", f"{self.name}.out")

    def address(self, name, out):
        for _ in range(300):
            found = re.search(f"listening for {name} on (.*)", Path(out).read_text())
            if found:
                return found[1]
            if self.process.poll() is not None:
                break
            time.sleep(0.1)
        fail(f"the origin did not start: {Path(self.log).read_text()[-2000:]}")

    def stop(self):
        """Ends the origin in order, and returns the seconds that it took."""
        begin = time.monotonic()
        self.process.terminate()
        code = self.process.wait(30)
        if code != 0:
            fail(f"the origin ended with {code}: {Path(self.log).read_text()[-2000:]}")
        return time.monotonic() - begin


def make_certificate():
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", "tls.key",
        "-out", "tls.pem", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    os.chmod("tls.key", 0o600)
    return "--tls-certificate", "tls.pem", "--tls-key", "tls.key"


def curl(url, *options, data=None):
    """Sends a request, and returns the status, the header fields with names in lowercase, the body, and the version of HTTP."""
    done = subprocess.run(["curl", "--silent", "--show-error", "--insecure", "--include", "--max-time", "60", *options, url],
                          capture_output=True, input=data)
    if done.returncode not in (0, 18):
        fail(f"curl {' '.join(options)} {url}: {done.returncode} {done.stderr.decode()}")
    head, _, body = done.stdout.partition(b"\r\n\r\n")
    while re.match(rb"HTTP/\S+ 1\d\d", head):
        head, _, body = body.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    version, status = lines[0].split()[:2]
    fields = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return int(status), fields, body, version


# The page that plays a presentation with hls.js; the address of the presentation is its fragment.
PAGE = """<!DOCTYPE html><video muted width="320"></video><script type="module">
    import "./hls.mjs"
    const video = document.querySelector("video")
    window.events = {stalls: 0, errors: []}
    const hls = new Hls({lowLatencyMode: true, liveSyncDuration: 1.5, maxLiveSyncPlaybackRate: 1.2})
    hls.on(Hls.Events.ERROR, (_, data) => {
        if (data.details === "bufferStalledError" && video.currentTime > 1) window.events.stalls += 1
        const ranges = [...Array(video.buffered.length).keys()].map(i => video.buffered.start(i) + " to " + video.buffered.end(i))
        window.events.errors.push(data.details + " at " + video.currentTime + ", buffered " + ranges)
    })
    hls.loadSource(decodeURIComponent(location.hash.slice(1)))
    hls.attachMedia(video)
    video.play()
    window.hls = hls
    window.video = video
    </script>"""


def play_with_hls_js(url, seconds):
    """Plays a presentation with hls.js in Chromium, at most three seconds behind its live edge and without a stall.

    Returns a sentence with the result, also if one of the two is not available.
    """
    library = subprocess.run([ROOT / "IntegrationTests/hls-js"], capture_output=True, text=True)
    if not is_here("chromium") or library.returncode != 0:
        return "hls.js in Chromium is not available"
    page = Path("page")
    page.mkdir()
    shutil.copy(library.stdout.strip(), page / "hls.mjs")
    (page / "index.html").write_text(PAGE)
    with open("page.out", "w") as out:
        site = subprocess.Popen([sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", page],
                                stdout=out, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: "port" in Path("page.out").read_text(), "the web server")
        address = "http://127.0.0.1:" + re.search(r"port (\d+)", Path("page.out").read_text())[1]
        with open_browser("chromium") as browser:
            browser.get(f"{address}/index.html#{url}")
            browser.wait("return window.video && video.currentTime > 3 ? true : null", "hls.js to play", timeout=60)
            # The player starts behind, and catches up.
            browser.wait("return window.hls.latency < 2.5 ? true : null", "hls.js to catch up", timeout=60)
            browser.run("window.events.stalls = 0; return 0")
            latencies, begin = [], time.monotonic()
            first = browser.run("return window.video.currentTime")
            while time.monotonic() - begin < seconds:
                time.sleep(1)
                latencies.append(browser.run("return window.hls.latency"))
            moved = browser.run("return window.video.currentTime") - first
            events = browser.run("return window.events")
            took = time.monotonic() - begin
    finally:
        site.kill()
    if moved < 0.9 * took:
        fail(f"hls.js played {moved:.1f} s in {took:.1f} s: {events}")
    if max(latencies) > 3:
        fail(f"hls.js was {max(latencies):.2f} s behind: {latencies}")
    if events["stalls"]:
        fail(f"hls.js stalled: {events}")
    return f"hls.js in Chromium {min(latencies):.1f} to {max(latencies):.1f} s behind for {seconds} s"
