#!/usr/bin/env python3
"""Generates small inputs for the fuzz targets from media that ffmpeg generates.

    FuzzTesting/film-seeds.py FOLDER     writes FOLDER/TARGET/NAME, the layout of .build-fuzz/corpus in scripts/fuzz

Fuzzing covers a format much faster when it starts with complete files than when it starts with none. The media have a few
frames of 32x32 samples; structures that ffmpeg does not write are inserted box by box. `scripts/fuzz --merge` adds only the
inputs that reach new code to the committed corpus.
"""

import pathlib
import struct
import subprocess
import sys
import tempfile

KEY = "00112233445566778899aabbccddeeff"
PICTURE = ["-f", "lavfi", "-i", "testsrc=size=32x32:rate=10:duration=0.8"]
SOUND = ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=48000:duration=0.2"]
AVC = ["-c:v", "libx264", "-g", "4", "-bf", "2", "-x264-params", "log-level=none"]
HEVC = ["-c:v", "libx265", "-tag:v", "hvc1", "-x265-params", "log-level=none:keyint=4"]
CONTAINERS = {
    **dict.fromkeys(["moov", "trak", "mdia", "minf", "stbl", "dinf", "edts", "mvex", "moof", "traf", "mfra", "sinf"], 0),
    **dict.fromkeys(["avc1", "avc3", "hvc1", "hev1", "encv"], 78),
    **dict.fromkeys(["mp4a", "ac-3", "ec-3", "enca"], 28),
    "stsd": 8,
    "schi": 0,
}


class Box:
    """A box: its type, the bytes before its child boxes, and the child boxes."""

    def __init__(self, kind, head=b"", children=()):
        self.kind, self.head, self.children = kind, head, list(children)

    @staticmethod
    def read(data):
        boxes, offset = [], 0
        while offset + 8 <= len(data):
            size, kind = struct.unpack(">I4s", data[offset : offset + 8])
            content = data[offset + 8 : offset + size]
            name = kind.decode("latin-1")
            if name in CONTAINERS:
                head = CONTAINERS[name]
                boxes.append(Box(name, content[:head], Box.read(content[head:])))
            else:
                boxes.append(Box(name, content))
            offset += max(size, 8)
        return boxes

    def write(self):
        content = self.head + b"".join(child.write() for child in self.children)
        return struct.pack(">I", len(content) + 8) + self.kind.encode("latin-1") + content

    def all(self, kind):
        return [box for child in self.children for box in ([child] if child.kind == kind else []) + child.all(kind)]


def full(kind, version, flags, content):
    return Box(kind, struct.pack(">I", version << 24 | flags) + content)


def numbers(*values):
    return struct.pack(f">{len(values)}I", *values)


