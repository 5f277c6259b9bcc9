#!/usr/bin/env python3
"""Writes STREAM.txt beside each raw H.264 or HEVC stream: what ffmpeg's trace_headers says about its slice headers.

A line a slice, in the order of the stream: nal_unit_type, bits from the start of the NAL unit to the end of the slice header
(emulation prevention bytes not counted), bytes of the NAL unit as it lies in the file up to there (counted).
"""
import re
import subprocess
import sys


def units(data):
    starts = [m.end() for m in re.finditer(b"\0\0\1", data)]
    for i, start in enumerate(starts):
        end = starts[i + 1] - 3 if i + 1 < len(starts) else len(data)
        yield data[start:end].rstrip(b"\0")


def file_bytes(unit, bits):
    """How many bytes of the unit hold its first `bits` bits once emulation prevention bytes are passed over."""
    needed, zeros, index = (bits + 7) // 8, 0, 0
    while needed:
        if zeros >= 2 and unit[index] == 3:
            zeros = 0
        else:
            zeros = zeros + 1 if unit[index] == 0 else 0
            needed -= 1
        index += 1
    return index


def traced(path, codec):
    command = ["ffmpeg", "-hide_banner", "-f", codec, "-i", path, "-c", "copy", "-bsf:v", "trace_headers", "-f", "null", "-"]
    log = subprocess.run(command, stderr=subprocess.PIPE, text=True, errors="replace", check=True).stderr
    # The parameter sets are traced once before the first packet.
    log = log[log.index("Packet:"):]
    slices, current = [], None
    for line in log.splitlines():
        line = re.sub(r"^\[trace_headers @ \S+\] ", "", line)
        if line in ("Slice Header", "Slice Segment Header"):
            current = {}
            slices.append(current)
        elif m := re.match(r"(\d+) +(\S+) +([01]+)? *= (-?\d+)$", line):
            # These belong to the slice data.
            if current is not None and m[2] != "cabac_alignment_one_bit":
                current[m[2]] = int(m[4])
                current["end"] = int(m[1]) + len(m[3] or "")
        elif line and not line.startswith(" "):
            current = None
    return slices


for path in sys.argv[1:]:
    codec = "h264" if path.endswith("h264") else "hevc"
    kind = (lambda u: u[0] & 31) if codec == "h264" else (lambda u: u[0] >> 1 & 63)
    wanted = (1, 5) if codec == "h264" else range(32)
    coded = [u for u in units(open(path, "rb").read()) if kind(u) in wanted]
    headers = traced(path, codec)
    assert len(coded) == len(headers), (path, len(coded), len(headers))
    with open(path + ".txt", "w") as out:
        for unit, header in zip(coded, headers):
            assert kind(unit) == header["nal_unit_type"], path
            print(kind(unit), header["end"], file_bytes(unit, header["end"]), file=out)
    print(path, len(coded))
