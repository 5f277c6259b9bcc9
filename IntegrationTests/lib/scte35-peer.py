#!/usr/bin/env python3
"""Writes SCTE-35 commands into a transport stream, and reads those of playlists, with threefive.

    scte35-peer.py insert IN OUT    a break of 5 s at 6 s by splice_insert, and a provider advertisement of 3 s at 14 s by time_signal
    scte35-peer.py check FILE...    requires that Media Playlists have these commands, with segments that start there
"""

import re
import sys
from datetime import datetime
from pathlib import Path

from threefive import Cue
from threefive.encode import mk_splice_insert, mk_time_signal
from threefive.descriptors import SegmentationDescriptor

PACKET = 188
PID = 0x1F0
START = 100.0  # the first timestamp of the stream, in seconds


def crc(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ 0x04C11DB7 if value & 0x80000000 else value << 1) & 0xFFFFFFFF
    return value.to_bytes(4, "big")


def insert_command(time, event, duration=None):
    cue = mk_splice_insert(event_id=event, pts=START + time, duration=duration, out=duration is not None)
    return bytes(cue.bites)


def signal(time, event, kind, duration=None):
    cue = mk_time_signal(pts=START + time)
    descriptor = SegmentationDescriptor()
    descriptor.segmentation_event_id = hex(event)
    descriptor.segmentation_event_cancel_indicator = False
    descriptor.segmentation_event_id_compliance_indicator = True
    descriptor.program_segmentation_flag = True
    descriptor.segmentation_duration_flag = duration is not None
    descriptor.segmentation_duration = duration
    descriptor.delivery_not_restricted_flag = True
    descriptor.segmentation_upid_type = 0
    descriptor.segmentation_upid_length = 0
    descriptor.segmentation_upid = ""
    descriptor.segmentation_type_id = kind
    descriptor.segment_num = 1
    descriptor.segments_expected = 1
    descriptor.encode()
    cue.descriptors.append(descriptor)
    cue.encode()
    return bytes(cue.bites)


def commands():
    """Each command with the time at which it is sent, and that of its splice."""
    return [
        (3, 6, insert_command(6, 77, 5.0)), (8, 11, insert_command(11, 77)),
        (12, 14, signal(14, 5, 0x30, 3.0)), (15, 17, signal(17, 5, 0x31)),
    ]


def section_packet(section, counter):
    payload = b"\0" + section
    assert len(payload) <= 184
    return bytes([0x47, 0x40 | PID >> 8, PID & 255, 0x10 | counter & 15]) + payload + b"\xff" * (184 - len(payload))


def with_stream(packet):
    """Adds the stream and its registration to a program map table."""
    start = 5 + packet[4]
    length = (packet[start + 1] & 15) << 8 | packet[start + 2]
    body = bytearray(packet[start + 3:start + 3 + length - 4])
    registration = b"\x05\x04CUEI"
    info = (body[7] & 15) << 8 | body[8]
    body[9:9] = registration
    info += len(registration)
    body[7:9] = bytes([0xF0 | info >> 8, info & 255])
    body += bytes([0x86, 0xE0 | PID >> 8, PID & 255, 0xF0, 0])
    length = len(body) + 4
    section = bytes([2, 0xB0 | length >> 8, length & 255]) + bytes(body)
    section += crc(section)
    return packet[:4] + b"\0" + section + b"\xff" * (183 - len(section))


def clock(packet):
    """Returns the program clock of a packet in seconds; None if it has none."""
    if packet[3] & 0x20 and packet[4] > 6 and packet[5] & 0x10:
        return (int.from_bytes(packet[6:10], "big") << 1 | packet[10] >> 7) / 90000
    return None


def insert(source, target):
    data, rest, counter = open(source, "rb").read(), commands(), 0
    with open(target, "wb") as out:
        for start in range(0, len(data), PACKET):
            packet = data[start:start + PACKET]
            time = clock(packet)
            while rest and time is not None and time - START >= rest[0][0]:
                out.write(section_packet(rest.pop(0)[2], counter))
                counter += 1
            pid = int.from_bytes(packet[1:3], "big") & 0x1FFF
            out.write(with_stream(packet) if pid == 0x1000 else packet)
    assert not rest, "the stream is too short"


def seconds(date):
    return datetime.fromisoformat(date.replace("Z", "+00:00")).timestamp()


def check(path):
    dates, ranges = [], {}
    for line in open(path):
        if line.startswith("#EXT-X-PROGRAM-DATE-TIME:"):
            dates.append(seconds(line.split(":", 1)[1].strip()))
        if line.startswith("#EXT-X-DATERANGE:"):
            attributes = dict(re.findall(r'([A-Z0-9-]+)=("[^"]*"|[^,\s]+)', line))
            ranges.setdefault(attributes["ID"], {}).update(attributes)
    # The times of the commands are those of the video; audio can start some milliseconds earlier.
    video = next(Path(path).parent.parent.glob("video*/media.m3u8")).read_text()
    first = seconds(re.search("#EXT-X-PROGRAM-DATE-TIME:(.*)", video)[1])
    wanted = commands()
    assert len(ranges) == 2, f"{path}: {len(ranges)} ranges"
    for index, found in enumerate(ranges.values()):
        (_, start, out), (_, end, back) = wanted[2 * index:2 * index + 2]
        date = seconds(found["START-DATE"].strip('"'))
        assert abs(date - first - start) < 0.03, f"{path}: starts {date - first} s after the first segment, not {start} s"
        assert float(found["DURATION"]) == end - start, f"{path}: {found['DURATION']}"
        for name, section in (("SCTE35-OUT", out), ("SCTE35-IN", back)):
            assert bytes.fromhex(found[name][2:]) == section, f"{path}: {name}"
            cue = Cue(found[name])
            cue.decode()
            assert cue.command.pts_time == START + (start if name == "SCTE35-OUT" else end), f"{path}: {cue.command.pts_time}"
        for time in (start, end):
            assert any(abs(date - first - time) < 0.03 for date in dates), f"{path}: no segment starts at {time} s"


if __name__ == "__main__":
    if sys.argv[1] == "insert":
        insert(*sys.argv[2:4])
    else:
        for name in sys.argv[2:]:
            check(name)
