"""A strict DASH client for low latency, written from ISO/IEC 23009-1: it requests each segment at the time from which the manifest says
that it is available, never retries, and reads the chunks of a segment as they come.

It is part of this project, because no installable client follows availabilityTimeOffset. It does not decode.
"""

import datetime
import http.client
import re
import struct
import threading
import time
import urllib.parse
import xml.etree.ElementTree as ET
from dataclasses import dataclass, field

MPD = "{urn:mpeg:dash:schema:mpd:2011}"


def seconds(text):
    match = re.fullmatch(r"PT(\d+(?:\.\d+)?)S", text)
    return float(match[1])


def date(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


@dataclass
class Segment:
    """A listed segment."""
    url: str
    init: str
    number: int
    # The start and duration in the media, in units of the timescale.
    time: int
    duration: int
    timescale: int
    # The time from which it is available, in Unix seconds (5.3.9.5.3, A.3.2).
    available: float
    # The time at which media time 0 was produced, in Unix seconds, by ProducerReferenceTime.
    zero: float
    period: str


@dataclass
class Track:
    """What was received of a Representation."""
    # The bytes of each file, by URL.
    files: dict = field(default_factory=dict)
    # The URLs of segments, in order, and those of which the first bytes came before the segment was complete.
    order: list = field(default_factory=list)
    growing: set = field(default_factory=set)
    # The time in seconds from the production of the end of each chunk to its arrival: arrival, latency.
    latencies: list = field(default_factory=list)
    periods: list = field(default_factory=list)
    # Of each growing segment, the time from its first chunk to its last, as a part of its duration.
    spreads: list = field(default_factory=list)


class Manifest:
    """One version of a manifest."""

    def __init__(self, data):
        self.data = data
        root = ET.fromstring(data)
        self.type = root.get("type")
        self.update_period = seconds(root.get("minimumUpdatePeriod", "PT1S"))
        self.publish_time = root.get("publishTime")
        self.latency = root.find(f"{MPD}ServiceDescription/{MPD}Latency")
        start = date(root.get("availabilityStartTime"))
        # The segments of each Representation, in the order of the presentation.
        self.segments = {}
        self.problems = []
        for period in root.findall(MPD + "Period"):
            begin = start + seconds(period.get("start"))
            for adaptation in period.findall(MPD + "AdaptationSet"):
                for representation in adaptation.findall(MPD + "Representation"):
                    self.add(period, begin, adaptation, representation)

    def add(self, period, begin, adaptation, representation):
        template = representation.find(MPD + "SegmentTemplate")
        scale, offset = int(template.get("timescale")), int(template.get("presentationTimeOffset", 0))
        early = float(template.get("availabilityTimeOffset", 0))
        if template.get("availabilityTimeComplete") != "false" or early <= 0:
            self.problems.append(f"{representation.get('id')}: segments are not available before they are complete")
        reference = adaptation.find(MPD + "ProducerReferenceTime")
        zero = date(reference.get("wallClockTime")) - int(reference.get("presentationTime")) / scale
        if reference.get("id") != self.latency.get("referenceId"):
            self.problems.append("Latency refers to another ProducerReferenceTime")
        number, position = int(template.get("startNumber")), 0
        for run in template.find(MPD + "SegmentTimeline"):
            position = int(run.get("t", position))
            for _ in range(int(run.get("r", 0)) + 1):
                duration = int(run.get("d"))
                self.segments.setdefault(representation.get("id"), []).append(
                    Segment(template.get("media").replace("$Number$", str(number)), template.get("initialization"), number, position,
                            duration, scale, begin + (position + duration - offset) / scale - early, zero, period.get("id")))
                position, number = position + duration, number + 1


class DashClient:
    """Follows a presentation until `stop` is called. `problems` must be empty then."""

    def __init__(self, url, timeout=20):
        self.url, self.timeout = urllib.parse.urlsplit(url), timeout
        self.tracks, self.problems, self.versions = {}, [], []
        # The requests that were cut off, which the caller permits or not.
        self.cut = []
        self.manifest = None
        self.changed = threading.Condition()
        self.stopping = threading.Event()
        self.threads = [threading.Thread(target=self.guard, args=(self.follow,))]
        self.threads[0].start()

    def guard(self, function, *arguments):
        try:
            function(*arguments)
        except Exception as error:
            self.problems.append(f"{function.__name__}: {error!r}")

    def stop(self, wait=30):
        self.stopping.set()
        with self.changed:
            self.changed.notify_all()
        for thread in list(self.threads):
            thread.join(wait)
            if thread.is_alive():
                self.problems.append("a request did not end")

    def get(self, path):
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=self.timeout)
        connection.request("GET", urllib.parse.urljoin(self.url.path, path))
        return connection.getresponse()

    def follow(self):
        """Loads the manifest once per minimumUpdatePeriod."""
        while not self.stopping.is_set():
            begin = time.time()
            response = self.get(self.url.path)
            data = response.read()
            if response.status != 200:
                self.problems.append(f"the manifest: {response.status}")
                return
            if not self.versions or data != self.versions[-1]:
                self.versions.append(data)
                manifest = Manifest(data)
                self.problems += manifest.problems
                with self.changed:
                    self.manifest = manifest
                    self.changed.notify_all()
                for name in manifest.segments:
                    if name not in self.tracks:
                        self.tracks[name] = Track()
                        self.threads.append(threading.Thread(target=self.guard, args=(self.play, name)))
                        self.threads[-1].start()
            self.stopping.wait(max(0, begin + self.manifest.update_period - time.time()))

    def play(self, name):
        """Requests the segments of a Representation one after the other, from the last one that is listed at first."""
        track = self.tracks[name]
        next_number = self.manifest.segments[name][-1].number
        while not self.stopping.is_set():
            with self.changed:
                listed = [segment for segment in self.manifest.segments.get(name, []) if segment.number >= next_number]
                if not listed:
                    self.changed.wait(1)
                    continue
            segment = listed[0]
            if segment.number != next_number:
                self.problems.append(f"{name}: segment {next_number} is not listed, but {segment.number} is")
            self.stopping.wait(max(0, segment.available - time.time()))
            if segment.init not in track.files:
                response = self.get(segment.init)
                track.files[segment.init] = response.read()
                if response.status != 200:
                    self.problems.append(f"{segment.init}: {response.status}")
            self.load(segment, track)
            next_number = segment.number + 1

    def load(self, segment, track):
        asked = time.time()
        response = self.get(segment.url)
        if response.status != 200:
            self.problems.append(f"{segment.url}: {response.status}, {asked - segment.available:.3f} s after it was available")
            return
        if response.getheader("Content-Length") is None:
            track.growing.add(segment.url)
        data, end, arrivals = b"", 0, []
        while True:
            try:
                more = response.read1(65536)
            except (http.client.HTTPException, OSError):
                self.cut.append(segment.url)
                break
            if not more:
                break
            data += more
            while (chunk := next_chunk(data, end)) is not None:
                now = time.time()
                end = chunk[0]
                arrivals.append(now)
                if segment.url in track.growing:
                    track.latencies.append((now, now - segment.zero - chunk[1] / segment.timescale))
        if segment.url in track.growing and arrivals:
            track.spreads.append((arrivals[-1] - arrivals[0]) * segment.timescale / segment.duration)
        if end != len(data) and segment.url not in self.cut:
            self.problems.append(f"{segment.url}: {len(data) - end} bytes after the last chunk")
        track.files[segment.url] = data
        track.order.append(segment.url)
        if segment.period not in track.periods:
            track.periods.append(segment.period)


