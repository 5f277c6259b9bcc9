"""A web server for media with faults: slow, broken, without ranges, moved, changed. It runs in separate threads."""

import email.utils
import hashlib
import http.server
import re
import sys
import threading
import time


class Site:
    """The files by path, and the faults."""

    def __init__(self, files):
        self.files = dict(files)
        self.ranges = True
        # Bytes per second of each connection, and of single paths; None: no limit.
        self.rate = None
        self.rates = {}
        # The faults of a path's next requests: ("status", 503, {...}), ("break", n), ("move", path).
        self.faults = {}
        self.requests = []
        # The bytes of response bodies, of all connections.
        self.sent = 0
        self.lock = threading.Lock()

    def fault(self, path):
        with self.lock:
            waiting = self.faults.get(path)
            return waiting.pop(0) if waiting else None


def film(segments, size, seed=1):
    """Returns a clear movie with one Media Playlist at /film.m3u8, whose segments have different bytes."""
    files, lines = {}, ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:2"]
    for number in range(segments):
        block = hashlib.sha512(f"{seed} {number}".encode()).digest()
        # WebVTT, because a player and a download accept only media.
        files[f"/s{number}.ts"] = (b"WEBVTT\n\n" + block * (size // len(block) + 1))[:size]
        lines += ["#EXTINF:2.0,", f"s{number}.ts"]
    files["/film.m3u8"] = "\n".join([*lines, "#EXT-X-ENDLIST", ""]).encode()
    return files


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1
    disable_nagle_algorithm = True

    def do_GET(self):
        site, path = self.server.site, self.path.split("?")[0]
        with site.lock:
            site.requests.append((path, self.headers.get("Range")))
        fault = site.fault(path)
        if fault and fault[0] == "status":
            return self.answer(fault[1], b"", fault[2] if len(fault) > 2 else {})
        if fault and fault[0] == "move":
            return self.answer(302, b"", {"Location": fault[1]})
        data = site.files.get(path)
        if data is None:
            return self.answer(404, b"", {})
        etag = '"' + hashlib.sha256(data).hexdigest()[:16] + '"'
        headers = {"ETag": etag, "Last-Modified": email.utils.formatdate(0, usegmt=True)}
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        status = 200
        if asked and site.ranges and self.headers.get("If-Range", etag) == etag:
            first, last = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
            if first > last:
                return self.answer(416, b"", {"Content-Range": f"bytes */{len(data)}"})
            status, headers["Content-Range"] = 206, f"bytes {first}-{last}/{len(data)}"
            data = data[first : last + 1]
        self.answer(status, data, headers, cut=fault[1] if fault else None)

    def answer(self, status, data, headers, cut=None):
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(data))}.items():
            self.send_header(name, value)
        self.end_headers()
        try:
            rate = self.server.site.rates.get(self.path.split("?")[0], self.server.site.rate)
            step = len(data) or 1 if rate is None else max(1, rate // 50)
            end = len(data) if cut is None else cut
            for place in range(0, end, step):
                self.wfile.write(data[place : min(place + step, end)])
                self.wfile.flush()
                with self.server.site.lock:
                    self.server.site.sent += min(place + step, end) - place
                if rate is not None:
                    time.sleep(step / rate)
            self.wfile.flush()
        except OSError:
            self.close_connection = True
        if cut is not None:
            self.close_connection = True

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        # Clients that are killed break their connections.
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


class FaultyServer:
    """Serves a site over HTTP for the duration of the block."""

    def __init__(self, site):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.site = site
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()