def ffmpeg(arguments, name):
    """Returns ffmpeg's output for a file name; it is the same each time."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / name
        command = ["ffmpeg", "-v", "error", "-nostdin", *arguments, "-fflags", "+bitexact", "-threads", "1", str(path)]
        subprocess.run(command, check=True)
        return path.read_bytes()


def films():
    """Returns MP4 files as ffmpeg writes them."""
    fragments = ["-movflags", "frag_keyframe+empty_moov+default_base_moof"]
    encryption = ["-encryption_scheme", "cenc-aes-ctr", "-encryption_key", KEY, "-encryption_kid", KEY]
    both = PICTURE + SOUND + AVC + ["-c:a", "aac"]
    return {
        "avc-aac.mp4": both,
        "avc-aac-faststart.mp4": both + ["-movflags", "faststart"],
        "avc-fragments.mp4": both + fragments,
        "avc-fragments-offsets.mp4": both + ["-movflags", "frag_keyframe+empty_moov"],
        "avc-fragments-separate.mp4": both + ["-movflags", "frag_keyframe+empty_moov+separate_moof+omit_tfhd_offset"],
        "avc-fragments-omitted.mp4": both + ["-movflags", "frag_keyframe+empty_moov+omit_tfhd_offset"],
        "avc-fragments-delayed.mp4": both + ["-movflags", "frag_keyframe+delay_moov+negative_cts_offsets"],
        "avc-index.mp4": both + ["-movflags", "dash+global_sidx+frag_keyframe", "-write_prft", "wallclock"],
        "avc-every-frame.mp4": PICTURE + AVC + ["-movflags", "frag_every_frame+empty_moov+default_base_moof"],
        "avc-hybrid.mp4": both + ["-movflags", "frag_keyframe"],
        "avc-encrypted.mp4": both + encryption,
        "avc-encrypted-fragments.mp4": both + encryption + fragments,
        "avc-delayed.mp4": PICTURE + ["-itsoffset", "0.3"] + SOUND + AVC + ["-c:a", "aac"],
        "avc-colors.mp4": PICTURE
        + AVC
        + ["-color_primaries", "bt709", "-color_trc", "bt709", "-colorspace", "bt709", "-movflags", "write_colr"],
        "hevc.mp4": PICTURE + HEVC,
        "hevc-fragments.mp4": PICTURE + HEVC + fragments,
        "hevc-hdr.mp4": PICTURE
        + ["-pix_fmt", "yuv420p10le", "-c:v", "libx265", "-tag:v", "hev1", "-x265-params"]
        + ["log-level=none:hdr10=1:master-display=G(1,1)B(1,1)R(1,1)WP(1,1)L(9,1):max-cll=9,9:transfer=smpte2084"],
        "avc.mov": both,
        "pcm.mov": SOUND + ["-c:a", "pcm_s16le"],
        "pcm-24.mov": SOUND + ["-c:a", "pcm_s24be", "-t", "0.01"],
        "alac.mov": SOUND + ["-c:a", "alac"],
        "ac3.mp4": SOUND + ["-c:a", "ac3"],
        "eac3.mp4": SOUND + ["-c:a", "eac3", "-ac", "6"],
        "eac3-fragments.mp4": SOUND + ["-c:a", "eac3", "-movflags", "frag_keyframe+delay_moov+default_base_moof"],
        "mp3.mp4": SOUND + ["-c:a", "libmp3lame"],
    }


def additions(film):
    """Returns a variation of the movie for each structure that ffmpeg does not write."""

    def changed(change):
        boxes = Box.read(film)
        change(Box("", b"", boxes), boxes)
        return b"".join(box.write() for box in boxes)

    def inside(*kinds_and_boxes):
        def change(root, _):
            for kind, boxes in kinds_and_boxes:
                for box in root.all(kind):
                    box.children += boxes

        return changed(change)

    def entries(*boxes):
        def change(root, _):
            for description in root.all("stsd"):
                description.children[0].children += boxes

        return changed(change)

    def before(kind, *boxes):
        def change(_, top):
            place = next((index for index, box in enumerate(top) if box.kind == kind), 0)
            top[place:place] = boxes

        return changed(change)

    def replaced(kind, make):
        def change(root, _):
            for box in root.all(kind):
                new = make(box)
                box.kind, box.head = new.kind, new.head

        return changed(change)

    def tables(box, kind, width):
        count = struct.unpack(">I", box.head[4:8])[0]
        values = struct.unpack(f">{count}I", box.head[8 : 8 + 4 * count])
        return full(kind, 0, 0, numbers(count) + struct.pack(f">{count}{width}", *values))

    def delays(*durations):
        edits = [(duration, -1, 0x10000) for duration in durations] + [(300, 0, 0x10000)]
        content = numbers(len(edits)) + b"".join(struct.pack(">QqI", *edit) for edit in edits)
        return replaced("elst", lambda _: full("elst", 1, 0, content))

    def small_sizes(bits):
        def make(box):
            uniform, count = struct.unpack(">II", box.head[4:12])
            pattern = {4: b"\x12", 8: b"\x01\x02", 16: b"\x00\x01\x00\x02"}[bits]
            return full("stz2", 0, 0, numbers(bits, count) + pattern * (count // 2 + 1)) if uniform == 0 else box

        return replaced("stsz", make)

    identity = bytes(range(16))
    seig = b"\0\x19\1\0" + identity + b"\x10" + identity
    clear = b"\0\0\0\0" + identity
    groups = [
        full("sgpd", 1, 0, b"seig" + numbers(37, 1) + seig),
        full("sbgp", 0, 0, b"seig" + numbers(2, 1, 1, 2, 0)),
    ]
    local = [
        full("sgpd", 1, 0, b"seig" + numbers(0, 2, 37) + seig + numbers(20) + clear),
        full("sbgp", 0, 0, b"seig" + numbers(2, 1, 0x10001, 1, 0x10002)),
    ]
    default = [full("sgpd", 2, 0, b"seig" + numbers(37, 1, 1) + seig)]
    systems = [
        full("pssh", 0, 0, identity + numbers(3) + b"abc"),
        full("pssh", 1, 0, identity + numbers(1) + identity + numbers(0)),
    ]
    own = [
        full("saio", 1, 1, b"cenc" + numbers(0, 1, 0, 64)),
        full("saiz", 0, 1, b"cenc" + numbers(0) + b"\x08" + numbers(4)),
    ]
    color = struct.pack(">HHH", 9, 16, 9)
    return {
        "groups": inside(("stbl", groups)),
        "groups-default": inside(("stbl", default)),
        "groups-of-fragments": inside(("traf", local)),
        "groups-of-fragments-default": inside(("traf", default)),
        "groups-of-both": inside(("stbl", groups), ("traf", groups[1:])),
        "roll": inside(("stbl", [full("sgpd", 1, 0, b"roll" + numbers(2, 1) + b"\xff\xff")])),
        "random-access": inside(("stbl", [full("sgpd", 1, 0, b"rap " + numbers(1, 1) + b"\x82")])),
        "subsamples": inside(("stbl", [full("subs", 0, 0, numbers(1, 1) + struct.pack(">HIBBI", 1, 5, 0, 0, 0))])),
        "language": inside(("mdia", [full("elng", 0, 0, b"de-CH\0")])),
        "nclx": entries(Box("colr", b"nclx" + color + b"\x80")),
        "nclc": entries(Box("colr", b"nclc" + color)),
        "profile": entries(Box("colr", b"prof" + bytes(20))),
        "light": entries(Box("mdcv", bytes(range(24))), Box("clli", b"\3\xe8\1\x90")),
        "vision": entries(Box("dvcC", b"\1\0\x0a\x35" + bytes(20)), Box("dvvC", b"\1\0\x10\x35\x10" + bytes(19))),
        "shape": entries(Box("pasp", numbers(4, 3)), Box("btrt", numbers(1, 2, 3))),
        "user-type": entries(Box("uuid", identity + b"own")),
        "systems": inside(("moov", systems)),
        "events": before(
            "moof",
            full("emsg", 0, 0, b"urn:x\0v\0" + numbers(1000, 5, 10, 1) + b"data"),
            full("emsg", 1, 0, numbers(1000, 0, 5, 10, 1) + b"urn:x\0v\0data"),
            full("prft", 0, 0, numbers(1, 2, 3, 4)),
            full("prft", 1, 24, numbers(1, 2, 3, 0, 4)),
        ),
        "index": before("moof", full("sidx", 1, 0, numbers(1, 1000, 0, 0, 0, 0, 1, 700, 1000, 0x90000000))),
        "index-of-index": before("moof", full("sidx", 0, 0, numbers(1, 1000, 0, 0, 1, 0x800002BC, 1000, 0x90000000))),
        "access": before("mfra", Box("mfra", b"", [full("tfra", 1, 0, numbers(1, 0x3F, 1, 0, 0, 0, 0, 1, 1, 1))])),
        "chunks-64": replaced("stco", lambda box: tables(box, "co64", "Q")),
        "sizes-4": small_sizes(4),
        "sizes-8": small_sizes(8),
        "sizes-16": small_sizes(16),
        "sync-backwards": replaced("stss", lambda box: full("stss", 0, 0, numbers(3, 5, 1, 4))),
        "edits-empty": replaced(
            "elst",
            lambda _: full("elst", 0, 0, numbers(3, 500, 0xFFFFFFFF, 0x10000, 300, 0, 0x10000, 9, 0xFFFFFFFF, 0x10000)),
        ),
        "edits-64": replaced("elst", lambda _: full("elst", 1, 0, numbers(1, 0, 300, 0, 1024, 0x10000))),
        "edits-delay": delays(1 << 60),
        "edits-delay-long": delays((1 << 62) - 1),
        "edits-delay-endless": delays(1 << 61, 1 << 61),
        "edits-several": replaced("elst", lambda _: full("elst", 0, 0, numbers(2, 3, 0, 0x10000, 3, 9, 0x10000))),
        "edits-fast": replaced("elst", lambda _: full("elst", 0, 0, numbers(1, 3, 0, 0x20000))),
        "elsewhere": replaced("dref", lambda _: full("dref", 0, 0, numbers(1) + full("url ", 0, 0, b"x\0").write())),
        "offsets-own-kind": inside(("traf", own)),
        "offsets-each": inside(
            ("stbl", [full("saio", 0, 0, numbers(2, 48, 64)), full("saiz", 0, 0, b"\x08" + numbers(4))])
        ),
    }


def damages(film):
    """Returns a variation of the movie for each error that the verifier or a reader detects."""

    def changed(change):
        boxes = Box.read(film)
        change(Box("", b"", boxes), boxes)
        return b"".join(box.write() for box in boxes)

    def replaced(kind, content):
        def change(root, _):
            for box in root.all(kind):
                box.head = content(box.head)

        return changed(change)

    def swap(_, top):
        places = [index for index, box in enumerate(top) if box.kind == "moof"]
        if len(places) > 1:
            top[places[0]], top[places[-1]] = top[places[-1]], top[places[0]]

    def removed(kind):
        def change(root, _):
            for box in root.all("traf"):
                box.children = [child for child in box.children if child.kind != kind]

        return changed(change)

    def subtitles(root, _):
        for box in root.all("hdlr"):
            box.head = box.head[:8] + b"subt" + box.head[12:]
        for box in root.all("stsd"):
            box.children = [Box("stpp", bytes(7) + b"\1urn:x\0where\0text/plain\0")]

    def sound(version, rest):
        def change(root, _):
            for box in root.all("hdlr"):
                box.head = box.head[:8] + b"soun" + box.head[12:]
            for box in root.all("stsd"):
                head = bytes(7) + b"\1" + struct.pack(">H", version) + bytes(6) + struct.pack(">HHHHI", 2, 16, 0, 0, 1)
                box.children = [Box("mp4a", head + rest)]

        return changed(change)

    deep = Box("udta")
    for _ in range(40):
        deep = Box("moov", b"", [deep])
    second = struct.pack(">IdIIIIIII", 72, 48000.0, 2, 0x7F000000, 16, 0, 0, 0, 0)
    return {
        "turned": changed(swap),
        "no-sizes": removed("saiz"),
        "no-entries": removed("senc"),
        "more-entries": replaced("senc", lambda head: head[:4] + numbers(1000) + head[8:]),
        "fewer-entries": replaced("senc", lambda head: head[:4] + numbers(0)),
        "cut-entries": replaced("senc", lambda head: head[:-1]),
        "two-offsets": replaced("saio", lambda head: head[:4] + numbers(2, 0, 0)),
        "astray": replaced("saio", lambda head: head[:8] + numbers(5)),
        "far-away": replaced("saio", lambda head: head[:8] + numbers(0x7FFFFFFF)),
        "before-the-file": replaced("trun", lambda head: head[:8] + numbers(0x80000000) + head[12:]),
        "empty-chunks": replaced("stsc", lambda head: head[:4] + numbers(1, 1, 0, 1)),
        "subtitles": changed(subtitles),
        "sound-1": sound(1, numbers(1024, 2, 4, 2)),
        "sound-2": sound(2, second),
        "sound-2-short": sound(2, numbers(8) + second[4:]),
        "sound-2-rate": sound(2, second[:4] + struct.pack(">d", float("nan")) + second[12:]),
        "deep": film + deep.write(),
    }


def encryptions(film):
    """Yields a movie's fragments, marked as encrypted with cbcs and cenc; the samples are unchanged."""
    identity = bytes(range(16))
    ways = {
        "cbcs": (b"cbcs", full("tenc", 1, 0, b"\0\x19\1\0" + identity + b"\x10" + identity), 0),
        "cbcs-all": (b"cbcs", full("tenc", 1, 0, b"\0\0\1\0" + identity + b"\x08" + identity[:8]), 0),
        "cenc-8": (b"cenc", full("tenc", 0, 0, b"\0\0\1\x08" + identity), 8),
        "cens-16": (b"cens", full("tenc", 1, 0, b"\0\x19\1\x10" + identity), 16),
        "clear": (b"cenc", full("tenc", 0, 0, b"\0\0\0\0" + identity), 0),
    }
    for name, (scheme, tenc, vector) in ways.items():
        for listed in [False, True]:
            boxes = Box.read(film)
            root = Box("", b"", boxes)
            for description in root.all("stsd"):
                entry = description.children[0]
                schm = full("schm", 0, 0, scheme + numbers(0x10000))
                frma = Box("frma", entry.kind.encode())
                entry.children.append(Box("sinf", b"", [frma, schm, Box("schi", b"", [tenc])]))
                entry.kind = "encv" if entry.kind in ("avc1", "hvc1", "hev1") else "enca"
            for fragment in root.all("traf"):
                count = struct.unpack(">I", fragment.all("trun")[0].head[4:8])[0]
                sample = bytes(vector) + (struct.pack(">HHI", 1, 4, 2) if listed else b"")
                senc = full("senc", 0, 2 if listed else 0, numbers(count) + sample * count)
                fragment.children.append(full("saiz", 0, 0, bytes([len(sample)]) + numbers(count)))
                fragment.children += [full("saio", 0, 0, numbers(1, 0)), senc]
            yield f"{name}{'-listed' if listed else ''}", place_entries(boxes)


