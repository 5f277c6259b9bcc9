"""HTTP/2 frame by frame (RFC 9113), for what no ordinary client sends. Header blocks have only literals without Huffman codes."""

import socket
import ssl
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 1, 1, 4


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def integer(value, prefix):
    """Encodes an integer of HPACK (RFC 7541, 5.1), with the other bits of the first byte 0."""
    limit = (1 << prefix) - 1
    if value < limit:
        return bytes([value])
    out, value = [limit], value - limit
    while value >= 128:
        out.append(value % 128 + 128)
        value //= 128
    return bytes([*out, value])


def literal(name, value, first=0x00):
    """Encodes a field without an index; 0x40 adds it to the dynamic table."""
    name, value = name.encode(), value.encode()
    return bytes([first]) + integer(len(name), 7) + name + integer(len(value), 7) + value


def block(method, path, **fields):
    """Encodes the fields of a request; underscores in names become hyphens."""
    pseudo = {":method": method, ":scheme": "https", ":authority": "localhost", ":path": path}
    return b"".join(literal(name.replace("_", "-"), value) for name, value in (pseudo | fields).items())


class Connection:
    """A connection with TLS, after the preface and SETTINGS of the client."""

    def __init__(self, host, port, window=65_535, timeout=30):
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        self.socket = context.wrap_socket(socket.create_connection((host, port), timeout=timeout))
        self.received, self.position = b"", 0
        self.send(PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", 4, window)))

    def send(self, data):
        """Sends bytes; returns false if the server has closed the connection."""
        try:
            self.socket.sendall(data)
            return True
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
            return False

    def request(self, stream, method, path, end=True, **fields):
        return self.send(frame(HEADERS, END_HEADERS | (END_STREAM if end else 0), stream, block(method, path, **fields)))

    def read(self):
        """Returns the next frame as kind, flags, stream and payload; nothing at the end. Raises TimeoutError."""
        while True:
            rest = self.received[self.position:]
            if len(rest) >= 9:
                length, kind, flags, stream = int.from_bytes(rest[:3], "big"), rest[3], rest[4], int.from_bytes(rest[5:9], "big")
                if len(rest) >= 9 + length:
                    self.position += 9 + length
                    return kind, flags, stream, rest[9:9 + length]
            try:
                data = self.socket.recv(65_536)
            except (ConnectionResetError, ssl.SSLEOFError, ssl.SSLZeroReturnError):
                return None
            if not data:
                return None
            self.received, self.position = rest + data, 0

    def response(self):
        """Returns the frames up to the end of a stream, or of the connection."""
        frames = []
        while (each := self.read()) is not None:
            frames.append(each)
            if each[0] in (DATA, HEADERS) and each[1] & END_STREAM:
                break
        return frames

    def read_to_end(self):
        """Returns all frames until the server closes the connection."""
        frames = []
        while (each := self.read()) is not None:
            frames.append(each)
        return frames

    def close(self):
        self.socket.close()
