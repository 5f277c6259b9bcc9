"""A small reader of MP4 files, fragmented and not, for the tests: every sample with its bytes, times and encryption.

Written from ISO/IEC 14496-12 and 23001-7 only, and not from Keyway's reader, so that an error in one of them is detected. It
validates everything that it reads, and raises Malformed with the position of an error.
"""

import struct
from dataclasses import dataclass, field


class Malformed(Exception):
    """An error of a file that is not valid."""


@dataclass
class Box:
    """A box: its type, and the position of its content in the data."""

    data: bytes
    kind: str
    start: int  # of the header
    body: int  # of the content
    end: int

    @property
    def content(self):
        return self.data[self.body:self.end]

    def children(self, skip=0):
        return list(boxes(self.data, self.body + skip, self.end))

    def child(self, kind, skip=0):
        found = [box for box in self.children(skip) if box.kind == kind]
        if len(found) > 1:
            raise Malformed(f"{self.kind} at byte {self.start} has {len(found)} boxes {kind}")
        return found[0] if found else None

    def need(self, *path):
        box = self
        for kind in path:
            box = box.child(kind) or fail(f"{box.kind} at byte {box.start} has no {kind}")
        return box

    def full(self):
        """Returns version, flags and the rest of a full box."""
        (word,) = struct.unpack_from(">I", self.data, self.body)
        return word >> 24, word & 0xFFFFFF, Fields(self.data, self.body + 4, self.end, self.kind)


def fail(text):
    raise Malformed(text)


class Fields:
    """Reads numbers in sequence, up to the end of a box."""

    def __init__(self, data, position, end, what):
        self.data, self.position, self.end, self.what = data, position, end, what

    def take(self, form):
        size = struct.calcsize(">" + form)
        if self.position + size > self.end:
            raise Malformed(f"{self.what} ends at byte {self.end}, within a field")
        values = struct.unpack_from(">" + form, self.data, self.position)
        self.position += size
        return values[0] if len(values) == 1 else values

    def bytes(self, count):
        if self.position + count > self.end:
            raise Malformed(f"{self.what} ends at byte {self.end}, within {count} bytes")
        self.position += count
        return self.data[self.position - count:self.position]

    def close(self):
        if self.position != self.end:
            raise Malformed(f"{self.what} has {self.end - self.position} bytes too many")


def boxes(data, start=0, end=None):
    end = len(data) if end is None else end
    while start < end:
        if end - start < 8:
            raise Malformed(f"{end - start} bytes after the last box, at byte {start}")
        size, kind = struct.unpack_from(">I4s", data, start)
        body = start + 8
        if size == 1:
            (size,) = struct.unpack_from(">Q", data, body)
            body += 8
        elif size == 0:
            size = end - start
        if body > start + size or start + size > end:
            raise Malformed(f"{kind} at byte {start} has the size {size}, but only {end - start} bytes are left")
        yield Box(data, kind.decode("latin-1"), start, body, start + size)
        start += size


@dataclass
class Encryption:
    """The encryption that sinf declares; sample groups must not change it."""

    scheme: str
    is_protected: int
    iv_size: int
    key_id: bytes
    constant_iv: bytes
    crypt_blocks: int
    skip_blocks: int


@dataclass
class Sample:
    data: bytes
    dts: int
    pts: int
    duration: int
    is_sync: bool
    description: int
    iv: bytes = b""
    subsamples: list = None  # of (clear, protected); None: the whole sample


@dataclass
class Track:
    identifier: int
    handler: str
    timescale: int
    entries: list  # of (format, original format, Encryption or None, box)
    edits: list  # of (duration, media time), in the movie's and the track's timescale
    movie_timescale: int
    trex: tuple = (1, 0, 0, 0)
    samples: list = field(default_factory=list)

    @property
    def format(self):
        return self.entries[0][1]

    def encryption(self, sample):
        return self.entries[sample.description - 1][2]

    @property
    def nal_length_size(self):
        entry = self.entries[0][3]
        for kind, offset in (("avcC", 4), ("hvcC", 21)):
            box = entry.child(kind, skip=78)
            if box:
                return (box.content[offset] & 3) + 1
        raise Malformed(f"{self.format} has neither avcC nor hvcC")

    @property
    def shift(self):
        """Returns the seconds to add to media times to get presentation times, from the edit list."""
        shift = 0.0
        for duration, media_time in self.edits:
            if media_time < 0:
                shift += duration / self.movie_timescale
            else:
                return shift - media_time / self.timescale
        return shift


def read_encryption(entry, skip):
    sinf = entry.child("sinf", skip)
    if sinf is None:
        return entry.kind, None
    original = sinf.need("frma").content.decode("latin-1")
    _, _, schm = sinf.need("schm").full()
    scheme, version = schm.take("4sI")
    if version != 0x00010000:
        raise Malformed(f"schm has the version {version:#x}")
    version, _, tenc = sinf.need("schi", "tenc").full()
    _, pattern, is_protected, iv_size = tenc.take("BBBB")
    key_id = tenc.bytes(16)
    constant_iv = tenc.bytes(tenc.take("B")) if is_protected and not iv_size else b""
    tenc.close()
    if version == 0 and pattern:
        raise Malformed("tenc of version 0 with a pattern")
    found = Encryption(
        scheme.decode("latin-1"), is_protected, iv_size, key_id, constant_iv, pattern >> 4, pattern & 15
    )
    return original, found