def place_entries(boxes):
    """Sets the offsets in saio to the entries of senc, and those in trun to the data, after the boxes have their sizes."""
    for fragment in (box for box in boxes if box.kind == "moof"):
        size, offset = len(fragment.write()), 8
        for child in fragment.children:
            inner = offset + 8
            for box in child.children:
                if box.kind == "senc":
                    for saio in child.all("saio"):
                        saio.head = saio.head[:8] + numbers(inner + 16)
                if box.kind == "trun" and box.head[3] & 1:
                    box.head = box.head[:8] + numbers(size + 8) + box.head[12:]
                inner += len(box.write())
            offset += len(child.write())
    return b"".join(box.write() for box in boxes)


def rarities(made):
    """Yields files that mutations rarely find, because they need several consistent changes at once."""

    def read(name):
        boxes = Box.read(made[name])
        return Box("", b"", boxes), boxes

    # The first sample description is clear, a second one protected, and sample groups refer to keys.
    root, boxes = read("avc-encrypted.mp4")
    for table in root.all("stbl"):
        description = table.all("stsd")[0]
        entry = description.children[0]
        clear = [box for box in entry.children if box.kind != "sinf"]
        kind = "avc1" if entry.kind == "encv" else "mp4a"
        description.head = description.head[:4] + numbers(2)
        description.children.insert(0, Box(kind, entry.head, clear))
        table.children.append(full("sbgp", 0, 0, b"seig" + numbers(1, 2, 0)))
    yield "clear-first", b"".join(box.write() for box in boxes)

    # The index declares that each segment starts with a key frame, but none does.
    root, boxes = read("avc-index.mp4")
    for run in root.all("trun"):
        place = 8 + 4 * (run.head[3] & 1)
        if run.head[3] & 4:
            run.head = run.head[:place] + numbers(0x1010000) + run.head[place + 4 :]
    for index in root.all("sidx"):
        for end in range(len(index.head), 32, -12):
            index.head = index.head[: end - 4] + numbers(0x90000000) + index.head[end:]
    # ffmpeg's index does not count producer reference times.
    yield "no-key-frames", b"".join(box.write() for box in boxes if box.kind != "prft")

    # One constant IV: the samples' own information is empty, or ends before they do.
    film = dict(encryptions(made["avc-every-frame.mp4"]))["cbcs"]
    for name, count in {"empty-entries": None, "few-entries": 0}.items():
        boxes = Box.read(film)
        for fragment in Box("", b"", boxes).all("traf"):
            samples = struct.unpack(">I", fragment.all("trun")[0].head[4:8])[0] if count is None else count
            fragment.children = [box for box in fragment.children if box.kind not in ("senc", "saiz")]
            fragment.children.append(full("saiz", 0, 0, b"\0" + numbers(samples) + bytes(samples)))
        yield name, place_entries(boxes)

    # A sample rate that only version 2 of a sound description can contain, and WebVTT subtitles.
    fast = struct.pack(">IdIIIIIII", 72, 96000.0, 2, 0x7F000000, 16, 0, 0, 0, 0)
    sound = bytes(7) + b"\1" + struct.pack(">H", 2) + bytes(6) + struct.pack(">HHHHI", 2, 16, 0, 0, 1) + fast
    for name, handler, entry in [
        ("fast-sound", b"soun", Box("mp4a", sound)),
        ("web-subtitles", b"text", Box("wvtt", bytes(7) + b"\1", [Box("vttC", b"WEBVTT")])),
    ]:
        for film in ["avc-aac-faststart.mp4", "avc-fragments.mp4"]:
            root, boxes = read(film)
            for box in root.all("hdlr"):
                box.head = box.head[:8] + handler + box.head[12:]
            for box in root.all("stsd"):
                box.children = [entry]
            yield f"{name}-{film}", b"".join(box.write() for box in boxes)

    # A picture of 16 bits per sample, which hvcC cannot represent.
    root, boxes = read("hevc.mp4")
    for box in root.all("hvcC"):
        box.head = deep_colour(box.head)
    yield "deep-color", b"".join(box.write() for box in boxes)

    # A descriptor whose size takes two bytes.
    inner = b"\x40\x15" + bytes(11) + b"\5\x81\x48" + bytes(200)
    inner = b"\0\0\0\4\x81\x58" + inner
    yield "long-descriptor", full("esds", 0, 0, b"\3\x81" + bytes([len(inner) - 128]) + inner).write()


