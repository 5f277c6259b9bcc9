"""A client that follows a low-latency presentation through keyway-origin, loads each part by itself, and decrypts it with one key."""

import http.client
import re
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

import isobmff
from servers import fail


@dataclass
class Part:
    """A part with the tags that apply to it. Times are those of the computer's clock when its bytes were here."""

    file: str
    offset: int
    length: int
    tag: str
    map: str
    key_id: str
    data: bytes = b""
    time: float = 0.0


class Follower(threading.Thread):
    """Reloads one Media Playlist with blocking requests until it ends, and loads the parts that appear.

    The origin may be killed: a request without a connection is repeated. Anything that was listed must stay as it was.
    """

    def __init__(self, url):
        super().__init__(daemon=True)
        self.base, self.name = url.rsplit("/", 1)
        self.address = urlsplit(url).netloc
        self.parts, self.reloads, self.missed, self.retries, self.problem = {}, 0, 0, 0, None
        self.next, self.has_ended, self.stops = None, False, False
        # The beginning of the playlist that cannot change any more, and the tags that apply after it.
        self.prefix, self.state = "", (None, None)
        self.connection = None

    def run(self):
        try:
            while not self.has_ended and not self.stops:
                text = self.load(self.name + ("?_HLS_msn={}&_HLS_part={}".format(*self.next) if self.next else ""))
                if text is None:
                    time.sleep(0.05)
                    continue
                self.reloads += 1
                for part in self.read(text.decode()):
                    part.data = self.load(part.file, (part.offset, part.length)) or b""
                    part.time = time.time()
                    if not part.data:
                        self.missed += 1
        except Exception as error:  # The thread of the test reports it.
            self.problem = f"{self.base}: {error!r}"

    def load(self, path, window=None):
        """Returns the bytes of a file or of a window of it, or None if it is not there."""
        fields = {"Range": f"bytes={window[0]}-{window[0] + window[1] - 1}"} if window else {}
        for _ in range(200):
            try:
                if not self.connection:
                    self.connection = http.client.HTTPConnection(self.address, timeout=30)
                self.connection.request("GET", f"{urlsplit(self.base).path}/{path}", headers=fields)
                response = self.connection.getresponse()
                data = response.read()
            except (OSError, http.client.HTTPException):
                self.connection = None
                self.retries += 1
                time.sleep(0.02)
                continue
            if response.status in (404, 503):
                return None
            if response.status != (206 if window else 200) or (window and len(data) != window[1]):
                raise ValueError(f"{path} {window}: {response.status} with {len(data)} bytes")
            return data
        raise ValueError(f"{path}: no connection")

    def read(self, text):
        """Returns the parts of a playlist that were not listed before."""
        if not text.startswith(self.prefix):
            at = next((index for index, (old, new) in enumerate(zip(self.prefix, text)) if old != new), len(text))
            raise ValueError(f"a segment of an event changed: {self.prefix[max(0, at - 100):at + 50]!r}, {text[max(0, at - 100):at + 50]!r}")
        new, has_parts, position = [], False, len(self.prefix)
        key_id, map_file = self.state
        for line in text[position:].splitlines(keepends=True):
            position += len(line)
            line = line.rstrip("\n")
            if match := re.match(r'#EXT-X-KEY:.*URI="skd://([0-9a-f]{32})"', line):
                key_id = match[1]
            elif match := re.match(r'#EXT-X-MAP:URI="([^"]+)"', line):
                map_file = match[1]
            elif match := re.match(r'#EXT-X-PART:.*?URI="([^"]+)".*?BYTERANGE="(\d+)@(\d+)"', line):
                has_parts = True
                part = Part(match[1], int(match[3]), int(match[2]), line, map_file, key_id)
                known = self.parts.setdefault((part.file, part.offset), part)
                if known is part:
                    new.append(part)
                elif (known.tag, known.map, known.key_id) != (line, map_file, key_id):
                    raise ValueError(f"a listed part changed: {known} {part}")
            elif line and not line.startswith("#") and not has_parts:
                self.prefix, self.state = text[:position], (key_id, map_file)
        self.has_ended = "#EXT-X-ENDLIST" in text
        segments = len(re.findall("^#EXTINF", text, re.MULTILINE))
        first = int((re.search(r"#EXT-X-MEDIA-SEQUENCE:(\d+)", text) or [0, 0])[1])
        open_parts = re.findall("^#EXT-X-PART:", text[text.rfind("\n#EXTINF"):], re.MULTILINE)
        self.next = first + segments, len(open_parts)
        return new

    def finish(self):
        self.join(120)
        if self.is_alive() or self.problem:
            fail(self.problem or f"{self.base}: the playlist did not end")


def decrypt(sample, encryption, key, iv):
    """Returns the sample in the clear: cbcs with a constant IV (ISO/IEC 23001-7, 10.4)."""
    if encryption.scheme != "cbcs":
        fail(f"the scheme is {encryption.scheme}")
    data, position = bytearray(sample.data), 0
    for clear, protected in sample.subsamples or [(0, len(data))]:
        position += clear
        decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
        end = position + protected
        while end - position >= 16:
            size = 16 * min(encryption.crypt_blocks or 1 << 30, (end - position) // 16)
            data[position:position + size] = decryptor.update(bytes(data[position:position + size]))
            position = min(end, position + size + 16 * encryption.skip_blocks)
        position = end
    return bytes(data)


def check_parts(follower, folder, clear, keys):
    """Checks each part that a client loaded: its bytes are those of the file, and with the key of its period alone it decrypts to the
    samples of the segment in the clear. Returns the number of samples."""
    samples, segments, count = {}, {}, 0
    header = None
    for line in Path(clear, "media.m3u8").read_text().splitlines():
        if match := re.match(r'#EXT-X-MAP:URI="([^"]+)"', line):
            header = Path(clear, match[1]).read_bytes()
        elif line and not line.startswith("#"):
            segments[line] = header
    for part in follower.parts.values():
        if not part.data:
            continue
        if part.data != Path(folder, part.file).read_bytes()[part.offset:part.offset + part.length]:
            fail(f"{folder}/{part.file}: the part at {part.offset} is not the one that the origin sent")
        if part.file not in samples:
            whole = isobmff.read(segments[part.file] + Path(clear, part.file).read_bytes())[0].samples
            samples[part.file] = {sample.dts: sample.data for sample in whole}
        track = isobmff.read(Path(folder, part.map).read_bytes() + part.data)[0]
        key, iv = keys[part.key_id]
        for sample in track.samples:
            encryption = track.encryption(sample)
            if encryption.key_id.hex() != part.key_id or encryption.constant_iv != iv:
                fail(f"{folder}/{part.file}: the part at {part.offset} does not have the key of its period")
            if decrypt(sample, encryption, key, iv) != samples[part.file].pop(sample.dts, None):
                fail(f"{folder}/{part.file}: the part at {part.offset} does not decrypt with the key of its period, or comes twice")
            count += 1
        if ("INDEPENDENT=YES" in part.tag) != track.samples[0].is_sync:
            fail(f"{folder}/{part.file}: INDEPENDENT of the part at {part.offset}: {part.tag}")
    return count