def read_track(trak, movie_timescale):
    version, _, tkhd = trak.need("tkhd").full()
    tkhd.take("QQ" if version else "II")
    identifier = tkhd.take("I")
    version, _, mdhd = trak.need("mdia", "mdhd").full()
    mdhd.take("QQ" if version else "II")
    timescale = mdhd.take("I")
    handler = trak.need("mdia", "hdlr").content[8:12].decode("latin-1")
    stsd = trak.need("mdia", "minf", "stbl", "stsd")
    entries = []
    for entry in stsd.children(skip=8):
        skip = {"vide": 78, "soun": 28}.get(handler)
        if handler == "soun" and entry.content[8:10] == b"\0\1":
            skip += 16  # QuickTime's version 1
        if skip is None:
            entries.append((entry.kind, entry.kind, None, entry))
        else:
            entries.append((entry.kind, *read_encryption(entry, skip), entry))
    edits = []
    if trak.child("edts") and trak.need("edts").child("elst"):
        version, _, elst = trak.need("edts", "elst").full()
        for _ in range(elst.take("I")):
            duration, media_time, _ = elst.take("QqI" if version else "IiI")
            edits.append((duration, media_time))
        elst.close()
    return Track(identifier, handler, timescale, entries, edits, movie_timescale)


def read_movie(moov):
    version, _, mvhd = moov.need("mvhd").full()
    mvhd.take("QQ" if version else "II")
    timescale = mvhd.take("I")
    tracks = [read_track(box, timescale) for box in moov.children() if box.kind == "trak"]
    extends = moov.child("mvex")
    for box in extends.children() if extends else []:
        if box.kind == "trex":
            _, _, trex = box.full()
            identifier, *defaults = trex.take("IIIII")
            trex.close()
            for track in tracks:
                if track.identifier == identifier:
                    track.trex = tuple(defaults)
    for track, box in zip(tracks, [box for box in moov.children() if box.kind == "trak"]):
        read_table(track, box.need("mdia", "minf", "stbl"), moov.data)
    return tracks


def table(stbl, kind, form):
    box = stbl.child(kind)
    if box is None:
        return None
    version, _, fields = box.full()
    count = fields.take("I")
    rows = [fields.take(form if version == 0 else form.replace("i", "i")) for _ in range(count)]
    fields.close()
    return rows


def read_table(track, stbl, data):
    """Reads samples of the sample tables, for files that are not fragmented."""
    wide = stbl.child("co64")
    chunks = table(stbl, "co64", "Q") if wide else table(stbl, "stco", "I")
    if not chunks:
        return
    _, _, stsz = stbl.need("stsz").full()
    size, count = stsz.take("II")
    sizes = [size or stsz.take("I") for _ in range(count)]
    durations = [delta for n, delta in table(stbl, "stts", "II") for _ in range(n)]
    offsets = [offset for n, offset in table(stbl, "ctts", "Ii") or [] for _ in range(n)] or [0] * count
    syncs = table(stbl, "stss", "I")
    syncs = None if syncs is None else set(syncs)
    runs = table(stbl, "stsc", "III")
    index, dts = 0, 0
    for run, (first, per_chunk, description) in enumerate(runs):
        last = runs[run + 1][0] if run + 1 < len(runs) else len(chunks) + 1
        for chunk in range(first, last):
            position = chunks[chunk - 1]
            for _ in range(per_chunk):
                sample = data[position:position + sizes[index]]
                if len(sample) != sizes[index]:
                    raise Malformed(f"sample {index + 1} extends beyond the end of the file")
                is_sync = syncs is None or index + 1 in syncs
                times = (dts, dts + offsets[index], durations[index])
                track.samples.append(Sample(sample, *times, is_sync, description))
                position += sizes[index]
                dts += durations[index]
                index += 1
    if index != count:
        raise Malformed(f"the chunks contain {index} samples, stsz {count}")


def read_senc(box, encryption, count):
    """Returns IVs and subsamples of a senc box, for all samples of a track fragment."""
    _, flags, fields = box.full()
    number = fields.take("I")
    if number not in (0, count):
        raise Malformed(f"senc at byte {box.start} has {number} samples, the track fragment {count}")
    entries = []
    for _ in range(number):
        iv = fields.bytes(encryption.iv_size)
        subsamples = [fields.take("HI") for _ in range(fields.take("H"))] if flags & 2 else None
        entries.append((iv, subsamples, fields.position))
    fields.close()
    return entries


