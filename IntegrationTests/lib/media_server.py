#!/usr/bin/env python3
"""Serves a folder over HTTP with byte ranges and gzip: media_server.py FOLDER [TYPE [--no-ranges]].

TYPE is the Content-Type of playlists. Prints the port.
"""

import gzip
import http.server
import os
import re
import sys

TYPES = {".m4s": "video/iso.segment", ".mp4": "video/mp4", ".ts": "video/mp2t", ".vtt": "text/vtt"}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        path = os.path.normpath(self.path.split("?")[0]).lstrip("/")
        try:
            with open(os.path.join(sys.argv[1], path), "rb") as file:
                body = file.read()
        except OSError:
            self.send_error(404)
            return
        extension = os.path.splitext(path)[1]
        status, headers = 200, {"Content-Type": TYPES.get(extension, "application/json")}
        if extension == ".m3u8":
            headers["Content-Type"] = sys.argv[2] if len(sys.argv) > 2 else "application/vnd.apple.mpegurl"
            if "gzip" in self.headers.get("Accept-Encoding", ""):
                body = gzip.compress(body)
                headers["Content-Encoding"] = "gzip"
        match = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        if match and "--no-ranges" not in sys.argv:
            first, last = int(match[1]), min(int(match[2]), len(body) - 1)
            headers["Content-Range"] = f"bytes {first}-{last}/{len(body)}"
            status, body = 206, body[first : last + 1]
        self.send_response(status)
        headers["Content-Length"] = str(len(body))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
