"""A small reader of MPEG-2 transport streams, for the tests: it returns the PES packets of every stream, and validates the stream.

Written from ISO/IEC 13818-1 only, and not from Keyway's reader, so that an error in one of them is detected.
"""

from dataclasses import dataclass, field

PACKET = 188
CLOCK = 1 << 33


class Malformed(Exception):
    """An error of a stream that is not valid."""


@dataclass
class PES:
    pts: int
    dts: int
    data: bytes
    random_access: bool


@dataclass
class Stream:
    pid: int
    kind: int  # stream_type of the PMT
    descriptors: list  # of (tag, content)
    packets: list = field(default_factory=list)


def crc32(data):
    value = 0xFFFFFFFF
    for byte in data:
        value ^= byte << 24
        for _ in range(8):
            value = (value << 1 ^ 0x04C11DB7 if value & 0x80000000 else value << 1) & 0xFFFFFFFF
    return value


def section(payload, table):
    """Returns the content of the only section of a PSI packet."""
    start = 1 + payload[0]
    length = (payload[start + 1] & 15) << 8 | payload[start + 2]
    data = payload[start:start + 3 + length]
    if len(data) != 3 + length:
        raise Malformed(f"table {table} does not fit one packet")
    if data[0] != table:
        raise Malformed(f"a section of table {data[0]}, expected table {table}")
    if crc32(data) != 0:
        raise Malformed(f"table {table} has a wrong CRC")
    return data[8:-4]


def descriptors(data):
    found, position = [], 0
    while position < len(data):
        tag, length = data[position], data[position + 1]
        content = data[position + 2:position + 2 + length]
        if len(content) != length:
            raise Malformed(f"descriptor {tag:#x} is truncated")
        found.append((tag, content))
        position += 2 + length
    return found


def timestamp(data):
    if not (data[0] & 1 and data[2] & 1 and data[4] & 1):
        raise Malformed("a timestamp without its marker bits")
    return (data[0] >> 1 & 7) << 30 | data[1] << 22 | data[2] >> 1 << 15 | data[3] << 7 | data[4] >> 1