def check_auxiliary(traf, moof, senc, entries):
    """Checks that saiz and saio, if present, describe senc correctly."""
    saiz, saio = traf.child("saiz"), traf.child("saio")
    if (saiz is None) != (saio is None):
        raise Malformed(f"traf at byte {traf.start} has only one of saiz and saio")
    if saiz is None:
        if entries and any(iv or subsamples for iv, subsamples, _ in entries):
            raise Malformed(f"traf at byte {traf.start} has a senc with content, but no saiz and saio")
        return
    _, flags, fields = saiz.full()
    if flags & 1:
        fields.take("II")
    default, count = fields.take("BI")
    sizes = [default or fields.take("B") for _ in range(count)]
    fields.close()
    version, flags, fields = saio.full()
    if flags & 1:
        fields.take("II")
    places = [fields.take("Q" if version else "I") for _ in range(fields.take("I"))]
    fields.close()
    if not entries:
        return
    starts = [senc.body + 8] + [end for _, _, end in entries]
    found = [after - before for before, after in zip(starts, starts[1:])]
    if sizes != found:
        raise Malformed(f"saiz at byte {saiz.start} declares {sizes[:8]}, senc has {found[:8]}")
    if places != [senc.body + 8 - moof.start]:
        raise Malformed(f"saio at byte {saio.start} points to {places}, senc is at {senc.body + 8 - moof.start}")


def read_fragment(moof, tracks, data):
    """Appends the samples of a moof box to the tracks."""
    fragments = []
    for traf in moof.children():
        if traf.kind != "traf":
            continue
        _, flags, tfhd = traf.need("tfhd").full()
        identifier = tfhd.take("I")
        track = next((t for t in tracks if t.identifier == identifier), None) or fail(f"no track {identifier}")
        description, duration, size, sample_flags = track.trex
        base = moof.start
        if flags & 0x1:
            base = tfhd.take("Q")
        elif not flags & 0x20000:
            raise Malformed("tfhd without default-base-is-moof")
        description = tfhd.take("I") if flags & 0x2 else description
        duration = tfhd.take("I") if flags & 0x8 else duration
        size = tfhd.take("I") if flags & 0x10 else size
        sample_flags = tfhd.take("I") if flags & 0x20 else sample_flags
        tfhd.close()
        tfdt = traf.child("tfdt") or fail(f"traf at byte {traf.start} has no tfdt")
        version, _, fields = tfdt.full()
        dts = fields.take("Q" if version else "I")
        fields.close()
        fragments.append(dts)
        samples = []
        for trun in traf.children():
            if trun.kind == "trun":
                dts, run = read_run(trun, base, dts, (description, duration, size, sample_flags), data)
                samples += run
        encryption = track.entries[description - 1][2]
        senc = traf.child("senc")
        if encryption is None and senc:
            raise Malformed(f"senc at byte {senc.start} of a track that is not encrypted")
        if senc:
            entries = read_senc(senc, encryption, len(samples))
            check_auxiliary(traf, moof, senc, entries)
            for sample, (iv, subsamples, _) in zip(samples, entries):
                sample.iv, sample.subsamples = iv, subsamples
                if subsamples and sum(map(sum, subsamples)) != len(sample.data):
                    raise Malformed(f"subsamples of the sample at {sample.dts} cover {sum(map(sum, subsamples))} bytes")
        expected = track.samples[-1].dts + track.samples[-1].duration if track.samples else None
        if expected is not None and samples and samples[0].dts != expected:
            raise Malformed(f"tfdt of track {identifier} is {samples[0].dts}, the previous sample ends at {expected}")
        track.samples += samples


def read_run(trun, base, dts, defaults, data):
    description, duration, size, sample_flags = defaults
    version, flags, fields = trun.full()
    count = fields.take("I")
    position = base + (fields.take("i") if flags & 0x1 else 0)
    first_flags = fields.take("I") if flags & 0x4 else None
    samples = []
    for index in range(count):
        length = fields.take("I") if flags & 0x100 else duration
        bytes_ = fields.take("I") if flags & 0x200 else size
        own = fields.take("I") if flags & 0x400 else (first_flags if index == 0 and first_flags is not None else sample_flags)
        offset = fields.take("i" if version else "I") if flags & 0x800 else 0
        content = data[position:position + bytes_]
        if len(content) != bytes_:
            raise Malformed(f"trun at byte {trun.start} extends beyond the end of the data")
        samples.append(Sample(content, dts, dts + offset, length, not own & 0x10000, description))
        position += bytes_
        dts += length
    fields.close()
    return dts, samples


def read(data):
    """Returns the tracks of a file, or of an init segment followed by media segments."""
    tracks = None
    media = []
    for box in boxes(data):
        if box.kind == "moov":
            if tracks is not None:
                raise Malformed(f"a second moov at byte {box.start}")
            tracks = read_movie(box)
        elif box.kind == "mdat":
            media.append((box.body, box.end))
    if tracks is None:
        raise Malformed("the file has no moov box")
    for box in boxes(data):
        if box.kind == "moof":
            read_fragment(box, tracks, data)
    return tracks
