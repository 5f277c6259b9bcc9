"""The virtual device over HTTP, for pages with the simulation of FairPlay (`fairplay-shim.js`)."""

import base64
import http.server
import json
import subprocess
import sys
import threading
from pathlib import Path


class Device(http.server.BaseHTTPRequestHandler):
    """The virtual device over HTTP: POST /spc and POST /ckc run its commands, with JSON."""

    profile = "iphone"
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        own = Path("device", str(threading.get_ident()))
        own.mkdir(parents=True, exist_ok=True)
        try:
            answer = self.make_spc(asked, own) if self.path == "/spc" else self.open_ckc(asked, own)
            status, body = 200, json.dumps(answer)
        except subprocess.CalledProcessError as error:
            status, body = 400, error.stderr
        self.send_response(status)
        self.send_header("Access-Control-Allow-Origin", "*")
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def make_spc(self, asked, own):
        (own / "certificate").write_bytes(base64.b64decode(asked["certificate"]))
        self.keyway("spc", "create", "--certificate", own / "certificate", "--asset", "0x" + asked["assetID"], "--ask",
                    "@dev/ask.hex", "--profile", Device.profile, "--playback-state", asked["state"], "--out", own / "spc")
        return {"spc": base64.b64encode((own / "spc").read_bytes()).decode()}

    def open_ckc(self, asked, own):
        for name in ("spc", "ckc"):
            (own / name).write_bytes(base64.b64decode(asked[name]))
        report = json.loads(self.keyway("ckc", "open", "--spc", own / "spc", "--ckc", own / "ckc", "--private-key",
                                        "dev/private-key.pem", "--ask", "@dev/ask.hex", "--json", "--reveal"))
        return {"key": report["contentKey"]["key"]}

    def keyway(self, *words):
        return subprocess.run(["keyway", *map(str, words)], capture_output=True, text=True, check=True).stdout

    def log_message(self, *_):
        pass


class Bridge(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        # A page that was closed does not read the response: one refused key is sufficient to end it.
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, address)


def start_bridge():
    """Starts the device. Returns its URL."""
    bridge = Bridge(("127.0.0.1", 0), Device)
    threading.Thread(target=bridge.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{bridge.server_port}"
