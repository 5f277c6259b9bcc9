"""nginx in front of several servers, with the configuration of the example and different addresses."""

import atexit
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import servers

EXAMPLE = servers.ROOT / "Examples/many-nodes/nginx.conf"


def program():
    """Returns the path of nginx, or None if it is not installed."""
    return shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")


class Nginx:
    def __init__(self, ports):
        self.folder = Path("nginx").resolve()
        self.folder.mkdir()
        self.process = None
        atexit.register(self.abandon)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        text = EXAMPLE.read_text()
        upstreams = "".join(f"        server 127.0.0.1:{port} max_fails=1 fail_timeout=1s;\n" for port in ports)
        text, found = re.subn(r"(    upstream keyway \{\n)(?: +server [^\n]*\n)+", rf"\1{upstreams}", text)
        # Without TLS, which is nginx's own function and not tested here.
        text, listens = re.subn(r"listen 443 ssl;", f"listen 127.0.0.1:{self.port};", text)
        text = re.sub(r" +ssl_[^\n]*\n", "", text)
        if (found, listens) != (1, 1):
            servers.fail(f"{EXAMPLE} does not have the upstream and listen lines that this test replaces")
        head = (f"daemon off;\nmaster_process on;\npid {self.folder}/pid;\nerror_log {self.folder}/error.log;\n"
                + ("user root;\n" if os.geteuid() == 0 else ""))
        temporary = "".join(f"    {kind}_temp_path {self.folder}/{kind};\n"
                            for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        text = text.replace("http {\n", f"http {{\n{temporary}    access_log off;\n", 1)
        (self.folder / "nginx.conf").write_text(head + text)
        self.process = subprocess.Popen(
            [program(), "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-e", str(self.folder / "error.log")],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            if self.process.poll() is not None or time.monotonic() > deadline:
                servers.fail(f"nginx did not start: {(self.folder / 'error.log').read_text()[-2000:]}")
            time.sleep(0.05)

    def abandon(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            self.process.wait()
