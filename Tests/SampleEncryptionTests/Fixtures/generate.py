#!/usr/bin/env python3
"""Writes samples.txt: clear samples and segments, and their encryption with every scheme, for SampleEncryptionTests.

    python3 generate.py           # write the file
    python3 generate.py --check   # change nothing; fail if the file differs

Implemented from ISO/IEC 23001-7 and Apple's MPEG-2 Stream Encryption Format with single-block AES, independently of the
Swift code, so that an error in one of the two is detected. Requires the package `cryptography`. Every value is derived
from the vector's name with SHA-256.
"""

import hashlib
import sys
from pathlib import Path

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

FILE = Path(__file__).with_name("samples.txt")


def draw(name, what, size):
    out, number = b"", 0
    while len(out) < size:
        out += hashlib.sha256(f"{name}/{what}/{number}".encode()).digest()
        number += 1
    return bytearray(out[:size])


class Chain:
    """CBC, one block after the other."""

    def __init__(self, key, iv):
        self.aes = Cipher(algorithms.AES(bytes(key)), modes.ECB()).encryptor()
        self.link = bytes(iv)

    def block(self, data, at):
        mixed = bytes(a ^ b for a, b in zip(data[at : at + 16], self.link))
        assert len(mixed) == 16
        self.link = self.aes.update(mixed)
        data[at : at + 16] = self.link


class Stream:
    """CTR as Common Encryption has it: bytes 8 to 15 count and wrap."""

    def __init__(self, key, iv):
        self.aes = Cipher(algorithms.AES(bytes(key)), modes.ECB()).encryptor()
        self.upper = bytes(iv[:8])
        self.lower = int.from_bytes(iv[8:16], "big") if len(iv) == 16 else 0
        self.rest = b""

    def byte(self, data, at):
        if not self.rest:
            self.rest = self.aes.update(self.upper + self.lower.to_bytes(8, "big"))
            self.lower = (self.lower + 1) % 2**64
        data[at] ^= self.rest[0]
        self.rest = self.rest[1:]


def parts(subsamples, size):
    """Yields every protected part."""
    at = 0
    for clear, protected in subsamples or [(0, size)]:
        at += clear
        yield at, protected
        at += protected
    assert at <= size


def pattern(size, crypt, skip):
    """Yields the offsets of the blocks that a pattern encrypts."""
    at = 0
    while size - at >= 16 * crypt:
        for number in range(crypt):
            yield at + 16 * number
        at += 16 * (crypt + skip)


def cbcs(data, key, iv, subsamples, crypt, skip):
    for start, size in parts(subsamples, len(data)):
        chain = Chain(key, iv)
        for at in pattern(size, crypt or 1, skip):
            chain.block(data, start + at)


def cens(data, key, iv, subsamples, crypt, skip):
    stream = Stream(key, iv)
    for start, size in parts(subsamples, len(data)):
        for at in pattern(size, crypt, skip):
            for number in range(16):
                stream.byte(data, start + at + number)


def cenc(data, key, iv, subsamples):
    stream = Stream(key, iv)
    for start, size in parts(subsamples, len(data)):
        for at in range(size):
            stream.byte(data, start + at)