def children(data, start, end):
    while start + 8 <= end:
        size, kind = struct.unpack_from(">I4s", data, start)
        yield kind, start, start + size
        start += size


def next_chunk(data, start):
    """Returns the end of the CMAF chunk that starts at a position, and its decode end time; None while it is not complete."""
    position, time_end = start, None
    while position + 8 <= len(data):
        size, kind = struct.unpack_from(">I4s", data, position)
        if position + size > len(data):
            return None
        if kind == b"moof":
            time_end = decode_end(data, position, position + size)
        position += size
        if kind == b"mdat":
            return position, time_end
    return None


def decode_end(data, start, end):
    """Returns the end of the samples of a moof box, in units of the timescale."""
    base, default, total = 0, 0, 0
    for kind, begin, stop in children(data, start + 8, end):
        if kind != b"traf":
            continue
        for inner, position, _ in children(data, begin + 8, stop):
            version, flags = data[position + 8], int.from_bytes(data[position + 9:position + 12], "big")
            if inner == b"tfhd":
                at = position + 16 + 8 * (flags & 1) + 4 * bool(flags & 2)
                default = struct.unpack_from(">I", data, at)[0] if flags & 8 else 0
            elif inner == b"tfdt":
                base = struct.unpack_from(">Q" if version else ">I", data, position + 12)[0]
            elif inner == b"trun":
                count = struct.unpack_from(">I", data, position + 12)[0]
                at = position + 16 + 4 * bool(flags & 1) + 4 * bool(flags & 4)
                step = 4 * sum(bool(flags & bit) for bit in (0x100, 0x200, 0x400, 0x800))
                for index in range(count):
                    total += struct.unpack_from(">I", data, at + index * step)[0] if flags & 0x100 else default
    return base + total