def deep_colour(configuration):
    """Returns an hvcC whose sequence parameter set has bit_depth_luma_minus8 8 instead of 0."""
    place, arrays = 23, configuration[22]
    for _ in range(arrays):
        kind, count = configuration[place] & 63, int.from_bytes(configuration[place + 1 : place + 3])
        place += 3
        for _ in range(count):
            size = int.from_bytes(configuration[place : place + 2])
            unit = configuration[place + 2 : place + 2 + size]
            if kind == 33:
                unit = deeper(unit)
                return configuration[:place] + len(unit).to_bytes(2) + unit + configuration[place + 2 + size :]
            place += 2 + size
    raise ValueError("no sequence parameter set")


def deeper(unit):
    """Returns the sequence parameter set, without sublayers, with 16 bits of luma."""
    bits = "".join(f"{byte:08b}" for byte in unit.replace(b"\0\0\3", b"\0\0"))
    # The unit's header, IDs and sublayers, profile, tier and level.
    position = 16 + 8 + 96

    def golomb():
        nonlocal position
        zeros = bits.index("1", position) - position
        position += 2 * zeros + 1
        return int(bits[position - zeros - 1 : position], 2) - 1

    golomb()
    if golomb() == 3:
        position += 1
    golomb()
    golomb()
    position += 1
    if bits[position - 1] == "1":
        for _ in range(4):
            golomb()
    assert bits[position] == "1", "8 bits of luma"
    bits = bits[:position] + "0001001" + bits[position + 1 :].rstrip("0")
    bits += "0" * (-len(bits) % 8)
    raw = bytes(int(bits[index : index + 8], 2) for index in range(0, len(bits), 8))
    escaped = bytearray()
    for byte in raw:
        if byte <= 3 and escaped[-2:] == b"\0\0":
            escaped.append(3)
        escaped.append(byte)
    return bytes(escaped)