def cbc1(data, key, iv, subsamples):
    chain = Chain(key, iv)
    for start, size in parts(subsamples, len(data)):
        assert size % 16 == 0 or not subsamples
        for at in range(0, size // 16 * 16, 16):
            chain.block(data, start + at)


def audio(data, key, iv, subsamples, chained):
    chain = Chain(key, iv)
    for start, size in parts(subsamples, len(data)):
        if not chained:
            chain = Chain(key, iv)
        at, left = start + 16, size - 16
        while left >= 16:
            chain.block(data, at)
            at, left = at + 16, left - 16


def h264(data, key, iv, subsamples):
    for start, size in parts(subsamples, len(data)):
        if data[start] & 31 not in (1, 5) or size <= 48:
            continue
        chain, at, left = Chain(key, iv), start + 32, size - 32
        while left > 0:
            if left > 16:
                chain.block(data, at)
                at, left = at + 16, left - 16
            clear = min(144, left)
            at, left = at + clear, left - clear


def escape(data):
    out = bytearray()
    for byte in data:
        if len(out) >= 2 and out[-1] == 0 and out[-2] == 0 and byte <= 3:
            out.append(3)
        out.append(byte)
    return out


def aes128(data, key, iv):
    padding = 16 - len(data) % 16
    data += bytes([padding]) * padding
    chain = Chain(key, iv)
    for at in range(0, len(data), 16):
        chain.block(data, at)


def vectors():
    """Yields name, scheme, size of the IV, subsamples, size, function, and what to do with the plaintext first."""
    slices = [(9, 500), (12, 3), (40, 160), (5, 161), (7, 175), (6, 176), (6, 15), (8, 16), (0, 333)]
    total = sum(clear + protected for clear, protected in slices)
    yield "cbcs-video", "cbcs 1 9", 16, slices, total, lambda *a: cbcs(*a, 1, 9)
    yield "cbcs-video-whole", "cbcs 1 9", 16, [], 1000, lambda *a: cbcs(*a, 1, 9)
    yield "cbcs-pattern-3-7", "cbcs 3 7", 16, slices + [(0, 200), (0, 207), (0, 208)], total + 615, lambda *a: cbcs(*a, 3, 7)
    for size in (0, 1, 15, 16, 17, 31, 32, 300):
        yield f"cbcs-audio-{size}", "cbcs 0 0", 16, [], size, lambda *a: cbcs(*a, 0, 0)
    yield "cbcs-audio-subsamples", "cbcs 0 0", 16, [(3, 47), (0, 50), (9, 100)], 209, lambda *a: cbcs(*a, 0, 0)
    for size in (8, 16):
        yield f"cenc-iv{size}", "cenc", size, slices, total, cenc
        yield f"cenc-whole-iv{size}", "cenc", size, [], 500, cenc
        yield f"cens-iv{size}", "cens 1 9", size, slices, total, lambda *a: cens(*a, 1, 9)
    yield "cenc-wrap", "cenc", 16, [(5, 100), (1, 1100)], 1206, cenc
    yield "cens-2-3", "cens 2 3", 16, slices + [(0, 191), (0, 192)], total + 383, lambda *a: cens(*a, 2, 3)
    yield "cbc1", "cbc1", 16, [(10, 160), (3, 16), (4, 0), (0, 320)], 513, cbc1
    yield "cbc1-whole", "cbc1", 16, [], 503, cbc1
    for kind, sizes in ((1, (47, 48, 49, 64, 65, 192, 208, 209, 700)), (5, (49, 400)), (6, (49, 400)), (7, (400,))):
        for size in sizes:
            yield f"h264-type{kind}-{size}", "h264", 16, [], size, h264
    for size in (0, 16, 31, 32, 33, 200):
        yield f"aac-{size}", "aac", 16, [(7, size)], size + 7, lambda *a: audio(*a, False)
        yield f"ac3-{size}", "ac3", 16, [], size, lambda *a: audio(*a, False)
    yield "enhanced-ac3", "enhanced-ac3", 16, [(0, 100), (0, 20), (0, 333)], 453, lambda *a: audio(*a, True)
    for size in (0, 1, 15, 16, 17, 300):
        yield f"aes128-{size}", "aes-128", 16, [], size, lambda data, key, iv, _: aes128(data, key, iv)


def write():
    lines = ["# Made by generate.py."]
    for name, scheme, iv_size, subsamples, size, encrypt in vectors():
        key, iv, data = draw(name, "key", 16), draw(name, "iv", iv_size), draw(name, "data", size)
        if name == "cenc-wrap":
            iv[8:] = bytes([255] * 7 + [250])
        if scheme == "h264":
            # An existing emulation prevention byte, one in the clear tail, and the type.
            data[0] = 0x60 | int(name.split("-")[1][4:])
            data[10:14] = bytes([0, 0, 3, 1])
            data[-5:] = bytes([0, 0, 3, 2, 128])
        lines += ["", f"name: {name}", f"scheme: {scheme}", f"key: {key.hex()}", f"iv: {iv.hex()}"]
        lines.append("subsamples: " + (" ".join(f"{clear}+{protected}" for clear, protected in subsamples) or "-"))
        lines.append(f"clear: {data.hex()}")
        before = bytes(data)
        encrypt(data, key, iv, subsamples) if scheme != "aes-128" else encrypt(data, key, iv, None)
        if scheme == "h264" and data != before:
            data = escape(data)
        lines.append(f"protected: {data.hex()}")
    return "\n".join(lines) + "\n"


def main(arguments):
    text = write()
    if arguments == ["--check"]:
        if FILE.read_text() != text:
            print(f"{FILE.name} differs", file=sys.stderr)
            return 1
        return 0
    FILE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
