"""Splits elementary streams into the units that are encrypted separately: NAL units, ADTS frames, syncframes."""


class Malformed(Exception):
    """An error of a stream that is not valid."""


def nal_units(data):
    """Returns the NAL units of an Annex B byte stream, without start codes and trailing zeros."""
    if data[:3] != b"\0\0\1" and data[:4] != b"\0\0\0\1":
        raise Malformed(f"no start code at the start: {data[:4].hex()}")
    starts, position = [], data.find(b"\0\0\1")
    while position >= 0:
        starts.append(position + 3)
        position = data.find(b"\0\0\1", position + 3)
    ends = [start - 3 for start in starts[1:]] + [len(data)]
    return [data[start:end].rstrip(b"\0") for start, end in zip(starts, ends)]


def length_prefixed(data, size):
    """Returns the NAL units of a sample in MP4, which have length prefixes."""
    found, position = [], 0
    while position < len(data):
        length = int.from_bytes(data[position:position + size], "big")
        position += size
        if length > len(data) - position:
            raise Malformed(f"a NAL unit of {length} bytes, but only {len(data) - position} bytes are left")
        found.append(data[position:position + length])
        position += length
    return found


def unescaped(data):
    """Returns the data without emulation prevention bytes."""
    return data.replace(b"\0\0\3", b"\0\0")


def adts_frames(data):
    """Returns (header, content) of each ADTS frame."""
    found, position = [], 0
    while position < len(data):
        if data[position] != 0xFF or data[position + 1] & 0xF6 != 0xF0:
            raise Malformed(f"no ADTS header at byte {position}: {data[position:position + 4].hex()}")
        header = 7 if data[position + 1] & 1 else 9
        length = (data[position + 3] & 3) << 11 | data[position + 4] << 3 | data[position + 5] >> 5
        if length < header or position + length > len(data):
            raise Malformed(f"an ADTS frame of {length} bytes at byte {position} of {len(data)}")
        found.append((data[position:position + header], data[position + header:position + length]))
        position += length
    return found


AC3_KBPS = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640]


def syncframes(data):
    """Returns the syncframes of AC-3 or E-AC-3 (ETSI TS 102 366, 4.3.1 and E.1.3.1)."""
    found, position = [], 0
    while position < len(data):
        if data[position:position + 2] != b"\x0b\x77":
            raise Malformed(f"no syncframe at byte {position}: {data[position:position + 4].hex()}")
        if data[position + 5] >> 3 > 10:
            length = (((data[position + 2] & 7) << 8 | data[position + 3]) + 1) * 2
        else:
            rate, code = data[position + 4] >> 6, data[position + 4] & 63
            kbps = AC3_KBPS[code >> 1]
            words = [kbps * 2, kbps * 320 // 147 + (code & 1), kbps * 3][rate]
            length = words * 2
        if position + length > len(data):
            raise Malformed(f"a syncframe of {length} bytes at byte {position} of {len(data)}")
        found.append(data[position:position + length])
        position += length
    return found


def substreams(frames):
    """Groups E-AC-3 syncframes: one sample starts at each independent syncframe of substream 0."""
    groups = []
    for frame in frames:
        is_enhanced = frame[5] >> 3 > 10
        starts = not is_enhanced or (frame[2] >> 6 != 1 and (frame[2] >> 3 & 7) == 0)
        if starts or not groups:
            groups.append([])
        groups[-1].append(frame)
    return groups


def without_id3(data):
    """Returns packed audio without its ID3 tag, and the tag."""
    if data[:3] != b"ID3":
        return data, b""
    size = data[6] << 21 | data[7] << 14 | data[8] << 7 | data[9]
    return data[10 + size:], data[:10 + size]


def id3_timestamp(tag):
    """Returns the 90 kHz timestamp of a packed audio segment (RFC 8216, 3.4)."""
    owner = b"com.apple.streaming.transportStreamTimestamp\0"
    position = tag.find(owner)
    if position < 0:
        raise Malformed("the ID3 tag has no timestamp")
    return int.from_bytes(tag[position + len(owner):position + len(owner) + 8], "big")