def streams():
    """Yields elementary and transport streams, by target."""
    mixing = ["-dmix_mode", "ltrt", "-ltrt_cmixlev", "0.8", "-loro_surmixlev", "0.5", "-dialnorm", "-20"]
    production = ["-mixing_level", "90", "-room_type", "small", "-copyright", "1", "-dsur_mode", "on"]
    for rate in ["48000", "44100", "32000"]:
        for channels in ["1", "2", "6"]:
            sound = SOUND + ["-ar", rate, "-ac", channels]
            yield "FuzzAC3", f"ac3-{rate}-{channels}", b"\x40" + ffmpeg(sound + ["-c:a", "ac3"], "a.ac3")[:4000]
            enhanced = ffmpeg(sound + ["-c:a", "eac3", "-b:a", "96k"] + mixing, "a.eac3")
            yield "FuzzAC3", f"eac3-{rate}-{channels}", b"\x40" + enhanced[:4000]
            adts = ffmpeg(sound + ["-c:a", "aac", "-b:a", "32k"], "a.aac")
            yield "FuzzADTS", f"aac-{rate}-{channels}", b"\x40" + adts[:2000]
    yield "FuzzAC3", "production", b"\x40" + ffmpeg(SOUND + ["-c:a", "ac3", *production], "a.ac3")[:4000]
    yield "FuzzADTS", "tagged", b"\x40" + ffmpeg(SOUND + ["-c:a", "aac", "-write_id3v2", "1"], "a.aac")[:2000]
    for name, config in configurations().items():
        yield "FuzzADTS", f"config-{name}", b"\x40" + config
    for name, tag in tags().items():
        yield "FuzzADTS", f"tag-{name}", b"\x40" + tag
    for name, options in {
        "matrices": ["-x264-params", "log-level=none:cqm=jvt:cabac=0:slices=2:interlaced=1"],
        "weights": ["-x264-params", "log-level=none:weightp=2:ref=4:bframes=3:b-pyramid=normal:aud=1"],
        "high": ["-pix_fmt", "yuv444p10le", "-x264-params", "log-level=none:nal-hrd=vbr:vbv-maxrate=99:vbv-bufsize=99"],
    }.items():
        yield "FuzzNAL", f"avc-{name}", ffmpeg(PICTURE + ["-c:v", "libx264", *options], "v.h264")[:4000]
    for name, options in {
        "matrices": "scaling-list=default:slices=2:aud=1:hrd=1:vbv-maxrate=99:vbv-bufsize=99",
        "weights": "weightb=1:ref=4:bframes=4:b-pyramid=1:repeat-headers=1:temporal-layers=1",
        "lossless": "lossless=1:hdr10=1:max-cll=9,9:master-display=G(1,1)B(1,1)R(1,1)WP(1,1)L(9,1)",
        "range": "wpp=1:ctu=16:tskip=1:field=1",
    }.items():
        picture = PICTURE + ["-vf", "scale=64:64", "-c:v", "libx265", "-x265-params", f"log-level=none:{options}"]
        yield "FuzzNAL", f"hevc-{name}", ffmpeg(picture, "v.hevc")[:4000]
    both = PICTURE + SOUND + AVC
    yield "FuzzTS", "avc-aac", ffmpeg(both + ["-c:a", "aac"], "a.ts")[: 188 * 30]
    yield "FuzzTS", "hevc-ac3", ffmpeg(PICTURE + SOUND + HEVC + ["-c:a", "ac3"], "a.ts")[: 188 * 30]


