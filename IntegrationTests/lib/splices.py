"""Transport streams made by ffmpeg and joined, and the frames in them and in the presentations packaged from them.

ffmpeg is the second reader: it returns the access units of the pieces and of the segments, of which only the bytes that every
container keeps are compared: the slices of video, and frames of audio without ADTS headers."""

import hashlib
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

PACKET = 188


def run(*command, data=None, seconds=120, codes=(0,)):
    """Runs a command, and returns what it printed."""
    done = subprocess.run(command, input=data, capture_output=True, timeout=seconds)
    if done.returncode not in codes:
        raise SystemExit(f"FAILED: exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stderr.decode()[-2000:]}")
    return done.stdout


@dataclass(frozen=True)
class Piece:
    """A piece of a stream: one encode. Its parameters are those of ffmpeg."""

    number: int  # for other pictures and another tone in each piece
    start: float = 0  # the first timestamp in seconds
    seconds: float = 2
    size: str = "160x90"
    video: str = "libx264"  # or "" for none
    options: tuple = ("-preset", "ultrafast")
    gop: int = 25
    audio: tuple = (("aac", 48000, 2, "eng"),)  # codec, sample rate, channels, language of each stream
    muxing: tuple = ()

    @property
    def file(self):
        return Path("pieces") / (hashlib.sha256(repr(self).encode()).hexdigest()[:16] + ".ts")

    def make(self):
        if self.file.exists():
            return
        source = f"testsrc2=size={self.size}:rate=25:duration={self.seconds}"
        command = ["ffmpeg", "-nostdin", "-loglevel", "error"]
        maps, codecs = [], []
        if self.video:
            command += ["-f", "lavfi", "-i", f"{source},hue=h={self.number * 37 % 360}"]
            maps += ["-map", "0:v"]
            codecs += ["-c:v", self.video, *self.options, "-g", str(self.gop), "-pix_fmt", "yuv420p"]
        for index, (codec, rate, channels, language) in enumerate(self.audio):
            tone = 200 + 30 * self.number + 100 * index
            command += ["-f", "lavfi", "-i", f"sine=frequency={tone}:sample_rate={rate}:duration={self.seconds}"]
            maps += ["-map", f"{index + bool(self.video)}:a"]
            codecs += [f"-c:a:{index}", codec, f"-ac:a:{index}", str(channels), f"-metadata:s:a:{index}", f"language={language}"]
        partial = self.file.with_suffix(f".{id(self)}.part")
        run(*command, *maps, *codecs, "-muxdelay", "0", "-muxpreload", "0", *self.muxing, "-output_ts_offset", str(self.start),
            "-f", "mpegts", "-y", str(partial))
        partial.rename(self.file)

    @property
    def data(self):
        self.make()
        return self.file.read_bytes()

    def units(self, kind, index=0):
        """Returns a hash for each slice or frame of a stream."""
        cached = self.file.with_suffix(f".{kind}{index}.units")
        if not cached.exists():
            self.make()
            cached.write_text("\n".join(units(self.file, kind, index)))
        return cached.read_text().split()


def units(file, kind, index=0):
    """Returns a hash for each slice of a video stream, or each frame of an audio stream, in a file."""
    copy = ["ffmpeg", "-nostdin", "-loglevel", "error"]
    if file.suffix == ".mp4":
        copy += ["-ignore_editlist", "1"]
    copy += ["-i", str(file), "-map", f"0:{kind}:{index}", "-c", "copy"]
    codec = run("ffprobe", "-v", "error", "-select_streams", f"{kind}:{index}", "-show_entries", "stream=codec_name", "-of",
                "default=nw=1:nk=1", str(file)).decode().split()[0]
    if kind == "v":
        return slices(run(*copy, "-f", codec, "-"), codec)
    if codec == "aac" and file.suffix == ".ts":
        copy += ["-bsf:a", "aac_adtstoasc"]
    found = run(*copy, "-f", "framemd5", "-").decode()
    return [line.split(",")[5].strip() for line in found.splitlines() if line[:1].isdigit()]


def slices(data, codec):
    """Returns a hash for each slice of an Annex B byte stream."""
    found = []
    for unit in re.split(b"\0\0\1", data)[1:]:
        unit = unit.rstrip(b"\0")
        kind = unit[0] & 31 if codec == "h264" else unit[0] >> 1 & 63
        if kind in (1, 5) if codec == "h264" else kind < 32:
            found.append(hashlib.md5(unit).hexdigest())
    return found


@dataclass
class Run:
    """The segments of a rendition between two discontinuities."""

    header: bytes
    segments: list
    gaps: int = 0


def runs(playlist):
    """Returns the runs of a Media Playlist."""
    found, header, is_gap, starts = [], b"", False, True
    for line in playlist.read_text().splitlines():
        if line == "#EXT-X-DISCONTINUITY":
            starts = True
        elif line == "#EXT-X-GAP":
            is_gap = True
        elif line.startswith("#EXT-X-MAP:"):
            header = (playlist.parent / re.search('URI="([^"]*)"', line)[1]).read_bytes()
        elif line and not line.startswith("#"):
            if starts:
                found.append(Run(header, []))
            starts = False
            if is_gap:
                found[-1].gaps += 1
            else:
                if not found[-1].segments:
                    found[-1].header = header
                found[-1].segments.append((playlist.parent / line).read_bytes())
            is_gap = False
    return found


def renditions(folder):
    """Returns the runs of each rendition of a presentation, with `v` or `a`, in the order of the Multivariant Playlist."""
    found = {}
    text = (folder / "main.m3u8").read_text()
    for name in re.findall(r'^#EXT-X-MEDIA:TYPE=AUDIO.*URI="([^"]*)"', text, re.M):
        found[name] = "a"
    for name in re.findall(r"^#EXT-X-STREAM-INF:.*\n([^#\n]+)", text, re.M):
        found.setdefault(name, "v" if "video" in name else "a")
    return {name: (kind, runs(folder / name)) for name, kind in found.items()}
