"""Decrypts SAMPLE-AES and AES-128: a second implementation, from Apple's MPEG-2 Stream Encryption Format.

ffmpeg leaves the last NAL units of a SAMPLE-AES transport stream encrypted, so it cannot be used to verify them.
"""

from bitstreams import adts_frames, nal_units, substreams, syncframes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

H264, AAC, AC3, EAC3 = 0xDB, 0xCF, 0xC1, 0xC2
CLEAR = {0xDB: 0x1B, 0xCF: 0x0F, 0xC1: 0x81, 0xC2: 0x87}


def cbc(key, iv, data):
    decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    return decryptor.update(data) + decryptor.finalize()


def aes128(key, iv, segment):
    data = cbc(key, iv, segment)
    padding = data[-1] if data else 0
    if not 1 <= padding <= 16 or data[-padding:] != bytes([padding]) * padding:
        raise ValueError("the padding of an AES-128 segment is wrong")
    return data[:-padding]


def open_segments(rendition, key):
    """Decrypts AES-128, of media segments and of Media Initialization Sections."""
    for part in rendition.parts:
        for tag in part.keys:
            if tag["METHOD"] == "AES-128":
                if "IV" not in tag:
                    raise ValueError(f"{rendition.path}: an encrypted EXT-X-MAP needs an IV (RFC 8216, 4.3.2.5)")
                part.header = aes128(key, initialization_vector(tag, 0), part.header)
                break
        for segment in part.segments:
            for tag in segment.keys:
                if tag["METHOD"] == "AES-128":
                    segment.data = aes128(key, initialization_vector(tag, segment.number), segment.data)
                    break


def initialization_vector(tag, number):
    """Returns the IV of the playlist, or the Media Sequence Number (RFC 8216, 5.2)."""
    return bytes.fromhex(tag["IV"][2:].rjust(32, "0")) if "IV" in tag else number.to_bytes(16, "big")


def nal_unit(key, iv, unit):
    if unit[0] & 31 not in (1, 5) or len(unit) <= 48:
        return unit
    # The outer layer of emulation prevention: a 3 after two zeros, at any position.
    data = bytearray()
    zeros = 0
    for byte in unit:
        if zeros >= 2 and byte == 3:
            zeros = 0
            continue
        zeros = zeros + 1 if byte == 0 else 0
        data.append(byte)
    decryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()
    position = 32
    while len(data) - position > 16:
        data[position:position + 16] = decryptor.update(bytes(data[position:position + 16]))
        position += 16 + min(144, len(data) - position - 16)
    return bytes(data)


def frame(decryptor, data):
    whole = max(len(data) - 16, 0) // 16 * 16
    return data[:16] + decryptor.update(data[16:16 + whole]) + data[16 + whole:]


def elementary(key, iv, kind, payload):
    """Returns the decrypted content of a PES packet, or of packed audio."""

    def decryptor():
        return Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()

    if kind == H264:
        return b"".join(b"\0\0\0\1" + nal_unit(key, iv, unit) for unit in nal_units(payload))
    if kind == AAC:
        return b"".join(header + frame(decryptor(), content) for header, content in adts_frames(payload))
    if kind == AC3:
        return b"".join(frame(decryptor(), unit) for unit in syncframes(payload))
    if kind == EAC3:
        clear = []
        for group in substreams(syncframes(payload)):
            chain = decryptor()
            clear += [frame(chain, unit) for unit in group]
        return b"".join(clear)
    return payload