def configurations():
    """Yields AudioSpecificConfigs of the types that ffmpeg does not write."""

    def bits(*fields):
        text = "".join(f"{value:0{width}b}" for value, width in fields)
        text += "0" * (-len(text) % 8)
        return bytes(int(text[index : index + 8], 2) for index in range(0, len(text), 8))

    general = [(0, 1), (0, 1), (0, 1)]
    core = [(2, 5), (4, 4), (2, 4), *general]
    return {
        "he": bits((5, 5), (7, 4), (2, 4), (4, 4), (2, 5), *general),
        "he-v2": bits((29, 5), (7, 4), (1, 4), (4, 4), (2, 5), *general),
        "he-bsac": bits((5, 5), (7, 4), (2, 4), (4, 4), (22, 5), (2, 4), *general),
        "backward": bits(*core, (0x2B7, 11), (5, 5), (1, 1), (3, 4)),
        "backward-ps": bits(*core, (0x2B7, 11), (5, 5), (1, 1), (3, 4), (0x548, 11), (1, 1)),
        "backward-bsac": bits(*core, (0x2B7, 11), (22, 5), (1, 1), (3, 4), (2, 4)),
        "own-rate": bits((2, 5), (15, 4), (50000, 24), (2, 4), *general),
        "core-coder": bits((2, 5), (4, 4), (2, 4), (1, 1), (1, 1), (99, 14), (0, 1)),
        "error-resilient": bits((17, 5), (4, 4), (2, 4), (0, 1), (0, 1), (1, 1), (7, 3), (0, 1), (0, 2)),
        "scalable": bits((6, 5), (4, 4), (2, 4), (0, 1), (0, 1), (1, 1), (3, 3), (0, 1)),
        "bsac": bits((22, 5), (4, 4), (2, 4), (0, 1), (0, 1), (1, 1), (5, 5), (9, 11), (0, 1), (0, 2)),
        "escape": bits((31, 5), (10, 6), (4, 4), (2, 4), *general),
        "program": bits((2, 5), (4, 4), (0, 4), *general, (0, 4), (1, 2), (4, 4), (1, 4), (0, 4), (0, 4), (1, 2))
        + bits((0, 3), (0, 4), (1, 1), (1, 1), (2, 4), (1, 1), (3, 2), (1, 1), (1, 1), (0, 4), (0, 4), (0, 4), (2, 8)),
        "setup": b"zaac\0\0\1\2\x12\x10",
        "descriptor": b"\0\0\0\0\3\x19\0\0\0\4\x11\x40\x15\0\0\0\0\0\0\0\0\0\0\0\5\2\x12\x10\6\1\2",
        "descriptor-mp3": b"\0\0\0\0\3\x15\0\0\0\4\x0d\x6b\x15\0\0\0\0\0\0\0\0\0\0\0\6\1\2",
    }


