"""The pages of the documentation: their code blocks, links and headings, and a private network in which the commands of a page run
as they are printed.

A code block is indented by four columns more than its surroundings, or fenced. A comment directly above a block marks it:

    <!-- excerpt: the reason -->   the block is not run: it is an excerpt of a longer output, or needs what a test cannot have
    <!-- exit: 1 -->               each command of the block exits with this code
"""

import fcntl
import http.client
import http.server
import os
import re
import socket
import ssl
import struct
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# A line of a block that begins with one of these words is a command.
COMMANDS = re.compile(
    r"(\$ )?(\w+=\S+ )*(keyway|keyway-server|curl|ffmpeg|openssl|make|swift (build|test|run|package)|git|ssh|apt|apt-get|systemctl"
    r"|python3|scripts/\S+|IntegrationTests/\S+|Examples/\S+|docker|kubectl|jq|cc|npm|sudo|admin|encoder|chmod|install)\s")


@dataclass
class Block:
    """A code block. `line` is the number of its first line."""

    page: str
    line: int
    text: str
    language: str = ""
    marks: dict = field(default_factory=dict)

    @property
    def place(self):
        return f"{self.page}:{self.line}"

    @property
    def has_commands(self):
        return self.language in ("", "sh", "bash", "console") and any(COMMANDS.match(line) for line in self.text.splitlines())

    @property
    def script(self):
        """The commands: the lines after `$ ` with their continuations if there are such lines, otherwise the whole block."""
        lines, kept, continues = self.text.splitlines(), [], False
        if not any(line.startswith("$ ") for line in lines):
            return self.text
        for line in lines:
            if line.startswith("$ ") or continues:
                kept.append(line.removeprefix("$ "))
                continues = line.endswith("\\")
        return "\n".join(kept)


def pages():
    """Returns the pages: the README and those of docs, by their paths."""
    return ["README.md", *sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").rglob("*.md"))]


def articles():
    """Returns the articles of the DocC catalogs."""
    return sorted(str(path.relative_to(ROOT)) for path in (ROOT / "Sources").glob("*/*/*.docc/*.md"))


def blocks(page):
    """Returns the code blocks of a page."""
    lines = (ROOT / page).read_text().splitlines()
    found, marks, at, indent = [], {}, 0, 0
    while at < len(lines):
        line = lines[at]
        stripped = line.strip()
        if match := re.fullmatch(r"<!-- (excerpt|exit): (.+) -->", stripped):
            marks[match[1]] = match[2]
        elif match := re.fullmatch(r"( *)```(\w*)", line):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == "```")
            text = "\n".join(each.removeprefix(match[1]) for each in lines[at + 1:end])
            found.append(Block(page, at + 2, text, match[2], marks))
            marks, at = {}, end
        elif stripped and line.startswith(" " * (indent + 4)) and (at == 0 or not lines[at - 1].strip()):
            end = at
            while end < len(lines) and (not lines[end].strip() or lines[end].startswith(" " * (indent + 4))):
                end += 1
            text = "\n".join(each[indent + 4:] for each in lines[at:end]).rstrip()
            found.append(Block(page, at + 1, text, "", marks))
            marks, at = {}, end - 1
        elif stripped:
            marks = {}
            if item := re.match(r"( *)(?:[-*]|\d+\.) +", line):
                indent = item.end()
            elif not line.startswith(" "):
                indent = 0
        at += 1
    return found


def prose(page):
    """Returns the text of a page without its code blocks."""
    lines = (ROOT / page).read_text().splitlines()
    for block in blocks(page):
        for number in range(block.line - 1, block.line - 1 + len(block.text.splitlines())):
            lines[number] = ""
    return "\n".join(lines)


def anchors(page):
    """Returns the anchors of the headings of a page, as GitHub writes them, and those of HTML elements."""
    found = set(re.findall(r'<a (?:id|name)="([^"]+)"', (ROOT / page).read_text()))
    for heading in re.findall(r"^#+ (.+)$", prose(page), re.M):
        text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number, anchor = 0, name
        while anchor in found:
            number += 1
            anchor = f"{name}-{number}"
        found.add(anchor)
    return found


