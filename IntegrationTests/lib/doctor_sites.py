"""Web servers for test-doctor: a site with faults of delivery, and a key server behind a proxy that changes its responses."""

import gzip
import http.server
import mimetypes
import re
import ssl
import threading
import urllib.error
import urllib.request
from pathlib import Path

TYPES = {".m3u8": "application/vnd.apple.mpegurl", ".m4s": "video/mp4", ".mp4": "video/mp4", ".ts": "video/mp2t"}


class Server:
    """A server in a thread of its own, on a port that the system chose. `certificate` and `key` are PEM files for TLS."""

    def __init__(self, handler, certificate=None, key=None):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True
        scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            # The handshake is part of the first read, so that a client that refuses the certificate ends only its own thread.
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
            self.server.handle_error = lambda *_: None
            scheme = "https"
        self.port = self.server.server_address[1]
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()


def site(folder, faults):
    """Returns the handler of a site: the files of a folder. `faults` has functions by the path's first component, which get the
    path, the status, the headers and the body of a response, and return those to send."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            path = self.path.split("?")[0].lstrip("/")
            file = Path(folder) / path
            if file.is_file():
                kind = TYPES.get(file.suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"
                response = part(file.read_bytes(), self.headers.get("Range"), kind)
            else:
                response = 404, {"Content-Type": "text/html"}, b"<!doctype html><html><body>Not found</body></html>"
            change = faults.get(path.split("/")[0])
            send(self, *(change(path, *response) if change else response))

        def log_message(self, *_):
            pass

    return Handler


def part(data, requested, kind):
    """Returns the response with a file, or with the byte range that was requested."""
    headers = {"Content-Type": kind, "Access-Control-Allow-Origin": "*"}
    found = re.fullmatch(r"bytes=(\d+)-(\d*)", requested or "")
    if not found:
        return 200, headers, data
    first, last = int(found[1]), min(int(found[2] or len(data)), len(data) - 1)
    return 206, {**headers, "Content-Range": f"bytes {first}-{last}/{len(data)}"}, data[first:last + 1]


def front(target, change):
    """Returns the handler of a proxy in front of a key server. `change` gets the path, the status, the headers and the body of a
    response, and returns those to send."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
            request = urllib.request.Request(target + self.path, data=body, method=self.command)
            for name in ("Content-Type", "Authorization", "Origin", "Access-Control-Request-Method"):
                if name in self.headers:
                    request.add_header(name, self.headers[name])
            try:
                with urllib.request.urlopen(request, timeout=30) as response:
                    found = response.status, dict(response.headers), response.read()
            except urllib.error.HTTPError as error:
                found = error.code, dict(error.headers), error.read()
            send(self, *change(self.path, *found))

        do_POST = do_OPTIONS = do_GET

        def log_message(self, *_):
            pass

    return Handler


def send(handler, status, headers, body):
    # send_response would add a second Date.
    handler.send_response_only(status)
    left_out = ("content-length", "connection", "transfer-encoding", "keep-alive")
    for name, value in headers.items():
        if name.lower() not in left_out:
            handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def damaged_gzip(path, status, headers, body):
    """A body that is cut off within its gzip coding."""
    return status, {**headers, "Content-Encoding": "gzip"}, gzip.compress(body)[:-12]
