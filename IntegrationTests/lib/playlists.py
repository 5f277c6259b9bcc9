"""A small reader of HLS presentations on disk, for the tests: the bytes of every rendition, in order."""

import re
from dataclasses import dataclass, field
from pathlib import Path

ATTRIBUTE = re.compile(r'([A-Z0-9-]+)=("[^"]*"|[^",\s][^,]*)(?:,|$)')


class Malformed(Exception):
    """An error of a presentation that is not valid."""


def attributes(text):
    return {name: value.strip('"') for name, value in ATTRIBUTE.findall(text)}


@dataclass
class Segment:
    data: bytes
    duration: float
    number: int
    keys: list  # of attributes of EXT-X-KEY
    path: Path


@dataclass
class Part:
    """Segments with one EXT-X-MAP (or without one)."""

    header: bytes
    segments: list = field(default_factory=list)
    keys: list = field(default_factory=list)  # of attributes of EXT-X-KEY, for the header

    @property
    def joined(self):
        return self.header + b"".join(segment.data for segment in self.segments)


@dataclass
class Rendition:
    path: Path
    kind: str  # VIDEO, AUDIO, SUBTITLES or I-FRAMES
    attributes: dict
    parts: list
    target: int = 0

    @property
    def name(self):
        return self.path.parent.name if self.path.name == "media.m3u8" else self.path.stem

    @property
    def segments(self):
        return [segment for part in self.parts for segment in part.segments]


def read_range(path, text, after):
    """Returns the bytes of the range `LENGTH[@START]` of a file, and the end of the range."""
    data = path.read_bytes()
    if text is None:
        return data, 0
    length, _, start = text.partition("@")
    start = int(start) if start else after
    part = data[start:start + int(length)]
    if len(part) != int(length):
        raise Malformed(f"{path} has {len(data)} bytes, which do not include the range {text}")
    return part, start + int(length)


def media_playlist(path, kind, of=None):
    lines = path.read_text(encoding="utf-8").splitlines()
    if not lines or lines[0] != "#EXTM3U":
        raise Malformed(f"{path} is not a playlist")
    rendition = Rendition(path, kind, of or {}, [Part(b"")])
    number, duration, keys, byte_range, ends = 0, None, [], None, {}
    fresh_keys = True  # the next EXT-X-KEY starts a new set
    is_gap = False  # the next segment does not exist
    for line in lines:
        tag, _, value = line.partition(":")
        if tag == "#EXT-X-TARGETDURATION":
            rendition.target = int(value)
        elif tag == "#EXT-X-MEDIA-SEQUENCE":
            number = int(value)
        elif tag == "#EXT-X-KEY":
            keys = ([] if fresh_keys else keys) + [attributes(value)]
            fresh_keys = False
            if keys[-1]["METHOD"] == "NONE":
                keys = []
        elif tag == "#EXT-X-MAP":
            found = attributes(value)
            header, _ = read_range(path.parent / found["URI"], found.get("BYTERANGE"), 0)
            if rendition.parts[-1].segments or rendition.parts[-1].header:
                rendition.parts.append(Part(header, keys=keys))
            else:
                rendition.parts[-1].header, rendition.parts[-1].keys = header, keys
        elif tag == "#EXTINF":
            duration = float(value.split(",")[0])
        elif tag == "#EXT-X-BYTERANGE":
            byte_range = value
        elif tag == "#EXT-X-GAP":
            is_gap = True
        elif is_gap and line and not line.startswith("#"):
            number, duration, is_gap, fresh_keys = number + 1, None, False, True
        elif line and not line.startswith("#"):
            file = path.parent / line
            data, ends[file] = read_range(file, byte_range, ends.get(file, 0))
            rendition.parts[-1].segments.append(Segment(data, duration, number, keys, file))
            number, duration, byte_range, fresh_keys = number + 1, None, None, True
    return rendition


def presentation(path):
    """Returns the renditions of a Multivariant Playlist, or the one of a Media Playlist."""
    path = Path(path)
    lines = path.read_text(encoding="utf-8").splitlines()
    if any(line.startswith("#EXTINF") for line in lines):
        return [media_playlist(path, "VIDEO")]
    found, variant = {}, None
    for line in lines:
        tag, _, value = line.partition(":")
        named = attributes(value)
        if tag == "#EXT-X-MEDIA" and "URI" in named:
            found.setdefault(path.parent / named["URI"], (named["TYPE"], named))
        elif tag == "#EXT-X-I-FRAME-STREAM-INF":
            found.setdefault(path.parent / named["URI"], ("I-FRAMES", named))
        elif tag == "#EXT-X-STREAM-INF":
            variant = named
        elif line and not line.startswith("#"):
            only_audio = not re.search(r"avc|hvc|hev|dvh", variant.get("CODECS", "avc"))
            found.setdefault(path.parent / line, ("AUDIO" if only_audio else "VIDEO", variant))
    return [media_playlist(media, kind, named) for media, (kind, named) in found.items()]


def by_kind(renditions, kind):
    return [rendition for rendition in renditions if rendition.kind == kind]