def links(page):
    """Returns the links of a page: (line, target)."""
    text = re.sub(r"`[^`\n]*`", lambda match: " " * len(match[0]), prose(page))
    pattern = r'\]\(<?([^)\s>]+)>?(?: "[^"]*")?\)|(?:src|srcset|href)="([^"]+)"'
    return [(text[:match.start()].count("\n") + 1, match[1] or match[2]) for match in re.finditer(pattern, text)]


def enter_private_network(hosts=()):
    """Runs this program again in a network of its own, so that the ports of the pages are free and nothing leaves the machine. The
    names of hosts are those of this machine there. Returns False if the system does not permit it."""
    if os.environ.get("DOCUMENTATION_NETWORK") == "yes":
        with socket.socket() as any_socket:
            fcntl.ioctl(any_socket, 0x8914, struct.pack("16sh", b"lo", 0x41))  # SIOCSIFFLAGS: up, running
        return True
    own = Path(os.environ["WORK"], "hosts")
    own.write_text("127.0.0.1 localhost " + " ".join(hosts) + "\n::1 localhost\n")
    user = [] if os.geteuid() == 0 else ["--map-root-user"]
    unshare = ["unshare", *user, "--net", "--mount"]
    if subprocess.run([*unshare, "true"], capture_output=True).returncode != 0:
        return False
    os.environ["DOCUMENTATION_NETWORK"] = "yes"
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        os.environ.pop(name, None)
    os.execvp(unshare[0], [*unshare, "sh", "-c", 'mount --bind "$0" /etc/hosts && exec "$@"', str(own), sys.executable, *sys.argv])


def certificate(hosts, folder="."):
    """Creates a certificate for the hosts and trusts it in all programs of this process. Returns its path and that of its key."""
    path, key = Path(folder, "hosts.pem").resolve(), Path(folder, "hosts.key").resolve()
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=example.com", "-addext",
                    "subjectAltName=" + ",".join(f"DNS:{host}" for host in hosts), "-keyout", key, "-out", path],
                   check=True, capture_output=True)
    os.environ["SSL_CERT_FILE"] = os.environ["CURL_CA_BUNDLE"] = str(path)
    return path, key


class Web:
    """Web servers for the hosts of the pages, over HTTPS: each host is a folder in `root`. Requests to the host of `forward` go to
    its port on this machine."""

    def __init__(self, folder, hosts, forward=None):
        self.root = str(folder)
        web = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            extensions_map = {".m3u8": "application/vnd.apple.mpegurl", ".mp4": "video/mp4", ".m4s": "video/iso.segment",
                              "": "application/octet-stream"}

            def do_GET(self):
                host = self.headers["Host"].split(":")[0]
                if forward and host == forward[0]:
                    return self.pass_on()
                self.directory = web.root
                self.path = f"/{host}{self.path}"
                found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
                if found and Path(self.translate_path(self.path)).is_file():
                    return self.send_part(int(found[1]), int(found[2]))
                return super().do_GET()

            def send_part(self, first, last):
                data = Path(self.translate_path(self.path)).read_bytes()
                last = min(last, len(data) - 1)
                self.send_response(206)
                self.send_header("Content-Type", self.guess_type(self.path))
                self.send_header("Content-Range", f"bytes {first}-{last}/{len(data)}")
                self.send_header("Content-Length", str(last + 1 - first))
                self.end_headers()
                self.wfile.write(data[first:last + 1])

            def do_POST(self):
                return self.pass_on()

            def pass_on(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                connection = http.client.HTTPConnection("127.0.0.1", forward[1], timeout=60)
                connection.request(self.command, self.path, body or None,
                                   {name: value for name, value in self.headers.items() if name not in ("Connection", "Host")})
                answer = connection.getresponse()
                data = answer.read()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                        self.send_header(name, value)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 443), Handler)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(hosts))
        server.socket = context.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