def ahead(after, before):
    """Returns the number of ticks from `before` to `after` on a clock of 33 bits; negative if `after` is earlier."""
    return (after - before + CLOCK // 2) % CLOCK - CLOCK // 2


class Reader:
    """Reads consecutive segments as one stream. `checks_clock`: an access unit must arrive before its decode time."""

    def __init__(self, checks_clock=False):
        self.checks_clock = checks_clock
        self.streams = {}
        self.pmt_pid = None
        self.pcr_pid = None
        self.counters = {}
        self.open = {}
        self.last_pcr = None
        self.saw_pat = self.saw_pmt = False

    def read(self, data, name="stream"):
        """Reads a segment: it must start with PAT and PMT, and end with complete PES packets."""
        if len(data) % PACKET:
            raise Malformed(f"{name} has {len(data)} bytes, which is not a multiple of {PACKET}")
        self.saw_pat = self.saw_pmt = False
        for start in range(0, len(data), PACKET):
            try:
                self.packet(data[start:start + PACKET])
            except (Malformed, IndexError) as error:
                raise Malformed(f"{name}, packet {start // PACKET}: {error}") from None
        for pid in list(self.open):
            self.close(pid)

    def packet(self, packet):
        if packet[0] != 0x47:
            raise Malformed(f"the sync byte is {packet[0]:#x}")
        if packet[1] & 0x80:
            raise Malformed("the transport error indicator is set")
        if packet[3] & 0xC0:
            raise Malformed("the packet is scrambled (transport_scrambling_control)")
        pid = (packet[1] & 0x1F) << 8 | packet[2]
        starts = bool(packet[1] & 0x40)
        position, random_access, discontinuity = 4, False, False
        if packet[3] & 0x20:
            length = packet[4]
            if length > 183 or (length > 182 and packet[3] & 0x10):
                raise Malformed(f"an adaptation field of {length} bytes")
            position = 5 + length
            if length:
                random_access, discontinuity = bool(packet[5] & 0x40), bool(packet[5] & 0x80)
                if packet[5] & 0x10:
                    self.clock(pid, packet[6:12], discontinuity)
        if pid == 0x1FFF:
            return
        if packet[3] & 0x10:
            counter = packet[3] & 15
            if pid in self.counters and not discontinuity and counter != (self.counters[pid] + 1) & 15:
                raise Malformed(f"PID {pid:#x} has the counter {counter} after {self.counters[pid]}")
            self.counters[pid] = counter
            self.payload(pid, packet[position:], starts, random_access)

    def clock(self, pid, data, discontinuity):
        if pid != self.pcr_pid:
            raise Malformed(f"a PCR on PID {pid:#x}, but the PMT declares {self.pcr_pid}")
        base = int.from_bytes(data[:5], "big") >> 7
        pcr = base * 300 + (int.from_bytes(data[4:6], "big") & 0x1FF)
        if self.last_pcr is not None and not discontinuity:
            step = (pcr - self.last_pcr) % (CLOCK * 300)
            if step > 27_000_000:
                raise Malformed(f"the PCR moves by {step / 27_000_000:.3f} s")
        self.last_pcr = pcr

    def payload(self, pid, data, starts, random_access):
        if pid == 0:
            content = section(data, 0)
            programs = [content[i:i + 4] for i in range(0, len(content), 4)]
            self.pmt_pid = next((p[2] & 0x1F) << 8 | p[3] for p in programs if p[0] or p[1])
            self.saw_pat = True
        elif pid == self.pmt_pid:
            self.program(section(data, 2))
        elif pid in self.streams:
            if not (self.saw_pat and self.saw_pmt):
                raise Malformed("media before PAT and PMT")
            if starts:
                self.close(pid)
                self.open[pid] = [bytearray(data), random_access]
            elif pid in self.open:
                self.open[pid][0] += data
            else:
                raise Malformed(f"PID {pid:#x} continues a PES packet that started in another segment")

    def program(self, content):
        self.pcr_pid = (content[0] & 0x1F) << 8 | content[1]
        position = 4 + ((content[2] & 15) << 8 | content[3])
        while position < len(content):
            kind, high, low, high_length, low_length = content[position:position + 5]
            pid = (high & 0x1F) << 8 | low
            length = (high_length & 15) << 8 | low_length
            position += 5
            found = Stream(pid, kind, descriptors(content[position:position + length]))
            known = self.streams.setdefault(pid, found)
            if (known.kind, known.descriptors) != (found.kind, found.descriptors):
                raise Malformed(f"the PMT changes PID {pid:#x}")
            position += length
        self.saw_pmt = True

    def close(self, pid):
        if pid not in self.open:
            return
        data, random_access = self.open.pop(pid)
        if data[:3] != b"\0\0\1" or data[6] >> 6 != 2:
            raise Malformed(f"PID {pid:#x} has no PES packet header at the unit start")
        length, flags, header = data[4] << 8 | data[5], data[7] >> 6, data[8]
        if length and length != len(data) - 6:
            raise Malformed(f"a PES packet of PID {pid:#x} declares {length} bytes but has {len(data) - 6}")
        if flags & 2 == 0:
            raise Malformed(f"a PES packet of PID {pid:#x} has no PTS")
        pts = timestamp(data[9:14])
        dts = timestamp(data[14:19]) if flags == 3 else pts
        stream = self.streams[pid]
        if ahead(pts, dts) < 0:
            raise Malformed(f"PID {pid:#x}: PTS {pts} before DTS {dts}")
        if stream.packets and ahead(dts, stream.packets[-1].dts) <= 0:
            raise Malformed(f"PID {pid:#x}: DTS {dts} after {stream.packets[-1].dts}")
        if self.checks_clock and self.last_pcr is not None and ahead(dts, self.last_pcr // 300) < 0:
            raise Malformed(f"PID {pid:#x}: DTS {dts} is late, the clock is at {self.last_pcr // 300}")
        stream.packets.append(PES(pts, dts, bytes(data[9 + header:]), random_access))