def tags():
    """Yields ID3 tags of packed audio, with variations by old writers."""
    owner = b"com.apple.streaming.transportStreamTimestamp\0"

    def tag(version, flags, *frames):
        content = b"".join(frames)
        size = bytes(len(content) >> shift & 127 for shift in (21, 14, 7, 0))
        return b"ID3" + bytes([version, 0, flags]) + size + content

    def frame(name, content, flags=0):
        return name + struct.pack(">IH", len(content), flags) + content

    stamp = frame(b"PRIV", owner + bytes(7) + b"\x05")
    return {
        "time": tag(4, 0, stamp),
        "time-short": tag(4, 0, frame(b"PRIV", owner + b"\1\2\3")),
        "footer": tag(4, 0x10, stamp) + b"3DI\4\0\0\0\0\0\0",
        "extended-3": tag(3, 0x40, numbers(6) + bytes(6), stamp),
        "extended-4": tag(4, 0x40, numbers(6) + b"\1\0", stamp),
        "unsynchronized-3": tag(3, 0x80, frame(b"PRIV", owner + b"\xff\0\1")),
        "unsynchronized-4": tag(4, 0x80, frame(b"PRIV", owner + b"\xff\0\1", 2)),
        "grouped": tag(4, 0, frame(b"PRIV", b"\1\0\0\0\5" + owner, 0x41)),
        "compressed": tag(4, 0, frame(b"PRIV", owner, 8)),
        "size": tag(4, 0, b"PRIV\0\0\0\xff\0\0abc"),
        "setup": tag(4, 0, frame(b"PRIV", b"com.apple.streaming.audioDescription\0zaac\0\0\1\2\x12\x10")),
        "old": b"TAG" + bytes(125),
    }


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)

    def save(target, name, data):
        folder = pathlib.Path(sys.argv[1]) / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"film-{name}").write_bytes(data)

    made = {name: ffmpeg(arguments, name) for name, arguments in films().items()}
    for name, film in made.items():
        save("FuzzMP4", name, film)
    for name in ["avc-aac-faststart.mp4", "avc-fragments.mp4", "avc-encrypted-fragments.mp4", "avc-encrypted.mp4"]:
        for addition, film in additions(made[name]).items():
            if film != made[name]:
                save("FuzzMP4", f"{addition}-{name}", film)
    for name in ["avc-every-frame.mp4", "eac3-fragments.mp4", "hevc-fragments.mp4"]:
        for way, film in encryptions(made[name]):
            save("FuzzMP4", f"{way}-{name}", film)
            if way == "cenc-8-listed":
                for damage, damaged in damages(film).items():
                    if damaged != film:
                        save("FuzzMP4", f"{damage}-{way}-{name}", damaged)
    for name in ["avc-aac-faststart.mp4", "avc-fragments.mp4"]:
        for damage, film in damages(made[name]).items():
            if film != made[name]:
                save("FuzzMP4", f"{damage}-{name}", film)
    for name, film in rarities(made):
        save("FuzzMP4", name, film)
    for target, name, data in streams():
        save(target, name, data)


if __name__ == "__main__":
    main()
